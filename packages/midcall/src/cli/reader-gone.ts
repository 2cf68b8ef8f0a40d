/** What a command does if its output is no longer read, as in `midcall --help | head -1`: it ends silently. */

/** True for a write error because nobody reads any more, which is not reported: {@link endWithReader} ends the command. */
export const isReaderGone = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'EPIPE';

/**
 * Ends a command that serves, as a signal would, since it would go on for nobody. Any other command runs to its end, so that
 * its work, such as a tool call, is not cut short.
 */
export function endWithReader(): void {
  let gone = false;
  const onError = (error: NodeJS.ErrnoException): void => {
    if (!isReaderGone(error)) throw error;
    if (gone) return;
    gone = true;
    process.emit('SIGTERM', 'SIGTERM');
  };
  process.stdout.on('error', onError);
  process.stderr.on('error', onError);
}
