/**
 * Requests over HTTP that would have no end: the server takes one and then closes, cuts or empties the stream that its answer
 * belongs on. A stream whose events have ids is resumed first, by the SDK; when nothing is left to resume, the request fails. One
 * that changes nothing is sent again first, once: the replica that served it may have died. A request at which the server or a
 * proxy fails has an end, but only an error of JSON-RPC says what became of it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { fromJson, own } from '@midcall/core/json';
import { type ApartOptions, interceptTransport, type JsonRpcMessage } from '@midcall/core/sdk-seam';
import {
  isJSONRPCErrorResponse,
  type JSONRPCErrorResponse,
  type StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { numbered } from './numbered.ts';
import { isInEvents } from './unread-messages.ts';

/** What has come back for one request. */
interface Response {
  readonly transport: AnsweredRequests;
  /** True if its headers were those of a success. */
  isOk: boolean;
  /** True if its answer comes in events. */
  isStream: boolean;
  /** True if something came that is no message of the protocol. */
  isOdd: boolean;
}

/** The requests of which the first message says who answers at all. */
const introductions = new Set<unknown>(['initialize', 'server/discover']);

/** The requests that change nothing, and are sent again. */
const repeatable = new Set<unknown>([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
]);

/** Those, and others that change nothing but are not sent again: some may ask the person, who would be asked twice. */
const harmless = new Set<unknown>([...repeatable, 'prompts/get', 'resources/read', 'completion/complete']);

/** One for all transports: Node 20 and 22 never forget a storage that was used, and each slows every promise of the process. */
const sending = new AsyncLocalStorage<Response>();

/** Ends each request of one transport. */
export class AnsweredRequests {
  readonly #waiting = new Map<unknown, () => void>();

  /** @returns a fetch for the transport that notes what comes back for which request */
  noting(real: typeof fetch): typeof fetch {
    return async (...request) => {
      const response = await real(...request);
      const about = this.#sending;
      if (about && request[1]?.method === 'POST') {
        about.isOk = response.ok;
        about.isStream = isInEvents(response, request[1]);
      }
      return response;
    };
  }

  /** Has `send` of a transport settle when the request is answered, and reject when it never will be. */
  onto(transport: StreamableHTTPClientTransport): void {
    const send = transport.send.bind(transport) as (message: JsonRpcMessage, options?: ApartOptions) => Promise<void>;
    transport.send = ((message: JsonRpcMessage, options?: ApartOptions): Promise<void> => {
      const { id, method } = message;
      // Who listens for the end of a stream deals with it.
      if (id === undefined || method === undefined || options?.onRequestStreamEnd) return send(message, options);
      const answered = (): Promise<void> => this.#answered(message, options, send, transport);
      if (!repeatable.has(method)) return answered();
      return answered().catch((error: unknown) => {
        if (isBroken(error)) return answered();
        throw error;
      });
    }) as typeof transport.send;
    interceptTransport(transport, {
      incoming: (message, deliver) => {
        if (message['method'] === undefined) this.#waiting.get(numbered(message).id)?.();
        deliver(message);
      },
    });
    type Onerror = StreamableHTTPClientTransport['onerror'];
    const noticing = (next: Onerror) => (error: Error) => {
      const about = this.#sending;
      if (about && isOdd(error)) about.isOdd = true;
      next?.(error);
    };
    let onerror = noticing(transport.onerror);
    Object.defineProperty(transport, 'onerror', {
      configurable: true,
      get: () => onerror,
      set: (next: Onerror) => {
        onerror = noticing(next);
      },
    });
  }

  /** What came back for the request of this transport that the code that is running belongs to. */
  get #sending(): Response | undefined {
    const about = sending.getStore();
    return about?.transport === this ? about : undefined;
  }

  #answered(
    message: JsonRpcMessage,
    options: ApartOptions | undefined,
    send: (message: JsonRpcMessage, options?: ApartOptions) => Promise<void>,
    transport: StreamableHTTPClientTransport,
  ): Promise<void> {
    const { id, method } = message;
    const about: Response = { transport: this, isOk: false, isStream: false, isOdd: false };
    return new Promise((resolve, reject) => {
      const settle = (error?: unknown): void => {
        if (!this.#waiting.delete(id)) return;
        if (error === undefined) resolve();
        else reject(error);
      };
      this.#waiting.set(id, settle);
      options?.requestSignal?.addEventListener('abort', () => settle(), { once: true });
      const onRequestStreamEnd = (): void => settle(unanswered(method, about));
      sending.run(about, () =>
        send(message, { ...options, onRequestStreamEnd }).then(
          () => {
            if (!about.isStream) settle(unanswered(method, about));
          },
          (error: unknown) => {
            if (introductions.has(method)) return settle(error);
            if (about.isOk || isCutOff(error)) return settle(unanswered(method, { isOdd: isOdd(error) }, error));
            if (!hasFailed(error) || repeatable.has(method)) return settle(error);
            const answer = answerIn(error, id);
            if (answer) transport.onmessage?.(answer);
            settle(unanswered(method, { status: error.status }, error));
          },
        ),
      );
    });
  }
}

/** True for what is no message of the protocol; the transport reads nothing but messages. */
const isOdd = (error: unknown): boolean => ['ZodError', 'SyntaxError'].includes((error as Error).name);

/** True if the network failed when the request may have reached the server. */
const isCutOff = (error: unknown): boolean =>
  (error as Error).name === 'TypeError' && !((error as Error).cause instanceof MidcallError) && !neverReached(error);

/** What a proxy says of a server behind it that is gone. */
const gatewayStatuses = new Set<unknown>([502, 503, 504]);

/** True if a request got no answer from whoever it had reached. */
const isBroken = (error: unknown): boolean =>
  isMidcallError(error, 'host/abandoned') ||
  isCutOff(error) ||
  gatewayStatuses.has((error as { readonly status?: unknown }).status);

/** True if the server, or a proxy in front of it, failed at a request that may have reached the server. */
const hasFailed = (error: unknown): error is { readonly status: number } =>
  ((error as { readonly status?: unknown }).status as number) >= 500;

/** The body of a response that failed, if it is JSON. */
function failedBody(error: unknown): unknown {
  // An error that a server sent as such has no status.
  if (typeof (error as { readonly status?: unknown }).status !== 'number') return undefined;
  return fromJson(String(own(own(error, 'data'), 'text')));
}

/** The server's own answer to a request in a response that failed: an error of JSON-RPC with its id. */
function answerIn(error: unknown, id: unknown): JSONRPCErrorResponse | undefined {
  const answer = failedBody(error);
  return isJSONRPCErrorResponse(answer) && numbered({ ...answer }).id === id ? answer : undefined;
}

/** An error of JSON-RPC. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The error of JSON-RPC in a response that failed: it need not have the id of the request. */
export function refusalIn(error: unknown): Refusal | undefined {
  const refusal = own(failedBody(error), 'error');
  const [code, message, data] = [own(refusal, 'code'), own(refusal, 'message'), own(refusal, 'data')];
  if (typeof code !== 'number' || typeof message !== 'string') return undefined;
  return { code, message, ...(data !== undefined && { data }) };
}

/** The same for a person: its message ends with the status of the response. */
export function describedRefusal(error: unknown): Refusal | undefined {
  const refusal = refusalIn(error);
  return refusal && { ...refusal, message: `${refusal.message} (HTTP ${(error as { status?: unknown }).status})` };
}

function unanswered(
  method: unknown,
  { isOdd: cameOdd, status }: Partial<Response> & { status?: number },
  cause?: unknown,
): MidcallError {
  const what =
    status !== undefined
      ? `The server, or a proxy in front of it, failed before an answer came (HTTP ${status})`
      : cameOdd
        ? 'The server answered with something that is not a JSON-RPC 2.0 response'
        : 'The connection to the server ended before its answer came';
  const message = harmless.has(method) ? `${what}.` : `${what}. ${mayHaveTakenEffect}`;
  return new MidcallError('host/abandoned', message, cause === undefined ? {} : { cause });
}

const mayHaveTakenEffect = 'The request may have been carried out: find out what took effect before sending it again.';

/**
 * The error of a call of a tool that has an answer which cannot be read.
 * @param why - a sentence
 */
export const unreadable = (why: string, cause: unknown): MidcallError =>
  new MidcallError('host/abandoned', `${why} ${mayHaveTakenEffect}`, { cause });

/** True for the error of a request that got no answer, or none that can be read, and may have been carried out. */
export const isInDoubt = (error: unknown): boolean =>
  isMidcallError(error, 'host/abandoned') && error.message.endsWith(mayHaveTakenEffect);

const beforeSending = new Set<unknown>(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** True if the server was never connected, so that nothing was sent to it. */
export function neverReached(error: unknown): boolean {
  const { code, syscall, cause } = (error ?? {}) as Readonly<Record<'code' | 'syscall' | 'cause', unknown>>;
  // An open connection fails with some of these codes, too.
  const wasOpen = syscall === 'read' || syscall === 'write';
  return (beforeSending.has(code) && !wasOpen) || (typeof cause === 'object' && cause !== null && neverReached(cause));
}

/** The error of a request of which nothing was sent, since its server was never connected; undefined if something may have been. */
export function neverSent(error: unknown): MidcallError | undefined {
  // One of ours underneath is about an authorization server.
  const isOurs = isMidcallError(error) || isMidcallError(own(error, 'cause'));
  return isOurs || !neverReached(error)
    ? undefined
    : new MidcallError('host/server-gone', nothingSent, { cause: error });
}

/** True for an error of {@link neverSent}. */
export const isNeverSent = (error: unknown): boolean =>
  isMidcallError(error, 'host/server-gone') && error.message === nothingSent;

const nothingSent = 'The server cannot be reached. Nothing was sent.';
