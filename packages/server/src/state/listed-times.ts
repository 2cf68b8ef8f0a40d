/**
 * A list of names with their times in a few values of a store that has no sorted sets. Each value is replaced atomically, so
 * that no change is lost if two processes make one at once. Changes of one value that come while it is being written are
 * written together.
 */
import { MidcallError } from '@midcall/core/errors';
import type { Store } from '@midcall/core/store';

const PARTS = 64;
/** Attempts to change a value that others are changing. */
const MOST_TRIES = 100;
/** Longer values are read again before they are changed, in characters, so that the list takes no memory. */
const MOST_REMEMBERED = 1_024;

/** The time of a name, in milliseconds since the epoch; undefined takes it off. */
type Change = number | undefined;

interface Part {
  readonly key: string;
  /** The value as last written by this process; absent if it is long. */
  text?: string | undefined;
  changes: Map<string, Change>;
  writing?: Promise<void> | undefined;
}

export class ListedTimes {
  readonly #store: Store;
  readonly #parts: readonly Part[];
  readonly #past: () => number;

  /**
   * @param prefix - of its keys in the store
   * @param past - names whose time is before this are left out when a value is written
   */
  constructor(store: Store, prefix: string, past: () => number) {
    this.#store = store;
    this.#past = past;
    this.#parts = Array.from({ length: PARTS }, (_, part) => ({ key: `${prefix}:${part}`, changes: new Map() }));
  }

  /** See TimeList.put. */
  async put(name: string, at: number): Promise<void> {
    const part = this.#partOf(name);
    part.changes.set(name, at);
    await this.#write(part);
  }

  /** With the next change of the same value, or by `flush`. See TimeList.drop. */
  drop(name: string): void {
    this.#partOf(name).changes.set(name, undefined);
  }

  /** See TimeList.flush. */
  async flush(): Promise<void> {
    for (const part of this.#parts) if (part.changes.size > 0 || part.writing) await this.#write(part);
  }

  /** See TimeList.read. */
  async read(until = Number.POSITIVE_INFINITY): Promise<ReadonlyMap<string, number>> {
    const times = new Map<string, number>();
    // At once, since a store that is reached over a network answers them together.
    for (const text of await Promise.all(this.#parts.map(({ key }) => this.#store.get(key)))) {
      if (text !== undefined) for (const [name, at] of entriesOf(text)) if (at <= until) times.set(name, at);
    }
    for (const { changes } of this.#parts) for (const [name, at] of changes) if (at === undefined) times.delete(name);
    return times;
  }

  #partOf(name: string): Part {
    let sum = 0;
    for (let at = 0; at < name.length && name[at] !== '/'; at += 1)
      sum = (Math.imul(sum, 31) + name.charCodeAt(at)) >>> 0;
    return this.#parts[sum % PARTS]!;
  }

  /** Resolves when all changes pending at the time of the call are written. */
  async #write(part: Part): Promise<void> {
    // The write in progress took earlier changes; the next one takes those made since, for all who wait for it.
    await part.writing?.catch(() => {});
    if (part.changes.size === 0) return part.writing;
    part.writing ??= this.#writeOnce(part).finally(() => {
      part.writing = undefined;
    });
    return part.writing;
  }

  async #writeOnce(part: Part): Promise<void> {
    const { changes } = part;
    part.changes = new Map();
    try {
      await this.#apply(part, changes);
    } catch (error) {
      // A name that could not be written was not added; one that could not be removed is removed later.
      for (const [name, at] of changes) if (at === undefined && !part.changes.has(name)) part.changes.set(name, at);
      throw error;
    }
  }

  async #apply(part: Part, changes: ReadonlyMap<string, Change>): Promise<void> {
    const { key } = part;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      // The value as this process wrote it: correct if no other process changes it, otherwise `ifEquals` detects it.
      const remembered = tries === 0 ? part.text : undefined;
      const text = remembered ?? (await this.#store.get(key));
      const entries = new Map(text === undefined ? [] : entriesOf(text));
      for (const [name, at] of changes) {
        if (at === undefined) entries.delete(name);
        else entries.set(name, at);
      }
      const past = this.#past();
      const next = JSON.stringify([...entries].filter(([, at]) => at >= past));
      if (next === text) {
        if (remembered === undefined) return;
        continue;
      }
      if (await this.#store.set(key, next, text === undefined ? { ifAbsent: true } : { ifEquals: text })) {
        part.text = next.length <= MOST_REMEMBERED ? next : undefined;
        return;
      }
    }
    throw new MidcallError(
      'store/unavailable',
      'Too many processes are changing a list in the store at once. Try again.',
    );
  }
}

const entriesOf = (text: string): [string, number][] => JSON.parse(text) as [string, number][];
