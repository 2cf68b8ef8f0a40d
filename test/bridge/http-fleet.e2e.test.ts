/** Two processes of `midcall bridge --http --redis` behind one address, which takes turns between them. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Era, eras, negotiation } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../fixtures/grown.ts';
import { few, some } from '../fixtures/soak.ts';
import { fleetKey } from '../fleet/replicas.ts';
import { type RedisServer, redisServer, startRedis } from '../stores/redis-server.ts';

const main = fileURLToPath(new URL('../../packages/midcall/bin/midcall.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'bridge-fleet-'));
const endless = 2 ** 31 - 1;

/** A server that says which process it is and which started it, asks, and has a tool that never ends. */
const server = join(folder, 'server.mjs');
writeFileSync(
  server,
  `import { createInterface } from 'node:readline';
const send = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const asked = new Map();
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params, result: answer } = JSON.parse(line);
  const reply = result => send({ id, result });
  const text = text => ({ content: [{ type: 'text', text }] });
  if (method === 'initialize') reply({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'who', version: '1' } });
  else if (method === 'tools/list') reply({ tools: ['who', 'ask', 'hang'].map(name => ({ name, inputSchema: { type: 'object' } })) });
  else if (params?.name === 'who') reply(text(process.pid + ' of ' + process.ppid));
  else if (params?.name === 'hang') send({ method: 'notifications/progress', params: { progressToken: params._meta.progressToken, progress: 1 } });
  else if (params?.name === 'ask') {
    asked.set('q' + id, id);
    const requestedSchema = { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] };
    send({ id: 'q' + id, method: 'elicitation/create', params: { message: 'Which colour?', requestedSchema } });
  } else if (method === undefined) send({ id: asked.get(id), result: text('It is ' + answer.content.colour + '.') });
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'unknown' } });
});
`,
);

const started: ChildProcess[] = [];
let redis: RedisServer;
beforeAll(async () => {
  if (redisServer) redis = await startRedis();
});
afterEach(async () => {
  await Promise.all(started.splice(0).map(child => end({ child }, 'SIGKILL')));
  const client = redis?.connect();
  await client?.flushall();
  client?.disconnect();
});
afterAll(() => redis?.remove());

interface RunningBridge {
  readonly child: ChildProcess;
  readonly url: string;
  readonly said: string[];
}

async function bridge(words: readonly string[] = []): Promise<RunningBridge> {
  const child = spawn(
    process.execPath,
    [main, 'bridge', '--http', '0', '--redis', redis.socket, '--trust-host', ...words, '--', process.execPath, server],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, MIDCALL_KEY: fleetKey } },
  );
  started.push(child);
  const said: string[] = [];
  const lines = createInterface({ input: child.stderr! });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(said.join('\n'))));
    lines.on('line', line => {
      said.push(line);
      const at = /^midcall bridge: serving .* at (\S+)$/u.exec(line)?.[1];
      if (at !== undefined) resolve(at);
    });
  });
  return { child, url, said };
}

/** Each request goes to the next bridge that runs. */
function inTurn(bridges: readonly RunningBridge[]): typeof fetch {
  let n = 0;
  return (_, init) => {
    const running = bridges.filter(({ child }) => child.exitCode === null && child.signalCode === null);
    n += 1;
    return fetch(running[n % running.length]!.url, init);
  };
}

async function host(bridges: readonly RunningBridge[], era: Era, token?: string) {
  const client = new Client(
    { name: 'host', version: '1' },
    { capabilities: { elicitation: {} }, versionNegotiation: negotiation(era) },
  );
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { colour: 'teal' } }));
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL('http://bridges.invalid/mcp'), {
    fetch: inTurn(bridges),
    requestInit: { headers },
  });
  await client.connect(transport, { timeout: endless });
  const call = async (name: string): Promise<string> => {
    const { content } = await client.callTool({ name }, { timeout: endless });
    return (content as { text: string }[])[0]!.text;
  };
  return { client, call };
}

/** The bridge that started the server which says who it is. */
const ownerOf = (bridges: readonly RunningBridge[], who: string): RunningBridge =>
  bridges.find(({ child }) => who.endsWith(` of ${child.pid}`))!;

async function end({ child }: Pick<RunningBridge, 'child'>, signal: NodeJS.Signals): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return undefined;
  const ended = once(child, 'exit');
  child.kill(signal);
  return ended;
}

describe.skipIf(!redisServer).each(few(eras, '2025-11-25'))('several bridges on one Redis, and hosts of %s', era => {
  it('several bridges have one server process and answer its questions, whichever bridge a request comes to', async () => {
    const bridges = await Promise.all([bridge(), bridge()]);
    const [one, other] = [await host(bridges, era), await host(bridges, era)];
    const who = [await one.call('who'), await other.call('who'), await one.call('who'), await one.call('who')];
    expect(new Set(who).size).toBe(1);
    // One after the other: nothing on the wire says which of two calls a question of this server belongs to.
    for (const { call } of [one, other, one]) expect(await call('ask')).toBe('It is teal.');
    await Promise.all([one, other].map(({ client }) => client.close()));
    expect(await Promise.all(bridges.map(each => end(each, 'SIGTERM')))).toEqual([
      [0, null],
      [0, null],
    ]);
  });

  it('hosts go on at another bridge when one is killed; the call that it ran ends with an error', async () => {
    const bridges = await Promise.all([bridge(), bridge()]);
    const { call } = await host(bridges, era);
    const before = await call('who');
    const owner = ownerOf(bridges, before);
    // A client of 2026-07-28 whose own connection is cut is told nothing by its SDK; this one has it to the other bridge.
    const { client } = await host(
      bridges.filter(each => each !== owner || era === '2025-11-25'),
      era,
    );
    let began = (): void => {};
    const begun = new Promise<void>(resolve => {
      began = resolve;
    });
    const hanging = client.callTool({ name: 'hang' }, { timeout: endless, onprogress: () => began() }).then(
      result => (result.isError ? JSON.stringify(result.content) : 'It ended well.'),
      (error: Error) => error.message,
    );
    await begun;
    await end(owner, 'SIGKILL');
    const after = await call('who');
    expect(after).not.toBe(before);
    expect(ownerOf(bridges, after).child.exitCode).toBeNull();
    expect(await hanging).toContain('what took effect');
    expect(await call('ask')).toBe('It is teal.');
  });

  it('bridges leave their servers to the others when they are ended, and hosts notice nothing', async () => {
    const bridges = await Promise.all([bridge(), bridge()]);
    const { call } = await host(bridges, era);
    const before = await call('who');
    const first = ownerOf(bridges, before);
    expect(await end(first, 'SIGTERM')).toEqual([0, null]);
    const after = await call('who');
    expect(ownerOf(bridges, after)).toBe(bridges.find(each => each !== first));
    expect(await call('ask')).toBe('It is teal.');
  });

  it('bridges keep the servers of each principal to that principal, and refuse who has no token at any of them', async () => {
    const [ada, alan] = ['Tq8-token-of-ada-behind-two-bridges-Zr53', 'Ln2-token-of-alan-behind-two-bridges-Hd64'];
    const auth = join(folder, `${era}-auth.json`);
    const tokens = [
      { token: ada, principal: 'ada' },
      { token: alan, principal: 'alan' },
    ];
    writeFileSync(auth, JSON.stringify({ tokens }), { mode: 0o600 });
    const bridges = await Promise.all([bridge(['--auth', auth]), bridge(['--auth', auth])]);
    const hosts = await Promise.all([ada, ada, alan].map(token => host(bridges, era, token)));
    const who = [];
    for (const { call } of [...hosts, ...hosts]) who.push(await call('who'));
    expect([who[0], who[1], who[2]]).toEqual([who[0], who[0], who[5]]);
    expect(new Set(who).size).toBe(2);
    for (const each of bridges) await expect(host([each], era)).rejects.toThrow();
    // Neither a token nor an address can be read in Redis.
    const client = redis.connect();
    const values = await Promise.all((await client.keys('midcall:bridge:at:*')).map(key => client.get(key)));
    client.disconnect();
    expect(values).toHaveLength(2);
    expect(values.join()).not.toContain('127.0.0.1');
  });
});

it.skipIf(!redisServer)('bridges refuse requests while Redis is away, and serve again when it is back', async () => {
  const bridges = [await bridge()];
  const { call } = await host(bridges, '2026-07-28');
  const before = await call('who');
  await redis.stop();
  await expect(call('who')).rejects.toThrow('This bridge cannot serve now. This bridge has begun nothing.');
  await redis.start();
  let after = '';
  await eventually(async () => {
    after = await call('who').catch(() => '');
    return after !== '';
  });
  expect(after).toBe(before);
});

describe('bridges on one Redis say what they need', () => {
  const run = (...words: readonly string[]) =>
    new Promise<{ readonly code: unknown; readonly err: string }>(resolve => {
      const env = { ...process.env, MIDCALL_KEY: '', MIDCALL_KEY_FILE: '' };
      execFile(process.execPath, [main, 'bridge', ...words, '--', 'x'], { env }, (error, _, err) =>
        resolve({ code: error?.code ?? 0, err }),
      );
    });
  it.each(
    some(
      [
        [
          'a key',
          ['--http', '0', '--redis', 'redis://redis.invalid'],
          'needs a key that all bridges share, in MIDCALL_KEY',
        ],
        [
          'an address of a Redis',
          ['--http', '0', '--redis', 'http://:Vb5-secret@redis'],
          '--redis must be an address such as',
        ],
        [
          'to be reached by the others',
          ['--http', '0', '--redis', '/r', '--host', '0.0.0.0'],
          'name one with --peer-url',
        ],
        ['--http', ['--redis', '/r'], '--redis needs --http'],
        ['--redis for a peer', ['--http', '0', '--peer-url', 'https://b.example'], '--peer-url needs --redis'],
      ],
      3,
    ),
  )('a bridge that shares a Redis says that it needs %s', async (_, words, said) => {
    const { code, err } = await run(...words);
    expect(code).toBe(2);
    expect(err).toContain(said);
    expect(err).not.toContain('Vb5-secret');
  });
});
