/** Answers that hold objects, to forms that no author may write: they reach the server as the person gave them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Connection, commandTarget, type Era, Inbox, type ServerTarget, urlTarget } from '@midcall/host';
import { describe, expect, it, onTestFinished } from 'vitest';
import { few } from '../../fixtures/soak.ts';

const eras: readonly Era[] = ['2025-11-25', '2026-07-28'];
const content = { at: { x: 1 }, all: [{ x: 2 }], name: 'ada' };
const server = fileURLToPath(new URL('../../fixtures/nested-server.mjs', import.meta.url));

async function overHttp(era: Era): Promise<ServerTarget> {
  const child = spawn(process.execPath, [server, era, 'http'], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return urlTarget(String(line).trim());
}

describe.each(few(eras, '2026-07-28'))('a server of %s that asks for objects', era => {
  it.each(['standard input and output', 'HTTP'])(
    'a server that asks for objects gets them over %s as the person gave them',
    async over => {
      const target = over === 'HTTP' ? await overHttp(era) : commandTarget([process.execPath, server, era]);
      const inbox = new Inbox();
      inbox.subscribe(event => {
        if (event.type === 'asked') void inbox.reply(event.question.id, { action: 'accept', content }, 'test');
      });
      const client = { name: 'test', version: '1.0.0' };
      const connection = new Connection({ id: 'nested', target }, { client, inbox, era });
      onTestFinished(() => connection.stop());
      await connection.start();
      const { outcome } = connection.run({ kind: 'tool', name: 'ask', arguments: {} });
      expect(await outcome).toMatchObject({ how: 'completed', result: { got: { action: 'accept', content } } });
    },
  );
});
