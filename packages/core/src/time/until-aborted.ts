import { onAbort } from './on-abort.ts';

/** Settles with the work, or rejects as soon as the signal fires: not all work listens to one. */
export function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, () => reject(signal.reason));
    Promise.resolve(work).then(resolve, reject).finally(stop);
  });
}
