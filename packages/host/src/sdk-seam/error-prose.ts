/** Matches what the SDK says only in words, without a code or member for it. Pure. */
import { SdkErrorCode } from '@modelcontextprotocol/client';

/** True if a connection is gone; one such error of the SDK has no code. */
export const isConnectionGone = (code: unknown, message: string): boolean =>
  code === SdkErrorCode.ConnectionClosed || code === SdkErrorCode.NotConnected || message === 'Not connected';

/**
 * True for the OAuth error that the SDK makes of an answer it cannot read. It has the code of a server error, and its message
 * quotes the whole answer.
 */
export const isUnreadableOAuthAnswer = (code: string, message: string): boolean =>
  code === 'server_error' && message.includes('Invalid OAuth error response');

/** Where a redirect leads that was not followed; undefined for other errors. */
export const redirectTarget = (message: string): string | undefined =>
  /Redirect to (\S+) not followed/.exec(message)?.[1];
