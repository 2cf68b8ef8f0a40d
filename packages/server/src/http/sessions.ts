/**
 * Sessions for clients of the 2025-11-25 revision over Streamable HTTP. A server can ask such a client something only
 * inside a session, and a person may take longer to answer than a connection lives; so:
 *
 * - sessions-H1 A broken stream ends nothing. The call goes on, and what it sends is replayed when the client reconnects.
 * - sessions-H2 A session belongs to whoever opened it; to anybody else it does not exist (404).
 * - sessions-H3 A session that nothing uses for `idleMs` ends, and so do its calls. Use is a request or an open stream.
 * - sessions-H4 There are never more than `max`, nor more than `maxPerOwner` of one owner; whose session makes room is in
 *   `room.ts`. A session that is being opened counts from before the factory runs, so that no burst gets past a limit.
 * - sessions-H5 An owner never has more than `maxCalls` requests in progress, whether their streams are open or not, each
 *   under an id of its own; where nobody says who is who, a session has not. Calls that wait for a person outlive their
 *   streams (sessions-H1), so nothing else would bound them.
 * - sessions-H6 A request that was taken back holds no connection: the transport would keep its stream until a response
 *   passes.
 * - sessions-H7 Who resumes a stream gets it at once, even if the connection that had it before still looks alive.
 * - sessions-H8 A request gets its response as JSON where that is there within `streamAfterMs` and nothing else was sent for it;
 *   a stream, which can be resumed, is opened as soon as anything else is sent, or the time is up.
 */
import { type Clock, idleClock } from '@midcall/core/time';
import {
  type AuthInfo,
  isInitializeRequest,
  type JSONRPCRequest,
  type McpServer,
  type McpServerFactory,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { makeServer } from '../call/lending.ts';
import { primesStreams } from '../era.ts';
import { HeldRequests } from '../sdk-seam/held-requests.ts';
import { tapReceived, tapSent } from '../sdk-seam/tapped-transport.ts';
import { batchRefusal, requestsIn, unread } from './body.ts';
import type { EventStream, EventStreamHead, WholeAnswer } from './direct-sender.ts';
import {
  type BoundedEventStore,
  boundedEventStore,
  type EventStoreOptions,
  parseEventId,
  streamIn,
} from './event-store.ts';
import { plainMessage } from './plain-message.ts';
import type { Refusal } from './refusal.ts';
import { RequestStream } from './request-stream.ts';
import { watchResponse } from './response-end.ts';
import { type Occupant, type Room, roomFor } from './room.ts';

/** How sessions are kept. */
export interface SessionOptions {
  /** Milliseconds a session may lie unused; 30 minutes by default. */
  readonly idleMs?: number;
  /** The most sessions at a time; 1,000 by default. */
  readonly max?: number;
  /**
   * The most sessions of one owner at a time, and the most streams on which one owner listens (2026-07-28); 100 by default.
   * Callers for whom `authenticate` names nobody count as one owner. Without `authenticate` they are only bound by `max`.
   */
  readonly maxPerOwner?: number;
  /** The most requests in progress of one owner, or of one session where callers are not told apart; 1,000 by default. */
  readonly maxCalls?: number;
  /** What each session keeps for clients that reconnect. */
  readonly events?: EventStoreOptions;
  /**
   * Milliseconds a request waits for a response that needs no stream; 500 by default. A client that loses its connection meanwhile
   * has nothing to resume.
   */
  readonly streamAfterMs?: number;
  /** The current time, and timers; this machine's clock where absent. */
  readonly clock?: Clock;
  /** Told of what went wrong; changes no response. */
  readonly onError?: (error: Error) => void;
}

/** One HTTP request on its way to a session. */
export interface SessionRequest {
  readonly request: Request;
  /** The parsed body of a POST. */
  readonly body: unknown;
  /** Who sends it, as one string; empty if nobody is known. */
  readonly owner: string;
  readonly auth: AuthInfo | undefined;
  /** Opens a stream to its sender. */
  readonly stream: (head: EventStreamHead, ended: () => void) => EventStream;
}

/** What becomes of it: a response, an answer that is there as a whole, or why it is not served. */
export type Served = Response | WholeAnswer | Refusal;

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly events: BoundedEventStore;
  readonly held: HeldRequests;
  readonly server: McpServer | Server;
  readonly owner: string;
  usedAt: number;
  /** Responses that have not ended: running requests and open streams. */
  open: number;
  /** Ids of the requests that have no response yet. */
  readonly underWay: Set<unknown>;
  /** What ends each open stream that has had an event, by the stream's id. */
  readonly streams: Map<string, () => void>;
}

type Message = { readonly id?: unknown; readonly method?: unknown; readonly params?: { readonly requestId?: unknown } };

const revisionOf = ({ server }: Session): string | undefined =>
  ('server' in server ? server.server : server).getNegotiatedProtocolVersion();

/** True for a message that the SDK would take as it is, from a client that reads both kinds of response. */
function isPlainIn(session: Session, { headers }: Request, body: unknown): boolean {
  const revision = headers.get('mcp-protocol-version');
  if (revision === null || revision !== revisionOf(session)) return false;
  const accepted = headers.get('accept') ?? '';
  return (
    accepted.includes('application/json') && accepted.includes('text/event-stream') && plainMessage(body) !== undefined
  );
}

/** What the endpoint itself says of its sessions. */
export interface HttpSessionsOptions extends SessionOptions {
  /** True if somebody says who sends a request, so that those nobody is known of are one owner among others. */
  readonly tellsOwnersApart: boolean;
}

/** All sessions of one endpoint. */
export class HttpSessions {
  readonly #factory: McpServerFactory;
  readonly #sessions = new Map<string, Session>();
  /** The owner of each session that is being opened, by the id it gets. */
  readonly #opening = new Map<string, string>();
  readonly #options: Required<Omit<SessionOptions, 'events' | 'onError'>> & HttpSessionsOptions;
  #stopSweeping = (): void => {};

  constructor(factory: McpServerFactory, options: HttpSessionsOptions) {
    this.#factory = factory;
    this.#options = {
      ...{ idleMs: 30 * 60_000, max: 1_000, maxPerOwner: 100, maxCalls: 1_000, streamAfterMs: 500 },
      ...{ clock: idleClock, ...options },
    };
    this.#sweepLater();
  }

  /** How many sessions there are. */
  get size(): number {
    return this.#sessions.size;
  }

  /**
   * Serves a request within its session, opening one for `initialize`.
   * @returns its response, or why it is not served
   */
  async serve(request: SessionRequest): Promise<Served> {
    this.#sweep();
    const header = request.request.headers.get('mcp-session-id');
    if (header === null) {
      if (isInitializeRequest(request.body)) return this.#open(request);
      return { status: 400, code: -32000, message: 'Mcp-Session-Id is missing: send initialize first.' };
    }
    const session = this.#sessions.get(header);
    if (!session || session.owner !== request.owner) {
      return {
        status: 404,
        code: -32001,
        message: 'Session not found: it ended, or it is not yours. Initialize again.',
      };
    }
    return this.#handle(session, request);
  }

  /** True for what belongs to a session, whatever else it says: nobody has to find out which revision it is of. */
  has({ request, body }: Pick<SessionRequest, 'request' | 'body'>): boolean {
    const session = this.#sessions.get(request.headers.get('mcp-session-id') ?? '');
    return session !== undefined && isPlainIn(session, request, body);
  }

  /** Ends every session and takes no more. */
  async close(): Promise<void> {
    this.#stopSweeping();
    await Promise.all([...this.#sessions.keys()].map(id => this.#end(id)));
  }

  async #open(request: SessionRequest): Promise<Served> {
    const room = this.#roomFor(request.owner);
    if ('refusal' in room) return room.refusal;
    if (room.ends !== undefined) void this.#end(room.ends);
    const id = crypto.randomUUID();
    this.#opening.set(id, request.owner);
    try {
      return await this.#openAs(id, request);
    } finally {
      this.#opening.delete(id);
    }
  }

  async #openAs(id: string, request: SessionRequest): Promise<Served> {
    const { auth } = request;
    const server = await makeServer(this.#factory, {
      era: 'legacy',
      requestInfo: unread(request.request, request.body),
      ...(auth && { authInfo: auth }),
    });
    const events = boundedEventStore(this.#options.events);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: events,
      onsessioninitialized: () => {
        this.#opening.delete(id);
        this.#sessions.set(id, session);
      },
    });
    const underWay = new Set<unknown>();
    const held = new HeldRequests(transport);
    const session: Session = {
      transport,
      events,
      held,
      server,
      owner: request.owner,
      usedAt: this.#options.clock.now(),
      open: 0,
      underWay,
      streams: new Map(),
    };
    tapSent(transport, message => {
      if (!('method' in message)) underWay.delete(message.id);
    });
    transport.onerror = error => this.#options.onError?.(error);
    transport.onclose = () => {
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
    };
    await server.connect(transport);
    held.listen();
    tapReceived(transport, message => {
      const { method, params } = message as Message;
      if (method !== 'notifications/cancelled') return;
      const id = params?.requestId;
      if (!underWay.has(id)) return;
      // After what the call itself still says on this stream: that its questions are withdrawn. Until then its id is in use.
      setImmediate(() => {
        if (underWay.has(id)) this.#endStream(session, id);
      });
    });
    try {
      return await this.#handle(session, request);
    } finally {
      // An initialize that was refused leaves a server that nobody can reach.
      if (transport.sessionId === undefined) await server.close();
    }
  }

  async #handle(session: Session, sent: SessionRequest): Promise<Served> {
    const { request, body, auth } = sent;
    const { underWay, transport, streams } = session;
    const refusal = batchRefusal(body, revisionOf(session));
    if (refusal) return refusal;
    const ids = requestsIn(body);
    if (new Set(ids).size < ids.length || ids.some(id => underWay.has(id)))
      return { status: 400, code: -32600, message: 'Another request with this id has no response yet.' };
    if (this.#underWayWith(session) + ids.length > this.#options.maxCalls)
      return {
        status: 429,
        code: -32000,
        message: 'Too many of your requests have no response yet. Try again later.',
        retryAfter: 1,
      };
    for (const id of ids) underWay.add(id);
    session.open += 1;
    session.usedAt = this.#options.clock.now();
    // A client that resumes a stream has lost it, whether or not we have noticed (sessions-H7).
    const resumed = request.method === 'GET' ? parseEventId(request.headers.get('last-event-id') ?? '') : undefined;
    if (resumed) streams.get(resumed.stream)?.();
    const ended = () => {
      session.open -= 1;
      session.usedAt = this.#options.clock.now();
    };
    try {
      const answered = await this.#answer(session, sent, ended);
      if (answered) return answered;
      const context = { parsedBody: body, ...(auth && { authInfo: auth }) };
      const response = await transport.handleRequest(request, context);
      // What the transport refuses never gets to the server.
      if (response.status >= 400) for (const id of ids) underWay.delete(id);
      return this.#watch(session, response, ended);
    } catch (error) {
      ended();
      for (const id of ids) underWay.delete(id);
      throw error;
    }
  }

  /**
   * Answers a message in the place of the transport (sessions-H8).
   * @param ended - called where the response has ended
   * @returns undefined where the transport is to be given it
   */
  async #answer(
    session: Session,
    { request, body, auth, stream }: SessionRequest,
    ended: () => void,
  ): Promise<WholeAnswer | Response | undefined> {
    const message = request.method === 'POST' && isPlainIn(session, request, body) ? plainMessage(body) : undefined;
    if (!message) return undefined;
    const { held, events, streams } = session;
    const extra = { request, ...(auth && { authInfo: auth }) };
    if (!('method' in message && 'id' in message)) {
      held.tell(message, extra);
      ended();
      return { status: 202, headers: {}, text: '' };
    }
    if (!(await held.admits(message, auth))) return undefined;
    const { clock, streamAfterMs } = this.#options;
    const sessionHeader = { 'mcp-session-id': session.transport.sessionId! };
    let callOff = (): void => {};
    const surroundings = { stream, headers: sessionHeader, events, streams, ended };
    const opening = new RequestStream(primesStreams(revisionOf(session)!), surroundings);
    const response = await held
      .give(message as JSONRPCRequest, extra, opening, open => {
        callOff = clock.after(streamAfterMs, open);
      })
      .finally(() => callOff());
    if (!response) return opening.response;
    ended();
    const headers = { 'content-type': 'application/json', ...sessionHeader };
    return { status: 200, headers, text: JSON.stringify(response) };
  }

  /** Passes a response on, and learns from its events which stream it is. */
  #watch({ streams }: Session, response: Response, ended: () => void): Response {
    let stream: string | undefined;
    const watched = watchResponse(
      response,
      () => {
        if (stream !== undefined && streams.get(stream) === watched?.end) streams.delete(stream);
        ended();
      },
      chunk => {
        if (stream !== undefined) return;
        stream = streamIn(chunk);
        if (stream !== undefined) streams.set(stream, watched.end);
      },
    );
    return watched.response;
  }

  /**
   * Ends the stream of a request that was taken back (sessions-H6), with a response that the client ignores (2025-11-25,
   * basic/utilities/cancellation, "Behavior Requirements").
   */
  #endStream({ transport }: Session, id: unknown): void {
    const error = { code: -32000, message: 'The client withdrew this request.' };
    transport.send({ jsonrpc: '2.0', id: id as string | number, error }).catch(() => {});
  }

  #sweep(): void {
    const before = this.#options.clock.now() - this.#options.idleMs;
    for (const [id, { open, usedAt }] of this.#sessions) if (open === 0 && usedAt <= before) void this.#end(id);
  }

  #sweepLater(): void {
    const { clock, idleMs } = this.#options;
    this.#stopSweeping = clock.after(Math.min(60_000, idleMs), () => {
      this.#sweep();
      this.#sweepLater();
    });
  }

  /** True for one owner among others; false for everybody, where nobody says who sends a request. */
  #isOne(owner: string): boolean {
    return owner !== '' || this.#options.tellsOwnersApart;
  }

  /** Requests that have no response yet, and count with those of this session. */
  #underWayWith({ owner, underWay }: Session): number {
    if (!this.#isOne(owner)) return underWay.size;
    return [...this.#sessions.values()].reduce((sum, each) => sum + (each.owner === owner ? each.underWay.size : 0), 0);
  }

  #roomFor(owner: string): Room {
    const { max, maxPerOwner } = this.#options;
    const occupants: Occupant[] = [...this.#opening].map(([id, owner]) => ({ id, owner, usedAt: 0, use: 'calls' }));
    for (const [id, { owner, usedAt, open, underWay }] of this.#sessions) {
      occupants.push({ id, owner, usedAt, use: underWay.size > 0 ? 'calls' : open > 0 ? 'listens' : 'none' });
    }
    return roomFor(owner, occupants, { max, maxPerOwner: this.#isOne(owner) ? maxPerOwner : Number.POSITIVE_INFINITY });
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    if (!session) return;
    this.#sessions.delete(id);
    try {
      await session.server.close();
    } catch (error) {
      this.#options.onError?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
