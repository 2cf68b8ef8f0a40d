/** What an answer of the host says to the upstream server. */
import type { Answer } from '@midcall/core/form';
import type { Reply } from '@midcall/host';
import type { Consent } from '@midcall/server';

/** A host's answer to a form, or to a page. */
export type Answered = Answer<unknown> | Consent;

/**
 * The reply a host's answer means; undefined if it is nobody's: there is none, it came faster than a person reads, or
 * the host could not ask at all. Many hosts declare forms and answer them by themselves.
 */
export function replyOf(answer: Answered | undefined): Reply | undefined {
  if (!answer || answer.by.suspect !== undefined) return undefined;
  if (answer.action === 'accept') {
    return 'content' in answer
      ? { action: 'accept', content: answer.content as Record<string, unknown> }
      : { action: 'accept' };
  }
  if (answer.action === 'decline') return { action: 'decline' };
  return answer.reason === 'dismissed' ? { action: 'dismiss' } : undefined;
}
