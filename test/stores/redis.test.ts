import { describe, expect, it } from 'vitest';
import { redisStore } from '../../packages/server/src/stores/redis.ts';

const failing = (error: unknown) => redisStore({ send: () => Promise.reject(error) });
const replying = (reply: unknown) => redisStore({ send: async () => reply });

describe('the Redis store', () => {
  it('redis-R1: the Redis store sends one command on one key for each call', async () => {
    const sent: string[][] = [];
    const send = async (args: string[]) => {
      sent.push(args);
      return args[0] === 'SET' || args[0] === 'EVAL' ? 'OK' : null;
    };
    const store = redisStore({ send, prefix: 'p:' });
    await store.get('k');
    await store.set('k', 'v');
    await store.set('k', 'v', { ttlMs: 5 });
    await store.set('k', 'v', { ttlMs: 5, ifAbsent: true });
    await store.set('k', 'v', { ttlMs: 5, ifEquals: 'u' });
    await store.delete('k');
    await store.take('k');
    expect(sent).toEqual([
      ['INFO', 'memory'],
      ['GET', 'p:k'],
      ['SET', 'p:k', 'v'],
      ['SET', 'p:k', 'v', 'PX', '5'],
      ['SET', 'p:k', 'v', 'PX', '5', 'NX'],
      ['EVAL', expect.stringContaining('GET'), '1', 'p:k', 'u', 'v', 'PX', '5'],
      ['DEL', 'p:k'],
      ['GETDEL', 'p:k'],
    ]);
  });

  it.each([
    ['allkeys-lru', 1],
    ['volatile-ttl', 1],
    ['noeviction', 0],
  ])('redis-R4: the Redis store under %s warns %i times, however often it is used', async (policy, times) => {
    const warned: string[] = [];
    const send = async ([word]: string[]) =>
      word === 'INFO' ? `# Memory\r\nmaxmemory:0\r\nmaxmemory_policy:${policy}\r\nmem_clients:7\r\n` : null;
    const store = redisStore({ send, warn: message => warned.push(message) });
    expect(warned).toEqual([]);
    for (let n = 0; n < 5; n++) await store.get('k');
    expect(warned).toHaveLength(times);
    for (const each of warned) expect(each).toContain(policy);
  });

  it.each([
    () => Promise.reject(new Error('NOPERM this user has no permissions')),
    async () => 7,
    () => {
      throw new Error('at once');
    },
  ])('redis-R4: a Redis that may not be asked is used all the same, and nothing is said', async info => {
    const warned: string[] = [];
    const send = ([word]: string[]): Promise<unknown> => (word === 'INFO' ? info() : Promise.resolve('v'));
    const store = redisStore({ send, warn: message => warned.push(message) });
    expect(await store.get('k')).toBe('v');
    expect(await store.get('k')).toBe('v');
    expect(warned).toEqual([]);
  });

  it('redis-R4: a Redis that was not reached is asked with the next command', async () => {
    const warned: string[] = [];
    let reached = false;
    const send = ([word]: string[]): Promise<unknown> => {
      if (!reached) return Promise.reject(new Error('Connection is closed.'));
      return Promise.resolve(word === 'INFO' ? 'maxmemory_policy:allkeys-lfu' : 'v');
    };
    const store = redisStore({ send, warn: message => warned.push(message) });
    await store.get('k').catch(() => {});
    reached = true;
    for (let n = 0; n < 3; n++) await store.get('k');
    expect(warned).toHaveLength(1);
  });

  it('the Redis store takes replies as text or as bytes', async () => {
    expect(await replying(Buffer.from('h\u00e9')).get('k')).toBe('h\u00e9');
    expect(await replying(Buffer.from('OK')).set('k', 'v')).toBe(true);
    expect(await replying(null).set('k', 'v', { ifAbsent: true })).toBe(false);
  });

  it.each([7, true, [], {}, 'QUEUED'])(
    'a reply that the command does not have is an error, never an answer: %j',
    async reply => {
      await expect(replying(reply).set('k', 'v', { ifAbsent: true })).rejects.toMatchObject({
        code: 'store/unavailable',
      });
      if (typeof reply !== 'string') {
        await expect(replying(reply).take('k')).rejects.toMatchObject({ code: 'store/unavailable' });
      }
    },
  );

  it('a plain SET that Redis did not do is an error', async () => {
    await expect(replying(null).set('k', 'v')).rejects.toMatchObject({ code: 'store/unavailable' });
  });

  it.each([
    ['WRONGTYPE Operation against a key holding the wrong kind of value', 'store/corrupt', 'prefix'],
    ["ERR unknown command 'GETDEL', with args beginning with: 'ticket-7'", 'store/unavailable', '6.2'],
    ['OOM command not allowed when used memory > maxmemory', 'store/unavailable', 'memory'],
    ['NOAUTH Authentication required.', 'store/unavailable', 'NOAUTH'],
    ['NOPERM this user has no permissions', 'store/unavailable', 'rights'],
    ['READONLY You can not write against a read only replica.', 'store/unavailable', 'READONLY'],
    ['CLUSTERDOWN The cluster is down', 'store/unavailable', 'CLUSTERDOWN'],
    ['Connection is closed.', 'store/unavailable', 'can be reached'],
  ])('the Redis store says what to do about: %s', async (message, code, hint) => {
    const error = Object.assign(new Error(message), { command: { name: 'getdel', args: ['ticket-7', 'value-7'] } });
    const ours = await failing(error)
      .take('ticket-7')
      .catch((each: unknown) => each as Error);
    expect(ours).toMatchObject({ code, message: expect.stringContaining(hint) });
    expect(`${(ours as Error).message} ${(ours as Error).cause}`).not.toMatch(/ticket-7|value-7/);
  });

  it.each([{ code: 'ECONNREFUSED' }, undefined, null, 'text', { code: 'x y z' }, { message: 7 }])(
    'whatever is thrown becomes an error of ours: %j',
    async thrown => {
      await expect(failing(thrown).get('k')).rejects.toMatchObject({ code: 'store/unavailable' });
    },
  );

  it('the Redis store refuses bad options', () => {
    expect(() => redisStore({ send: undefined as never })).toThrow(TypeError);
    expect(() => redisStore({ send: async () => null, prefix: 'a\0' })).toThrow(TypeError);
  });
});
