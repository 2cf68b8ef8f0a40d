import type { SetOptions } from './entry.ts';

/**
 * Where claims, journals, tickets and vault entries live. Four methods; which are atomic is part of the contract
 * (`@midcall/testing` publishes the suite a driver must pass):
 *
 * - store-S1 `set` with `ifAbsent` or `ifEquals` and `take` are atomic across every process that shares the store.
 * - store-S2 a value is returned byte for byte, or not at all; never half-written, also after `kill -9`.
 * - store-S3 past its `ttlMs` a value is absent for every method, `set` with `ifAbsent` or `ifEquals` included.
 * - store-S4 `set` replaces a value in one motion: a reader beside it sees the old value or the new one, never none.
 */
export interface Store {
  /** Milliseconds after which Midcall gives an operation up with `store/unavailable`; 15,000 where absent. */
  readonly timeoutMs?: number;
  /** @returns the value, or undefined where there is none or its time is up */
  get(key: string): Promise<string | undefined>;
  /**
   * Writes a value.
   * @param options - `ttlMs`: milliseconds to live, for ever where absent; `ifAbsent`: write only where no live value is;
   *   `ifEquals`: write only where this is the live value
   * @returns true where it was written; false only with `ifAbsent` or `ifEquals`
   * @throws TypeError where both conditions are given
   */
  set(key: string, value: string, options?: SetOptions): Promise<boolean>;
  /** Removes a value; nothing happens where there is none. */
  delete(key: string): Promise<void>;
  /** Removes a value and returns it: of all concurrent takers exactly one gets it. */
  take(key: string): Promise<string | undefined>;
}
