/**
 * What a command does when its output is no longer read, as with `midcall --help | head -1`: it ends silently.
 */

/** True for a write that nobody reads any more, which is no error to tell of: {@link endWithReader} ends the command. */
export const isReaderGone = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'EPIPE';

/**
 * Ends a command that serves as a signal would: it would go on for nobody. Any other one comes to its end by itself, so that
 * what it does elsewhere, such as a tool call, is not cut in half.
 */
export function endWithReader(): void {
  let gone = false;
  const onError = (error: NodeJS.ErrnoException): void => {
    if (!isReaderGone(error)) throw error;
    if (gone) return;
    gone = true;
    process.emit('SIGTERM');
  };
  process.stdout.on('error', onError);
  process.stderr.on('error', onError);
}
