/**
 * Stores tasks: each is one value, JSON, replaced atomically, so that no change is lost if two processes make one at once.
 *
 * - task-store-1 A task's content is sealed, except in this process's own memory; its key is a digest of its id.
 */
import { MidcallError } from '@midcall/core/errors';
import type { Store } from '@midcall/core/store';
import type { Clock } from '@midcall/core/time';
import { openUnder, type Sealer, sealUnder } from '../state/index.ts';
import { removedAt, type Task } from './task.ts';
import { keyOf, keyOfId } from './task-key.ts';

export interface TaskStoreOptions {
  readonly store: Store;
  /** Absent in this process's own memory, where nothing is sealed. */
  readonly sealer: Sealer | undefined;
  readonly clock: Pick<Clock, 'now'>;
  /** Called with each change that this process makes. */
  readonly changed: (task: Task) => void;
}

const PURPOSE = 'task';
/** Changes when a task is stored otherwise. */
const VERSION = 1;
/** Attempts to change a value that others are changing. */
const MOST_TRIES = 50;

export class TaskStore {
  readonly #options: TaskStoreOptions;

  constructor(options: TaskStoreOptions) {
    this.#options = options;
  }

  /** Stores a new task. @throws MidcallError `store/unavailable` */
  async create(task: Task): Promise<void> {
    const key = storeKey(keyOf(task));
    await this.#options.store.set(key, this.#close(key, task), { ttlMs: this.#lifeOf(task), ifAbsent: true });
  }

  /** @returns undefined if there is none, or its time is up */
  read(id: string): Promise<Task | undefined> {
    return this.readAt(keyOfId(id));
  }

  /** @param at - the digest of an id */
  async readAt(at: string): Promise<Task | undefined> {
    const key = storeKey(at);
    const text = await this.#options.store.get(key);
    return text === undefined ? undefined : this.#open(key, text);
  }

  /** @param at - the digest of an id */
  async removeAt(at: string): Promise<void> {
    await this.#options.store.delete(storeKey(at));
  }

  /**
   * Changes a task, even if others do at the same time.
   * @param change - pure, since it may be called again; returns undefined to change nothing
   * @returns the task as it then is; undefined if there is none, or nothing was changed
   */
  change(id: string, change: (task: Task) => Task | undefined): Promise<Task | undefined> {
    return this.changeAt(keyOfId(id), change);
  }

  /** @param at - the digest of an id */
  async changeAt(at: string, change: (task: Task) => Task | undefined): Promise<Task | undefined> {
    const { store } = this.#options;
    const key = storeKey(at);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const text = await store.get(key);
      if (text === undefined) return undefined;
      const next = change(this.#open(key, text));
      if (next === undefined) return undefined;
      const options = { ttlMs: this.#lifeOf(next), ifEquals: text };
      if (await store.set(key, this.#close(key, next), options)) {
        this.#options.changed(next);
        return next;
      }
    }
    throw new MidcallError('store/unavailable', 'Too many requests are changing this task at once. Try again.');
  }

  #lifeOf(task: Task): number {
    return Math.max(1, removedAt(task) - this.#options.clock.now());
  }

  #close(key: string, task: Task): string {
    const { sealer } = this.#options;
    const stored = { version: VERSION, ...task };
    return sealer ? sealUnder(sealer, PURPOSE, key, stored) : JSON.stringify(stored);
  }

  #open(key: string, text: string): Task {
    const { sealer } = this.#options;
    const stored = sealer ? openUnder(sealer, PURPOSE, key, text) : JSON.parse(text);
    if (stored === undefined)
      throw new MidcallError('store/corrupt', 'A task in the store cannot be opened with the keys of this server.');
    const { version, ...task } = stored as Task & { readonly version: unknown };
    if (version === VERSION) return task;
    throw new MidcallError(
      'store/corrupt',
      `A task in the store was written by another version of Midcall (as version ${version}; this one reads ${VERSION}).`,
    );
  }
}

const storeKey = (at: string): string => `task:${at}`;
