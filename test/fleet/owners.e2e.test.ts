/** Which replica has what, over a real Redis. No clock decides who is dead: the test takes their sign away. */
import { isMidcallError } from '@midcall/core/errors';
import { systemClock } from '@midcall/core/time';
import { type Owners, redisOwners } from '@midcall/server/fleet';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RedisServer, redisServer, startRedis } from '../stores/redis-server.ts';
import { fleetKey } from './replicas.ts';

const PRESENCE_MS = 3_600_000;
const opened: { close(): Promise<void>; quit(): Promise<unknown> }[] = [];
let redis: RedisServer;
let client: Redis;

beforeAll(async () => {
  if (!redisServer) return;
  redis = await startRedis();
  client = redis.connect();
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  await client?.flushall();
});
afterAll(async () => {
  client?.disconnect();
  await redis?.remove();
});

async function owners(at: string, key = fleetKey): Promise<Owners> {
  const connection = redis.connect();
  const made = await redisOwners({
    connection: connection as never,
    address: new URL(at),
    key,
    presenceMs: PRESENCE_MS,
    // Without timers, so that none shows itself again when its sign was taken away.
    clock: { ...systemClock, after: () => () => {} },
  });
  opened.push({
    async close() {
      await made.close();
      connection.disconnect();
    },
    quit: () => connection.quit(),
  });
  return made;
}

/** From here on nothing of the first ones reaches Redis any more, where they are still taken to be alive. */
const silence = (count: number) => Promise.all(opened.slice(0, count).map(each => each.quit()));

const [a, b, c] = ['http://127.0.0.1:1001/', 'http://127.0.0.1:1002/', 'http://127.0.0.1:1003/'];
const here = (owner: 'here' | URL): string => (owner === 'here' ? owner : owner.href);

describe.skipIf(!redisServer)('owners', () => {
  it('redis-owners-O1: of several owners that ask for the same at once, one has it, and the others are told where', async () => {
    const [one, other] = await Promise.all([owners(a), owners(b)]);
    const asked = await Promise.all([one.ownerOf('x'), other.ownerOf('x'), one.ownerOf('x'), other.ownerOf('x')]);
    const byOne = new Set([asked[0]!, asked[2]!].map(here));
    const byOther = new Set([asked[1]!, asked[3]!].map(here));
    expect([[...byOne], [...byOther]]).toEqual(byOne.has('here') ? [['here'], [a]] : [[b], ['here']]);
  });

  it('redis-owners-O2: what a dead owner had goes to whoever asks next; one that was only slow finds out', async () => {
    const [one, other] = await Promise.all([owners(a), owners(b)]);
    expect(await one.ownerOf('x')).toBe('here');
    await client.del(...(await client.keys('midcall:owners:alive:*')));
    expect(await other.ownerOf('x')).toBe('here');
    await client.set(`midcall:owners:alive:${await client.get((await client.keys('midcall:owners:has:*'))[0]!)}`, '');
    expect(here(await one.ownerOf('x'))).toBe(b);
  });

  it('owners leave what they have to the others, take nothing more, and still tell who has what', async () => {
    const [one, other] = await Promise.all([owners(a), owners(b)]);
    await one.ownerOf('x');
    await one.leave();
    expect(await other.ownerOf('x')).toBe('here');
    expect(here(await one.ownerOf('x'))).toBe(b);
    await expect(one.ownerOf('y')).rejects.toSatisfy(error => isMidcallError(error, 'call/closed'));
  });

  it('redis-owners-O3: an address that was written with another key leads nowhere, and it is said that the keys differ', async () => {
    const [one, other] = [await owners(a), await owners(b, 'Hk3vS0dQxZ8rW1uJb7TnYp5LcGfA2mE9oViK6tNqR4s=')];
    await other.ownerOf('x');
    await expect(one.ownerOf('x')).rejects.toMatchObject({
      code: 'store/corrupt',
      message: expect.stringMatching(/sealed with another key/),
    });
  });

  it.each(['http://evil.example/', '', 'another'])(
    'redis-owners-O3: an address that somebody has changed leads nowhere, and it is said that it was changed (%j)',
    async instead => {
      const one = await owners(a);
      await one.ownerOf('x');
      const other = await owners(b);
      await other.ownerOf('y');
      await silence(2);
      const place = `midcall:owners:at:${await client.get((await client.keys('midcall:owners:has:*'))[0]!)}`;
      const [besides] = (await client.keys('midcall:owners:at:*')).filter(each => each !== place);
      // That of another replica does not open here.
      await client.set(place, instead === 'another' ? (await client.get(besides!))! : instead);
      const third = await owners(c);
      const asked = await Promise.allSettled([third.ownerOf('x'), third.ownerOf('y')]);
      const failed = asked.flatMap(each => (each.status === 'rejected' ? [each.reason] : []));
      expect(failed).toMatchObject([{ code: 'store/corrupt', message: expect.stringMatching(/was changed in Redis/) }]);
    },
  );

  it('an address that Redis has lost is told as lost', async () => {
    const one = await owners(a);
    await one.ownerOf('x');
    await silence(1);
    await client.del(...(await client.keys('midcall:owners:at:*')));
    const message = expect.stringMatching(/^Redis has lost the address/);
    await expect((await owners(b)).ownerOf('x')).rejects.toMatchObject({ code: 'store/unavailable', message });
  });

  it('owners need a key that outlives one process', async () => {
    const without = redisOwners({ connection: redis.socket, address: new URL(a), key: 'short' });
    await expect(without).rejects.toThrow();
  });
});
