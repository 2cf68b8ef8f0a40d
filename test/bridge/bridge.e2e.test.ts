/** `midcall bridge` as hosts start it: real processes on both sides. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Connection, commandTarget, Inbox, machineDisk, OfferedRoots } from '@midcall/host';
import { eras } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { npxFolder } from '../fixtures/npx.ts';
import { ownEnvironment } from '../fixtures/own-environment.ts';
import { few, some } from '../fixtures/soak.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = join(root, 'packages/midcall/bin/midcall.js');
const folder = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'bridge-')));

function samples(): string {
  const notes = folder();
  cpSync(join(root, 'packages/midcall/samples/notes'), notes, { recursive: true });
  return notes;
}

/** Milliseconds: as long as a timer of Node runs. */
const endless = 2 ** 31 - 1;
/** The same for the command line, in seconds. */
const patient = ['--timeout', '86400'];

/** A host whose person answers at once, so the bridge is told to trust it. */
async function host(
  words: readonly string[],
  options: { readonly era?: (typeof eras)[number]; readonly root?: string },
) {
  const inbox = new Inbox();
  inbox.present({
    via: 'test',
    show(question, { reply }) {
      if (question.kind !== 'form') return;
      const content = Object.fromEntries(
        question.fields.map(field => [field.name, field.kind === 'boolean' ? true : choiceOf(field)]),
      );
      void reply({ action: 'accept', content });
    },
  });
  const roots = new OfferedRoots({ disk: machineDisk, lookEveryMs: 0 });
  if (options.root !== undefined) await roots.grant('bridge', [(await roots.add(options.root)).uri]);
  const target = {
    ...commandTarget([process.execPath, main, 'bridge', '--trust-host', ...words]),
    env: ownEnvironment(),
  };
  const client = { name: 'test-host', version: '1.0.0' };
  const times = { startTimeoutMs: endless, callTimeoutMs: endless };
  const connection = new Connection(
    { id: 'bridge', target },
    { client, inbox, roots, era: options.era ?? 'auto', ...times },
  );
  await connection.start();
  return { connection, inbox, [Symbol.asyncDispose]: () => connection.stop() };
}

const env = { ...process.env, PATH: `${npxFolder}:${process.env['PATH']}` };
const run = (words: readonly string[], input = '') =>
  new Promise<{ code: unknown; err: string; out: string }>(resolve => {
    const child = execFile(process.execPath, [main, ...words], { cwd: root, env }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, err, out }),
    );
    child.stdin!.write(input);
  });
const choiceOf = (field: object): unknown => (field as { choices?: readonly { value: string }[] }).choices?.[0]?.value;
const textOf = (outcome: object): string => JSON.stringify(outcome);
const commandOf = (...words: readonly string[]) => ['--', process.execPath, ...words];

describe.each(eras)('a host of %s', era => {
  it.each(few(eras, era === '2025-11-25' ? '2026-07-28' : '2025-11-25'))(
    'the notes server of %s asks which note through the bridge, inside the host’s root',
    async upstreamEra => {
      const notes = samples();
      await using on = await host(['--era', upstreamEra, ...commandOf(main, 'notes')], { era, root: notes });
      const call = on.connection.run({ kind: 'tool', name: 'notes_delete', arguments: { title: 'TPS report' } });
      expect(textOf(await call.outcome)).toContain('Deleted TPS report');
      expect(
        ['2023', '2024', '2025'].filter(year => existsSync(join(notes, 'work', year, 'tps-report.md'))),
      ).toHaveLength(2);
      expect(readdirSync(join(notes, '.trash'))).toHaveLength(1);
    },
  );
});

describe.each(few(eras, '2025-11-25'))('a host of %s before a server of other people', era => {
  const everything = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');

  it.each(
    some(
      [
        ['trigger-elicitation-request', [], { action: 'decline' }, 'User declined'],
        ['trigger-url-elicitation', ['url=https://example.org/x'], { action: 'accept' }, 'URL: https://example.org/x'],
      ],
      1,
    ),
  )('the bridge passes the question of %s on, and its answer back', async (tool, given, answer, said) => {
    const answers = join(folder(), 'answers.json');
    writeFileSync(answers, JSON.stringify([answer]));
    const bridge = [process.execPath, main, 'bridge', '--trust-host', '--', process.execPath, everything];
    const { out } = await run([
      'call',
      tool,
      ...given,
      ...patient,
      '--era',
      era,
      '--answers',
      answers,
      '--',
      ...bridge,
    ]);
    expect(out).toContain(said);
  });
});

it('the bridge stands in an mcp.json as the documents have it', async () => {
  const file = join(root, 'examples/docs/bridge.mcp.json');
  const words = ['call', 'notes_search', 'query=boiler', '--config', file, ...patient];
  const { out } = await run(words);
  expect(out).toContain('Boiler service');
});

/** A server of the test's own, of few lines, over standard input and output. */
function server(body: string, first = ''): string {
  const file = join(folder(), 'server.mjs');
  writeFileSync(
    file,
    `import { createInterface } from 'node:readline';
${first}
const send = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line);
  const reply = result => send({ id, result });
  const fail = (code, message) => send({ id, error: { code, message } });
  const initialized = () => reply({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } });
  ${body}
});
`,
  );
  return file;
}

it('a bridge tells a server that cannot read URL mode of forms alone', async () => {
  const file = server(`
  if (method === 'initialize') {
    const known = Object.keys(params.capabilities.elicitation ?? {}).every(mode => mode === 'form');
    if (known) initialized(); else fail(-32602, 'unknown field: url');
  } else if (method === 'tools/list') reply({ tools: [{ name: 'hello', inputSchema: { type: 'object' } }] });
  else if (method === 'tools/call') reply({ content: [{ type: 'text', text: 'hello' }] });
  else if (id !== undefined) fail(-32601, 'unknown');`);
  await using on = await host(commandOf(file), {});
  expect(textOf(await on.connection.run({ kind: 'tool', name: 'hello' }).outcome)).toContain('hello');
  expect(on.connection.stderr.join()).toContain('only forms are declared to it');
});

it('the bridge says that the upstream server died, and starts it again for the next call', async () => {
  const file = server(`
  if (method === 'initialize') initialized();
  else if (method === 'tools/call' && params.name === 'die') { process.stderr.write('out of paper\\n'); process.exit(7); }
  else if (method === 'tools/call') reply({ content: [{ type: 'text', text: 'alive' }] });
  else if (method === 'tools/list') reply({ tools: [] });
  else if (id !== undefined) fail(-32601, 'unknown');`);
  await using on = await host(commandOf(file), {});
  const died = await on.connection.run({ kind: 'tool', name: 'die' }).outcome;
  expect(died).toMatchObject({ how: 'tool-error' });
  expect(textOf(died)).toMatch(/The server '[^']+' has stopped\. Whoever runs this bridge/u);
  expect(textOf(died)).not.toContain('out of paper');
  expect(on.connection.stderr.join()).toContain('It last said: out of paper');
  expect(textOf(await on.connection.run({ kind: 'tool', name: 'live' }).outcome)).toContain('alive');
});

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'host', version: '1' } },
};

it('the bridge ends with 3, and says why, where the upstream server cannot be started', async () => {
  const { code, err, out } = await run(['bridge', '--', 'no-such-program-7'], `${JSON.stringify(hello)}\n`);
  expect([code, out]).toEqual([3, '']);
  expect(err).toContain("there is no program 'no-such-program-7' on this machine.");
});

/**
 * Servers that do not mind the end of their standard input, as some do not. Each holds a connection to the test for as long as
 * its process lives.
 */
async function stubborn(body: string) {
  const living = new Set<Socket>();
  const told = new EventEmitter();
  const register = createServer(socket => {
    living.add(socket);
    socket
      .on('error', () => {})
      .on('close', () => {
        living.delete(socket);
        told.emit('change');
      });
    told.emit('change');
  });
  await new Promise<void>(resolve => register.listen(0, '127.0.0.1', resolve));
  const { port } = register.address() as AddressInfo;
  const until = async (so: () => boolean) => {
    while (!so()) await once(told, 'change');
  };
  return {
    file: server(
      body,
      `import { connect } from 'node:net';\nconnect(${port}, '127.0.0.1').on('close', () => process.exit());`,
    ),
    started: () => until(() => living.size > 0),
    gone: () => until(() => living.size === 0),
    async [Symbol.asyncDispose]() {
      // Of a test that fails, a server is left.
      for (const socket of living) socket.destroy();
      await new Promise(resolve => register.close(resolve));
    },
  };
}

it('the bridge takes the upstream server with it when the host goes', async () => {
  await using upstream = await stubborn(
    'if (method === "initialize") initialized(); else if (id !== undefined) fail(-32601, "unknown");',
  );
  {
    await using on = await host(commandOf(upstream.file), {});
    expect(on.connection.state).toBe('ready');
    await upstream.started();
  }
  await upstream.gone();
});

it.each([
  ['goes', (child: ChildProcess) => child.stdin!.end()],
  ['sends it SIGTERM', (child: ChildProcess) => child.kill()],
])('the bridge ends, and takes the server with it, when the host %s while that is starting', async (_, leave) => {
  await using upstream = await stubborn('');
  const child = spawn(process.execPath, [main, 'bridge', ...commandOf(upstream.file)], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(child, 'exit');
  child.stdin.write(`${JSON.stringify(hello)}\n`);
  await upstream.started();
  leave(child);
  expect(await ended).toEqual([0, null]);
  await upstream.gone();
});

it.each(some(['SIGTERM', 'SIGHUP', 'SIGINT']))(
  'a %s ends the process and a server that was started early and not yet taken over (early-server-E2)',
  async signal => {
    await using upstream = await stubborn('');
    // Nothing else is loaded, so that the server is never taken over.
    const early = pathToFileURL(join(root, 'packages/midcall/dist/cli/early-server.js')).href;
    const script = `import { startEarlyServer } from '${early}'; startEarlyServer(process.argv.slice(1));`;
    const words = ['--input-type=module', '-e', script, '--', process.execPath, upstream.file];
    const child = spawn(process.execPath, words, { stdio: ['pipe', 'ignore', 'ignore'] });
    const ended = once(child, 'exit');
    await upstream.started();
    child.kill(signal);
    expect(await ended).toEqual([0, null]);
    await upstream.gone();
  },
);

it('the bridge starts the server before its host has said anything, and ends it when the host goes without a word', async () => {
  await using upstream = await stubborn('');
  const child = spawn(process.execPath, [main, 'bridge', ...commandOf(upstream.file)], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(child, 'exit');
  await upstream.started();
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
  await upstream.gone();
});

it('the bridge answers a ping that comes before anything else', async () => {
  const child = spawn(process.execPath, [main, 'bridge', ...commandOf(main, 'notes')], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const lines = createInterface({ input: child.stdout });
  child.stdin.write('{"jsonrpc":"2.0","id":"p","method":"ping"}\n');
  expect(JSON.parse(String((await once(lines, 'line'))[0]))).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
  child.stdin.write(`${JSON.stringify(hello)}\n`);
  expect(JSON.parse(String((await once(lines, 'line'))[0]))).toMatchObject({ id: 1, result: { capabilities: {} } });
  child.stdin.end();
  await once(child, 'exit');
});

it('the bridge passes a result of 12 MB on', async () => {
  const file = server(`
  if (method === 'initialize') initialized();
  else if (method === 'tools/call') reply({ content: [{ type: 'text', text: 'x'.repeat(12_000_000) }] });
  else if (method === 'tools/list') reply({ tools: [] });
  else if (id !== undefined) fail(-32601, 'unknown');`);
  const child = spawn(process.execPath, [main, 'bridge', ...commandOf(file)], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout });
  child.stdin.write(`${JSON.stringify(hello)}\n`);
  await once(lines, 'line');
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'large', arguments: {} } };
  child.stdin.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}\n${JSON.stringify(call)}\n`);
  const [line] = await once(lines, 'line');
  expect(JSON.parse(String(line)).result.content[0].text).toHaveLength(12_000_000);
  child.stdin.end();
  await once(child, 'exit');
});
