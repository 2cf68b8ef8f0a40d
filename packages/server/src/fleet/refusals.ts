/** What a client is told if its request is not served. */
import type { Refusal } from '../http/index.ts';

export const notFound: Refusal = {
  status: 404,
  code: -32001,
  message: 'Session not found: it ended, or it is not yours. Initialize again.',
};
export const draining: Refusal = {
  status: 503,
  code: -32000,
  message: 'This replica is closing. Send the request again, to another.',
  retryAfter: 1,
};
export const away: Refusal = {
  status: 503,
  code: -32000,
  message: 'The store of this server cannot be used now. Nothing was done; try again later.',
  retryAfter: 2,
};
export const sameId: Refusal = {
  status: 400,
  code: -32600,
  message: 'Another request with this id has no response yet.',
};
export const tooMany: Refusal = {
  status: 429,
  code: -32000,
  message: 'Too many of your requests have no response yet. Try again later.',
  retryAfter: 1,
};
export const notAcceptable = (types: string): Refusal => ({
  status: 406,
  code: -32000,
  message: `Accept must have ${types}.`,
});
