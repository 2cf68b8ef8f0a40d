/** The options by which every command names one server: `-- <command>`, `--url`, or an entry of an `mcp.json`. */
import type { Command } from 'commander';
import { repeatable } from './flag-values.ts';
import { usage } from './usage.ts';

/** The parsed options. */
export interface ServerFlags {
  readonly url?: string;
  readonly header?: readonly string[];
  readonly serverAuth?: string;
  readonly config?: string;
  readonly server?: string;
  readonly era?: string;
}

/** Adds the options to a command. */
export function addServerFlags(command: Command): Command {
  return addUrlFlags(command.option('--url <url>', 'the server is at this address (Streamable HTTP)'))
    .option('--config <file>', 'the server is in this mcp.json (default with --server: ./mcp.json)')
    .option('--server <name>', 'the entry of the mcp.json')
    .option('--era <era>', 'protocol revision: auto, 2026-07-28 or 2025-11-25', 'auto');
}

/** Adds the options that go with `--url`. */
export function addUrlFlags(command: Command): Command {
  return command
    .option(
      '--header <name:value>',
      'send this header to --url, or with @FILE the headers in that file; repeatable',
      repeatable,
    )
    .option('--server-auth <file>', 'how to sign in to --url, as a JSON file with what an mcp.json has in "auth"');
}

/** The words after `--`, which commander does not distinguish from those before it. */
export function wordsAfterDashes(argv: readonly string[]): readonly string[] {
  const at = argv.indexOf('--');
  return at < 0 ? [] : argv.slice(at + 1);
}

/**
 * The words after `--`, for a command that takes no others.
 * @param operands - all words that are no options, as commander gives them
 * @throws MidcallError `cli/usage` if there are words before `--`
 */
export function onlyAfterDashes(operands: readonly string[], argv: readonly string[]): readonly string[] {
  const after = wordsAfterDashes(argv);
  if (operands.length > after.length)
    throw usage(`Unexpected word '${operands[0]}'. The command that starts the server goes after --.`);
  return after;
}
