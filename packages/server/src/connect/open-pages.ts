/**
 * How many pages may be open for one person at a time: a flood of links is a way to wear somebody out until they agree,
 * and nobody answers dozens at once. Counted in each process by itself, for the person of the call; calls of nobody known
 * are not counted, since one of them could then use up what all of them share.
 *
 * - open-pages-G1 A page counts until it is finished, declined, withdrawn or past its time, wherever that happened: before
 *   one is refused, the store is asked what became of those that were counted.
 */
import { MidcallError } from '@midcall/core/errors';
import type { PageAsk } from '../index.ts';

export interface OpenPagesOptions {
  /** The most that may be open for one person. */
  readonly most: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** True if a page can still be used. */
  readonly isOpen: (pageId: string) => Promise<boolean>;
}

interface Counted {
  readonly dueAt: number;
  /** False while the store does not know of it yet. */
  issued: boolean;
}

/** After so many persons those without an open page are forgotten. */
const SWEEP_AT = 1_000;

export class OpenPages {
  readonly #options: OpenPagesOptions;
  /** By person, each page ID. */
  readonly #people = new Map<string, Map<string, Counted>>();
  #sweepAt = SWEEP_AT;

  constructor(options: OpenPagesOptions) {
    this.#options = options;
  }

  /**
   * Opens a page and counts it. The same page counts once.
   * @param issue - writes the record of the page
   * @throws MidcallError `connect/limit` if the person has too many open; what `issue` throws
   */
  async open<T>({ pageId, dueAt, call: { principal } }: PageAsk, issue: () => Promise<T>): Promise<T> {
    if (!principal) return issue();
    const person = JSON.stringify([principal.issuer, principal.subject]);
    if (this.#full(person, pageId)) this.#sweep();
    if (this.#full(person, pageId)) await this.#askStore(person);
    // Nothing is waited for from here to the counting, so that of many at once no more get in than fit.
    if (this.#full(person, pageId)) throw this.#tooMany(person);
    if (this.#people.size >= this.#sweepAt) this.#sweep();
    const mine = this.#people.get(person) ?? new Map<string, Counted>();
    const counted = mine.get(pageId) ?? { dueAt, issued: false };
    this.#people.set(person, mine.set(pageId, counted));
    try {
      const made = await issue();
      counted.issued = true;
      return made;
    } catch (error) {
      this.#remove(person, pageId);
      throw error;
    }
  }

  /** How many people are remembered. */
  get people(): number {
    return this.#people.size;
  }

  #full(person: string, pageId: string): boolean {
    const mine = this.#people.get(person);
    return mine !== undefined && !mine.has(pageId) && mine.size >= this.#options.most;
  }

  /** Forgets the pages that the store knows as ended (open-pages-G1). */
  async #askStore(person: string): Promise<void> {
    const issued = [...(this.#people.get(person) ?? [])].filter(([, counted]) => counted.issued);
    const stillOpen = await Promise.all(issued.map(([pageId]) => this.#options.isOpen(pageId)));
    for (const [index, [pageId]] of issued.entries()) if (!stillOpen[index]) this.#remove(person, pageId);
  }

  #remove(person: string, pageId: string): void {
    const mine = this.#people.get(person);
    mine?.delete(pageId);
    if (mine?.size === 0) this.#people.delete(person);
  }

  #sweep(): void {
    const now = this.#options.now();
    for (const [person, mine] of this.#people) {
      for (const [pageId, { dueAt }] of mine) if (dueAt <= now) this.#remove(person, pageId);
    }
    this.#sweepAt = Math.max(SWEEP_AT, 2 * this.#people.size);
  }

  #tooMany(person: string): MidcallError {
    const { most, now } = this.#options;
    const next = Math.min(...[...this.#people.get(person)!.values()].map(({ dueAt }) => dueAt));
    const minutes = Math.max(1, Math.ceil((next - now()) / 60_000));
    return new MidcallError(
      'connect/limit',
      `This person has ${most} pages open already, which is as many as may be. Finish or decline one of them, or wait: the ` +
        `first one’s time is up in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}. Do not call again before.`,
    );
  }
}
