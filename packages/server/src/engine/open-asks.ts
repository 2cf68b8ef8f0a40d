/**
 * The asks of one run that have no value yet: those a round takes to the person, and those we find out ourselves once the
 * run is idle, such as where a page is. What is found out early would be old by the time a step beside it has ended.
 */
import { copyJson, type Json } from '../digest.ts';
import type { RunJournal } from './run-journal.ts';
import type { NamedAsk, OpenAsk, Recorded } from './seam.ts';

interface Waiting<D> {
  readonly ask: NamedAsk;
  /** As a round takes it to the person; absent where we find its value out. */
  readonly put: OpenAsk<D> | undefined;
  readonly resolve: (recorded: Recorded) => void;
  readonly reject: (error: unknown) => void;
  /** What finds the value out; gone once it was begun. */
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

  /** Waits for what the person is asked. */
  put(ask: OpenAsk<D>): Promise<Recorded> {
    return this.#add({ ask, put: ask, find: undefined });
  }

  /** Waits for what we find out. */
  later(ask: NamedAsk, find: () => Promise<Json>): Promise<Recorded> {
    return this.#add({ ask, put: undefined, find });
  }

  #add(waiting: Pick<Waiting<D>, 'ask' | 'put' | 'find'>): Promise<Recorded> {
    return new Promise((resolve, reject) => this.#all.set(waiting.ask.id, { resolve, reject, ...waiting }));
  }

  /** Records what became of an ask; nothing if it is not open. */
  settle(id: string, value: Json, journal: RunJournal): void {
    const waiting = this.#all.get(id);
    if (!waiting) return;
    const { ask, resolve } = waiting;
    journal.add({ id, kind: ask.kind, label: ask.label, value });
    this.#all.delete(id);
    resolve({ id, value: copyJson(value), fresh: true });
  }

  /**
   * Begins to find out what is to be found out.
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
