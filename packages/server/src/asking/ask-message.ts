/** What a question says to the person: every ask has words, and not without end (client/elicitation, "Elicitation Requests"). */
import { MidcallError } from '@midcall/core/errors';

/** Characters of the longest message. */
const MAX_MESSAGE = 2000;

/** @throws MidcallError `form/unsupported` for a message that says nothing, or too much */
export function checkMessage(message: string): void {
  if (message.trim() === '')
    throw new MidcallError('form/unsupported', 'A question needs a message that says why the person is asked.');
  if (message.length > MAX_MESSAGE)
    throw new MidcallError(
      'form/unsupported',
      `A message must have at most ${MAX_MESSAGE} characters; got ${message.length}.`,
    );
}
