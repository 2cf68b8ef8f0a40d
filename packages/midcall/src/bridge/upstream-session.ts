/**
 * One running upstream server of a bridge with everything that belongs to it: its connection, its calls, the directories it is
 * told of, and the hosts that hear what it announces.
 */
import { hash } from 'node:crypto';
import { canonical, defined } from '@midcall/core/json';
import type { SamplingModel } from '@midcall/core/sampling';
import type { Clock } from '@midcall/core/time';
import type { Connection, ConnectionOptions, Inbox, OfferedRoots, Question, ServerEntry } from '@midcall/host';
import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/server';
import { passAnnouncements, passCompletion } from './announcements.ts';
import { type HostLink, moreOf } from './host-link.ts';
import { hostModel } from './host-model.ts';
import { HostRoots } from './host-roots.ts';
import { asksSignIn } from './sign-in-wait.ts';
import { withStatus } from './status-progress.ts';
import { unclaimed } from './unclaimed.ts';
import { Upstream } from './upstream.ts';
import { UpstreamCalls } from './upstream-calls.ts';

/** Milliseconds the upstream server may take to start. The host gives up long before, by a time of its own. */
const START_MS = 300_000;

/** Bytes of one message of the upstream server: results with pictures and files in them are large. */
const MESSAGE_BYTES = 64 * 1024 * 1024;

/** What a session needs. */
export interface UpstreamSessionOptions
  extends Pick<
    ConnectionOptions,
    'client' | 'principal' | 'policy' | 'audit' | 'authorization' | 'era' | 'started' | 'maxMessageBytes' | 'declares'
  > {
  readonly inbox: Inbox;
  readonly clock: Clock;
  /** The directories the server is told of; undefined where it is told that there are none to ask for. */
  readonly roots: OfferedRoots | undefined;
  /** True where the directories are the host's, and follow what it says. */
  readonly followsHostRoots: boolean;
  /** What replies to sampling where the host has no model, or always. */
  readonly sampling: { readonly model: SamplingModel; readonly always: boolean };
  /** Shows an open question to the person on the desk. @returns false where there is no way to */
  readonly showDesk: (question: Question, connection: Connection) => Promise<boolean>;
  /** Milliseconds a call goes on, or its result is kept, while no client waits for it. */
  readonly keptMs: number;
  readonly warn: (message: string) => void;
  /** Told when a list of the server has changed; beside the hosts that have joined. */
  readonly onListChanged?: (list: 'tools' | 'prompts' | 'resources') => void;
}

/** A running upstream server. */
export class UpstreamSession {
  readonly upstream: Upstream;
  readonly calls: UpstreamCalls;
  readonly inbox: Inbox;
  /** Undefined where the host's roots are not passed on. */
  readonly hostRoots: HostRoots | undefined;
  /** The pages hosts were asked to open, to be told when they are finished (2025-11-25). */
  readonly pagesAtHost = new Set<string>();
  readonly #links = new Set<HostLink>();
  /** What a server of 2025-11-25 was last told to log. */
  #level: string | undefined;
  readonly #showDesk: UpstreamSessionOptions['showDesk'];
  readonly #stopListening: () => void;

  private constructor(upstream: Upstream, calls: UpstreamCalls, options: UpstreamSessionOptions) {
    const { connection } = upstream;
    const { roots, followsHostRoots, clock, warn } = options;
    this.upstream = upstream;
    this.calls = calls;
    this.inbox = options.inbox;
    this.hostRoots =
      roots && followsHostRoots
        ? new HostRoots({ manager: roots, server: connection.entry.id, clock, warn })
        : undefined;
    this.#showDesk = options.showDesk;
    const listen = (): void => {
      this.#level = undefined;
      if (connection.client) passAnnouncements(connection.client, this.#links);
    };
    listen();
    this.#stopListening = connection.subscribe(event => {
      if (event.type === 'state' && event.state === 'ready') listen();
      if (event.type === 'page-completed' && this.pagesAtHost.delete(event.elicitationId))
        passCompletion(event.elicitationId, this.#links);
      if (event.type !== 'catalogue-changed') return;
      for (const link of this.#links) link.announce({ method: `notifications/${event.list}/list_changed` });
      options.onListChanged?.(event.list);
    });
  }

  /**
   * Starts or reaches the server.
   * @param stopped - fires when nobody needs the server any more; one that is not up yet is stopped then
   * @throws MidcallError `host/not-found` where it can be neither started nor reached
   */
  static async start(
    entry: ServerEntry,
    options: UpstreamSessionOptions,
    stopped: AbortSignal,
  ): Promise<UpstreamSession> {
    const { inbox, clock, sampling, keptMs, client, roots, warn, showDesk } = options;
    const { principal, policy, audit, authorization, era, started, declares } = options;
    const model: SamplingModel = sampling.always ? sampling.model : hostModel(sampling.model, id => calls.get(id));
    // Decided, so that nobody is asked: the host's list is what the server is told, and that is empty until the host has given it.
    if (options.followsHostRoots) await roots?.grant(entry.id, []);
    let starting: Connection | undefined;
    // Nobody has called yet: a sign-in that the start waits for is the desk's.
    const stopShowing = inbox.subscribe(event => {
      if (event.type !== 'asked' || !asksSignIn(event.question, entry.id) || !starting) return;
      const connection = starting;
      void unclaimed(event.question, { inbox, clock, showDesk: each => showDesk(each, connection), keptMs });
    });
    const upstream = await Upstream.start(
      entry,
      {
        client,
        inbox,
        clock,
        sampling: { model },
        startTimeoutMs: START_MS,
        maxMessageBytes: options.maxMessageBytes ?? MESSAGE_BYTES,
        ...defined({ principal, policy, audit, authorization, era, roots, started, declares }),
      },
      warn,
      stopped,
      connection => {
        starting = connection;
      },
    ).finally(stopShowing);
    const { connection } = upstream;
    const show = (question: Question): Promise<boolean> => showDesk(question, connection);
    const calls: UpstreamCalls = new UpstreamCalls({
      inbox,
      server: entry.id,
      unclaimed: question => void unclaimed(question, { inbox, clock, showDesk: show, keptMs }),
      clock,
      keptMs,
      run: (request, onProgress, caller) => {
        const handlers = withStatus(onProgress);
        // The host decides how long it may take.
        const timeoutMs = Number.POSITIVE_INFINITY;
        return connection.run(request, { ...handlers, timeoutMs, asItCame: true, ...defined({ principal: caller }) });
      },
      digest: ({ kind, name, arguments: args = {}, rest: { _meta: _, ...rest } = {} }, caller = '') =>
        hash('sha256', canonical([caller, kind, name, args, rest]), 'base64url'),
    });
    return new UpstreamSession(upstream, calls, options);
  }

  get connection(): Connection {
    return this.upstream.connection;
  }

  /** Makes sure that the person sees an open question. @returns false where there is no way to show them */
  showDesk(question: Question): Promise<boolean> {
    return this.#showDesk(question, this.connection);
  }

  /** This host hears what the upstream server announces. @returns ends that */
  join(link: HostLink): () => void {
    this.#links.add(link);
    return () => void this.#links.delete(link);
  }

  /**
   * Sees to it that the upstream server logs what this host wants to know: with a request where it is asked with each, and beforehand
   * where it is told once for all.
   * @returns members of the request's `_meta`
   */
  async logsFor(link: HostLink): Promise<Readonly<Record<string, unknown>>> {
    const logs = this.logsNow(link);
    if (logs) return logs;
    const most = this.#mostOf(link.level);
    this.#level = most;
    // One that cannot be told logs what it does by itself.
    await this.connection.forward({ method: 'logging/setLevel', params: { level: most } });
    return {};
  }

  /** The same if nothing must be announced first; otherwise undefined. */
  logsNow({ level }: HostLink): Readonly<Record<string, unknown>> | undefined {
    if (level === undefined) return {};
    const { server, introduction } = this.connection;
    if (!server || !introduction?.capabilities['logging']) return {};
    if (server.era === '2026-07-28') return { [LOG_LEVEL_META_KEY]: level };
    return this.#level === this.#mostOf(level) ? {} : undefined;
  }

  #mostOf(level: string | undefined): string {
    return [...this.#links].map(link => link.level).reduce(moreOf, level)!;
  }

  /**
   * Stops the calls and the server.
   * @param options - `atOnce`: a server that was started is not given the time to end by itself
   */
  async close(options: { readonly atOnce?: boolean } = {}): Promise<void> {
    const stopped = this.connection.stop(options);
    this.#stopListening();
    this.calls.close();
    await stopped;
  }
}
