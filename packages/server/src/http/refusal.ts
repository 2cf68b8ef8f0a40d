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

/** The refusal of a request to a session that the sender does not have. */
export const sessionGone: Refusal = {
  status: 404,
  code: -32001,
  message: 'Session not found: it ended, or it is not yours. Initialize again.',
};
export const noSession: Refusal = {
  status: 400,
  code: -32000,
  message: 'Mcp-Session-Id is missing: send initialize first.',
};
export const sameId: Refusal = {
  status: 400,
  code: -32600,
  message: 'Another request with this id has no response yet.',
};
/** The response, which nobody reads, to a request that its client has cancelled. */
export const withdrawn = { code: -32000, message: 'The client withdrew this request.' } as const;
/** One owner's requests. */
export const tooMany: Refusal = {
  status: 429,
  code: -32000,
  message: 'Too many of your requests have no response yet: end one, or wait. Try again later.',
  retryAfter: 1,
};
/** Nobody knows when a session will end. */
export const everySession: Refusal = {
  status: 503,
  code: -32000,
  message: 'Every session this server may have is in use. Try again later.',
  retryAfter: 30,
};

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
