/**
 * The exit codes of the process; the table of `midcall --help` and of the documentation. One meaning per number, stable across
 * releases, so that a script can tell a refusal by the tool from a question that nobody answered.
 */
import { isMidcallError, type MidcallErrorCode } from '@midcall/core/errors';
import { Help } from 'commander';

/** Name -> exit code and what it means. */
export const exitCodes = {
  ok: { code: 0, meaning: 'The call completed, even if a question was declined or dismissed.' },
  toolError: { code: 1, meaning: 'The tool reported an error, or the server refused the call.' },
  found: { code: 1, meaning: 'lint found an error in the server, or the record of inboxes was changed.' },
  usage: {
    code: 2,
    meaning: 'The command line is wrong: an unknown option, a missing argument, or arguments that do not fit.',
  },
  noServer: {
    code: 3,
    meaning:
      'The server could not be started (for example, its port is taken) or reached, it stopped, it did not answer in time, its answer could not be read, or the connection to it broke off.',
  },
  unanswered: {
    code: 4,
    meaning: 'A question could not be shown or answered: no answer left, one that does not fit, or a request refused.',
  },
  failure: { code: 70, meaning: 'Midcall itself failed.' },
  interrupted: {
    code: 130,
    meaning: 'The person cancelled the call (Ctrl-C; at a question, it only goes one step back).',
  },
} as const;

/** One row of the table. */
export type ExitName = keyof typeof exitCodes;

const withoutServer: readonly MidcallErrorCode[] = ['store/unavailable', 'host/not-found', 'host/server-gone'];

/** The row for an error that ends the process. */
export function exitOfError(error: unknown): 'usage' | 'noServer' | 'failure' {
  if (!isMidcallError(error)) return 'failure';
  if (error.code === 'cli/usage') return 'usage';
  return withoutServer.includes(error.code) ? 'noServer' : 'failure';
}

/** In fewer columns, help is not wrapped. */
export const minWidthToWrap = 20;

const indent = ' '.repeat(7);

/** The table as lines of text no wider than `columns`, for `--help`. */
export function exitCodeHelp(columns: number): string {
  const help = Object.assign(new Help(), { minWidthToWrap });
  const rows = Object.values(exitCodes).map(({ code, meaning }) => {
    const wrapped = help.boxWrap(meaning, columns - indent.length);
    return `  ${String(code).padStart(3)}  ${wrapped.replaceAll('\n', `\n${indent}`)}`;
  });
  return ['Exit codes:', ...rows].join('\n');
}
