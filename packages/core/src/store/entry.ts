/**
 * The limits of keys and values in every driver. Checked here so that no driver alters them in its own way: SQLite would cut a
 * text at U+0000, and UTF-8 has no spelling for half a surrogate pair, so that two keys would become one.
 */

/** How long a value lives, and what it may replace. */
export interface SetOptions {
  readonly ttlMs?: number;
  readonly ifAbsent?: boolean;
  readonly ifEquals?: string;
}

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
