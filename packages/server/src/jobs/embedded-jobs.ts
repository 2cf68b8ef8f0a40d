/**
 * Jobs of one process, with a timer for each that waits. If there is a store they are on a list there too, and whoever
 * starts with that store takes them up: what a process left that died. Processes that share a store look through the list
 * once a minute for what nobody has run.
 */
import type { Store } from '@midcall/core/store';
import { TimeList } from '../state/time-list.ts';
import type { JobRun, Jobs } from './jobs.ts';

export interface EmbeddedJobsOptions {
  /** Where jobs outlive this process; undefined if nothing does. */
  readonly store: Store | undefined;
  readonly now: () => number;
  /** Runs a function later, and keeps no process alive for it. */
  readonly timer: (fn: () => void, ms: number) => () => void;
  readonly warn: (message: string) => void;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** How often the list is looked through, and how long after its time a job is taken to be nobody's. */
const LOOK_MS = 60_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Waiting {
  readonly at: number;
  readonly attempt: number;
  /** Absent before the start. */
  stop?: () => void;
}

export function embeddedJobs({ store, now, timer, warn }: EmbeddedJobsOptions): Jobs {
  const list = store && new TimeList(store, 'jobs');
  const waiting = new Map<string, Waiting>();
  const running = new Map<string, Promise<void>>();
  let run: JobRun | undefined;
  let closed = false;
  let stopLooking = (): void => {};

  const arm = (name: string): void => {
    const job = waiting.get(name);
    if (!job || !run || closed) return;
    const ms = job.at - now();
    if (ms <= 0) begin(name, job);
    else job.stop = timer(() => arm(name), Math.min(ms, LONGEST_TIMER_MS));
  };
  const wait = (name: string, at: number, attempt: number): void => {
    waiting.set(name, { at, attempt });
    arm(name);
  };
  const begin = (name: string, { attempt }: Waiting): void => {
    waiting.delete(name);
    if (closed || !run) return;
    const ended = run(name, attempt).then(
      () => {
        running.delete(name);
        list?.drop(name);
      },
      (error: unknown) => {
        running.delete(name);
        if (closed) return;
        if (attempt === 1) warn(`midcall: a job failed and is repeated: ${(error as Error).message}`);
        wait(name, now() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)), attempt + 1);
      },
    );
    running.set(name, ended);
  };
  /** @param before - takes up what should have been run by then, in milliseconds since the epoch */
  const takeUp = async (before: number): Promise<void> => {
    for (const [name, at] of await list!.read()) {
      if (at <= before && !waiting.has(name) && !running.has(name)) wait(name, at, 1);
    }
  };
  const look = (before: () => number): void => {
    if (!list || closed) return;
    void takeUp(before())
      .then(() => list.flush())
      .catch((error: unknown) => warn(`midcall: the list of jobs could not be read: ${(error as Error).message}`))
      .finally(() => {
        if (!closed) stopLooking = timer(() => look(() => now() - LOOK_MS), LOOK_MS);
      });
  };

  return {
    async add(name, delayMs = 0) {
      if (waiting.has(name) || running.has(name)) return;
      const at = now() + Math.max(0, delayMs);
      await list?.put(name, at);
      if (!waiting.has(name) && !running.has(name)) wait(name, at, 1);
    },
    async remove(name) {
      const job = waiting.get(name);
      if (!job) return;
      job.stop?.();
      waiting.delete(name);
      list?.drop(name);
    },
    start(runner) {
      run = runner;
      for (const name of [...waiting.keys()]) arm(name);
      look(() => Number.POSITIVE_INFINITY);
    },
    async close() {
      closed = true;
      stopLooking();
      for (const { stop } of waiting.values()) stop?.();
      await Promise.allSettled([...running.values()]);
      await list?.flush().catch(() => {});
    },
  };
}
