/**
 * Responses that JSON-RPC does not allow, such as an error whose code is a text. Nobody takes them, so their requests would have no
 * end: what is read in their place does.
 */
import { isRecord } from '@midcall/core/json';
import type { JsonRpcMessage } from '@midcall/core/sdk-seam';

const internalError = -32603;

/** @returns the message as received if it is no response, or a valid one */
export function wholeResponse(message: JsonRpcMessage): JsonRpcMessage {
  const { id, method, result, error } = message;
  if (method !== undefined || id === undefined) return message;
  if (!('error' in message) && isRecord(result)) return hasNoMore(message) ? message : { jsonrpc: '2.0', id, result };
  if (!isRecord(error)) return { jsonrpc: '2.0', id, error: { code: internalError, message: noResponse } };
  const { code, message: reason } = error;
  if (Number.isSafeInteger(code) && typeof reason === 'string' && hasNoMore(message)) return message;
  const whole = {
    ...error,
    code: Number.isSafeInteger(code) ? code : internalError,
    message: typeof reason === 'string' ? reason : noReason,
  };
  return { jsonrpc: '2.0', id, error: whole };
}

/** True if a response has its version, and nothing beside its id and its result or error. */
const hasNoMore = (message: JsonRpcMessage): boolean =>
  message['jsonrpc'] === '2.0' && Object.keys(message).length === 3;

const noResponse = 'The server answered with something that is not a JSON-RPC 2.0 response.';
const noReason = 'The server answered with an error, and gave no reason.';
