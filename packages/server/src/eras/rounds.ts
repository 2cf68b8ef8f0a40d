/**
 * The 2026-07-28 driver: a round leaves as `input_required` with the journal sealed in `requestState`, and the client's
 * retry, see ./open-retry.ts, runs the handler again from the top.
 */

import { MidcallError } from '@midcall/core/errors';
import { onAbort, steadyNow } from '@midcall/core/time';
import { inputRequired } from '@modelcontextprotocol/server';
import { type EngineOptions, type Entry, labelsOf, type OpenAsk, Run, shortLabel } from '../engine/index.ts';
import {
  type ApartAsk,
  type CallRun,
  type ClientAsk,
  leavingTo,
  type Outgoing,
  type Recording,
} from '../questions/index.ts';
import {
  type CallRequest,
  type Config,
  canResume,
  detachedOf,
  outlivesRequest,
  taskCancelled,
  waysOut,
} from '../request/index.ts';
import { type RoundState, type SealedAsk, sealState, type Unstamped } from '../state/index.ts';
import { awaitApart, signOf, timedOut } from './await-apart.ts';
import { type DriverOutcome, type InputRequired, stopped, withdrawAll } from './driver-outcome.ts';
import type { OpenedCall } from './open-retry.ts';
import { settleRound } from './settle-round.ts';

/** Runs a handler one round further. */
export async function runByRounds<R>(
  handler: (run: CallRun<R>) => Promise<R> | R,
  opened: OpenedCall,
  request: CallRequest,
  config: Config,
  engine: EngineOptions,
  audit: (event: Unstamped) => void,
): Promise<DriverOutcome<R>> {
  let run = new Run<R, Outgoing>(handler, opened.journal, opened.fresh, engine);
  const { signal } = request.ctx.mcpReq;
  const unwatch = onAbort(signal, () => {
    audit({ kind: 'disconnected', openAsks: 0 });
    void run.cancel(signal.reason);
  });
  const stopping = new AbortController();
  // A run of a task is left to another process instead.
  const isTask = (): boolean => detachedOf(request.ctx) !== undefined;
  // Without a key, nobody else can open the state of a round or a ticket.
  const isLost = (): boolean => stopping.signal.aborted && config.keys.ephemeral && !request.registered.gateway;
  const unwatchStop = config.stops.watch({
    rest: () => !isTask() && stopping.abort(),
    end: () => !isTask() && void run.fail(stopped(run, request)),
  });
  try {
    let outcome = await run.next();
    const detached = detachedOf(request.ctx);
    const holdUntil = detached ? Number.POSITIVE_INFINITY : steadyNow(config.clock) + config.holdMs;
    while (outcome.kind === 'needs') {
      const waits = leavingTo('apart', outcome.asks);
      if (waits.length === 0) break;
      const only = waits.length === outcome.asks.length;
      const isStoredFirst = only && !opened.resumed && becomesTask(waits, request);
      const isHeld = only && !isStoredFirst && (detached || mayHold(waits, opened));
      const ms = isHeld ? holdUntil - steadyNow(config.clock) : 0;
      if (detached) detached.waits = true;
      let recordings = await awaitApart(waits, ms, request, config, stopping.signal);
      if (detached) detached.waits = false;
      if (signal.reason === taskCancelled) {
        // Their outcome is not waited for.
        await withdrawAll(waits);
        await run.quiet();
        return { kind: 'cancelled' };
      }
      if (recordings.size === 0 && (isLost() || isStoredFirst)) break;
      if (recordings.size === 0 && only && endsHere(waits, opened, request, config)) {
        if (canResume(request, config)) {
          await run.suspend();
          return { kind: 'parked', asks: waits, journal: run.journal };
        }
        // Nothing can continue this call later, so the handler continues with what is known, and nobody answers from now on. In a
        // store that is away, the question stays open until its time is up.
        const ends = waits.map(async (ask): Promise<readonly [string, Recording]> => {
          const isAnswered = await ask.detail.withdraw().catch(() => false);
          // What was sent already may be done, so what becomes of it is waited for, for as long as its channel says.
          const ms = isAnswered ? 70_000 : 0;
          const last = await awaitApart([ask], ms, request, config, stopping.signal);
          return [ask.id, last.get(ask.id) ?? timedOut(ask.detail, config.clock.now(), isAnswered)];
        });
        recordings = new Map(await Promise.all(ends));
      }
      if (recordings.size === 0) break;
      run = await settleRound(run, waits, recordings, handler, engine, config);
      outcome = await run.next();
    }
    // Work that a cancelled run had begun finishes first, so that we know what took effect.
    if (outcome.kind === 'cancelled') await run.quiet();
    if (outcome.kind !== 'needs') return outcome;
    if (isLost()) {
      const error = stopped(run, request, outcome.asks, await withdrawAll(outcome.asks));
      await run.suspend();
      return { kind: 'failed', error };
    }
    await run.suspend();
    const asks = leavingTo('client', outcome.asks);
    const waits = leavingTo('apart', outcome.asks);
    if (asks.length + waits.length === 0)
      return { kind: 'left', asks: leavingTo('result', outcome.asks), journal: run.journal };
    if (opened.round >= config.maxRounds && !outlivesRequest(request))
      return canResume(request, config)
        ? { kind: 'out-of-rounds', asks: outcome.asks, journal: run.journal }
        : { kind: 'failed', error: outOfRounds(outcome.asks, config) };
    return inputRequiredFor(asks, waits, run.journal, opened, request, config);
  } finally {
    unwatch();
    unwatchStop();
  }
}

/** A request is held if the person is on the page already, or the model says that they are done. */
const mayHold = (waits: readonly OpenAsk<ApartAsk>[], opened: OpenedCall): boolean =>
  opened.resumed === true || waits.every(ask => ask.detail.isHeld);

/**
 * True if a call that waits for an inbox is stored before it goes on waiting: it becomes a task, or is one that does not know yet
 * what it asked.
 */
const becomesTask = (waits: readonly OpenAsk<ApartAsk>[], request: CallRequest): boolean =>
  outlivesRequest(request) &&
  waits.every(({ detail }) => detail.inInbox) &&
  (!detachedOf(request.ctx) || waits.some(({ detail }) => detail.inInbox === 'asked'));

/**
 * True if a request that still waits must end: the person has not got the question before them, or the client's rounds are used up. A client that
 * does not retry by itself, such as `resume`, has no rounds.
 */
const endsHere = (
  waits: readonly OpenAsk<ApartAsk>[],
  opened: OpenedCall,
  request: CallRequest,
  config: Config,
): boolean =>
  opened.resumed === true ||
  (opened.round >= config.maxRounds && !outlivesRequest(request)) ||
  waits.some(ask => !ask.detail.isHeld);

/** Seals a round of questions, with all that the retry needs. */
async function inputRequiredFor(
  asks: readonly OpenAsk<ClientAsk>[],
  waits: readonly OpenAsk<ApartAsk>[],
  journal: readonly Entry[],
  { flow, round, stillOut }: OpenedCall,
  { ctx, binding }: CallRequest,
  config: Config,
): Promise<InputRequired> {
  const now = config.clock.now();
  const keys = new Set(stillOut.map(ask => ask.key));
  const out = asks.map(({ id, kind, label, detail }): SealedAsk => {
    const earlier = stillOut.find(each => each.id === id);
    const key = earlier?.key ?? uniqueKey(ownKey(detail.key ?? kind, round), keys);
    const { at, due } = earlier ?? { at: now, due: now + detail.timeoutMs };
    return { id, kind, label: shortLabel(label), key, at, due };
  });
  const state: RoundState = {
    flow,
    nonce: config.id(),
    round: round + 1,
    issuedAt: now,
    expiresAt: Math.max(
      Math.max(...out.map(ask => ask.due), ...waits.map(ask => ask.detail.dueAt)) + config.stateTtlMs,
      // A task continues whenever its server is available again.
      detachedOf(ctx)?.until ?? 0,
    ),
    journal,
    out,
  };
  const requestState = await sealState(state, binding, config, config.maxStateLength);
  const inputRequests = Object.fromEntries(
    asks.map(({ detail: { method, params } }, index) => [out[index]!.key, { method, params: { ...params } }]),
  );
  return {
    kind: 'input-required',
    result: inputRequired(asks.length > 0 ? { inputRequests: inputRequests as never, requestState } : { requestState }),
    departure: {
      flow,
      round: state.round,
      dueAt: out.length > 0 ? Math.min(...out.map(ask => ask.due)) : undefined,
      ...(asks.length === 0 && waits.every(({ detail }) => detail.inInbox) && { waitsFor: signOf(waits) }),
      withdrawals: asks.flatMap(({ detail: { withdrawn } }, index) =>
        withdrawn ? [[out[index]!.key, withdrawn] as const] : [],
      ),
    },
    asks: asks.filter(({ id }) => !stillOut.some(each => each.id === id)),
  };
}

/** A key is never reused by a later round, so that an answer sent twice cannot answer another question. */
const ownKey = (key: string, round: number): string => (round === 0 ? key : `${key}.${round + 1}`);

function uniqueKey(proposed: string, used: Set<string>): string {
  let key = proposed;
  for (let n = 2; used.has(key); n++) key = `${proposed}-${n}`;
  used.add(key);
  return key;
}

function outOfRounds(asks: readonly OpenAsk<Outgoing>[], config: Config): MidcallError {
  return new MidcallError(
    'ask/rounds',
    `This call has used its ${config.maxRounds} rounds of questions and ends here. ` +
      `Still open: ${labelsOf(asks)}. ${waysOut}`,
  );
}
