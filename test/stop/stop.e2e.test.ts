/**
 * SIGTERM to servers, bridges and desks with calls in progress: all results arrive, and whatever cannot end says so. No test waits for
 * time to pass but for the time that the stop was given.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Era, eras, negotiation } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../fixtures/grown.ts';
import { few } from '../fixtures/soak.ts';
import { fleetKey } from '../fleet/replicas.ts';
import { type RedisServer, redisServer, startRedis } from '../stores/redis-server.ts';
import { control } from './control.ts';

const midcall = fileURLToPath(new URL('../../packages/midcall/bin/midcall.js', import.meta.url));
const server = fileURLToPath(new URL('./work-server.mjs', import.meta.url));
const numbers = Array.from({ length: 20 }, (_, n) => String(n));
const home = mkdtempSync(join(tmpdir(), 'stop-'));
const env = {
  ...process.env,
  HOME: home,
  XDG_CONFIG_HOME: home,
  XDG_STATE_HOME: home,
  MIDCALL_KEY: fleetKey,
} as Record<string, string>;

let redis: RedisServer | undefined;
beforeAll(async () => {
  if (redisServer) redis = await startRedis();
});
afterAll(() => redis?.remove());

type Result = Awaited<ReturnType<Client['callTool']>>;
const said = ({ content }: Result): string => (content as { text: string }[])[0]!.text;

interface Stage {
  readonly client: Client;
  readonly pid: number;
  /** Resolves with its exit code. */
  readonly exit: Promise<number | null>;
}

const clientOf = (era: Era, asked?: () => void): Client => {
  const client = new Client(
    { name: 'stop', version: '1.0.0' },
    { capabilities: asked ? { elicitation: {} } : {}, versionNegotiation: negotiation(era) },
  );
  client.onerror = () => {};
  if (asked)
    client.setRequestHandler('elicitation/create', () => {
      asked();
      return new Promise(() => {});
    });
  return client;
};

function exitOf(child: ChildProcess): Promise<number | null> {
  onTestFinished(() => void child.kill('SIGKILL'));
  return once(child, 'exit').then(([code]) => code as number | null);
}

async function overStdio(era: Era, words: readonly string[], asked?: () => void): Promise<Stage> {
  const transport = new StdioClientTransport({ command: process.execPath, args: [...words], env, stderr: 'ignore' });
  const client = clientOf(era, asked);
  await client.connect(transport);
  const child = (transport as unknown as { readonly _process: ChildProcess })._process;
  return { client, pid: child.pid!, exit: exitOf(child) };
}

async function overHttp(era: Era, words: readonly string[], asked?: () => void): Promise<Stage> {
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = exitOf(child);
  const url = await new Promise<string>(resolve => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream! }).on('line', line => {
        const at = /^(?:midcall \w+: serving .* at )?(http:\S+)$/u.exec(line)?.[1];
        if (at !== undefined) resolve(at);
      });
  });
  const client = clientOf(era, asked);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return { client, pid: child.pid!, exit };
}

/** Resolves once a new call is refused. */
async function refuses({ client }: Stage): Promise<void> {
  for (;;) {
    try {
      const echo = await client.callTool({ name: 'echo', arguments: { n: 'x' } });
      if (said(echo) !== 'echo x') return expect(said(echo)).toMatch(/stopping/u);
    } catch (error) {
      expect(String(error)).toMatch(/stopping|cannot serve now/u);
      return;
    }
  }
}

const direct = (carrier: 'stdio' | 'http', address: string, within = 100_000): string[] => [
  server,
  address,
  carrier,
  String(within),
];
const bridged = (address: string, ...options: string[]): string[] => [
  ...[midcall, 'bridge', ...options, '--', process.execPath],
  ...direct('stdio', address),
];

const ways: [string, (era: Era, address: string, asked?: () => void) => Promise<Stage>][] = [
  ['a server over stdio', (era, address, asked) => overStdio(era, direct('stdio', address), asked)],
  ['a server over HTTP', (era, address, asked) => overHttp(era, direct('http', address), asked)],
  ['a bridge over stdio', (era, address, asked) => overStdio(era, bridged(address), asked)],
  ['a bridge over HTTP', (era, address, asked) => overHttp(era, bridged(address, '--http', '0'), asked)],
];
if (redisServer)
  ways.push([
    'a bridge over HTTP with Redis',
    (era, address, asked) => overHttp(era, bridged(address, '--http', '0', '--redis', redis!.socket), asked),
  ]);

describe.each(ways)('%s', (_, start) => {
  it.each(few(eras, '2026-07-28'))(
    'a stop delivers 20 of 20 results of calls in progress, and refuses new ones, on %s',
    async era => {
      const { address, begun, release } = await control();
      const stage = await start(era, address);
      const calls = numbers.map(n => stage.client.callTool({ name: 'work', arguments: { n } }));
      await begun(20);
      process.kill(stage.pid, 'SIGTERM');
      await refuses(stage);
      release();
      expect((await Promise.all(calls)).map(said)).toEqual(numbers.map(n => `done ${n}`));
      expect(await stage.exit).toBe(0);
    },
  );

  it.each(few(eras, '2025-11-25'))('a stop ends at once on a second signal, on %s', async era => {
    const { address, begun } = await control();
    const stage = await start(era, address);
    const call = stage.client.callTool({ name: 'work', arguments: { n: '1' } });
    call.catch(() => {});
    await begun(1);
    process.kill(stage.pid, 'SIGTERM');
    await refuses(stage);
    process.kill(stage.pid, 'SIGTERM');
    // A server of an author is ended by the signal itself.
    expect([130, null]).toContain(await stage.exit);
  });

  it.each(few(eras, '2025-11-25'))(
    'a stop puts a question to rest and ends without waiting for its person, on %s',
    async era => {
      const { address, begun } = await control();
      let tell = (): void => {};
      const asked = new Promise<void>(resolve => {
        tell = resolve;
      });
      const stage = await start(era, address, tell);
      const call = stage.client.callTool({ name: 'ask', arguments: { n: '1' } });
      const ended = call.then(said, String);
      await begun(1);
      await asked;
      process.kill(stage.pid, 'SIGTERM');
      // On 2026-07-28 the round is with the client, whose person has not answered yet.
      if (era === '2025-11-25') expect(await ended).toMatch(/stopped while .* took the question back|answered cancel/u);
      expect(await stage.exit).toBe(0);
    },
  );
});

describe('what cannot end in time', () => {
  it.each(
    few(
      eras.flatMap(era => (['stdio', 'http'] as const).map(carrier => [era, carrier] as const)),
      ['2026-07-28', 'stdio'],
      ['2025-11-25', 'http'],
    ),
  )(
    'a stop says what was done and what is in doubt where calls cannot end in time, on %s over %s',
    async (era, carrier) => {
      const { address, begun } = await control();
      const words = direct(carrier, address, 0);
      const stage = await (carrier === 'http' ? overHttp(era, words) : overStdio(era, words));
      const call = stage.client.callTool({ name: 'work', arguments: { n: '1' } });
      const plain = stage.client.callTool({ name: 'plain', arguments: { n: '2' } }).then(said, String);
      await begun(2);
      process.kill(stage.pid, 'SIGTERM');
      const result = await call;
      expect(result.isError).toBe(true);
      expect(said(result)).toMatch(/Done: prepare\. In doubt: step 'commit'\./u);
      expect(await plain).toMatch(/What it did is in doubt/u);
    },
  );
});

describe('a desk', () => {
  it('a desk that stops records 20 of 20 results of calls in progress, and makes no new ones', async () => {
    const { address, begun, release } = await control();
    const keep = mkdtempSync(join(tmpdir(), 'stop-desk-'));
    const words = [midcall, 'desk', '--port', '0', '--keep', keep, '--', process.execPath, ...direct('stdio', address)];
    const own = mkdtempSync(join(tmpdir(), 'stop-runtime-'));
    const child = spawn(process.execPath, words, {
      env: { ...env, XDG_RUNTIME_DIR: own },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = exitOf(child);
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const link = new URL(/(http\S+)/u.exec(line)![1]!);
    const entered = await fetch(link, { redirect: 'manual' });
    const cookie = entered.headers.get('set-cookie')!.split(';')[0]!;
    const base = new URL(entered.headers.get('location')!, link);
    const at = (path: string): URL => new URL(path, base);
    const page = async (path: string): Promise<string> => (await fetch(at(path), { headers: { cookie } })).text();
    // The server has its name from its file.
    const tool = 'servers/work-server/tools/work';
    let form = '';
    await eventually(async () => {
      form = await page(tool);
      return form.includes('name="f0"');
    });
    const csrf = /name="csrf" value="([^"]+)"/u.exec(form)![1]!;
    const run = (n: string): Promise<Response> =>
      fetch(at(tool), {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, origin: link.origin, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ csrf, f0: n }).toString(),
      });
    for (const n of numbers) await run(n);
    await begun(20);
    child.kill('SIGTERM');
    await eventually(async () => (await (await run('21')).text()).includes('The desk is stopping'));
    release();
    expect(await exit).toBe(0);
    const kept = readFileSync(join(keep, 'calls.jsonl'), 'utf8');
    for (const n of numbers) expect(kept).toContain(`done ${n}"`);
  });
});
