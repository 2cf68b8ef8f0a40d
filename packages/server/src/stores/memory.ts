/**
 * The store of one process: a Map with a clock. For stdio servers, tests and trials; its contents are lost with the process.
 *
 * - memory-M1 It never drops a live value to make room: a forgotten claim would let a state be used twice. A full store refuses
 *   new values.
 * - memory-M2 Expired values are removed as new ones are added, a few at a time, so that no call pays for all.
 */

import { MidcallError } from '@midcall/core/errors';
import { checkOptions, count } from '@midcall/core/options';
import {
  BoundedTexts,
  checkEntry,
  checkKey,
  checkMembers,
  checkScore,
  type SortedSets,
  type Store,
} from '@midcall/core/store';
import { type Clock, nowKind, systemClock } from '@midcall/core/time';

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

/**
 * Sorted sets in memory. A range is searched for: they are read far less often than they are changed.
 * @param maxMembers - of all sets
 * @param maxCharacters - of all members
 * @returns sets that refuse a new member with MidcallError `store/unavailable` when they are full
 */
function memorySortedSets(maxMembers: number, maxCharacters: number): SortedSets {
  const sets = new Map<string, Map<string, number>>();
  let count = 0;
  let characters = 0;
  return {
    async add(set, member, score) {
      checkMembers(set, [member]);
      checkScore(score);
      const scores = sets.get(set) ?? new Map<string, number>();
      if (!scores.has(member)) {
        if (count >= maxMembers || characters + member.length > maxCharacters) throw full(count, characters);
        count += 1;
        characters += member.length;
        sets.set(set, scores);
      }
      scores.set(member, score);
    },
    async remove(set, members) {
      checkMembers(set, members);
      const scores = sets.get(set);
      for (const member of members) {
        if (!scores?.delete(member)) continue;
        count -= 1;
        characters -= member.length;
      }
      if (scores?.size === 0) sets.delete(set);
    },
    async range(set, max) {
      checkMembers(set, []);
      if (max !== undefined) checkScore(max);
      const found = [...(sets.get(set) ?? [])].filter(([, score]) => max === undefined || score <= max);
      return found.sort(([, a], [, b]) => a - b);
    },
  };
}

const full = (members: number, characters: number): MidcallError =>
  new MidcallError(
    'store/unavailable',
    `The sorted sets of the memory store are full (${members} members, ${characters} characters). ` +
      'Raise maxEntries or maxCharacters, or use SQLite or Redis.',
  );
