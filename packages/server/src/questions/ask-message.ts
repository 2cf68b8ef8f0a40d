/** Checks the message of a question: every ask needs one, of bounded length (client/elicitation, "Elicitation Requests"). */
import { MidcallError } from '@midcall/core/errors';
import { type Details, detailsText } from '../request/index.ts';

/** The maximum length of a message, in characters. */
const MAX_MESSAGE = 2000;

/** The message with the details of its question; undefined if both together are too long. */
export function withDetails(message: string, details: Details): string | undefined {
  const whole = `${message}\n\n${detailsText(details)}`;
  return whole.length > MAX_MESSAGE ? undefined : whole;
}

/** @throws MidcallError `form/unsupported` for a message that is empty or too long */
export function checkMessage(message: string): void {
  if (message.trim() === '')
    throw new MidcallError('form/unsupported', 'A question needs a message that says why the person is asked.');
  if (message.length > MAX_MESSAGE)
    throw new MidcallError(
      'form/unsupported',
      `A message must have at most ${MAX_MESSAGE} characters; got ${message.length}.`,
    );
}
