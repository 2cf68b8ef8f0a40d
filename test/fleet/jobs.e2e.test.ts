/** Jobs of tasks on BullMQ, over a real Redis. */
import { redisJobs } from '@midcall/server/fleet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jobsContract } from '../server/jobs-contract.ts';
import { type RedisServer, redisServer, startRedis } from '../stores/redis-server.ts';

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

  it('jobs-J1: a job is not taken where Redis is away', async () => {
    const own = await startRedis();
    const jobs = await redisJobs({ connection: { path: own.socket }, timeoutMs: 200 });
    await jobs.add('first');
    await own.stop();
    await expect(jobs.add('second')).rejects.toMatchObject({ code: 'store/unavailable' });
    await own.start();
    await jobs.close();
    await own.remove();
  });
});
