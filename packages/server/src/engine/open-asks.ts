/**
 * The asks of one run that have no value yet: those a round takes to the person, and those we find out ourselves once the run
 * is idle, such as where a page is. What is found out early would be outdated by the time a parallel step has ended.
 */
import { copyJson, type Json } from '../base/index.ts';
import type { RunJournal } from './run-journal.ts';
import type { NamedAsk, OpenAsk, Recorded } from './seam.ts';

interface Waiting<D> {
  readonly ask: NamedAsk;
  /** As a round takes it to the person; absent if we find its value out ourselves. */
  readonly put?: OpenAsk<D>;
  /** Finds the value out; removed once it has started. */
  find?: ((id: string) => Promise<Json>) | undefined;
  readonly resolve: (recorded: Recorded) => void;
  readonly reject: (error: unknown) => void;
}

export class OpenAsks<D> {
  /** The asks that wait, in the order they were asked. */
  #all: Waiting<D>[] = [];

  get size(): number {
    return this.#all.length;
  }

  get asks(): readonly NamedAsk[] {
    return this.#all.map(({ ask }) => ask);
  }

  /** The asks that a round takes to the person. */
  get round(): readonly OpenAsk<D>[] {
    return this.#all.flatMap(({ put }) => put ?? []);
  }

  /** Adds a question for the person, and waits for it. */
  put(ask: OpenAsk<D>): Promise<Recorded> {
    return this.#add({ ask, put: ask });
  }

  /** Adds something for us to find out, and waits for it. */
  later(ask: NamedAsk, find: (id: string) => Promise<Json>): Promise<Recorded> {
    return this.#add({ ask, find });
  }

  #add(waiting: Pick<Waiting<D>, 'ask' | 'put' | 'find'>): Promise<Recorded> {
    return new Promise((resolve, reject) => {
      this.#all.push({ ...waiting, resolve, reject });
    });
  }

  /** Records the outcome of an ask; does nothing if it is not open. */
  settle(id: string, value: Json, journal: RunJournal): void {
    const waiting = this.#all.find(({ ask }) => ask.id === id);
    if (!waiting) return;
    const { ask, resolve } = waiting;
    journal.add({ id, kind: ask.kind, label: ask.label, value });
    this.#remove(waiting);
    resolve({ id, value: copyJson(value), fresh: true });
  }

  #remove(waiting: Waiting<D>): void {
    this.#all = this.#all.filter(each => each !== waiting);
  }

  /**
   * Starts to find out all outstanding values.
   * @param during - runs it as an operation of the run
   * @returns false if there is nothing
   */
  find(during: (find: () => Promise<Json>) => Promise<Json>, journal: RunJournal): boolean {
    let any = false;
    for (const waiting of this.#all) {
      const { ask, find } = waiting;
      if (!find) continue;
      any = true;
      waiting.find = undefined;
      during(() => find(ask.id)).then(
        value => this.settle(ask.id, value, journal),
        error => {
          this.#remove(waiting);
          waiting.reject(error);
        },
      );
    }
    return any;
  }

  clear(): void {
    this.#all = [];
  }
}
