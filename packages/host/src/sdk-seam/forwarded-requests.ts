/**
 * Other parties' requests, sent to the server unchanged, past the SDK, which would judge each answer by schemas of its own
 * and drop what is not in them.
 *
 * - forwarded-F1 The answer is the server's, member for member; so is what its progress tells.
 * - forwarded-F2 Ids and progress tokens are ours, and none that the SDK gives, which counts.
 * - forwarded-F3 Every request ends: with its answer, when it is given up, or when the connection closes.
 * - forwarded-F4 The answer to a call passes everything that looks at answers of calls, such as the task follower, before it is
 *   handed on.
 */
import { MidcallError } from '@midcall/core/errors';
import { isRecord, own } from '@midcall/core/json';
import type { Interception, JsonRpcMessage } from '@midcall/core/sdk-seam';
import type { Client, JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { type Era, serverSendsRequests } from '../era.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** What a server answers, as it came. */
export type ForwardedAnswer =
  | { readonly result: Readonly<Record<string, unknown>> }
  | { readonly error: Readonly<Record<string, unknown>> };

/** Another party's request. */
export interface ForwardedRequest {
  readonly method: string;
  /** As they came, without a progress token. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** How a request is watched. */
export interface ForwardOptions {
  /** Fires when nobody waits for the answer any more: the server is told. */
  readonly signal?: AbortSignal;
  /** Told what the server's progress says, but for its token; no progress is asked for where absent. */
  readonly onProgress?: (params: Readonly<Record<string, unknown>>) => void;
}

/** How a request is sent that is a call. */
interface SentCall {
  /** Sends it, so that it counts as the call's. */
  readonly within: <T>(send: () => T) => T;
}

interface Waiting {
  readonly isCall: boolean;
  readonly settle: (answer: ForwardedAnswer | MidcallError) => void;
  readonly onProgress: ForwardOptions['onProgress'];
}

/** Begins every id; the SDK's are numbers. */
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

  /** The answer to a call has passed the others (forwarded-F4). @returns false where the call was not sent here */
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
   * @param call - where it is one
   * @throws MidcallError `host/cancelled` where it was given up, `host/server-gone` where the connection is gone
   */
  async send(
    client: Client,
    era: Era,
    request: ForwardedRequest,
    options: ForwardOptions,
    call?: SentCall,
  ): Promise<ForwardedAnswer> {
    const { transport } = client;
    const { signal, onProgress } = options;
    if (!transport) throw serverGone();
    if (signal?.aborted) throw givenUp();
    this.#last += 1;
    const id = `${mark}${this.#last}`;
    const { method, params } = request;
    const meta = { ...(isRecord(params?.['_meta']) && params['_meta']), ...(onProgress && { progressToken: id }) };
    const sent = Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params;
    // On 2026-07-28 over HTTP a request is taken back by letting go of its stream.
    const stream = hasOwnStreams(transport) && !serverSendsRequests(era) ? new AbortController() : undefined;
    let onAbort: (() => void) | undefined;
    try {
      return await new Promise<ForwardedAnswer>((resolve, reject) => {
        this.#waiting.set(id, {
          isCall: call !== undefined,
          settle: answer => (answer instanceof MidcallError ? reject(answer) : resolve(answer)),
          onProgress,
        });
        onAbort = () => {
          reject(givenUp());
          if (stream) stream.abort();
          else this.#tell(client, { method: 'notifications/cancelled', params: { requestId: id } }).catch(() => {});
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        const message = enveloped(client, { jsonrpc: '2.0', id, method, ...(sent && { params: sent }) });
        const send = () => transport.send(message, { ...(stream && { requestSignal: stream.signal }) });
        (call ? call.within(send) : send()).catch(error => reject(unsent(error)));
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

  /** The connection is gone. */
  close(): void {
    for (const { settle } of [...this.#waiting.values()]) settle(serverGone());
  }

  async #tell(client: Client, { method, params }: ForwardedRequest): Promise<void> {
    if (!client.transport) throw serverGone();
    await client.transport.send(enveloped(client, { jsonrpc: '2.0', method, ...(params && { params }) }));
  }
}

/** What the SDK puts into each message of 2026-07-28: who sends it, and what that can. */
function enveloped(client: Client, message: JsonObject): JSONRPCMessage {
  const { _envelopeOutbound: envelope } = client as unknown as {
    _envelopeOutbound: (message: JsonObject) => JSONRPCMessage;
  };
  return envelope.call(client, message);
}

function answerIn(message: JsonRpcMessage): ForwardedAnswer {
  const [result, error] = [own(message, 'result'), own(message, 'error')];
  if (isRecord(result)) return { result };
  return { error: isRecord(error) ? error : { code: -32603, message: 'The server sent no answer.' } };
}

/** True where each request has a stream of its own, as over HTTP. */
export const hasOwnStreams = (transport: Transport): boolean =>
  (transport as { hasPerRequestStream?: boolean }).hasPerRequestStream === true;

const serverGone = (): MidcallError => new MidcallError('host/server-gone', 'The server has stopped.');
const givenUp = (): MidcallError => new MidcallError('host/cancelled', 'The request was withdrawn.');
const unsent = (cause: unknown): MidcallError =>
  new MidcallError('host/server-gone', `The server cannot be reached: ${(cause as Error).message}`, { cause });
