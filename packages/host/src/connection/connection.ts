/**
 * One server of a host: starts or reaches it, lists its tools, runs its calls with a person to answer, and restarts it after a
 * crash. A server's standard error is never mixed with ours; its last lines are kept.
 */
import { randomUUID } from 'node:crypto';
import { MidcallError } from '@midcall/core/errors';
import { defined } from '@midcall/core/json';
import { endedWhenProbed } from '@midcall/core/sdk-seam';
import { connectInTime, endlessProbe, systemClock } from '@midcall/core/time';
import { Client, LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client';
import {
  type AttachEvent,
  type Attachment,
  attach,
  type CallRequest,
  outputValidator,
  type ServerIntroduction,
} from '../attach/index.ts';
import { type AskSignIn, Authorizer, type AuthorizerOptions } from '../authorization/index.ts';
import { type Era, eraOf, Listeners, logsOnRequest, negotiationOf, unprobed } from '../base/index.ts';
import type { CallOutcome, RunOptions } from '../calls/index.ts';
import type { SamplingAccount } from '../sampling/index.ts';
import { type ForwardedAnswer, type ForwardedRequest, type ForwardOptions, mendLists } from '../sdk-seam/index.ts';
import { originOf, type ServerEntry, type ServerTarget, taskServerOf } from '../servers/index.ts';
import { type Catalogue, listProblem, readCatalogue } from './catalogue.ts';
import { attachOptionsOf, type ConnectionOptions, checkConnection } from './connection-options.ts';
import { terminate } from './terminate.ts';
import { openTransport, type PausableTransport, patientFetch } from './transport.ts';
import { failedToAnswer, LastWords } from './unreached.ts';
import { WireWatch } from './wire-watch.ts';

/** `stopped`: not started, or stopped by us; `failed`: could not start, or ended unexpectedly. */
export type ConnectionState = 'stopped' | 'starting' | 'ready' | 'failed';

/** What happened to a connection. */
export type ConnectionEvent =
  | AttachEvent
  | { readonly type: 'state'; readonly state: ConnectionState; readonly problem?: string }
  | { readonly type: 'stderr'; readonly line: string }
  /** The server had lost its session, as after a restart, and a new one was opened. */
  | { readonly type: 'session-renewed' }
  | { readonly type: 'catalogue-changed'; readonly list: 'tools' | 'prompts' | 'resources' };

/** What the caller of a running call waits for. */
type RunningHere = Pick<RunOptions, 'onTask'> & { readonly onEnd: (outcome: CallOutcome) => void };

/** How many times a start asks the person to sign in: once, and once more if the server then wants more scopes. */
const MOST_SIGN_INS = 2;

/** How many milliseconds a server may be silent before the person is told. */
const SILENT_MS = 10_000;

/** A call that was started. */
export interface CallHandle {
  readonly id: string;
  /** Never rejects. */
  readonly outcome: Promise<CallOutcome>;
  /** Stops it; its open questions are withdrawn. */
  cancel(): void;
}

/** What a server says about itself; everything but `era` is untrusted. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly instructions?: string;
  readonly era: Era;
  readonly protocolVersion: string;
  /** True if it completes the arguments of prompts and resource templates. */
  readonly completes?: true;
}

/**
 * Reads it.
 * @param id - the name to use if the server gives none
 * @returns undefined until the server is connected
 */
function serverInfoOf(client: Client, attachment: Attachment, id: string): ServerInfo | undefined {
  const protocolVersion = client.getNegotiatedProtocolVersion();
  if (protocolVersion === undefined) return undefined;
  const info = client.getServerVersion();
  return {
    name: info?.name ?? id,
    version: info?.version ?? '',
    ...defined({ title: info?.title, instructions: client.getInstructions() }),
    era: attachment.asker().era,
    protocolVersion,
    ...(client.getServerCapabilities()?.completions && { completes: true }),
  };
}

/**
 * One server and its calls.
 * @example
 * ```ts
 * const target = urlTarget('https://notes.example.com/mcp');
 * const connection = new Connection({ id: 'notes', target }, { client: about, inbox });
 * await connection.start();
 * const outcome = await connection.run({ kind: 'tool', name: 'notes_list', arguments: {} }).outcome;
 * ```
 */
export class Connection {
  readonly entry: ServerEntry;
  /** The messages in both directions, for views that show them. */
  readonly wire = new WireWatch();
  readonly origin: string;
  readonly #options: ConnectionOptions;
  readonly #listeners = new Listeners<ConnectionEvent>();
  #state: ConnectionState = 'stopped';
  #problem: string | undefined;
  #client: Client | undefined;
  #attachment: Attachment | undefined;
  #transport: PausableTransport | undefined;
  #isPaused = false;
  /** The calls that {@link run} has started, by their ids. */
  readonly #running = new Map<string, RunningHere>();
  #stopping: Promise<void> = Promise.resolve();
  /** The process of a server that is being stopped. */
  #pid: number | undefined;
  readonly #lastWords: LastWords;
  readonly #authorizer: Authorizer | undefined;
  /** Cancels the sign-in that a start waits for. */
  #calledOff: AbortController | undefined;

  /** @throws TypeError for an entry or an option that is missing, unknown or wrong */
  constructor(entry: ServerEntry, options: ConnectionOptions) {
    checkConnection(entry, options);
    this.entry = entry;
    this.origin = originOf(entry.target);
    this.#lastWords = new LastWords(entry);
    this.#options = options;
    this.#authorizer = authorizerOf(entry.target, options, () =>
      this.#state === 'ready' ? this.#attachment?.askSignIn : undefined,
    );
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Why it failed, in plain words; undefined if it did not. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** What the server says about itself; undefined until it is ready. */
  get server(): ServerInfo | undefined {
    const [client, attachment] = [this.#client, this.#attachment];
    return client && attachment && this.#state === 'ready'
      ? serverInfoOf(client, attachment, this.entry.id)
      : undefined;
  }

  /** The SDK client, for requests other than calls; undefined until the connection is ready. */
  get client(): Client | undefined {
    return this.#state === 'ready' ? this.#client : undefined;
  }

  /** The last lines of the server's standard error, oldest first; untrusted. */
  get stderr(): readonly string[] {
    return this.#lastWords.lines;
  }

  /** Why the server had to be cut off, in words of our own: a message was too large; undefined if it was not. */
  get cutOff(): string | undefined {
    return this.#lastWords.tooLarge;
  }

  /** What the server has spent on the person's models since it was started; undefined if it is not running or has no models. */
  get account(): SamplingAccount | undefined {
    return this.#attachment?.account();
  }

  /**
   * Starts or reaches the server. Does nothing if it is ready or starting.
   * @throws MidcallError `host/not-found`: could not be started or reached; the connection is `failed` then
   */
  async start(): Promise<void> {
    if (this.#state === 'ready' || this.#state === 'starting') return;
    this.#become('starting');
    const mode = negotiationOf(this.#options.era ?? 'auto');
    let [client, failed] = await this.#connect(mode);
    const isProbeLost = endedWhenProbed(String((failed as Error | undefined)?.message)) || failedToAnswer(failed);
    if (failed && this.#client === client && mode === 'auto' && isProbeLost)
      [client, failed] = await this.#connect(unprobed);
    for (let tried = 0; failed && this.#client === client && tried < MOST_SIGN_INS; tried += 1) {
      const signIn = await this.#signIn();
      if (signIn === 'not-needed') break;
      [client, failed] = signIn === 'signed-in' ? await this.#connect(mode) : [client, signIn.failed];
    }
    if (failed) {
      const why = this.#lastWords.whyNot(failed);
      if (this.#client === client) this.#become('failed', why);
      throw new MidcallError('host/not-found', why, { cause: failed });
    }
    const onClose = (): void => {
      if (this.#client === client && this.#state !== 'stopped')
        this.#become('failed', this.#lastWords.appendTo('The server has stopped.'));
    };
    client.onclose = onClose;
    if (!client.transport) {
      onClose();
      throw new MidcallError(
        'host/not-found',
        this.#lastWords.appendTo(`The server '${this.entry.id}' stopped at once.`),
      );
    }
    this.#become('ready');
  }

  /**
   * Stops the server, also while it starts; running calls and open questions end as `server-gone`. Resolves when it has ended.
   * @param options - `keepQuestions`: with a store, questions of 2026-07-28 stay open for {@link resume} in another process;
   *   `atOnce`: does not wait for a server process to exit by itself
   */
  async stop(options: { readonly keepQuestions?: boolean; readonly atOnce?: boolean } = {}): Promise<void> {
    const attachment = this.#attachment;
    if (options.keepQuestions) await attachment?.keepQuestions();
    // What a server reports about its tasks while it is being stopped is not their outcome.
    const left = attachment?.leaveTasks();
    this.#calledOff?.abort({ how: 'server-gone' });
    const [client, transport, before] = [this.#client, this.#transport, this.#stopping];
    this.#client = undefined;
    this.#attachment = undefined;
    this.#transport = undefined;
    transport?.resume();
    this.#become('stopped');
    const pid = transport && 'pid' in transport ? transport.pid : undefined;
    if (typeof pid === 'number') this.#pid = pid;
    if (options.atOnce && this.#pid !== undefined) terminate(this.#pid);
    const stopped = async (): Promise<void> => {
      await before;
      await client?.close();
      // A client that is still negotiating the revision does not close the transport it uses for that.
      await transport?.close();
      await left;
      this.#pid = undefined;
    };
    this.#stopping = stopped();
    await this.#stopping;
  }

  /**
   * Resumes the calls that an earlier process or start left waiting or as tasks. Call after `Inbox.restore` and {@link start}.
   * @param callId - only this one; all if absent
   * @returns the calls' ids
   */
  async resume(callId?: string): Promise<readonly string[]> {
    return this.#ready().attachment.resume(callId);
  }

  /** Stops and starts; after a crash, or to try again. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /**
   * Everything the server offers. A list that cannot be read does not affect the others, and is named in `problems`.
   * @throws MidcallError `host/server-gone` if it is not ready
   */
  async catalogue(): Promise<Catalogue> {
    return readCatalogue(this.#ready().client, (list, error) => this.#lastWords.tooLarge ?? listProblem(list, error));
  }

  /** The options that it was made with. */
  get options(): ConnectionOptions {
    return this.#options;
  }

  /** Resolves when the rounds and tasks received so far are stored; see {@link Attachment.settled}. */
  async settled(): Promise<void> {
    await this.#attachment?.settled();
  }

  /**
   * Starts a call. Its questions go to the inbox; subscribers are told of its progress and end.
   * @param options - `id`: chosen by the caller, unique in the host; random if absent; `logs`: true to ask the server for the log
   *   messages of the call, on a revision where they have to be asked for; {@link wire} then has them
   * @throws MidcallError `host/server-gone` if the server is not ready
   */
  run(request: CallRequest, options: RunOptions & { readonly id?: string; readonly logs?: boolean } = {}): CallHandle {
    const { attachment, client } = this.#ready();
    const sent = options.logs
      ? askingForLogs(request, client.getNegotiatedProtocolVersion(), this.introduction)
      : request;
    const id = options.id ?? (this.#options.newId ?? randomUUID)();
    const timeoutMs = options.timeoutMs ?? this.#options.callTimeoutMs;
    const outcome = new Promise<CallOutcome>(onEnd => this.#running.set(id, { ...options, onEnd }));
    const how = { ...options, id, ...(timeoutMs !== undefined && { timeoutMs }) };
    attachment.run(sent, how).catch(() => {});
    return { id, outcome, cancel: () => void attachment.cancel(id) };
  }

  /**
   * Forwards another party's request; see {@link Attachment.forward}.
   * @throws MidcallError `host/cancelled` if the signal fires, `host/server-gone` if the server is not ready or cannot be reached
   */
  async forward(request: ForwardedRequest, options: ForwardOptions = {}): Promise<ForwardedAnswer> {
    return this.#ready().attachment.forward(request, options);
  }

  /** Forwards another party's notification. @throws MidcallError `host/server-gone` */
  async forwardNotification(notification: ForwardedRequest): Promise<void> {
    await this.#ready().attachment.forwardNotification(notification);
  }

  /** The parameters of an open form as the server sent them; see {@link Attachment.received}. */
  received(questionId: string): Readonly<Record<string, unknown>> | undefined {
    return this.#attachment?.received(questionId);
  }

  /** Adds members to the answer of an open form or page; see {@link Attachment.alsoAnswer}. */
  alsoAnswer(questionId: string, members: Readonly<Record<string, unknown>>): void {
    this.#attachment?.alsoAnswer(questionId, members);
  }

  /** Stops reading from the server until {@link resumeReading}, so that it waits; for backpressure when forwarding its messages. */
  pauseReading(): void {
    this.#isPaused = true;
    this.#transport?.pause();
  }

  resumeReading(): void {
    this.#isPaused = false;
    this.#transport?.resume();
  }

  /** How the server introduced itself, unchanged; undefined until it is ready. */
  get introduction(): ServerIntroduction | undefined {
    return this.#state === 'ready' ? this.#attachment?.introduction() : undefined;
  }

  /** True if a person has signed in to this server with the host, and can sign out. */
  async isSignedIn(): Promise<boolean> {
    return (await this.#authorizer?.isSignedIn()) ?? false;
  }

  /**
   * Forgets the sign-in to this server: at once here, within seconds in other processes that share the vault, and for good if
   * its authorization server revokes tokens (RFC 7009). The next request asks the person to sign in.
   * @returns false if the authorization server could not be told; its tokens then expire by themselves
   * @throws MidcallError `host/refused` if the vault cannot be written
   */
  async signOut(): Promise<boolean> {
    return (await this.#authorizer?.signOut()) ?? true;
  }

  /** Stops a running call; its open questions are withdrawn. @returns false if no call has this id */
  cancel(callId: string): boolean {
    return this.#attachment?.cancel(callId) ?? false;
  }

  /** Calls `listener` for every event from now on. @returns ends the subscription */
  subscribe(listener: (event: ConnectionEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Signs in if that is what was missing. */
  async #signIn(): Promise<'not-needed' | 'signed-in' | { readonly failed: unknown }> {
    const [authorizer, attachment] = [this.#authorizer, this.#attachment];
    if (!authorizer?.needed || !attachment) return 'not-needed';
    const calledOff = new AbortController();
    this.#calledOff = calledOff;
    const ask: AskSignIn = (request, over) => attachment.askSignIn(request, AbortSignal.any([over, calledOff.signal]));
    try {
      await authorizer.signIn(authorizer.needed, ask);
      return 'signed-in';
    } catch (failed) {
      return { failed };
    }
  }

  /** @returns the client, and why it could not connect */
  async #connect(mode: ReturnType<typeof negotiationOf>): Promise<[client: Client, failed?: unknown]> {
    const { startTimeoutMs = START_MS, clock = systemClock } = this.#options;
    const client = clientOf(this.#options, mode, list => this.#tell({ type: 'catalogue-changed', list }));
    const attachment = attach(client, { ...attachOptionsOf(this.#options), clock, server: taskServerOf(this.entry) });
    attachment.subscribe(event => this.#told(this.#lastWords.addTo(event)));
    this.#client = client;
    this.#attachment = attachment;
    const { onSilent } = this.#options;
    const callOff = onSilent && clock.after(SILENT_MS, () => onSilent(this.#lastWords.silentFor(SILENT_MS)));
    try {
      const transport = this.#open(client);
      this.#transport = transport;
      const connect = () => client.connect(transport, { timeout: startTimeoutMs });
      const after = (ms: number, fn: () => void) => clock.after(ms, fn);
      if (typeof mode === 'object')
        await connectInTime({ connect, giveUp: () => transport.close(), timeoutMs: startTimeoutMs, after });
      else await connect();
      if (this.#isPaused) transport.pause();
      return [client];
    } catch (failed) {
      // What a server wrote before it died can be read one turn after its exit is known.
      await new Promise(setImmediate);
      await client.close().catch(() => {});
      return [client, failed];
    } finally {
      callOff?.();
    }
  }

  #ready(): { readonly client: Client; readonly attachment: Attachment } {
    if (this.#state !== 'ready' || !this.#client || !this.#attachment)
      throw new MidcallError('host/server-gone', `The server '${this.entry.id}' is not running. Start it again.`);
    return { client: this.#client, attachment: this.#attachment };
  }

  #become(state: ConnectionState, problem?: string): void {
    this.#state = state;
    this.#problem = problem;
    this.#tell({ type: 'state', state, ...(problem !== undefined && { problem }) });
  }

  #told(event: AttachEvent): void {
    const running = 'call' in event && event.call ? this.#running.get(event.call.id) : undefined;
    if (event.type === 'call-ended') this.#running.delete(event.call.id);
    this.#tell(event);
    if (event.type === 'call-ended') running?.onEnd(event.outcome);
    if (event.type === 'call-task') running?.onTask?.(event.task);
  }

  #tell(event: ConnectionEvent): void {
    this.#listeners.tell(event);
  }

  #open(client: Client): PausableTransport {
    this.#lastWords.begin();
    const { maxMessageBytes, started, clock } = this.#options;
    const fetch = this.#authorizer?.fetch ?? this.#options.fetch;
    const leftOut = (line: string): void => this.#tell({ type: 'stderr', line: `midcall: ${line}` });
    const listeners = {
      onStderr: (line: string) => this.#tell({ type: 'stderr', line: this.#lastWords.heard(line) }),
      onStray: (line: string) => {
        // Later, such a line may be a part of somebody's result.
        if (this.#state === 'starting') this.#lastWords.strayed(line);
      },
      onTooLarge: (mostBytes: number) => {
        if (this.#client !== client) return;
        this.#lastWords.tooMuch(mostBytes);
        void client.close().catch(() => {});
      },
      onSessionRenewed: () => {
        if (this.#client !== client) return;
        leftOut('The server had lost its session. A new one was opened.');
        this.#tell({ type: 'session-renewed' });
      },
      onUnreached: (error: unknown) => {
        if (this.#client === client && this.#state === 'ready') this.#become('failed', this.#lastWords.whyNot(error));
      },
    };
    const mostBytes = maxMessageBytes === undefined ? {} : { mostBytes: maxMessageBytes };
    const running = started?.take(listeners.onStderr);
    const options = { ...listeners, ...mostBytes, running, ...defined({ fetch, clock }) };
    const era = (): Era => eraOf(client.getNegotiatedProtocolVersion());
    return mendLists(this.wire.onto(openTransport(this.entry.target, options)), { leftOut, era });
  }
}

/**
 * The request of a call that asks for every log message of the server, if it logs and has to be asked
 * (2026-07-28, server/utilities/logging); else the request as it is. On 2025-11-25 a server decides itself what it sends.
 * @param revision - as negotiated
 */
function askingForLogs(
  request: CallRequest,
  revision: string | undefined,
  introduction: ServerIntroduction | undefined,
): CallRequest {
  const isNeeded = logsOnRequest(eraOf(revision)) && introduction?.capabilities['logging'] !== undefined;
  if (!isNeeded) return request;
  const meta = request.rest?.['_meta'] as object | undefined;
  return { ...request, rest: { ...request.rest, _meta: { [LOG_LEVEL_META_KEY]: 'debug', ...meta } } };
}

/** Signs in to a server. @returns undefined for a command, if nothing may be stored, or if the person gave a token of their own */
function authorizerOf(
  target: ServerTarget,
  { authorization, client, principal = 'local', fetch = patientFetch, clock = systemClock }: ConnectionOptions,
  ask: AuthorizerOptions['ask'],
): Authorizer | undefined {
  if (!authorization || target.kind !== 'url' || hasOwnToken(target)) return undefined;
  return new Authorizer({
    serverUrl: new URL(target.url),
    auth: target.auth ?? {},
    vault: authorization.vault,
    principal,
    name: client.title ?? client.name,
    fetch,
    clock,
    ask,
  });
}

const hasOwnToken = ({ headers = {}, headersFile }: ServerTarget & { readonly kind: 'url' }): boolean =>
  headersFile !== undefined || Object.keys(headers).some(name => name.toLowerCase() === 'authorization');

/** How many milliseconds a server may take to start, unless an option says otherwise. */
const START_MS = 60_000;
/** How many milliseconds a server may take to say which revision it speaks. */
const PROBE_MS = 10_000;

/**
 * The SDK client of a connection.
 * @param onListChanged - called with the list of the server that has changed
 */
function clientOf(
  { client, maxRounds = 50, startTimeoutMs = START_MS }: ConnectionOptions,
  mode: ReturnType<typeof negotiationOf>,
  onListChanged: (list: 'tools' | 'prompts' | 'resources') => void,
): Client {
  const listOptions = (list: 'tools' | 'prompts' | 'resources') => ({
    autoRefresh: false,
    onChanged: (): void => onListChanged(list),
  });
  return new Client(client, {
    inputRequired: { maxRounds },
    // Lists that do not end are cut off; see mended-lists.ts.
    listMaxPages: 0,
    jsonSchemaValidator: outputValidator(),
    versionNegotiation: {
      mode,
      probe: typeof mode === 'object' ? endlessProbe : { timeoutMs: Math.min(startTimeoutMs, PROBE_MS) },
    },
    listChanged: { tools: listOptions('tools'), prompts: listOptions('prompts'), resources: listOptions('resources') },
  });
}
