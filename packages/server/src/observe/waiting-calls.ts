/**
 * The waiting calls, for operators: which, for what and since when, and how to end them. Contents are not included.
 *
 * - waiting-calls-1 A call is on the list from when it starts waiting until it is known to have ended; one that ended unnoticed
 *   is detected when the list is read, or removed when its time is up.
 * - waiting-calls-2 The list's entry for a call is sealed like the call itself. Its id is a digest that opens nothing.
 * - waiting-calls-3 A call whose stored contents cannot be opened hides no other.
 *
 * A task itself contains what the list shows, so only its key and its time are on the list.
 */
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import type { Channel } from '@midcall/core/form';
import type { Store } from '@midcall/core/store';
import type { Clock } from '@midcall/core/time';
import { digest, type Principal } from '../base/index.ts';
import { type CallRef, TimeList } from '../state/index.ts';

/** One call that waits without a request, or can be continued. */
export interface WaitingCall {
  /** Names the call to `cancel`. */
  readonly id: string;
  /**
   * `task`: continues by itself; `ticket`: continues when the model calls `resume`; otherwise the channel on which a person
   * has not answered, such as `page`.
   */
  readonly kind: 'task' | 'ticket' | Channel;
  /**
   * What it waits for. `answer`: the client's person; `resume`: the model; `work`: only its own steps; otherwise an answer on
   * this channel, such as `page`.
   */
  readonly waitsFor: 'answer' | 'resume' | 'work' | Channel;
  readonly method: CallRef['method'];
  /** The name of the tool or prompt, or the resource's URI. */
  readonly name: string;
  readonly principal: Principal | undefined;
  /** The call's name in the audit. */
  readonly flow: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** When it expires, in milliseconds since the epoch. */
  readonly until: number;
}

/** The record of a waiting call. */
export interface Waiting extends Omit<WaitingCall, 'id'> {
  readonly kind: Exclude<WaitingCall['kind'], 'task'>;
  /** What identifies the call where it waits: the id of a page, or a ticket. */
  readonly ref: string;
}

/** How calls of one kind are read, and ended. */
export interface WaitingKind {
  /** @returns what it waits for now; undefined if it has ended */
  readonly look: (ref: string) => Promise<WaitingCall['waitsFor'] | undefined>;
  /** @returns false if it had ended */
  readonly cancel: (ref: string) => Promise<boolean>;
}

/** How tasks are read, and ended, by their keys. */
export interface WaitingTasks {
  /** @returns undefined for one that has ended */
  readonly find: (key: string) => Promise<Omit<WaitingCall, 'id'> | undefined>;
  /** @returns false if it had ended */
  readonly cancel: (key: string) => Promise<boolean>;
}

export type WaitingKinds = Readonly<Partial<Record<Waiting['kind'], WaitingKind>>> & { readonly task: WaitingTasks };

/** The waiting calls in one store. */
export class WaitingCalls {
  readonly #contents: Store;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #list: TimeList;

  /** @param sealed - the store for content */
  constructor({
    store,
    sealed,
    clock,
  }: { readonly store: Store; readonly sealed: Store; readonly clock: Pick<Clock, 'now'> }) {
    this.#contents = sealed;
    this.#clock = clock;
    this.#list = new TimeList(store, 'waiting', () => clock.now());
  }

  /** Puts a call on the list. @throws MidcallError `store/unavailable` */
  async add(call: Waiting): Promise<void> {
    const id = idOf(call);
    const ttlMs = Math.max(1, call.until - this.#clock.now());
    await this.#contents.set(keyOf(id), JSON.stringify(call), { ttlMs });
    await this.#list.put(id, call.until);
  }

  /** Takes a call that no longer waits off the list; never rejects. */
  async remove(call: Pick<Waiting, 'kind' | 'ref'>): Promise<void> {
    const id = idOf(call);
    this.#list.drop(id);
    await this.#contents.delete(keyOf(id)).catch(() => {});
  }

  /** Puts a task on the list. @throws MidcallError `store/unavailable` */
  async addTask(key: string, until: number): Promise<void> {
    await this.#list.put(idOfTask(key), until);
  }

  /** Takes a task that no longer waits off the list. */
  removeTask(key: string): void {
    this.#list.drop(idOfTask(key));
  }

  /**
   * @param warn - called if some calls cannot be opened: one of them must not hide the others (waiting-calls-3)
   * @returns the waiting calls, the oldest first
   * @throws MidcallError `store/corrupt` if none of them can be opened
   */
  async read(kinds: WaitingKinds, warn: (message: string) => void): Promise<readonly WaitingCall[]> {
    const now = this.#clock.now();
    const unopened: unknown[] = [];
    const notOpened = (error: unknown): 'unopened' => {
      if (!isMidcallError(error, 'store/corrupt')) throw error;
      unopened.push(error);
      return 'unopened';
    };
    const calls = await Promise.all(
      [...(await this.#list.read())].map(async ([id, until]): Promise<WaitingCall | undefined> => {
        const call = until < now ? undefined : await this.#look(id, kinds).catch(notOpened);
        if (call === 'unopened') return undefined;
        if (!call) this.#list.drop(id);
        return call && { ...call, id };
      }),
    );
    await this.#list.flush();
    const opened = calls.filter(call => call !== undefined).sort((a, b) => a.since - b.since);
    if (unopened.length > 0 && opened.length === 0) throw unopened[0];
    if (unopened.length > 0) warn(notListed(unopened.length));
    return opened;
  }

  /** @returns false if no such call waits */
  async cancel(id: string, kinds: WaitingKinds): Promise<boolean> {
    const task = taskOf(id);
    if (task !== undefined) {
      this.#list.drop(id);
      const ended = await kinds.task.cancel(task);
      await this.#list.flush();
      return ended;
    }
    const call = await this.#find(id);
    if (!call) return false;
    const ended = (await kinds[call.kind]?.cancel(call.ref)) ?? false;
    await this.#contents.delete(keyOf(id));
    this.#list.drop(id);
    await this.#list.flush();
    return ended;
  }

  async #look(id: string, kinds: WaitingKinds): Promise<Omit<WaitingCall, 'id'> | undefined> {
    const task = taskOf(id);
    if (task !== undefined) return kinds.task.find(task);
    const call = await this.#find(id);
    if (!call) return undefined;
    const kind = kinds[call.kind];
    const waitsFor = kind ? await kind.look(call.ref) : call.waitsFor;
    if (waitsFor === undefined) return undefined;
    const { ref: _, ...rest } = call;
    return { ...rest, waitsFor };
  }

  async #find(id: string): Promise<Waiting | undefined> {
    if (!idShape.test(id))
      throw new MidcallError('state/invalid', 'This is not the id of a call. mid.calls() lists them.');
    const text = await this.#contents.get(keyOf(id));
    return text === undefined ? undefined : (JSON.parse(text) as Waiting);
  }
}

const notListed = (count: number): string =>
  `midcall: ${count === 1 ? 'One waiting call is' : `${count} waiting calls are`} not listed, since the keys of this process ` +
  'do not open what is stored of them. They were sealed with another key, or changed.';

const idShape = /^[\w-]{1,100}$/;
const idOf = ({ kind, ref }: Pick<Waiting, 'kind' | 'ref'>): string => digest([kind, ref]);
const idOfTask = (key: string): string => `task-${key}`;
/** @returns undefined for anything but the id of a task: digests are longer */
const taskOf = (id: string): string | undefined => /^task-([\w-]{22})$/.exec(id)?.[1];
const keyOf = (id: string): string => `waiting-call:${id}`;
