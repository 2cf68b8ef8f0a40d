/**
 * The store of one process: a Map with a clock. For stdio servers, tests and trials; its contents are lost with the process.
 *
 * - memory-M1 It never drops a live value to make room: a forgotten claim would let a state be used twice. A full store refuses
 *   new values.
 * - memory-M2 Expired values are removed as new ones are added, a few at a time, so that no call pays for all.
 */

import { MidcallError } from '@midcall/core/errors';
import { checkOptions, count } from '@midcall/core/options';
import type { Store } from '@midcall/core/store';
import { BoundedTexts, checkEntry, checkKey } from '@midcall/core/store';
import { type Clock, nowKind, systemClock } from '@midcall/core/time';
import { memorySortedSets } from './memory-sorted-sets.ts';

export type { Store } from '@midcall/core/store';

/** The options of a memory store. */
export interface MemoryStoreOptions {
  /** The current time, and timers; this machine's clock if absent. */
  readonly clock?: Pick<Clock, 'now'>;
  /** Live values at most, and as many members of sorted sets; 100,000 if absent. */
  readonly maxEntries?: number;
  /** Characters of all keys and values at most, and as many of all members; 268,435,456 if absent. */
  readonly maxCharacters?: number;
}

/**
 * @returns a store; its methods fail with MidcallError `store/unavailable` when it is full, TypeError for bad input
 * @throws TypeError for bad options
 * @example
 * ```ts
 * const mid = midcall({ key, store: memoryStore() }); // for one process
 * ```
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  checkOptions('memoryStore', options, { clock: nowKind, maxEntries: count, maxCharacters: count });
  const { clock = systemClock, maxEntries = 100_000, maxCharacters = 268_435_456 } = options;
  const texts = new BoundedTexts(clock, maxEntries, maxCharacters);

  return {
    async get(key) {
      checkKey(key);
      return texts.get(key);
    },
    async set(key, value, set) {
      checkEntry(key, value, set);
      if (set?.ifAbsent && texts.get(key) !== undefined) return false;
      if (set?.ifEquals !== undefined && texts.get(key) !== set.ifEquals) return false;
      const expires = set?.ttlMs === undefined ? Number.POSITIVE_INFINITY : clock.now() + set.ttlMs;
      if (texts.set(key, value, expires)) return true;
      throw new MidcallError(
        'store/unavailable',
        `The memory store is full (${texts.size} values, ${texts.characters} characters). ` +
          'Raise maxEntries or maxCharacters, or use SQLite or Redis.',
      );
    },
    async delete(key) {
      checkKey(key);
      texts.delete(key);
    },
    async take(key) {
      checkKey(key);
      const value = texts.get(key);
      texts.delete(key);
      return value;
    },
    sortedSets: memorySortedSets(maxEntries, maxCharacters),
  };
}
