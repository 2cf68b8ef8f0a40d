/**
 * Where tasks are kept: each is one value, replaced in one motion, so that of two that change it at once neither is lost. A
 * list of those that are not over lies beside them, in parts, since a store cannot be searched.
 *
 * - task-store-1 What a task says is sealed, except in this process's own memory; its key is a digest of its id.
 */
import { MidcallError } from '@midcall/core/errors';
import type { Store } from '@midcall/core/store';
import { digest, type Json } from '../digest.ts';
import type { Sealer } from '../state/seal.ts';
import { openUnder, under } from '../state/sealed-under.ts';
import type { Task } from './task.ts';

export interface TaskStoreOptions {
  readonly store: Store;
  /** Absent in this process's own memory, where nothing is sealed, and nothing needs to be found again. */
  readonly sealer: Sealer | undefined;
  readonly now: () => number;
}

const PURPOSE = 'task';
/** Parts of the list. */
const PARTS = 16;
/** Tries to change a value that others are changing. */
const MOST_TRIES = 50;

export class TaskStore {
  readonly #options: TaskStoreOptions;

  constructor(options: TaskStoreOptions) {
    this.#options = options;
  }

  /** Keeps a new task. @throws MidcallError `store/unavailable` */
  async create(task: Task): Promise<void> {
    const key = keyOf(task.id);
    await this.#options.store.set(key, this.#close(key, task), { ttlMs: this.#lifeOf(task), ifAbsent: true });
    await this.#list(task.id, true);
  }

  /** @returns undefined where there is none, or its time is up */
  async read(id: string): Promise<Task | undefined> {
    const key = keyOf(id);
    const text = await this.#options.store.get(key);
    return text === undefined ? undefined : this.#open(key, text);
  }

  /**
   * Changes a task, whoever else does at the same time.
   * @param change - pure, since it may be called again; undefined where nothing is to be changed
   * @returns the task as it then is; undefined where there is none, or nothing was changed
   */
  async change(id: string, change: (task: Task) => Task | undefined): Promise<Task | undefined> {
    const { store } = this.#options;
    const key = keyOf(id);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const text = await store.get(key);
      if (text === undefined) return undefined;
      const next = change(this.#open(key, text));
      if (next === undefined) return undefined;
      const options = { ttlMs: this.#lifeOf(next), ifEquals: text };
      if (await store.set(key, this.#close(key, next), options)) return next;
    }
    throw new MidcallError('store/unavailable', 'The task is being changed by too many at once. Try again.');
  }

  /** Takes a task that is over off the list. */
  async over(id: string): Promise<void> {
    await this.#list(id, false);
  }

  /** Ids of the tasks that are not over, for whoever begins. */
  async listed(): Promise<readonly string[]> {
    const { store, sealer } = this.#options;
    if (!sealer) return [];
    const parts = await Promise.all(
      Array.from({ length: PARTS }, async (_, part) => {
        const key = `tasks:${part}`;
        const text = await store.get(key);
        return text === undefined ? [] : this.#readList(key, text);
      }),
    );
    return parts.flat();
  }

  async #list(id: string, add: boolean): Promise<void> {
    const { store, sealer } = this.#options;
    if (!sealer) return;
    const key = `tasks:${[...digest(id)].reduce((sum, each) => sum + each.charCodeAt(0), 0) % PARTS}`;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const text = await store.get(key);
      const ids = text === undefined ? [] : this.#readList(key, text);
      const next = add ? [...ids, id] : ids.filter(each => each !== id);
      const sealed = sealer.seal(under(key, next), PURPOSE);
      if (await store.set(key, sealed, text === undefined ? { ifAbsent: true } : { ifEquals: text })) return;
    }
    throw new MidcallError('store/unavailable', 'The list of tasks is being changed by too many at once. Try again.');
  }

  #readList(key: string, text: string): readonly string[] {
    return (openUnder(this.#options.sealer!, PURPOSE, key, text) as readonly string[] | undefined) ?? [];
  }

  #lifeOf(task: Task): number {
    return Math.max(1, task.createdAt + task.ttlMs - this.#options.now());
  }

  #close(key: string, task: Task): string {
    const { sealer } = this.#options;
    return sealer ? sealer.seal(under(key, task as unknown as Json), PURPOSE) : JSON.stringify(task);
  }

  #open(key: string, text: string): Task {
    const { sealer } = this.#options;
    const task = sealer ? openUnder(sealer, PURPOSE, key, text) : JSON.parse(text);
    if (task !== undefined) return task as Task;
    throw new MidcallError('store/corrupt', 'A task in the store cannot be opened with the keys of this server.');
  }
}

const keyOf = (id: string): string => `task:${digest(id)}`;
