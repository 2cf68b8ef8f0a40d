/**
 * The 2025-11-25 driver: each question of a round is a real request, tied to the call, under its own timeout; the run settles
 * in place; a `requestState` on this wire is ignored. A handler that continued while its question was open is run again with
 * the answers, so that both eras behave the same.
 */
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import type { CallRequest } from '../call/request.ts';
import type { SharedCall } from '../call/shared-call.ts';
import {
  type ApartAsk,
  type CallRun,
  type ClientAsk,
  leavingTo,
  type OpenQuestion,
  type Outgoing,
} from '../channels/outgoing.ts';
import { fromClient, type Recording, unanswered } from '../channels/recording.ts';
import type { Config } from '../config.ts';
import type { Json } from '../digest.ts';
import { Run } from '../engine/run.ts';
import type { EngineOptions, Outcome } from '../engine/seam.ts';
import type { Unstamped } from '../observe/audit.ts';
import { measureOpen } from '../observe/metrics.ts';
import { requestClient } from '../sdk-seam/client-request.ts';
import { again } from './again.ts';
import { askShared } from './ask-shared.ts';
import { askedEvent } from './asked-event.ts';
import { awaitApart } from './await-apart.ts';
import type { GoesOnElsewhere, Parked, Relayed } from './endings.ts';
import type { OpenedCall } from './open-retry.ts';
import { received } from './received.ts';
import { signsOfLife } from './signs-of-life.ts';
import { whenGone } from './when-gone.ts';

type Handler<R> = (run: CallRun<R>) => Promise<R> | R;

/** Runs a handler to its end, which is `cancelled` if the client is gone and nobody is left to answer. */
export async function runByPush<R>(
  handler: Handler<R>,
  opened: Pick<OpenedCall, 'journal' | 'fresh' | 'resumed' | 'shared'>,
  request: CallRequest,
  config: Config,
  engine: EngineOptions,
  audit: (event: Unstamped) => void,
): Promise<Exclude<Outcome<R, Outgoing>, { kind: 'needs' }> | Relayed | Parked | GoesOnElsewhere> {
  const { signal } = request.ctx.mcpReq;
  const { shared } = opened;
  let run = new Run<R, Outgoing>(handler, opened.journal, opened.fresh, engine);
  let open = 0;
  let out: readonly OutAsk[] = [];
  const unwatch = whenGone(signal, () => {
    for (const each of out) each.left();
    audit({ kind: 'disconnected', openAsks: open });
    void run.cancel(signal.reason);
    for (const each of out) each.cancel(signal.reason);
  });
  try {
    for (;;) {
      const outcome = await run.next();
      // The work of a cancelled run finishes first, so that we know what took effect.
      if (outcome.kind === 'cancelled') await run.quiet();
      if (outcome.kind !== 'needs') return outcome;
      const asks = leavingTo('client', outcome.asks);
      const waits = asks.length === 0 ? leavingTo('apart', outcome.asks) : [];
      if (waits.length > 0) {
        const ms = holdMs(waits, opened.resumed ?? false, request, config);
        const recordings = await awaitApart(waits, ms, request, config);
        for (const { id, detail } of waits) if (recordings.has(id)) await detail.finished?.();
        if (shared && !(await recorded(waits, recordings, shared))) {
          await run.suspend();
          return { kind: 'handed-over' };
        }
        if (signal.aborted) {
          await Promise.all(waits.map(({ detail }) => detail.withdraw()));
          await run.cancel(signal.reason);
          return { kind: 'cancelled' };
        }
        if (recordings.size === 0) {
          await run.suspend();
          return { kind: 'parked', asks: waits, journal: run.journal };
        }
        if (run.outran || config.strict) run = await again(handler, engine, run, waits, recordings);
        else run.settle(recordings);
        continue;
      }
      if (asks.length === 0) {
        await run.suspend();
        return { kind: 'relayed', asks: leavingTo('model', outcome.asks), journal: run.journal };
      }
      open = asks.length;
      out = asks.map(ask => new OutAsk(ask, audit));
      const sent = asks.map((ask, index) =>
        shared ? askTogether(ask, shared, config, out[index]!) : askOne(ask, request, config, out[index]!),
      );
      const quiet = signsOfLife(request, config, { message: 'Waiting for the person’s answer.' });
      measureOpen(asks.length);
      const answers = sent.length === 1 ? [await sent[0]!] : await Promise.all(sent);
      measureOpen(-asks.length);
      quiet();
      open = 0;
      out = [];
      if (answers.includes('handed-over')) {
        await run.suspend();
        return { kind: 'handed-over' };
      }
      if (signal.aborted || answers.includes('disconnected')) {
        await Promise.all(asks.map(({ detail }) => detail.withdraw?.()));
        await run.cancel(signal.reason);
        return { kind: 'cancelled' };
      }
      const answersById = new Map(asks.map((ask, index) => [ask.id, answers[index] as Recording]));
      if (shared && !(await recorded(asks, answersById, shared))) {
        await run.suspend();
        return { kind: 'handed-over' };
      }
      if (run.outran || config.strict) run = await again(handler, engine, run, asks, answersById);
      else run.settle(answersById);
    }
  } finally {
    unwatch();
  }
}

/**
 * Milliseconds a request is held for answers that do not come through its client: without limit if the person has the question
 * already, none otherwise, or as for a resumed call.
 */
function holdMs(
  waits: readonly OpenQuestion<ApartAsk>[],
  resumed: boolean,
  request: CallRequest,
  config: Config,
): number {
  if (resumed) return config.holdMs;
  if (waits.some(({ detail }) => detail.words.passOn !== undefined)) return 0;
  // A client that gets progress waits; another may give up, so its call ends with a ticket if possible.
  const hears = request.ctx.mcpReq._meta?.progressToken !== undefined;
  const resumable = request.registered.method === 'tools/call';
  return hears || !resumable ? Number.MAX_SAFE_INTEGER : config.holdMs;
}

/** Stores the answers to questions where another process finds them. @returns false if this one has lost the call */
const recorded = (
  asks: readonly OpenQuestion[],
  recordings: ReadonlyMap<string, Recording>,
  shared: SharedCall,
): Promise<boolean> =>
  shared.record(
    asks.flatMap(({ id, kind, label }) =>
      recordings.has(id) ? [{ id, kind, label, value: recordings.get(id) as Json }] : [],
    ),
  );

/** An open question. */
class OutAsk {
  #event: Unstamped | undefined;
  readonly #audit: (event: Unstamped) => void;
  #turn: NodeJS.Immediate | undefined;
  /** Stops waiting for it. */
  cancel: (reason: unknown) => void = () => {};

  constructor(ask: OpenQuestion, audit: (event: Unstamped) => void) {
    this.#event = askedEvent(ask);
    this.#audit = audit;
  }

  /** What cannot be sent fails within a turn of the event loop; what has not failed by then has left. */
  leavesNextTurn(): void {
    this.#turn = setImmediate((each: OutAsk) => {
      // An immediate that is held holds the one after it, and so all that follow.
      each.#turn = undefined;
      each.left();
    }, this);
  }

  /** It has failed, or was answered. */
  settled(): void {
    clearImmediate(this.#turn);
    this.#turn = undefined;
  }

  /** Notes that the question has certainly been sent; only the first call counts. */
  left(): void {
    if (this.#event) this.#audit(this.#event);
    this.#event = undefined;
  }
}

/** Puts one question of a call that another process may take over. */
function askTogether(
  ask: OpenQuestion<ClientAsk>,
  shared: SharedCall,
  config: Config,
  out: OutAsk,
): ReturnType<typeof askShared> {
  const wait = new AbortController();
  out.cancel = reason => wait.abort(reason);
  return askShared(ask, shared, config, { wait, left: () => out.left() });
}

/** Puts one question and waits for its outcome; never rejects. Holds no frame of its own while the person thinks. */
function askOne(
  ask: OpenQuestion<ClientAsk>,
  request: CallRequest,
  config: Config,
  out: OutAsk,
): Promise<Recording | 'disconnected'> {
  const { method, params, timeoutMs, withdrawn } = ask.detail;
  const at = config.clock.now();
  if (withdrawn?.aborted) return Promise.resolve(unanswered('error', 0));
  const sent = requestClient(request.server, request.ctx, method, params);
  let cancelled = false;
  out.cancel = reason => {
    cancelled = true;
    sent.cancel(reason);
  };
  let late = false;
  const clear = config.clock.after(timeoutMs, () => {
    late = true;
    out.cancel(new Error('The person did not answer in time.'));
  });
  const takeBack = withdrawn && (() => out.cancel(withdrawn.reason));
  if (takeBack) withdrawn.addEventListener('abort', takeBack, { once: true });
  out.leavesNextTurn();
  const ended = (): void => {
    out.settled();
    if (takeBack) withdrawn.removeEventListener('abort', takeBack);
    clear();
  };
  const answered = (came: unknown): Recording => {
    // Measured before the answer is read: the time to read it is not the person's.
    const ms = config.clock.now() - at;
    out.left();
    ended();
    const answer = received(came);
    return answer ? fromClient(answer.value, ms) : unanswered('error', ms);
  };
  const failed = (error: unknown): Recording | 'disconnected' => {
    const ms = config.clock.now() - at;
    ended();
    const { code } = error as { code?: unknown };
    if (cancelled || wasSent(error)) out.left();
    if (late) return unanswered('timeout', ms);
    if (request.ctx.mcpReq.signal.aborted || isDisconnect(error)) return 'disconnected';
    // Some clients declare a capability that they do not have; such a client cannot be asked.
    const why = code === METHOD_NOT_FOUND ? 'unavailable' : 'error';
    return unanswered(why, ms, typeof code === 'number' ? code : undefined);
  };
  return sent.answer.then(answered, failed);
}

const METHOD_NOT_FOUND = -32601;

/** True if a failed request had been sent: the client answered with an error. */
const wasSent = (error: unknown): boolean =>
  error instanceof SdkError ? !unsent.has(error.code) : typeof (error as { code?: unknown }).code === 'number';

const unsent: ReadonlySet<SdkErrorCode> = new Set([
  SdkErrorCode.NotConnected,
  SdkErrorCode.NotInitialized,
  SdkErrorCode.CapabilityNotSupported,
  SdkErrorCode.MethodNotSupportedByProtocolVersion,
  SdkErrorCode.SendFailed,
]);

const isDisconnect = (error: unknown): boolean =>
  error instanceof SdkError &&
  (error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected);
