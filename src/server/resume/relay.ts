/**
 * The relay: the weakest road to a person, for clients that cannot be asked. The call ends with a text for the model and a
 * ticket; the `resume` tool goes on with the call and the answer the model brings. Off unless switched on.
 *
 * - L1 A ticket is random, lives until its question is due, and is used once: like any retry it is claimed together with
 *   its answer, so the same answer again gets the same result, and nothing runs twice.
 * - L2 What it stands for is sealed and bound like any state: another person, client, tool, argument or version is refused.
 *   The store knows a ticket by its digest alone.
 * - L3 An answer is checked like any other, and carries assurance `relayed`.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { MidcallError } from '../../errors.ts';
import type { Config } from '../config.ts';
import { digest, type Json } from '../digest.ts';
import { type Arrival, begins, interrupted } from '../drivers/rounds.ts';
import type { Entry, Journal } from '../engine/journal.ts';
import type { OpenAsk } from '../engine/seam.ts';
import { wireOf } from '../era.ts';
import { type CallRequest, waitingResult } from '../request.ts';
import { flowSteps } from '../state/ledger.ts';
import { lifeOf, openState, sealState } from '../state/request-state.ts';
import { relayText } from './relay-text.ts';

/** The name of the tool that goes on with a relayed call. */
export const RESUME = 'resume';

/** A call to go on with. */
export interface Resumed {
  readonly name: string;
  readonly arguments: unknown;
  readonly state: string;
  /** True where the answer comes from a page, and none with the ticket. */
  readonly page?: boolean;
}

const keyOf = (ticket: string): string => `ticket:${digest(ticket)}`;

/**
 * Keeps a call to go on with under a ticket.
 * @param ttlMs - milliseconds the ticket may be used; a call that asks again within its request comes back with it later
 */
export async function keepTicket(ticket: string, call: Resumed, ttlMs: number, config: Config): Promise<void> {
  await config.kept.set(keyOf(ticket), JSON.stringify(call), { ttlMs: ttlMs + 2 * config.stateTtlMs });
}

/** Ends a call with the question as a text and a ticket. */
export async function relay(
  asks: readonly OpenAsk[],
  journal: Journal,
  where: { readonly flow: string; readonly round: number; readonly arguments: unknown },
  request: CallRequest,
  config: Config,
): Promise<CallToolResult> {
  const ask = asks[0]!;
  const wire = wireOf(ask);
  const now = config.now();
  const ticket = config.id();
  const due = now + wire.timeoutMs;
  const out = [{ id: ask.id, kind: ask.kind, label: ask.label.slice(0, 120), key: ask.kind, at: now, due }];
  const state = await sealState(
    { flow: where.flow, nonce: config.id(), round: where.round + 1, issuedAt: now, expiresAt: due, journal, out },
    request.binding,
    config,
    Number.MAX_SAFE_INTEGER,
  );
  await keepTicket(ticket, { name: request.name, arguments: where.arguments, state }, wire.timeoutMs, config);
  const text = relayText({
    message: String(wire.params['message']),
    fields: wire.fields ?? [],
    ticket,
    tool: RESUME,
    minutes: Math.max(1, Math.floor(wire.timeoutMs / 60_000)),
  });
  return waitingResult(text, request);
}

const unknownTicket = () =>
  new MidcallError(
    'state/invalid',
    'This ticket is not known: its time is up, or it was never given. Nothing was done. Call the tool again.',
  );

const usedTicket = () =>
  new MidcallError(
    'state/already-answered',
    'This ticket was used already, so nothing was done now. What came of it was told then; do not call the tool again ' +
      'unless it is to be done again.',
  );

/**
 * Reads what a ticket stands for; whoever is refused spends nothing.
 * @throws MidcallError `state/invalid` where there is none, or its time is up
 */
export async function readTicket(ticket: string, config: Config): Promise<Resumed> {
  const text = await config.kept.get(keyOf(ticket));
  if (text === undefined) throw unknownTicket();
  return JSON.parse(text) as Resumed;
}

/**
 * Uses a ticket: opens what it stands for, claims it, and records the answer.
 * @throws MidcallError `state/invalid` where it is not for this call, `state/already-answered` where it was used with another
 *   answer or long ago, `call/interrupted` where it is being used
 */
export async function arriveByTicket(
  ticket: string,
  resumed: Resumed,
  answer: Json,
  { binding, ctx }: CallRequest,
  config: Config,
): Promise<Arrival> {
  const opened = await openState(resumed.state, binding, config, Number.MAX_SAFE_INTEGER);
  if (!opened.ok) {
    if (opened.kind === 'expired') throw unknownTicket();
    throw new MidcallError('state/invalid', 'This ticket was not made for this person and client. Nothing was done.');
  }
  const { flow, round, journal, out, nonce } = opened.state;
  const keptMs = lifeOf(opened.state, config.now());
  const claim = await config.claims.claim(nonce, digest([ticket, answer]), keptMs, ctx.mcpReq.signal);
  if (claim.kind === 'other-inputs' || claim.kind === 'forgotten') throw usedTicket();
  if (claim.kind === 'answered') return { earlier: claim.result, ...begins(flow) };
  if (claim.kind === 'under-way') throw interrupted(await flowSteps(config.kept, flow), true);
  const entries = out.map(({ id, kind, label, at }): Entry => {
    return { id, kind, label, value: { got: answer, ms: config.now() - at, via: 'relay' } };
  });
  return {
    flow,
    round,
    journal: [...journal, ...entries],
    fresh: new Set(entries.map(entry => entry.id)),
    stillOut: [],
    resumed: resumed.page === true,
    attempt: claim.attempt,
    keptMs,
  };
}
