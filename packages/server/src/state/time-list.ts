/**
 * Names, each with a time, that have to be found without knowing them: waiting jobs, and waiting calls. They are a sorted set of
 * the store, so the cost of a change does not depend on the length of the list.
 */
import type { SortedSets, Store } from '@midcall/core/store';

/** Names whose time has been past for this long are searched for this often, in milliseconds. */
const TIDY_MS = 60 * 60_000;

export class TimeList {
  readonly #sets: SortedSets;
  readonly #name: string;
  readonly #past: () => number;
  /** Names to remove. */
  #dropped = new Set<string>();
  /** The members that are being removed. */
  #leaving: ReadonlySet<string> = new Set();
  #removing: Promise<void> | undefined;
  #nextTidy = 0;

  /**
   * @param name - of the list in the store
   * @param past - names whose time is long before this are removed; none if absent
   */
  constructor({ sortedSets }: Pick<Store, 'sortedSets'>, name: string, past = () => Number.NEGATIVE_INFINITY) {
    this.#sets = sortedSets;
    this.#name = name;
    this.#past = past;
  }

  /** Puts a name on the list, or gives it another time. @throws MidcallError `store/unavailable` */
  async put(name: string, at: number): Promise<void> {
    // Otherwise its removal could come after it.
    if (this.#leaving.has(name)) await this.#removing?.catch(() => {});
    this.#dropped.delete(name);
    const added = this.#sets.add(this.#name, name, scoreOf(at));
    // What cannot be removed now is removed later.
    await Promise.all([added, this.#tidy().catch(() => {})]);
  }

  /** Takes a name off the list, with the next name that is put, or by `flush`: finding a removed name again is harmless. */
  drop(name: string): void {
    this.#dropped.add(name);
  }

  /** Removes what was dropped. @throws MidcallError `store/unavailable` */
  async flush(): Promise<void> {
    await this.#removing?.catch(() => {});
    await this.#remove();
  }

  /**
   * @param until - the latest time, in milliseconds since the epoch; every time if absent
   * @returns the names, with their times; none that this process has taken off
   * @throws MidcallError `store/unavailable`
   */
  async read(until?: number): Promise<ReadonlyMap<string, number>> {
    const taken = [this.#dropped, this.#leaving];
    const found = await this.#sets.range(this.#name, until === undefined ? undefined : Math.floor(until));
    const times = new Map(found);
    for (const names of [...taken, this.#dropped, this.#leaving]) for (const name of names) times.delete(name);
    return times;
  }

  async #tidy(): Promise<void> {
    const past = this.#past();
    if (past >= this.#nextTidy) {
      this.#nextTidy = past + TIDY_MS;
      // Well past, so that none of them is being put again, with another time.
      for (const [name] of await this.#sets.range(this.#name, Math.floor(past) - TIDY_MS)) this.#dropped.add(name);
    }
    await this.#remove();
  }

  /** Resolves when everything dropped before the call is removed. */
  async #remove(): Promise<void> {
    if (this.#removing) return this.#removing;
    if (this.#dropped.size === 0) return;
    this.#leaving = this.#dropped;
    this.#dropped = new Set();
    this.#removing = this.#removeLeaving();
    return this.#removing;
  }

  async #removeLeaving(): Promise<void> {
    try {
      await this.#sets.remove(this.#name, [...this.#leaving]);
    } catch (error) {
      for (const name of this.#leaving) this.#dropped.add(name);
      throw error;
    } finally {
      this.#leaving = new Set();
      this.#removing = undefined;
    }
  }
}

/** A name is not found before its time. */
const scoreOf = (at: number): number => Math.min(Math.ceil(at), Number.MAX_SAFE_INTEGER);
