/** The shape of a JSON-RPC message, as far as needed to tell its kind. Its members are checked by its reader. */
import { isRecord } from '../json/index.ts';

/** True for a request, a notification or an answer. */
export function isJsonRpcMessage(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') return false;
  const { id, method, params, result, error } = value;
  const hasId = typeof id === 'string' || typeof id === 'number';
  if (method !== undefined)
    return typeof method === 'string' && (id === undefined || hasId) && (params === undefined || isRecord(params));
  return hasId && (isRecord(result) || isRecord(error));
}
