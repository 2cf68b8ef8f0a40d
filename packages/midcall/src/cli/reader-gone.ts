/** What a command does if its output is no longer read, as in `midcall --help | head -1`: it ends silently. */

import { exitCodes } from './exit-codes.ts';

/** The codes of errors when nobody reads the output any more: the reader of a pipe has ended, or the terminal is gone. */
const endings: readonly unknown[] = ['EPIPE', 'EIO'];

/** True for a write error because nobody reads any more, which is not reported: {@link endWithReader} ends the command. */
export const isReaderGone = (error: unknown): boolean =>
  error instanceof Error && endings.includes((error as NodeJS.ErrnoException).code);

let gone = false;
const waiting: (() => void)[] = [];

/** Calls back once nobody reads what this command writes, or it cannot be written. */
export function whenOutputGone(leave: () => void): void {
  if (gone) setImmediate(leave);
  else waiting.push(leave);
}

/**
 * Ends a command that serves, as a signal would, since it would go on for nobody. Any other command runs to its end, so that
 * its work, such as a tool call, is not cut short; it gets no signal, which would end the servers that it has started. Output
 * that cannot be written for another reason, such as a full disk, is reported too.
 */
export function endWithReader(): void {
  const onError = (stream: 'output' | 'error', error: NodeJS.ErrnoException): void => {
    if (gone) return;
    gone = true;
    if (!isReaderGone(error)) {
      process.exitCode = exitCodes.failure.code;
      if (stream === 'output') process.stderr.write(`midcall: standard output cannot be written (${error.code}).\n`);
    }
    for (const leave of waiting) leave();
  };
  process.stdout.on('error', error => onError('output', error));
  process.stderr.on('error', error => onError('error', error));
}
