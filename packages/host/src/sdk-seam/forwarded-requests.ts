/**
 * Other parties' requests, sent to the server unchanged and past the SDK, which would check each answer against its own schemas
 * and drop unknown members.
 *
 * - forwarded-F1 The answer is the server's, member for member, and so are its progress notifications.
 * - forwarded-F2 Ids and progress tokens are ours, and differ from those of the SDK, which are numbers.
 * - forwarded-F3 Every request ends: with its answer, when it is cancelled, or when the connection closes.
 */
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { isRecord } from '@midcall/core/json';
import type { Interception, JsonRpcMessage } from '@midcall/core/sdk-seam';
import type { Client, JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { type Era, serverSendsRequests } from '../base/index.ts';
import { neverSent, refusalIn } from './answered-requests.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** A server's answer, unchanged. */
export type ForwardedAnswer =
  | { readonly result: Readonly<Record<string, unknown>> }
  | { readonly error: Readonly<Record<string, unknown>> };

/** Another party's request. */
export interface ForwardedRequest {
  readonly method: string;
  /** As received, without a progress token. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** How a request is observed. */
export interface ForwardOptions {
  /** Fires when the answer is no longer needed: the server is told. */
  readonly signal?: AbortSignal;
  /** Called with the members of the server's progress, except its token; without it, no progress is asked for. */
  readonly onProgress?: (params: Readonly<Record<string, unknown>>) => void;
}

interface Waiting {
  readonly settle: (answer: ForwardedAnswer | MidcallError) => void;
  readonly onProgress: ForwardOptions['onProgress'];
}

/** Other parties' requests on one connection. */
export class ForwardedRequests implements Required<Interception> {
  readonly #waiting = new Map<string, Waiting>();
  #last = 0;

  incoming(message: JsonRpcMessage, deliver: (message: JsonRpcMessage) => void): void {
    const { id, method, params } = message;
    if (method === 'notifications/progress') {
      const { progressToken, ...progress } = isRecord(params) ? params : {};
      const waiting = this.#waiting.get(String(progressToken));
      if (waiting) waiting.onProgress?.(progress);
      else deliver(message);
      return;
    }
    const waiting = method === undefined && typeof id === 'string' ? this.#waiting.get(id) : undefined;
    if (waiting) waiting.settle(answerIn(message));
    else deliver(message);
  }

  outgoing(message: JsonRpcMessage, send: (message: JsonRpcMessage) => Promise<void>): Promise<void> {
    return send(message);
  }

  /**
   * Sends a request.
   * @throws MidcallError `host/cancelled` if it was cancelled, `host/server-gone` if the connection is closed
   */
  async send(
    client: Client,
    era: Era,
    { method, params }: ForwardedRequest,
    { signal, onProgress }: ForwardOptions,
  ): Promise<ForwardedAnswer> {
    const { transport } = client;
    if (!transport) throw serverGone();
    if (signal?.aborted) throw withdrawn();
    this.#last += 1;
    const id = `midcall-forwarded:${this.#last}`;
    const sent = onProgress ? { ...params, _meta: { ...metaOf(params), progressToken: id } } : params;
    const message = enveloped(client, { jsonrpc: '2.0', id, method, ...(sent && { params: sent }) });
    // On 2026-07-28 over HTTP, a request is cancelled by closing its stream.
    const stream = hasOwnStreams(transport) && !serverSendsRequests(era) ? new AbortController() : undefined;
    let onAbort: (() => void) | undefined;
    try {
      return await new Promise<ForwardedAnswer>((resolve, reject) => {
        const settle = (answer: ForwardedAnswer | MidcallError): void =>
          answer instanceof MidcallError ? reject(answer) : resolve(answer);
        onAbort = () => {
          settle(withdrawn());
          if (stream) stream.abort();
          else this.#tell(client, { method: 'notifications/cancelled', params: { requestId: id } }).catch(() => {});
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        this.#waiting.set(id, { settle, onProgress });
        const send = async () => transport.send(message, stream && { requestSignal: stream.signal });
        send().catch((error: unknown) => {
          const refusal = refusalIn(error);
          settle(refusal ? { error: { ...refusal } } : unsent(error, answersRound(params)));
        });
      });
    } finally {
      this.#waiting.delete(id);
      if (onAbort) signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Sends another party's notification. @throws MidcallError `host/server-gone` if the connection is gone */
  async notify(client: Client, notification: ForwardedRequest): Promise<void> {
    await this.#tell(client, notification).catch(error => {
      throw unsent(error);
    });
  }

  /** The connection is closed. */
  close(): void {
    for (const { settle } of [...this.#waiting.values()]) settle(serverGone());
  }

  async #tell(client: Client, { method, params }: ForwardedRequest): Promise<void> {
    if (!client.transport) throw serverGone();
    await client.transport.send(enveloped(client, { jsonrpc: '2.0', method, ...(params && { params }) }));
  }
}

/** What the SDK puts into each message of 2026-07-28: the sender and its capabilities. */
function enveloped(client: Client, message: JsonObject): JSONRPCMessage {
  const { _envelopeOutbound: envelope } = client as unknown as {
    _envelopeOutbound: (message: JsonObject) => JSONRPCMessage;
  };
  return envelope.call(client, message);
}

function metaOf(params: JsonObject | undefined): JsonObject | undefined {
  const meta = params?.['_meta'];
  return isRecord(meta) ? meta : undefined;
}

/** True for the parameters of a later round (2026-07-28). */
const answersRound = (params: JsonObject | undefined): boolean =>
  params?.['inputResponses'] !== undefined || params?.['requestState'] !== undefined;

/** Reads the complete response; see whole-response.ts. */
function answerIn({ result, error }: JsonRpcMessage): ForwardedAnswer {
  return isRecord(result) ? { result } : { error: error as JsonObject };
}

/** True if each request has a stream of its own, as over HTTP. */
const hasOwnStreams = (transport: Transport): boolean =>
  (transport as { hasPerRequestStream?: boolean }).hasPerRequestStream === true;

const serverGone = (): MidcallError => new MidcallError('host/server-gone', 'The server has stopped.');
const withdrawn = (): MidcallError => new MidcallError('host/cancelled', 'The request was withdrawn.');
/** @param isLater - true if an earlier round of the same request may have been sent */
function unsent(cause: unknown, isLater = false): MidcallError {
  if (isMidcallError(cause)) return cause;
  return (
    (isLater ? undefined : neverSent(cause)) ??
    new MidcallError('host/server-gone', `The server cannot be reached: ${(cause as Error).message}`, { cause })
  );
}
