/**
 * A connection on which tools are called with bare messages. The SDK does the handshake; calls are ours, because the linter has
 * to see exactly what a server asked, and sends answers that no honest client would.
 *
 * - lint-session-L1 Nothing a server asks reaches the SDK: it would refuse malformed questions before they could be reported.
 * - lint-session-L2 A call ends: with a result, an error, silence of `waitMs`, or after {@link mostAsks} questions.
 */

import { MidcallError } from '@midcall/core/errors';
import { isRecord } from '@midcall/core/json';
import {
  afterClose,
  endedWhenProbed,
  interceptTransport,
  invalidListReason,
  negotiationReason,
  notOfferedRevision,
  wholeResponse,
} from '@midcall/core/sdk-seam';
import { visible } from '@midcall/core/text';
import { type Clock, connectInTime, endlessProbe } from '@midcall/core/time';
import { type Era, outputValidator } from '@midcall/host';
import { negotiation } from '@midcall/testing';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  Client,
  PROTOCOL_VERSION_META_KEY,
  SdkErrorCode,
  specTypeSchemas,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client';
import { capabilityOf, type LintAsk, opensPage, type Play, replyOf } from './lint-play.ts';

type Json = Readonly<Record<string, unknown>>;

/** How a call ended. */
export type PlayEnd =
  | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> }
  /** `pages`: what error -32042 wants opened first. */
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly pages: readonly Json[] }
  /** Silence. */
  | { readonly kind: 'silent' }
  /** The person agreed to open a page, and nobody finishes it. */
  | { readonly kind: 'page-open' }
  | { readonly kind: 'endless' }
  | { readonly kind: 'gone' };

/** A call and its questions. */
export interface PlayTrace {
  readonly era: Era;
  readonly play: Play;
  /** The questions to the person. */
  readonly asks: readonly LintAsk[];
  /** Everything that was asked of the client, roots and sampling too. */
  readonly requests: readonly LintAsk[];
  readonly end: PlayEnd;
}

export interface SessionOptions {
  readonly era: Era;
  /** What the client declares for elicitation; nothing if undefined. */
  readonly elicitation: Readonly<Record<string, unknown>> | undefined;
  /** `file://` URIs; declared only if there are any. */
  readonly roots: readonly string[];
  readonly client: { readonly name: string; readonly version: string };
  /** How many milliseconds to wait for a silent server. */
  readonly waitMs: number;
  readonly startTimeoutMs: number;
  readonly clock: Clock;
}

/** The most questions of one call; beyond it, the call is abandoned. */
const mostAsks = 12;

type Answer = (ask: Pick<LintAsk, 'method' | 'params'>, pushed: boolean) => Json | undefined;

interface Running {
  readonly id: string;
  readonly answer: Answer;
  readonly heard: () => void;
  readonly settle: (message: Json) => void;
}

const askMethods = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']);
const toPerson = ({ method }: LintAsk): boolean => method === 'elicitation/create';

/** An open connection. */
export class LintSession {
  readonly era: Era;
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #options: SessionOptions;
  #running: Running | undefined;
  #onGone: (() => void) | undefined;
  #count = 0;
  /** The last error the server sent for something that was not one of our calls. */
  #lastError: string | undefined;
  /** The tools whose entry in the list the protocol does not allow, one sentence each. */
  readonly leftOut: string[] = [];
  /** True if its server may be in the middle of something; open another one then. */
  soiled = false;

  private constructor(client: Client, transport: Transport, options: SessionOptions) {
    this.era = options.era;
    this.#client = client;
    this.#transport = transport;
    this.#options = options;
  }

  /**
   * Connects in one era.
   * @throws MidcallError `host/not-found` if the server does not start or does not support it
   */
  static async open(transport: Transport, options: SessionOptions): Promise<LintSession> {
    const { era, client: info, startTimeoutMs } = options;
    const client = new Client(info, {
      capabilities: capabilities(options),
      jsonSchemaValidator: outputValidator(),
      versionNegotiation: { ...negotiation(era), probe: endlessProbe },
    });
    const session = new LintSession(client, transport, options);
    interceptTransport(transport, {
      incoming: (message, deliver) => session.#incoming(session.#usable(wholeResponse(message, 'server')), deliver),
    });
    try {
      await connectInTime({
        connect: () => client.connect(transport, { timeout: startTimeoutMs }),
        giveUp: () => transport.close(),
        timeoutMs: startTimeoutMs,
        after: (ms, fn) => options.clock.after(ms, fn),
      });
    } catch (cause) {
      await client.close().catch(() => {});
      throw new MidcallError('host/not-found', unreached(era, cause, session.#lastError), { cause });
    }
    afterClose(transport, () => {
      session.soiled = true;
      session.#onGone?.();
    });
    return session;
  }

  /** Name and version, as the server gives them. */
  get server(): { readonly name: string; readonly version: string } | undefined {
    return this.#client.getServerVersion();
  }

  /**
   * Every tool the server lists.
   * @throws MidcallError `host/not-found` if it does not answer, `host/refused` if its answer is no list
   */
  async tools(): Promise<readonly Tool[]> {
    if (!this.#client.getServerCapabilities()?.tools) return [];
    try {
      return (await this.#client.listTools(undefined, { timeout: this.#options.startTimeoutMs })).tools;
    } catch (cause) {
      throw unlisted(this.era, cause);
    }
  }

  /** Calls a tool once, with the person playing a part. */
  async call(name: string, args: Json, play: Play): Promise<PlayTrace> {
    const requests: LintAsk[] = [];
    const answer: Answer = ({ method, params }, pushed) => {
      if (requests.length >= mostAsks) return undefined;
      const earlier = requests.filter(toPerson).length;
      const reply = method === 'elicitation/create' ? replyOf(play, earlier, { method, params }) : {};
      requests.push({ method, params, pushed, reply });
      return reply;
    };
    let end = await this.#exchange(name, args, answer);
    const pages = requests.some(ask => opensPage(ask) !== undefined && ask.reply['action'] === 'accept');
    if (pages && (end.kind === 'silent' || end.kind === 'endless')) end = { kind: 'page-open' };
    if (end.kind === 'error')
      requests.push(...end.pages.map(params => ({ method: 'elicitation/create', params, pushed: false, reply: {} })));
    if (end.kind !== 'result' && end.kind !== 'error') this.soiled = true;
    return { era: this.era, play, asks: requests.filter(toPerson), requests, end };
  }

  async close(): Promise<void> {
    this.#onGone = undefined;
    await this.#client.close().catch(() => {});
  }

  async #exchange(name: string, args: Json, answer: Answer): Promise<PlayEnd> {
    let more: Json = {};
    for (let polled = 0; ; ) {
      const reply = await this.#request({ name, arguments: args, ...more }, answer);
      if ('kind' in reply) return reply as PlayEnd;
      if (isRecord(reply['error'])) return refused(reply['error']);
      const result = isRecord(reply['result']) ? reply['result'] : {};
      if (result['resultType'] !== 'input_required') return { kind: 'result', result };
      const responses: Record<string, unknown> = {};
      const requests = isRecord(result['inputRequests']) ? result['inputRequests'] : {};
      for (const [key, each] of Object.entries(requests)) {
        const response = isRecord(each) ? this.#answered(each, answer, false) : {};
        if (response === undefined) return { kind: 'endless' };
        responses[key] = response;
      }
      const state = result['requestState'];
      more = { inputResponses: responses, ...(state !== undefined && { requestState: state }) };
      // A round that asks nothing is polling; each one counts, so that it ends.
      if (Object.keys(requests).length === 0 && ++polled > mostAsks) return { kind: 'endless' };
    }
  }

  #answered(request: Json, answer: Answer, pushed: boolean): Json | undefined {
    const params = isRecord(request['params']) ? request['params'] : {};
    const reply = answer({ method: String(request['method']), params }, pushed);
    if (reply === undefined || request['method'] !== 'roots/list') return reply;
    return { roots: this.#options.roots.map(uri => ({ uri })) };
  }

  /** Sends one `tools/call` and waits for its response. */
  #request(params: Json, answer: Answer): Promise<Json | PlayEnd> {
    const { clock, waitMs } = this.#options;
    this.#count += 1;
    const id = `lint-${this.#count}`;
    return new Promise(resolve => {
      let stop = (): void => {};
      const settle = (end: Json | PlayEnd): void => {
        stop();
        this.#running = undefined;
        this.#onGone = undefined;
        resolve(end);
      };
      const silent = (): void => {
        if (this.era === '2025-11-25') this.#send({ method: 'notifications/cancelled', params: { requestId: id } });
        settle({ kind: 'silent' });
      };
      const heard = (): void => {
        stop();
        stop = clock.after(waitMs, silent);
      };
      this.#onGone = () => settle({ kind: 'gone' });
      const ending: Answer = (ask, pushed) => {
        const response = answer(ask, pushed);
        if (response === undefined) settle({ kind: 'endless' });
        return response;
      };
      this.#running = { id, answer: ending, heard, settle };
      heard();
      const failed = (error: unknown): void => settle({ kind: 'error', code: 0, message: String(error), pages: [] });
      this.#send({ id, method: 'tools/call', params: { ...params, ...this.#envelope() } }, failed);
    });
  }

  #send(message: Json, failed: (error: unknown) => void = () => {}): void {
    void this.#transport.send({ jsonrpc: '2.0', ...message } as never).catch(failed);
  }

  #envelope(): Json {
    if (this.era !== '2026-07-28') return {};
    const _meta = {
      [PROTOCOL_VERSION_META_KEY]: this.era,
      [CLIENT_INFO_META_KEY]: this.#options.client,
      [CLIENT_CAPABILITIES_META_KEY]: capabilities(this.#options),
    };
    return { _meta };
  }

  /** The message, without the entries of a list of tools that would spoil the whole, unless it has no others. */
  #usable(message: Json): Json {
    const { result } = message;
    const tools = isRecord(result) ? result['tools'] : undefined;
    if (!Array.isArray(tools)) return message;
    const problems = tools.map(problemOf);
    if (problems.every(why => why === undefined) || !problems.includes(undefined)) return message;
    for (const [at, why] of problems.entries())
      if (why !== undefined) this.leftOut.push(`The tool at ${at} in the list of ${this.era} is left out: ${why}.`);
    return { ...message, result: { ...(result as Json), tools: tools.filter((_, at) => problems[at] === undefined) } };
  }

  #incoming(message: Json, deliver: (message: Json) => void): void {
    const running = this.#running;
    running?.heard();
    const { method, id } = message;
    if (method === undefined && typeof id === 'string' && id.startsWith('lint-')) {
      if (running?.id === id) running.settle(message);
      return;
    }
    const error = message['error'];
    // A missing method, such as the one that discovers revisions, is not a reason in itself.
    if (isRecord(error) && error['code'] !== -32601) this.#lastError = String(error['message']);
    if (typeof method !== 'string' || id === undefined || !askMethods.has(method)) {
      deliver(message);
      return;
    }
    const roots = { roots: this.#options.roots.map(uri => ({ uri })) };
    const reply = running ? this.#answered(message, running.answer, true) : method === 'roots/list' ? roots : undefined;
    if (reply === undefined || method === 'sampling/createMessage')
      this.#send({ id, error: { code: -32601, message: 'Not declared by this client.' } });
    else this.#send({ id, result: reply });
  }
}

/** Why the protocol does not allow an entry of a list of tools; undefined if it does. */
function problemOf(entry: unknown): string | undefined {
  const read = specTypeSchemas.Tool['~standard'].validate(entry);
  const [issue] = 'then' in read ? [] : (read.issues ?? []);
  if (!issue) return undefined;
  const path = (issue.path ?? []).map(part => String(typeof part === 'object' ? part.key : part)).join('.');
  return visible(`${path || 'it'}: ${issue.message}`, { max: 200 });
}

function refused(error: Json): PlayEnd {
  const code = typeof error['code'] === 'number' ? error['code'] : 0;
  const data = isRecord(error['data']) ? error['data'] : {};
  const elicitations = code === -32042 && Array.isArray(data['elicitations']) ? data['elicitations'] : [];
  return { kind: 'error', code, message: String(error['message']), pages: elicitations.filter(isRecord) };
}

/** Why the tools could not be listed. */
function unlisted(era: Era, cause: unknown): MidcallError {
  const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown };
  const text = String(message);
  const what = `The tools could not be listed on ${era}: `;
  if (code === SdkErrorCode.InvalidResult) return new MidcallError('host/refused', `${what}${invalidListReason(text)}`);
  const silent = code === SdkErrorCode.RequestTimeout;
  const why = silent ? 'the server did not answer in time.' : `the server answered “${visible(text, { max: 300 })}”.`;
  return new MidcallError(silent ? 'host/not-found' : 'host/refused', `${what}${why}`, { cause });
}

/** Why an era was not reached: the server's own words if it gave any, and nothing that the SDK says about itself. */
function unreached(era: Era, cause: unknown, serverWords: string | undefined): string {
  const { code, message = String(cause) } = (cause ?? {}) as { readonly code?: unknown; readonly message?: string };
  // A number is the code of a JSON-RPC error: the server was reached.
  const refused = serverWords !== undefined || typeof code === 'number' || code === SdkErrorCode.EraNegotiationFailed;
  const reason = serverWords ?? negotiationReason(message);
  if (serverWords === undefined && notOfferedRevision(message) !== undefined)
    return `The server did not accept ${era}: it does not offer that revision.`;
  if (serverWords === undefined && (code === SdkErrorCode.ConnectionClosed || endedWhenProbed(message)))
    return `The server could not be reached on ${era}: it ended before it answered.`;
  if (code === 'REQUEST_TIMEOUT') return `The server could not be reached on ${era}: it did not answer in time.`;
  const what = refused ? `The server did not accept ${era}` : `The server could not be reached on ${era}`;
  return `${what}: “${visible(reason, { max: 300 })}”.`;
}

function capabilities({ elicitation, roots }: SessionOptions): Record<string, object> {
  return { ...(elicitation && { elicitation }), ...(roots.length > 0 && { roots: {} }) };
}

/** The options of a session for a play. */
export function forPlay(options: Omit<SessionOptions, 'elicitation'>, play: Play['name']): SessionOptions {
  return { ...options, elicitation: capabilityOf(play) };
}
