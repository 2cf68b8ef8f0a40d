/**
 * The requests of 2026-07-28 that have no response yet, by their owner: they stand alone, so no session bounds them, and a
 * server's capacity for listening streams is shared by all.
 */
import { listens } from './body.ts';
import { type Refusal, tooMany } from './refusal.ts';

/** The maximum for one owner. */
export interface OpenRequestLimits {
  readonly listening: number;
  readonly inAll: number;
}

/** Counts the open requests of each owner. */
export class OpenRequests {
  readonly #limits: OpenRequestLimits;
  readonly #counts = new Map<string, { listening: number; inAll: number }>();

  constructor(limits: OpenRequestLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a request until it is released.
   * @returns a function that releases it, to be called once; or why the request is not served, if its owner has too many
   */
  take(owner: string, body: unknown): (() => void) | Refusal {
    const listening = listens(body) ? 1 : 0;
    const count = this.#counts.get(owner) ?? { listening: 0, inAll: 0 };
    if (count.inAll >= this.#limits.inAll || count.listening + listening > this.#limits.listening) return tooMany;
    count.listening += listening;
    count.inAll += 1;
    this.#counts.set(owner, count);
    return () => {
      count.listening -= listening;
      count.inAll -= 1;
      if (count.inAll === 0) this.#counts.delete(owner);
    };
  }
}
