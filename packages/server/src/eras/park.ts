/**
 * Ends a request whose call goes on, with a ticket (see ./ticket.ts) by which a later request continues it.
 *
 * A call is parked before the client gives up: if the person answers apart from the client, or if the client's rounds are used
 * up. The `resume` tool continues it. No answer comes with the ticket: it is collected where the person answers, or the question
 * is still to be asked.
 *
 * Some channels put a question into the result of its call. The tool that such a channel names brings the answer.
 * - relay-L3 An answer is checked like any other, and has the assurance of its channel: `relayed` if the model brings it.
 */
import { MidcallError } from '@midcall/core/errors';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { type Journal, labelsOf, type OpenAsk, shortLabel } from '../engine/index.ts';
import { type ApartAsk, cardOfPage, type Outgoing, type ResultAsk, type WaitingWords } from '../questions/index.ts';
import { type CallRequest, type Config, callRef, RESUME, waitingResult } from '../request/index.ts';
import { newStoredState, type RoundState } from '../state/index.ts';
import { type Needs, storeTicket } from './ticket.ts';

interface Where {
  readonly flow: string;
  readonly arguments: unknown;
}

/** @throws MidcallError `ask/unavailable` if the request is not a tool call, since only these can be continued */
export async function park(
  waits: readonly OpenAsk<ApartAsk>[],
  journal: Journal,
  where: Where,
  request: CallRequest,
  config: Config,
): Promise<CallToolResult> {
  const [{ detail: first }] = waits as readonly [OpenAsk<ApartAsk>];
  if (request.registered.method !== 'tools/call') throw new MidcallError('ask/unavailable', first.words().unfinished);
  const asks = waits.map(({ detail }) => detail);
  const dueAt = Math.max(...asks.map(ask => ask.dueAt));
  const needs = { needs: 'apart', channel: first.channel } as const;
  const ticket = await leaveTicket(needs, { until: dueAt + config.stateTtlMs }, journal, where, request, config);
  const result = waitingResult(parkedText(asks, ticket, minutesUntil(dueAt, config)), request);
  return { ...result, ...cardOfPage(asks, { ticket, dueAt }, request, config) };
}

/** Ends a request whose client has gone through as many rounds as it may; the questions are asked once the call is continued. */
export async function parkForRounds(
  asks: readonly OpenAsk<Outgoing>[],
  journal: Journal,
  where: Where,
  request: CallRequest,
  config: Config,
): Promise<CallToolResult> {
  const expiresAt = config.clock.now() + config.stateTtlMs;
  const ticket = await leaveTicket({ needs: 'call' }, { until: expiresAt }, journal, where, request, config);
  const text =
    'This call has asked the person as often as one request may, and is not finished. What they answered is kept. ' +
    `Still to be asked: ${labelsOf(asks)}. To continue, call the tool "${RESUME}" with ticket "${ticket}" now. It works once, within ` +
    `${inMinutes(minutesUntil(expiresAt, config))}.`;
  return waitingResult(text, request);
}

interface TicketLife {
  /** When the ticket expires, in milliseconds since the epoch. */
  readonly until: number;
  /** The question that is answered with it, if one is. */
  readonly out?: RoundState['out'];
  /** How many milliseconds longer the state of the call lives; none if absent. */
  readonly graceMs?: number;
}

/** Stores a call under a new ticket. The request that continues it has all of its own rounds. */
async function leaveTicket(
  needs: Needs,
  { until, out = [], graceMs = 0 }: TicketLife,
  journal: Journal,
  where: Where,
  request: CallRequest,
  config: Config,
): Promise<string> {
  const now = config.clock.now();
  const ticket = config.id();
  const state = newStoredState(
    { flow: where.flow, nonce: config.id(), round: 0, issuedAt: now, expiresAt: until + graceMs, journal, out },
    request.binding,
    config.id(),
  );
  const of = callRef(request, where.flow);
  const ttlMs = Math.max(1, until - now);
  await storeTicket(ticket, { name: request.name, arguments: where.arguments, state, ...needs }, ttlMs, of, config);
  return ticket;
}

const minutesUntil = (at: number, { clock }: Pick<Config, 'clock'>): number =>
  Math.max(1, Math.floor((at - clock.now()) / 60_000));

/** @param more - 'more ', for time that is left */
const inMinutes = (minutes: number, more: 'more ' | '' = ''): string =>
  `${minutes} ${more}${minutes === 1 ? 'minute' : 'minutes'}`;

function parkedText(asks: readonly ApartAsk[], ticket: string, minutes: number): string {
  const all = asks.map(ask => ask.words());
  const [{ reached, when, open }] = all as [WaitingWords];
  const toPassOn = all.flatMap(({ passOn }) => passOn ?? []);
  return [
    `${[...new Set(all.map(({ who }) => who))].join(' ')} It is not finished.`,
    ...(toPassOn.length > 0
      ? toPassOn.flatMap(({ how, lines }, at) => [...(how === toPassOn[at - 1]?.how ? [] : [how, '']), ...lines, ''])
      : [reached]),
    `${when}, call the tool "${RESUME}" with ticket "${ticket}". It works once. ` +
      `${open} for ${inMinutes(minutes, 'more ')}.`,
  ].join('\n');
}

/** Ends a call with one question and a ticket; others of its round wait until this one is answered. */
export async function leaveInResult(
  ask: OpenAsk<ResultAsk>,
  journal: Journal,
  where: Where,
  request: CallRequest,
  config: Config,
): Promise<CallToolResult> {
  const { detail } = ask;
  const { channel, assurance } = detail;
  const now = config.clock.now();
  const due = now + detail.timeoutMs;
  const out = [{ id: ask.id, kind: ask.kind, label: shortLabel(ask.label), key: ask.kind, at: now, due }];
  const needs = { needs: 'answer', channel, assurance } as const;
  const life = { until: due, out, graceMs: config.stateTtlMs };
  const ticket = await leaveTicket(needs, life, journal, where, request, config);
  await detail.leaving?.(request);
  return detail.result(ticket, due, request);
}
