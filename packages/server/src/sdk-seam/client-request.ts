/**
 * Requests to a client of 2025-11-25, sent under the SDK's own ids and answered through its own table, so that its transports
 * and its responses are the same. The SDK's additional work per request is left out: a second timer, a signal listener, and
 * checking the result by a schema.
 *
 * What this relies on in the SDK is tested in test/server/client-request.test.ts.
 */
import {
  type JSONRPCMessage,
  type McpServer,
  SdkError,
  SdkErrorCode,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';

/** The part of the SDK's `Protocol` that a request needs. */
interface Requests {
  readonly transport: Transport | undefined;
  _requestMessageId: number;
  readonly _responseHandlers: Map<number, (response: { readonly result: unknown } | Error) => void>;
}

/** Gets the outcome of a request, which comes once, and never before the request has been made. Must not throw. */
export interface Taker {
  /** @param result - as received */
  answered(result: unknown): void;
  /** @param error - the client's error, an SdkError if the client is gone, or the reason of `cancel` */
  failed(error: unknown): void;
}

/** A request whose outcome its taker gets. */
export interface OpenRequest {
  /** Stops waiting, and notifies the client; does nothing once there is an answer. */
  cancel(reason: unknown): void;
}

/** A request that the client has not answered yet. */
export interface ClientRequest extends OpenRequest {
  /** What the taker of a request is told. */
  readonly answer: Promise<unknown>;
}

/** What is asked of the client. */
interface Asked {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Sends a request as part of the one that is handled in `ctx`. */
export const sendToClient = (
  { server }: McpServer,
  { mcpReq: { id: relatedRequestId } }: ServerContext,
  { method, params }: Asked,
  taker: Taker,
): OpenRequest => new SentRequest(server as unknown as Requests, relatedRequestId, { method, params }, taker);

/** The same for somebody who awaits the answer. */
export function requestClient(
  server: McpServer,
  ctx: ServerContext,
  method: string,
  params: Asked['params'],
): ClientRequest {
  let resolve!: (result: unknown) => void;
  let reject!: (error: unknown) => void;
  const answer = new Promise<unknown>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  const sent = sendToClient(server, ctx, { method, params }, { answered: resolve, failed: reject });
  return { answer, cancel: reason => sent.cancel(reason) };
}

type Related = ServerContext['mcpReq']['id'];

/** Not a set of closures, and no promise: many requests may be waiting at once. */
class SentRequest implements OpenRequest {
  readonly #requests: Requests;
  readonly #transport: Transport | undefined;
  readonly #id: number;
  readonly #related: Related;
  #taker: Taker | undefined;

  constructor(requests: Requests, related: Related, { method, params }: Asked, taker: Taker) {
    const { transport } = requests;
    const id = requests._requestMessageId++;
    this.#requests = requests;
    this.#transport = transport;
    this.#id = id;
    this.#related = related;
    this.#taker = taker;
    requests._responseHandlers.set(id, response => this.#responded(response));
    const sending = transport
      ? transport.send({ jsonrpc: '2.0', id, method, params } as JSONRPCMessage, { relatedRequestId: related })
      : Promise.reject(new SdkError(SdkErrorCode.NotConnected, 'Not connected'));
    sending.catch((error: unknown) => this.#ended()?.failed(error));
  }

  cancel(reason: unknown): void {
    const taker = this.#ended();
    if (!taker) return;
    const cancelled = { requestId: this.#id, reason: String(reason) };
    // A client that is gone need not be notified.
    this.#transport
      ?.send(
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: cancelled },
        { relatedRequestId: this.#related },
      )
      .catch(() => {});
    taker.failed(reason);
  }

  #responded(response: { readonly result: unknown } | Error): void {
    const taker = this.#ended();
    if (response instanceof Error) taker?.failed(response);
    else taker?.answered(response.result);
  }

  /** @returns who is to be told; undefined if it has ended before */
  #ended(): Taker | undefined {
    const taker = this.#taker;
    this.#taker = undefined;
    this.#requests._responseHandlers.delete(this.#id);
    return taker;
  }
}

/** Sends a request and waits until the signal fires. @returns the result as received */
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
