/**
 * What the process's exit code says; the table of `midcall --help` and of the documentation. One meaning per number,
 * stable across releases, so that a script can tell a refusal by the tool from a question nobody answered.
 */

/** Name -> exit code and what it means. */
export const exitCodes = {
  ok: { code: 0, meaning: 'The call completed; a question that was declined or dismissed included.' },
  toolError: { code: 1, meaning: 'The tool reported an error, or the server refused the call.' },
  found: { code: 1, meaning: 'lint found an error in the server.' },
  usage: {
    code: 2,
    meaning: 'The command line is wrong: unknown option, missing argument, arguments that do not fit.',
  },
  noServer: { code: 3, meaning: 'The server could not be started or reached, went away, or did not answer in time.' },
  unanswered: {
    code: 4,
    meaning: 'A question could not be shown or answered: no answer left, one that does not fit, or a request refused.',
  },
  failure: { code: 70, meaning: 'Midcall itself failed.' },
  interrupted: { code: 130, meaning: 'The person cancelled the call (Ctrl-C).' },
} as const;

/** One row of the table. */
export type ExitName = keyof typeof exitCodes;

/** The table as lines of text, for `--help`. */
export function exitCodeHelp(): string {
  const rows = Object.values(exitCodes).map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`);
  return ['Exit codes:', ...rows].join('\n');
}
