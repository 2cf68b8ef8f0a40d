/**
 * Values that several processes change at once: each is replaced atomically, so that no change is lost. Changes of one value by
 * this process follow one another, so that they do not compete.
 */
import { MidcallError } from '@midcall/core/errors';
import type { Store } from '@midcall/core/store';
import type { Clock } from '@midcall/core/time';

/** Attempts to change a value that others are changing. */
const MOST_TRIES = 50;

/** What replaces a value. */
export interface Replacement {
  readonly text: string;
  /** When it expires, in milliseconds since the epoch. */
  readonly until: number;
}

/** What becomes of a value; undefined stands for none, and for nothing to change. */
type Change = (text: string | undefined) => Replacement | undefined | Promise<Replacement | undefined>;

export class CommonValues {
  readonly #store: Store;
  readonly #clock: Pick<Clock, 'now'>;
  /** The last change of each key, until it is made. */
  readonly #changing = new Map<string, Promise<boolean>>();

  constructor(store: Store, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * @param change - without effects, since it may be called again; returns undefined to change nothing
   * @returns false if nothing was to be changed
   * @throws MidcallError `store/unavailable`, and whatever `change` throws; then nothing has changed
   */
  async change(key: string, change: Change): Promise<boolean> {
    const before = this.#changing.get(key);
    const made = before ? before.catch(() => {}).then(() => this.#change(key, change)) : this.#change(key, change);
    this.#changing.set(key, made);
    try {
      return await made;
    } finally {
      if (this.#changing.get(key) === made) this.#changing.delete(key);
    }
  }

  async #change(key: string, change: Change): Promise<boolean> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const text = await this.#store.get(key);
      const next = await change(text);
      if (!next) return false;
      const ttlMs = Math.max(1, Math.ceil(next.until - this.#clock.now()));
      const condition = text === undefined ? { ifAbsent: true } : { ifEquals: text };
      if (await this.#store.set(key, next.text, { ttlMs, ...condition })) return true;
    }
    throw new MidcallError(
      'store/unavailable',
      'Too many processes are changing a value in the store at once. Try again.',
    );
  }
}
