/**
 * `midcall call`: one tool call, its questions asked in the terminal or answered from a file. The result goes to standard
 * output, everything a person reads to standard error.
 */

import { isMidcallError, noSuchTool } from '@midcall/core/errors';
import { visible, visibleJson } from '@midcall/core/text';
import { type CallProgress, Connection, type ServerEntry } from '@midcall/host';
import { Terminal } from '@midcall/host/terminal';
import type { Command } from 'commander';
import { configPath, ownVersion } from '../install/index.ts';
import { Answers } from './answers.ts';
import { exitOf, printOutcome } from './call-outcome.ts';
import { type ExitName, exitCodes } from './exit-codes.ts';
import { type HostFlags, hostParts } from './host-parts.ts';
import { chooseModel } from './model-choice.ts';
import { grantFolders } from './offer-folders.ts';
import { repeatable } from './repeatable.ts';
import { readSeconds } from './seconds.ts';
import { chooseEra, chooseServer } from './server-choice.ts';
import { addServerFlags, type ServerFlags, wordsAfterDashes } from './server-flags.ts';
import { readToolArguments } from './tool-arguments.ts';

interface CallFlags extends ServerFlags, HostFlags {
  readonly root?: readonly string[];
  readonly answers?: string;
  readonly models?: string;
  readonly json?: boolean;
  readonly plain?: boolean;
  readonly timeout: string;
}

const noFolder =
  'midcall: The server asked which folders it may use, and none was granted. Grant one with --root <dir>; it may be repeated.';

/** Adds `call` to the program. */
export function register(command: Command): void {
  command
    .argument('<tool>', 'name of the tool')
    .argument('[arguments...]', 'one JSON object, or key=value (key:=json for a value as JSON)')
    .usage('[options] <tool> [json | key=value…] -- <command that starts the server…>');
  addServerFlags(command)
    .option(
      '--root <dir>',
      'tell the server of this directory; DIR=/path where a container has it there; repeatable',
      repeatable,
    )
    .option('--answers <file>', 'answer from this JSON list of results, in order; nothing is guessed')
    .option('--models <file>', 'module whose default export is a list of models, or a sampling model')
    .option('--json', 'print the outcome as JSON')
    .option('--plain', 'ask in plain lines, without drawing')
    .option('--timeout <seconds>', "the server's own time, not counting yours", '60')
    .option('--rules <file>', 'where decisions of yours that hold for good are kept', configPath('rules.json'))
    .option('--audit <file>', 'append what was asked and how it ended to this file (JSON Lines)')
    .action(async (tool: string, words: readonly string[], flags: CallFlags) => {
      const after = wordsAfterDashes(process.argv);
      const given = words.slice(0, words.length - after.length);
      process.exitCode = exitCodes[await call(tool, given, chooseServer(flags, after), flags)].code;
    });
}

async function call(tool: string, words: readonly string[], entry: ServerEntry, flags: CallFlags): Promise<ExitName> {
  const say = (lines: readonly string[]): void => void process.stderr.write(lines.map(line => `${line}\n`).join(''));
  const complain = (error: unknown): void =>
    say([`midcall: ${error instanceof Error ? error.message : String(error)}`]);
  let unanswered: string | undefined;
  let giveUp = (): void => {};
  const onUnanswered = (why: string): void => {
    unanswered ??= why;
    giveUp();
  };
  const answers = flags.answers === undefined ? undefined : new Answers(flags.answers, { say, onUnanswered });
  const { host, authorization } = hostParts(flags, complain);
  const { inbox, audit, policy } = host;
  if (flags.root) await grantFolders(host.roots, entry.id, flags.root);
  const model = answers?.model ?? (await chooseModel(flags.models));
  const timeoutMs = readSeconds('--timeout', flags.timeout);
  const era = chooseEra(flags);
  // A terminal holds its input open from here on: whatever may be wrong with the command line was said before.
  const terminal = answers ? undefined : terminalFor(flags, onUnanswered);
  inbox.present((answers ?? terminal)!);
  const connection = new Connection(entry, {
    client: { name: 'midcall', title: 'Midcall', version: ownVersion() },
    era,
    inbox,
    audit,
    policy,
    callTimeoutMs: timeoutMs,
    startTimeoutMs: timeoutMs,
    sampling: { model },
    authorization,
    ...(flags.root && { roots: host.roots }),
  });
  let wantsFolder = false;
  const refusals: string[] = [];
  connection.subscribe(event => {
    if (event.type !== 'refused') return;
    if (event.by === 'policy') say([`midcall: ${event.why} (midcall rules)`]);
    else if (event.kind === 'roots/list' && !flags.root) wantsFolder = true;
    else refusals.push(event.why);
  });
  try {
    await connection.start();
    const { tools, problems } = await connection.catalogue();
    say(problems.map(({ list, why }) => `midcall: The ${list} could not be listed: ${why}`));
    if (problems.some(({ list }) => list === 'tools')) return connection.state === 'ready' ? 'toolError' : 'noServer';
    const schema = tools.find(each => each.name === tool)?.inputSchema;
    if (!schema) throw noSuchTool(tool, tools);
    const running = connection.run(
      { kind: 'tool', name: tool, arguments: readToolArguments(words, schema) },
      { onProgress: progress => say([progressLine(progress)]) },
    );
    giveUp = () => running.cancel();
    const stop = onInterrupt(() => terminal?.interrupt() !== true && running.cancel());
    if (terminal && process.stderr.isTTY)
      say([`calling ${visible(tool, { max: 100 })} (Ctrl-C cancels it; at a question, it goes one step back)`]);
    const outcome = await running.outcome.finally(stop);
    await terminal?.idle();
    // A call that was given up says so itself; a server says of a refusal only that it was one.
    if (outcome.how !== 'abandoned')
      say(
        refusals.map(
          why => `midcall: A request of the server was refused before it reached you: ${visible(why, { max: 500 })}`,
        ),
      );
    wantsFolder ||= !flags.root && outcome.how === 'refused' && outcome.needs?.includes('roots') === true;
    if (flags.json) process.stdout.write(`${visibleJson(outcome)}\n`);
    else if (!wantsFolder || 'result' in outcome) printOutcome(outcome);
    if (wantsFolder) say([noFolder]);
    if (unanswered !== undefined) {
      say([`midcall: ${unanswered}`]);
      return 'unanswered';
    }
    return exitOf(outcome);
  } catch (error) {
    if (!isMidcallError(error, 'host/not-found')) throw error;
    say([`midcall: ${error.message}`]);
    return 'noServer';
  } finally {
    terminal?.close();
    await connection.stop();
  }
}

function terminalFor(flags: CallFlags, onUnanswered: (why: string) => void): Terminal {
  return new Terminal({
    input: process.stdin,
    output: process.stderr,
    ...(flags.plain && { plain: true }),
    onUnanswered: () =>
      onUnanswered(
        'The input ended before the question was answered. Answer in a terminal, or from a file with --answers.',
      ),
  });
}

/** The first Ctrl-C is handed to `act`, the second of an unmoved process ends it. @returns stops listening */
function onInterrupt(act: () => unknown): () => void {
  process.on('SIGINT', act);
  return () => void process.off('SIGINT', act);
}

function progressLine({ progress, total, message }: CallProgress): string {
  const done = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined ? `… ${done}` : `… ${done}: ${visible(message, { max: 200 })}`;
}
