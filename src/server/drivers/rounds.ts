/**
 * The 2026-07-28 driver: a round leaves as `input_required` with the journal sealed in `requestState`, and the client's
 * retry runs the handler again from the top. Decryption and every binding are checked before the retry is claimed;
 * answers that arrive without a state of ours are ignored.
 */
import {
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { MidcallError } from '../../errors.ts';
import type { Unstamped } from '../audit.ts';
import type { Config } from '../config.ts';
import { digest, type Json } from '../digest.ts';
import { type Entry, shortLabel } from '../engine/journal.ts';
import { Run } from '../engine/run.ts';
import type { EngineOptions, OpenAsk, Outcome } from '../engine/seam.ts';
import { isNative, wireOf } from '../era.ts';
import type { CallRequest } from '../request.ts';
import type { Attempt } from '../state/claims.ts';
import { type FlowSteps, flowSteps } from '../state/ledger.ts';
import { lifeOf, type OutAsk, openState, type RoundState, sealState } from '../state/request-state.ts';
import { awaitPages, isPageWait, timedOut, waitOf } from '../url/wait.ts';
import type { Parked, Relayed } from './push.ts';
import { received } from './received.ts';
import { whenGone } from './when-gone.ts';

/** Where a call stands when a request of it arrives. */
export interface Arrival {
  readonly flow: string;
  readonly round: number;
  readonly journal: readonly Entry[];
  /** Ids of the entries this retry brought. */
  readonly fresh: ReadonlySet<string>;
  /** Questions the retry left unanswered, with their first deadlines. */
  readonly stillOut: readonly OutAsk[];
  /** The right to run this retry; undefined on a first request. */
  readonly attempt?: Attempt;
  /** Milliseconds its steps are kept. */
  readonly keptMs?: number;
  /** True where a ticket of a waiting page brought this request. */
  readonly resumed?: boolean;
  /** Set where this very retry was answered before: give that again and run nothing. */
  readonly earlier?: unknown;
}

/** A call that begins. */
export const begins = (flow: string): Arrival => ({ flow, round: 0, journal: [], fresh: none, stillOut: [] });
const none: ReadonlySet<string> = new Set();

/**
 * Opens what a request brought.
 * @throws ProtocolError -32602 for a state that is not ours, not for this call, expired, or already answered otherwise;
 *   MidcallError `call/interrupted` where an earlier attempt at this retry is under way
 */
export async function arrive(
  request: CallRequest,
  config: Config,
  audit: (event: Unstamped) => void,
): Promise<Arrival> {
  const { mcpReq } = request.ctx;
  const text: unknown = mcpReq.requestState();
  if (text === undefined) return begins(config.id());
  const opened = await openState(text, request.binding, config, config.maxStateLength);
  if (!opened.ok) {
    audit({ kind: 'state-refused', reason: opened.reason });
    throw refused(opened.kind);
  }
  const { state } = opened;
  const now = config.now();
  const responses = mcpReq.inputResponses ?? {};
  const brought = state.out.flatMap(ask =>
    Object.hasOwn(responses, ask.key) ? [{ ask, answer: received(responses[ask.key]) }] : [],
  );
  // With the tag of the state, which no store holds, so that a digest in a store answers no guess about an answer.
  const inputs = digest([String(text).slice(-22), brought.map(({ ask, answer }) => [ask.key, answer?.text ?? null])]);
  const keptMs = lifeOf(state, now);
  const claim = await config.claims.claim(state.nonce, inputs, keptMs, mcpReq.signal);
  if (claim.kind === 'other-inputs' || claim.kind === 'forgotten') {
    audit({ kind: 'state-refused', reason: 'already answered' });
    throw refused('answered');
  }
  if (claim.kind === 'answered') return { earlier: claim.result, ...begins(state.flow) };
  if (claim.kind === 'under-way') throw interrupted(await flowSteps(config.kept, state.flow), true);
  const late = state.out.filter(ask => now > ask.due && !Object.hasOwn(responses, ask.key));
  const entries = [
    ...brought.map(({ ask, answer }) => entryOf(ask, answer?.value, now)),
    ...late.map(ask => entryOf(ask, undefined, now)),
  ];
  const fresh = new Set(entries.map(entry => entry.id));
  return {
    flow: state.flow,
    round: state.round,
    journal: [...state.journal, ...entries],
    fresh,
    stillOut: state.out.filter(ask => !fresh.has(ask.id)),
    attempt: claim.attempt,
    keptMs,
  };
}

/** @param answer - absent where it could not be read */
function entryOf({ id, kind, label, at, due }: OutAsk, answer: Json | undefined, now: number): Entry {
  const ms = Math.max(0, now - at);
  if (now > due) return { id, kind, label, value: { none: 'timeout', ms } };
  return { id, kind, label, value: answer === undefined ? { none: 'error', ms } : { got: answer, ms } };
}

/**
 * What is said of a call whose earlier attempt is under way, or died while a step was.
 * @param underWay - true where that attempt may still be running
 */
export function interrupted(steps: FlowSteps, underWay: boolean): MidcallError {
  const doubt = underWay ? [...steps.inDoubt, ...steps.safe] : steps.inDoubt;
  const known = steps.done.length > 0 ? ` Done: ${steps.done.join(', ')}.` : '';
  const unknown = doubt.length > 0 ? ` In doubt: ${doubt.join(', ')}.` : '';
  return new MidcallError(
    underWay ? 'call/interrupted' : 'step/in-doubt',
    `An earlier attempt at this call ${underWay ? 'has not ended' : 'was interrupted'}; nothing was run again.` +
      `${known}${unknown} Find out what took effect before calling again.`,
  );
}

/** Runs a handler one round further. */
export async function runByRounds<R>(
  handler: (run: Run<R>) => Promise<R> | R,
  arrival: Arrival,
  request: CallRequest,
  config: Config,
  engine: EngineOptions,
  audit: (event: Unstamped) => void,
): Promise<
  Exclude<Outcome<R>, { kind: 'needs' }> | { kind: 'input-required'; result: InputRequiredResult } | Relayed | Parked
> {
  const { signal } = request.ctx.mcpReq;
  let run = new Run<R>(handler, arrival.journal, arrival.fresh, engine);
  const gone = () => {
    audit({ kind: 'disconnected', openAsks: 0 });
    void run.cancel(signal.reason);
  };
  const unwatch = whenGone(signal, gone);
  try {
    let outcome = await run.next();
    const held = config.now() + config.holdMs;
    while (outcome.kind === 'needs') {
      const waits = outcome.asks.filter(isPageWait);
      if (waits.length === 0) break;
      const only = waits.length === outcome.asks.length;
      const ms = only && mayHold(waits, arrival) ? held - config.now() : 0;
      let known = await awaitPages(waits, ms, request, config);
      if (known.size === 0 && only && endsHere(waits, arrival, config)) {
        if (resumable(request, config)) {
          await run.suspend();
          return { kind: 'parked', asks: waits, journal: run.journal };
        }
        // Nothing can go on with this call, so the handler goes on with what is known.
        known = new Map(waits.map(ask => [ask.id, timedOut(waitOf(ask), config.now())]));
      }
      if (known.size === 0) break;
      if (run.outran) {
        const entries = waits.flatMap(({ id, kind, label }): Entry[] => {
          const value = known.get(id);
          return value === undefined ? [] : [{ id, kind, label, value }];
        });
        const journal = [...run.journal, ...entries];
        await run.suspend();
        run = new Run<R>(handler, journal, new Set(entries.map(entry => entry.id)), engine);
      } else run.settle(known);
      outcome = await run.next();
    }
    // What a cancelled run had begun ends first: then it is known what took effect.
    if (outcome.kind === 'cancelled') await run.quiet();
    if (outcome.kind !== 'needs') return outcome;
    await run.suspend();
    if (arrival.round >= config.maxRounds) return { kind: 'failed', error: outOfRounds(arrival, outcome.asks, config) };
    const asks = outcome.asks.filter(isNative);
    const waits = outcome.asks.filter(isPageWait);
    if (asks.length + waits.length === 0) return { kind: 'relayed', asks: outcome.asks, journal: run.journal };
    const known = new Set(arrival.stillOut.map(ask => ask.id));
    for (const ask of asks) {
      if (ask.kind === 'elicit' && !known.has(ask.id)) audit({ kind: 'asked', ask: ask.id, channel: 'native' });
    }
    const result = await leave(run.journal, asks, waits, arrival, request, config);
    return { kind: 'input-required', result };
  } finally {
    unwatch();
  }
}

/** A request is held where the person is on the page already, or the model says that they are done. */
const mayHold = (waits: readonly OpenAsk[], arrival: Arrival): boolean =>
  arrival.resumed === true || waits.every(ask => waitOf(ask).announce !== 'link');

/**
 * True where a request that still waits must end: the model has to pass a link on, or the client's rounds are used up. A
 * client that does not retry by itself, such as `resume`, never goes round.
 */
const endsHere = (waits: readonly OpenAsk[], arrival: Arrival, config: Config): boolean =>
  arrival.resumed === true || arrival.round >= config.maxRounds || waits.some(ask => waitOf(ask).announce === 'link');

const resumable = (request: CallRequest, config: Config): boolean =>
  request.registered.method === 'tools/call' && config.pages !== undefined;

async function leave(
  journal: readonly Entry[],
  asks: readonly OpenAsk[],
  waits: readonly OpenAsk[],
  arrival: Arrival,
  request: CallRequest,
  config: Config,
): Promise<InputRequiredResult> {
  const now = config.now();
  const keys = new Set(arrival.stillOut.map(ask => ask.key));
  const out = asks.map((ask): OutAsk => {
    const earlier = arrival.stillOut.find(each => each.id === ask.id);
    const key = earlier?.key ?? uniqueKey(ownKey(wireOf(ask).key ?? ask.kind, arrival.round), keys);
    const { id, kind, label } = ask;
    const at = earlier?.at ?? now;
    return { id, kind, label: shortLabel(label), key, at, due: earlier?.due ?? now + wireOf(ask).timeoutMs };
  });
  const inputRequests = Object.fromEntries(
    asks.map((ask, index) => [out[index]!.key, { method: wireOf(ask).method, params: { ...wireOf(ask).params } }]),
  );
  const state: RoundState = {
    flow: arrival.flow,
    nonce: config.id(),
    round: arrival.round + 1,
    issuedAt: now,
    expiresAt: Math.max(...out.map(ask => ask.due), ...waits.map(ask => waitOf(ask).dueAt)) + config.stateTtlMs,
    journal,
    out,
  };
  const requestState = await sealState(state, request.binding, config, config.maxStateLength);
  return inputRequired(asks.length > 0 ? { inputRequests: inputRequests as never, requestState } : { requestState });
}

/** A key is never taken up by a later round, so that an answer sent once too often answers no other question. */
const ownKey = (wanted: string, round: number): string => (round === 0 ? wanted : `${wanted}.${round + 1}`);

function uniqueKey(wanted: string, taken: Set<string>): string {
  let key = wanted;
  for (let n = 2; taken.has(key); n++) key = `${wanted}-${n}`;
  taken.add(key);
  return key;
}

function outOfRounds(arrival: Arrival, asks: readonly OpenAsk[], config: Config): MidcallError {
  const done = arrival.journal.filter(entry => entry.kind === 'step').map(entry => entry.label);
  const open = asks.map(ask => `'${shortLabel(ask.label)}'`).join(', ');
  return new MidcallError(
    'ask/rounds',
    `This call has used its ${config.maxRounds} rounds of questions and ends here. ` +
      `${done.length > 0 ? `Done: ${done.join(', ')}. ` : ''}Still open: ${open}.`,
  );
}

function refused(kind: 'invalid' | 'expired' | 'changed' | 'answered'): ProtocolError {
  const [reason, text] = {
    invalid: [
      'invalid_request_state',
      'This requestState was not made for this call. Start the call again without it.',
    ],
    expired: ['expired', 'This requestState has expired. Start the call again.'],
    changed: ['handler_changed', 'What was called has changed since it asked. Start the call again.'],
    answered: ['already_answered', 'This requestState was already answered. Start the call again.'],
  }[kind] as [string, string];
  return new ProtocolError(ProtocolErrorCode.InvalidParams, text, { reason });
}
