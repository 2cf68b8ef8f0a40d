/**
 * The store of several machines: Redis 6.2 or newer, or anything that speaks like it, through one function of yours.
 *
 * - redis-R1 Every method is one command on one key, so it is atomic, and no key must share a slot with another (cluster).
 * - redis-R2 Time is the server's: values expire by `PX`, and no clock of ours is compared with it.
 * - redis-R3 A command whose reply is lost counts as not done: if a client sends `SET NX` or `GETDEL` again, it finds the value
 *   written or gone, and the claim or ticket is refused rather than granted twice.
 *
 * - redis-R4 When the store is first used, Redis is asked whether it forgets values to make room (a `maxmemory-policy` other
 *   than `noeviction`), and the operator is warned once if it does. If it may not be asked, no warning is given.
 *
 * No driver can prevent this: Redis loses the last writes when a primary fails before its replica has them.
 */

import { MidcallError } from '@midcall/core/errors';
import { checkOptions, func, positive, required, text as textKind } from '@midcall/core/options';
import type { Store } from '@midcall/core/store';
import { checkEntry, checkKey, checkMembers, checkScore } from '@midcall/core/store';

export type { Store } from '@midcall/core/store';

/** The options of a Redis store. */
export interface RedisStoreOptions {
  /**
   * Sends one command and gives its reply, text or bytes, e.g. `args => client.call(...args)` (ioredis) or
   * `args => client.sendCommand(args)` (node-redis).
   */
  readonly send: (args: [command: string, ...args: string[]]) => Promise<unknown>;
  /** The prefix of every key; `midcall:` if absent. */
  readonly prefix?: string;
  /** Milliseconds a command may take before Midcall gives it up with `store/unavailable`; 15,000 if absent. */
  readonly timeoutMs?: number;
  /** Called once if Redis may evict values; writes to standard error if absent. */
  readonly warn?: (message: string) => void;
}

/** `SET … IFEQ` is a command of its own only from Redis 8.4 on. */
const SET_IF_EQUALS = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
return redis.call('SET', KEYS[1], unpack(ARGV, 2))`;

/**
 * @returns a store; its methods fail with MidcallError `store/unavailable` if Redis cannot be reached or refuses,
 *   `store/corrupt` if a key contains another program's data, TypeError for bad input
 * @throws TypeError for bad options
 * @example
 * ```ts
 * const store = redisStore({ send: ([command = '', ...args]) => redis.call(command, ...args) }); // for many machines
 * ```
 */
export function redisStore(options: RedisStoreOptions): Store {
  const sends = { ...func, words: 'a function that sends one command: args => client.sendCommand(args)' };
  checkOptions('redisStore', options, { send: required(sends), prefix: textKind, timeoutMs: positive, warn: func });
  const { send, prefix = 'midcall:', timeoutMs = 15_000 } = options;
  const warn = options.warn ?? (message => process.stderr.write(`${message}\n`));
  checkKey(`${prefix}x`);

  let looked = false;
  /** redis-R4: runs in parallel with the first command, which does not wait for it. */
  const look = async (): Promise<void> => {
    looked = true;
    try {
      const policy = /^maxmemory_policy:([\w-]+)/mu.exec(text(await send(['INFO', 'memory'])) ?? '')?.[1];
      if (policy === undefined || policy === 'noeviction') return;
      warn(
        `midcall: this Redis forgets values when its memory is full (maxmemory-policy ${policy}). A forgotten claim lets ` +
          'an answer be used twice, and a forgotten credential has to be given again. Set maxmemory-policy to noeviction.',
      );
    } catch (error) {
      // A Redis that refuses is one we may not ask; one that does not reply was not reached, and is asked with the next
      // command.
      looked = wordOf(error) !== undefined;
    }
  };

  const sortedKey = (set: string): string => `${prefix}sorted:${set}`;
  const command = async (...args: [string, ...string[]]): Promise<unknown> => {
    if (!looked) void look();
    try {
      return await send(args);
    } catch (error) {
      throw judged(error, args[0]);
    }
  };

  /** Sends a command about one key, in one asynchronous frame: frames are most of what a short command costs beside the client. */
  const onKey = async <T>(name: string, key: string, read: (reply: unknown) => T): Promise<T> => {
    checkKey(key);
    if (!looked) void look();
    let reply: unknown;
    try {
      reply = await send([name, prefix + key]);
    } catch (error) {
      throw judged(error, name);
    }
    return read(reply);
  };

  return {
    timeoutMs,
    get: key => onKey('GET', key, text),
    async set(key, value, set) {
      checkEntry(key, value, set);
      const args: string[] = [prefix + key, value];
      if (set?.ttlMs !== undefined) args.push('PX', String(set.ttlMs));
      if (set?.ifAbsent) args.push('NX');
      const { ifEquals } = set ?? {};
      const sent =
        ifEquals === undefined
          ? command('SET', ...args)
          : command('EVAL', SET_IF_EQUALS, '1', prefix + key, ifEquals, ...args.slice(1));
      const reply = text(await sent);
      if (reply === 'OK') return true;
      if (reply === undefined && (set?.ifAbsent || ifEquals !== undefined)) return false;
      throw strange();
    },
    delete: key => onKey('DEL', key, () => {}),
    take: key => onKey('GETDEL', key, text),
    sortedSets: {
      async add(set, member, score) {
        checkMembers(set, [member]);
        checkScore(score);
        await command('ZADD', sortedKey(set), String(score), member);
      },
      async remove(set, members) {
        checkMembers(set, members);
        for (let at = 0; at < members.length; at += MOST_MEMBERS)
          await command('ZREM', sortedKey(set), ...members.slice(at, at + MOST_MEMBERS));
      },
      async range(set, max) {
        checkMembers(set, []);
        if (max !== undefined) checkScore(max);
        const reply = await command('ZRANGEBYSCORE', sortedKey(set), '-inf', String(max ?? '+inf'), 'WITHSCORES');
        return pairs(reply);
      },
    },
  };
}

/** Members removed by one command. */
const MOST_MEMBERS = 1_000;

/** Members and scores: one list in RESP2, a list of pairs in RESP3. */
function pairs(reply: unknown): readonly (readonly [string, number])[] {
  if (!Array.isArray(reply)) throw strange();
  const flat = reply.flat() as unknown[];
  return Array.from({ length: flat.length / 2 }, (_, at) => {
    const [member, score] = flat.slice(2 * at, 2 * at + 2);
    const read = typeof score === 'number' ? score : Number(text(score));
    const name = text(member);
    if (name === undefined || !Number.isSafeInteger(read)) throw strange();
    return [name, read];
  });
}

function text(reply: unknown): string | undefined {
  if (reply === null || reply === undefined) return undefined;
  if (typeof reply === 'string') return reply;
  if (reply instanceof Uint8Array)
    return Buffer.from(reply.buffer, reply.byteOffset, reply.byteLength).toString('utf8');
  throw strange();
}

const strange = (): MidcallError =>
  new MidcallError(
    'store/unavailable',
    'Redis gave a reply that this command never gives. `send` must return the reply of one command, unchanged.',
  );

/** The first word of one of Redis's own errors. */
function wordOf(error: unknown): string | undefined {
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === 'string' ? /^[A-Z]{2,20}(?= )/.exec(message)?.[0] : undefined;
}

/**
 * The client's error as ours. Its own text and fields are dropped: clients attach the whole command to it, including the value,
 * and some servers repeat the arguments.
 */
function judged(error: unknown, command: string): MidcallError {
  const { message, code } = (error ?? {}) as { message?: unknown; code?: unknown };
  const errorText = typeof message === 'string' ? message : '';
  const word = wordOf(error);
  if (word === 'WRONGTYPE') {
    return new MidcallError('store/corrupt', 'Redis holds something else under a key of ours. Choose another prefix.');
  }
  if (word === 'ERR' && /unknown command/i.test(errorText)) {
    return new MidcallError('store/unavailable', `This Redis does not know ${command}; 6.2 or newer is needed.`);
  }
  if (word === 'OOM') {
    return new MidcallError('store/unavailable', 'Redis is out of memory. Give it more, or keep less.');
  }
  if (word === 'NOAUTH' || word === 'WRONGPASS' || word === 'NOPERM') {
    return new MidcallError('store/unavailable', `Redis refuses ${command} (${word}). Check the user and its rights.`);
  }
  const why = word ?? (typeof code === 'string' && /^[A-Z_]{2,40}$/.test(code) ? code : undefined);
  return new MidcallError(
    'store/unavailable',
    `Redis did not run ${command}${why ? ` (${why})` : ''}. Check that it runs and can be reached.`,
  );
}
