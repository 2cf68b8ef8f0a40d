/** A Redis Cluster of three primaries on this machine, each of which can be killed and started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Cluster, Redis } from 'ioredis';
import { freePort } from '../fixtures/free-port.ts';
import { redisServer } from './redis-server.ts';

export interface RedisCluster {
  connect(): Cluster;
  /** Ends one with SIGKILL. */
  kill(at: number): Promise<void>;
  /** Starts it again; resolves when the cluster serves every key. */
  start(at: number): Promise<void>;
  remove(): Promise<void>;
}

const NODES = 3;
const SLOTS = 16_384;

export async function startRedisCluster(): Promise<RedisCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-cluster-'));
  const ports: number[] = [];
  const buses: number[] = [];
  const children: (ChildProcess | undefined)[] = [];

  const startNode = async (at: number): Promise<void> => {
    const own = join(folder, String(at));
    mkdirSync(own, { recursive: true });
    const args = ['--port', String(ports[at]), '--cluster-enabled', 'yes', '--cluster-port', String(buses[at])];
    // What was written outlives the process without a flush, and one that waits for its disk is taken to be dead.
    const kept = ['--dir', own, '--save', '', '--appendonly', 'yes', '--appendfsync', 'no', '--bind', '127.0.0.1'];
    const child = spawn(redisServer!, [...args, ...kept, '--cluster-node-timeout', '2000'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children[at] = child;
    for await (const line of createInterface({ input: child.stdout })) {
      if (!/ready to accept connections/i.test(line)) continue;
      child.stdout.resume();
      return;
    }
    throw new Error('redis-server did not start');
  };
  const ask = async (at: number, ...[command = '', ...args]: string[]): Promise<unknown> => {
    const client = new Redis({ port: ports[at]!, maxRetriesPerRequest: 0, retryStrategy: null as never });
    client.on('error', () => {});
    try {
      return await client.call(command, ...args);
    } finally {
      client.disconnect();
    }
  };
  /** On a busy machine one node of two may give the other up before they know each other, so each is told of all, until it is. */
  const meet = async (at: number): Promise<void> => {
    for (let other = 0; other < NODES; other += 1) {
      if (other === at) continue;
      await ask(at, 'CLUSTER', 'MEET', '127.0.0.1', String(ports[other]), String(buses[other])).catch(() => {});
    }
  };
  /** Every node knows all slots to be served, and all nodes. */
  const whole = async (): Promise<void> => {
    for (let at = 0; at < NODES; ) {
      const info = String(await ask(at, 'CLUSTER', 'INFO').catch(() => ''));
      if (/cluster_state:ok/.test(info) && info.includes(`cluster_known_nodes:${NODES}`)) at += 1;
      else {
        // One that it is meeting counts as known, and no more when it is given up.
        if (Number(/cluster_known_nodes:(\d+)/.exec(info)?.[1]) < NODES) await meet(at);
        await new Promise(resolve => setTimeout(resolve, 50));
      }
    }
  };

  for (let at = 0; at < NODES; at += 1) {
    ports[at] = await freePort();
    buses[at] = await freePort();
    await startNode(at);
  }
  for (let at = 0; at < NODES; at += 1) {
    const first = Math.floor((at * SLOTS) / NODES);
    const last = Math.floor(((at + 1) * SLOTS) / NODES) - 1;
    await ask(at, 'CLUSTER', 'ADDSLOTSRANGE', String(first), String(last));
    await ask(at, 'CLUSTER', 'SET-CONFIG-EPOCH', String(at + 1));
  }
  await whole();

  return {
    connect: () =>
      new Cluster(
        ports.map(port => ({ host: '127.0.0.1', port })),
        {
          clusterRetryStrategy: () => 50,
          // On a busy machine a node is taken for dead that is only slow, until the others hear of it again.
          retryDelayOnClusterDown: 1_000,
          redisOptions: { maxRetriesPerRequest: 0 },
        },
      ).on('error', () => {}),
    async kill(at) {
      const child = children[at]!;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    async start(at) {
      await startNode(at);
      await whole();
    },
    async remove() {
      const left = children.filter(child => child && child.exitCode === null && child.signalCode === null);
      const ended = left.map(child => once(child!, 'exit'));
      for (const child of left) child!.kill('SIGKILL');
      await Promise.all(ended);
      await rm(folder, { recursive: true, force: true, maxRetries: 50 });
    },
  };
}
