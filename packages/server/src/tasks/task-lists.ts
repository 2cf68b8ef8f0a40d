/**
 * The tasks of each owner, and the finished ones of each person. An owner has one value in the store for all tasks, in order of
 * their beginning, so that waiting tasks take no memory in any process, however many there are. It contains digests, by which
 * nobody can access a task. Additions to a list that is being written are written together afterwards.
 */
import { MidcallError } from '@midcall/core/errors';
import type { Store } from '@midcall/core/store';
import type { Clock } from '@midcall/core/time';
import { digest } from '../base/index.ts';
import { principalKey } from '../request/index.ts';
import { CommonValues } from '../state/index.ts';
import { latestOf, type Task } from './task.ts';
import { keyOf } from './task-key.ts';

export interface TaskListsOptions {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  /** The prefix of its keys in the store. */
  readonly prefix: string;
  /** The maximum number of tasks on one list. */
  readonly most: number;
  /** The error text for a full list, with what its owner can do. */
  readonly full: string;
  /** True for a task that may make room on a full list, by the digest of its id; if absent, only expired ones do. */
  readonly makesRoom?: (at: string) => Promise<boolean>;
}

/** The digest of an id, and when nothing of its task is left, in milliseconds since the epoch. */
type Listed = readonly [at: string, until: number];

/** Additions that are written together. */
interface Batch {
  readonly added: Listed[];
  /** How many of them there was room for, from the first on. */
  readonly written: Promise<number>;
}

/** The writing of one list, in this process. */
interface Writing {
  last: Promise<unknown>;
  /** The next write. */
  next?: Batch | undefined;
}

export class TaskLists {
  readonly #options: TaskListsOptions;
  readonly #values: CommonValues;
  /** Lists of tasks by their owner. */
  readonly #writing = new Map<string, Writing>();

  constructor(options: TaskListsOptions) {
    this.#options = options;
    this.#values = new CommonValues(options.store, options.clock);
  }

  /** @throws MidcallError `call/too-many` if the list is full, or `store/unavailable`; then the task must not begin */
  async add(task: Pick<Task, 'id' | 'owner' | 'createdAt' | 'ttlMs'>): Promise<void> {
    const { added, written } = this.#nextBatch(task.owner);
    const place = added.push([keyOf(task), latestOf(task)]);
    if (place > (await written)) throw new MidcallError('call/too-many', this.#options.full);
  }

  /** Digests of ids, the oldest first. */
  async read(owner: string): Promise<readonly string[]> {
    return this.#live(await this.#options.store.get(this.#keyOf(owner))).map(([at]) => at);
  }

  #nextBatch(owner: string): Batch {
    const writing: Writing = this.#writing.get(owner) ?? { last: Promise.resolve() };
    if (writing.next) return writing.next;
    const added: Listed[] = [];
    const written = writing.last.then(() => {
      writing.next = undefined;
      return this.#write(owner, added);
    });
    writing.last = written
      .catch(() => {})
      .then(() => {
        if (!writing.next) this.#writing.delete(owner);
      });
    writing.next = { added, written };
    this.#writing.set(owner, writing);
    return writing.next;
  }

  /** @returns how many there was room for */
  async #write(owner: string, added: readonly Listed[]): Promise<number> {
    const { most } = this.#options;
    let room = 0;
    await this.#values.change(this.#keyOf(owner), async text => {
      const listed = await this.#withRoom(this.#live(text), added.length);
      room = Math.max(0, most - listed.length);
      if (room === 0) return undefined;
      const next = [...listed, ...added.slice(0, room)];
      return { text: JSON.stringify(next), until: Math.max(...next.map(([, until]) => until)) };
    });
    return room;
  }

  /** @param wanted - how many are to be added */
  async #withRoom(listed: readonly Listed[], wanted: number): Promise<readonly Listed[]> {
    const { most, makesRoom } = this.#options;
    if (!makesRoom || listed.length + wanted <= most) return listed;
    const staying: Listed[] = [];
    for (const each of listed) if (!(await makesRoom(each[0]))) staying.push(each);
    return staying;
  }

  #live(text: string | undefined): readonly Listed[] {
    const listed = text === undefined ? [] : (JSON.parse(text) as readonly Listed[]);
    return listed.filter(([, until]) => until > this.#options.clock.now());
  }

  #keyOf(owner: string): string {
    return `${this.#options.prefix}:${owner}`;
  }
}

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
type Finished = readonly [at: string, until: number, characters: number];

/**
 * The finished tasks of each person: one value in the store per person, in order of their ends. A person who has more of them
 * than the store keeps loses the oldest: one that is gone begins nothing more, just like one that is over.
 */
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
    const added: Finished = [keyOf(task), latestOf(task), JSON.stringify(task).length];
    let leaving: readonly Finished[] = [];
    await this.#values.change(listKey(task), text => {
      const listed = text === undefined ? [] : (JSON.parse(text) as readonly Finished[]);
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
