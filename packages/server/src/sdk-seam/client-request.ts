/**
 * Requests to a client of 2025-11-25, sent under the SDK's own ids and answered through its own table, so that its transports and
 * its responses are the same. What the SDK makes for each besides is left out: a timer beside ours, a listener on a signal, and a
 * result that is judged by a schema.
 *
 * What of the SDK this stands on is held by test/server/client-request.test.ts.
 */
import {
  type McpServer,
  SdkError,
  SdkErrorCode,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';

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
  let settle: { resolve: (result: unknown) => void; reject: (error: unknown) => void } | undefined;
  /** @returns undefined where the request has ended */
  const ended = () => {
    const open = settle;
    settle = undefined;
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
    ? transport.send({ jsonrpc: '2.0', id, method, params }, { relatedRequestId })
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
