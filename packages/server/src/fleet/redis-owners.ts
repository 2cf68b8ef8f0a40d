/**
 * Which replica has what only one of them may have, such as a process that belongs to one caller. Whoever is asked for it first
 * has it until it ends, and the others send to it what it is about.
 *
 * - redis-owners-O1 Of several replicas that ask at once, one has it.
 * - redis-owners-O2 What a replica has is taken from it only once it is dead, as of `Replica`. One that was merely slow finds out
 *   when it is asked next.
 * - redis-owners-O3 An address is sealed, so that whoever has only Redis can send nobody elsewhere.
 */
import { randomBytes } from 'node:crypto';
import { MidcallError } from '@midcall/core/errors';
import { anything, checkOptions, func, name, positive, required } from '@midcall/core/options';
import { type Clock, clockKind, idleClock } from '@midcall/core/time';
import { digest } from '../digest.ts';
import { type KeySource, keyRing } from '../state/keys.ts';
import { createSealer } from '../state/seal.ts';
import { sealUnder } from '../state/sealed-under.ts';
import { Commands } from './commands.ts';
import { clientOf, connectionKind, type FleetConnection, isClient } from './connection.ts';
import { FleetKeys } from './keys.ts';
import { Replica } from './replica.ts';
import { takeOwned } from './scripts.ts';

const changed =
  'The address of a replica of this fleet was changed in Redis, or written without its key. Find out who else can write there.';
/** Why an address that is there leads nowhere. */
const unreadable = {
  'unknown-key': 'The address of a replica of this fleet is sealed with another key. Give all replicas the same keys.',
  malformed: changed,
  tampered: changed,
} as const;

/** What owners are built from. */
export interface RedisOwnersOptions {
  /** As in `redisFleet`. */
  readonly connection: FleetConnection;
  /** Where the other replicas reach this one. */
  readonly address: URL;
  /** As in `redisFleet`, and the same in every replica. */
  readonly key?: KeySource;
  /** In front of every key; `midcall:owners:` where absent. */
  readonly prefix?: string;
  /** Milliseconds after which a replica that shows no sign is taken to be dead; 5,000 where absent. */
  readonly presenceMs?: number;
  /** Milliseconds a command may take; 5,000 where absent. */
  readonly timeoutMs?: number;
  /** Told of what went wrong between two questions. */
  readonly onError?: (error: unknown) => void;
  /** The current time, and timers; this machine's clock where absent. */
  readonly clock?: Clock;
}

/** Who has what. */
export interface Owners {
  /**
   * Who has something. Where nobody does, this replica has it from now on.
   * @param name - the same in every replica; Redis sees a digest of it
   * @returns `here`, or the address of the replica that has it
   * @throws MidcallError `store/unavailable` if Redis cannot be used now, or has lost the address; `store/corrupt` if the address
   *   was not written with the key of this fleet; `call/closed` once this replica takes nothing any more
   */
  ownerOf(name: string): Promise<'here' | URL>;
  /** Leaves all that this replica has to the others, and takes no more; what others have can still be asked. */
  leave(): Promise<void>;
  /** Leaves, and ends the connection. */
  close(): Promise<void>;
}

/** Milliseconds for which it is known who has what nobody asks for. */
const KNOWN_MS = 7 * 24 * 60 * 60_000;
const PURPOSE = 'owners';
/** Milliseconds, unless a sign is to be given more often, for which an address outlives the last sign of its replica. */
const ADDRESS_MS = 10 * 60_000;

/**
 * @returns who has what, over one Redis
 * @throws MidcallError `server/setup` where there is no key that replicas could share, or `ioredis` is not installed; TypeError
 *   for bad options
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
  const ring = keyRing(options.key);
  if (ring.ephemeral) {
    throw new MidcallError(
      'server/setup',
      'Owners need a key that all replicas share: give redisOwners a key, or set MIDCALL_KEY. Make one with: openssl rand -base64 32',
    );
  }
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
    const sealed = sealUnder(sealer, PURPOSE, place, address.href);
    await commands.send('SET', place, sealed, 'PX', String(ADDRESS_MS + presenceMs));
  };
  replica.start({ dead() {}, turn: () => void showAddress().catch(onError) });
  let hasLeft = false;
  let isShown = false;

  const addressOf = async (holder: string): Promise<URL> => {
    const place = keys.address(holder);
    const sealed = (await commands.send('GET', place)) as string | null;
    // Its replica is alive, and shows it again at its next turn.
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
      const key = keys.owned(digest(['owned', what]).slice(0, 22));
      for (;;) {
        if (!hasLeft && !replica.present) await replica.show();
        const holder = (await commands.send('GETEX', key, 'PX', String(KNOWN_MS))) as string | null;
        if (holder === id && !hasLeft) return 'here';
        if (holder !== null && holder !== id && (await replica.isAlive(holder))) return addressOf(holder);
        if (hasLeft) throw new MidcallError('call/closed', 'This replica is closing.');
        // Whoever is sent here has to find the address.
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
