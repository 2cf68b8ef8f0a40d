/**
 * Messages that are not read, each of which still has an answer. Requests whose id is no integer would reach nobody. Messages that nest too deeply are not read: whatever writes a value out or walks through it runs out of stack, and then a call
 * would have no end.
 */
import { nests } from '@midcall/core/json';
import type { JsonRpcMessage } from '@midcall/core/sdk-seam';

/** The most levels that a message may nest. */
const mostLevels = 1_000;
const why = (what: string): string =>
  `The server sent ${what} that nests more than ${mostLevels} levels. It is not read.`;

const oddId = 'Invalid request: its id must be a text or an integer.';

/** What becomes of a message: it is `read`, or something is read in its place, or the server is answered, or neither. */
export type ReadMessage = { readonly read?: JsonRpcMessage; readonly answer?: JsonRpcMessage };

/** @param message - as received */
export function withinNesting(message: JsonRpcMessage): ReadMessage {
  if (message['method'] !== undefined && typeof message['id'] === 'number' && !Number.isInteger(message['id']))
    return { answer: { jsonrpc: '2.0', id: message['id'], error: { code: -32600, message: oddId } } };
  if (!nests(message, mostLevels)) return { read: message };
  const { id, method } = message;
  if (id === undefined) return {};
  if (method !== undefined)
    return { answer: { jsonrpc: '2.0', id, error: { code: -32600, message: why('a request') } } };
  return { read: { jsonrpc: '2.0', id, error: { code: -32603, message: why('an answer') } } };
}
