/**
 * Ending a request that waits for the person, who answers apart from the client, before the client gives up: with a text that
 * says where the person has to go, and a ticket with which the `resume` tool goes on. Unlike a relayed question, the ticket
 * carries no answer: that is collected where the person answers.
 */

import { MidcallError } from '@midcall/core/errors';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { type CallRequest, callRef, waitingResult } from '../call/request.ts';
import type { ApartAsk, OpenQuestion } from '../channels/outgoing.ts';
import type { Config } from '../config.ts';
import type { Journal } from '../engine/journal.ts';
import { sealState } from '../state/request-state.ts';
import { keepTicket, RESUME } from './ticket.ts';

/** @throws MidcallError `ask/unavailable` where the request is no tool call, which alone can be gone on with */
export async function park(
  waits: readonly OpenQuestion<ApartAsk>[],
  journal: Journal,
  where: { readonly flow: string; readonly round: number; readonly arguments: unknown },
  request: CallRequest,
  config: Config,
): Promise<CallToolResult> {
  if (request.registered.method !== 'tools/call') {
    throw new MidcallError(
      'ask/unavailable',
      'The person has not finished the page in time. Ask again when they have.',
    );
  }
  const now = config.clock.now();
  const asks = waits.map(({ detail }) => detail);
  const ticket = config.id();
  const dueAt = Math.max(...asks.map(ask => ask.dueAt));
  const expiresAt = dueAt + config.stateTtlMs;
  const state = await sealState(
    { flow: where.flow, nonce: config.id(), round: 0, issuedAt: now, expiresAt, journal, out: [] },
    request.binding,
    config,
    Number.MAX_SAFE_INTEGER,
  );
  const ttlMs = Math.max(1, expiresAt - now);
  const of = callRef(request, where.flow);
  await keepTicket(ticket, { name: request.name, arguments: where.arguments, state, page: true }, ttlMs, of, config);
  return waitingResult(parkedText(asks, ticket, Math.max(1, Math.floor((dueAt - now) / 60_000))), request);
}

function parkedText(asks: readonly ApartAsk[], ticket: string, minutes: number): string {
  const [{ words }] = asks as readonly [ApartAsk];
  const toPassOn = asks.flatMap(ask => ask.words.passOn ?? []);
  return [
    `This call is waiting for the person, who answers ${words.where} and not through you. It is not finished.`,
    ...(toPassOn[0] ? [toPassOn[0].how, '', ...toPassOn.flatMap(({ lines }) => [...lines, ''])] : [words.reached]),
    `When they say that they are done, call the tool "${RESUME}" with ticket "${ticket}". It works once. ` +
      `${words.open} for ${minutes} more ${minutes === 1 ? 'minute' : 'minutes'}.`,
  ].join('\n');
}
