/** The example of several replicas, as it is started by its users: every replica is killed while questions are open. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasHaproxy } from '../../examples/fleet/haproxy.ts';
import { eventually, grown } from '../fixtures/grown.ts';
import { few } from '../fixtures/soak.ts';
import { redisServer } from '../stores/redis-server.ts';

type Line = { readonly role: 'replica' | 'redis'; readonly pid: number } | { readonly ready: string };
type Answer = { action: 'accept'; content: { confirm: boolean } };

const root = fileURLToPath(new URL('../..', import.meta.url));
const ledger = join(mkdtempSync(join(tmpdir(), 'midcall-fleet-test-')), 'ledger.txt');
const lines: Line[] = [];
const replicasIn = (list: readonly Line[]) =>
  list.flatMap(line => ('role' in line && line.role === 'replica' ? [line.pid] : []));
const isReady = (list: readonly Line[]) => list.some(line => 'ready' in line);
let fleet: ReturnType<typeof spawn> | undefined;

beforeAll(async () => {
  if (!redisServer) return;
  const args = ['run', '--silent', 'example', '--', 'fleet', '--replicas', '4', '--port', '0', '--ledger', ledger];
  fleet = spawn('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  createInterface({ input: fleet.stdout! }).on('line', line => void lines.push(JSON.parse(line) as Line));
  await grown(lines, isReady);
});

afterAll(async () => {
  if (!fleet) return;
  const said = new Promise(resolve => fleet!.stdout!.once('close', resolve));
  fleet.kill('SIGTERM');
  // npm is gone at once; what it ran drains, and leaves nothing behind.
  await said;
  await eventually(() => lines.every(line => 'ready' in line || !isRunning(line.pid)));
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A client of one kind, whose person answers when told to. */
async function connect(kind: string, url: URL, asked: string[]) {
  let give!: (answer: Answer) => void;
  const ask = (message: string): Promise<Answer> => {
    asked.push(message);
    return new Promise(resolve => {
      give = resolve;
    });
  };
  const args = { name: 'charge', arguments: { amount: 7, order: `order-${kind}` } };
  const answer = () => give({ action: 'accept', content: { confirm: true } });
  const timeout = { timeout: 600_000 };
  if (kind === 'v1') {
    const client = new ClientV1({ name: kind, version: '1.0.0' }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ask(params.message));
    await client.connect(new TransportV1(url) as never);
    return { answer, call: client.callTool(args, undefined, timeout), close: () => client.close() };
  }
  const client = new Client(
    { name: kind, version: '1.0.0' },
    {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode: kind === 'v2-2026' ? { pin: '2026-07-28' } : 'legacy' },
    },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => ask(params.message));
  await client.connect(new StreamableHTTPClientTransport(url));
  return { answer, call: client.callTool(args, timeout), close: () => client.close() };
}

it.skipIf(!redisServer || !hasHaproxy())(
  'all four replicas are killed while clients of SDK v1 and v2, in both eras, are asked: each call is finished, each order charged once',
  async () => {
    const ready = lines.find(line => 'ready' in line) as { readonly ready: string };
    expect(lines.filter(line => 'role' in line && line.role === 'redis')).toHaveLength(1);
    expect(replicasIn(lines)).toHaveLength(4);
    const asked: string[] = [];
    const kinds = ['v1', 'v2-2025', 'v2-2026'];
    const clients = [];
    for (const kind of kinds) clients.push(await connect(kind, new URL(ready.ready), asked));
    await grown(asked, list => list.length === kinds.length);
    for (const pid of replicasIn(lines)) process.kill(pid, 'SIGKILL');
    await grown(lines, list => replicasIn(list).length === 8);
    for (const { answer } of clients) answer();
    const results = await Promise.all(clients.map(({ call }) => call));
    expect(results.map(({ content }) => content)).toEqual(kinds.map(() => [{ type: 'text', text: 'Charged 7.' }]));
    expect(asked).toHaveLength(kinds.length);
    expect(readFileSync(ledger, 'utf8').trim().split('\n').sort()).toEqual(kinds.map(kind => `order-${kind} 7`).sort());
    for (const { close } of clients) await close();
  },
);

/** `midcall call` in a second terminal, whose person answers in plain lines when told to. */
function secondTerminal(url: string, era: string, order: string) {
  const words = ['call', '--plain', '--era', era, '--url', url, 'charge', 'amount=7', `order=${order}`];
  const child = spawn(process.execPath, ['packages/midcall/bin/midcall.js', ...words], { cwd: root });
  const shown: string[] = [];
  const show = (data: Buffer) => void shown.push(String(data));
  child.stdout.on('data', show);
  child.stderr.on('data', show);
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve));
  return {
    ended,
    text: () => shown.join(''),
    /** Resolves when this has come so many times. */
    until: (text: string, times = 1) => grown(shown, list => list.join('').split(text).length > times),
    type: (line: string) => child.stdin.write(`${line}\n`),
  };
}

it.skipIf(!redisServer || !hasHaproxy()).each(few(['2025-11-25', '2026-07-28'], '2025-11-25'))(
  'midcall call is the second terminal, %s: every replica is killed while its person reads, and the order is charged once',
  async era => {
    const { ready } = lines.find(line => 'ready' in line) as { readonly ready: string };
    const order = `terminal-${era}`;
    const terminal = secondTerminal(ready, era, order);
    await terminal.until('Number or name: ');
    expect(terminal.text()).toContain(`Charge 7 for order ${order}?`);
    const before = replicasIn(lines);
    for (const pid of before.slice(-4)) process.kill(pid, 'SIGKILL');
    await grown(lines, list => replicasIn(list).length === before.length + 4);
    for (const [at, line] of ['1', '1', '1'].entries()) {
      await terminal.until('Number or name: ', at + 1);
      terminal.type(line);
    }
    expect(await terminal.ended).toBe(0);
    expect(terminal.text()).toContain('Charged 7.');
    expect(
      readFileSync(ledger, 'utf8')
        .split('\n')
        .filter(each => each.startsWith(`${order} `)),
    ).toEqual([`${order} 7`]);
  },
);
