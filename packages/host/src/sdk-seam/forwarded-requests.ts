/**
 * Other parties' requests, sent to the server unchanged and past the SDK, which would check each answer against its own schemas
 * and drop unknown members.
 *
 * - forwarded-F1 The answer is the server's, member for member, and so are its progress notifications.
 * - forwarded-F2 Ids and progress tokens are ours, and differ from those of the SDK, which are numbers.
 * - forwarded-F3 Every request ends: with its answer, when it is cancelled, or when the connection closes.
 * - forwarded-F4 The answer to a call passes everything that processes answers of calls, such as the task follower, before it
 *   is handed on.
 */
import { MidcallError } from '@midcall/core/errors';
import { isRecord } from '@midcall/core/json';
import type { Interception, JsonRpcMessage } from '@midcall/core/sdk-seam';
import type { Client, JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { AbortWatch } from '../calls/call-abort.ts';
import { type Era, serverSendsRequests } from '../era.ts';

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

/** The same for callers that have no `AbortSignal`. */
interface WatchOptions extends Omit<ForwardOptions, 'signal'> {
  readonly signal?: AbortWatch;
}

/** How a call is sent. */
interface SentCall {
  /** Sends it as part of the call. */
  readonly within: <T>(send: () => T) => T;
  readonly settle: (answer: ForwardedAnswer | MidcallError) => void;
  /** Its id, if that was chosen before by {@link ForwardedRequests.newId}. */
  readonly id?: string | undefined;
}

interface Waiting {
  readonly isCall: boolean;
  readonly settle: (answer: ForwardedAnswer | MidcallError) => void;
  readonly onProgress: ForwardOptions['onProgress'];
}

/** The prefix of every id; the SDK's ids are numbers. */
const mark = 'midcall-forwarded:';

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
    if (!waiting || waiting.isCall) deliver(message);
    else waiting.settle(answerIn(message));
  }

  /**
   * Takes the answer to a call after the others have processed it (forwarded-F4). @returns false if the call was not sent here
   */
  answered(message: JsonRpcMessage): boolean {
    const { id } = message;
    if (typeof id !== 'string' || !id.startsWith(mark)) return false;
    this.#waiting.get(id)?.settle(answerIn(message));
    return true;
  }

  outgoing(message: JsonRpcMessage, send: (message: JsonRpcMessage) => Promise<void>): Promise<void> {
    return send(message);
  }

  /**
   * Sends a request.
   * @throws MidcallError `host/cancelled` if it was cancelled, `host/server-gone` if the connection is closed
   */
  send(client: Client, era: Era, request: ForwardedRequest, options: ForwardOptions): Promise<ForwardedAnswer> {
    return new Promise((resolve, reject) =>
      this.#send(client, request, options, era, undefined, answer => {
        if (answer instanceof MidcallError) reject(answer);
        else resolve(answer);
      }),
    );
  }

  /** Sends a call, not over HTTP. `settle` is called once, with the answer, or with the error of {@link send}. */
  sendCall(client: Client, request: ForwardedRequest, call: WatchOptions & SentCall): void {
    this.#send(client, request, call, undefined, call.within, call.settle, call.id);
  }

  /** An id for a request that nothing else uses. */
  newId(): string {
    this.#last += 1;
    return `${mark}${this.#last}`;
  }

  #send(
    client: Client,
    { method, params }: ForwardedRequest,
    { signal, onProgress }: WatchOptions,
    era: Era | undefined,
    within: SentCall['within'] | undefined,
    settle: SentCall['settle'],
    id = this.newId(),
  ): void {
    const { transport } = client;
    if (!transport || signal?.aborted) {
      settle(transport ? givenUp() : serverGone());
      return;
    }
    // On 2026-07-28 over HTTP, a request is cancelled by closing its stream.
    const stream = era && hasOwnStreams(transport) && !serverSendsRequests(era) ? new AbortController() : undefined;
    const over = (answer: ForwardedAnswer | MidcallError): void => {
      this.#waiting.delete(id);
      signal?.removeEventListener('abort', onAbort);
      settle(answer);
    };
    const onAbort = (): void => {
      over(givenUp());
      if (stream) stream.abort();
      else this.#tell(client, { method: 'notifications/cancelled', params: { requestId: id } }).catch(() => {});
    };
    const failed = (error: unknown): void => {
      if (this.#waiting.has(id)) over(unsent(error));
    };
    this.#waiting.set(id, { isCall: within !== undefined, settle: over, onProgress });
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const message = messageOf(client, id, { method, params }, onProgress !== undefined);
      const send = () => transport.send(message, stream && { requestSignal: stream.signal });
      (within ? within(send) : send()).catch(failed);
    } catch (error) {
      failed(error);
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

/** A request as it is sent. @param reports - true if its progress is wanted */
export function messageOf(
  client: Client,
  id: string,
  { method, params }: ForwardedRequest,
  reports: boolean,
): JSONRPCMessage {
  const sent = reports ? { ...params, _meta: { ...metaOf(params), progressToken: id } } : params;
  return enveloped(client, { jsonrpc: '2.0', id, method, ...(sent && { params: sent }) });
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

/** Of a whole response; see whole-response.ts. */
function answerIn({ result, error }: JsonRpcMessage): ForwardedAnswer {
  return isRecord(result) ? { result } : { error: error as JsonObject };
}

/** True if each request has a stream of its own, as over HTTP. */
export const hasOwnStreams = (transport: Transport): boolean =>
  (transport as { hasPerRequestStream?: boolean }).hasPerRequestStream === true;

const serverGone = (): MidcallError => new MidcallError('host/server-gone', 'The server has stopped.');
const givenUp = (): MidcallError => new MidcallError('host/cancelled', 'The request was withdrawn.');
const unsent = (cause: unknown): MidcallError =>
  new MidcallError('host/server-gone', `The server cannot be reached: ${(cause as Error).message}`, { cause });
