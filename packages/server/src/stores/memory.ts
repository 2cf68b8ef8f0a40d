/**
 * The store of one process: a Map with a clock. For stdio servers, tests and trials; what it holds dies with the process.
 *
 * - memory-M1 It never drops a live value to make room: a forgotten claim would let a state be used twice. A full store
 *   refuses.
 * - memory-M2 What is expired goes as other values come, a few entries at a time, so that no call pays for all.
 */

import { MidcallError } from '@midcall/core/errors';
import { checkOptions, count, func } from '@midcall/core/options';
import type { Store } from '@midcall/core/store';
import { checkEntry, checkKey } from '@midcall/core/store';

export type { Store } from '@midcall/core/store';

/** What a memory store takes from outside. */
export interface MemoryStoreOptions {
  /** The clock, in milliseconds; `Date.now` if absent. */
  readonly now?: () => number;
  /** Live values at most; 100,000 if absent. */
  readonly maxEntries?: number;
  /** Characters of all keys and values at most; 268,435,456 if absent. */
  readonly maxCharacters?: number;
}

interface Entry {
  readonly value: string;
  /** The first millisecond at which it is gone. */
  readonly expires: number;
}

/** Entries looked at per write. Two, so that the walk is always faster than the growth. */
const STEPS = 2;
/** A full store is gone through again after this many milliseconds for each value it holds. */
const SWEEP_PAUSE_MS = 0.001;

/**
 * @returns a store; its methods fail with MidcallError `store/unavailable` when it is full, TypeError for bad input
 * @throws TypeError for bad options
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  checkOptions('memoryStore', options, { now: func, maxEntries: count, maxCharacters: count });
  const { now = Date.now, maxEntries = 100_000, maxCharacters = 268_435_456 } = options;
  const entries = new Map<string, Entry>();
  let characters = 0;
  let walk = entries.entries();
  /** Before this moment a walk over everything would free nothing, or too little for its cost. */
  let nextSweep = 0;

  const drop = (key: string): void => {
    const entry = entries.get(key);
    if (!entry) return;
    characters -= key.length + entry.value.length;
    entries.delete(key);
  };

  const live = (key: string): Entry | undefined => {
    const entry = entries.get(key);
    if (!entry || entry.expires > now()) return entry;
    drop(key);
    return undefined;
  };

  const tidy = (): void => {
    const time = now();
    for (let step = 0; step < STEPS; step++) {
      const next = walk.next();
      if (next.done) {
        walk = entries.entries();
        return;
      }
      if (next.value[1].expires <= time) drop(next.value[0]);
    }
  };

  const sweep = (): void => {
    const time = now();
    if (time < nextSweep) return;
    nextSweep = Number.POSITIVE_INFINITY;
    for (const [key, { expires }] of entries) {
      if (expires <= time) drop(key);
      else nextSweep = Math.min(nextSweep, expires);
    }
    nextSweep = Math.max(nextSweep, time + entries.size * SWEEP_PAUSE_MS);
  };

  const makeRoom = (more: number, longer: number): void => {
    const full = () => entries.size + more > maxEntries || characters + longer > maxCharacters;
    if (!full()) return;
    sweep();
    if (!full()) return;
    throw new MidcallError(
      'store/unavailable',
      `The memory store is full (${entries.size} values, ${characters} characters). ` +
        'Raise maxEntries or maxCharacters, or use SQLite or Redis.',
    );
  };

  return {
    async get(key) {
      checkKey(key);
      return live(key)?.value;
    },
    async set(key, value, set) {
      checkEntry(key, value, set);
      const current = live(key);
      if (set?.ifAbsent && current) return false;
      if (set?.ifEquals !== undefined && current?.value !== set.ifEquals) return false;
      if (!current) tidy();
      const longer = value.length - (current ? current.value.length : -key.length);
      makeRoom(current ? 0 : 1, longer);
      const expires = set?.ttlMs === undefined ? Number.POSITIVE_INFINITY : now() + set.ttlMs;
      nextSweep = Math.min(nextSweep, Math.max(expires, now() + entries.size * SWEEP_PAUSE_MS));
      entries.set(key, { value, expires });
      characters += longer;
      return true;
    },
    async delete(key) {
      checkKey(key);
      drop(key);
    },
    async take(key) {
      checkKey(key);
      const entry = live(key);
      drop(key);
      return entry?.value;
    },
  };
}
