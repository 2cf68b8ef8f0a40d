/** Translates between the two sides of a bridge: how a call ended upstream for the client, and the host's answer for the server. */
import { MidcallError } from '@midcall/core/errors';
import type { Answer } from '@midcall/core/form';
import { defined } from '@midcall/core/json';
import type { CallContext, CallOutcome, Reply } from '@midcall/host';
import type { Passed } from '@midcall/server';
import { upstreamError } from '../link/index.ts';
import { callInDoubt } from '../upstream/index.ts';

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
      return unanswered(
        kind,
        `The person stopped this call. ${outcome.nothingSent ? 'Nothing was sent.' : callInDoubt}`,
      );
    default:
      return unanswered(kind, outcome.message);
  }
}

/** A call without a result, in words for the model. */
export function unanswered(kind: CallContext['kind'], why: string): WireResult {
  if (kind !== 'tool') throw new MidcallError('call/interrupted', why);
  return { content: [{ type: 'text', text: why }], isError: true };
}

/** A host's answer to a form or a page. */
export type Answered = Answer<unknown> | (Passed & { readonly content?: unknown });

/**
 * The reply that a host's answer amounts to; undefined if it cannot be a person's: there is none, it came faster than a person
 * reads, or the host could not ask at all. Many hosts declare forms and answer them without showing them.
 */
export function replyOf(answer: Answered | undefined): Reply | undefined {
  if (!answer || answer.by.suspect !== undefined) return undefined;
  if (answer.action === 'accept') {
    return 'content' in answer && answer.content !== undefined
      ? { action: 'accept', content: answer.content as Record<string, unknown> }
      : { action: 'accept' };
  }
  if (answer.action === 'decline') return { action: 'decline' };
  return answer.reason === 'dismissed' ? { action: 'dismiss' } : undefined;
}
