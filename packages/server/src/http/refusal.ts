/** What a client is told when the endpoint itself refuses a request: a status, and a JSON-RPC error that says why. */

/** Why a request is not served. */
export interface Refusal {
  /** The HTTP status. */
  readonly status: number;
  /** The JSON-RPC error code. */
  readonly code: number;
  readonly message: string;
  /** Seconds after which the client may try again. */
  readonly retryAfter?: number;
  /** The methods that are served, if this one is not. */
  readonly allow?: readonly string[];
}

/**
 * A refusal as a response.
 * @param body - the parsed body, if there is one: the error has the id of its request
 */
export function refused({ status, code, message, retryAfter, allow }: Refusal, body?: unknown): Response {
  const headers = new Headers({ 'content-type': 'application/json' });
  // The rest of a body that is too large is not read.
  if (status === 413) headers.set('connection', 'close');
  if (retryAfter !== undefined) headers.set('retry-after', String(retryAfter));
  if (allow) headers.set('allow', allow.join(', '));
  return new Response(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, ...idIn(body) }), { status, headers });
}

/** The id of the one request in a body; nothing for a batch, a notification or a response. */
function idIn(body: unknown): { readonly id?: string | number } {
  const { id, method } = (body ?? {}) as { id?: unknown; method?: unknown };
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? { id } : {};
}
