/**
 * Work that a server does without a request. A job is only a name: whoever runs it looks up the work under that name, so that
 * nothing a person said is in a queue.
 *
 * - jobs-J1 Once `add` has resolved, the job is run, by this process or another one with the same queue; if the queue is
 *   outside the process, even after `kill -9`.
 * - jobs-J2 A job may be run more than once, and by two processes at the same time: its work must allow for that.
 * - jobs-J3 A name that is waiting, or being run, is not added a second time; once it has been run it may be added again.
 * - jobs-J4 A run that rejects is repeated, after increasing pauses of at most a minute, until one resolves.
 */
export interface Jobs {
  /**
   * Adds a job.
   * @param name - 1 to 200 letters, digits, `-`, `_`, `.` and `/`
   * @param delayMs - milliseconds before it is run; at once if absent
   * @throws MidcallError `store/unavailable` if it could not be stored
   */
  add(name: string, delayMs?: number): Promise<void>;
  /** Removes a waiting job. One that is being run continues; an unknown one is ignored. Never rejects. */
  remove(name: string): Promise<void>;
  /**
   * Begins to run jobs: those already waiting, and those added from now on. Called once. A run may take as long as a person is
   * on a page, so many must be able to run in parallel.
   */
  start(run: JobRun): void;
  /** Runs nothing more, and resolves when the runs in progress have ended. Waiting jobs stay in the queue. */
  close(): Promise<void>;
}

/**
 * Does the work of one job.
 * @param attempt - 1 for the first run, one more for each that rejected before
 */
export type JobRun = (name: string, attempt: number) => Promise<void>;

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Milliseconds before the next run of a job (jobs-J4). @param attempt - the run that has rejected */
export const pauseAfter = (attempt: number): number => Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
