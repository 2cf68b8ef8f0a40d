/** What all parts of one fleet share in one process: its connection, its names, its seal, and itself as a replica. */
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import type { Store } from '@midcall/core/store';
import { type Clock, pause } from '@midcall/core/time';
import { type KeyRing, type KeySource, keyRing, openUnder, type Sealer } from '../state/index.ts';
import type { Commands } from './commands.ts';
import type { FleetKeys } from './keys.ts';
import type { Replica } from './replica.ts';

/** How long things are kept, and how much of them. */
export interface FleetLimits {
  /** Milliseconds a session may be unused. */
  readonly idleMs: number;
  /** Milliseconds a call is kept while it is unknown whether it will be continued. */
  readonly callMs: number;
  /** Milliseconds for which a client that lost its connection may still fetch a call's result. */
  readonly retentionMs: number;
  /** Events of one stream. */
  readonly maxEvents: number;
  /** Calls in progress of one session. */
  readonly maxCalls: number;
  /** Milliseconds after which a client should reconnect. */
  readonly retryMs: number;
}

export interface Member {
  readonly commands: Commands;
  readonly keys: FleetKeys;
  readonly sealer: Sealer;
  readonly replica: Replica;
  /** Where steps are recorded; sealed. */
  readonly stepStore: Store;
  readonly limits: FleetLimits;
  readonly clock: Clock;
  readonly id: () => string;
  readonly onError: (error: unknown) => void;
}

/**
 * @param of - what needs the keys, as its caller writes it
 * @throws MidcallError `server/setup` if there is no key that replicas could share
 */
export function sharedKeys(of: string, source: KeySource | undefined): KeyRing {
  const ring = keyRing(source);
  if (!ring.ephemeral) return ring;
  throw new MidcallError(
    'server/setup',
    `${of} needs a key that all replicas share: give it one, or set MIDCALL_KEY. Make one with: openssl rand -base64 32`,
  );
}

const PURPOSE = 'fleet';

/** Seals a value for one place. */
export const sealAt = ({ sealer }: Member, place: string, value: unknown): string => sealer.seal(value, PURPOSE, place);

/** @returns undefined if it was not sealed with this fleet's key, or for another place */
export const openAt = <T>({ sealer }: Member, place: string, text: unknown): T | undefined =>
  typeof text === 'string' && text !== '' ? (openUnder(sealer, PURPOSE, place, text) as T | undefined) : undefined;

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Retries until Redis has accepted it: for a call's result, which must not be lost because Redis was unavailable.
 * @param goesOn - false if it is not wanted any more
 */
export async function persist<T>(
  { clock }: Pick<Member, 'clock'>,
  work: () => Promise<T>,
  goesOn: () => boolean,
): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isMidcallError(error, 'store/unavailable') || !goesOn()) throw error;
      await pause(pauseMs, clock);
    }
  }
}
