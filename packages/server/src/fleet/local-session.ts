/**
 * A session as one replica serves it: a server from the factory that has received everything the client has told any replica,
 * and the calls of the session that run here. Created at the first request, and released when nothing uses it.
 */
import {
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type McpServer,
  type McpServerFactory,
  type MessageExtraInfo,
  type Server,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import { type Sender, withdrawn } from '../http/index.ts';
import { type EndAbandoned, enderOf, isReplayable, makeServer, shareCall } from '../request/index.ts';
import { type AskingMethod, SessionTransport } from '../sdk-seam/index.ts';
import { type CallKeys, callName, nameOfCall, questionId, type SessionKeys, STANDALONE } from './keys.ts';
import { type Member, sealAt } from './member.ts';
import { type Claim, RunningCall, toldNothing } from './running-call.ts';
import { appendStandalone, beginCall } from './scripts.ts';

/** The data of a session, wherever it is served. */
export interface SessionRecord {
  readonly id: string;
  readonly owner: string;
  /** The request that opened it. */
  readonly initialize: JSONRPCMessage;
}

/** The longest that a request of a plain tool may wait; it has its own timeout. */
const OTHER_ASK_MS = 60 * 60_000;
const INTERNAL = 'midcall-internal-';

export class LocalSession {
  readonly keys: SessionKeys;
  readonly record: SessionRecord;
  /** Calls that run here, by the id of their request. */
  readonly calls = new Map<unknown, RunningCall>();
  /** Streams of the client that are held here. */
  streams = 0;
  usedAt = 0;
  /** When other replicas were last told that it is in use. */
  notedAt = Number.NEGATIVE_INFINITY;
  /** How many entries of the session's log the server has received. */
  logged = 0;
  readonly #member: Member;
  readonly #server: McpServer | Server;
  readonly #transport: SessionTransport;
  readonly #answers = new Map<unknown, (message: JSONRPCMessage) => void>();
  #internal = 0;
  #outside: Promise<RunningCall | undefined> | undefined;

  private constructor(member: Member, keys: SessionKeys, record: SessionRecord, server: McpServer | Server) {
    this.#member = member;
    this.keys = keys;
    this.record = record;
    this.#server = server;
    this.#transport = new SessionTransport(record.id, (message, options) => this.#send(message, options));
    this.#transport.onerror = member.onError;
  }

  /**
   * Creates a server and initializes it for its client.
   * @returns the session, and the server's answer to `initialize`
   */
  static async open(
    member: Member,
    keys: SessionKeys,
    record: SessionRecord,
    factory: McpServerFactory,
    { auth, request }: Sender,
  ): Promise<{ readonly session: LocalSession; readonly initialized: JSONRPCMessage }> {
    const server = await makeServer(factory, {
      era: 'legacy',
      requestInfo: new Request(request.url, {
        method: 'POST',
        headers: request.headers,
        body: JSON.stringify(record.initialize),
      }),
      ...(auth && { authInfo: auth }),
    });
    const session = new LocalSession(member, keys, record, server);
    await server.connect(session.#transport);
    const initialized = await session.#internally(record.initialize, { request, ...(auth && { authInfo: auth }) });
    session.#transport.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return { session, initialized };
  }

  /** Gives the server what its client has told another replica. */
  async tell(entries: readonly JSONRPCMessage[]): Promise<void> {
    for (const entry of entries) {
      this.logged += 1;
      if (isJSONRPCRequest(entry)) await this.#internally(entry, {});
      else this.#transport.receive(entry);
    }
  }

  /** Returns what ends this server's calls that nobody waits for. */
  get ender(): EndAbandoned | undefined {
    return enderOf(this.#server);
  }

  /** Whether a request may be run again by another replica. */
  replayable(message: JSONRPCMessage): boolean {
    const { method, params } = message as { readonly method: string; readonly params?: { readonly name?: string } };
    if (!effects.has(method)) return true;
    return isReplayable(this.#server, method as AskingMethod, params ?? {});
  }

  /** Runs a call under a claim. */
  run(keys: CallKeys, claim: Claim, { auth, request }: Sender): void {
    const { message } = claim.body;
    const { id } = message as { readonly id: unknown };
    const call = this.#call(keys, claim, {
      cancelled: () => this.#cancel(id, call),
      lost: () => this.#forget(id, call),
      gone: () => {
        this.#transport.receive(takenBack(id));
        this.#forget(id, call);
      },
    });
    this.calls.set(id, call);
    const unshare = shareCall(this.#server, id, call);
    this.#unshare.set(call, unshare);
    this.#transport.receive(message, { request, ...(auth && { authInfo: auth }) });
  }

  /** Releases calls that only wait for the client. */
  async release(): Promise<void> {
    await Promise.all([...this.calls.values()].filter(call => call.waiting).map(call => call.release()));
  }

  async close(): Promise<void> {
    for (const call of [...this.calls.values()]) call.leave();
    void this.#outside?.then(call => call?.lose());
    await this.#server.close();
  }

  readonly #unshare = new WeakMap<RunningCall, () => void>();

  #call(keys: CallKeys, claim: Claim, events: ConstructorParameters<typeof RunningCall>[4]): RunningCall {
    return new RunningCall(this.#member, this.keys, keys, claim, events);
  }

  #forget(id: unknown, call: RunningCall): void {
    if (this.calls.get(id) === call) this.calls.delete(id);
    this.#unshare.get(call)?.();
  }

  /** The client cancelled the request: the server is told, and the stream ends after its last message. */
  #cancel(id: unknown, call: RunningCall): void {
    this.#transport.receive(takenBack(id));
    setImmediate(() => {
      void call.append({ jsonrpc: '2.0', id: id as string, error: withdrawn }, true).catch(this.#member.onError);
      this.#forget(id, call);
    });
  }

  /** Makes the server answer one of this replica's own requests. */
  #internally(message: JSONRPCMessage, extra: MessageExtraInfo): Promise<JSONRPCMessage> {
    this.#internal += 1;
    const id = `${INTERNAL}${this.#internal}`;
    return new Promise(resolve => {
      this.#answers.set(id, resolve);
      this.#transport.receive({ ...message, id } as JSONRPCMessage, extra);
    });
  }

  async #send(message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void> {
    if (isJSONRPCResponse(message)) {
      const internal = this.#answers.get(message.id);
      if (internal) {
        this.#answers.delete(message.id);
        return internal(message);
      }
      const call = this.calls.get(message.id);
      if (!call) return;
      // A replica that stops waits for its calls: this one is over when others can read its result.
      return call.append(message, true).finally(() => this.#forget(message.id, call));
    }
    const related = options?.relatedRequestId;
    const call = related === undefined ? undefined : this.calls.get(related);
    if (isJSONRPCRequest(message)) return this.#ask(message, call);
    if (call) return call.append(named(message, call.questions));
    if (related === undefined) await this.#sendStandalone(message);
  }

  /** A request that the SDK numbered, such as one of a plain tool: its answer is returned under that number. */
  async #ask(
    message: Extract<JSONRPCMessage, { id: unknown; method: string }>,
    of: RunningCall | undefined,
  ): Promise<void> {
    if (!of) this.#outside ??= this.#openOutside();
    const call = of ?? (await this.#outside);
    if (!call) throw new Error('This session has ended.');
    const ask = `n${call.count}-${this.#member.id().slice(0, 8)}-${message.id}`;
    const events = of ? undefined : this.#member.keys.call(this.keys, STANDALONE).events;
    const id = questionId(call.callName, ask);
    call.questions.set(message.id, id);
    const asked = await call.putAs(ask, { ...message, id }, OTHER_ASK_MS, events);
    if (!of) await this.#wakeStandalone();
    const done = (): void => void call.questions.delete(message.id);
    asked.answer.then(({ response }) => {
      done();
      this.#transport.receive({ jsonrpc: '2.0', id: message.id, ...response } as JSONRPCMessage);
    }, done);
  }

  /** The record for requests that belong to no call. */
  async #openOutside(): Promise<RunningCall | undefined> {
    const { commands, keys, replica, limits } = this.#member;
    const call = keys.call(this.keys, `~${callName(replica.id)}`);
    const reply = (await commands.run(
      beginCall,
      ...[this.keys.session, this.keys.calls, call.call, call.events],
      ...[replica.id, call.name, '', limits.callMs, limits.maxCalls + 1_000, 0],
    )) as readonly string[];
    if (reply[0] !== 'begun' && reply[0] !== 'exists') return undefined;
    const body = { message: { jsonrpc: '2.0', method: 'none' }, flow: '' } as const;
    const claim = { body, count: Number(reply[2] ?? 1), fields: new Map() };
    return this.#call(call, claim, toldNothing);
  }

  async #sendStandalone(message: JSONRPCMessage): Promise<void> {
    const { commands, keys, limits } = this.#member;
    const { events } = keys.call(this.keys, STANDALONE);
    const sealed = sealAt(this.#member, events, message);
    const reply = await commands.run(
      appendStandalone,
      this.keys.session,
      events,
      sealed,
      limits.idleMs,
      limits.maxEvents,
    );
    await this.#wakeListener(String((reply as readonly string[])[1] ?? ''));
  }

  async #wakeStandalone(): Promise<void> {
    await this.#wakeListener(String((await this.#member.commands.send('HGET', this.keys.session, 'l')) ?? ''));
  }

  async #wakeListener(listener: string): Promise<void> {
    const call = this.#member.keys.call(this.keys, STANDALONE);
    await this.#member.replica.wakeListener(listener, nameOfCall(this.keys, call));
  }
}

/** Requests that may have effects, and are run again only if they are known to support it. */
const effects: ReadonlySet<string> = new Set(['tools/call', 'prompts/get']);

const takenBack = (requestId: unknown): JSONRPCMessage =>
  ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }) as JSONRPCMessage;

/** A cancellation under the id that the client knows. */
function named(message: JSONRPCMessage, questions: RunningCall['questions']): JSONRPCMessage {
  const { method, params } = message as {
    readonly method?: string;
    readonly params?: { readonly requestId?: unknown };
  };
  const ask = method === 'notifications/cancelled' ? questions.get(params?.requestId) : undefined;
  return ask === undefined ? message : ({ ...message, params: { ...params, requestId: ask } } as JSONRPCMessage);
}
