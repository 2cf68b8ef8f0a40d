/** Alike calls in `midcall inbox`, in a real terminal, of a real host behind a bridge that asks before calls. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eras, negotiation } from '@midcall/testing';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished } from 'vitest';
import { enter, inTerminal, interrupt, up } from '../cli/tty.ts';
import { ownEnvironment } from '../fixtures/own-environment.ts';
import { few } from '../fixtures/soak.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = join(root, 'packages/midcall/bin/midcall.js');
const server = join(root, 'test/fixtures/silent-server.mjs');

/** Milliseconds: as long as a timer of Node runs. */
const endless = 2 ** 31 - 1;

it.each(few(eras, '2026-07-28'))(
  'three calls of a host of %s are one row of the list, and one answer there makes each of them once',
  async era => {
    const list = join(mkdtempSync(join(tmpdir(), 'midcall-alike-')), 'removed');
    writeFileSync(list, '');
    const client = new Client(
      { name: 'plain-host', version: '1.0.0' },
      { versionNegotiation: { ...negotiation(era), probe: { timeoutMs: endless } } },
    );
    const args = [main, 'bridge', '--ask', 'destructive', '--', process.execPath, server, list];
    const env = ownEnvironment();
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }), {
      timeout: endless,
    });
    onTestFinished(() => client.close());
    const call = (name: string) => client.callTool({ name: 'remove', arguments: { name } }, { timeout: endless });
    const names = ['a', 'b', 'c'];
    // Without a browser, the bridge tells the model how the person answers, and the questions stay open.
    for (const name of names) expect((await call(name)).isError).toBe(true);

    const inbox = inTerminal([main, 'inbox'], env);
    await inbox.until('3 questions are waiting.');
    await inbox.until('for remove (plain-host has stopped waiting): 3 calls are about to be made: yes or no?');
    inbox.type(enter);
    await inbox.until('shows all of them');
    inbox.type(enter);
    for (const name of names) await inbox.until(`name: ${name}`);
    await inbox.pass(['Make these calls?', up.repeat(4) + enter]);
    await inbox.until('plain-host has stopped waiting: go back to it and say "continue".');
    await inbox.until('Nothing is waiting.');
    expect(readFileSync(list, 'utf8')).toBe('');
    for (const name of names) expect((await call(name)).isError).toBeFalsy();
    expect(readFileSync(list, 'utf8')).toBe('a\nb\nc\n');
    inbox.type(interrupt);
    await inbox.ended;
  },
);
