/** Holds a call open, with or without progress, until its time is up or its client cancels it. */

export interface HoldOptions {
  readonly ms: number;
  /** Tells the client that the call is alive; nothing is told if absent. */
  readonly progress?: (done: number) => Promise<void>;
  readonly signal: AbortSignal;
  /** Runs a function later; the result cancels it. */
  readonly timer: (fn: () => void, ms: number) => () => void;
}

/** Milliseconds between two signs of life. */
const EVERY_MS = 5_000;

export function hold({ ms, progress, signal, timer }: HoldOptions): Promise<'held' | 'cancelled'> {
  return new Promise(resolve => {
    let ticks = 0;
    let quiet = (): void => {};
    const tell = (): void => {
      ticks++;
      // A client that is gone is noticed by the signal.
      progress?.(ticks).catch(() => {});
      quiet = timer(tell, EVERY_MS);
    };
    const end = (how: 'held' | 'cancelled') => (): void => {
      quiet();
      stop();
      signal.removeEventListener('abort', cancelled);
      resolve(how);
    };
    const cancelled = end('cancelled');
    const stop = timer(end('held'), ms);
    if (progress) tell();
    if (signal.aborted) cancelled();
    else signal.addEventListener('abort', cancelled, { once: true });
  });
}
