/**
 * Why an answer is not a yes, in words for the model that reads a tool's result: what happened, as far as it is known, and what
 * to do now. A client that answers by itself is not called a person who refused. Pure.
 */
import type { Answer, CancelReason } from '@midcall/core/form';
import { channels } from './all.ts';

/** One word for the outcome of a question that did not end in a yes. */
export type NotDone = 'not-confirmed' | 'declined' | CancelReason;

/**
 * One word for an answer that is not a yes; an accept counts as one that confirms nothing.
 * @example
 * ```ts
 * const answer = await call.elicit({ message: 'Send it?', form: Boolean });
 * if (answer.action !== 'accept') log(`not sent: ${notDone(answer)}`); // 'declined', 'timeout', 'unavailable', …
 * ```
 */
export function notDone(answer: Answer<unknown>): NotDone {
  if (answer.action === 'cancel') return answer.reason;
  if (answer.action === 'decline') return 'declined';
  return 'not-confirmed';
}

/**
 * Why nothing was done, to follow a colon: ``text(`Nothing was sent: ${whyNot(answer)}`)``.
 * @param answer - any answer of `call.elicit` or `call.elicitUrl`
 * @returns sentences that begin in lower case and end with a full stop
 * @example
 * ```ts
 * const answer = await call.elicit({ message: `Delete ${title}?`, form: Boolean });
 * if (answer.action !== 'accept' || !answer.content) log(`Nothing was deleted: ${whyNot(answer)}`);
 * ```
 */
export function whyNot(answer: Answer<unknown>): string {
  const reason = notDone(answer);
  const { suspect, channel } = answer.by;
  if (suspect && (reason === 'declined' || reason === 'dismissed')) return byItself[reason];
  const ofChannel = suspect ? undefined : channels.find(({ name }) => name === channel)?.because?.[reason];
  return ofChannel ?? because[reason];
}

const because: Readonly<Record<NotDone, string>> = {
  'not-confirmed': 'the person answered without confirming. Do not try again unless they ask for it.',
  unfinished: 'the person agreed to open the page and has not finished it. Try again when they have.',
  declined: 'the person said no. Do not try again unless they ask for it.',
  dismissed: 'the person closed the question without answering it. Ask what they want before trying again.',
  timeout: 'nobody answered in time. Try again when the person is there.',
  unavailable: 'there is no way to show the person the question here; the same call ends the same way.',
  invalid: 'the answers that came back did not fit the question. No person may have seen it.',
  suspect:
    'the answer looked automatic, so it does not count as the person’s. Tell them that their client seems to answer for them.',
  error: 'something failed on the way to the person or back.',
};

const byItself = {
  declined:
    'the client said no before anybody could have read the question. Tell the person, who may know nothing of it, and do not try again by yourself.',
  dismissed:
    'the client closed the question without answering it, before anybody could have read it. Tell the person, who may know nothing of it, and do not try again by yourself.',
} as const;
