/** Real replicas over a real Redis, each of which is started again when it dies, behind round robin. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type RedisServer, startRedisIn } from '../stores/redis-server.ts';
import { whatRedisHas } from './what-redis-has.ts';

export interface KilledFleet {
  /** One address, behind which each request goes to the next replica; sent again as a balancer does. */
  readonly fetch: typeof fetch;
  readonly redis: RedisServer;
  /** Lines of the ledger. */
  effects(): readonly string[];
  /** Kills a replica with SIGKILL; resolves when it is dead. It comes back by itself. */
  kill(at: number): Promise<void>;
  /** Kills Redis with SIGKILL and starts it again on the same file. */
  killRedis(): Promise<void>;
  /** What the replicas and Redis are doing, for whoever wonders why nothing goes on. */
  report(): Promise<string>;
  /** Ends a replica with SIGTERM, and starts another version of it in its place. */
  update(at: number, release: string): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const script = fileURLToPath(new URL('./soak-replica.mjs', import.meta.url));
/** How long a request waits for a replica that starts again, in milliseconds: on however busy a machine; and how often it tries. */
const REQUEST_MS = 3_600_000;
const PAUSE_MS = 100;

interface Slot {
  port: string;
  release: string;
  child: ChildProcess | undefined;
  ready: Promise<void>;
  /** How often it was started, and what it wrote to standard error last. */
  starts: number;
  said: readonly string[];
}

export interface KilledFleetOptions {
  /** Milliseconds after which a replica that shows no sign is taken to be dead; 2,000 if absent. */
  readonly presenceMs?: number;
  /** Of Redis, besides those of this process. */
  readonly environment?: NodeJS.ProcessEnv;
}

export async function startKilledFleet(
  count: number,
  { presenceMs = 2_000, environment = {} }: KilledFleetOptions = {},
): Promise<KilledFleet> {
  const redis = await startRedisIn(environment, '--appendfsync', 'always', '--maxmemory-policy', 'noeviction');
  const folder = mkdtempSync(join(tmpdir(), 'midcall-killed-'));
  const ledger = join(folder, 'ledger.txt');
  writeFileSync(ledger, '');
  const env = { ...process.env, MIDCALL_KEY: randomBytes(32).toString('base64') };
  const slots: Slot[] = Array.from({ length: count }, () => ({
    port: '0',
    release: '1',
    child: undefined,
    ready: Promise.resolve(),
    starts: 0,
    said: [],
  }));
  let closing = false;
  let next = 0;

  const start = (slot: Slot): Promise<void> => {
    slot.ready = new Promise(resolve => {
      const args = [script, redis.socket, ledger, slot.port, slot.release, String(presenceMs)];
      const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
      createInterface({ input: child.stderr }).on('line', line => {
        slot.said = [...slot.said, line].slice(-10);
      });
      slot.child = child;
      slot.starts += 1;
      createInterface({ input: child.stdout }).once('line', line => {
        slot.port = line;
        resolve();
      });
      child.once('exit', () => {
        if (!closing) void start(slot).then(resolve);
      });
    });
    return slot.ready;
  };
  await Promise.all(slots.map(start));

  const balanced: typeof fetch = async (_, init) => {
    for (const until = Date.now() + REQUEST_MS; ; ) {
      const slot = slots[next % count]!;
      next += 1;
      try {
        const response = await fetch(`http://127.0.0.1:${slot.port}/mcp`, init);
        if (response.status !== 503 || Date.now() > until) return response;
        await response.body?.cancel();
      } catch (error) {
        if (closing || init?.signal?.aborted || Date.now() > until) throw error;
      }
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS));
    }
  };

  return {
    fetch: balanced,
    redis,
    effects: () => readFileSync(ledger, 'utf8').split('\n').filter(Boolean),
    async kill(at) {
      const slot = slots[at]!;
      await slot.ready;
      const { child } = slot;
      if (!child || child.exitCode !== null) return;
      const dead = once(child, 'exit');
      child.kill('SIGKILL');
      await dead;
    },
    async killRedis() {
      await redis.kill();
      await redis.start();
    },
    async report() {
      const replicas = slots.map(({ child, port, starts, said }, at) =>
        [`replica ${at}: process ${child?.pid}, port ${port}, started ${starts} times`, ...said].join('\n  '),
      );
      return [...replicas, await whatRedisHas(redis)].join('\n');
    },
    async update(at, release) {
      const slot = slots[at]!;
      await slot.ready;
      slot.release = release;
      const ended = once(slot.child!, 'exit');
      slot.child!.kill('SIGTERM');
      await ended;
      await slot.ready;
    },
    async [Symbol.asyncDispose]() {
      closing = true;
      const ended = slots.map(({ child }) => child && (child.exitCode ?? child.signalCode ?? once(child, 'exit')));
      for (const { child } of slots) child?.kill('SIGKILL');
      await Promise.all(ended);
      await redis.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
