/** How many tasks that are not over one person and client have in this process, so that nobody fills the store for all. */
import { MidcallError } from '@midcall/core/errors';
import { isOver, type Task } from './task.ts';

/** The most that one person and client may have. */
const MOST_OPEN = 200;

export class OpenTasks {
  readonly #read: (id: string) => Promise<Task | undefined>;
  /** Ids, by whom they belong to. */
  readonly #open = new Map<string, Set<string>>();

  /** @param read - a task as it is now: another process may have ended it */
  constructor(read: (id: string) => Promise<Task | undefined>) {
    this.#read = read;
  }

  /** @throws MidcallError `call/too-many` if there is no room for it */
  async add({ id, owner }: Task): Promise<void> {
    const open = this.#open.get(owner) ?? new Set();
    if (open.size >= MOST_OPEN) await this.#sweep(open);
    if (open.size >= MOST_OPEN) {
      throw new MidcallError(
        'call/too-many',
        `You have ${MOST_OPEN} unfinished tasks. Answer or cancel some of them, then call again.`,
      );
    }
    open.add(id);
    this.#open.set(owner, open);
  }

  remove({ id, owner }: Task): void {
    const open = this.#open.get(owner);
    open?.delete(id);
    if (open?.size === 0) this.#open.delete(owner);
  }

  async #sweep(open: Set<string>): Promise<void> {
    for (const id of [...open]) {
      const task = await this.#read(id);
      if (!task || isOver(task)) open.delete(id);
    }
  }
}
