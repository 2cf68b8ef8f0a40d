/**
 * Which tasks an owner has, for `tasks/list` of 2025-11-25: one value for each owner, in the order of their beginning. It holds
 * digests, by which nobody can ask after a task.
 */
import { MidcallError } from '@midcall/core/errors';
import type { Store } from '@midcall/core/store';
import type { Clock } from '@midcall/core/time';
import { keyOfId, type Task } from './task.ts';

/** The most tasks on one list, whether they are over or not. */
const MOST_LISTED = 1_000;
/** Tries to change a value that others are changing. */
const MOST_TRIES = 50;

/** The digest of an id, and when its task is no more, in milliseconds since the epoch. */
type Listed = readonly [at: string, until: number];

export class TaskLists {
  readonly #store: Store;
  readonly #clock: Pick<Clock, 'now'>;

  constructor({ store, clock }: { readonly store: Store; readonly clock: Pick<Clock, 'now'> }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** @throws MidcallError `call/too-many` if the list is full; then the task is not to begin */
  async add({ id, owner, createdAt, ttlMs }: Task): Promise<void> {
    const key = listKey(owner);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const text = await this.#store.get(key);
      const listed = this.#live(text);
      if (listed.length >= MOST_LISTED) {
        throw new MidcallError('call/too-many', `You have ${MOST_LISTED} tasks. Wait until some of them expire.`);
      }
      const next: readonly Listed[] = [...listed, [keyOfId(id), createdAt + ttlMs]];
      const options = {
        ttlMs: Math.max(1, ...next.map(([, until]) => until - this.#clock.now())),
        ...(text === undefined ? { ifAbsent: true } : { ifEquals: text }),
      };
      if (await this.#store.set(key, JSON.stringify(next), options)) return;
    }
    throw new MidcallError(
      'store/unavailable',
      'Too many requests are changing your list of tasks at once. Try again.',
    );
  }

  /** Digests of ids, the oldest first. */
  async read(owner: string): Promise<readonly string[]> {
    return this.#live(await this.#store.get(listKey(owner))).map(([at]) => at);
  }

  #live(text: string | undefined): readonly Listed[] {
    const listed = text === undefined ? [] : (JSON.parse(text) as readonly Listed[]);
    return listed.filter(([, until]) => until > this.#clock.now());
  }
}

const listKey = (owner: string): string => `tasks-of:${owner}`;
