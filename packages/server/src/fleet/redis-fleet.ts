/**
 * A fleet whose replicas meet in one Redis, 6.2 or newer, alone or a cluster. All content is sealed with the key that the
 * replicas share, so that whoever has only Redis can neither read a question nor answer one.
 *
 * Not guaranteed: Redis loses its last writes if a primary fails before its replica has them, or if it is killed without an
 * append-only file that is always written. A call lost in this way must be made again by its client.
 */
import { randomBytes } from 'node:crypto';
import { MidcallError } from '@midcall/core/errors';
import { anything, checkOptions, name, positive, required } from '@midcall/core/options';
import { boundedStore } from '@midcall/core/store';
import { type Clock, clockKind, idleClock, inTime } from '@midcall/core/time';
import type { Fleet } from '../http/index.ts';
import { createSealer, type KeySource, sealedStore } from '../state/index.ts';
import { redisStore } from '../stores/redis.ts';
import { Commands, clientOf, connectionKind, type FleetConnection, isClient } from './commands.ts';
import { FleetSessions } from './fleet-sessions.ts';
import { FleetKeys } from './keys.ts';
import { sharedKeys } from './member.ts';
import { Replica } from './replica.ts';

/** What a fleet is built from. */
export interface RedisFleetOptions {
  /**
   * Where its replicas meet: an address such as `redis://localhost:6379`, options of `ioredis`, or a client or cluster of it. A
   * client is duplicated to listen, and you remain its owner.
   */
  readonly connection: FleetConnection;
  /** As in `midcall()`, and the same in every replica; `MIDCALL_KEY` or `MIDCALL_KEY_FILE` if absent. */
  readonly key?: KeySource;
  /** The prefix of every key; `midcall:fleet:` if absent. Servers that share a Redis need different prefixes. */
  readonly prefix?: string;
  /**
   * Milliseconds after which a replica without a sign of life counts as dead; 5,000 if absent. A replica whose signs take long
   * gets up to ten times as many.
   */
  readonly presenceMs?: number;
  /** Milliseconds after which a call ends if its replica died and its client did not come back; 5 minutes if absent. */
  readonly graceMs?: number;
  /** Milliseconds a command may take before the request it belongs to is refused; 5,000 if absent. */
  readonly timeoutMs?: number;
  /** Milliseconds after which a client that lost its connection should reconnect; 1,000 if absent. */
  readonly retryMs?: number;
  /** The current time, and timers; this machine's clock if absent. */
  readonly clock?: Clock;
}

/** How long a call that may not have ended is kept, in milliseconds. */
const CALL_MS = 24 * 60 * 60_000;
/** How long a call's result may still be fetched, in milliseconds. */
const RESULT_MS = 5 * 60_000;
const MAX_SEALED = 16_777_216;

/**
 * @returns a fleet for the `fleet` of `mcpEndpoint` and `serveHttp`
 * @throws MidcallError `server/setup` if there is no key that replicas could share, or `ioredis` is not installed; TypeError
 *   for bad options
 * @example
 * ```ts
 * const fleet = await redisFleet({ connection: 'redis://redis:6379', key });
 * const serving = await serveHttp(() => notesServer(mid), { fleet });
 * ```
 */
export async function redisFleet(options: RedisFleetOptions): Promise<Fleet> {
  checkOptions('redisFleet', options, {
    connection: required(connectionKind),
    key: anything,
    prefix: name,
    presenceMs: positive,
    graceMs: positive,
    timeoutMs: positive,
    retryMs: positive,
    clock: clockKind,
  });
  const ring = sharedKeys('redisFleet', options.key);
  const { connection, prefix = 'midcall:fleet:', presenceMs = 5_000, timeoutMs = 5_000 } = options;
  const { graceMs = 5 * 60_000, retryMs = 1_000, clock = idleClock } = options;
  const own = !isClient(connection);
  const client = await clientOf('redisFleet', connection);
  const sealer = createSealer(ring, { maxLength: MAX_SEALED });
  const keys = new FleetKeys(prefix);
  const id = (): string => randomBytes(16).toString('base64url');
  return {
    attach({ factory, idleMs, max, maxPerOwner, maxCalls, maxEvents, onError }) {
      const commands = new Commands(client, { timeoutMs, clock });
      const subscriber = client.duplicate();
      subscriber.on('error', onError as never);
      const replica = new Replica({
        id: id(),
        commands,
        subscriber,
        keys,
        presenceMs,
        graceMs,
        clock,
        onError,
      });
      const send = ([command, ...args]: [string, ...string[]]) => client.call(command, ...args);
      const store = boundedStore(redisStore({ send, prefix, timeoutMs, warn: () => {} }), clock);
      const evicts = evictionPolicy(commands);
      const ready = async (): Promise<void> => {
        await evicts();
        // A replica that was absent must not serve before the others know that it is back.
        if (!replica.present) await replica.show();
      };
      const sessions = new FleetSessions({
        factory,
        member: {
          commands,
          keys,
          sealer,
          replica,
          stepStore: sealedStore(store, sealer),
          limits: { idleMs, callMs: CALL_MS, retentionMs: RESULT_MS, maxEvents, maxCalls, retryMs },
          clock,
          id,
          onError,
        },
        max,
        maxPerOwner,
        ready,
      });
      return {
        get size() {
          return sessions.size;
        },
        serve: request => sessions.serve(request),
        ready() {
          const work = async (): Promise<void> => {
            await evicts();
            // Tested by writing, since a Redis that is full or read-only, or a cluster with an unavailable part, still answers
            // reads.
            await replica.show();
          };
          return inTime(work(), healthMs, clock, () => {
            throw new MidcallError(
              'store/unavailable',
              `The Redis of this fleet did not answer within ${healthMs / 1_000} seconds.`,
            );
          });
        },
        begin: () => sessions.begin(),
        idle: () => sessions.idle(),
        end: () => sessions.end(),
        async close() {
          await sessions.close();
          subscriber.disconnect();
          if (own) client.disconnect();
        },
      };
    },
  };
}

/** Milliseconds in which Redis must answer for a replica to be ready: a load balancer that asks does not wait long. */
const healthMs = 2_000;

/**
 * Checks that Redis does not evict values when its memory is full: it would lose claims, and an effect could happen twice.
 * @returns a function that throws MidcallError `server/setup` if this Redis evicts values to make room. If it may not be asked,
 *   it is assumed to keep them; once it has passed, it is not asked again.
 */
function evictionPolicy(commands: Commands): () => Promise<void> {
  let good = false;
  return async () => {
    if (good) return;
    let info: string;
    try {
      info = String(await commands.send('INFO', 'memory'));
    } catch (error) {
      if (/refuses INFO/.test((error as Error).message)) {
        good = true;
        return;
      }
      throw error;
    }
    const policy = /^maxmemory_policy:([\w-]+)/mu.exec(info)?.[1];
    if (policy !== undefined && policy !== 'noeviction') {
      throw new MidcallError(
        'server/setup',
        `The Redis of this fleet forgets values when its memory is full (maxmemory-policy ${policy}), so that an effect could ` +
          'happen twice. Nothing is served until maxmemory-policy is noeviction.',
      );
    }
    good = true;
  };
}
