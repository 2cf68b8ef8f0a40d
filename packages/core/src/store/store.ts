import type { SetOptions } from './entry.ts';
import type { SortedSets } from './sorted-sets.ts';

/**
 * Where claims, journals, tickets and vault entries are stored: values under keys, and sorted sets. Which operations are atomic
 * is part of the contract (`@midcall/testing` publishes the suite a driver must pass; store-S5 is about {@link SortedSets}):
 *
 * - store-S1 `set` with `ifAbsent` or `ifEquals` and `take` are atomic across every process that shares the store.
 * - store-S2 a value is returned byte for byte, or not at all; never half-written, even after `kill -9`.
 * - store-S3 past its `ttlMs` a value is absent for every method, `set` with `ifAbsent` or `ifEquals` included.
 * - store-S4 `set` replaces a value atomically: a concurrent reader sees the old value or the new one, never none.
 */
export interface Store {
  /** Milliseconds after which Midcall gives up on an operation with `store/unavailable`; 15,000 if absent. */
  readonly timeoutMs?: number;
  /** @returns the value, or undefined if there is none or its time is up */
  get(key: string): Promise<string | undefined>;
  /**
   * Writes a value.
   * @param options - `ttlMs`: milliseconds to live, forever if absent; `ifAbsent`: write only if no live value is;
   *   `ifEquals`: write only if this is the live value
   * @returns true if it was written; false only with `ifAbsent` or `ifEquals`
   * @throws TypeError if both conditions are given
   */
  set(key: string, value: string, options?: SetOptions): Promise<boolean>;
  /** Removes a value; nothing happens if there is none. */
  delete(key: string): Promise<void>;
  /** Removes a value and returns it: of all concurrent takers exactly one gets it. */
  take(key: string): Promise<string | undefined>;
  readonly sortedSets: SortedSets;
}
