/**
 * Records which replica owns something that only one of them may have, such as a process that belongs to one caller. The first
 * replica asked for it owns it until it ends, and the others forward requests about it.
 *
 * - redis-owners-O1 Of several replicas that ask at once, one gets it.
 * - redis-owners-O2 A replica loses what it owns only once it is dead, as in `Replica`. One that was merely slow finds out when
 *   it next asks.
 * - redis-owners-O3 An address is sealed, so that access to Redis alone does not allow redirecting anybody.
 */
import { randomBytes } from 'node:crypto';
import { MidcallError } from '@midcall/core/errors';
import { anything, checkOptions, func, name, positive, required } from '@midcall/core/options';
import { type Clock, clockKind, idleClock } from '@midcall/core/time';
import { shortDigest } from '../base/index.ts';
import { createSealer, type KeySource } from '../state/index.ts';
import { Commands, clientOf, connectionKind, type FleetConnection, isClient } from './commands.ts';
import { FleetKeys } from './keys.ts';
import { sharedKeys } from './member.ts';
import { Replica } from './replica.ts';
import { takeOwned } from './scripts.ts';

const changed =
  'The address of a replica of this fleet was changed in Redis, or written without its key. Find out who else can write there.';
/** Why a stored address cannot be used. */
const unreadable = {
  'unknown-key': 'The address of a replica of this fleet is sealed with another key. Give all replicas the same keys.',
  malformed: changed,
  tampered: changed,
} as const;

/** The options of owners. */
export interface RedisOwnersOptions {
  /** As in `redisFleet`. */
  readonly connection: FleetConnection;
  /** The address at which the other replicas reach this one. */
  readonly address: URL;
  /** As in `redisFleet`, and the same in every replica. */
  readonly key?: KeySource;
  /** The prefix of every key; `midcall:owners:` if absent. */
  readonly prefix?: string;
  /** Milliseconds after which a replica without a sign of life counts as dead; 5,000 if absent. */
  readonly presenceMs?: number;
  /** Milliseconds a command may take; 5,000 if absent. */
  readonly timeoutMs?: number;
  /** Called with errors in the background. */
  readonly onError?: (error: unknown) => void;
  /** The current time, and timers; this machine's clock if absent. */
  readonly clock?: Clock;
}

/** Which replica owns what. */
export interface Owners {
  /**
   * Returns the owner of something. If it has none, this replica owns it from now on.
   * @param name - the same in every replica; Redis sees a digest of it
   * @returns `here`, or the address of the replica that owns it
   * @throws MidcallError `store/unavailable` if Redis cannot be used now, or has lost the address; `store/corrupt` if the
   *   address was not written with this fleet's key; `call/closed` once this replica is leaving
   */
  ownerOf(name: string): Promise<'here' | URL>;
  /** Gives up everything this replica owns, and takes nothing more; others' ownership can still be looked up. */
  leave(): Promise<void>;
  /** Leaves, and ends the connection. */
  close(): Promise<void>;
}

/** How long an owner is remembered without being asked for, in milliseconds. */
const KNOWN_MS = 7 * 24 * 60 * 60_000;
const PURPOSE = 'owners';
/** How long an address outlives its replica's last sign of life, in milliseconds, unless signs are more frequent. */
const ADDRESS_MS = 10 * 60_000;

/**
 * @returns the owners recorded in one Redis
 * @throws MidcallError `server/setup` if there is no key that replicas could share, or `ioredis` is not installed; TypeError
 *   for bad options
 * @example
 * ```ts
 * const owners = await redisOwners({ connection: 'redis://redis:6379', address: new URL('http://10.0.0.7:3000'), key });
 * ```
 */
export async function redisOwners(options: RedisOwnersOptions): Promise<Owners> {
  checkOptions('redisOwners', options, {
    connection: required(connectionKind),
    address: required({ words: 'a URL', fits: value => value instanceof URL }),
    key: anything,
    prefix: name,
    presenceMs: positive,
    timeoutMs: positive,
    onError: func,
    clock: clockKind,
  });
  const ring = sharedKeys('redisOwners', options.key);
  const { connection, address, prefix = 'midcall:owners:', presenceMs = 5_000, timeoutMs = 5_000 } = options;
  const { onError = () => {}, clock = idleClock } = options;
  const own = !isClient(connection);
  const client = await clientOf('redisOwners', connection);
  const sealer = createSealer(ring);
  const keys = new FleetKeys(prefix);
  const commands = new Commands(client, { timeoutMs, clock });
  const subscriber = client.duplicate();
  subscriber.on('error', onError as never);
  const id = randomBytes(16).toString('base64url');
  const replica = new Replica({
    ...{ id, commands, subscriber, keys, presenceMs, clock, onError },
    graceMs: ADDRESS_MS,
  });
  const showAddress = async (): Promise<void> => {
    const place = keys.address(id);
    const sealed = sealer.seal(address.href, PURPOSE, place);
    await commands.send('SET', place, sealed, 'PX', String(ADDRESS_MS + presenceMs));
  };
  replica.start({ dead() {}, turn: () => void showAddress().catch(onError) });
  let hasLeft = false;
  let isShown = false;

  const addressOf = async (holder: string): Promise<URL> => {
    const place = keys.address(holder);
    const sealed = (await commands.send('GET', place)) as string | null;
    // Its replica is alive, and publishes it again at its next turn.
    if (sealed === null)
      throw new MidcallError(
        'store/unavailable',
        'Redis has lost the address of a replica of this fleet. Try again later.',
      );
    const opened = sealer.open(sealed, PURPOSE, place);
    if (opened.ok) return new URL(opened.payload as string);
    throw new MidcallError('store/corrupt', unreadable[opened.reason]);
  };
  const leave = async (): Promise<void> => {
    hasLeft = true;
    await replica.close();
  };

  return {
    async ownerOf(what) {
      const key = keys.owned(shortDigest(['owned', what]));
      for (;;) {
        if (!hasLeft && !replica.present) await replica.show();
        const holder = (await commands.send('GETEX', key, 'PX', String(KNOWN_MS))) as string | null;
        if (holder === id && !hasLeft) return 'here';
        if (holder !== null && holder !== id && (await replica.isAlive(holder))) return addressOf(holder);
        if (hasLeft) throw new MidcallError('call/closed', 'This replica is closing.');
        // A redirected client must find the address.
        if (!isShown) await showAddress();
        isShown = true;
        await commands.run(takeOwned, key, holder ?? '', id, KNOWN_MS);
      }
    },
    leave,
    async close() {
      await leave().catch(onError);
      subscriber.disconnect();
      if (own) client.disconnect();
    },
  };
}
