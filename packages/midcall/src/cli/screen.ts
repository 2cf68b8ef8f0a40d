/** Where somebody who sits at the keyboard sees questions, although standard error may go elsewhere. */
import { openSync } from 'node:fs';
import { WriteStream } from 'node:tty';
import type { Presenter } from '@midcall/host';

/**
 * Standard error; or the terminal itself if keys are typed there and standard error goes into a file or another program.
 * @returns undefined if that terminal cannot be written to
 */
export function screen(): NodeJS.WriteStream | WriteStream | undefined {
  if (process.stdin.isTTY !== true || process.stderr.isTTY === true) return process.stderr;
  try {
    return new WriteStream(openSync('/dev/tty', 'r+'));
  } catch {
    return undefined;
  }
}

/** Presents nothing: a question that nobody can see is not waited for. */
export const unseen = (onUnanswered: (why: string) => void): Presenter => ({
  via: 'terminal',
  show(_, { reply }) {
    onUnanswered(
      'The server asked a question that could not be shown, as standard error goes into a file or another program. ' +
        'Leave it on the terminal, or answer from a file with --answers.',
    );
    void reply({ action: 'dismiss' });
  },
});
