/**
 * Calls a function once when a signal fires: at once if it has fired already.
 * @returns a function that stops watching; nothing is called after that
 */
export function onAbort(signal: AbortSignal, aborted: () => void): () => void {
  if (signal.aborted) aborted();
  else signal.addEventListener('abort', aborted, { once: true });
  return () => signal.removeEventListener('abort', aborted);
}

/** Settles with the work, or rejects as soon as the signal fires: not all work listens to one. */
export function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, () => reject(signal.reason));
    Promise.resolve(work).then(resolve, reject).finally(stop);
  });
}
