/**
 * Carries one call from the client in front to the server behind, and its questions back. The handler may run again from the
 * top with every round of 2026-07-28; what it decided is in its steps.
 *
 * - B1 A form or a page goes to the host where it declares that mode, and to the desk where it does not, or where its answer
 *   is nobody's; sampling goes to the host's model where it has one. Everything else is answered on the desk.
 * - B2 A client is not kept waiting for the desk longer than it may stand: it is told to come back, and the call goes on.
 * - B3 Where nobody can be asked, the question ends without a yes.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import { isMidcallError, MidcallError } from '../errors.ts';
import { emit } from '../form/index.ts';
import type { CallProgress, CallRequest, Clock, Inbox, Question } from '../host/index.ts';
import type { Call, GatewayCall } from '../server/index.ts';
import type { CarriedCall, CarriedCalls, Sample } from './carried-calls.ts';
import { resultOf, unanswered, type WireResult } from './outcome.ts';
import { type Answered, lastResort, replyOf } from './reply.ts';

/** What a call is carried with. */
export interface CarryParts {
  readonly calls: CarriedCalls;
  readonly inbox: Inbox;
  readonly clock: Clock;
  /** Shows an open question to the person on the desk. @returns false where there is no way to */
  readonly showDesk: (question: Question) => Promise<boolean>;
  /** Milliseconds a client is kept waiting for the desk (B2). */
  readonly holdMs: number;
  /** Before the call is made: what the server behind may use of the host. */
  readonly prepare: (call: Call) => Promise<void>;
  /** The pages the host was asked to open, to be told when they are finished (2025-11-25). */
  readonly pagesAtHost: Set<string>;
  /** True where the operator has given models; then those of hosts are not asked. */
  readonly ownModels: boolean;
}

/** @returns the result of the server behind, or words for the model where there is none yet */
export async function carry(
  request: CallRequest,
  call: GatewayCall,
  ctx: ServerContext,
  parts: CarryParts,
): Promise<WireResult> {
  try {
    await parts.prepare(call);
  } catch (error) {
    if (!isMidcallError(error, 'host/not-found') && !isMidcallError(error, 'host/server-gone')) throw error;
    return unanswered(request.kind, error.message);
  }
  const id = await call.step('call the server behind', () => parts.calls.begin(request));
  const carried = parts.calls.get(id);
  if (!carried) throw gone();
  const leave = carried.join(progress => tell(ctx, progress));
  carried.samplesAtHost = call.can.sampling && !parts.ownModels;
  call.defer(leave);
  const stop = (): void => carried.stop();
  ctx.mcpReq.signal.addEventListener('abort', stop, { once: true });
  call.defer(() => ctx.mcpReq.signal.removeEventListener('abort', stop));
  for (let n = 0; ; n += 1) {
    const happened = await carried.happened(n);
    if ('outcome' in happened) return resultOf(happened.outcome, request.kind);
    if ('sample' in happened) await sample(happened.sample, call);
    else if (carried.samplesAtHost && isSampling(happened.question)) {
      await parts.inbox.reply(happened.question.id, { action: 'accept' }, 'host');
    } else if (!(await put(happened.question, n, call, parts))) return sendAway(request, carried);
  }
}

const isSampling = ({ kind }: Question): boolean => kind === 'sampling-request' || kind === 'sampling-reply';

/** Asks the host's model; its person sees the request, and may refuse it. */
async function sample({ request: { includeContext: _, ...request }, settle }: Sample, call: Call): Promise<void> {
  try {
    settle({ result: await call.sample(request) });
  } catch (error) {
    settle({ error });
  }
}

/** Puts one question where it can be answered. @returns false where it was not answered in time */
async function put(question: Question, n: number, call: GatewayCall, parts: CarryParts): Promise<boolean> {
  const { inbox, showDesk, clock, holdMs } = parts;
  const asksHost = await call.step(`question ${n}`, () => isOpen(inbox, question));
  const answer = asksHost ? await askHost(question, call, parts) : undefined;
  if (!isOpen(inbox, question)) return true;
  const reply = answer && replyOf(answer);
  if (reply && (await inbox.reply(question.id, reply, 'host')).ok) return true;
  if (!(await showDesk(question))) {
    await inbox.reply(question.id, lastResort(answer), 'host');
    return true;
  }
  return answeredWithin(question, holdMs, inbox, clock);
}

/** The host's answer; undefined for what it cannot show, and for what is not put to hosts, such as a form for a secret. */
async function askHost(
  question: Question,
  call: GatewayCall,
  { pagesAtHost }: CarryParts,
): Promise<Answered | undefined> {
  try {
    if (question.kind === 'form' && call.can.form)
      return await call.elicit({ message: question.message, form: emit(question.fields) });
    if (question.kind !== 'url' || !call.can.url) return undefined;
    const { message, url, elicitationId = question.id } = question;
    pagesAtHost.add(elicitationId);
    return await call.consent({ message, url: url.href, elicitationId });
  } catch (error) {
    if (isMidcallError(error, 'form/unsupported') || isMidcallError(error, 'form/secret')) return undefined;
    throw error;
  }
}

const isOpen = (inbox: Inbox, { id }: Question): boolean => inbox.get(id) !== undefined;

function answeredWithin({ id }: Question, ms: number, inbox: Inbox, clock: Clock): Promise<boolean> {
  return new Promise(resolve => {
    const settle = (answered: boolean): void => {
      callOff();
      stopListening();
      resolve(answered);
    };
    const callOff = clock.after(ms, () => settle(false));
    const stopListening = inbox.subscribe(event => {
      if (event.type === 'ended' && event.question.id === id) settle(true);
    });
    if (inbox.get(id) === undefined) settle(true);
  });
}

/** Ends this leg; the call itself goes on, and the same call finds it again. */
function sendAway({ kind, name }: CallRequest, carried: CarriedCall): WireResult {
  carried.sentAway = true;
  return unanswered(
    kind,
    `'${name}' waits for an answer of the person, on the page that Midcall has opened in their browser. Nothing has failed, ` +
      `and nothing is lost. Tell them so; when they have answered, call '${name}' again with the same arguments: it goes on ` +
      'where it is, and nothing is done twice.',
  );
}

const gone = (): MidcallError =>
  new MidcallError(
    'call/interrupted',
    'This call is over: it was stopped, or the bridge was started anew. Call again.',
  );

function tell(ctx: ServerContext, progress: CallProgress): void {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  // A client that is gone is noticed by the signal of its request.
  ctx.mcpReq
    .notify({ method: 'notifications/progress', params: { ...progress, progressToken } } as never)
    .catch(() => {});
}
