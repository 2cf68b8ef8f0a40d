/** What a client is told when the endpoint itself refuses a request: a status, and a JSON-RPC error that says why. */
import type { ServerResponse } from 'node:http';

/** Why a request is not served. */
export interface Refusal {
  /** The HTTP status. */
  readonly status: number;
  /** The JSON-RPC error code. */
  readonly code: number;
  readonly message: string;
  /** Seconds after which the client may try again. */
  readonly retryAfter?: number;
}

/**
 * Sends a refusal.
 * @param body - the parsed body, where there is one: the error carries the id of its request
 */
export function refuse(res: ServerResponse, { status, code, message, retryAfter }: Refusal, body?: unknown): void {
  const text = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, ...idIn(body) });
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...(status === 413 && { connection: 'close' }),
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  };
  res.writeHead(status, headers).end(text);
}

/** The id of the one request in a body; nothing for a batch, a notification or a response. */
function idIn(body: unknown): { readonly id?: string | number } {
  const { id, method } = (body ?? {}) as { id?: unknown; method?: unknown };
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? { id } : {};
}
