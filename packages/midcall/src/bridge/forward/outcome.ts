/** What the client receives, by how its call ended at the upstream server. */

import { MidcallError } from '@midcall/core/errors';
import { defined } from '@midcall/core/json';
import type { CallContext, CallOutcome } from '@midcall/host';
import { upstreamError } from '../link/index.ts';

/** A result as it is sent. */
export type WireResult = Readonly<Record<string, unknown>>;

/**
 * The result of a call; the upstream server's own words are passed on unchanged.
 * @throws ProtocolError as the upstream server answered; MidcallError `call/interrupted` for a prompt or a resource that got no
 *   answer, where a tool gets an error result
 */
export function resultOf(outcome: CallOutcome, kind: CallContext['kind']): WireResult {
  switch (outcome.how) {
    case 'completed':
    case 'tool-error':
      return outcome.result;
    case 'refused':
      throw upstreamError({ code: outcome.code, message: outcome.message, ...defined({ data: outcome.data }) });
    case 'cancelled':
      return unanswered(kind, 'The person stopped this call.');
    default:
      return unanswered(kind, outcome.message);
  }
}

/** A call without a result, in words for the model. */
export function unanswered(kind: CallContext['kind'], why: string): WireResult {
  if (kind !== 'tool') throw new MidcallError('call/interrupted', why);
  return { content: [{ type: 'text', text: why }], isError: true };
}
