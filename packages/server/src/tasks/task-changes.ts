/**
 * Who waits for a change of a task. A change by this process is told at once; one by another process that has the same store
 * is found by looking, about once a second, as long as anybody waits.
 */
import type { Task } from './task.ts';

export interface TaskChangesOptions {
  readonly read: (id: string) => Promise<Task | undefined>;
  /** True where other processes may change tasks. */
  readonly isShared: boolean;
  readonly timer: (fn: () => void, ms: number) => () => void;
}

/** Told of a task as it is now; undefined where it is no more. */
export type Told = (task: Task | undefined) => void;

const LOOK_MS = 1_000;

interface Watched {
  /** As it was told last. */
  version: string;
  readonly told: Set<Told>;
}

export class TaskChanges {
  readonly #options: TaskChangesOptions;
  readonly #watched = new Map<string, Watched>();
  #stop: (() => void) | undefined;

  constructor(options: TaskChangesOptions) {
    this.#options = options;
  }

  /**
   * Tells of every change from now on.
   * @param task - as the watcher knows it
   * @returns ends that
   */
  watch(task: Task, told: Told): () => void {
    const { id } = task;
    const watched = this.#watched.get(id) ?? { version: versionOf(task), told: new Set<Told>() };
    watched.told.add(told);
    this.#watched.set(id, watched);
    this.#look();
    return () => {
      watched.told.delete(told);
      if (watched.told.size === 0 && this.#watched.get(id) === watched) this.#watched.delete(id);
    };
  }

  /** What is known of a task now. */
  changed(task: Task): void {
    this.#tell(task.id, task);
  }

  close(): void {
    this.#stop?.();
    this.#watched.clear();
  }

  #tell(id: string, task: Task | undefined): void {
    const watched = this.#watched.get(id);
    const version = versionOf(task);
    if (!watched || watched.version === version) return;
    watched.version = version;
    for (const told of [...watched.told]) told(task);
  }

  #look(): void {
    const { isShared, timer, read } = this.#options;
    if (!isShared || this.#stop) return;
    this.#stop = timer(async () => {
      for (const id of [...this.#watched.keys()]) {
        // Where the store is away, the next look finds out.
        const found = await read(id).then(
          task => ({ task }),
          () => undefined,
        );
        if (found) this.#tell(id, found.task);
      }
      this.#stop = undefined;
      if (this.#watched.size > 0) this.#look();
    }, LOOK_MS);
  }
}

const versionOf = (task: Task | undefined): string =>
  task ? JSON.stringify([task.turn, task.status, task.updatedAt, Object.keys(task.answers)]) : '';
