/** What a host's answer means to the upstream server. */
import type { Answer } from '@midcall/core/form';
import type { Reply } from '@midcall/host';
import type { Passed } from '@midcall/server';

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
