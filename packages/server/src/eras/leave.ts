/**
 * How a question leaves in the result of its call: the request ends with what its channel says and a ticket, see ./ticket.ts; the
 * tool that the channel names continues the call with the answer.
 *
 * - relay-L3 An answer is checked like any other, and has the assurance of its channel: `relayed` if the model brings it.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { type Journal, type OpenAsk, shortLabel } from '../engine/index.ts';
import type { ResultAsk } from '../questions/index.ts';
import { type CallRequest, type Config, callRef } from '../request/index.ts';
import { newStoredState } from '../state/index.ts';
import { keepTicket } from './ticket.ts';

/** Ends a call with one question and a ticket; others of its round wait until this one is answered. */
export async function leaveInResult(
  ask: OpenAsk<ResultAsk>,
  journal: Journal,
  where: { readonly flow: string; readonly arguments: unknown },
  request: CallRequest,
  config: Config,
): Promise<CallToolResult> {
  const { detail } = ask;
  const { timeoutMs, channel, assurance } = detail;
  const now = config.clock.now();
  const ticket = config.id();
  const due = now + timeoutMs;
  const out = [{ id: ask.id, kind: ask.kind, label: shortLabel(ask.label), key: ask.kind, at: now, due }];
  // Round 0: the request that continues the call has all of its own rounds.
  const state = newStoredState(
    { flow: where.flow, nonce: config.id(), round: 0, issuedAt: now, expiresAt: due + config.stateTtlMs, journal, out },
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
  await detail.leaving?.(request);
  return detail.result(ticket, due, request);
}
