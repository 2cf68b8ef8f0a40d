/** The shape of a JSON-RPC message, as far as needed to tell its kind. Its members are checked by its reader. */
import { isRecord } from '../json/index.ts';

/** A byte order mark, which some programs write before the first of their messages. */
export const withoutByteOrderMark = (line: string): string => (line.startsWith('\uFEFF') ? line.slice(1) : line);

/** True for a request, a notification or an answer. */
export function isJsonRpcMessage(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') return false;
  const { id, method, params, result, error } = value;
  // The protocol has texts and integers as ids; what reads messages takes no others.
  const hasId = typeof id === 'string' || Number.isInteger(id);
  if (method !== undefined)
    return typeof method === 'string' && (id === undefined || hasId) && (params === undefined || isRecord(params));
  return hasId && (isRecord(result) || isRecord(error));
}
