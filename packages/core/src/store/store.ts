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

/** How long a value lives, and what it may replace. */
export interface SetOptions {
  readonly ttlMs?: number;
  readonly ifAbsent?: boolean;
  readonly ifEquals?: string;
}

/**
 * Sets whose members each have a score, by which they are found in order: what Midcall has to find without knowing its key, such
 * as waiting calls by their deadlines.
 *
 * - store-S5 `add` and `remove` change one member each, atomically across every process that shares the store: of changes made
 *   at once none is lost, and what is acknowledged is there after `kill -9`.
 */
export interface SortedSets {
  /**
   * Adds a member, or gives it another score.
   * @param set - as a key of the store; sets and values of the same name have nothing to do with each other
   * @param member - as a key of the store
   * @param score - a whole number that JavaScript represents exactly
   */
  add(set: string, member: string, score: number): Promise<void>;
  /** Removes members; nothing happens for those that are not in the set. */
  remove(set: string, members: readonly string[]): Promise<void>;
  /**
   * @param max - the highest score to return; every member if absent
   * @returns the members with their scores, the lowest score first
   */
  range(set: string, max?: number): Promise<readonly (readonly [member: string, score: number])[]>;
}

// Keys and values are checked here so that no driver alters them in its own way: SQLite would cut a text at U+0000, and UTF-8
// has no spelling for half a surrogate pair, so that two keys would become one.
const MAX_KEY = 1_024;
/** A thousand years: a clock in milliseconds, a Redis TTL and a double can all represent it exactly. */
const MAX_TTL = 31_556_952_000_000;

/** @throws TypeError if a key is not a text of 1 to 1,024 characters, or not storable */
export function checkKey(key: string): void {
  if (typeof key !== 'string' || key.length === 0 || key.length > MAX_KEY) {
    throw new TypeError(`A store key must be a string of 1 to ${MAX_KEY} characters.`);
  }
  if (!storable(key)) throw new TypeError('A store key must not contain U+0000 or half a surrogate pair.');
}

/** @throws TypeError if a value is not storable, or a time to live is not a positive whole number of milliseconds */
export function checkEntry(key: string, value: string, options: SetOptions | undefined): void {
  checkKey(key);
  if (typeof value !== 'string') throw new TypeError('A store value must be a string.');
  if (!storable(value)) throw new TypeError('A store value must not contain U+0000 or half a surrogate pair.');
  const { ttlMs, ifAbsent, ifEquals } = options ?? {};
  if (ifEquals !== undefined && (ifAbsent || typeof ifEquals !== 'string' || !storable(ifEquals))) {
    throw new TypeError('ifEquals must be a value of the store, and cannot be combined with ifAbsent.');
  }
  if (ttlMs !== undefined && !(Number.isSafeInteger(ttlMs) && ttlMs >= 1 && ttlMs <= MAX_TTL)) {
    throw new TypeError('ttlMs must be a whole number of milliseconds, 1 or more.');
  }
}

/** Both checks run over the text in native code; a regular expression takes ten times as long. */
const storable = (text: string): boolean =>
  !text.includes('\0') && (text as string & { isWellFormed(): boolean }).isWellFormed();

/** @throws TypeError for a name or a member that a store cannot hold as a key */
export function checkMembers(set: string, members: readonly string[]): void {
  checkKey(set);
  for (const member of members) checkKey(member);
}

/** @throws TypeError for a score that is not a whole number, or is too large to be represented exactly */
export function checkScore(score: number): void {
  if (!Number.isSafeInteger(score)) throw new TypeError('A score must be a whole number from -(2^53 - 1) to 2^53 - 1.');
}
