/**
 * Forwards one call from the client to the upstream server, and its questions back. On 2026-07-28 the handler may run again
 * from the top in every round; its decisions are recorded as steps.
 *
 * - forward-B1 A form or a page goes to the host if it declares that mode; a form also if it shows Apps, on a card. It goes to the desk if
 *   the host does not, if the
 *   host's answer cannot be a person's, or if its rounds are used up. Sampling goes to the host's model if it has one.
 *   Everything else is answered at the desk.
 * - forward-B2 A client is not kept waiting for the desk longer than it is likely to wait: it is told to call again, and the
 *   call continues.
 * - forward-B3 If the person cannot be asked, the bridge neither accepts nor declines, and the model is told so, and not that they
 *   refused. If there is a way for them to answer all the same, the question stays open and the model is told that way; otherwise
 *   it ends as unshown.
 * - forward-B4 A call that its client cancels is stopped, at whatever moment that happens. If a client of 2025-11-25 disconnects, the
 *   call is kept for a while, and found when the client makes it again; from 2026-07-28, to disconnect is to cancel
 *   (basic/patterns/cancellation, Transport-Specific Cancellation).
 * - forward-B5 A call that is a task of its host waits for as long as the task does, and is stopped when the task is over.
 * - forward-B6 A call that the rules ask about is not made for a client that has stopped waiting: it is made when that client calls again.
 * - forward-B7 A question that the host asks is open for an hour, in either revision: on 2026-07-28, its call waits that long for the
 *   client to come back with the answer.
 */

import { findOut, isMidcallError, MidcallError } from '@midcall/core/errors';
import { type AskedField, emit, type Field, secretIn, secretInMessage } from '@midcall/core/form';
import { canonical, own } from '@midcall/core/json';
import { visible } from '@midcall/core/text';
import { type Clock, steadyNow } from '@midcall/core/time';
import {
  argumentRows,
  type CallProgress,
  type CallQuestion,
  type CallRequest,
  type Inbox,
  type Question,
} from '@midcall/host';
import type { Call, GatewayCall } from '@midcall/server';
import { SdkError, SdkErrorCode, type ServerContext } from '@modelcontextprotocol/server';
import { answeredWithin, type Shown, signInNeeded } from '../desk/index.ts';
import { type HostLink, openRequest } from '../link/index.ts';
import type { Sample, UpstreamCall, UpstreamSession } from '../upstream/index.ts';
import { type Answered, replyOf, resultOf, unanswered, type WireResult } from './outcome.ts';

/** What forwarding needs. */
export interface ForwardOptions {
  /** The upstream server, which has been told by then what this host offers. @throws MidcallError `host/not-found` */
  readonly session: () => Promise<UpstreamSession>;
  /** The connection that the call came over. */
  readonly link: HostLink;
  /** Whose calls these are, if there are several principals: a client that comes back finds only its own. */
  readonly principal?: string;
  readonly clock: Clock;
  /** How many milliseconds a client is kept waiting for the desk (forward-B2). */
  readonly holdMs: number;
  /** True if the operator provided models; those of hosts are then not asked. */
  readonly ownModels: boolean;
}

/** @returns the result of the upstream server, or a text for the model if there is none yet */
export async function forward(
  request: CallRequest,
  call: GatewayCall,
  ctx: ServerContext,
  parts: ForwardOptions,
): Promise<WireResult> {
  let session: UpstreamSession;
  let upstreamCall: UpstreamCall;
  const host = parts.link.nameIn(openRequest(ctx));
  call.defer(parts.link.begin(openRequest(ctx)));
  try {
    session = await parts.session();
    const rest = withMeta(request.rest, await session.logsFor(parts.link));
    upstreamCall = await joined({ ...request, rest }, call, ctx, session, { ...parts, host });
  } catch (error) {
    if (!isMidcallError(error, 'host/not-found') && !isMidcallError(error, 'host/server-gone')) throw error;
    return unanswered(request.kind, error.message);
  }
  call.onTask(over => upstreamCall.keepUntil(over));
  upstreamCall.samplesAtHost = call.can.sampling && !parts.ownModels && call.roundsLeft > 0;
  const { inbox } = session;
  const holdMs = call.outlivesRequest ? Number.POSITIVE_INFINITY : parts.holdMs;
  const desk = new DeskTime({ inbox, clock: parts.clock, holdMs, waits: until => upstreamCall.waits(until) });
  for (let n = 0; ; n += 1) {
    const happened = await upstreamCall.happened(n);
    if ('outcome' in happened) {
      upstreamCall.delivered();
      const result = resultOf(happened.outcome, request.kind);
      return upstreamCall.unasked ? withUnasked(result, request) : result;
    }
    if ('sample' in happened) await sample(happened.sample, n, call);
    else {
      const { question } = happened;
      const isLeft = isLeftToHost(question, upstreamCall, inbox);
      if (isLeft && (await inbox.reply(question.id, { action: 'accept' }, 'host')).ok) continue;
      const how = await put(question, n, call, session, desk, upstreamCall, host);
      if (how !== 'ended') return sendAway(request, upstreamCall, question, how);
    }
  }
}

const withMeta = ({ _meta, ...rest }: Rest = {}, more: object): Rest => {
  const meta = { ...(_meta as object), ...more };
  return Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest;
};

type Rest = NonNullable<CallRequest['rest']>;

/**
 * Makes the call, or finds it, and waits with its client until the run ends (forward-B4). @throws MidcallError if it cannot be
 * made, or is over
 */
async function joined(
  request: CallRequest,
  call: GatewayCall,
  { mcpReq }: ServerContext,
  { calls, upstream, inbox }: UpstreamSession,
  { principal, link, host }: Pick<ForwardOptions, 'principal' | 'link'> & { readonly host: string },
): Promise<UpstreamCall> {
  const onProgress = (progress: CallProgress): void => {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken === undefined) return;
    // That a client is gone shows in the signal of its request.
    mcpReq
      .notify({ method: 'notifications/progress', params: { ...progress, progressToken } } as never)
      .catch(() => {});
  };
  let at: { readonly upstreamCall: UpstreamCall; readonly leave: ReturnType<UpstreamCall['join']> } | undefined;
  const join = (upstreamCall: UpstreamCall | undefined): void => {
    if (!at && upstreamCall) at = { upstreamCall, leave: upstreamCall.join(host, onProgress) };
  };
  call.defer(how => {
    if (!at) return;
    const { reason } = mcpReq.signal;
    const isCut = reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed;
    // A host that is gone has not cancelled its call, and may make it again when it reconnects.
    const isGone = isCut && (!link.perRequest || call.outlivesRequest);
    const question = at.upstreamCall.lastQuestion;
    const isMade = question?.kind !== 'call' || !isOpen(inbox, question);
    if (isGone && isMade) at.upstreamCall.sendAway();
    if (isGone && !isMade) at.upstreamCall.notMade();
    else if (mcpReq.signal.aborted && !isGone) at.upstreamCall.stop();
    else at.leave(how === 'suspended' ? { forMs: hostMs } : {});
  });
  // Joined within the step, so that neither another client nor the end of this run can come between.
  const id = await call.step('call the upstream server', async () => {
    await upstream.client();
    if (mcpReq.signal.aborted) throw over();
    const upstreamCall = calls.begin(request, principal);
    join(upstreamCall);
    return upstreamCall.id;
  });
  join(calls.get(id));
  if (!at) throw over();
  return at.upstreamCall;
}

const over = (): MidcallError =>
  new MidcallError(
    'call/interrupted',
    `This call is over: it was stopped, its question got no answer within ${hostMs / 60_000} minutes, or the bridge that made it has ended. ${findOut}`,
  );

/** The host shows sampling to its person: the request before its model runs, and the reply after it. */
function isLeftToHost(question: Question, upstreamCall: UpstreamCall, inbox: Inbox): boolean {
  if (!question.call || !isOpen(inbox, question)) return false;
  if (question.kind === 'sampling-request') return upstreamCall.samplesAtHost;
  return question.kind === 'sampling-reply' && upstreamCall.takeReply();
}

/** Asks the host's model; the host's person sees the request and may refuse it. */
async function sample(job: Sample, n: number, call: Call): Promise<void> {
  if (!(await call.step(`sampling ${n}`, () => job.open))) return;
  const { includeContext: _, ...request } = job.request;
  try {
    job.settle({ result: await call.sample({ ...request, timeoutMs: hostMs }) });
  } catch (error) {
    job.settle({ error });
  }
}

/**
 * Asks one question by whatever way can answer it.
 * @returns where it waits, if it was not answered in time
 */
async function put(
  question: Question,
  n: number,
  call: GatewayCall,
  session: UpstreamSession,
  desk: DeskTime,
  upstreamCall: UpstreamCall,
  host: string,
): Promise<'ended' | Exclude<Shown, false>> {
  const { inbox } = session;
  const { ended } = upstreamCall;
  // A question that names no call was shown at the desk when it came, and stays there for other calls when this one has ended.
  if (!question.call && ended.aborted) return 'ended';
  const asksHost =
    question.call !== undefined &&
    (await call.step(`question ${n}`, () => isOpen(inbox, question) && canAsk(question, call, session)));
  const reply = asksHost ? replyOf(await askHost(question, call, session, upstreamCall)) : undefined;
  if (!isOpen(inbox, question)) return 'ended';
  if (reply && (await inbox.reply(question.id, reply, 'host')).ok) return 'ended';
  const shown = await session.showDesk(question, host);
  if (!shown) {
    if (question.kind !== 'call') upstreamCall.unasked = true;
    inbox.end(question.id, { how: 'unshown' });
    return 'ended';
  }
  if (!isOpen(inbox, question)) return 'ended';
  const waits = shown.seen || (shown.comes === true && call.outlivesRequest);
  if (waits && (await desk.answers(question, question.call ? undefined : ended))) return 'ended';
  return shown;
}

/** A form that does not fit is asked again, so it may take more than one round. */
const roundsOfForm = 3;

/**
 * How long a question waits for the host, in milliseconds (forward-B7). Its server may withdraw it before that; a host that has gone
 * keeps a call from ending no longer than this.
 */
const hostMs = 60 * 60_000;

/**
 * How long a question of a task waits for the host, in milliseconds: as long as the task lives. The server withdraws it before
 * that.
 */
const taskMs = 7 * 24 * 60 * 60_000;

/** True if the host declares what the question needs, and has rounds left. */
function canAsk(question: Question, { can, roundsLeft, hasCard }: GatewayCall, { onCards }: UpstreamSession): boolean {
  const { kind } = question;
  if (kind === 'form' && !can.form) {
    // A call that is made again was not answered on its card; its host may show none.
    if (!hasCard || onCards.has(question.id) || !fitsCard(question)) return false;
    onCards.add(question.id);
    return true;
  }
  if (kind === 'form') return can.form && roundsLeft >= roundsOfForm;
  if (kind === 'call')
    return can.form && roundsLeft > 0 && !question.outOfBand && textOf(question).length <= longestMessage;
  return kind === 'url' && can.url && roundsLeft > 0;
}

/** True if the restricted schema says all of a field. */
const isEmitted = (field: AskedField): field is Field =>
  field.kind !== 'json' &&
  field.unchecked === undefined &&
  field.nullable === undefined &&
  (!('choices' in field) || field.choices.every(({ value }) => typeof value === 'string'));

const asksSecret = ({ message, fields }: Question & { readonly kind: 'form' }): boolean =>
  fields.some(field => secretIn(field) !== undefined) || secretInMessage(message, fields) !== undefined;

/** The members of a form's parameters that our own form has as well. */
const ours = new Set(['mode', 'message', 'requestedSchema']);
/** The most characters of a message that our own form has. */
const longestMessage = 2_000;

/** True if a card can show all fields of a form. */
const fitsCard = (question: Question & { readonly kind: 'form' }): boolean =>
  question.schema === undefined &&
  question.fields.every(isEmitted) &&
  question.message.trim() !== '' &&
  question.message.length <= longestMessage &&
  !asksSecret(question);

/** True if nothing of a form is lost when it is asked as our own, which explains to the person what was wrong with an answer. */
function isAllOf(
  received: Readonly<Record<string, unknown>>,
  question: Question & { readonly kind: 'form' },
  fields: readonly Field[],
): boolean {
  const { message } = question;
  return (
    Object.keys(received).every(name => ours.has(name)) &&
    message.trim() !== '' &&
    message.length <= longestMessage &&
    fields.length === question.fields.length &&
    canonical(received['requestedSchema']) === canonical(emit(fields))
  );
}

/**
 * The host's answer; undefined for what it cannot show, and for what hosts are never asked, such as a form with a secret in it.
 */
async function askHost(
  question: Question,
  call: GatewayCall,
  session: UpstreamSession,
  upstreamCall: UpstreamCall,
): Promise<Answered | undefined> {
  const { inbox, pagesAtHost } = session;
  const ended = inbox.ended(question.id);
  const timeoutMs = call.outlivesRequest ? taskMs : hostMs;
  const received = session.received(question);
  const pass = async (params: Readonly<Record<string, unknown>>) => {
    const { result, ...answer } = await call.pass({ params, timeoutMs }, ended);
    const { action: _, content, ...also } = result ?? {};
    session.connection.alsoAnswer(question.id, also);
    return { ...answer, content };
  };
  try {
    if (question.kind === 'form') {
      const fields = question.schema === undefined ? question.fields.filter(isEmitted) : [];
      // What of a form our own does not have is lost on a card, and its server judges the answer anyway.
      if (call.can.form && received && !isAllOf(received, question, fields)) {
        if (asksSecret(question)) return undefined;
        const { content, ...answer } = await pass(received);
        return answer.action === 'accept' ? { ...answer, content } : answer;
      }
      if (fields.length < question.fields.length) return undefined;
      let isOut = !call.can.form;
      // With a card the request ends: the same call made again must find this one.
      call.defer(how => {
        if (isOut && how === 'suspended') upstreamCall.sendAway();
      });
      const answer = await call.elicit({ message: question.message, form: emit(fields), timeoutMs }, ended);
      isOut = false;
      return answer;
    }
    if (question.kind === 'call') {
      const meta = question.hostPersists ? { _meta: { persist: ['session', 'always'] } } : {};
      const params = { message: textOf(question), requestedSchema: emit([]), ...meta };
      const { result, ...answer } = await call.pass({ params, timeoutMs }, ended);
      // An accept has nothing else in it: what lets later calls pass beyond that is chosen by the person at the desk.
      const persist = own(own(result ?? {}, '_meta'), 'persist');
      return persist === undefined ? answer : { ...answer, content: { persist } };
    }
    if (question.kind !== 'url') return undefined;
    const { message, url, elicitationId = question.id } = question;
    // If an error named the page, nobody sent a question.
    const { content: _, ...answer } = await pass({
      ...(received ?? { mode: 'url', message, url: url.href }),
      elicitationId,
    });
    if (question.elicitationId !== undefined && answer.action === 'accept') pagesAtHost.add(elicitationId);
    return answer;
  } catch (error) {
    if (isMidcallError(error, 'form/unsupported') || isMidcallError(error, 'form/secret')) return undefined;
    throw error;
  }
}

/** A question about a call as a text, for a host that shows no tables. It is made from the call's arguments alone. */
function textOf({ asker, call, labels, why, hostPersists }: CallQuestion): string {
  const rows = argumentRows(call.arguments, labels).map(row => {
    const text = row.shows === 'change' ? `${row.before}\n→\n${row.after}` : row.text;
    return `${visible(row.label, { max: 200 })}: ${visible(text, { lines: true, max: longestMessage + 1 })}`;
  });
  const [tool, server] = [visible(call.name, { max: 200 }), visible(asker.id, { max: 100 })];
  return [
    `Midcall asks before '${tool}' of '${server}' is called, because ${why}. It has not been called.`,
    ...(rows.length === 0 ? ['It has no arguments.'] : rows),
    'Accept to make this call once. Decline to prevent it.',
    ...(hostPersists
      ? [
          'If you tell this host to remember your yes, calls with exactly these arguments pass without a question, for a day at most.',
        ]
      : []),
  ].join('\n\n');
}

const isOpen = (inbox: Inbox, { id }: Question): boolean => inbox.get(id) !== undefined;

/** How long one request of a client may wait for the desk, whatever the number of questions (forward-B2). */
class DeskTime {
  readonly #inbox: Inbox;
  readonly #clock: Clock;
  readonly #waits: (until?: number) => void;
  #leftMs: number;

  /** @param parts - `waits` is called when a wait begins, with the time at which it ends at the latest, if it has one */
  constructor(parts: {
    readonly inbox: Inbox;
    readonly clock: Clock;
    readonly holdMs: number;
    readonly waits: (until?: number) => void;
  }) {
    this.#inbox = parts.inbox;
    this.#clock = parts.clock;
    this.#leftMs = parts.holdMs;
    this.#waits = parts.waits;
  }

  /** @returns false if the question is still open and needed when the time is up */
  async answers(question: Question, needless: AbortSignal | undefined): Promise<boolean> {
    const since = steadyNow(this.#clock);
    this.#waits(Number.isFinite(this.#leftMs) ? this.#clock.now() + this.#leftMs : undefined);
    const answered = await answeredWithin(question, this.#leftMs, this.#inbox, this.#clock, needless);
    this.#leftMs = Math.max(0, this.#leftMs - (steadyNow(this.#clock) - since));
    return answered;
  }
}

/**
 * Ends this request; the call itself continues, and the same call made again finds it.
 * @param shown - where its question waits
 */
function sendAway(
  { kind, name }: CallRequest,
  upstreamCall: UpstreamCall,
  question: Question,
  shown: Exclude<Shown, false>,
): WireResult {
  if (question.kind === 'call') {
    upstreamCall.notMade();
    return notDoneYet(name, shown);
  }
  upstreamCall.sendAway();
  const found = foundWithin(upstreamCall.keptMs);
  if (question.kind === 'sign-in') throw signInNeeded(question, { way: shown.seen ? undefined : shown.way, found });
  if (!shown.seen)
    return unanswered(
      kind,
      `Unavailable: '${name}' needs the person's answer, and they have not been asked, ` +
        `${whyNotAsked(shown)}. They have not refused, and nothing has failed. ${shown.way} Tell them so; when they ` +
        `have answered, call '${name}' again with the same arguments. ${found}`,
    );
  return unanswered(
    kind,
    `'${name}' is waiting for the person's answer ${shown.place}. ` +
      `Nothing has failed. Tell them so; when they have answered, call '${name}' again with the same arguments. ${found}`,
  );
}

/** When a call that is made again is found. @param ms - how long it is kept */
const foundWithin = (ms: number): string =>
  `Within ${ms / 60_000} minutes, it goes on where it is, and nothing is done twice. Later, or if the bridge has started anew, ` +
  'it is a new call: find out what took effect before making it.';

const whyNotAsked = ({ why }: { readonly why?: string }): string =>
  `since this host does not show the question${why === undefined ? '' : ` and ${why}`}`;

/** The result of a call that waits for the person's yes; it is made when the client makes the same call again. */
function notDoneYet(name: string, shown: Exclude<Shown, false>): WireResult {
  const again = `Tell them so; when they have answered, call '${name}' again with the same arguments.`;
  const text = shown.seen
    ? `Not done. '${name}' waits for ${shown.others === undefined ? "the person's yes" : `the yes of ${shown.others}`} ${shown.place}. ${again}`
    : `Not done. '${name}' needs the person's yes, and they have not been asked, ${whyNotAsked(shown)}. ${shown.way} ${again}`;
  return {
    content: [{ type: 'text', text }],
    isError: true,
    _meta: { 'io.github.midcall/disposition': 'not-executed' },
  };
}

/** What the server made of a question that nobody was asked reads like a refusal. */
function withUnasked(result: WireResult, { kind, name }: CallRequest): WireResult {
  const content = result['content'];
  if (kind !== 'tool' || !Array.isArray(content)) return result;
  const text =
    `Unavailable: a question of '${name}' could not be put to the person, since this host does not show it and there is no desk ` +
    'that they see. They have neither refused nor cancelled anything. To be asked, they need a host that shows questions, or a ' +
    'bridge on their own machine.';
  return { ...result, content: [...content, { type: 'text', text }] };
}
