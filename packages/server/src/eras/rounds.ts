/**
 * The 2026-07-28 driver: a round leaves as `input_required` with the journal sealed in `requestState`, and the client's
 * retry, see ./open-retry.ts, runs the handler again from the top.
 */

import { MidcallError } from '@midcall/core/errors';
import { steadyNow } from '@midcall/core/time';
import { type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import { type EngineOptions, type Entry, labelsOf, type Outcome, Run, shortLabel } from '../engine/index.ts';
import {
  type ApartAsk,
  type CallRun,
  type ClientAsk,
  leavingTo,
  type OpenQuestion,
  type Outgoing,
} from '../questions/index.ts';
import {
  type CallRequest,
  type Config,
  canResume,
  detachedOf,
  outlivesRequest,
  taskCancelled,
} from '../request/index.ts';
import type { Departure } from '../sdk-seam/index.ts';
import { type OutAsk, type RoundState, sealState, type Unstamped } from '../state/index.ts';
import { again } from './again.ts';
import { awaitApart, timedOut } from './await-apart.ts';
import type { OutOfRounds, Parked, Relayed } from './endings.ts';
import type { OpenedCall } from './open-retry.ts';
import { reasonGone, whenGone } from './when-gone.ts';

/** The questions of a round that is sent. */
interface InputRequired {
  readonly kind: 'input-required';
  readonly result: InputRequiredResult;
  readonly departure: Departure;
  /** Those that are sent for the first time. */
  readonly asks: readonly OpenQuestion[];
}

type Left = Pick<InputRequired, 'result' | 'departure'>;

/** Runs a handler one round further. */
export async function runByRounds<R>(
  handler: (run: CallRun<R>) => Promise<R> | R,
  opened: OpenedCall,
  request: CallRequest,
  config: Config,
  engine: EngineOptions,
  audit: (event: Unstamped) => void,
): Promise<Exclude<Outcome<R, Outgoing>, { kind: 'needs' }> | InputRequired | Relayed | Parked | OutOfRounds> {
  let run = new Run<R, Outgoing>(handler, opened.journal, opened.fresh, engine);
  const unwatch = whenGone(request.ctx, reason => {
    audit({ kind: 'disconnected', openAsks: 0 });
    void run.cancel(reason);
  });
  try {
    let outcome = await run.next();
    const detached = detachedOf(request.ctx);
    const heldUntil = detached ? Number.POSITIVE_INFINITY : steadyNow(config.clock) + config.holdMs;
    while (outcome.kind === 'needs') {
      const waits = leavingTo('apart', outcome.asks);
      if (waits.length === 0) break;
      const only = waits.length === outcome.asks.length;
      const ms = only && (detached || mayHold(waits, opened)) ? heldUntil - steadyNow(config.clock) : 0;
      if (detached) detached.waits = true;
      let recordings = await awaitApart(waits, ms, request, config);
      if (detached) detached.waits = false;
      if (reasonGone(request.ctx) === taskCancelled) {
        // Nobody waits for their outcome.
        await Promise.all(waits.map(ask => ask.detail.withdraw?.()));
        await run.quiet();
        return { kind: 'cancelled' };
      }
      if (recordings.size === 0 && only && endsHere(waits, opened, request, config)) {
        if (canResume(request, config)) {
          await run.suspend();
          return { kind: 'parked', asks: waits, journal: run.journal };
        }
        // Nothing can continue this call later, so the handler continues with what is known.
        recordings = new Map(waits.map(ask => [ask.id, timedOut(ask.detail, config.clock.now())]));
      }
      if (recordings.size === 0) break;
      if (run.outran || config.strict) run = await again(handler, engine, run, waits, recordings);
      else run.settle(recordings);
      outcome = await run.next();
    }
    // Work that a cancelled run had begun finishes first, so that we know what took effect.
    if (outcome.kind === 'cancelled') await run.quiet();
    if (outcome.kind !== 'needs') return outcome;
    await run.suspend();
    const asks = leavingTo('client', outcome.asks);
    const waits = leavingTo('apart', outcome.asks);
    if (asks.length + waits.length === 0)
      return { kind: 'relayed', asks: leavingTo('model', outcome.asks), journal: run.journal };
    if (opened.round >= config.maxRounds && !outlivesRequest(request))
      return canResume(request, config)
        ? { kind: 'out-of-rounds', asks: outcome.asks, journal: run.journal }
        : { kind: 'failed', error: outOfRounds(opened, outcome.asks, config) };
    const outKeys = new Set(opened.stillOut.map(ask => ask.id));
    const leaving = leave(run.journal, asks, waits, opened, request, config);
    const left = leaving instanceof Promise ? await leaving : leaving;
    return { kind: 'input-required', asks: asks.filter(ask => !outKeys.has(ask.id)), ...left };
  } finally {
    unwatch();
  }
}

/** A request is held if the person is on the page already, or the model says that they are done. */
const mayHold = (waits: readonly OpenQuestion<ApartAsk>[], opened: OpenedCall): boolean =>
  opened.resumed === true || waits.every(ask => ask.detail.words.passOn === undefined);

/**
 * True if a request that still waits must end: the model must pass a link on, or the client's rounds are used up. A client that
 * does not retry by itself, such as `resume`, has no rounds.
 */
const endsHere = (
  waits: readonly OpenQuestion<ApartAsk>[],
  opened: OpenedCall,
  request: CallRequest,
  config: Config,
): boolean =>
  opened.resumed === true ||
  (opened.round >= config.maxRounds && !outlivesRequest(request)) ||
  waits.some(ask => ask.detail.words.passOn !== undefined);

/** A promise only if the state must be sealed, which may need the store. */
function leave(
  journal: readonly Entry[],
  asks: readonly OpenQuestion<ClientAsk>[],
  waits: readonly OpenQuestion<ApartAsk>[],
  opened: OpenedCall,
  request: CallRequest,
  config: Config,
): Left | Promise<Left> {
  const now = config.clock.now();
  const keys = new Set(opened.stillOut.map(ask => ask.key));
  const out = asks.map((ask): OutAsk => {
    const earlier = opened.stillOut.find(each => each.id === ask.id);
    const key = earlier?.key ?? uniqueKey(ownKey(ask.detail.key ?? ask.kind, opened.round), keys);
    const { id, kind, label } = ask;
    const at = earlier?.at ?? now;
    return { id, kind, label: shortLabel(label), key, at, due: earlier?.due ?? now + ask.detail.timeoutMs };
  });
  const inputRequests = Object.fromEntries(
    asks.map((ask, index) => [out[index]!.key, { method: ask.detail.method, params: { ...ask.detail.params } }]),
  );
  const state: RoundState = {
    flow: opened.flow,
    nonce: config.id(),
    round: opened.round + 1,
    issuedAt: now,
    expiresAt: Math.max(
      Math.max(...out.map(ask => ask.due), ...waits.map(ask => ask.detail.dueAt)) + config.stateTtlMs,
      // A task continues whenever its server is available again.
      detachedOf(request.ctx)?.until ?? 0,
    ),
    journal,
    out,
  };
  const departure = {
    flow: opened.flow,
    round: state.round,
    dueAt: out.length > 0 ? Math.min(...out.map(ask => ask.due)) : undefined,
    withdrawals: asks.flatMap(({ detail: { withdrawn } }, index) =>
      withdrawn ? [[out[index]!.key, withdrawn] as const] : [],
    ),
  };
  const { maxStateLength } = config;
  const left = (requestState: string): Left => {
    const questions = asks.length > 0 ? { inputRequests: inputRequests as never, requestState } : { requestState };
    return { result: inputRequired(questions), departure };
  };
  return sealState(state, request.binding, config, maxStateLength).then(left);
}

/** A key is never reused by a later round, so that an answer sent twice cannot answer another question. */
const ownKey = (key: string, round: number): string => (round === 0 ? key : `${key}.${round + 1}`);

function uniqueKey(proposed: string, used: Set<string>): string {
  let key = proposed;
  for (let n = 2; used.has(key); n++) key = `${proposed}-${n}`;
  used.add(key);
  return key;
}

function outOfRounds(opened: OpenedCall, asks: readonly OpenQuestion[], config: Config): MidcallError {
  const done = opened.journal.filter(entry => entry.kind === 'step').map(entry => entry.label);
  return new MidcallError(
    'ask/rounds',
    `This call has used its ${config.maxRounds} rounds of questions and ends here. ` +
      `${done.length > 0 ? `Done: ${done.join(', ')}. ` : ''}Still open: ${labelsOf(asks)}.`,
  );
}
