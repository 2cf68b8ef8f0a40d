/**
 * Wires a person to an SDK client: elicitation (form and URL), sampling and roots, in both eras, with the capabilities that
 * apply there. Attach before the client connects; sending and receiving remain the SDK's task.
 *
 * - attach-H1 Every request of a server is judged in its wire form; one that is malformed, hostile or of an undeclared mode is
 *   refused with -32602 (2025-11-25) or ends its call with `host/invalid-request` (2026-07-28), and is recorded, or only
 *   counted if there are too many.
 * - attach-H2 A form or a URL is answered by a person or not at all.
 * - attach-H3 When the connection closes, all its questions end.
 * - attach-H4 A round is in the store before the person sees its form or URL: whatever they have seen can be answered after a
 *   restart.
 */
import { randomUUID } from 'node:crypto';
import { MidcallError } from '@midcall/core/errors';
import { blocksBack, defined, isRecord, own } from '@midcall/core/json';
import { checkKind, checkOptions, having } from '@midcall/core/options';
import { afterClose, type Interception, withoutDump } from '@midcall/core/sdk-seam';
import { boundedStore } from '@midcall/core/store';
import { type Clock, systemClock } from '@midcall/core/time';
import { type Client, type CreateMessageResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { Asking, UrlFlow } from '../asking/index.ts';
import { Audit, callEnded, callStarted } from '../audit/index.ts';
import type { AskSignIn } from '../authorization/index.ts';
import { callsOutliveProcess, type Era, eraOf, Listeners } from '../base/index.ts';
import {
  CallRunner,
  Calls,
  cancelledByPerson,
  type RunOptions,
  type SendCall,
  type SendOptions,
  type SentResult,
  Tap,
  type TappedRequest,
} from '../calls/index.ts';
import { CallConsent } from '../consent/index.ts';
import { Policy } from '../policy/index.ts';
import type { Asker, CallContext, ElicitationMode } from '../question/index.ts';
import { AnnouncedRoots } from '../roots/index.ts';
import { type SamplingAccount, SamplingFlow } from '../sampling/index.ts';
import {
  type AnyClient,
  aroundConnect,
  ClientCalls,
  type ForwardedAnswer,
  type ForwardedRequest,
  ForwardedRequests,
  type ForwardOptions,
  Introduction,
  placeholders,
  rawResultBack,
  replaceDefaultValidator,
} from '../sdk-seam/index.ts';
import { AttachedTasks, tasksExtension } from '../tasks/index.ts';
import { judgeUrl } from '../url/index.ts';
import { Answering } from './answering.ts';
import {
  type AttachEvent,
  type Attachment,
  type AttachOptions,
  attachKinds,
  type CallRequest,
  type ServerIntroduction,
} from './attachment.ts';
import { notingUnchecked, outputValidator } from './output-validator.ts';
import { Rounds, type StoredRound } from './rounds.ts';

/**
 * Attaches a person to a client that is not connected yet. Output schemas of its servers are judged by {@link outputValidator}
 * from then on, unless the client was given a `jsonSchemaValidator`.
 * @throws TypeError for an option that is missing, unknown or invalid, and for a client that is connected or has a person attached
 *   already
 * @example
 * ```ts
 * inbox.present(new Terminal({ input: process.stdin, output: process.stderr }));
 * attach(client, { server: { id: 'tables', origin: 'node server.mjs' }, inbox });
 * await client.connect(transport);
 * ```
 */
export function attach(client: AnyClient, options: AttachOptions): Attachment {
  checkKind('attach', 'the first argument', client, having('a Client of the SDK', 'connect', 'callTool'));
  checkOptions('attach', options, attachKinds);
  if (client.transport) throw new TypeError('attach(client, …) must be called before client.connect(…).');
  if (attached.has(client)) throw new TypeError('attach: the client has a person attached already. Attach once.');
  attached.add(client);
  return new Wiring(client as unknown as Client, options);
}

const attached = new WeakSet<AnyClient>();

/** Options of a call; `id`: chosen by the caller, unique in the host. */
type AttachedRunOptions = RunOptions & { readonly id?: string };

interface ServeRequestsOptions {
  readonly options: Pick<AttachOptions, 'roots' | 'sampling' | 'declares'>;
  readonly modes: readonly ElicitationMode[];
  readonly answering: Answering;
  /** The request as it was on the wire; undefined if it did not come through the tap. */
  readonly taken: (meta: unknown) => TappedRequest | undefined;
  /** Has an answer leave in place of the one that the SDK is given. */
  readonly answered: (request: TappedRequest, answer: object) => void;
  /** Resolves when the round of a form or URL is in the store. */
  readonly settled: () => Promise<void>;
}

/** Declares capabilities, and has `answering` answer the requests. */
function serveRequests(client: Client, parts: ServeRequestsOptions): void {
  const { options, modes, answering, settled } = parts;
  const { roots, sampling, declares } = options;
  // Forms alone are declared without a mode, as in every revision: servers of 2025-06-18 may refuse a client that names modes.
  const formsAlone = modes.every(mode => mode === 'form');
  client.registerCapabilities({
    elicitation: formsAlone ? {} : Object.fromEntries(modes.map(mode => [mode, {}])),
    ...(roots && { roots: {} }),
    ...(declares?.experimental && { experimental: declares.experimental }),
    extensions: { ...declares?.extensions, [tasksExtension]: {} },
    ...(sampling && { sampling: sampling.model.tools ? { tools: {} } : {} }),
  });
  const tappedRequest = (sent: { readonly _meta?: unknown }): TappedRequest => {
    const request = parts.taken(sent._meta);
    if (!request)
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'The request did not come through this connection.');
    return request;
  };
  client.setRequestHandler('elicitation/create', async (_, { mcpReq }) => {
    const request = tappedRequest(mcpReq);
    await settled();
    parts.answered(request, await answering.elicit(request, mcpReq.signal));
    return placeholders.answer;
  });
  if (roots)
    client.setRequestHandler('roots/list', (_, { mcpReq }) => answering.roots(tappedRequest(mcpReq), mcpReq.signal));
  if (sampling)
    client.setRequestHandler('sampling/createMessage', async (_, { mcpReq }) => {
      return (await answering.sample(tappedRequest(mcpReq), mcpReq.signal)) as CreateMessageResult;
    });
}

class Wiring implements Attachment {
  readonly #client: Client;
  readonly #sdk: ClientCalls;
  readonly #options: AttachOptions;
  readonly #modes: readonly ElicitationMode[];
  readonly #calls = new Calls();
  readonly #asking: Asking;
  readonly #pages: UrlFlow;
  readonly #trusted: Set<string>;
  readonly #sampling: SamplingFlow | undefined;
  readonly #answering: Answering;
  readonly #runner: CallRunner;
  /** Undefined if there are no rules about calls. */
  readonly #consent: CallConsent | undefined;
  readonly #clock: Clock;
  readonly #newId: () => string;
  readonly #listeners = new Listeners<AttachEvent>();
  readonly #rounds: Rounds | undefined;
  #forwarded = new ForwardedRequests();
  #introduction = new Introduction();
  #keeping = false;
  readonly #tasks: AttachedTasks;
  #roots: AnnouncedRoots | undefined;
  #tap: Tap | undefined;
  readonly #asker: AskerOf;

  constructor(client: Client, options: AttachOptions) {
    const { inbox, sampling } = options;
    this.#client = client;
    this.#sdk = new ClientCalls(client);
    this.#options = options;
    this.#asker = new AskerOf(client, options.server);
    this.#modes = options.modes ?? ['form', 'url'];
    this.#clock = options.clock ?? systemClock;
    this.#newId = options.newId ?? randomUUID;
    this.#rounds =
      options.store &&
      new Rounds(boundedStore(options.store, this.#clock), options.server.id, options.onError ?? (() => {}));
    const audit = options.audit ?? new Audit({ clock: this.#clock });
    const tell = (event: AttachEvent): void => {
      const about = (call: CallContext) => ({ asker: this.asker(), principal: options.principal, call });
      if (event.type === 'call-started') audit.record(callStarted, about(event.call));
      if (event.type === 'call-ended') {
        this.#rounds?.drop(event.call.id);
        audit.record(callEnded(event.outcome.how), about(event.call));
      }
      this.#listeners.tell(event);
    };
    this.#asking = new Asking({
      inbox,
      policy: options.policy ?? new Policy({ clock: this.#clock }),
      audit,
      calls: this.#calls,
      clock: this.#clock,
      asker: () => this.asker(),
      notify: tell,
      ...defined({ answerTimeoutMs: options.answerTimeoutMs, principal: options.principal }),
    });
    const newId = this.#newId;
    this.#trusted = options.trustedDomains ?? new Set<string>();
    this.#pages = new UrlFlow({ asking: this.#asking, inbox, newId, trusted: this.#trusted });
    this.#sampling = sampling && new SamplingFlow({ asking: this.#asking, newId, ...sampling });
    this.#answering = new Answering({
      asking: this.#asking,
      pages: this.#pages,
      modes: this.#modes,
      roots: options.roots,
      sampling: this.#sampling,
    });
    this.#consent = this.#consentBy(options);
    const consent = this.#consent;
    this.#runner = new CallRunner({
      calls: this.#calls,
      ...(consent && {
        consent: ({ context, abort, timeout }, send, onConsentAsked) =>
          consent.run({ context, signal: abort.signal, pause: () => timeout.pause(), onConsentAsked }, send),
      }),
      clock: this.#clock,
      newId,
      gate: () => this.#roots?.opened(),
      tell,
      openPages: (call, error) => this.#pages.openFor(call, error),
    });
    this.#tasks = new AttachedTasks({
      client,
      server: options.server,
      era: () => this.#era(),
      inbox,
      asking: this.#asking,
      answer: (request, withdrawn) => this.#answering.answer(request, withdrawn),
      calls: this.#calls,
      clock: this.#clock,
      newId,
      tell,
      storage: options.tasks,
      onError: options.onError ?? (() => {}),
    });
    serveRequests(client, {
      options,
      modes: this.#modes,
      answering: this.#answering,
      taken: meta => this.#tap?.take(meta),
      answered: (request, answer) => this.#tap?.answer(request, answer),
      settled: async () => this.#rounds?.settled(),
    });
    this.#intercept(client);
    replaceDefaultValidator(client, outputValidator());
    client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
      if (this.#pages.completed(params.elicitationId))
        tell({ type: 'page-completed', elicitationId: params.elicitationId });
    });
  }

  run(request: CallRequest, options: AttachedRunOptions = {}): Promise<Readonly<Record<string, unknown>>> {
    const { kind, name, arguments: args, rest = {} } = request;
    const { id = this.#newId(), principal } = options;
    const about = { kind, name, arguments: { ...args }, id, ...defined({ principal }) };
    return this.#runner.run(
      about,
      this.#bySdk(own => this.#sdk.send(about, rest, own), 'passed on'),
      options,
    );
  }

  /**
   * Sends a call through the SDK, which drives its rounds, and judges the result.
   * @param misfits - what becomes of a result that breaks the tool's output schema: those who see the outcome see it, and who calls
   *   a method of the SDK gets its error
   */
  #bySdk(
    send: (own: SendOptions) => Promise<SentResult['result']>,
    misfits: 'passed on' | 'refused' = 'refused',
  ): SendCall {
    return async (own, call) => {
      try {
        const { result, ...noted } = await notingUnchecked(() => this.#calls.within(call, () => send(own)));
        return { ...noted, result: rawResultBack(result) ?? blocksBack(result) };
      } catch (error) {
        const result = this.#calls.resultOf(call);
        // Once the server's result can be read, an error of the protocol is the SDK's own, about the output schema.
        if (misfits === 'refused' || !result || !(error instanceof ProtocolError)) throw error;
        return { result: blocksBack(result), misfit: withoutDump(error.message) };
      }
    };
  }

  forward(request: ForwardedRequest, options: ForwardOptions = {}): Promise<ForwardedAnswer> {
    return this.#consent && request.method === 'tools/call'
      ? this.#forwardCall(this.#consent, request, options)
      : this.#forwardUnjudged(request, options);
  }

  #forwardUnjudged(request: ForwardedRequest, options: ForwardOptions): Promise<ForwardedAnswer> {
    return this.#forwarded.send(this.#client, this.#era(), request, options);
  }

  /** Forwards a call of a tool as far as the rules let it pass. */
  async #forwardCall(
    consent: CallConsent,
    request: ForwardedRequest,
    options: ForwardOptions,
  ): Promise<ForwardedAnswer> {
    const { params } = request;
    const [name, args] = [own(params, 'name'), own(params, 'arguments') ?? {}];
    if (typeof name !== 'string' || !isRecord(args))
      throw new MidcallError('host/refused', 'A call of a tool must have a name, and arguments that are an object.');
    let refused: ForwardedAnswer | undefined;
    const send = async (): Promise<SentResult> => {
      const answer = await this.#forwardUnjudged(request, options);
      if ('result' in answer) return answer;
      refused = answer;
      throw new Error(String(answer.error['message']));
    };
    const context: CallContext = { kind: 'tool', id: this.#newId(), name, arguments: args };
    const { signal = new AbortController().signal } = options;
    try {
      const { result } = await consent.run({ context, signal }, send);
      return { result };
    } catch (error) {
      if (refused) return refused;
      throw signal.aborted ? new MidcallError('host/cancelled', 'The request was cancelled.') : error;
    }
  }

  #consentBy({ rules, server, nameInRules = server.id, inbox, principal }: AttachOptions): CallConsent | undefined {
    return (
      rules &&
      new CallConsent({
        rules,
        server: nameInRules,
        asking: this.#asking,
        clock: this.#clock,
        newId: this.#newId,
        questionOf: id => inbox.get(id),
        principal,
        listTools: params => this.#forwardUnjudged({ method: 'tools/list', params }, {}),
      })
    );
  }

  forwardNotification(notification: ForwardedRequest): Promise<void> {
    return this.#forwarded.notify(this.#client, notification);
  }

  received(questionId: string): Readonly<Record<string, unknown>> | undefined {
    return this.#answering.received(questionId);
  }

  alsoAnswer(questionId: string, members: Readonly<Record<string, unknown>>): void {
    this.#answering.alsoAnswer(questionId, members);
  }

  introduction(): ServerIntroduction {
    const { implementation, capabilities } = this.#introduction;
    return { serverInfo: implementation, capabilities };
  }

  async resume(callId?: string): Promise<readonly string[]> {
    const tasks = await this.#tasks.takeUp(callId);
    for (const { call, startedAt } of tasks)
      this.#runner
        .run(
          { ...call, startedAt, resumed: true },
          this.#bySdk(own => this.#sdk.send(call, {}, own), 'passed on'),
        )
        .catch(() => {});
    const rounds = this.#rounds && callsOutliveProcess(this.#era()) ? await this.#rounds.takeUp(callId) : [];
    for (const round of rounds) this.#resume(round).catch(() => {});
    return [...tasks, ...rounds].map(({ call }) => call.id);
  }

  async keepQuestions(): Promise<void> {
    this.#keeping = this.#rounds !== undefined && callsOutliveProcess(this.#era());
    await this.#rounds?.settled();
  }

  async settled(): Promise<void> {
    await this.#rounds?.settled();
    await this.#tasks.settled();
  }

  leaveTasks(): Promise<void> {
    this.#tasks.close();
    return this.#tasks.settled();
  }

  #resume({ call, requests, requestState }: StoredRound): Promise<unknown> {
    const send = async (own: SendOptions) => {
      const running = this.#calls.get(call.id);
      const answered = requests.map(async ({ key, id, method, params }) => {
        return [key, await this.#answering.answer({ id, method, params, call: running }, own.signal)] as const;
      });
      const inputResponses = Object.fromEntries(await Promise.all(answered));
      return this.#sdk.send(call, { inputResponses, ...(requestState !== undefined && { requestState }) }, own);
    };
    return this.#runner.run({ ...call, resumed: true }, this.#bySdk(send, 'passed on'));
  }

  cancel(callId: string): boolean {
    const call = this.#calls.get(callId);
    call?.abort.abort(cancelledByPerson);
    return call !== undefined;
  }

  readonly askSignIn: AskSignIn = ({ url, ...request }, over) =>
    this.#asking.put({ id: this.#newId(), subject: 'url', call: undefined, signal: over }, frame => ({
      ...frame,
      ...request,
      kind: 'sign-in',
      url: judgeUrl(url, { trusted: this.#trusted }),
    }));

  asker(): Asker {
    return this.#asker.now(this.#era());
  }

  account(): SamplingAccount | undefined {
    return this.#sampling?.account;
  }

  subscribe(listener: (event: AttachEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  #era(): Era {
    return eraOf(this.#client.getNegotiatedProtocolVersion());
  }

  #intercept(client: Client): void {
    aroundConnect(client, async (transport, connect) => {
      const { roots: offered, server } = this.#options;
      const roots =
        offered &&
        new AnnouncedRoots({ client, roots: offered, server: server.id, era: () => this.#era(), clock: this.#clock });
      this.#tap = new Tap({
        calls: this.#calls,
        newId: this.#newId,
        placeholder: this.#modes.includes('form') ? placeholders.form : placeholders.url,
        roots: roots !== undefined,
        judgesCalls: this.#consent !== undefined,
        onToolsChanged: () => this.#consent?.toolsChanged(),
        onRootsList: what => roots?.note(what),
        onRound: round => this.#rounds?.keep(round),
        onFlood: (call, why) => {
          this.#asking.refused('round', 'host', why, call.context);
          call.abort.abort(new MidcallError('host/invalid-request', `The server asks too much. ${why}`));
        },
        onRefused: ({ method, call }, why) => {
          const undeclared = method === 'roots/list' && !this.#options.roots;
          this.#asking.refused(method, 'host', undeclared ? noFolder : why, call?.context);
        },
      });
      const forwarded = new ForwardedRequests();
      const introduction = new Introduction();
      this.#forwarded = forwarded;
      this.#introduction = introduction;
      this.#tap.onto(transport, stacked(this.#tasks.follower(transport), stacked(forwarded, introduction)));
      afterClose(transport, () => {
        roots?.close();
        this.#tasks.close();
        forwarded.close();
        if (!this.#keeping) this.#options.inbox.endAll(this.#options.server.id, { how: 'server-gone' });
      });
      this.#roots = roots;
      try {
        await connect();
      } catch (error) {
        // A transport that never opened does not close either.
        roots?.close();
        throw error;
      }
      roots?.connected();
    });
    this.#sdk.routeThrough((call, send, options) => this.#runner.run(call, this.#bySdk(send), options));
  }
}

/** What a server is told if it may not know of any folders. */
const noFolder = 'The server asked which folders it may use, and none was granted.';

/** The longest part of a server's own name that is shown and recorded. */
const longestName = 200;

/** Who the server of one client is, in every question and every entry of the record. */
class AskerOf {
  readonly #client: Client;
  readonly #server: AttachOptions['server'];
  /** The last asker, and what the server said of itself then. */
  #made: { readonly info: unknown; readonly asker: Asker } | undefined;

  constructor(client: Client, server: AttachOptions['server']) {
    this.#client = client;
    this.#server = server;
  }

  /** The asker as far as the server has introduced itself. */
  now(era: Era): Asker {
    const { id, origin } = this.#server;
    const info = this.#client.getServerVersion();
    if (this.#made?.info === info && this.#made?.asker.era === era) return this.#made.asker;
    const asker = {
      id,
      name: info?.name.slice(0, longestName) ?? id,
      ...(info?.version !== undefined && { version: info.version.slice(0, longestName) }),
      origin,
      era,
    };
    this.#made = { info, asker };
    return asker;
  }
}

/** Two taps of the same transport, the second one closer to the wire. */
const stacked = (upper: Required<Interception>, lower: Required<Interception>): Required<Interception> => ({
  incoming: (message, deliver) => lower.incoming(message, seen => upper.incoming(seen, deliver)),
  outgoing: (message, send, sendApart) =>
    upper.outgoing(
      message,
      each => lower.outgoing(each, send, sendApart),
      (each, own) => lower.outgoing(each, apart => sendApart(apart, own), sendApart),
    ),
});
