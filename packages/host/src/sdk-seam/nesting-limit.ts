/**
 * Messages that are not read, each of which still has an answer: whatever writes out or walks through one that nests too deeply
 * runs out of stack, and then a call would have no end.
 */
import { nests } from '@midcall/core/json';
import type { JsonRpcMessage } from '@midcall/core/sdk-seam';
import { refusalOfId } from './odd-ids.ts';

/** The most levels that a message may nest. */
const mostLevels = 1_000;
const why = (what: string): string =>
  `The server sent ${what} that nests more than ${mostLevels} levels. It is not read.`;

/** What becomes of a message: it is `read`, or something is read in its place, or the server is answered, or neither. */
export type ReadMessage = { readonly read?: JsonRpcMessage; readonly answer?: JsonRpcMessage };

/** @param message - as received */
export function withinNesting(message: JsonRpcMessage): ReadMessage {
  const refusal = refusalOfId(message);
  if (refusal) return { answer: refusal };
  if (!nests(message, mostLevels)) return { read: message };
  const { id, method } = message;
  if (id === undefined) return {};
  if (method !== undefined)
    return { answer: { jsonrpc: '2.0', id, error: { code: -32600, message: why('a request') } } };
  return { read: { jsonrpc: '2.0', id, error: { code: -32603, message: why('an answer') } } };
}
