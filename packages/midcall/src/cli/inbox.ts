/**
 * `midcall inbox`: the questions that wait on the desk of this person, in a terminal: for a machine without a browser, and over
 * SSH. Each can be answered, refused, or left open. Without a terminal, it prints what waits.
 */
import { visible } from '@midcall/core/text';
import { dateFormat, machineZone } from '@midcall/core/time';
import { type Ending, foldAlike, type Question, type Receipt, type Reply } from '@midcall/host';
import { Terminal } from '@midcall/host/terminal';
import type { HostWait } from '@midcall/host/web';
import type { Command } from 'commander';
import { deskSocketPath, findDesk, handedOver, type Peer } from '../shared-desk/index.ts';
import { exitCodes } from './exit-codes.ts';
import { screen } from './screen.ts';

interface InboxFlags {
  readonly plain?: boolean;
}

/** Adds `midcall inbox`. */
export function register(command: Command): void {
  command.option('--plain', 'ask in plain lines, without drawing').action(inbox);
}

/** An open question, and what fires when it has ended. */
interface Waiting {
  readonly question: Question;
  readonly ended: AbortController;
}

/** Whether hosts wait for the person, by the ids of their calls. */
type Waits = ReadonlyMap<string, HostWait>;

async function inbox(flags: InboxFlags): Promise<void> {
  const waiting = new Map<string, Waiting>();
  const waits = new Map<string, HostWait>();
  const answered = new Set<string>();
  const seen = screen();
  const terminal = new Terminal({
    input: process.stdin,
    output: seen ?? process.stderr,
    ...(flags.plain && { plain: true }),
  });
  let changed = (): void => {};
  let isListening = false;
  const found = await findDesk(deskSocketPath(), { role: 'inbox' }, (word, body) => {
    if (word === 'asked') {
      const question = body['question'] as Question;
      waiting.set(question.id, { question, ended: new AbortController() });
      if (isListening) seen?.write(bell);
    } else if (word === 'ended') {
      const id = String(body['id']);
      waiting.get(id)?.ended.abort(body['ending'] as Ending);
      waiting.delete(id);
    } else if (word === 'host-wait') {
      const { callId, wait } = body as { readonly callId: string; readonly wait: HostWait };
      if (wait.state === 'waits' || wait.state === 'left') waits.set(callId, wait);
      else waits.delete(callId);
      if (wait.state === 'served' && answered.has(callId))
        terminal.say([`${nameOf(wait)} came back, and has the result.`]);
    }
    changed();
  });
  const state = found && (await handedOver(found));
  if (typeof state === 'number') {
    found?.peer.close();
    process.stderr.write(
      `midcall: An older desk is running, and questions are open there: ${state}. Answer them on its page; it ends when they are ` +
        'answered. To stop it instead: midcall desk --stop\n',
    );
    process.exitCode = exitCodes.noServer.code;
    return;
  }
  if (!found || state !== 'ready') {
    process.stdout.write('No desk is running, so nothing is waiting there. To start one: midcall desk\n');
    return;
  }
  const { peer } = found;
  if (process.stdin.isTTY !== true || !seen) {
    const lines = folds(waiting).map(fold => `${lineOf(fold, waits)}\n`);
    process.stdout.write(lines.length === 0 ? 'Nothing is waiting.\n' : lines.join(''));
    peer.close();
    return;
  }
  peer.onClosed(() => {
    // Without an ending: none of the questions has one, and what has happened is said below.
    for (const { ended } of waiting.values()) ended.abort();
    terminal.interrupt();
    changed();
  });
  // While an editor is open, Ctrl-C is no key but a signal, to the editor and to this process.
  process.on('SIGINT', () => {
    if (!terminal.interrupt()) process.exit(exitCodes.interrupted.code);
  });
  isListening = true;
  /** The row that the cursor stays on as the list changes: the id of a question in it; empty for the way out. */
  let at: string | undefined;
  while (!peer.isClosed) {
    if (waiting.size === 0) {
      terminal.say(['Nothing is waiting. A question appears here when it comes; Ctrl-C leaves.']);
      await new Promise<void>(resolve => {
        changed = resolve;
      });
      continue;
    }
    // What comes or ends while the list is shown is in the next one, which is shown at once.
    let isOld = false;
    changed = () => {
      isOld = true;
      terminal.interrupt();
    };
    const rows = folds(waiting);
    const row = rows.find(fold => fold.some(({ id }) => id === at));
    const id = await terminal.choose({
      message: waiting.size === 1 ? 'One question is waiting.' : `${waiting.size} questions are waiting.`,
      choices: [
        ...rows.map(fold => ({ value: fold[0].id, label: lineOf(fold, waits) })),
        { value: '', label: 'Leave', hint: 'the questions stay open' },
      ],
      initial: at === '' ? at : row?.[0].id,
      onLeft: value => {
        at = value;
      },
    });
    changed = () => {};
    if (isOld) {
      at = id ?? at;
      continue;
    }
    at = undefined;
    const fold = rows.find(([first]) => first.id === id);
    if (!fold) break;
    const chosen = fold.flatMap(each => waiting.get(each.id) ?? []);
    const left = new Set<string>();
    for (const { call } of await answer(chosen, lineOf(fold, waits), terminal, peer)) {
      if (!call) continue;
      answered.add(call.id);
      const wait = waits.get(call.id);
      if (wait?.state === 'left') left.add(nameOf(wait));
    }
    for (const name of left) terminal.say([`${name} has stopped waiting: go back to it and say "continue".`]);
  }
  if (peer.isClosed)
    terminal.say(['The desk has ended. To see its questions again: midcall desk, and then midcall inbox']);
  process.exit(peer.isClosed ? exitCodes.noServer.code : exitCodes.ok.code);
}

/** Terminals ring or blink at it, so that somebody who does something else notices. */
const bell = '\u0007';

/** The rows of the list: alike calls are one. */
const folds = (waiting: ReadonlyMap<string, Waiting>) =>
  foldAlike([...waiting.values()].map(({ question }) => question));

/**
 * The person decides about the questions of one row.
 * @param line - the row as it was shown: it names what is decided about, since the list may have changed as it was chosen
 * @returns those about which their decision counts
 */
async function answer(
  row: readonly Waiting[],
  line: string,
  terminal: Terminal,
  peer: Peer,
): Promise<readonly Question[]> {
  const counts: Question[] = [];
  const replyTo =
    (question: Question) =>
    async (chosen: Reply): Promise<Receipt> => {
      const sent = peer.ask('reply', { id: question.id, reply: chosen, via: terminal.via }) as Promise<Receipt>;
      const receipt = await sent.catch((error: unknown): Receipt => {
        if (!peer.isClosed) throw error;
        terminal.say(['! The desk ended before it confirmed that it had your decision.']);
        return { ok: false, problem: 'unknown' };
      });
      if (receipt.ok) counts.push(question);
      return receipt;
    };
  const isCall = row[0]?.question.kind === 'call';
  const action = await terminal.choose({
    message: `What do you want to do with ${row.length === 1 ? 'it' : `these ${row.length}`}? ${line}`,
    choices: [
      { value: 'open', label: 'Answer', hint: row.length === 1 ? 'shows all of it' : 'shows all of them' },
      { value: 'decline', label: 'Decline', hint: isCall ? 'no call is made' : 'say no to the server' },
      { value: 'dismiss', label: 'Dismiss', hint: 'close without saying yes or no' },
      { value: 'leave', label: 'Leave open' },
    ],
  });
  if (action === 'decline' || action === 'dismiss') {
    const receipts = await Promise.all(row.map(({ question }) => replyTo(question)({ action })));
    const late = receipts.filter(({ ok }) => !ok).length;
    if (late < row.length) terminal.say([action === 'decline' ? 'Declined.' : 'Dismissed.']);
    if (late > 0 && !peer.isClosed)
      terminal.say([row.length === 1 ? 'The question had ended already.' : `${late} of them had ended already.`]);
  }
  if (action === 'open') {
    for (const { question, ended } of row) terminal.show(question, { reply: replyTo(question), ended: ended.signal });
    await terminal.idle();
  }
  return counts;
}

const nameOf = ({ host }: HostWait): string => visible(host, { max: 40 });

/** Who waits for the answer, and until when. */
function waitWords(wait: HostWait | undefined): string {
  if (wait?.state === 'left') return ` (${nameOf(wait)} has stopped waiting)`;
  if (wait?.state !== 'waits') return '';
  const format = dateFormat('en-GB', { timeStyle: 'medium', timeZone: machineZone() });
  return ` (${nameOf(wait)} waits${wait.until === undefined ? '' : ` until ${format.format(wait.until)}`})`;
}

/** A row in one line: who asks, for which call, who waits, and what. */
export function lineOf([question, ...alike]: readonly [Question, ...Question[]], waits: Waits): string {
  const { call } = question;
  const about = call ? ` for ${visible(call.name, { max: 60 })}${waitWords(waits.get(call.id))}` : '';
  const asks =
    alike.length > 0
      ? `${1 + alike.length} calls are about to be made: yes or no?`
      : visible(asksOf(question), { max: 120 });
  return `${visible(question.asker.id, { max: 40 })}${about}: ${asks}`;
}

/** What is asked: the server's words, or ours. */
function asksOf(question: Question): string {
  switch (question.kind) {
    case 'form':
    case 'url':
      return question.message;
    case 'url-finish':
      return `waits for you to finish on a page: ${question.message}`;
    case 'sign-in':
      return question.more ? 'asks for more than your sign-in allows' : 'asks you to sign in';
    case 'sampling-request':
      return 'asks to use your model';
    case 'sampling-reply':
      return question.model.byHand ? 'asks for your reply' : 'asks for your model’s reply';
    case 'roots':
      return 'asks which folders it may use';
    case 'call':
      return 'the call is about to be made: yes or no?';
  }
}
