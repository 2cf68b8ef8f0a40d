/**
 * Sessions of the 2025-11-25 revision that any replica of a fleet serves. A session is a record in Redis, and so is each of its
 * calls; a replica that takes a request creates a server for its session and runs the call under a claim.
 *
 * - fleet-sessions-F1 A client may send each message to any replica.
 * - fleet-sessions-F2 A call whose replica is dead, or has released it, is taken over by the replica that its client reconnects
 *   to: its handler is run from the journal. If it is not one of our handlers, the call ends with an error that says so.
 * - fleet-sessions-F3 A call that no client comes back for ends and is recorded, with any step in doubt.
 * - fleet-sessions-F4 A session belongs to whoever opened it; to anybody else it does not exist (404).
 */
import { findOut, isMidcallError } from '@midcall/core/errors';
import { pause, steadyNow } from '@midcall/core/time';
import {
  DEFAULT_NEGOTIATED_PROTOCOL_VERSION,
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type McpServerFactory,
  parseJSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { primesStreams } from '../base/index.ts';
import {
  batchRefusal,
  type FleetRequest,
  noSession,
  type Refusal,
  sameId,
  sessionGone,
  tooMany,
} from '../http/index.ts';
import { ClientMessages } from './client-messages.ts';
import type { ClientStream } from './client-stream.ts';
import { ClientStreams } from './client-streams.ts';
import type { Reply } from './commands.ts';
import { callName, nameOfCall, readEventId, type SessionKeys, STANDALONE } from './keys.ts';
import type { LocalSession, SessionRecord } from './local-session.ts';
import { LocalSessions } from './local-sessions.ts';
import { type Member, openAt, persist, sealAt } from './member.ts';
import type { CallBody } from './running-call.ts';
import { beginCall } from './scripts.ts';
import { SessionDirectory } from './session-directory.ts';
import { Takeovers } from './takeovers.ts';

export interface FleetSessionsOptions {
  readonly factory: McpServerFactory;
  readonly member: Member;
  /** The maximum number of sessions, of all owners. */
  readonly max: number;
  readonly maxPerOwner: number;
  /** Throws if this replica may not serve. */
  readonly ready: () => Promise<void>;
}

/** A request of a known session. */
interface Within {
  readonly keys: SessionKeys;
  readonly record: SessionRecord;
  readonly entries: readonly string[];
  readonly request: FleetRequest;
}

/** Turns between two checks of everything that is open, whether somebody woke us or not. */
const LOOK_EVERY = 15;
/** Milliseconds between two notes that a session is in use. */
const NOTE_USE_MS = 30_000;
/** How long an answer is held if Redis is unavailable, in milliseconds: a client sends it only once. */
const HOLD_ANSWER_MS = 30_000;
/** Milliseconds between two checks whether a draining replica has ended its calls. */
const DRAIN_LOOK_MS = 20;

export class FleetSessions {
  readonly #member: Member;
  readonly #ready: () => Promise<void>;
  readonly #sessions: LocalSessions;
  readonly #directory: SessionDirectory;
  readonly #takeovers: Takeovers;
  readonly #messages: ClientMessages;
  readonly #streams: ClientStreams;
  #state: 'open' | 'draining' | 'closed' = 'open';

  constructor({ factory, member, max, maxPerOwner, ready }: FleetSessionsOptions) {
    this.#member = member;
    this.#ready = ready;
    this.#sessions = new LocalSessions(member, factory);
    this.#directory = new SessionDirectory({ member, max, maxPerOwner });
    const isOpen = (): boolean => this.#state === 'open';
    this.#takeovers = new Takeovers({ member, sessions: this.#sessions, directory: this.#directory, isOpen });
    this.#streams = new ClientStreams(member, this.#takeovers);
    this.#messages = new ClientMessages(member, this.#sessions, this.#takeovers);
    member.replica.start({
      turn: count => this.#turn(count),
      dead: replicas => void this.#takeovers.endThoseOf(replicas).catch(member.onError),
    });
  }

  /** The sessions that this replica serves now. */
  get size(): number {
    return this.#sessions.size;
  }

  /** Serves a request within its session, opening one for `initialize`. */
  async serve(request: FleetRequest): Promise<Response | Refusal> {
    if (this.#state === 'closed') return draining;
    try {
      await this.#ready();
    } catch (error) {
      if (!isMidcallError(error, 'store/unavailable') || !saysOnly(request.body)) {
        this.#member.onError(error);
        return away;
      }
    }
    const until = steadyNow(this.#member.clock) + (saysOnly(request.body) ? HOLD_ANSWER_MS : 0);
    try {
      return await persist(
        this.#member,
        () => this.#serve(request),
        () => steadyNow(this.#member.clock) < until && this.#state !== 'closed',
      );
    } catch (error) {
      if (!isMidcallError(error, 'store/unavailable')) throw error;
      this.#member.onError(error);
      return away;
    }
  }

  /** Takes no new calls. */
  begin(): void {
    if (this.#state === 'open') this.#state = 'draining';
  }

  /** Releases the calls that wait for a client. Resolves when nothing runs here any more, and clients are told to reconnect. */
  async idle(): Promise<void> {
    const { clock } = this.#member;
    while (this.#state !== 'closed' && !(await this.#sessions.release())) {
      await pause(DRAIN_LOOK_MS, clock);
    }
    await this.#streams.handOn();
  }

  /** Ends the streams with a hint when to reconnect: another replica continues their calls. */
  end(): void {
    void this.#streams.handOn();
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#streams.close();
    await this.#sessions.close();
    await this.#member.replica.close().catch(() => {});
  }

  async #serve(request: FleetRequest): Promise<Response | Refusal> {
    const { method, headers } = request.request;
    const id = headers.get('mcp-session-id');
    if (id === null) {
      if (isInitializeRequest(request.body)) return this.#open(request);
      return noSession;
    }
    const keys = this.#member.keys.session(id);
    const local = await this.#sessions.get(keys.name);
    const session = await this.#directory.find(keys, local?.logged ?? 0);
    if (!session || session.record.id !== id || session.record.owner !== request.owner) {
      // Some clients send the id of the session that has just ended along with the initialize that follows.
      return isInitializeRequest(request.body) ? this.#open(request) : sessionGone;
    }
    const version = headers.get('mcp-protocol-version');
    if (version !== null && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
      return { status: 400, code: -32000, message: 'MCP-Protocol-Version names a revision that has no sessions.' };
    }
    const within: Within = { keys, ...session, request };
    if (method === 'DELETE') return this.#end(within);
    const now = steadyNow(this.#member.clock);
    if (!local || now - local.notedAt > NOTE_USE_MS) {
      if (local) local.notedAt = now;
      await this.#directory.used(keys, session.record);
    }
    return method === 'GET' ? this.#listen(within) : this.#post(within);
  }

  async #open(request: FleetRequest): Promise<Response | Refusal> {
    if (this.#state !== 'open') return draining;
    const { owner, body } = request;
    const id = this.#member.id();
    const keys = this.#member.keys.session(id);
    const full = await this.#directory.room(keys, owner);
    if (full) return full;
    const record: SessionRecord = { id, owner, initialize: body as JSONRPCMessage };
    let isOpen = false;
    try {
      const answer = { ...(await this.#sessions.open(keys, record, request)), id: (body as JSONRPCRequest).id };
      if ('error' in answer) return Response.json(answer);
      await this.#directory.open(keys, record);
      isOpen = true;
      return Response.json(answer, { headers: { 'mcp-session-id': id } });
    } finally {
      if (!isOpen) this.#directory.notOpened(keys, owner);
    }
  }

  async #end({ keys, record }: Within): Promise<Response> {
    await this.#directory.end(keys, record);
    await this.#sessions.forget(keys.name);
    return new Response(null, { status: 200 });
  }

  async #listen(within: Within): Promise<Response | Refusal> {
    const { keys, record, entries, request } = within;
    const { headers } = request.request;
    if (!headers.get('accept')?.includes('text/event-stream')) return notAcceptable('text/event-stream');
    if (this.#state !== 'open') return draining;
    const last = headers.get('last-event-id');
    const from = last === null ? undefined : readEventId(last);
    if (last !== null && !from) {
      return { status: 400, code: -32000, message: 'Last-Event-ID names no event of this session.' };
    }
    const call = this.#member.keys.call(keys, from?.stream ?? STANDALONE);
    // The author may notify this server of changes while its client listens.
    const session = call.name === STANDALONE ? await this.#sessions.here(keys, record, entries, request) : undefined;
    const stream = this.#streams.open({ keys, record, sender: request }, session);
    const primes = from !== undefined && primesStreams(versionOf(headers));
    const refused = await stream.add(call, from?.entry ?? (await this.#streams.newest(call)), primes);
    if (!refused) return stream.response(record.id);
    stream.close();
    const next = call.name === STANDALONE ? 'Listen again without Last-Event-ID.' : findOut;
    return { status: 400, code: -32000, message: `What followed this event is not kept any more. ${next}` };
  }

  async #post(within: Within): Promise<Response | Refusal> {
    const { keys, record, entries, request } = within;
    const { headers } = request.request;
    const accept = headers.get('accept') ?? '';
    if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
      return notAcceptable('application/json and text/event-stream');
    }
    const version = versionOf(headers);
    const refusal = batchRefusal(request.body, version);
    if (refusal) return refusal;
    const messages = messagesIn(request.body);
    if (!messages) return { status: 400, code: -32700, message: 'Parse error: this is not a JSON-RPC message.' };
    const requests = messages.filter(isJSONRPCRequest);
    if (requests.some(isInitializeRequest)) {
      return { status: 400, code: -32600, message: 'This session is open. Send initialize without Mcp-Session-Id.' };
    }
    if (new Set(requests.map(({ id }) => id)).size < requests.length) return sameId;
    if (requests.length > 0 && this.#state !== 'open') return draining;
    for (const message of messages) {
      if (isJSONRPCResponse(message)) await this.#messages.answer(keys, message);
      else if (isJSONRPCNotification(message)) await this.#messages.notification(keys, message);
    }
    if (requests.length === 0) return new Response(null, { status: 202 });
    const session = await this.#sessions.here(keys, record, entries, request);
    const stream = this.#streams.open({ keys, record, sender: request });
    let isAnyBegun = false;
    for (const message of requests) {
      const beginning = this.#begin(within, session, message, primesStreams(version), stream);
      const refused = await (isAnyBegun ? beginning.catch(error => this.#inDoubt(error)) : beginning);
      if (refused) {
        stream.close();
        return isAnyBegun && refused !== awayAfterwards ? partlyBegun : refused;
      }
      isAnyBegun = true;
    }
    return stream.response(record.id);
  }

  async #begin(
    { keys, record, request: sender }: Within,
    session: LocalSession,
    message: JSONRPCRequest,
    primes: boolean,
    stream: ClientStream,
  ): Promise<Refusal | undefined> {
    const { commands, keys: names, limits, replica, id } = this.#member;
    await this.#messages.note(keys, message);
    const call = names.call(keys, callName(message.id));
    const body: CallBody = { message, flow: id() };
    await replica.hold(nameOfCall(keys, call));
    const sealed = sealAt(this.#member, call.call, body);
    let reply: Reply;
    try {
      reply = await commands.run(
        beginCall,
        ...[keys.session, keys.calls, call.call, call.events],
        ...[replica.id, call.name, sealed, limits.callMs, limits.maxCalls, primes ? 1 : 0],
      );
      if ((reply as readonly string[])[0] === 'begun') await stream.add(call, '');
    } catch (error) {
      // It may still be executed, and then nobody would run the call.
      this.#takeovers.undoBegin(keys, call, stream.listener);
      throw error;
    }
    const [status, holder = '', count = '', text] = reply as readonly string[];
    if (status !== 'begun' && status !== 'exists') {
      replica.letGo(nameOfCall(keys, call));
      return status === 'full' ? tooMany : sessionGone;
    }
    if (status === 'exists') {
      // A load balancer sends the same request again if its replica died before the response began.
      const begun = openAt<CallBody>(this.#member, call.call, text);
      if (JSON.stringify(begun?.message) !== JSON.stringify(message)) return sameId;
      if (session.calls.has(message.id)) return sameId;
      const follow = async (): Promise<Refusal | undefined> => {
        if (holder === replica.id)
          await this.#takeovers.take({ keys, record, standing: { call, holder, count }, sender });
        return (await stream.add(call, '')) ? sessionGone : undefined;
      };
      return follow().catch(error => this.#inDoubt(error));
    }
    session.run(call, { body, count: 1, fields: new Map() }, sender);
    return undefined;
  }

  /** What a client is told if Redis cannot be used once a request has been begun, here or by another replica. */
  #inDoubt(error: unknown): Refusal {
    if (!isMidcallError(error, 'store/unavailable')) throw error;
    this.#member.onError(error);
    return awayAfterwards;
  }

  #turn(count: number): void {
    this.#streams.takeOver();
    if (count % LOOK_EVERY !== 0) return;
    this.#streams.look();
    void this.#sessions.sweep(this.#directory).catch(this.#member.onError);
  }
}

const versionOf = (headers: Headers): string =>
  headers.get('mcp-protocol-version') ?? DEFAULT_NEGOTIATED_PROTOCOL_VERSION;

/** Whether a body contains only answers and notifications, which are safe to take twice. */
const saysOnly = (body: unknown): boolean =>
  body !== undefined && (messagesIn(body)?.every(message => !isJSONRPCRequest(message)) ?? false);

function messagesIn(body: unknown): readonly JSONRPCMessage[] | undefined {
  try {
    return [body].flat().map(each => parseJSONRPCMessage(each));
  } catch {
    return undefined;
  }
}

// What clients are told if their requests are not served.

const draining: Refusal = {
  status: 503,
  code: -32000,
  message: 'This replica is closing. Send the request again, to another.',
  retryAfter: 1,
};
const away: Refusal = {
  status: 503,
  code: -32000,
  message:
    'The store of this server cannot be used now. This replica has begun nothing. If the request was sent before, find out what ' +
    'took effect; otherwise send it again later.',
  retryAfter: 2,
};
const awayAfterwards: Refusal = {
  status: 503,
  code: -32000,
  message:
    'The store of this server cannot be used now, and this was begun before. What it did is in doubt: find out what took effect ' +
    'before sending it again.',
  retryAfter: 2,
};
/** No status of a refusal that clients answer by sending the batch again. */
const partlyBegun: Refusal = {
  status: 500,
  code: -32000,
  message: `A request of this batch was refused, and those before it had begun. ${findOut}`,
};
const notAcceptable = (types: string): Refusal => ({
  status: 406,
  code: -32000,
  message: `Accept must have ${types}.`,
});
