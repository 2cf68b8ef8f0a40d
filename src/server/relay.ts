/**
 * The relay: the weakest road to a person, for clients that cannot be asked. The call ends with a text for the model and a
 * ticket; the `resume` tool goes on with the call and the answer the model brings. Off unless switched on.
 *
 * - L1 A ticket is random, lives until its question is due, and is taken once.
 * - L2 What it stands for is sealed and bound like any state: another person, client, tool, argument or version is refused.
 * - L3 An answer is checked like any other, and carries assurance `relayed`.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { MidcallError } from '../errors.ts';
import type { Config } from './config.ts';
import type { Json } from './digest.ts';
import { wireOf } from './era.ts';
import type { Entry, Journal } from './journal.ts';
import { relayText } from './relay-text.ts';
import { type CallRequest, waitingResult } from './request.ts';
import type { OpenAsk } from './seam.ts';
import { type Binding, openState, sealState } from './state.ts';

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

/** Keeps a call to go on with under a ticket. */
export async function keepTicket(ticket: string, call: Resumed, ttlMs: number, config: Config): Promise<void> {
  await config.store.set(`ticket:${ticket}`, JSON.stringify(call), { ttlMs });
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
    { flow: where.flow, nonce: ticket, round: where.round + 1, issuedAt: now, expiresAt: due, journal, out },
    request.binding,
    { ...config, maxLength: Number.MAX_SAFE_INTEGER },
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
    'This ticket is not known: it was used already, or its time is up. Nothing was done. Call the tool again.',
  );

/**
 * Reads what a ticket stands for, and leaves it unspent: whoever is refused spends nothing.
 * @throws MidcallError `state/invalid` where there is none, or it was used, or its time is up
 */
export async function readTicket(ticket: string, config: Config): Promise<Resumed> {
  const text = await config.store.get(`ticket:${ticket}`);
  if (text === undefined) throw unknownTicket();
  return JSON.parse(text) as Resumed;
}

/**
 * Spends a ticket; of all who present it exactly one may go on.
 * @throws MidcallError `state/invalid` where somebody was faster
 */
export async function spendTicket(ticket: string, resumed: Resumed, config: Config): Promise<void> {
  if ((await config.store.take(`ticket:${ticket}`)) === undefined) throw unknownTicket();
  // A call that asks again within its request comes back with the same ticket.
  await config.store.set(`resumed:${ticket}`, JSON.stringify({ ...resumed, state: '' }), {
    ttlMs: 2 * config.stateTtlMs,
  });
}

/** The call of a ticket that was taken by an earlier round of the same request. */
export async function takenTicket(ticket: string, config: Config): Promise<Resumed> {
  const text = await config.store.get(`resumed:${ticket}`);
  if (text === undefined) throw new MidcallError('state/expired', 'This call has ended. Call the tool again.');
  return JSON.parse(text) as Resumed;
}

/** Opens what a ticket stands for, and records the answer. */
export async function resumeWith(
  resumed: Resumed,
  binding: Binding,
  answer: Json,
  config: Config,
): Promise<{
  readonly flow: string;
  readonly round: number;
  readonly journal: Journal;
  readonly fresh: ReadonlySet<string>;
}> {
  const opened = await openState(resumed.state, binding, { ...config, maxLength: Number.MAX_SAFE_INTEGER });
  if (!opened.ok) {
    throw new MidcallError('state/invalid', 'This ticket was not made for this person and client. Nothing was done.');
  }
  const { flow, round, journal, out } = opened.state;
  const entries = out.map(({ id, kind, label, at }): Entry => {
    return { id, kind, label, value: { got: answer, ms: config.now() - at, via: 'relay' } };
  });
  return { flow, round, journal: [...journal, ...entries], fresh: new Set(entries.map(entry => entry.id)) };
}
