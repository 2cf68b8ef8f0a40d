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
import { MidcallError } from '../errors.ts';
import type { Unstamped } from './audit.ts';
import type { Config } from './config.ts';
import { digest, type Json } from './digest.ts';
import { Run } from './engine.ts';
import { isNative, wireOf } from './era.ts';
import type { Entry } from './journal.ts';
import { flowSteps } from './ledger.ts';
import type { Relayed } from './push.ts';
import type { CallRequest } from './request.ts';
import type { EngineOptions, OpenAsk, Outcome } from './seam.ts';
import { type OutAsk, openState, type RoundState, sealState } from './state.ts';

/** Where a call stands when a request of it arrives. */
export interface Arrival {
  readonly flow: string;
  readonly round: number;
  readonly journal: readonly Entry[];
  /** Ids of the entries this retry brought. */
  readonly fresh: ReadonlySet<string>;
  /** Questions the retry left unanswered, with their first deadlines. */
  readonly stillOut: readonly OutAsk[];
  /** The retry's claim; undefined on a first request. */
  readonly nonce?: string;
  /** Set where this very retry was answered before: give that again and run nothing. */
  readonly earlier?: unknown;
}

/** Claims outlive every state that could present them. */
export const claimTtl = (config: Config): number => 2 * (config.stateTtlMs + config.askTimeoutMs) + 120_000;

/**
 * Opens what a request brought.
 * @throws ProtocolError -32602 for a state that is not ours, not for this call, expired, or already answered otherwise;
 *   MidcallError `call/interrupted` where an earlier attempt at this retry began and its end is not known
 */
export async function arrive(
  request: CallRequest,
  config: Config,
  audit: (event: Unstamped) => void,
): Promise<Arrival> {
  const text: unknown = request.ctx.mcpReq.requestState();
  if (text === undefined) return { flow: config.id(), round: 0, journal: [], fresh: new Set(), stillOut: [] };
  const opened = await openState(text, request.binding, { ...config, maxLength: config.maxStateLength });
  if (!opened.ok) {
    audit({ kind: 'state-refused', reason: opened.reason });
    throw refused(opened.expired ? 'expired' : 'invalid_request_state');
  }
  const { state } = opened;
  const { inputResponses = {} } = request.ctx.mcpReq;
  const brought = state.out.filter(ask => Object.hasOwn(inputResponses, ask.key));
  const inputs = digest(brought.map(ask => [ask.key, inputResponses[ask.key]]));
  const claim = await config.claims.claim(state.nonce, inputs, claimTtl(config));
  if (claim.kind === 'other-inputs') {
    audit({ kind: 'state-refused', reason: 'already answered' });
    throw refused('already_answered');
  }
  const entries = brought.map(ask => recordAnswer(ask, inputResponses[ask.key], config.now()));
  const arrival: Arrival = {
    flow: state.flow,
    round: state.round,
    journal: [...state.journal, ...entries],
    fresh: new Set(entries.map(entry => entry.id)),
    stillOut: state.out.filter(ask => !brought.includes(ask)),
    nonce: state.nonce,
  };
  if (claim.kind === 'answered') return { ...arrival, earlier: claim.result };
  if (claim.kind === 'interrupted') await refuseInterrupted(state, config, audit);
  return arrival;
}

/** Passes only where the earlier attempt cannot have begun anything that may not be begun again. */
async function refuseInterrupted(state: RoundState, config: Config, audit: (event: Unstamped) => void): Promise<void> {
  const steps = await flowSteps(config.store, state.flow);
  if (config.durable && steps.inDoubt.length === 0) return;
  for (const step of steps.inDoubt) audit({ kind: 'step-in-doubt', step });
  const known = steps.done.length > 0 ? ` Done: ${steps.done.join(', ')}.` : '';
  const doubt = steps.inDoubt.length > 0 ? ` In doubt: ${steps.inDoubt.join(', ')}.` : '';
  throw new MidcallError(
    steps.inDoubt.length > 0 ? 'step/in-doubt' : 'call/interrupted',
    `An earlier attempt at this call was interrupted, and its end is not known; nothing was run again.${known}${doubt} ` +
      'Find out what took effect before calling again.',
  );
}

const MAX_ANSWER = 1_000_000;

function recordAnswer(ask: OutAsk, response: unknown, now: number): Entry {
  const ms = Math.max(0, now - ask.at);
  const [kind, label] = [ask.kind, ask.label];
  if (now > ask.due) return { id: ask.id, kind, label, value: { none: 'timeout', ms } };
  const size = JSON.stringify(response)?.length ?? Number.POSITIVE_INFINITY;
  if (size > MAX_ANSWER) return { id: ask.id, kind, label, value: { none: 'error', ms } };
  return { id: ask.id, kind, label, value: { got: response as Json, ms } };
}

/** Runs a handler one round further. */
export async function runByRounds<R>(
  handler: (run: Run<R>) => Promise<R> | R,
  arrival: Arrival,
  request: CallRequest,
  config: Config,
  engine: EngineOptions,
  audit: (event: Unstamped) => void,
): Promise<Exclude<Outcome<R>, { kind: 'needs' }> | { kind: 'input-required'; result: InputRequiredResult } | Relayed> {
  const { signal } = request.ctx.mcpReq;
  const run = new Run<R>(handler, arrival.journal, arrival.fresh, engine);
  const gone = () => {
    audit({ kind: 'disconnected', openAsks: 0 });
    void run.cancel(signal.reason);
  };
  if (signal.aborted) gone();
  else signal.addEventListener('abort', gone, { once: true });
  try {
    const outcome = await run.next();
    if (outcome.kind !== 'needs') return outcome;
    await run.suspend();
    if (arrival.round >= config.maxRounds) return { kind: 'failed', error: outOfRounds(arrival, outcome.asks, config) };
    const asks = outcome.asks.filter(isNative);
    if (asks.length === 0) return { kind: 'relayed', asks: outcome.asks, journal: run.journal };
    for (const ask of asks) if (ask.kind === 'elicit') audit({ kind: 'asked', ask: ask.id, channel: 'native' });
    const result = await leave(run.journal, asks, arrival, request, config);
    return { kind: 'input-required', result };
  } finally {
    signal.removeEventListener('abort', gone);
  }
}

async function leave(
  journal: readonly Entry[],
  asks: readonly OpenAsk[],
  arrival: Arrival,
  request: CallRequest,
  config: Config,
): Promise<InputRequiredResult> {
  const now = config.now();
  const keys = new Set<string>();
  const out = asks.map((ask): OutAsk => {
    const earlier = arrival.stillOut.find(each => each.id === ask.id);
    const key = uniqueKey(wireOf(ask).key ?? earlier?.key ?? ask.kind, keys);
    const { id, kind, label } = ask;
    const at = earlier?.at ?? now;
    return { id, kind, label: label.slice(0, 120), key, at, due: earlier?.due ?? now + wireOf(ask).timeoutMs };
  });
  const inputRequests = Object.fromEntries(
    asks.map((ask, index) => [out[index]!.key, { method: wireOf(ask).method, params: { ...wireOf(ask).params } }]),
  );
  const state: RoundState = {
    flow: arrival.flow,
    nonce: config.id(),
    round: arrival.round + 1,
    issuedAt: now,
    expiresAt: Math.max(...out.map(ask => ask.due)) + config.stateTtlMs,
    journal,
    out,
  };
  const requestState = await sealState(state, request.binding, { ...config, maxLength: config.maxStateLength });
  return inputRequired({ inputRequests: inputRequests as never, requestState });
}

function uniqueKey(wanted: string, taken: Set<string>): string {
  let key = wanted;
  for (let n = 2; taken.has(key); n++) key = `${wanted}-${n}`;
  taken.add(key);
  return key;
}

function outOfRounds(arrival: Arrival, asks: readonly OpenAsk[], config: Config): MidcallError {
  const done = arrival.journal.filter(entry => entry.kind === 'step').map(entry => entry.label);
  const open = asks.map(ask => `'${ask.label.slice(0, 80)}'`).join(', ');
  return new MidcallError(
    'ask/rounds',
    `This call has used its ${config.maxRounds} rounds of questions and ends here. ` +
      `${done.length > 0 ? `Done: ${done.join(', ')}. ` : ''}Still open: ${open}.`,
  );
}

function refused(reason: 'invalid_request_state' | 'expired' | 'already_answered'): ProtocolError {
  const text = {
    invalid_request_state: 'This requestState was not made for this call. Start the call again without it.',
    expired: 'This requestState has expired. Start the call again.',
    already_answered: 'This requestState was already answered with other inputs. Start the call again.',
  };
  return new ProtocolError(ProtocolErrorCode.InvalidParams, text[reason], { reason });
}
