/**
 * What each person takes of the store, so that nobody takes what belongs to all: one account per person, in the store itself, so
 * that all processes that share the store keep to it together. Callers without a principal are one person.
 *
 * - shares-S1 Whatever would take more than its person may is refused before it is stored, and nothing else is touched.
 * - shares-S2 An account never has less than what is stored. It may have more if a process dies before it stores what it has
 *   taken room for, until the time of that is up.
 */
import { MidcallError } from '@midcall/core/errors';
import type { Store } from '@midcall/core/store';
import type { Clock } from '@midcall/core/time';
import { digest } from '../base/index.ts';
import { CommonValues } from './common-values.ts';

export interface SharesOptions {
  /** Where the accounts are. */
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  /** What one person may take, in characters. */
  readonly most: number;
  /** What all may take together, in characters; absent if only each person is bounded. */
  readonly mostInAll?: number;
  /** Times are rounded up to a multiple of this, in milliseconds, so that an account stays short; ten minutes if absent. */
  readonly roundMs?: number;
}

/** Something stored. */
export interface Taken {
  readonly characters: number;
  /** When its time is up, in milliseconds since the epoch. */
  readonly until: number;
}

/** Characters, by when their time is up in milliseconds since the epoch. */
type Account = Map<number, number>;

export class Shares {
  readonly #options: SharesOptions;
  readonly #values: CommonValues;

  constructor(options: SharesOptions) {
    this.#options = options;
    this.#values = new CommonValues(options.store, options.clock);
  }

  /**
   * Takes room for something that is about to be stored.
   * @param person - as `principalKey` names them
   * @param replaces - what it replaces, whose room is given back
   * @throws MidcallError `call/too-many` if there is not enough, or `store/unavailable`; then it must not be stored
   */
  async take(person: string, taken: Taken, replaces?: Taken): Promise<void> {
    const { most, mostInAll } = this.#options;
    await this.#take(keyOf(person), taken, most, replaces);
    if (mostInAll === undefined) return;
    try {
      await this.#take(ALL, taken, mostInAll, replaces);
    } catch (error) {
      await this.#give(keyOf(person), taken);
      throw error;
    }
  }

  /** Gives room back, since something was removed before its time; never rejects. See `take`. */
  async give(person: string, taken: Taken): Promise<void> {
    await this.#give(keyOf(person), taken);
    if (this.#options.mostInAll !== undefined) await this.#give(ALL, taken);
  }

  #take(key: string, { characters, until }: Taken, most: number, replaces: Taken | undefined): Promise<void> {
    return this.#change(key, account => {
      if (replaces) this.#less(account, replaces);
      let sum = characters;
      for (const each of account.values()) sum += each;
      if (sum > most) throw new MidcallError('call/too-many', takesTooMuch(most));
      const at = this.#rounded(until);
      account.set(at, (account.get(at) ?? 0) + characters);
    });
  }

  #give(key: string, taken: Taken): Promise<void> {
    // Otherwise it counts until its time is up.
    return this.#change(key, account => this.#less(account, taken)).catch(() => {});
  }

  #less(account: Account, { characters, until }: Taken): void {
    const at = this.#rounded(until);
    const left = (account.get(at) ?? 0) - characters;
    if (left > 0) account.set(at, left);
    else account.delete(at);
  }

  async #change(key: string, change: (account: Account) => void): Promise<void> {
    await this.#values.change(key, text => {
      const now = this.#options.clock.now();
      const entries = text === undefined ? [] : (JSON.parse(text) as [number, number][]);
      const account: Account = new Map(entries.filter(([until]) => until > now));
      change(account);
      const next = JSON.stringify([...account]);
      return next === (text ?? '[]') ? undefined : { text: next, until: Math.max(now, ...account.keys()) };
    });
  }

  #rounded(until: number): number {
    const { roundMs = 600_000 } = this.#options;
    return Math.ceil(until / roundMs) * roundMs;
  }
}

const keyOf = (person: string): string => `share:${digest(person)}`;
/** The account of all, which is nobody's digest. */
const ALL = 'share:all';

const takesTooMuch = (most: number): string =>
  `This server stores ${most} characters for the waiting calls of one person, and this call does not fit in beside the others. ` +
  'What it did before stays done. To make room, answer or cancel some of the waiting calls, or wait until they expire.';
