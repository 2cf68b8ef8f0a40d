/**
 * The finished tasks of each person: one value in the store per person, in order of their ends. A person who has more of them
 * than the store keeps loses the oldest: one that is gone begins nothing more, just like one that is over.
 */
import type { Store } from '@midcall/core/store';
import type { Clock } from '@midcall/core/time';
import { digest } from '../base/index.ts';
import { principalKey } from '../request/index.ts';
import { CommonValues } from '../state/index.ts';
import { keyOf, latestOf, type Task } from './task.ts';

export interface FinishedTasksOptions {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  /** How many one person keeps. */
  readonly most: number;
  /** How many characters they may have together; the newest is kept whatever it has. */
  readonly mostCharacters: number;
  /** Removes a task, by the digest of its id. */
  readonly remove: (at: string) => Promise<void>;
}

/** The digest of an id, when nothing of its task is left, in milliseconds since the epoch, and its length as JSON. */
type Listed = readonly [at: string, until: number, characters: number];

export class FinishedTasks {
  readonly #options: FinishedTasksOptions;
  readonly #values: CommonValues;

  constructor(options: FinishedTasksOptions) {
    this.#options = options;
    this.#values = new CommonValues(options.store, options.clock);
  }

  /** Adds a task that is over, and removes the oldest that there is no room for. @throws MidcallError `store/unavailable` */
  async add(task: Task): Promise<void> {
    const { clock, most, mostCharacters, remove } = this.#options;
    const added: Listed = [keyOf(task), latestOf(task), JSON.stringify(task).length];
    let leaving: readonly Listed[] = [];
    await this.#values.change(listKey(task), text => {
      const listed = text === undefined ? [] : (JSON.parse(text) as readonly Listed[]);
      const live = listed.filter(([, until]) => until > clock.now());
      let characters = added[2];
      let staying = 0;
      for (const [, , each] of live.toReversed()) {
        characters += each;
        if (staying + 1 >= most || characters > mostCharacters) break;
        staying += 1;
      }
      leaving = live.slice(0, live.length - staying);
      const next = [...live.slice(live.length - staying), added];
      return { text: JSON.stringify(next), until: Math.max(...next.map(([, until]) => until)) };
    });
    for (const [at] of leaving) await remove(at);
  }
}

const listKey = ({ principal }: Task): string => `finished-tasks:${digest(principalKey(principal))}`;
