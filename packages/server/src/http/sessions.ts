/**
 * Sessions for clients of the 2025-11-25 revision over Streamable HTTP. A server can ask such a client only within a session,
 * and a person may take longer to answer than a connection lasts; so:
 *
 * - sessions-H1 A broken stream ends nothing. The call continues, and its messages are replayed when the client reconnects.
 * - sessions-H2 A session belongs to whoever opened it; to anybody else it does not exist (404).
 * - sessions-H3 A session unused for `idleMs` ends, and so do its calls. Use is a request or an open stream.
 * - sessions-H4 There are never more than `max`, nor more than `maxPerOwner` of one owner; `room.ts` decides whose session
 *   makes room. A session that is being opened counts from before the factory runs, so that no burst exceeds a limit.
 * - sessions-H5 An owner never has more than `maxCalls` requests in progress, whether their streams are open or not, each under
 *   its own id; if owners are not distinguished, the limit applies to each session. Calls that wait for a person outlive their
 *   streams (sessions-H1), so nothing else would bound them.
 * - sessions-H6 A cancelled request holds no connection: the transport would keep its stream open until a response is sent.
 * - sessions-H7 A client that resumes a stream gets it at once, even if its previous connection still looks alive.
 * - sessions-H8 A request gets its response as JSON if that is ready within `streamAfterMs` and nothing else was sent for it; a
 *   stream, which can be resumed, is opened as soon as anything else is sent, or the time is up.
 * - sessions-H9 What sessions keep for clients that reconnect is bounded for each session, each owner, and the whole endpoint
 *   (event-store.ts).
 */
import { asError } from '@midcall/core/errors';
import { defined } from '@midcall/core/json';
import { type Clock, idleClock, steadyNow } from '@midcall/core/time';
import { isInitializeRequest, type McpServerFactory } from '@modelcontextprotocol/server';
import { makeServer } from '../request/index.ts';
import { unread } from './body.ts';
import { EventBound, type EventStoreOptions } from './event-store.ts';
import { noSession, sessionGone } from './refusal.ts';
import { type Occupant, type Room, roomFor } from './room.ts';
import { HttpSession, type Served, type SessionRequest } from './session.ts';

/** The options of sessions. */
export interface SessionOptions {
  /** Milliseconds a session may be unused; 30 minutes by default. */
  readonly idleMs?: number;
  /** The maximum number of sessions at a time; 1,000 by default. */
  readonly max?: number;
  /**
   * The maximum number of sessions of one owner at a time, and of streams on which one owner listens (2026-07-28); 100 by
   * default. Callers that `authenticate` does not identify count as one owner. Without `authenticate` only `max` applies.
   */
  readonly maxPerOwner?: number;
  /**
   * The maximum number of requests in progress of one owner, or of one session if callers are not distinguished; 1,000 by
   * default.
   */
  readonly maxCalls?: number;
  /** How much sessions store for clients that reconnect. */
  readonly events?: EventStoreOptions;
  /**
   * Milliseconds a request waits for a response that needs no stream; 500 by default. A client that loses its connection meanwhile
   * has nothing to resume.
   */
  readonly streamAfterMs?: number;
  /** The current time, and timers; this machine's clock if absent. */
  readonly clock?: Clock;
  /** Called with errors; changes no response. */
  readonly onError?: (error: Error) => void;
}

const defaults = {
  ...{ idleMs: 30 * 60_000, max: 1_000, maxPerOwner: 100, maxCalls: 1_000, streamAfterMs: 500 },
  clock: idleClock,
};

/** The options of sessions, with what applies where they say nothing. */
export const withDefaults = <O extends SessionOptions>(options: O): O & typeof defaults =>
  ({ ...defaults, ...defined(options) }) as O & typeof defaults;

/** The endpoint's own settings for its sessions. */
export interface HttpSessionsOptions extends SessionOptions {
  /** True if senders are identified, so that unidentified ones are one owner among others. */
  readonly tellsOwnersApart: boolean;
}

/** All sessions of one endpoint. */
export class HttpSessions {
  readonly #factory: McpServerFactory;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #byOwner = new Map<string, Set<HttpSession>>();
  /** What the sessions of each owner keep together; of those that have one. */
  readonly #boundOf = new Map<string, EventBound>();
  readonly #bound: EventBound;
  /** The owner of each session that is being opened, by the id it gets. */
  readonly #opening = new Map<string, string>();
  readonly #options: ReturnType<typeof withDefaults<HttpSessionsOptions>>;
  #stopSweeping = (): void => {};

  constructor(factory: McpServerFactory, options: HttpSessionsOptions) {
    this.#factory = factory;
    this.#options = withDefaults(options);
    this.#bound = new EventBound(Number.POSITIVE_INFINITY, options.events?.maxBytesInAll ?? 128 * 1024 * 1024);
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
    const header = request.request.headers.get('mcp-session-id');
    if (header === null) {
      if (isInitializeRequest(request.body)) return this.#open(request);
      return noSession;
    }
    const session = this.#sessions.get(header);
    // Some clients send the id of the session that has just ended along with the initialize that follows.
    if (session?.owner !== request.owner && isInitializeRequest(request.body)) return this.#open(request);
    if (session && this.#isUnused(session)) void this.#end(header);
    else if (session?.owner === request.owner) return this.#serve(session, request);
    return sessionGone;
  }

  /** Ends every session and takes no more. */
  async close(): Promise<void> {
    this.#stopSweeping();
    await Promise.all([...this.#sessions.keys()].map(id => this.#end(id)));
  }

  async #open(request: SessionRequest): Promise<Served> {
    this.#sweep();
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
    const { clock, streamAfterMs, events, onError } = this.#options;
    const session = new HttpSession({
      ...{ id, server, owner: request.owner, clock, streamAfterMs, events, onError },
      bounds: this.#boundsOf(request.owner),
      onInitialized: () => {
        this.#opening.delete(id);
        this.#add(id, session);
      },
      onClosed: () => this.#remove(id),
    });
    await session.connect();
    try {
      return await this.#serve(session, request);
    } finally {
      // A refused initialize leaves a server that nobody can reach.
      if (!session.isInitialized) await session.close();
    }
  }

  #add(id: string, session: HttpSession): void {
    this.#sessions.set(id, session);
    const others = this.#byOwner.get(session.owner);
    if (others) others.add(session);
    else this.#byOwner.set(session.owner, new Set([session]));
  }

  /** @returns the session; undefined if there is none */
  #remove(id: string): HttpSession | undefined {
    const session = this.#sessions.get(id);
    if (!session) return undefined;
    this.#sessions.delete(id);
    const ofOwner = this.#byOwner.get(session.owner);
    ofOwner?.delete(session);
    if (ofOwner?.size === 0) this.#byOwner.delete(session.owner);
    return session;
  }

  #serve(session: HttpSession, request: SessionRequest): Promise<Served> {
    return session.serve(request, count => this.#underWayWith(session) + count <= this.#options.maxCalls);
  }

  #isUnused({ isInUse, usedAt }: HttpSession): boolean {
    const { clock, idleMs } = this.#options;
    return !isInUse && usedAt <= steadyNow(clock) - idleMs;
  }

  #sweep(): void {
    for (const [id, session] of this.#sessions) {
      if (this.#isUnused(session)) void this.#end(id);
      else session.tidy();
    }
    for (const [owner, { bytes }] of this.#boundOf)
      if (bytes === 0 && !this.#byOwner.has(owner) && !this.#isOpening(owner)) this.#boundOf.delete(owner);
  }

  #sweepLater(): void {
    const { clock, idleMs } = this.#options;
    this.#stopSweeping = clock.after(Math.min(60_000, idleMs), () => {
      this.#sweep();
      this.#sweepLater();
    });
  }

  #isOpening(owner: string): boolean {
    return [...this.#opening.values()].includes(owner);
  }

  /** The bounds of what a session keeps together with others. */
  #boundsOf(owner: string): readonly EventBound[] {
    if (!this.#isOne(owner)) return [this.#bound];
    const { maxBytesPerOwner = 32 * 1024 * 1024 } = this.#options.events ?? {};
    const bound = this.#boundOf.get(owner) ?? new EventBound(Number.POSITIVE_INFINITY, maxBytesPerOwner);
    this.#boundOf.set(owner, bound);
    return [bound, this.#bound];
  }

  /** True for one owner among others; false for everybody if senders are not identified. */
  #isOne(owner: string): boolean {
    return owner !== '' || this.#options.tellsOwnersApart;
  }

  /** The number of requests without a response that count together with those of this session. */
  #underWayWith({ owner, callsUnderWay }: HttpSession): number {
    if (!this.#isOne(owner)) return callsUnderWay;
    let sum = 0;
    for (const each of this.#byOwner.get(owner) ?? []) sum += each.callsUnderWay;
    return sum;
  }

  #roomFor(owner: string): Room {
    const { max, maxPerOwner } = this.#options;
    const occupants: Occupant[] = [...this.#opening].map(([id, owner]) => ({ id, owner, usedAt: 0, use: 'calls' }));
    for (const [id, { owner, usedAt, isInUse, callsUnderWay }] of this.#sessions) {
      occupants.push({ id, owner, usedAt, use: callsUnderWay > 0 ? 'calls' : isInUse ? 'listens' : 'none' });
    }
    return roomFor(owner, occupants, { max, maxPerOwner: this.#isOne(owner) ? maxPerOwner : Number.POSITIVE_INFINITY });
  }

  async #end(id: string): Promise<void> {
    const session = this.#remove(id);
    if (!session) return;
    try {
      await session.close();
    } catch (error) {
      this.#options.onError?.(asError(error));
    }
  }
}
