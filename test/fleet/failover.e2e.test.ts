/** A Redis Cluster, one of whose primaries dies; a primary that is replaced by its replica, with and without what it knew last; Sentinel. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { midcall } from '@midcall/server';
import { type RedisClient, redisFleet, redisJobs } from '@midcall/server/fleet';
import { type HttpServing, serveHttp } from '@midcall/server/node';
import { redisStore } from '@midcall/server/stores/redis';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { type Cluster, Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { freePort } from '../fixtures/free-port.ts';
import { grown } from '../fixtures/grown.ts';
import { startRedisCluster } from '../stores/redis-cluster.ts';
import { type RedisServer, redisServer, startRedis, startRedisAtPort } from '../stores/redis-server.ts';
import { fleetKey, startReplicas } from './replicas.ts';

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });

/** A server that charges after a question, with its steps in `connection` where there is one. */
function server(effects: string[], connection?: Cluster | Redis) {
  const store = connection && redisStore({ send: ([command = '', ...args]) => connection.call(command, ...args) });
  const mid = midcall({ key: fleetKey, suspectBelowMs: 0, warn: () => {}, ...(store && { store }) });
  return () => {
    const server = new McpServer({ name: 'fleet', version: '1.0.0' });
    mid.tool(server, 'charge', {}, async (_, call) => {
      const answer = await call.elicit({ message: 'Charge?', form: Boolean });
      if (answer.action !== 'accept') return said(answer.action);
      await call.step('charge', () => void effects.push('charged'));
      return said('Charged.');
    });
    return server;
  };
}

/** A person whose answers the test gives. */
async function person(send: typeof fetch, mode: 'legacy' | '2026-07-28') {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const client = new Client(
    { name: 'host', version: '1.0.0' },
    {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode: mode === 'legacy' ? mode : { pin: mode } },
    },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message);
    return new Promise(resolve => {
      answers.push(() => resolve({ action: 'accept', content: { value: true } }));
    });
  });
  const reconnectionOptions = {
    ...{ maxRetries: 10_000, initialReconnectionDelay: 10 },
    ...{ maxReconnectionDelay: 50, reconnectionDelayGrowFactor: 1 },
  };
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://fleet.invalid/mcp'), { fetch: send, reconnectionOptions }),
  );
  return {
    client,
    asked,
    charge: () => client.callTool({ name: 'charge', arguments: {} }, { timeout: 600_000 }),
    answer: () => answers.shift()!(),
  };
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 20));
}

/** Waits for replicas to take requests. */
const healthy = (servings: readonly HttpServing[]): Promise<void> =>
  until(async () => (await Promise.all(servings.map(({ endpoint }) => endpoint.health()))).every(({ ok }) => ok));

describe.skipIf(!redisServer)('a Redis Cluster', () => {
  it('three primaries keep sessions, rounds and jobs, also where one of them dies and comes back', async () => {
    const cluster = await startRedisCluster();
    const connections: Cluster[] = [];
    const effects: string[] = [];
    const servings: HttpServing[] = [];
    for (let at = 0; at < 2; at += 1) {
      const connection = cluster.connect();
      connections.push(connection);
      const fleet = await redisFleet({
        connection: connection as unknown as RedisClient,
        key: fleetKey,
        retryMs: 10,
        timeoutMs: 60_000,
        // Nobody dies but Redis.
        presenceMs: 3_600_000,
      });
      servings.push(await serveHttp(server(effects, connection), { fleet }));
    }
    let next = 0;
    const inTurn: typeof fetch = async (_, init) => {
      for (;;) {
        next += 1;
        const response = await fetch(servings[next % 2]!.url, init);
        if (response.status !== 503) return response;
        await response.body?.cancel();
      }
    };
    for (const mode of ['legacy', '2026-07-28'] as const) {
      const { client, asked, charge, answer } = await person(inTurn, mode);
      const result = charge();
      await grown(asked, list => list.length === 1);
      answer();
      expect((await result).content).toEqual(said('Charged.').content);
      await client.close();
    }
    expect(effects).toEqual(['charged', 'charged']);

    const jobs = await redisJobs({ connection: connections[0] as unknown as RedisClient });
    const run: string[] = [];
    jobs.start(async name => void run.push(name));
    await jobs.add('task/1');
    await grown(run, list => list.length === 1);
    await jobs.close();

    // A cluster that does not serve every key serves none; what was asked is there when it does again.
    const { client, asked, charge, answer } = await person(inTurn, 'legacy');
    const result = charge();
    await grown(asked, list => list.length === 1);
    await cluster.kill(0);
    await until(async () => {
      const said = await Promise.all(servings.map(({ endpoint }) => endpoint.health()));
      return said.every(({ ok }) => !ok);
    });
    await cluster.start(0);
    await healthy(servings);
    answer();
    expect((await result).content).toEqual(said('Charged.').content);
    expect(effects).toHaveLength(3);
    await client.close();
    await Promise.all(servings.map(serving => serving.stop({ within: 0 })));
    for (const connection of connections) connection.disconnect();
    await cluster.remove();
  }, 900_000);
});

/** A primary with a replica, behind one address, which leads to the replica once that is promoted. */
async function startPair() {
  const { redis: primary, port } = await startRedisAtPort('--repl-diskless-sync-delay', '0');
  const replica = await startRedis('--replicaof', '127.0.0.1', String(port));
  const folder = mkdtempSync(join(tmpdir(), 'midcall-pair-'));
  const socket = join(folder, 's');
  const lead = (to: string): void => {
    symlinkSync(to, `${socket}.next`);
    renameSync(`${socket}.next`, socket);
  };
  lead(primary.socket);
  const [first, second] = [primary.connect(), replica.connect()];
  const synced = async (): Promise<void> => {
    // Redis waits for what this connection has written, and what came before it.
    await first.incr('synced');
    await until(async () => (await first.wait(1, 0)) === 1);
  };
  await synced();
  const pair: RedisServer = {
    ...primary,
    socket,
    connect: () => new Redis({ path: socket, retryStrategy: () => 10, maxRetriesPerRequest: 0 }).on('error', () => {}),
    async remove() {
      first.disconnect();
      second.disconnect();
      await Promise.all([primary.remove(), replica.remove()]);
      await rm(folder, { recursive: true, force: true, maxRetries: 50 });
    },
  };
  return {
    pair,
    /** Resolves when the replica has all that the primary has. */
    synced,
    /** From here on the replica hears nothing of the primary, and may be promoted. */
    part: () => second.call('REPLICAOF', 'NO', 'ONE'),
    /** The primary dies, and the address leads to the replica. */
    async failOver() {
      await primary.kill();
      await second.call('REPLICAOF', 'NO', 'ONE');
      lead(replica.socket);
    },
  };
}

describe.skipIf(!redisServer)('a primary that is replaced by its replica', () => {
  it('a primary is replaced by its replica which knew all of it: the same answer counts, and the effect happens once', async () => {
    const { pair, synced, failOver } = await startPair();
    const effects: string[] = [];
    await using replicas = await startReplicas({ redis: pair, factory: () => server(effects) });
    const { client, asked, charge, answer } = await person(replicas.fetch, 'legacy');
    const result = charge();
    await grown(asked, list => list.length === 1);
    await synced();
    await failOver();
    answer();
    expect((await result).content).toEqual(said('Charged.').content);
    expect(effects).toEqual(['charged']);
    await client.close();
  });

  it('a primary is replaced by its replica which never heard of the call: it ends without an effect, and can be made again', async () => {
    const { pair, synced, part, failOver } = await startPair();
    const effects: string[] = [];
    await using replicas = await startReplicas({ redis: pair, factory: () => server(effects) });
    const { client, asked, charge, answer } = await person(replicas.fetch, 'legacy');
    await synced();
    await part();
    charge().catch(() => {});
    await grown(asked, list => list.length === 1);
    await failOver();
    answer();
    await healthy(replicas.servings);
    const again = charge();
    await grown(asked, list => list.length === 2);
    expect(effects).toEqual([]);
    answer();
    expect((await again).content).toEqual(said('Charged.').content);
    expect(effects).toEqual(['charged']);
    await client.close();
  });
});

/** A Sentinel that watches a primary, and fails it over only when it is told to. */
async function startSentinel(primaryPort: number) {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-sentinel-'));
  const file = join(folder, 'sentinel.conf');
  const watched = [`sentinel monitor main 127.0.0.1 ${primaryPort} 1`, 'sentinel down-after-milliseconds main 3600000'];
  const start = async (port: number) => {
    writeFileSync(file, [`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`, ...watched].join('\n'));
    const child = spawn(redisServer!, [file, '--sentinel'], { stdio: ['ignore', 'pipe', 'ignore'] });
    for await (const line of createInterface({ input: child.stdout })) {
      if (!/Sentinel ID is/.test(line)) continue;
      child.stdout.resume();
      return child;
    }
    return undefined;
  };
  const port = await freePort();
  const child = await start(port);
  if (!child) throw new Error('Sentinel did not start');
  const client = new Redis({ port, retryStrategy: () => 20, maxRetriesPerRequest: null }).on('error', () => {});
  const replicas = async () => ((await client.call('SENTINEL', 'REPLICAS', 'main')) as readonly unknown[]).length;
  await until(async () => (await replicas()) === 1);
  return {
    connection: { sentinels: [{ host: '127.0.0.1', port }], name: 'main', sentinelRetryStrategy: () => 20 },
    async failOver() {
      const address = async () => String(await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main'));
      const before = await address();
      await until(async () => {
        if ((await address()) !== before) return true;
        // It is refused until the replica has been looked at, and while one is under way; one that takes too long is given up.
        await client.call('SENTINEL', 'FAILOVER', 'main').catch(() => {});
        return false;
      });
    },
    async remove() {
      const ended = once(child, 'exit');
      client.disconnect();
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true, maxRetries: 50 });
    },
  };
}

it.skipIf(!redisServer)(
  'a primary dies and Sentinel names another: what was asked before is answered after, on 2025-11-25 and 2026-07-28',
  async () => {
    const { redis: primary, port } = await startRedisAtPort('--repl-diskless-sync-delay', '0');
    const { redis: replica } = await startRedisAtPort('--replicaof', '127.0.0.1', String(port));
    const sentinel = await startSentinel(port);
    const effects: string[] = [];
    const stores: Redis[] = [];
    const servings: HttpServing[] = [];
    for (let at = 0; at < 2; at += 1) {
      const store = new Redis({ ...sentinel.connection, retryStrategy: () => 20 }).on('error', () => {});
      stores.push(store);
      const connection = { ...sentinel.connection, retryStrategy: () => 20 };
      const fleet = await redisFleet({ connection, key: fleetKey, retryMs: 10, presenceMs: 3_600_000 });
      servings.push(await serveHttp(server(effects, store), { fleet, onError: () => {} }));
    }
    let next = 0;
    const inTurn: typeof fetch = async (_, init) => {
      for (;;) {
        next += 1;
        const response = await fetch(servings[next % 2]!.url, init);
        if (response.status !== 503) return response;
        await response.body?.cancel();
      }
    };
    await healthy(servings);
    const people = [await person(inTurn, 'legacy'), await person(inTurn, '2026-07-28')];
    const results = people.map(({ charge }) => charge());
    for (const { asked } of people) await grown(asked, list => list.length === 1);
    const writer = primary.connect();
    await writer.incr('synced');
    await until(async () => (await writer.wait(1, 0)) === 1);
    writer.disconnect();
    await primary.kill();
    await sentinel.failOver();
    await healthy(servings);
    await until(() => stores.every(({ status }) => status === 'ready'));
    for (const { answer } of people) answer();
    for (const result of results) expect((await result).content).toEqual(said('Charged.').content);
    expect(effects).toEqual(['charged', 'charged']);
    for (const { client } of people) await client.close();
    await Promise.all(servings.map(serving => serving.stop({ within: 0 })));
    for (const store of stores) store.disconnect();
    await sentinel.remove();
    await Promise.all([primary.remove(), replica.remove()]);
  },
  900_000,
);
