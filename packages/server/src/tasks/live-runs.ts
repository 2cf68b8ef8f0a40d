/**
 * The task runs in progress in this process: one at a time for each task, ended if the client cancels it or the server closes,
 * and visible to the other processes that share the store.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import { taskName } from '../base/index.ts';
import { type Config, detachedOf, taskCancelled } from '../request/index.ts';
import type { TaskStore } from './task-store.ts';

interface Live {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  ctx?: ServerContext;
}

export interface LiveRunsOptions {
  readonly config: Config;
  readonly store: TaskStore;
  /** Ends a task that is to be cancelled, after its run. */
  readonly endCancelled: (key: string) => Promise<unknown>;
}

/** How long a process that runs calls counts as alive without a sign of life, in milliseconds. */
const PRESENT_MS = 60_000;

/** Why a run ends although its task does not. */
export const closing = Object.freeze(new Error('This server is closing.'));

/** Runs by the keys of their tasks. */
export class LiveRuns {
  readonly #options: LiveRunsOptions;
  readonly #live = new Map<string, Live>();
  /** Keys of tasks that end when their current run has ended. */
  readonly #toCancel = new Set<string>();
  #stopBeating: (() => void) | undefined;
  #closing = false;

  constructor(options: LiveRunsOptions) {
    this.#options = options;
  }

  /** Names this process in tasks whose first run is under way in it. */
  get home(): string {
    return this.#options.config.process();
  }

  get isClosing(): boolean {
    return this.#closing;
  }

  /** Resolves when no run of a task is under way. */
  async idle(key: string): Promise<void> {
    for (let live = this.#live.get(key); live; live = this.#live.get(key)) await live.ended.catch(() => {});
  }

  /** Settles as a run does, after its follow-up work. @param ctx - if it is known already */
  async track(key: string, stop: AbortController, run: Promise<void>, ctx?: ServerContext): Promise<void> {
    const { config } = this.#options;
    const stopListening = config.wake.listen(taskName(key), () => void this.#notice(key, stop).catch(() => {}));
    const ended = run.finally(() => {
      stopListening();
      this.#live.delete(key);
    });
    this.#live.set(key, { stop, ended, ...(ctx && { ctx }) });
    this.#beat();
    try {
      await ended;
    } finally {
      if (this.#toCancel.delete(key)) await this.#options.endCancelled(key);
    }
  }

  /** Sets the request that a run answers. */
  answers(key: string, ctx: ServerContext): void {
    const live = this.#live.get(key);
    if (live) live.ctx = ctx;
  }

  /** Cancels the run of a task, which is over once that has ended. @returns false if none is under way */
  cancel(key: string): boolean {
    const running = this.#live.get(key);
    if (!running) return false;
    // A run that was about to end may not have noticed.
    this.#toCancel.add(key);
    running.stop.abort(taskCancelled);
    return true;
  }

  /** Stops the run of a task that is over. @returns false if none is under way */
  stop(key: string): boolean {
    const running = this.#live.get(key);
    running?.stop.abort(taskCancelled);
    return running !== undefined;
  }

  has(key: string): boolean {
    return this.#live.has(key);
  }

  /** Begins to close: runs that only wait are ended, so that another process may continue them. */
  release(): void {
    this.#closing = true;
    for (const { stop, ctx } of this.#live.values()) if (ctx && detachedOf(ctx)?.waits) stop.abort(closing);
  }

  /** Resolves when no run is in progress. */
  async idleAll(): Promise<void> {
    while (this.#live.size > 0) await Promise.allSettled([...this.#live.values()].map(({ ended }) => ended));
  }

  /** Leaves all runs, whatever they do: another process finds out what took effect. */
  leave(): void {
    this.#stopBeating?.();
    for (const { stop } of this.#live.values()) stop.abort(closing);
  }

  /** True if a process that ran a task may still be there. */
  async isPresent(home: string): Promise<boolean> {
    return home !== this.home && (await this.#options.config.store.get(`home:${home}`)) !== undefined;
  }

  /**
   * Signals to others that this process is alive, three times within the time after which it counts as gone, and checks what
   * they have cancelled.
   */
  #beat(): void {
    const { config } = this.#options;
    if (this.#stopBeating || this.#closing || config.contents === config.store) return;
    const beat = (): void => {
      void config.store.set(`home:${this.home}`, '', { ttlMs: PRESENT_MS }).catch(() => {});
      this.#stopBeating = config.idleClock.after(PRESENT_MS / 3, () => {
        this.#stopBeating = undefined;
        if (this.#live.size === 0) return;
        beat();
        for (const [key, { stop }] of this.#live) void this.#notice(key, stop).catch(() => {});
      });
    };
    beat();
  }

  async #notice(key: string, stop: AbortController): Promise<void> {
    const task = await this.#options.store.readAt(key);
    if (task?.status === 'cancelled') stop.abort(taskCancelled);
  }
}
