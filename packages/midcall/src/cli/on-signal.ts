/** How commands that serve are ended. */

/** Closes on the first signal to end; the process exits by itself when nothing is left to do. */
export function closeOnSignal(close: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close());
}

/**
 * Closes on a signal to end, and ends the process; a second signal does not wait.
 * @returns a function that does the same without a signal
 */
export function endOnSignal(close: () => Promise<void>): () => void {
  let ending = false;
  const end = (): void => {
    if (ending) process.exit(130);
    ending = true;
    void close().finally(() => process.exit(0));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  return end;
}
