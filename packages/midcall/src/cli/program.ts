/**
 * The `midcall` command: a table of subcommands (subcommands.ts), each in a file of its own.
 * A `MidcallError` ends the process with one line on standard error and the exit code of its kind; nothing but a
 * command's own result is ever written to standard output.
 */
import { messageOf } from '@midcall/core/errors';
import { visible } from '@midcall/core/text';
import { Command, CommanderError, Help } from 'commander';
import { ownVersion } from '../install/index.ts';
import { exitCodeHelp, exitCodes, exitOfError, minWidthToWrap } from './exit-codes.ts';
import { endWithReader } from './reader-gone.ts';
import { subcommands } from './subcommands.ts';

/** Runs the command that the process was given; its exit code tells how that went. */
export async function runProgram(): Promise<void> {
  endWithReader();

  const program = new Command('midcall')
    .description('Ask the person, mid-call: elicitation, roots and sampling for MCP servers and hosts.')
    .version(ownVersion(), '-V, --version', 'print the version')
    .enablePositionalOptions()
    .configureHelp({ formatItem, minWidthToWrap })
    .showHelpAfterError('(run with --help for usage)')
    .configureOutput({ outputError: (text, write) => write(inTerminal(text.replace(/^error: /, 'midcall: '))) })
    .addHelpText('after', () => `\n${exitCodeHelp(process.stdout.columns ?? 80)}`)
    .exitOverride();

  // The program's only option ends it, so a subcommand can only be the first word; with `help`, the command is the next one.
  const [first, second] = process.argv.slice(2);
  const commandName = first === 'help' ? second : first;
  for (const { name, description, load } of subcommands) {
    const command = program.command(name).description(description);
    if (name === commandName) (await load()).register(command);
  }

  // For a command that is unknown, commander shows the help of the program where help is asked for, and nothing says why.
  const isUnknown = commandName !== undefined && !commandName.startsWith('-') && !isCommand(commandName);
  try {
    await program.parseAsync(isUnknown ? [commandName] : process.argv.slice(2), { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? exitCodes.ok.code : exitCodes.usage.code;
    } else {
      complain(messageOf(error));
      process.exitCode = exitCodes[exitOfError(error)].code;
    }
  }
}

/** Columns that a description needs beside its term. */
const narrowest = 40;

/** One row of the help: a description that has too little room beside its term goes below. */
function formatItem(term: string, termWidth: number, description: string, helper: Help): string {
  const width = helper.helpWidth ?? 80;
  if (description === '' || width - termWidth - 4 >= narrowest)
    return Help.prototype.formatItem.call(helper, term, termWidth, description, helper);
  return `  ${term}\n${helper.boxWrap(description, width - 6).replace(/^/gmu, ' '.repeat(6))}`;
}

const isCommand = (word: string): boolean => word === 'help' || subcommands.some(({ name }) => name === word);

/** The message may quote a server. */
const complain = (message: string): void =>
  void process.stderr.write(inTerminal(`midcall: ${visible(message, { lines: true, max: 4_000 })}\n`));

/** What is written to standard error: in a terminal, it is wrapped between words. */
function inTerminal(text: string): string {
  const { isTTY, columns } = process.stderr;
  return isTTY && columns > 0 ? new Help().boxWrap(text, columns) : text;
}
