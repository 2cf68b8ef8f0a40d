/**
 * Open questions in a store: one entry per question and one list of their ids. Changes are written one after the other, in the
 * order they were made. If the store fails, this is reported, and the questions stay open in memory.
 */
import { fromJson } from '@midcall/core/json';
import type { Store } from '@midcall/core/store';
import type { Question } from '../question/index.ts';

const listKey = 'host:questions';
const entryKey = (id: string): string => `host:question:${id}`;
const kinds = {
  form: true,
  url: true,
  'url-finish': true,
  'sign-in': true,
  'sampling-request': true,
  'sampling-reply': true,
  roots: true,
  call: true,
} satisfies Record<Question['kind'], true>;

/** Stores what is open; an inbox's memory across restarts. */
export class StoredQuestions {
  readonly #store: Store;
  readonly #onError: (error: unknown) => void;
  readonly #ids = new Set<string>();
  #tail: Promise<void> = Promise.resolve();

  constructor(store: Store, onError: (error: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
  }

  add(question: Question): void {
    this.#ids.add(question.id);
    this.#write(async () => {
      await this.#store.set(entryKey(question.id), JSON.stringify(question));
      await this.#writeList();
    });
  }

  remove(id: string): void {
    if (!this.#ids.delete(id)) return;
    this.#write(async () => {
      await this.#writeList();
      await this.#store.delete(entryKey(id));
    });
  }

  /** What an earlier process left; entries that are not questions are dropped. */
  async load(): Promise<readonly Question[]> {
    await this.#tail;
    const questions: Question[] = [];
    for (const id of parseIds(await this.#store.get(listKey))) {
      const question = parseQuestion(await this.#store.get(entryKey(id)));
      if (question?.id !== id) continue;
      this.#ids.add(id);
      questions.push(question);
    }
    return questions;
  }

  async settled(): Promise<void> {
    await this.#tail;
  }

  #writeList(): Promise<boolean> {
    return this.#store.set(listKey, JSON.stringify([...this.#ids]));
  }

  #write(change: () => Promise<unknown>): void {
    this.#tail = this.#tail.then(change).then(() => {}, this.#onError);
  }
}

function parseIds(text: string | undefined): string[] {
  const ids = fromJson(text ?? '');
  return Array.isArray(ids) ? ids.filter(id => typeof id === 'string') : [];
}

/** A stored question. Only its frame is checked here; a view checks what it needs of its own kind. */
function parseQuestion(text: string | undefined): Question | undefined {
  const question = fromJson(text ?? '') as Partial<Question> | null | undefined;
  const { id, kind, asker, askedAt } = question ?? {};
  const framed = typeof id === 'string' && typeof askedAt === 'number' && typeof asker?.id === 'string';
  return framed && Object.hasOwn(kinds, String(kind)) ? (question as Question) : undefined;
}
