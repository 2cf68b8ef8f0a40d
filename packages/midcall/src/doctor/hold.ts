/** Holds a call open, with or without progress, until its time is up or its client cancels it. */
import type { Clock } from '@midcall/core/time';

export interface HoldOptions {
  readonly ms: number;
  /** Tells the client that the call is alive; the client is told nothing if absent. */
  readonly progress?: (done: number) => Promise<void>;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'after'>;
}

/** Milliseconds between two signs of life. */
const EVERY_MS = 5_000;

export function hold({ ms, progress, signal, clock }: HoldOptions): Promise<'held' | 'cancelled'> {
  return new Promise(resolve => {
    let ticks = 0;
    let quiet = (): void => {};
    const tell = (): void => {
      ticks++;
      // That a client is gone shows in the signal.
      progress?.(ticks).catch(() => {});
      quiet = clock.after(EVERY_MS, tell);
    };
    const end = (how: 'held' | 'cancelled') => (): void => {
      quiet();
      stop();
      signal.removeEventListener('abort', cancelled);
      resolve(how);
    };
    const cancelled = end('cancelled');
    const stop = clock.after(ms, end('held'));
    if (progress) tell();
    if (signal.aborted) cancelled();
    else signal.addEventListener('abort', cancelled, { once: true });
  });
}
