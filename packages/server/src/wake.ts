/**
 * The seam by which what waits in one process is woken by another that shares its store: pages and tasks that a person answered
 * elsewhere.
 *
 * - wake-W1 Waking says only where to look. It may be lost, come twice or be forged: whoever waits looks by itself as well, now and
 *   then, and believes nothing but what lies in the store.
 */
export interface Wake {
  /**
   * Wakes whoever listens to a name in another process. It is not waited for, and never throws.
   * @param name - 1 to 200 letters, digits, `-`, `_`, `.` and `/`; nothing that is anybody's secret
   */
  wake(name: string): void;
  /**
   * Listens until the returned function is called.
   * @param woken - called where there is something to look at; also once it is certain that nothing is missed from then on
   */
  listen(name: string, woken: () => void): () => void;
  /** Wakes and hears nothing more. */
  close(): Promise<void>;
}

/** Where there is no other process, or none that could be told. */
export const noWake: Wake = { wake() {}, listen: () => () => {}, async close() {} };

/** What a task is called by those who wait for it. @param key - of the task in the store */
export const taskName = (key: string): string => `task/${key}`;
