/**
 * Where claims, journals, tickets and vault entries live. Four methods; which are atomic is part of the contract
 * (`midcall/testing` publishes the suite a driver must pass):
 *
 * - S1 `set` with `ifAbsent` and `take` are atomic across every process that shares the store.
 * - S2 a value is returned byte for byte, or not at all; never half-written, also after `kill -9`.
 * - S3 past its `ttlMs` a value is absent for every method, `set` with `ifAbsent` included.
 */
export interface Store {
  /** @returns the value, or undefined where there is none or its time is up */
  get(key: string): Promise<string | undefined>;
  /**
   * Writes a value.
   * @param options - `ttlMs`: milliseconds to live, for ever where absent; `ifAbsent`: write only where no live value is
   * @returns true where it was written; false only with `ifAbsent`
   */
  set(key: string, value: string, options?: { readonly ttlMs?: number; readonly ifAbsent?: boolean }): Promise<boolean>;
  /** Removes a value; nothing happens where there is none. */
  delete(key: string): Promise<void>;
  /** Removes a value and returns it: of all concurrent takers exactly one gets it. */
  take(key: string): Promise<string | undefined>;
}
