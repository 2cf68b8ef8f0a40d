/**
 * The seam by which a process wakes waiting calls in others that share its store: when a person answers a page or a task
 * elsewhere.
 *
 * - wake-W1 A wake-up only says where to look. It may be lost, arrive twice or be forged: whoever waits also polls the store,
 *   and trusts only what is in the store.
 */
export interface Wake {
  /**
   * Wakes whoever listens to a name in another process. Nobody waits for it, and it never throws.
   * @param name - 1 to 200 letters, digits, `-`, `_`, `.` and `/`; must not contain a secret
   */
  wake(name: string): void;
  /**
   * Listens until the returned function is called.
   * @param woken - called when there is something to check; also once it is certain that nothing is missed from then on
   */
  listen(name: string, woken: () => void): () => void;
  /** Stops waking and listening. */
  close(): Promise<void>;
}

/** Used if there is no other process, or none that could be notified. */
export const noWake: Wake = { wake() {}, listen: () => () => {}, async close() {} };

/** The name of a task for those who wait for it. @param key - of the task in the store */
export const taskName = (key: string): string => `task/${key}`;
