/**
 * One running upstream server of a bridge with everything that belongs to it: its connection, its calls, the directories that
 * it is told of, and the hosts that receive its announcements.
 */
import { hash, randomUUID } from 'node:crypto';
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { canonical, defined, isRecord, own } from '@midcall/core/json';
import { blocksOf, type SamplingModel } from '@midcall/core/sampling';
import type { Clock } from '@midcall/core/time';
import type {
  CallOutcome,
  Connection,
  ConnectionOptions,
  ForwardedAnswer,
  ForwardedRequest,
  ForwardOptions,
  Inbox,
  OfferedRoots,
  Question,
  ServerEntry,
} from '@midcall/host';
import type { HostWait } from '@midcall/host/web';
import type { ToolCards } from '@midcall/server';
import type { Client } from '@modelcontextprotocol/client';
import {
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  RELATED_TASK_META_KEY,
} from '@modelcontextprotocol/server';
import { asksSignIn, type Shown, unclaimed } from '../desk/index.ts';
import { type HostLink, moreOf } from '../link/index.ts';
import { HostRoots } from './host-roots.ts';
import { Subscriptions } from './subscriptions.ts';
import { Upstream, withheld } from './upstream.ts';
import { type UpstreamCall, UpstreamCalls } from './upstream-calls.ts';

/** How many milliseconds the upstream server may take to start. The host gives up long before that, by a timeout of its own. */
const START_MS = 300_000;

/** The largest message of the upstream server, in bytes; large, since results contain images and files. */
const MESSAGE_BYTES = 64 * 1024 * 1024;

/** What a session needs. */
export interface UpstreamSessionOptions
  extends Pick<
    ConnectionOptions,
    | 'client'
    | 'principal'
    | 'policy'
    | 'rules'
    | 'nameInRules'
    | 'audit'
    | 'authorization'
    | 'era'
    | 'started'
    | 'maxMessageBytes'
    | 'declares'
  > {
  readonly inbox: Inbox;
  readonly clock: Clock;
  /** The directories that the server is told of; undefined if it is told that there are none to ask for. */
  readonly roots: OfferedRoots | undefined;
  /** True if the directories are the host's, and change when the host says so. */
  readonly followsHostRoots: boolean;
  /** Replies to sampling if the host has no model, or always. */
  readonly sampling: { readonly model: SamplingModel; readonly always: boolean };
  /** Shows an open question to the person at the desk. */
  readonly showDesk: (question: Question, connection: Connection, host?: string) => Promise<Shown>;
  /** Tells the person at the desk whether the host that made a call still waits for their answer. */
  readonly tellWait: (callId: string, wait: HostWait) => void;
  /** How many milliseconds a call continues, or its result is kept, while no client waits for it. */
  readonly unclaimedMs: number;
  readonly warn: (message: string) => void;
  /** Called when a list of the server has changed, in addition to the hosts that have joined. */
  readonly onListChanged?: (list: 'tools' | 'prompts' | 'resources') => void;
}

/** Announcements that concern the connection itself, and not its hosts. */
const ofConnection = /^notifications\/(subscriptions\/|tasks)/;

/** Passes on to the hosts what the upstream server announces unasked; called for each start of that server. */
export function passAnnouncements(
  client: Client,
  links: ReadonlySet<HostLink>,
  subscriptions: Pick<Subscriptions<HostLink>, 'wants'>,
): void {
  client.fallbackNotificationHandler = async ({ method, params }) => {
    if (ofConnection.test(method)) return;
    const notification = { method, ...(params && { params }) };
    for (const link of links) {
      if (method === 'notifications/message') link.log(notification);
      else if (method === 'notifications/resources/updated') {
        if (subscriptions.wants(link, params)) link.announce(notification);
      } else link.tell(notification);
    }
  };
  client.fallbackRequestHandler = async ({ method, params }, { mcpReq }) => {
    const [link, other] = links;
    // The wire does not say which host it is meant for; and where directories are passed on, they are never asked for here.
    if (!link || other || method === 'roots/list')
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    return link.request({ method, ...(params && { params }) }, mcpReq.signal);
  };
}

/** Tells a client of 2025-11-25 that a page it opened is finished. */
function passCompletion(elicitationId: string, links: ReadonlySet<HostLink>): void {
  for (const link of links) {
    if (!link.server.server.getClientCapabilities()?.elicitation?.url) continue;
    link.announce({ method: 'notifications/elicitation/complete', params: { elicitationId } });
  }
}

/** A running upstream server. */
export class UpstreamSession {
  readonly upstream: Upstream;
  readonly calls: UpstreamCalls;
  readonly inbox: Inbox;
  /** Undefined if the host's roots are not passed on. */
  readonly hostRoots: HostRoots | undefined;
  /** The pages that hosts were asked to open; they are told when these are finished (2025-11-25). */
  readonly pagesAtHost = new Set<string>();
  readonly subscriptions = new Subscriptions<HostLink>();
  /** True if the host that it was started for shows Apps. */
  readonly showsApps: boolean;
  /** Whether questions of its tools can be shown on cards, by the names of those that hosts have been told of. */
  readonly cards = new Map<string, ToolCards>();
  /** The questions that were put on a card: a host that calls again may show none. */
  readonly onCards = new Set<string>();
  readonly #received = new WeakMap<Question, Readonly<Record<string, unknown>>>();
  readonly #links = new Set<HostLink>();
  /** The log level last set at a server on 2025-11-25. */
  #level: string | undefined;
  readonly #showDesk: UpstreamSessionOptions['showDesk'];
  readonly #warn: (message: string) => void;
  readonly #stopListening: () => void;

  private constructor(upstream: Upstream, calls: UpstreamCalls, options: UpstreamSessionOptions) {
    const { connection } = upstream;
    const { roots, followsHostRoots, clock, warn } = options;
    this.upstream = upstream;
    this.calls = calls;
    this.inbox = options.inbox;
    this.showsApps = own(options.declares?.extensions, 'io.modelcontextprotocol/ui') !== undefined;
    this.hostRoots =
      roots && followsHostRoots
        ? new HostRoots({ manager: roots, server: connection.entry.id, clock, warn })
        : undefined;
    this.#showDesk = options.showDesk;
    this.#warn = warn;
    const listen = (): void => {
      this.#level = undefined;
      if (connection.client) passAnnouncements(connection.client, this.#links, this.subscriptions);
    };
    listen();
    this.#stopListening = connection.subscribe(event => {
      if (event.type === 'state' && event.state === 'ready') listen();
      if (event.type === 'session-renewed') this.#renewed();
      if (event.type === 'page-completed' && this.pagesAtHost.delete(event.elicitationId))
        passCompletion(event.elicitationId, this.#links);
      if (event.type !== 'catalogue-changed') return;
      for (const link of this.#links) link.announce({ method: `notifications/${event.list}/list_changed` });
      options.onListChanged?.(event.list);
    });
  }

  /**
   * Starts or reaches the server.
   * @param stopped - fires when the server is no longer needed; a server that is still starting is stopped then
   * @throws MidcallError `host/not-found` if it can be neither started nor reached; the reason goes to `warn`
   */
  static async start(
    entry: ServerEntry,
    options: UpstreamSessionOptions,
    stopped: AbortSignal,
  ): Promise<UpstreamSession> {
    const { inbox, clock, sampling, unclaimedMs, client, roots, warn, showDesk, tellWait } = options;
    const { principal, policy, rules, nameInRules, audit, authorization, era, started, declares } = options;
    const model: SamplingModel = sampling.always ? sampling.model : hostModel(sampling.model, id => calls.get(id));
    // Decided in advance, so that nobody is asked: the server is told the host's list, which is empty until the host has given
    // it.
    if (options.followsHostRoots) await roots?.grant(entry.id, []);
    let starting: Connection | undefined;
    // No call has been made yet, so a sign-in that the start waits for goes to the desk.
    const stopShowing = inbox.subscribe(event => {
      if (event.type !== 'asked' || !asksSignIn(event.question, entry.id) || !starting) return;
      const connection = starting;
      void unclaimed(event.question, { inbox, clock, showDesk: each => showDesk(each, connection), unclaimedMs });
    });
    const upstream = await Upstream.start(
      entry,
      {
        client,
        inbox,
        clock,
        sampling: { model },
        startTimeoutMs: START_MS,
        onSilent: warn,
        maxMessageBytes: options.maxMessageBytes ?? MESSAGE_BYTES,
        ...defined({ principal, policy, rules, nameInRules, audit, authorization, era, roots, started, declares }),
      },
      warn,
      stopped,
      connection => {
        starting = connection;
      },
    ).finally(stopShowing);
    const { connection } = upstream;
    const show = (question: Question): Promise<Shown> => showDesk(question, connection);
    // The calls of this session are numbered, since an id made by chance for each costs more.
    const anyCall = randomUUID();
    let made = 0;
    const calls: UpstreamCalls = new UpstreamCalls({
      inbox,
      server: entry.id,
      unclaimed: question => void unclaimed(question, { inbox, clock, showDesk: show, unclaimedMs }),
      clock,
      unclaimedMs,
      newId: () => {
        made += 1;
        return `${anyCall}-${made}`;
      },
      run: (id, request, told, caller) => {
        const { outcome } = connection.run(request, {
          id,
          // The host decides how long a call may take.
          timeoutMs: Number.POSITIVE_INFINITY,
          rawResult: true,
          onProgress: progress => told.progressed(progress),
          onTask: task => told.becameTask(task),
          onConsentAsked: question => told.asked(question),
          ...defined({ principal: caller }),
        });
        void outcome.then(ended => told.over(outcomeForHosts(ended, connection, warn)));
      },
      cancel: id => void connection.cancel(id),
      tellWait,
      digest: ({ kind, name, arguments: args = {}, rest: { _meta: _, ...rest } = {} }, caller = '') =>
        hash('sha256', canonical([caller, kind, name, args, rest]), 'base64url'),
    });
    return new UpstreamSession(upstream, calls, options);
  }

  get connection(): Connection {
    return this.upstream.connection;
  }

  /** Makes sure that the person sees an open question. */
  showDesk(question: Question, host: string): Promise<Shown> {
    return this.#showDesk(question, this.connection, host);
  }

  /**
   * The parameters of a form or page as the upstream server sent them, without what belongs to its own connection; undefined for any
   * other question. A handler that runs again sees the same, whether or not the question is still open.
   */
  received(question: Question): Readonly<Record<string, unknown>> | undefined {
    const before = this.#received.get(question);
    if (before) return before;
    const { _meta: sent, ...params } = this.connection.received(question.id) ?? {};
    if (params['message'] === undefined) return undefined;
    const { progressToken: _, [RELATED_TASK_META_KEY]: __, ...meta } = isRecord(sent) ? sent : {};
    const whole = Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params;
    this.#received.set(question, whole);
    return whole;
  }

  /**
   * Forwards a request of a host.
   * @throws MidcallError `host/cancelled` if the signal fires; `host/server-gone` if the server has gone, in words for hosts
   */
  async forward(request: ForwardedRequest, options?: ForwardOptions): Promise<ForwardedAnswer> {
    const { connection } = this;
    try {
      return await connection.forward(request, options);
    } catch (error) {
      if (!isMidcallError(error, 'host/server-gone')) throw error;
      const message = goneForHosts(error.message, connection, this.#warn);
      throw new MidcallError('host/server-gone', message, { cause: error });
    }
  }

  /** Sends this host the announcements of the upstream server. @returns a function that stops that */
  join(link: HostLink): () => void {
    this.#links.add(link);
    return () => {
      this.#links.delete(link);
      for (const uri of this.subscriptions.leave(link))
        this.connection.forward({ method: 'resources/unsubscribe', params: { uri } }).catch(() => {});
    };
  }

  /** Records a subscription that the server has accepted, unless its host has gone. @param params - of its request */
  subscribed(link: HostLink, params: unknown): void {
    if (this.#links.has(link)) this.subscriptions.add(link, params);
  }

  /**
   * Makes the upstream server log what this host wants to know: with each request if it takes a level with each, and in advance
   * if the level is set once.
   * @returns members for the request's `_meta`
   */
  async logsFor({ level }: HostLink): Promise<Readonly<Record<string, unknown>>> {
    if (level === undefined) return {};
    const { server, introduction } = this.connection;
    // A server without log levels logs what it chooses.
    if (!server || !introduction?.capabilities['logging']) return {};
    if (server.era === '2026-07-28') return { [LOG_LEVEL_META_KEY]: level };
    const most = [...this.#links].map(link => link.level).reduce(moreOf, level)!;
    if (this.#level === most) return {};
    this.#level = most;
    await this.forward({ method: 'logging/setLevel', params: { level: most } });
    return {};
  }

  /** A new session knows nothing of the one before: neither a log level nor subscriptions, and its lists may differ. */
  #renewed(): void {
    const { connection } = this;
    this.#warn(`'${connection.entry.id}': The server had lost its session. A new one was opened.`);
    const level = this.#level;
    this.#level = undefined;
    if (level !== undefined) for (const link of this.#links) void this.logsFor(link).catch(() => {});
    for (const uri of this.subscriptions.uris)
      connection.forward({ method: 'resources/subscribe', params: { uri } }).catch(() => {});
    for (const list of ['tools', 'prompts', 'resources'] as const)
      if (own(connection.introduction?.capabilities[list], 'listChanged') === true)
        for (const link of this.#links) link.announce({ method: `notifications/${list}/list_changed` });
  }

  /**
   * Stops the calls and the server.
   * @param options - `atOnce`: does not wait for a server process to exit by itself
   */
  async close(options: { readonly atOnce?: boolean } = {}): Promise<void> {
    const stopped = this.connection.stop(options);
    this.#stopListening();
    this.calls.close();
    await stopped;
  }
}

/** The outcome of a call as hosts are told of it. */
function outcomeForHosts(outcome: CallOutcome, connection: Connection, warn: (message: string) => void): CallOutcome {
  if (outcome.how !== 'server-gone' || outcome.nothingSent) return outcome;
  const message = `${goneForHosts(outcome.message, connection, warn)} ${callInDoubt}`;
  return { how: 'server-gone', message };
}

/** A host makes a call again that it takes to have failed, and the server is started again for it. */
export const callInDoubt = 'What this call did is in doubt: find out what took effect before calling again.';

/** @param reason - why the server has gone, with its own last words */
function goneForHosts(reason: string, connection: Connection, warn: (message: string) => void): string {
  const { entry, state, cutOff } = connection;
  if (cutOff !== undefined) return cutOff;
  if (state === 'stopped') return `The server '${entry.id}' was stopped.`;
  return withheld(`The server '${entry.id}' has stopped.`, `'${entry.id}': ${reason}`, warn);
}

/**
 * The model that an upstream server samples: the host's, if the client of the call has one, and otherwise another. The person
 * sees each request and each reply once, shown by whoever has the model.
 * @param otherwise - the model to use if the host has none
 * @param find - the call a request belongs to, by its id at the upstream server
 */
function hostModel(otherwise: SamplingModel, find: (id: string) => UpstreamCall | undefined): SamplingModel {
  return {
    ...otherwise,
    async run(request, options) {
      const upstreamCall = options.call === undefined ? undefined : find(options.call);
      if (!upstreamCall?.samplesAtHost) return otherwise.run(request, options);
      const result = await upstreamCall.sample(request, options.signal);
      return { result, usage: estimated(request.messages, result), notes: [], byHand: false };
    },
  };
}

/** An estimate of four characters per token, since hosts do not report tokens. */
const CHARACTERS_OF_A_TOKEN = 4;

type Content = Parameters<typeof blocksOf>[0];

function estimated(requested: readonly Content[], reply: Content) {
  const tokens = (content: Content): number =>
    Math.ceil(JSON.stringify(blocksOf(content)).length / CHARACTERS_OF_A_TOKEN);
  const inputTokens = requested.reduce((sum, message) => sum + tokens(message), 0);
  return { inputTokens, outputTokens: tokens(reply), estimated: true };
}
