/**
 * The asks of one run that have no value yet: those a round takes to the person, and those we find out ourselves once the run
 * is idle, such as where a page is. What is found out early would be outdated by the time a parallel step has ended.
 */
import { copyJson, type Json } from '../digest.ts';
import type { RunJournal } from './run-journal.ts';
import type { NamedAsk, OpenAsk, Recorded } from './seam.ts';

interface Waiting<D> {
  readonly ask: NamedAsk;
  /** As a round takes it to the person; absent if we find its value out ourselves. */
  readonly put: OpenAsk<D> | undefined;
  readonly resolve: (recorded: Recorded) => void;
  readonly reject: (error: unknown) => void;
  /** Finds the value out; removed once it has started. */
  find: (() => Promise<Json>) | undefined;
}

export class OpenAsks<D> {
  readonly #all = new Map<string, Waiting<D>>();

  get size(): number {
    return this.#all.size;
  }

  get asks(): readonly NamedAsk[] {
    return [...this.#all.values()].map(({ ask }) => ask);
  }

  /** Those that a round takes to the person. */
  get round(): readonly OpenAsk<D>[] {
    // Joined, not pushed: an array that grows has room for many, and most rounds have one question.
    let round: OpenAsk<D>[] = [];
    for (const { put } of this.#all.values()) if (put) round = round.concat(put);
    return round;
  }

  /** Adds a question for the person, and waits for it. */
  put(ask: OpenAsk<D>): Promise<Recorded> {
    return this.#add({ ask, put: ask, find: undefined });
  }

  /** Adds something for us to find out, and waits for it. */
  later(ask: NamedAsk, find: () => Promise<Json>): Promise<Recorded> {
    return this.#add({ ask, put: undefined, find });
  }

  #add(waiting: Pick<Waiting<D>, 'ask' | 'put' | 'find'>): Promise<Recorded> {
    return new Promise((resolve, reject) => this.#all.set(waiting.ask.id, { resolve, reject, ...waiting }));
  }

  /** Records the outcome of an ask; does nothing if it is not open. */
  settle(id: string, value: Json, journal: RunJournal): void {
    const waiting = this.#all.get(id);
    if (!waiting) return;
    const { ask, resolve } = waiting;
    journal.add({ id, kind: ask.kind, label: ask.label, value });
    this.#all.delete(id);
    resolve({ id, value: copyJson(value), fresh: true });
  }

  /**
   * Starts to find out all outstanding values.
   * @param during - runs it as an operation of the run
   * @returns false if there is nothing
   */
  find(during: (find: () => Promise<Json>) => Promise<Json>, journal: RunJournal): boolean {
    let any = false;
    for (const waiting of this.#all.values()) {
      const { ask, find } = waiting;
      if (!find) continue;
      any = true;
      waiting.find = undefined;
      during(find).then(
        value => this.settle(ask.id, value, journal),
        error => {
          this.#all.delete(ask.id);
          waiting.reject(error);
        },
      );
    }
    return any;
  }

  clear(): void {
    this.#all.clear();
  }
}
