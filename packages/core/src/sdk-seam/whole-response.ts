/**
 * Responses that JSON-RPC does not allow, such as an error whose code is a text. Nobody takes them, so their requests would have no
 * end: what is read in their place does.
 */
import { isRecord } from '../json/index.ts';
import type { JsonRpcMessage } from './intercept-transport.ts';

const internalError = -32603;

/**
 * @param who - has answered: `server` or `host`
 * @returns the message as received if it is no response, or a valid one
 */
export function wholeResponse(message: JsonRpcMessage, who: 'server' | 'host'): JsonRpcMessage {
  const { id, method, result, error } = message;
  if (method !== undefined || id === undefined) return message;
  // JSON-RPC 1.0 has both members in every response, and null in the one that does not apply.
  const isError = error !== undefined && error !== null;
  if (!isError && isRecord(result)) return hasNoMore(message) ? message : { jsonrpc: '2.0', id, result };
  if (!isRecord(error)) return { jsonrpc: '2.0', id, error: { code: internalError, message: noResponse(who) } };
  const { code, message: reason } = error;
  if (Number.isSafeInteger(code) && typeof reason === 'string' && hasNoMore(message)) return message;
  const whole = {
    ...error,
    code: Number.isSafeInteger(code) ? code : internalError,
    message: typeof reason === 'string' ? reason : noReason(who),
  };
  return { jsonrpc: '2.0', id, error: whole };
}

/** True if a response has its version, and nothing beside its id and its result or error. */
const hasNoMore = (message: JsonRpcMessage): boolean =>
  message['jsonrpc'] === '2.0' && Object.keys(message).length === 3;

const noResponse = (who: string): string => `The ${who} answered with something that is not a JSON-RPC 2.0 response.`;
const noReason = (who: string): string => `The ${who} answered with an error, and gave no reason.`;
