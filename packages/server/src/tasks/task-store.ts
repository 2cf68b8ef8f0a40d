/**
 * Stores tasks: each is one value, JSON, replaced atomically, so that no change is lost if two processes make one at once.
 *
 * - task-store-1 A task's content is sealed, except in this process's own memory; its key is a digest of its id.
 */
import { MidcallError } from '@midcall/core/errors';
import type { Store } from '@midcall/core/store';
import type { Clock } from '@midcall/core/time';
import { CommonValues, openUnder, type Sealer } from '../state/index.ts';
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

export class TaskStore {
  readonly #options: TaskStoreOptions;
  readonly #values: CommonValues;

  constructor(options: TaskStoreOptions) {
    this.#options = options;
    this.#values = new CommonValues(options.store, options.clock);
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
   * @param at - the digest of an id
   * @param change - pure, since it may be called again; returns undefined to change nothing
   * @returns the task as it then is; undefined if there is none, or nothing was changed
   */
  async changeAt(at: string, change: (task: Task) => Task | undefined): Promise<Task | undefined> {
    const key = storeKey(at);
    let next: Task | undefined;
    await this.#values.change(key, text => {
      next = text === undefined ? undefined : change(this.#open(key, text));
      return next && { text: this.#close(key, next), until: removedAt(next) };
    });
    if (next) this.#options.changed(next);
    return next;
  }

  #lifeOf(task: Task): number {
    return Math.max(1, removedAt(task) - this.#options.clock.now());
  }

  #close(key: string, task: Task): string {
    const { sealer } = this.#options;
    const stored = { version: VERSION, ...task };
    return sealer ? sealer.seal(stored, PURPOSE, key) : JSON.stringify(stored);
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
