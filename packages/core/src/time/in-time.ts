/** Waits for a time to pass, and for work that may take no longer than a time. */
import type { Clock } from './clock.ts';

type Timers = Pick<Clock, 'after'>;

/** Resolves after so many milliseconds, or as soon as the signal fires. */
export function pause(ms: number, clock: Timers, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const end = (): void => {
      stop();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const stop = clock.after(ms, end);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}

/** What work resolves to; if that takes longer than `ms` milliseconds, what `late` returns, or throws. */
export function inTime<T, L = undefined>(
  work: Promise<T>,
  ms: number,
  clock: Timers,
  late: () => L = () => undefined as L,
): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(ms, () => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    });
    work.finally(stop).then(resolve, reject);
  });
}

/**
 * Runs work that is given up if it takes longer than `ms` milliseconds, even if it ignores its signal.
 * @param signal - ends the work, too
 * @param late - the error for work that took too long
 */
export async function runInTime<T>(
  ms: number,
  clock: Timers,
  signal: AbortSignal,
  late: () => Error,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const working = Promise.resolve(work(AbortSignal.any([signal, limit.signal])));
  return inTime(working, ms, clock, () => {
    const error = late();
    limit.abort(error);
    throw error;
  });
}
