/** Runs something with a signal of its own that follows another one, and leaves no listener on that. */
export async function underOwnSignal<T>(
  signal: AbortSignal,
  run: (own: AbortSignal, abort: () => void) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const abort = (): void => own.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await run(own.signal, abort);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
