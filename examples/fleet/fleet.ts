/**
 * A Redis, several replicas and a balancer, on this machine. What dies is started again after half a second. Writes a line of
 * JSON for each process that has started, and one when the whole is ready.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-port.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { hasHaproxy, startHaproxy } from './haproxy.ts';

export interface FleetExample {
  readonly replicas: number;
  /** Of the balancer; 0 takes a free one. */
  readonly port: number;
  /** The file that `charge` writes. */
  readonly ledger: string;
}

const RESTART_MS = 500;
/** How long a replica has to drain. */
const STOP_MS = 15_000;

/** Resolves when the fleet was told to stop and everything has ended. */
export async function runFleet({ replicas, port, ledger }: FleetExample): Promise<void> {
  const program = [process.env['MIDCALL_REDIS_SERVER'], '/usr/bin/redis-server', '/usr/local/bin/redis-server'].find(
    path => path !== undefined && existsSync(path),
  );
  if (!program)
    throw new Error('This example needs redis-server. Install it, or set MIDCALL_REDIS_SERVER to its path.');
  const folder = mkdtempSync(join(tmpdir(), 'midcall-fleet-'));
  const socket = join(folder, 'redis.sock');
  /** By what they are, so that replicas end before what they need. */
  const children = new Map<ChildProcess, string>();
  const env = { ...process.env, MIDCALL_KEY: process.env['MIDCALL_KEY'] ?? randomBytes(32).toString('base64') };
  let stopping = false;
  let balancer: Balancer | undefined;

  /** Starts a process, and again whenever it ends. @returns what `started` says the first time */
  const keep = <T>(role: string, command: () => readonly string[], started: (line: string) => T | undefined) =>
    new Promise<T>(resolve => {
      const start = (): void => {
        if (stopping) return;
        const [file = '', ...args] = command();
        const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
        children.set(child, role);
        const lines = createInterface({ input: child.stdout });
        lines.on('line', line => {
          const found = started(line);
          if (found === undefined) return;
          tell({ role, pid: child.pid });
          resolve(found);
        });
        child.once('exit', () => {
          children.delete(child);
          setTimeout(start, RESTART_MS);
        });
      };
      start();
    });

  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    const replicas = [...children].filter(([, role]) => role === 'replica').map(([child]) => child);
    const rest = (): void => {
      balancer?.stop();
      for (const child of children.keys()) child.kill('SIGTERM');
    };
    if (replicas.length === 0) rest();
    for (const child of replicas) {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      child.once('exit', () => {
        clearTimeout(late);
        if (![...children.values()].includes('replica')) rest();
      });
    }
  };
  // npm ends without telling what it runs.
  const starter = process.ppid;
  process.once('SIGTERM', stop).once('SIGINT', stop);
  // Where whoever started this is gone, nothing is left behind.
  process.stdout.once('error', stop);
  const orphaned = setInterval(() => {
    if (process.ppid !== starter) stop();
  }, RESTART_MS);

  try {
    const settings = ['--port', '0', '--unixsocket', socket, '--dir', folder, '--save', '', '--appendonly', 'yes'];
    // What was acknowledged is on the disk, also where Redis is killed.
    const kept = [
      '--appendfsync',
      'always',
      '--maxmemory-policy',
      'noeviction',
      '--stream-node-max-bytes',
      '256',
      '--hash-max-listpack-value',
      '1024',
    ];
    const redis = [program, ...settings, ...kept];
    await keep(
      'redis',
      () => redis,
      line => (/ready to accept connections/i.test(line) ? true : undefined),
    );
    const loader = fileURLToPath(new URL('../../tools/load-typescript.mjs', import.meta.url));
    const script = fileURLToPath(new URL('./replica.ts', import.meta.url));
    const ports = await Promise.all(
      Array.from({ length: replicas }, () => {
        // The same port after each restart, so that the balancer finds it.
        let own = '0';
        return keep(
          'replica',
          () => [process.execPath, '--import', loader, script, socket, ledger, own],
          line => {
            if (!/^\d+$/.test(line)) return undefined;
            own = line;
            return Number(line);
          },
        );
      }),
    );
    const free = await freePort(port);
    balancer = hasHaproxy() ? await startHaproxy(free, ports, folder) : await startBalancer(free, ports);
    tell({ ready: `http://127.0.0.1:${balancer.port}/mcp` });
  } catch (error) {
    stop();
    throw error;
  } finally {
    await new Promise<void>(resolve => {
      const look = setInterval(() => {
        if (!stopping || children.size > 0) return;
        clearInterval(look);
        resolve();
      }, 50);
    });
    clearInterval(orphaned);
    rmSync(folder, { recursive: true, force: true });
  }
}

const tell = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
