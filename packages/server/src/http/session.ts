/**
 * One session of a client of the 2025-11-25 revision: its transport, its requests in progress, and the streams that answer them.
 * The invariants are those of `sessions.ts`.
 */
import { type Clock, steadyNow } from '@midcall/core/time';
import {
  type AuthInfo,
  type McpServer,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { stopListening, tapReceived, tapSent } from '../sdk-seam/index.ts';
import { batchRefusal, requestsIn } from './body.ts';
import {
  type BoundedEventStore,
  boundedEventStore,
  type EventBound,
  type EventStoreOptions,
  parseEventId,
  streamIn,
} from './event-store.ts';
import { type Refusal, sameId, sessionGone, tooMany, withdrawn } from './refusal.ts';
import { isEventStream, watchResponse } from './response-end.ts';
import type { UnreadResponse } from './unread-bytes.ts';
import { wholeInTime } from './whole-response.ts';

/** One HTTP request on its way to a session. */
export interface SessionRequest {
  readonly request: Request;
  /** The parsed body of a POST. */
  readonly body: unknown;
  /** The sender, as one string; empty if unknown. */
  readonly owner: string;
  readonly auth: AuthInfo | undefined;
  /** Counts what of its response is not read. */
  readonly unread: UnreadResponse;
}

/** The outcome: a response, or why it is not served. */
export type Served = Response | Refusal;

export interface HttpSessionOptions {
  readonly id: string;
  readonly owner: string;
  readonly server: McpServer | Server;
  readonly clock: Clock;
  /** Milliseconds a request waits for a response that needs no stream. */
  readonly streamAfterMs: number;
  readonly events: EventStoreOptions | undefined;
  /** The bounds of its events that it shares with other sessions. */
  readonly bounds: readonly EventBound[];
  readonly onInitialized: () => void;
  readonly onClosed: () => void;
  readonly onError: ((error: Error) => void) | undefined;
}

type Message = { readonly method?: unknown; readonly params?: { readonly requestId?: unknown } };

export class HttpSession {
  readonly owner: string;
  /** When one of its requests last began or ended, in steady time. */
  usedAt: number;
  readonly #options: HttpSessionOptions;
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  readonly #events: BoundedEventStore;
  /** Responses that have not ended: running requests and open streams. */
  #open = 0;
  /** Ids of the requests that have no response yet. */
  readonly #underWay = new Set<unknown>();
  /** Functions that end each open stream that has had an event, by the stream's id. */
  readonly #streams = new Map<string, () => void>();
  #isClosed = false;

  constructor(options: HttpSessionOptions) {
    this.#options = options;
    this.owner = options.owner;
    this.usedAt = steadyNow(options.clock);
    this.#events = boundedEventStore(options.events, options);
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => options.id,
      eventStore: this.#events,
      onsessioninitialized: options.onInitialized,
    });
  }

  /** Connects its server; before any request. */
  async connect(): Promise<void> {
    const transport = this.#transport;
    tapSent(transport, message => {
      if (!('method' in message)) this.#underWay.delete(message.id);
    });
    transport.onerror = error => this.#options.onError?.(error);
    transport.onclose = () => {
      this.#isClosed = true;
      // A request whose rights are being looked at would still reach the server.
      stopListening(transport);
      this.#events.clear();
      this.#options.onClosed();
    };
    await this.#options.server.connect(transport);
    tapReceived(transport, message => {
      const { method, params } = message as Message;
      if (method !== 'notifications/cancelled') return;
      const id = params?.requestId;
      if (!this.#underWay.has(id)) return;
      // After the call's last messages on this stream, which withdraw its questions. Until then its id is in use.
      setImmediate(() => {
        if (this.#underWay.has(id)) this.#endStream(id);
      });
    });
  }

  /** False until its client knows its id; until then it cannot be reached. */
  get isInitialized(): boolean {
    return this.#transport.sessionId !== undefined;
  }

  /** True while a request runs or a stream is open. */
  get isInUse(): boolean {
    return this.#open > 0;
  }

  /** How many of its requests have no response yet. */
  get callsUnderWay(): number {
    return this.#underWay.size;
  }

  /** @param mayBegin - false if the owner may have no more calls than this many fewer in progress (sessions-H5) */
  async serve(sent: SessionRequest, mayBegin: (count: number) => boolean): Promise<Served> {
    const { request, body, auth } = sent;
    const refusal = batchRefusal(body, this.#revision);
    if (refusal) return refusal;
    const ids = requestsIn(body);
    if (new Set(ids).size < ids.length || ids.some(id => this.#underWay.has(id))) return sameId;
    if (!mayBegin(ids.length)) return tooMany;
    for (const id of ids) this.#underWay.add(id);
    this.#open += 1;
    this.usedAt = steadyNow(this.#options.clock);
    // A client that resumes a stream has lost its connection, whether or not we have noticed (sessions-H7).
    const resumed = request.method === 'GET' ? parseEventId(request.headers.get('last-event-id') ?? '') : undefined;
    if (resumed) this.#streams.get(resumed.stream)?.();
    const ended = () => {
      this.#open -= 1;
      this.usedAt = steadyNow(this.#options.clock);
    };
    try {
      const context = { parsedBody: body, ...(auth && { authInfo: auth }) };
      const response = await this.#transport.handleRequest(request, context);
      // A message that the transport refuses never reaches the server.
      if (response.status >= 400) for (const id of ids) this.#underWay.delete(id);
      const watched = this.#watch(sent.unread.buffer(response), ended, resumed?.stream);
      if (request.method !== 'POST') return watched;
      const whole = this.#isClosed
        ? watched
        : await wholeInTime(watched, request.signal, this.#options.streamAfterMs, this.#options.clock);
      if (!this.#isClosed || !isEventStream(whole)) return whole;
      void whole.body?.cancel().catch(() => {});
      return sessionGone;
    } catch (error) {
      ended();
      for (const id of ids) this.#underWay.delete(id);
      throw error;
    }
  }

  /** Forgets what no client will resume any more. */
  tidy(): void {
    this.#events.tidy();
  }

  /** Ends the session, and its client's calls. */
  close(): Promise<void> {
    return this.#options.server.close();
  }

  get #revision(): string | undefined {
    const { server } = this.#options;
    return ('server' in server ? server.server : server).getNegotiatedProtocolVersion();
  }

  /**
   * Passes a response on, and finds out from its events which stream it is.
   * @param resumed - the stream that its client asked for, which may be without events for a long time
   */
  #watch(response: Response, ended: () => void, resumed: string | undefined): Response {
    const streams = this.#streams;
    let stream: string | undefined;
    const watched = watchResponse(
      response,
      isComplete => {
        if (stream !== undefined && streams.get(stream) === watched?.end) streams.delete(stream);
        if (stream !== undefined && isComplete) this.#events.sent(stream);
        ended();
      },
      chunk => {
        if (stream !== undefined) return;
        stream = streamIn(chunk);
        if (stream !== undefined) streams.set(stream, watched.end);
      },
    );
    if (resumed !== undefined && response.ok && response.body) {
      stream = resumed;
      streams.set(stream, watched.end);
    }
    return watched.response;
  }

  /**
   * Ends the stream of a cancelled request (sessions-H6), with a response that the client ignores (2025-11-25,
   * basic/utilities/cancellation, "Behavior Requirements").
   */
  #endStream(id: unknown): void {
    this.#transport.send({ jsonrpc: '2.0', id: id as string | number, error: withdrawn }).catch(() => {});
  }
}
