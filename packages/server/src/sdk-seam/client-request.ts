/**
 * Requests to a client of 2025-11-25, sent under the SDK's own ids and answered through its own table, so that its transports and
 * its responses are the same. What the SDK makes for each besides is left out: a timer beside ours, a listener on a signal, and a
 * result that is judged by a schema; and a plain answer is taken before the SDK judges that it is one.
 *
 * What of the SDK this stands on is held by test/server/client-request.test.ts.
 */
import { isRecord } from '@midcall/core/json';
import {
  type JSONRPCMessage,
  type McpServer,
  SdkError,
  SdkErrorCode,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';
import { sendBy } from './stdio-lines.ts';

/** As much of the SDK's `Protocol` as a request takes. */
interface Requests {
  readonly transport: Transport | undefined;
  _requestMessageId: number;
  readonly _responseHandlers: Map<number, (response: { readonly result: unknown } | Error) => void>;
}

/** A request that the client has not answered yet. */
export interface ClientRequest {
  /** The result as it came. Rejects with the client's error, with an SdkError where the client is gone, or with the reason of `cancel`. */
  readonly answer: Promise<unknown>;
  /** Waits no longer, and tells the client so; does nothing once there is an answer. */
  cancel(reason: unknown): void;
}

/** Ids of the requests that were sent from here and are not answered. */
const openIds = new WeakMap<object, Set<number>>();

/** Sends a request as a part of the one that is handled in `ctx`. */
export function requestClient(
  { server }: McpServer,
  { mcpReq: { id: relatedRequestId } }: ServerContext,
  method: string,
  params: Readonly<Record<string, unknown>>,
): ClientRequest {
  const requests = server as unknown as Requests;
  const { transport } = requests;
  const id = requests._requestMessageId++;
  const ids = openIds.get(server) ?? new Set();
  if (ids.size === 0) openIds.set(server, ids);
  ids.add(id);
  let settle: { resolve: (result: unknown) => void; reject: (error: unknown) => void } | undefined;
  /** @returns undefined where the request has ended */
  const ended = () => {
    const open = settle;
    settle = undefined;
    ids.delete(id);
    requests._responseHandlers.delete(id);
    return open;
  };
  const answer = new Promise<unknown>((resolve, reject) => {
    settle = { resolve, reject };
  });
  requests._responseHandlers.set(id, response => {
    if (response instanceof Error) ended()?.reject(response);
    else ended()?.resolve(response.result);
  });
  const sent = transport
    ? sendBy(transport, { jsonrpc: '2.0', id, method, params } as JSONRPCMessage, { relatedRequestId })
    : Promise.reject(new SdkError(SdkErrorCode.NotConnected, 'Not connected'));
  sent.catch((error: unknown) => ended()?.reject(error));
  return {
    answer,
    cancel(reason) {
      const open = ended();
      if (!open) return;
      const cancelled = { requestId: id, reason: String(reason) };
      // A client that is gone need not be told.
      transport
        ?.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: cancelled }, { relatedRequestId })
        .catch(() => {});
      open.reject(reason);
    },
  };
}

/**
 * Takes the answer to a request that was sent from here, where nothing is in it but a result.
 * @returns false for what the SDK has to look at
 */
export function takeAnswer({ server }: McpServer, frame: unknown): boolean {
  if (!isRecord(frame) || typeof frame['id'] !== 'number' || !openIds.get(server)?.has(frame['id'])) return false;
  const { jsonrpc, id, result } = frame as { jsonrpc?: unknown; id: number; result?: unknown };
  if (jsonrpc !== '2.0' || Object.keys(frame).length !== 3 || !isRecord(result)) return false;
  if ('_meta' in result || Object.hasOwn(result, '__proto__')) return false;
  const requests = server as unknown as Requests;
  const settle = requests._responseHandlers.get(id);
  if (!settle) return false;
  requests._responseHandlers.delete(id);
  settle({ result });
  return true;
}

/** The same, until the signal fires. @returns the result as it came */
export async function requestUntil(
  signal: AbortSignal,
  server: McpServer,
  ctx: ServerContext,
  { method, params }: { readonly method: string; readonly params: Readonly<Record<string, unknown>> },
): Promise<unknown> {
  signal.throwIfAborted();
  const sent = requestClient(server, ctx, method, params);
  const cancel = (): void => sent.cancel(signal.reason);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await sent.answer;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
