import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boundedStore } from '../../packages/core/src/store/bounded-store.ts';
import { redisStore } from '../../packages/server/src/stores/redis.ts';
import { storeContract } from '../../packages/testing/src/store-contract.ts';
import { handClock } from '../host/clock.ts';
import { raceProcesses } from './processes.ts';
import { type RedisServer, redisServer, startRedis } from './redis-server.ts';

describe.runIf(redisServer)('the Redis store', () => {
  let redis: RedisServer;
  let first: Redis;
  let other: Redis;
  beforeAll(async () => {
    redis = await startRedis();
    first = redis.connect();
    other = redis.connect();
  });
  afterAll(async () => {
    first?.disconnect();
    other?.disconnect();
    await redis?.remove();
  });
  const on = (client: Redis, prefix?: string) =>
    redisStore({ send: args => client.call(...args), ...(prefix === undefined ? {} : { prefix }) });

  /** Brings the end of everything nearer, as Redis has it, so that no test waits for its clock. */
  const advance = async (ms: number) => {
    for (const key of await first.keys('*')) {
      const left = await first.pttl(key);
      if (left >= 0) await first.pexpire(key, left - ms);
    }
  };

  let runs = 0;
  storeContract({
    test: (name, run) => it(`the Redis store keeps the contract: ${name}`, run),
    open: () => {
      const prefix = `run ${++runs} `;
      return { store: on(first, prefix), second: on(other, prefix), advance };
    },
  });

  it('redis-R4: a Redis that evicts is warned of once, when it is first used', async () => {
    const evicting = await startRedis('--maxmemory', '64mb', '--maxmemory-policy', 'volatile-lru');
    const client = evicting.connect();
    try {
      const warned: string[] = [];
      const store = redisStore({ send: args => client.call(...args), warn: message => warned.push(message) });
      for (let n = 0; n < 3; n++) await store.set('k', 'v');
      expect(warned).toEqual([expect.stringContaining('volatile-lru')]);
    } finally {
      client.disconnect();
      await evicting.remove();
    }
  });

  it('a Redis that takes a command and never answers is given up', async () => {
    const paused = await startRedis();
    const client = paused.connect();
    try {
      const clock = handClock();
      const store = boundedStore(redisStore({ send: args => client.call(...args) }), clock);
      await store.set('k', 'v');
      await client.call('CLIENT', 'PAUSE', '600000', 'ALL');
      const result = store.get('k');
      clock.move(15_000);
      await expect(result).rejects.toMatchObject({ code: 'store/unavailable' });
    } finally {
      client.disconnect();
      await paused.remove();
    }
  });

  it('store-S1: of eight processes exactly one wins each ticket and each claim', () =>
    raceProcesses(on(first), 'redis', redis.socket, { racers: 8, rounds: 40 }));

  it('redis-R2: a value leaves by the clock of the server', async () => {
    const store = on(first, 'short ');
    await store.set('k', 'v', { ttlMs: 30 });
    while ((await store.get('k')) !== undefined);
    expect(await store.set('k', 'w', { ifAbsent: true })).toBe(true);
  });

  it('a key that holds something else is store/corrupt, and is left alone by a claim', async () => {
    await first.rpush('theirs:k', 'item');
    const store = on(first, 'theirs:');
    await expect(store.get('k')).rejects.toMatchObject({ code: 'store/corrupt' });
    await expect(store.take('k')).rejects.toMatchObject({ code: 'store/corrupt' });
    expect(await store.set('k', 'v', { ifAbsent: true })).toBe(false);
    expect(await first.lrange('theirs:k', 0, -1)).toEqual(['item']);
  });

  it('the Redis store fails with store/unavailable while Redis is stopped, and then goes on with what it had', async () => {
    const store = on(first, 'restart ');
    await store.set('k', 'v');
    await redis.stop();
    const calls = [store.get('k'), store.set('k', 'w'), store.delete('k'), store.take('k')];
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({
        status: 'rejected',
        reason: { code: 'store/unavailable', message: expect.stringContaining('can be reached') },
      });
    }
    const back = new Promise(resolve => first.once('ready', resolve));
    await redis.start();
    await back;
    expect(await store.take('k')).toBe('v');
    expect(await store.take('k')).toBeUndefined();
  });

  it('a Redis without memory refuses to write, says so, and forgets nothing', async () => {
    await first.config('SET', 'maxmemory', '1');
    try {
      await expect(on(first, 'full ').set('k', 'v')).rejects.toMatchObject({
        code: 'store/unavailable',
        message: expect.stringContaining('out of memory'),
      });
    } finally {
      await first.config('SET', 'maxmemory', '0');
    }
    expect(await on(first, 'full ').set('k', 'v')).toBe(true);
  });
});
