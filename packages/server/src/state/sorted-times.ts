/** A list of names with their times in a sorted set of a store: a change costs what it says, however long the list is. */
import type { SortedSets } from '@midcall/core/store';

/** Names whose time has been past for this long are searched for this often, in milliseconds. */
const TIDY_MS = 60 * 60_000;

export class SortedTimes {
  readonly #sets: SortedSets;
  readonly #set: string;
  readonly #past: () => number;
  /** Names to remove. */
  #dropped = new Set<string>();
  /** Those that are being removed. */
  #leaving: ReadonlySet<string> = new Set();
  #removing: Promise<void> | undefined;
  #nextTidy = 0;

  /** @param past - names whose time is long before this are removed */
  constructor(sets: SortedSets, set: string, past: () => number) {
    this.#sets = sets;
    this.#set = set;
    this.#past = past;
  }

  /** See TimeList.put. */
  async put(name: string, at: number): Promise<void> {
    // Otherwise its removal could come after it.
    if (this.#leaving.has(name)) await this.#removing?.catch(() => {});
    this.#dropped.delete(name);
    const added = this.#sets.add(this.#set, name, scoreOf(at));
    // What cannot be removed now is removed later.
    await Promise.all([added, this.#tidy().catch(() => {})]);
  }

  /** With the next name that is put, or by `flush`. See TimeList.drop. */
  drop(name: string): void {
    this.#dropped.add(name);
  }

  /** See TimeList.flush. */
  async flush(): Promise<void> {
    await this.#removing?.catch(() => {});
    await this.#remove();
  }

  /** See TimeList.read. */
  async read(until?: number): Promise<ReadonlyMap<string, number>> {
    const taken = [this.#dropped, this.#leaving];
    const found = await this.#sets.range(this.#set, until === undefined ? undefined : Math.floor(until));
    const times = new Map(found);
    for (const names of [...taken, this.#dropped, this.#leaving]) for (const name of names) times.delete(name);
    return times;
  }

  async #tidy(): Promise<void> {
    const past = this.#past();
    if (past >= this.#nextTidy) {
      this.#nextTidy = past + TIDY_MS;
      // Well past, so that none of them is being put again, with another time.
      for (const [name] of await this.#sets.range(this.#set, Math.floor(past) - TIDY_MS)) this.#dropped.add(name);
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
      await this.#sets.remove(this.#set, [...this.#leaving]);
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
