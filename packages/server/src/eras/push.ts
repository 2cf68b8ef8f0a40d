/**
 * The 2025-11-25 driver: each question of a round is a real request, tied to the call, under its own timeout; the run settles
 * in place; a `requestState` on this wire is ignored. A handler that continued while its question was open is run again with
 * the answers, so that both eras behave the same.
 */

import { onAbort, steadyNow } from '@midcall/core/time';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import { type EngineOptions, type OpenAsk, Run } from '../engine/index.ts';
import { measureOpen } from '../observe/index.ts';
import {
  type ApartAsk,
  askedEvent,
  type CallRun,
  type ClientAsk,
  fromClient,
  leavingTo,
  type Outgoing,
  type Recording,
  unanswered,
} from '../questions/index.ts';
import { type CallRequest, type Config, canResume, HandedOver, type SharedCall } from '../request/index.ts';
import { requestUntil } from '../sdk-seam/index.ts';
import type { Unstamped } from '../state/index.ts';
import { awaitApart } from './await-apart.ts';
import { type DriverOutcome, stopped, withdrawAll } from './driver-outcome.ts';
import type { OpenedCall } from './open-retry.ts';
import { received } from './received.ts';
import { entriesOf, settleRound } from './settle-round.ts';
import { signsOfLife } from './signs-of-life.ts';

/** Runs a handler to its end, which is `cancelled` if the client is gone and nobody is left to answer. */
export async function runByPush<R>(
  handler: (run: CallRun<R>) => Promise<R> | R,
  opened: OpenedCall,
  request: CallRequest,
  config: Config,
  engine: EngineOptions,
  audit: (event: Unstamped) => void,
): Promise<DriverOutcome<R>> {
  const { shared, resumed = false } = opened;
  let run = new Run<R, Outgoing>(handler, opened.journal, opened.fresh, engine);
  const gone = new AbortController();
  /** Functions that record, for each question that is out, that it has been sent. */
  let sent: readonly (() => void)[] = [];
  const { signal } = request.ctx.mcpReq;
  const unwatch = onAbort(signal, () => {
    for (const each of sent) each();
    audit({ kind: 'disconnected', openAsks: sent.length });
    void run.cancel(signal.reason);
    gone.abort(signal.reason);
  });
  const stopping = new AbortController();
  // A call of a fleet is taken over by another replica, and a gateway ends the questions of others itself.
  const isOwn = !shared && !request.registered.gateway;
  const unwatchStop = config.stops.watch({
    rest: () => isOwn && stopping.abort(new Error('This server is stopping.')),
    end() {
      if (shared) return;
      stopping.abort();
      void run.fail(stopped(run, request));
    },
  });

  /** Puts all questions of a round. @returns what is recorded; fewer than the questions if the client is gone */
  const put = async (
    asks: readonly OpenAsk<ClientAsk>[],
  ): Promise<ReadonlyMap<string, Recording> | 'handed-over' | 'stopped'> => {
    sent = asks.map(ask => {
      let event = askedEvent(ask);
      return () => {
        if (event) audit(event);
        event = undefined;
      };
    });
    const outcomes = asks.map((ask, index) =>
      putToClient(ask, {
        ...{ request, config, shared, gone: gone.signal, onSent: sent[index]! },
        // The client's folders are not asked of a person.
        stopping: ask.detail.method === 'roots/list' ? undefined : stopping.signal,
      }),
    );
    const quiet = signsOfLife(request, config, { message: () => 'Waiting until the question is answered.' });
    measureOpen(asks.length);
    const settled = await Promise.all(outcomes).finally(() => {
      measureOpen(-asks.length);
      quiet();
      sent = [];
    });
    if (settled.includes('handed-over')) return 'handed-over';
    if (settled.includes('stopped')) return 'stopped';
    return new Map(
      settled.flatMap((outcome, index) => (typeof outcome === 'object' ? [[asks[index]!.id, outcome] as const] : [])),
    );
  };

  try {
    for (;;) {
      const outcome = await run.next();
      // The work of a cancelled run finishes first, so that we know what took effect.
      if (outcome.kind === 'cancelled') await run.quiet();
      if (outcome.kind !== 'needs') return outcome;
      const asks = leavingTo('client', outcome.asks);
      const waits = asks.length > 0 ? [] : leavingTo('apart', outcome.asks);
      if (asks.length + waits.length === 0) {
        await run.suspend();
        return { kind: 'left', asks: leavingTo('result', outcome.asks), journal: run.journal };
      }
      const recordings =
        asks.length > 0
          ? await put(asks)
          : await awaitApart(waits, holdMs(waits, resumed, request, config), request, config, stopping.signal);
      if (recordings === 'handed-over') {
        await run.suspend();
        return { kind: 'handed-over' };
      }
      // Without a key, or a tool that continues it, nobody can go on with the call later.
      const isLost =
        recordings !== 'stopped' &&
        recordings.size === 0 &&
        stopping.signal.aborted &&
        (config.keys.ephemeral || !canResume(request, config));
      if (recordings === 'stopped' || isLost) {
        const error = stopped(run, request, outcome.asks, await withdrawAll([...asks, ...waits]));
        await run.suspend();
        return { kind: 'failed', error };
      }
      for (const { id, detail } of waits) if (recordings.has(id)) await detail.finished?.();
      if (signal.aborted || recordings.size < asks.length) {
        await withdrawAll([...asks, ...waits]);
        await run.cancel(signal.reason);
        return { kind: 'cancelled' };
      }
      // Stored where another process finds them, unless one has taken the call over.
      if (shared && !(await shared.record(entriesOf(outcome.asks, recordings)))) {
        await run.suspend();
        return { kind: 'handed-over' };
      }
      if (recordings.size === 0) {
        await run.suspend();
        return { kind: 'parked', asks: waits, journal: run.journal };
      }
      run = await settleRound(run, outcome.asks, recordings, handler, engine, config);
    }
  } finally {
    unwatch();
    unwatchStop();
  }
}

/**
 * Milliseconds a request is held for answers that do not come through its client: without limit if the person has the question
 * already, none otherwise, or as for a resumed call.
 */
function holdMs(waits: readonly OpenAsk<ApartAsk>[], resumed: boolean, request: CallRequest, config: Config): number {
  if (resumed) return config.holdMs;
  if (waits.some(({ detail }) => !detail.isHeld)) return 0;
  // A client that gets progress waits; another may give up, so its call ends with a ticket if possible.
  const hears = request.ctx.mcpReq._meta?.progressToken !== undefined;
  const resumable = request.registered.method === 'tools/call';
  return hears || !resumable ? Number.MAX_SAFE_INTEGER : config.holdMs;
}

/** How the question reaches the client. */
interface PutOptions {
  readonly request: CallRequest;
  readonly config: Config;
  /** Set if another process may take the call over. */
  readonly shared: SharedCall | undefined;
  /** Fires when the call was cancelled or its client is gone. */
  readonly gone: AbortSignal;
  /** Fires when this server stops; undefined for a question that no person answers, or that another process takes over. */
  readonly stopping: AbortSignal | undefined;
  /** Called when this process has certainly sent the question, perhaps more than once. */
  readonly onSent: () => void;
}

/**
 * Puts one question to the client as a request of its own, and waits for what becomes of it. In a call that another process may
 * take over, its time runs from when any process first asked it, and an answer that an earlier holder of the call received counts.
 * @returns what is recorded for the question, or why nothing is
 */
async function putToClient(
  { id, detail }: OpenAsk<ClientAsk>,
  { request, config, shared, gone, stopping, onSent }: PutOptions,
): Promise<Recording | 'disconnected' | 'handed-over' | 'stopped'> {
  const { method, params, timeoutMs, withdrawn } = detail;
  if (withdrawn?.aborted) return unanswered('error', 0);
  const late = new AbortController();
  const signal = AbortSignal.any([late.signal, gone, ...[stopping, withdrawn].filter(each => each !== undefined)]);
  let askedAt = steadyNow(config.clock);
  let isOver = false;
  let stopClock = (): void => {};
  const endAfter = (ms: number): void => {
    stopClock = config.clock.after(ms, () => late.abort(new Error('The person did not answer in time.')));
  };
  try {
    if (shared) {
      const { fresh, elapsedMs, answer } = await shared.put({ id, method, params, timeoutMs }, signal);
      if (fresh) onSent();
      askedAt -= elapsedMs;
      endAfter(Math.max(0, timeoutMs - elapsedMs));
      const { response, ms } = await answer;
      // The answer came while no process ran this call.
      if (ms > timeoutMs) return unanswered('timeout', ms);
      return 'error' in response ? refused(response.error, ms) : recordingOf(response.result, ms);
    }
    endAfter(timeoutMs);
    // A question that cannot be sent fails within a turn of the event loop; one that has not failed by then has left.
    setImmediate(() => isOver || onSent());
    const result = await requestUntil(signal, request.server, request.ctx, { method, params });
    // Measured before the answer is read: the time to read it is not the person's.
    const ms = steadyNow(config.clock) - askedAt;
    onSent();
    return recordingOf(result, ms);
  } catch (error) {
    const ms = steadyNow(config.clock) - askedAt;
    if (!shared && (signal.aborted || wasSent(error))) onSent();
    if (late.signal.aborted) return unanswered('timeout', ms);
    if (stopping?.aborted) return 'stopped';
    if (error instanceof HandedOver) return 'handed-over';
    if (gone.aborted || isDisconnect(error)) return 'disconnected';
    return refused(error, ms);
  } finally {
    isOver = true;
    stopClock();
  }
}

function recordingOf(result: unknown, ms: number): Recording {
  const answer = received(result);
  return answer ? fromClient(answer.value, ms) : unanswered('error', ms);
}

const METHOD_NOT_FOUND = -32601;

/** What is recorded if there was an error in place of an answer. */
function refused(error: unknown, ms: number): Recording {
  const { code } = error as { readonly code?: unknown };
  // Some clients declare a capability that they do not have; such a client cannot be asked.
  const why = code === METHOD_NOT_FOUND ? 'unavailable' : 'error';
  return unanswered(why, ms, typeof code === 'number' ? code : undefined);
}

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
