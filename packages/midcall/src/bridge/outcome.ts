/** What the client is given for the way a call ended at the upstream server. */

import { MidcallError } from '@midcall/core/errors';
import { blocksAside } from '@midcall/core/json';
import type { CallContext, CallOutcome } from '@midcall/host';
import { ProtocolError } from '@modelcontextprotocol/server';

/** A result as it goes over the wire. */
export type WireResult = Readonly<Record<string, unknown>>;

/**
 * The result of a call; what the upstream server said is passed on as it is.
 * @throws ProtocolError as the upstream server answered; MidcallError `call/interrupted` for a prompt or a resource that got no
 *   answer, where a tool gets an error result
 */
export function resultOf(outcome: CallOutcome, kind: CallContext['kind']): WireResult {
  switch (outcome.how) {
    case 'completed':
    case 'tool-error':
      return blocksAside(outcome.result);
    case 'refused':
      throw new ProtocolError(outcome.code, outcome.message, needed(outcome.needs));
    case 'cancelled':
      return unanswered(kind, 'The person stopped this call.');
    default:
      return unanswered(kind, outcome.message);
  }
}

/** A call that has no result, in words for the model. */
export function unanswered(kind: CallContext['kind'], why: string): WireResult {
  if (kind !== 'tool') throw new MidcallError('call/interrupted', why);
  return { content: [{ type: 'text', text: why }], isError: true };
}

const needed = (capabilities: readonly string[] | undefined) =>
  capabilities && { requiredCapabilities: Object.fromEntries(capabilities.map(name => [name, {}])) };
