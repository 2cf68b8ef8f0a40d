/**
 * How a relayed question is sent: its request ends with a text for the model and a ticket, see ticket.ts; the `resume`
 * tool continues the call with the answer the model brings.
 *
 * - relay-L3 An answer is checked like any other, and has the assurance `relayed`.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { type Journal, type OpenAsk, shortLabel } from '../engine/index.ts';
import { type ModelAsk, relayText } from '../questions/index.ts';
import { type CallRequest, type Config, callRef, waitingResult } from '../request/index.ts';
import { newStoredState } from '../state/index.ts';
import { keepTicket, RESUME } from './ticket.ts';

/** Ends a call with one question as a text and a ticket; others of its round wait until this one is answered. */
export async function leaveToModel(
  ask: OpenAsk<ModelAsk>,
  journal: Journal,
  where: { readonly flow: string; readonly arguments: unknown },
  request: CallRequest,
  config: Config,
): Promise<CallToolResult> {
  const { message, fields, timeoutMs, channel, assurance } = ask.detail;
  const now = config.clock.now();
  const ticket = config.id();
  const due = now + timeoutMs;
  const out = [{ id: ask.id, kind: ask.kind, label: shortLabel(ask.label), key: ask.kind, at: now, due }];
  // Round 0: the request that continues the call has all of its own rounds.
  const state = newStoredState(
    { flow: where.flow, nonce: config.id(), round: 0, issuedAt: now, expiresAt: due, journal, out },
    request.binding,
    config.id(),
  );
  const of = callRef(request, where.flow);
  await keepTicket(
    ticket,
    { name: request.name, arguments: where.arguments, state, needs: 'answer', channel, assurance },
    timeoutMs,
    of,
    config,
  );
  const text = relayText({
    message,
    fields,
    ticket,
    tool: RESUME,
    minutes: Math.max(1, Math.floor(timeoutMs / 60_000)),
  });
  return waitingResult(text, request);
}
