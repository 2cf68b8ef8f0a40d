/**
 * A store whose every operation ends: every store is used through this, so that a silent connection fails a call instead of
 * blocking it forever. Errors that are not ours are not repeated, since clients are told ours, and those of a database may
 * contain its address and its password.
 *
 * An abandoned operation may still be carried out later. Callers are safe: they do not act on a claim unless it is known to be
 * held, and an unacknowledged operation counts as not done.
 */
import { isMidcallError, MidcallError } from '../errors/index.ts';
import { type Clock, inTime, MAX_TIMER_MS, systemClock } from '../time/index.ts';
import type { Store } from './store.ts';

/** Longer than a client needs to reconnect, and shorter than callers wait. */
const DEFAULT_TIMEOUT_MS = 15_000;

const bounded = new WeakSet<Store>();

/**
 * @returns a store whose operations fail with MidcallError `store/unavailable` if they take longer than `store.timeoutMs`, or
 *   fail with an error that is not ours, which is then the `cause`
 */
export function boundedStore(store: Store, clock: Pick<Clock, 'after'> = systemClock): Store {
  if (bounded.has(store)) return store;
  const timeoutMs = Math.min(store.timeoutMs ?? DEFAULT_TIMEOUT_MS, MAX_TIMER_MS);
  const late = (): never => {
    throw unanswered(timeoutMs);
  };
  const within = <T>(operate: () => Promise<T>): Promise<T> =>
    inTime(operate(), timeoutMs, clock, late).catch((error: unknown) => {
      throw isMidcallError(error) ? error : failed(error);
    });
  const { sortedSets: sets } = store;
  const guarded: Store = {
    timeoutMs,
    get: key => within(async () => store.get(key)),
    set: (key, value, options) => within(async () => store.set(key, value, options)),
    delete: key => within(async () => store.delete(key)),
    take: key => within(async () => store.take(key)),
    sortedSets: {
      add: (set, member, score) => within(async () => sets.add(set, member, score)),
      remove: (set, members) => within(async () => sets.remove(set, members)),
      range: (set, max) => within(async () => sets.range(set, max)),
    },
  };
  bounded.add(guarded);
  return guarded;
}

const unanswered = (ms: number): MidcallError =>
  new MidcallError(
    'store/unavailable',
    `The store did not answer within ${ms / 1000} seconds. Check that it runs and can be reached, then try again.`,
  );

const failed = (cause: unknown): MidcallError =>
  new MidcallError(
    'store/unavailable',
    "The server's store has failed. Try again; if it goes on, tell whoever operates the server.",
    { cause },
  );
