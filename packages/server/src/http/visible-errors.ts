/**
 * Errors on their way to an operator's log. The SDK quotes what a client sent, so that anybody could write lines of their own
 * into the log, control the terminal that shows it, or fill it.
 */
import { visible } from '@midcall/core/text';

/** The most characters of a message. */
const longest = 1_000;

/** Tells of each error in one line of visible text; if that changes its message, the error itself is the `cause`. */
export const visibleErrors =
  (onError: (error: Error) => void) =>
  (error: Error): void => {
    const message = visible(error.message, { max: longest });
    onError(message === error.message ? error : new Error(message, { cause: error }));
  };
