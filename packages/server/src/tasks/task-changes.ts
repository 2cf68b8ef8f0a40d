/**
 * Reports changes of tasks. A change by this process is reported at once; one by another process that shares the store wakes
 * this one if processes can wake each other, and is otherwise found by polling, about once a second, while anybody waits who
 * needs to know. A task that is over no longer changes.
 */
import type { Clock } from '@midcall/core/time';
import { taskName, type Wake } from '../base/index.ts';
import { isOver, type Task } from './task.ts';
import { keyOf, keyOfId } from './task-key.ts';

export interface TaskChangesOptions {
  readonly read: (id: string) => Promise<Task | undefined>;
  /** True if other processes may change tasks. */
  readonly isShared: boolean;
  readonly wake: Wake;
  readonly clock: Clock;
}

/** Receives the task as it is now; undefined if it no longer exists. */
export type TaskListener = (task: Task | undefined) => void;

const LOOK_MS = 1_000;

interface Watched {
  /** The version reported last. */
  version: string;
  isOver: boolean;
  readonly listeners: Set<TaskListener>;
  /** Listeners to what other processes change. */
  readonly looking: Set<TaskListener>;
  /** Absent until the first of them comes. */
  stopListening?: () => void;
}

export class TaskChanges {
  readonly #options: TaskChangesOptions;
  readonly #watched = new Map<string, Watched>();
  #stop: (() => void) | undefined;

  constructor(options: TaskChangesOptions) {
    this.#options = options;
  }

  /**
   * Reports every change from now on.
   * @param task - as the watcher last saw it
   * @param isHere - true if changes by this process are enough
   * @returns a function that stops watching
   */
  watch(task: Task, listener: TaskListener, isHere = false): () => void {
    const { id } = task;
    const watched: Watched = this.#watched.get(id) ?? {
      version: versionOf(task),
      isOver: isOver(task),
      listeners: new Set(),
      looking: new Set(),
    };
    watched.listeners.add(listener);
    if (!isHere) watched.looking.add(listener);
    this.#watched.set(id, watched);
    if (watched.looking.size > 0) this.#listen(id, watched);
    this.#look();
    return () => {
      watched.listeners.delete(listener);
      watched.looking.delete(listener);
      if (watched.listeners.size > 0) return;
      watched.stopListening?.();
      if (this.#watched.get(id) === watched) this.#watched.delete(id);
    };
  }

  /** Reports a task's new state. */
  changed(task: Task): void {
    this.#tell(task.id, task);
    this.#options.wake.wake(taskName(keyOf(task)));
  }

  close(): void {
    this.#stop?.();
    for (const { stopListening } of this.#watched.values()) stopListening?.();
    this.#watched.clear();
  }

  #tell(id: string, task: Task | undefined): void {
    const watched = this.#watched.get(id);
    const version = versionOf(task);
    // Two concurrent reads may be reported in any order, so the one that found the task over may come first.
    if (!watched || watched.isOver || watched.version === version) return;
    watched.version = version;
    watched.isOver = !task || isOver(task);
    for (const listener of [...watched.listeners]) listener(task);
  }

  #listen(id: string, watched: Watched): void {
    if (!this.#options.isShared || watched.stopListening) return;
    watched.stopListening = this.#options.wake.listen(taskName(keyOfId(id)), () => void this.#lookAt(id));
  }

  /** If the store cannot be reached, the next look tries again. */
  async #lookAt(id: string): Promise<void> {
    const read = await this.#options.read(id).then(
      task => ({ task }),
      () => undefined,
    );
    if (read) this.#tell(id, read.task);
  }

  #look(): void {
    const { isShared, clock } = this.#options;
    const needed = () => [...this.#watched].filter(([, each]) => each.looking.size > 0 && !each.isOver);
    if (!isShared || this.#stop || needed().length === 0) return;
    this.#stop = clock.after(LOOK_MS, async () => {
      for (const [id] of needed()) await this.#lookAt(id);
      this.#stop = undefined;
      this.#look();
    });
  }
}

const versionOf = (task: Task | undefined): string =>
  task ? JSON.stringify([task.turn, task.status, task.updatedAt, Object.keys(task.answers)]) : '';
