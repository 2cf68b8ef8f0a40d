/**
 * `midcall call`: one tool call, its questions asked in the terminal or answered from a file. The result goes to standard
 * output, everything a person reads to standard error. Without a tool, the person chooses one. A call that became a task can be
 * left and resumed.
 */

import { resolve } from 'node:path';
import { isMidcallError, messageOf } from '@midcall/core/errors';
import { visible } from '@midcall/core/text';
import {
  type CallOutcome,
  type CallProgress,
  type CallTask,
  Connection,
  type ServerEntry,
  type StoredTask,
  tasksFile,
} from '@midcall/host';
import { Terminal, type TerminalOptions } from '@midcall/host/terminal';
import type { Command } from 'commander';
import { configPath, ownVersion } from '../install/index.ts';
import { Answers } from './answers.ts';
import { beginCall, type WantedCall } from './begin-call.ts';
import type { CallHistory } from './call-history.ts';
import { exitOf, JsonOutput, printOutcome } from './call-outcome.ts';
import { addRulesFlags, callRules, type RulesFlags } from './call-rules.ts';
import { type ExitName, exitCodes, exitOfError } from './exit-codes.ts';
import { readSeconds, repeatable } from './flag-values.ts';
import { type HostFlags, hostParts } from './host-parts.ts';
import { chooseModel } from './model-choice.ts';
import { grantFolders } from './offer-folders.ts';
import { screen, unseen } from './screen.ts';
import { chooseEra, chooseServer } from './server-choice.ts';
import { addServerFlags, onlyAfterDashes, type ServerFlags, wordsAfterDashes } from './server-flags.ts';
import { inJson, listOfStoredCalls, type StoredCall, shortId, storedCall, takenUp } from './stored-calls.ts';

interface CallFlags extends ServerFlags, HostFlags, RulesFlags {
  readonly root?: readonly string[];
  readonly answers?: string;
  readonly models?: string;
  readonly json?: boolean;
  readonly plain?: boolean;
  readonly timeout?: string;
  readonly startTimeout: string;
  readonly tasks: string;
  readonly keep: string | false;
  readonly detach?: boolean;
  /** True if no call is named. */
  readonly resume?: string | true;
}

const noFolder =
  'midcall: The server asked which folders it may use, and none was granted. Grant one with --root <dir>; it may be repeated.';

const notCalled = 'midcall: No tool was called. To try again, run the same command.';

/** Adds `call` to the program. */
export function register(command: Command): void {
  command
    .argument('[tool]', 'name of the tool; without one, choose it from a list')
    .argument('[arguments...]', 'one JSON object, or key=value (key:=json for a value as JSON)')
    .usage(
      '[options] [tool] [json | key=value…] -- <command that starts the server…>\n       midcall call --resume [id]',
    );
  addRulesFlags(addServerFlags(command))
    .option(
      '--root <dir>',
      'tell the server about this directory; DIR=/path where a container has it there; repeatable',
      repeatable,
    )
    .option('--answers <file>', 'answer from this JSON list of results, in order; nothing is guessed')
    .option('--models <file>', 'module whose default export is a list of models, or a sampling model')
    .option('--json', 'print the outcome as JSON')
    .option('--plain', 'ask in plain lines, without drawing')
    .option(
      '--timeout <seconds>',
      "the server's own time, not counting yours (default: 60, and no limit once the call is a task)",
    )
    .option('--start-timeout <seconds>', 'how long the server may take to start', '60')
    .option('--decisions <file>', 'where your permanent decisions are kept', configPath('decisions.json'))
    .option('--audit <file>', 'append what was asked and how it ended to this file (JSON Lines)')
    .option(
      '--keep <folder>',
      'where the calls you make in a terminal are kept, with those of the desk',
      configPath('desk'),
    )
    .option('--no-keep', 'keep nothing of this call, and offer no earlier values')
    .option('--detach', 'leave the call as soon as the server continues it by itself, and print its id')
    .option('--resume [id]', 'return to a call that was left; without an id, list them')
    .option('--tasks <file>', 'where calls that continue by themselves are kept', configPath('tasks.json'))
    .action(async (tool: string | undefined, words: readonly string[], flags: CallFlags) => {
      const after = wordsAfterDashes(process.argv);
      const json = flags.json ? new JsonOutput() : undefined;
      const ended = run(tool, words, after, flags, json).catch(error => {
        json?.fail(exitOfError(error), messageOf(error));
        throw error;
      });
      process.exitCode = exitCodes[await ended].code;
    });
}

async function run(
  tool: string | undefined,
  words: readonly string[],
  after: readonly string[],
  flags: CallFlags,
  json: JsonOutput | undefined,
): Promise<ExitName> {
  if (flags.resume === undefined) {
    // The words after the dashes are among those before, and the first of these is the tool.
    const operands = [...(tool === undefined ? [] : [tool]), ...words];
    const [name, ...args] = operands.slice(0, operands.length - after.length);
    return call({ ...(name !== undefined && { tool: name }), words: args }, chooseServer(flags, after), flags, json);
  }
  onlyAfterDashes([...(tool === undefined ? [] : [tool]), ...words], process.argv);
  const tasks = tasksFile(resolve(flags.tasks));
  if (flags.resume === true) {
    const stored = await tasks.list();
    if (json) json.write(stored.map(inJson));
    else process.stdout.write(listOfStoredCalls(stored, Date.now()));
    return 'ok';
  }
  const namesServer = [flags.url, flags.config, flags.server].some(Boolean) || after.length > 0;
  const stored = storedCall(await tasks.list(), flags.resume, namesServer ? chooseServer(flags, after) : undefined);
  return call({ resumed: stored }, stored.entry, flags, json);
}

/** The call to make or to resume. */
type CallTarget = WantedCall | { readonly resumed: StoredCall };

async function call(
  target: CallTarget,
  entry: ServerEntry,
  flags: CallFlags,
  json: JsonOutput | undefined,
): Promise<ExitName> {
  let unanswered: string | undefined;
  let giveUp = (): void => {};
  const onUnanswered = (why: string): void => {
    unanswered ??= why;
    giveUp();
  };
  const seen = screen();
  const terminal = terminalFor(flags, seen ?? process.stderr, onUnanswered);
  // What is said goes to standard error, wherever that leads; only questions follow the person.
  const say = (lines: readonly string[]): void => {
    if (seen === process.stderr) terminal.say(lines);
    else
      for (const line of lines)
        process.stderr.write(`${visible(line, { lines: true, max: 100_000 }).replaceAll('\n', '\n  ')}\n`);
  };
  const complain = (error: unknown): void => say([`midcall: ${messageOf(error)}`]);
  const answers = flags.answers === undefined ? undefined : new Answers(flags.answers, { say, onUnanswered });
  const { host, authorization } = hostParts(flags, complain);
  const rules = callRules(flags, line => say([`midcall: ${line}`]));
  const { inbox, audit, policy } = host;
  if (flags.root) await grantFolders(host.roots, entry.id, flags.root);
  const model = answers?.model ?? (await chooseModel(flags.models));
  const timeoutMs = flags.timeout === undefined ? undefined : readSeconds('--timeout', flags.timeout);
  const startTimeoutMs = readSeconds('--start-timeout', flags.startTimeout);
  const era = 'resumed' in target ? target.resumed.task.era : chooseEra(flags);
  const tasks = tasksFile(resolve(flags.tasks));
  const hide = inbox.present(answers ?? (seen ? terminal : unseen(onUnanswered)));
  // Ctrl-C cancels the call, and the server must still be running to learn of it.
  const connection = new Connection(entry, {
    client: { name: 'midcall', title: 'Midcall', version: ownVersion() },
    era,
    inbox,
    audit,
    policy,
    ...(rules && { rules }),
    startTimeoutMs,
    sampling: { model },
    authorization,
    tasks,
    onError: complain,
    onSilent: why => say([`midcall: ${why}`]),
    ...(timeoutMs !== undefined && { callTimeoutMs: timeoutMs }),
    ...(flags.root && { roots: host.roots }),
  });
  let wantsFolder = false;
  let signedIn = false;
  let isToldBound = false;
  const refusals: string[] = [];
  let left = (): void => {};
  const isLeft = new Promise<'left'>(resolve => {
    left = () => resolve('left');
  });
  connection.subscribe(event => {
    if (
      event.type === 'call-task' &&
      flags.detach &&
      event.task.resumable &&
      isBoundToSession(entry, connection, signedIn)
    ) {
      if (!isToldBound) say([boundToSession]);
      isToldBound = true;
    } else if (event.type === 'call-task' && flags.detach && event.task.resumable) {
      // Questions from now on are asked in the process that resumes the call.
      hide();
      left();
    } else if (event.type === 'call-task') {
      // Of a question that is on the screen, this would be said after its answer.
      if (event.task.status !== 'input_required' || inbox.list().length === 0) say([taskLine(event.task)]);
    }
    if (event.type !== 'refused') return;
    if (event.kind === 'call') say([`midcall: ${event.why}`]);
    else if (event.by === 'policy') say([`midcall: ${event.why} (midcall decisions)`]);
    else if (event.kind === 'roots/list' && !flags.root) wantsFolder = true;
    else refusals.push(event.why);
  });
  try {
    await connection.start();
    signedIn = await connection.isSignedIn();
    const byHand = !answers && isSeen(flags);
    const history = byHand && flags.keep !== false ? await historyOf(resolve(flags.keep), complain) : undefined;
    const running = await ('resumed' in target
      ? takenUp(connection, target.resumed)
      : beginCall(connection, entry.id, target, {
          say,
          json,
          ...(byHand && { person: { terminal, history } }),
          onProgress: progress => say([progressLine(progress)]),
          limitsTask: timeoutMs !== undefined,
        }));
    if (typeof running === 'string') return running;
    const startedAt = Date.now();
    giveUp = () => running.cancel();
    const keep = async (outcome?: CallOutcome): Promise<void> => {
      if ('arguments' in running)
        await history?.add({ ...running, serverId: entry.id }, startedAt, outcome).catch(complain);
    };
    // Both before the history is written, as the first question may be on the screen by then.
    const stop = onInterrupt(() => !terminal.interrupt() && running.cancel());
    if (!answers && process.stderr.isTTY)
      say([`calling ${visible(running.tool, { max: 100 })} (Ctrl-C cancels it; at a question, it goes one step back)`]);
    await keep();
    const outcome = await Promise.race([running.outcome, isLeft]).finally(stop);
    if (outcome === 'left') {
      if (json) json.write({ how: 'left', id: running.id });
      else process.stdout.write(`${running.id}\n`);
      say([`midcall: The call continues without you. To return to it: midcall call --resume ${shortId(running.id)}`]);
      return 'ok';
    }
    await terminal.idle();
    // A cancelled call says so itself; a server reports a refusal without knowing the reason.
    if (outcome.how !== 'abandoned')
      say(
        refusals.map(
          why => `midcall: A request of the server was refused before it reached you: ${visible(why, { max: 500 })}`,
        ),
      );
    wantsFolder ||= !flags.root && outcome.how === 'refused' && outcome.needs?.includes('roots') === true;
    if (json && unanswered !== undefined) json.fail('unanswered', unanswered);
    else if (json) json.write(outcome);
    else if (!wantsFolder || 'result' in outcome) printOutcome(outcome, { plain: flags.plain === true, say });
    await keep(outcome);
    if (wantsFolder) say([noFolder]);
    if (unanswered !== undefined) {
      say([`midcall: ${unanswered}`]);
      return 'unanswered';
    }
    if (flags.detach) say(['midcall: The server made no task of this call, so its result is here.']);
    await connection.settled();
    const open = (await tasks.list()).find(({ call }) => call.id === running.id);
    if (open) say([openLine(open)]);
    return exitOf(outcome);
  } catch (error) {
    const hasEnded = isMidcallError(error, 'host/server-gone');
    if (!hasEnded && !isMidcallError(error, 'host/not-found')) throw error;
    const why = (hasEnded && connection.problem) || error.message;
    json?.fail('noServer', why);
    say([`midcall: ${why}`, ...(hasEnded && !('resumed' in target) ? [notCalled] : [])]);
    return 'noServer';
  } finally {
    terminal.close();
    await connection.stop();
  }
}

/** True if a person sits at the terminal and reads what is written to it. */
const isSeen = (flags: CallFlags): boolean =>
  process.stdin.isTTY === true && process.stderr.isTTY === true && flags.json !== true;

const boundToSession =
  'midcall: This call cannot be left: over HTTP on 2025-11-25, a task of somebody who is not signed in belongs to this session ' +
  'alone. Its result comes here. To leave such calls, sign in to the server, or use a server of 2026-07-28.';

/** True if no other process can return to a task: nothing but the session says whose it is. */
function isBoundToSession({ target }: ServerEntry, { server }: Connection, signedIn: boolean): boolean {
  if (target.kind !== 'url' || server?.era !== '2025-11-25' || signedIn) return false;
  const { headers = {}, headersFile, auth } = target;
  return headersFile === undefined && auth === undefined && Object.keys(headers).length === 0;
}

/** A history that cannot be read counts as empty: the call is made without it. */
async function historyOf(folder: string, complain: (error: unknown) => void): Promise<CallHistory | undefined> {
  // Its modules are loaded only if a person is there.
  const { callHistory } = await import('./call-history.ts');
  return callHistory(folder).catch(error => {
    complain(error);
    return undefined;
  });
}

function terminalFor(
  flags: CallFlags,
  output: TerminalOptions['output'],
  onUnanswered: (why: string) => void,
): Terminal {
  return new Terminal({
    input: process.stdin,
    output,
    ...(flags.plain && { plain: true }),
    onUnanswered: () =>
      onUnanswered(
        'The input ended before the question was answered. Answer in a terminal, or from a file with --answers.',
      ),
  });
}

/**
 * The first Ctrl-C is handed to `act`; if that has no effect, the second ends the process. @returns a function that stops
 * listening
 */
function onInterrupt(act: () => unknown): () => void {
  process.on('SIGINT', act);
  return () => void process.off('SIGINT', act);
}

function taskLine({ status, message }: CallTask): string {
  const says = message === undefined ? undefined : `says: ${visible(message, { max: 200 })}`;
  if (status === 'input_required')
    return `… the server is waiting for an answer${says === undefined ? '' : `, and ${says}`}`;
  // It may be waiting for somebody, as its own words then say.
  return `… the server ${says ?? 'is working on it'}`;
}

/** Says what to do about a call that may still go on at the server. */
function openLine({ call, cancelled }: StoredTask): string {
  const resume = `midcall call --resume ${shortId(call.id)}`;
  return cancelled
    ? `midcall: The server has not confirmed that it cancelled the call, and may continue it. To cancel it again: ${resume}`
    : `midcall: The call may continue at the server. To find out: ${resume}`;
}

/** A server's progress as a line for the person. */
export function progressLine({ progress, total, message }: CallProgress): string {
  const said = message === undefined ? undefined : visible(message, { max: 200 });
  // Without a total, the number only grows, and tells a person nothing.
  if (total === undefined) return `… ${said ?? progress}`;
  return `… ${progress} of ${total}${said === undefined ? '' : `: ${said}`}`;
}
