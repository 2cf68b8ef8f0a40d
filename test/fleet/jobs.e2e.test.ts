/** Jobs of tasks on BullMQ, over a real Redis. */
import { systemClock } from '@midcall/core/time';
import { redisJobs } from '@midcall/server/fleet';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grown } from '../fixtures/grown.ts';
import { jobsContract } from '../server/jobs/jobs-contract.ts';
import { type RedisServer, redisServer, startRedis } from '../stores/redis-server.ts';

/** A timer that gives nothing up until it is told to, and then everything at once. */
function timeouts() {
  let isOver = false;
  return {
    after(_ms: number, fn: () => void) {
      if (isOver) setImmediate(fn);
      return () => {};
    },
    givesUp() {
      isOver = true;
    },
  };
}

describe.skipIf(!redisServer)('jobs over Redis', () => {
  let redis: RedisServer;
  let queues = 0;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.remove());

  jobsContract(async () => {
    queues += 1;
    const options = { connection: { path: redis.socket }, prefix: `{jobs-${queues}}` };
    return { jobs: await redisJobs(options), again: () => redisJobs(options) };
  });

  it('a job that waits holds its name and little else, and one that has been run leaves nothing', async () => {
    const own = await startRedis();
    const jobs = await redisJobs({ connection: { path: own.socket } });
    const name = `${'n'.repeat(43)}/1/due`;
    await jobs.add(name, 3_600_000);
    const client = own.connect();
    const key = `{midcall:jobs}:tasks:${name}`;
    const fields = Object.entries(await client.hgetall(key))
      .flat()
      .join('');
    // In its id alone, and in the key.
    expect(fields.split('n'.repeat(43)).length - 1).toBe(1);
    expect(fields.length).toBeLessThan(190);
    const run: string[] = [];
    jobs.start(async job => void run.push(job));
    await jobs.add('short/1');
    await grown(run, list => list.length === 1);
    await jobs.close();
    expect(run).toEqual(['short/1']);
    expect(await client.exists('{midcall:jobs}:tasks:short/1')).toBe(0);
    client.disconnect();
    await own.remove();
  });

  it('jobs-J1: a job is not taken where Redis is away', async () => {
    const own = await startRedis();
    const { givesUp, after } = timeouts();
    const jobs = await redisJobs({ connection: { path: own.socket }, clock: { ...systemClock, after } });
    await jobs.add('first');
    await own.stop();
    givesUp();
    await expect(jobs.add('second')).rejects.toMatchObject({ code: 'store/unavailable' });
    await own.start();
    await jobs.close();
    await own.remove();
  });

  it('jobs-J1: jobs close while Redis is away, and what was being run then is still in the queue where it is back', async () => {
    const own = await startRedis();
    const connection = { path: own.socket };
    const { givesUp, after } = timeouts();
    const jobs = await redisJobs({ connection, clock: { ...systemClock, after } });
    const begun: string[] = [];
    let end = (): void => {};
    jobs.start(async name => {
      begun.push(name);
      await new Promise<void>(resolve => (end = resolve));
    });
    await jobs.add('held');
    await grown(begun, list => list.length === 1);
    await own.stop();
    givesUp();
    const events: string[] = [];
    const closing = jobs.close().then(() => void events.push('closed'));
    events.push('run ended');
    end();
    await closing;
    expect(events).toEqual(['run ended', 'closed']);
    await own.start();
    const waiting = new Redis(connection);
    expect(await waiting.exists('{midcall:jobs}:tasks:held')).toBe(1);
    waiting.disconnect();
    await own.remove();
  });
});
