/**
 * Work that a server does without a request. A job is a name and nothing else: whoever runs it finds what there is to do
 * under that name, so that nothing a person said lies in a queue.
 *
 * - jobs-J1 Once `add` has resolved, the job is run, by this process or by another one that has the same queue; where the queue
 *   lies outside the process, even after `kill -9`.
 * - jobs-J2 A job may be run more than once, and by two processes at the same time: what it does has to allow for that.
 * - jobs-J3 A name that waits, or is being run, is not added a second time; once it has been run it may be added again.
 * - jobs-J4 A run that rejects is repeated, after longer and longer pauses of at most a minute, until one resolves.
 */
export interface Jobs {
  /**
   * Adds a job.
   * @param name - 1 to 200 letters, digits, `-`, `_`, `.` and `/`
   * @param delayMs - milliseconds before it is run; at once if absent
   * @throws MidcallError `store/unavailable` if it could not be kept
   */
  add(name: string, delayMs?: number): Promise<void>;
  /** Takes a job back that waits. One that is being run goes on; for one that is unknown nothing happens. Never rejects. */
  remove(name: string): Promise<void>;
  /**
   * Begins to run jobs: those that wait already, and those that are added from now on. Called once.
   * A run may take as long as a person is on a page, so many have to fit side by side.
   */
  start(run: JobRun): void;
  /** Runs nothing more, and resolves when the runs in progress have ended. What waits stays where the queue lies. */
  close(): Promise<void>;
}

/**
 * Does the work of one job.
 * @param attempt - 1 for the first run, one more for each that rejected before
 */
export type JobRun = (name: string, attempt: number) => Promise<void>;
