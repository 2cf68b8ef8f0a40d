/** A Redis of our own on a socket in a folder of its own, which can be stopped and started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { freePort } from '../fixtures/free-port.ts';

/** The program, or undefined where this machine has none. */
export const redisServer = [
  process.env['MIDCALL_REDIS_SERVER'],
  '/usr/bin/redis-server',
  '/usr/local/bin/redis-server',
].find(path => path !== undefined && existsSync(path));

export interface RedisServer {
  readonly socket: string;
  /** A client that reconnects at once, and fails a command at the first lost connection. */
  connect(): Redis;
  stop(): Promise<void>;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Lets it do nothing until the returned function is called: connections stay, and no command is answered. */
  freeze(): () => void;
  /** Stops it and removes its folder. */
  remove(): Promise<void>;
}

export const startRedis = (...args: string[]): Promise<RedisServer> => startRedisIn({}, ...args);

/** @param environment - variables besides those of this process */
export async function startRedisIn(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-redis-'));
  const socket = join(folder, 's');
  let child: ChildProcess | undefined;
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  const server: RedisServer = {
    socket,
    connect: () => {
      const client = new Redis({ path: socket, retryStrategy: () => 10, maxRetriesPerRequest: 0 });
      return client.on('error', () => {});
    },
    async start() {
      const settings = ['--port', '0', '--unixsocket', socket, '--dir', folder, '--save', '', '--appendonly', 'yes'];
      const env = { ...process.env, ...environment };
      const started = spawn(redisServer!, [...settings, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      child = started;
      for await (const line of createInterface({ input: started.stdout })) {
        if (!/ready to accept connections/i.test(line)) continue;
        started.stdout.resume();
        return;
      }
      throw new Error('redis-server did not start');
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    freeze() {
      const frozen = child;
      frozen?.kill('SIGSTOP');
      return () => void frozen?.kill('SIGCONT');
    },
    async remove() {
      // SIGTERM is refused by a Redis that writes its first append-only file, as one does that was a replica a moment ago.
      await server.kill();
      // A child that writes its append-only file anew outlives it by a moment.
      await rm(folder, { recursive: true, force: true, maxRetries: 50 });
    },
  };
  try {
    await server.start();
  } catch (error) {
    await server.remove();
    throw error;
  }
  return server;
}

/** A Redis that listens on a port of this machine as well. */
export async function startRedisAtPort(
  ...args: string[]
): Promise<{ readonly redis: RedisServer; readonly port: number }> {
  const port = await freePort();
  return { redis: await startRedis('--port', String(port), '--bind', '127.0.0.1', ...args), port };
}
