/**
 * Jobs of one process. Each job due within a minute has a timer. One with a longer delay is a name and a time on a list, which
 * is checked once a minute: in the store if there is one, so that none of it is in memory, and any process that starts with
 * that store takes up what a dead process left. Processes that share a store look for jobs that nobody has run, and all of them
 * run delayed ones (jobs-J2).
 */
import type { Store } from '@midcall/core/store';
import type { Clock } from '@midcall/core/time';
import { TimeList } from '../state/index.ts';
import { type JobRun, type Jobs, pauseAfter } from './jobs.ts';

export interface EmbeddedJobsOptions {
  /** The store in which jobs outlive this process; undefined if they do not. */
  readonly store: Store | undefined;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
}

/** How often the list is checked, and how long after its time a job counts as abandoned. */
const LOOK_MS = 60_000;

interface Waiting {
  readonly at: number;
  readonly attempt: number;
  /** Absent before the start. */
  stop?: () => void;
}

export function embeddedJobs({ store, clock, warn }: EmbeddedJobsOptions): Jobs {
  const list = store && new TimeList(store, 'jobs');
  /** Delayed jobs if there is no store. */
  const putOff = new Map<string, number>();
  const waiting = new Map<string, Waiting>();
  const running = new Map<string, Promise<void>>();
  let run: JobRun | undefined;
  let closed = false;
  let stopLooking: (() => void) | undefined;
  /** Jobs due by this time have been taken off the list, in milliseconds since the epoch. */
  let lookedTo = Number.NEGATIVE_INFINITY;

  const arm = (name: string): void => {
    const job = waiting.get(name);
    if (!job || !run || closed) return;
    const ms = job.at - clock.now();
    if (ms <= 0) begin(name, job);
    else job.stop = clock.after(ms, () => arm(name));
  };
  const wait = (name: string, at: number, attempt: number): void => {
    if (waiting.has(name) || running.has(name)) return;
    putOff.delete(name);
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
        wait(name, clock.now() + pauseAfter(attempt), attempt + 1);
      },
    );
    running.set(name, ended);
  };
  /** Takes up jobs due before the next check, and those that should have run `sinceMs` ago. */
  const takeUp = async (sinceMs: number): Promise<void> => {
    const [at, known] = [clock.now(), lookedTo];
    for (const [name, due] of list ? await list.read(at + LOOK_MS) : putOff) {
      // Jobs that came due between two checks are being run by those who took them up; what they leave is abandoned.
      if (due <= at + LOOK_MS && (due > known || due <= at - sinceMs)) wait(name, due, 1);
    }
    lookedTo = at + LOOK_MS;
    await list?.flush();
  };
  const look = (sinceMs: number): void => {
    void takeUp(sinceMs)
      .catch((error: unknown) => warn(`midcall: the list of jobs could not be read: ${(error as Error).message}`))
      .finally(lookLater);
  };
  const lookLater = (): void => {
    if (closed || !run || stopLooking || (!list && putOff.size === 0)) return;
    stopLooking = clock.after(LOOK_MS, () => {
      stopLooking = undefined;
      look(LOOK_MS);
    });
  };

  return {
    async add(name, delayMs = 0) {
      if (waiting.has(name) || running.has(name)) return;
      const at = clock.now() + Math.max(0, delayMs);
      await list?.put(name, at);
      // A check may have passed while it was being written.
      if (delayMs <= LOOK_MS || at <= lookedTo) return wait(name, at, 1);
      if (!list) putOff.set(name, at);
      lookLater();
    },
    async remove(name) {
      if (running.has(name)) return;
      waiting.get(name)?.stop?.();
      waiting.delete(name);
      putOff.delete(name);
      list?.drop(name);
    },
    start(runner) {
      run = runner;
      for (const name of [...waiting.keys()]) arm(name);
      look(0);
    },
    async close() {
      closed = true;
      stopLooking?.();
      for (const { stop } of waiting.values()) stop?.();
      await Promise.allSettled([...running.values()]);
      await list?.flush().catch(() => {});
    },
  };
}
