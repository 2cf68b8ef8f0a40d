/** The reference filesystem server behind a bridge: what its host grants holds from the first call on. */
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Connection, Inbox, machineDisk, OfferedRoots } from '@midcall/host';
import { eras } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { ownEnvironment } from '../fixtures/own-environment.ts';
import { few } from '../fixtures/soak.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = join(root, 'packages/midcall/bin/midcall.js');
const filesystem = join(root, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');
const endless = 2 ** 31 - 1;

function folder(text: string): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'bridge-files-')));
  writeFileSync(join(path, 'note.txt'), text);
  return path;
}

describe.each(few(eras, '2026-07-28'))('a host of %s before server-filesystem', era => {
  it('the server reads a file inside the host’s root with the first call, and after each change of its roots', async () => {
    const [first, second] = [folder('first'), folder('second')];
    const roots = new OfferedRoots({ disk: machineDisk, lookEveryMs: 0 });
    const uris = [(await roots.add(first)).uri, (await roots.add(second)).uri];
    await roots.grant('bridge', [uris[0]!]);
    const connection = new Connection(
      {
        id: 'bridge',
        target: {
          kind: 'command',
          command: process.execPath,
          args: [main, 'bridge', '--', process.execPath, filesystem],
          env: ownEnvironment(),
        },
      },
      {
        client: { name: 'test-host', version: '1.0.0' },
        inbox: new Inbox(),
        roots,
        era,
        startTimeoutMs: endless,
        callTimeoutMs: endless,
      },
    );
    await connection.start();
    try {
      const read = async (path: string): Promise<string> => {
        const call = { kind: 'tool', name: 'read_text_file', arguments: { path: join(path, 'note.txt') } } as const;
        const outcome = await connection.run(call).outcome;
        return JSON.stringify('result' in outcome ? outcome.result['content'] : outcome);
      };
      expect(await read(first)).toContain('first');
      expect(await read(second)).toContain('Access denied');
      await roots.grant('bridge', [uris[1]!]);
      expect(await read(second)).toContain('second');
      expect(await read(first)).toContain('Access denied');
    } finally {
      await connection.stop();
    }
  });
});
