/**
 * Calls a function once when a signal fires: at once if it has fired already.
 * @returns a function that stops watching; nothing is called after that
 */
export function onAbort(signal: AbortSignal, aborted: () => void): () => void {
  if (signal.aborted) aborted();
  else signal.addEventListener('abort', aborted, { once: true });
  return () => signal.removeEventListener('abort', aborted);
}
