/** `midcall inbox` in a real terminal, with a real host behind a bridge on a machine without a browser. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Era, eras, negotiation } from '@midcall/testing';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished } from 'vitest';
import { Peer, protocolVersion } from '../../packages/midcall/src/shared-desk/peer.ts';
import { textOf } from '../bridge/stage.ts';
import { down, enter, errorsInFile, inTerminal, interrupt } from '../cli/tty.ts';
import { ownEnvironment } from '../fixtures/own-environment.ts';
import { few } from '../fixtures/soak.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = join(root, 'packages/midcall/bin/midcall.js');
const server = join(root, 'test/bridge/ask-server.mjs');

/** Milliseconds: as long as a timer of Node runs. */
const endless = 2 ** 31 - 1;

async function plainHost(era: Era, name: string) {
  const client = new Client(
    { name: 'plain-host', version: '1.0.0' },
    { versionNegotiation: { ...negotiation(era), probe: { timeoutMs: endless } } },
  );
  const args = [main, 'bridge', '--', process.execPath, server, name];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env: ownEnvironment(),
    stderr: 'ignore',
  });
  await client.connect(transport, { timeout: endless });
  onTestFinished(() => client.close());
  return {
    call: async () => textOf(await client.callTool({ name: 'ask', arguments: {} }, { timeout: endless })),
  };
}

it.each(few(eras, '2026-07-28'))(
  'a question of a host of %s is answered in the inbox, and the person is told to go back to the host',
  async era => {
    const name = `asker-${era}`;
    const host = await plainHost(era, name);
    const first = await host.call();
    // The model is told why nobody was asked and what the person does, and gets nothing that opens the desk.
    expect(first).toMatch(/^Unavailable: .*cannot open a browser.*not refused.*"midcall inbox".*"midcall desk"/);
    expect(first).not.toMatch(/http|key=|\.link/);

    const inbox = inTerminal([main, 'inbox'], ownEnvironment());
    await inbox.until(`for ask (plain-host has stopped waiting): Is ${name} sure?`);
    inbox.type(enter);
    await inbox.until('shows all of it');
    inbox.type(enter);
    await inbox.pass(['What do you want to do?', enter], ['Sure (required)', down + enter], ['Send it?', enter]);
    await inbox.until('plain-host has stopped waiting: go back to it and say "continue".');
    await inbox.until('Nothing is waiting.');

    expect(await host.call()).toBe(`accept in call 1 of ${name}`);
    await inbox.until('plain-host came back, and has the result.');
    expect(inbox.text()).not.toContain('\u0007');

    // It rings; and it is seen there now, so the host waits for it.
    const second = host.call();
    await inbox.until('\u0007');
    await inbox.until(/for ask \(plain-host waits until \d\d:\d\d:\d\d\)/);
    inbox.type(enter);
    await inbox.until('shows all of it');
    inbox.type(down + enter);
    await inbox.until('Declined.');
    expect(await second).toBe(`decline in call 2 of ${name}`);
    await inbox.until('Nothing is waiting.');
    inbox.type(interrupt);
    await inbox.ended;
  },
);

/** The socket of a desk in a folder of its own. @returns what makes a program find it there */
async function listening(desk: ReturnType<typeof createServer>): Promise<Record<string, string>> {
  const runtime = mkdtempSync(join(tmpdir(), 'desk-'));
  mkdirSync(join(runtime, 'midcall'), { mode: 0o700 });
  await new Promise<void>(resolve => desk.listen(join(runtime, 'midcall', 'desk.sock'), resolve));
  onTestFinished(() => void desk.close());
  return { ...ownEnvironment(), XDG_RUNTIME_DIR: runtime };
}

it('midcall inbox says that questions are open on an older desk, as midcall desk does', async () => {
  const desk = createServer(socket => {
    new Peer(socket, word => (word === 'hello' ? { version: 0 } : { open: 2 }), 0);
  });
  const env = await listening(desk);
  const said = await new Promise(resolve =>
    execFile(process.execPath, [main, 'inbox'], { env }, (error, out, err) => resolve({ code: error?.code, out, err })),
  );
  const err = expect.stringMatching(/^midcall: An older desk is running, and questions are open there: 2\./);
  expect(said).toEqual({ code: 3, out: '', err });
});

/** A desk on which one question waits, for a letter. */
async function letterDesk() {
  const asker = { id: 'post', name: 'post', origin: 'node post.mjs', era: '2026-07-28' };
  const fields = [{ kind: 'text', name: 'text', required: true, minLength: 3 }];
  const question = { id: 'q1', kind: 'form', asker, message: 'What shall it say?', fields, askedAt: 0 };
  const sockets = new Set<Socket>();
  const inboxes: Peer[] = [];
  const desk = createServer(socket => {
    sockets.add(socket);
    new Peer(socket, (word, _, peer) => {
      if (word !== 'hello') return { ok: true };
      inboxes.push(peer);
      peer.tell('asked', { question });
      return { version: protocolVersion };
    });
  });
  const env = await listening(desk);
  return {
    env,
    /** Another question comes. */
    ask: (id: string, message: string) => {
      for (const peer of inboxes) peer.tell('asked', { question: { ...question, id, message } });
    },
    end: (id: string) => {
      for (const peer of inboxes) peer.tell('ended', { id, ending: { how: 'withdrawn' } });
    },
    stop: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

it('what was being typed is written out when the desk ends, and the cursor is shown again', async () => {
  const { env, stop } = await letterDesk();
  const inbox = inTerminal([main, 'inbox'], env);
  await inbox.pass(
    ['One question is waiting.', enter],
    ['What do you want to do with it? post: What shall it say?', enter],
    ['What do you want to do?', enter],
    ['Tab, then Enter', 'Dear Ann'],
  );
  await inbox.until('│  Dear Ann█');
  stop();
  await inbox.pass(['Not sent. You had entered:'], ['Dear Ann'], ['The desk has ended.']);
  expect(await inbox.ended).toBe(3);
  expect(inbox.raw().lastIndexOf('\u001b[?25h')).toBeGreaterThan(inbox.raw().lastIndexOf('\u001b[?25l'));
});

it('midcall inbox ends with the desk while its list is shown, and nothing is chosen', async () => {
  const { env, stop } = await letterDesk();
  const inbox = inTerminal([main, 'inbox'], env);
  await inbox.until('Leave');
  stop();
  await inbox.until('The desk has ended.');
  expect(await inbox.ended).toBe(3);
});

it('the cursor stays on its question in the list of midcall inbox as others come and end', async () => {
  const { env, ask, end } = await letterDesk();
  const inbox = inTerminal([main, 'inbox'], env);
  await inbox.until('One question is waiting.');
  ask('q2', 'And the second letter?');
  await inbox.until('■  One question is waiting.');
  await inbox.until('2 questions are waiting.');
  await inbox.until('● post: What shall it say?');
  inbox.type(down);
  await inbox.until('● post: And the second letter?');
  ask('q3', 'And the third?');
  await inbox.until('3 questions are waiting.');
  await inbox.until('● post: And the second letter?');
  end('q1');
  await inbox.until('2 questions are waiting.');
  await inbox.until('● post: And the second letter?');
  inbox.type(down + down);
  await inbox.until('● Leave');
  end('q2');
  await inbox.until('One question is waiting.');
  await inbox.until('● Leave');
  inbox.type(enter);
  expect(await inbox.ended).toBe(0);
});

it('midcall inbox asks on the screen though standard error goes into a file', async () => {
  const { env } = await letterDesk();
  const { words, log } = errorsInFile([main, 'inbox']);
  const inbox = inTerminal(words, env);
  await inbox.pass(
    ['One question is waiting.', enter],
    ['What do you want to do with it?', down + enter],
    ['Declined.', interrupt],
  );
  expect(await inbox.ended).toBe(0);
  expect(log()).toBe('');
});

it('Ctrl-C while an editor is open is a signal to the editor, and the question is asked again', async () => {
  const { env } = await letterDesk();
  const folder = mkdtempSync(join(tmpdir(), 'inbox-editor-'));
  const script = `process.stdout.write('the editor is open'); setInterval(() => {}, 60_000)`;
  const file = join(folder, 'editor.mjs');
  writeFileSync(file, script);
  const inbox = inTerminal([main, 'inbox'], { ...env, EDITOR: `node ${file}`, TMPDIR: folder });
  await inbox.pass(
    ['One question is waiting.', enter],
    ['What do you want to do with it?', enter],
    ['What do you want to do?', enter],
    ['Open it in node', enter],
    ['the editor is open', interrupt],
    ['The editor node ended with SIGINT; nothing was changed.'],
    ['Open it in node'],
  );
  expect(readdirSync(folder)).toEqual(['editor.mjs']);
  inbox.type(interrupt);
  await inbox.pass(['What do you want to do?', interrupt], ['One question is waiting.', interrupt]);
  expect(await inbox.ended).toBe(0);
});
