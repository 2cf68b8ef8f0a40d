/**
 * The servers on a desk and what a person does with them: what the pages show, and what the buttons do. Holds no markup
 * and no request.
 *
 * - W1 What ended stays in view with its ending, for as long as it is remembered ({@link History}).
 * - W2 A server that is gone keeps its place and the names of what it offers, so that it can be started again.
 */
import { MidcallError } from '../../errors.ts';
import type {
  Audit,
  CallContext,
  CallHandle,
  Connection,
  ConnectionEvent,
  Inbox,
  Policy,
  Question,
  RootsManager,
  Rule,
  ServerEntry,
} from '../index.ts';
import { History } from './history.ts';
import type { Announcement } from './live.ts';
import { type Offers, shownOffers } from './shown-offers.ts';
import { texts } from './texts.ts';
import type { CallView, ModelsView, QuestionView, RootView, ServerView } from './views.ts';

/** The host's parts a desk is a view of. */
export interface WorkspaceParts {
  readonly inbox: Inbox;
  readonly policy: Policy;
  readonly audit: Audit;
  readonly roots: RootsManager;
  /** The models that answer sampling, to be shown; absent where the person writes the replies. */
  readonly models?: ModelsView;
  /** Makes the connection of one server; not started. */
  readonly connect: (entry: ServerEntry) => Connection;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

interface Server {
  readonly connection: Connection;
  offers: Offers;
  /** False from a start until its offers are known. */
  listed: boolean;
  readonly unsubscribe: () => void;
}

const nothing: Offers = { tools: [], prompts: [], resources: [] };

/** How many lines of a server's standard error are shown. */
const shownLog = 30;

/** How long a run waits for its first sign of life before its page is shown without one, in milliseconds. */
const firstSignMs = 250;

/** Everything on one desk. */
export class Workspace {
  readonly inbox: Inbox;
  readonly policy: Policy;
  readonly audit: Audit;
  readonly roots: RootsManager;
  readonly models: ModelsView | undefined;
  readonly now: () => number;
  readonly #connect: (entry: ServerEntry) => Connection;
  readonly #servers = new Map<string, Server>();
  readonly #history = new History();
  readonly #handles = new Map<string, CallHandle>();
  readonly #listeners = new Set<(announcement?: Announcement) => void>();
  readonly #ends: (() => void)[] = [];

  constructor(parts: WorkspaceParts) {
    this.inbox = parts.inbox;
    this.policy = parts.policy;
    this.audit = parts.audit;
    this.roots = parts.roots;
    this.models = parts.models;
    this.now = parts.now ?? Date.now;
    this.#connect = parts.connect;
    for (const question of this.inbox.list()) this.#asked(question);
    this.#ends.push(
      this.inbox.subscribe(event => {
        if (event.type === 'asked') this.#asked(event.question);
        else this.#questionEnded({ question: event.question, ending: event.ending, endedAt: event.endedAt });
      }),
      this.roots.subscribe(() => this.#changed()),
    );
  }

  /** Calls `listener` after every change a page may show. @returns ends the subscription */
  subscribe(listener: (announcement?: Announcement) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Puts a server on the desk and starts it. @returns when it is ready; rejects where it could not be started, and it stays on the desk */
  async add(entry: ServerEntry): Promise<void> {
    if (this.#servers.has(entry.id)) throw new MidcallError('cli/usage', texts.servers.taken(entry.id));
    const connection = this.#connect(entry);
    const unsubscribe = connection.subscribe(event => this.#heard(entry.id, event));
    this.#servers.set(entry.id, { connection, offers: nothing, listed: false, unsubscribe });
    this.#changed();
    await connection.start();
  }

  /** A name that no server on the desk has yet. */
  freeId(wanted: string): string {
    const base = wanted.trim() || 'server';
    for (let at = 1; ; at += 1) {
      const id = at === 1 ? base : `${base}-${at}`;
      if (!this.#servers.has(id)) return id;
    }
  }

  async restart(id: string): Promise<void> {
    await this.#server(id).connection.restart();
  }

  async stop(id: string): Promise<void> {
    await this.#server(id).connection.stop();
  }

  /** Stops a server and takes it off the desk; its calls stay in the history. */
  async remove(id: string): Promise<void> {
    const server = this.#server(id);
    await server.connection.stop();
    server.unsubscribe();
    this.#servers.delete(id);
    this.#changed();
  }

  servers(): readonly ServerView[] {
    return [...this.#servers].map(([id, server]) => this.#view(id, server));
  }

  server(id: string): ServerView | undefined {
    const server = this.#servers.get(id);
    return server && this.#view(id, server);
  }

  /** Calls of this session, newest first. */
  calls(): readonly CallView[] {
    return this.#history.calls();
  }

  call(id: string): CallView | undefined {
    return this.#history.call(id);
  }

  /** Questions of this session, newest first. */
  questions(): readonly QuestionView[] {
    return this.#history.questions();
  }

  question(id: string): QuestionView | undefined {
    return this.#history.question(id);
  }

  /**
   * Runs a tool, gets a prompt or reads a resource.
   * @returns the call's id, as soon as it has asked something or ended, or a moment has passed
   * @throws MidcallError `host/server-gone` where the server is not running
   */
  async run(serverId: string, request: Omit<CallContext, 'id'>): Promise<string> {
    const handle = this.#server(serverId).connection.run(request);
    this.#handles.set(handle.id, handle);
    this.#started({ id: handle.id, ...request }, serverId, this.now());
    await this.#firstSign(handle);
    return handle.id;
  }

  /** Stops a running call; its open questions are withdrawn. */
  cancel(callId: string): void {
    this.#handles.get(callId)?.cancel();
  }

  /**
   * Makes a standing decision, and records it.
   * @throws MidcallError `host/refused` for one that would answer a form or a URL
   */
  decide(rule: Pick<Rule, 'server' | 'subject' | 'effect'> & { readonly forMs?: number | undefined }): void {
    const { forMs, ...what } = rule;
    this.policy.add({ ...what, ...(forMs !== undefined && { forMs }) });
    this.audit.record({ type: 'policy', what: `${rule.effect} ${rule.subject} for ${rule.server}` });
    this.#changed();
  }

  /** Takes a standing decision back. */
  revoke(id: string): void {
    if (!this.policy.revoke(id)) return;
    this.audit.record({ type: 'policy', what: `revoked ${id}` });
    this.#changed();
  }

  /**
   * Refuses everything a server asks; what it has asked already ends as refused by policy.
   * @param forMs - milliseconds; for the session where absent
   */
  mute(serverId: string, forMs?: number): void {
    this.decide({ server: serverId, subject: '*', effect: 'refuse', forMs });
    const verdict = this.policy.judge(serverId, 'form', 0);
    if (verdict.do === 'refuse') this.inbox.endAll(serverId, { how: 'refused-by-policy', rule: verdict.why });
  }

  /** Stops every server and stops listening. */
  async close(): Promise<void> {
    for (const end of this.#ends) end();
    await Promise.allSettled([...this.#servers.values()].map(server => server.connection.stop()));
  }

  #server(id: string): Server {
    const server = this.#servers.get(id);
    if (!server) throw new MidcallError('host/not-found', texts.servers.unknown);
    return server;
  }

  #view(id: string, { connection, offers, listed }: Server): ServerView {
    const info = connection.server;
    const roots: RootView[] = (this.roots.granted(id) ?? []).map(root => {
      const known = this.roots.list().find(each => each.uri === root.uri);
      return { ...root, path: known?.path ?? root.uri };
    });
    return {
      id,
      origin: connection.origin,
      state: connection.state === 'ready' && !listed ? 'starting' : connection.state,
      ...(connection.problem !== undefined && { reason: connection.problem }),
      ...(info && { self: `${info.name} ${info.version}`.trim(), era: info.protocolVersion }),
      ...offers,
      roots,
      ...(connection.account && { account: connection.account }),
      log: connection.stderr.slice(-shownLog),
    };
  }

  #heard(serverId: string, event: ConnectionEvent): void {
    switch (event.type) {
      case 'state':
        if (event.state === 'starting') this.#unlisted(serverId);
        if (event.state === 'ready') void this.#readOffers(serverId);
        this.#changed(event.state === 'failed' ? { text: texts.servers.wentAway(serverId), alert: false } : undefined);
        break;
      case 'catalogue-changed':
        void this.#readOffers(serverId);
        break;
      case 'call-started':
        this.#started(event.call, serverId, event.startedAt);
        break;
      case 'call-progress':
        this.#update(event.call.id, { progress: event.progress });
        break;
      case 'call-ended':
        this.#handles.delete(event.call.id);
        this.#update(event.call.id, { outcome: event.outcome, endedAt: event.endedAt });
        break;
      case 'refused':
      case 'allowed':
        if (event.call) this.#history.noticed(event.call.id, { notice: event, at: this.now() });
        this.#changed();
        break;
      case 'page-completed':
        this.#changed();
        break;
    }
  }

  #unlisted(serverId: string): void {
    const server = this.#servers.get(serverId);
    if (server) server.listed = false;
  }

  async #readOffers(serverId: string): Promise<void> {
    const server = this.#servers.get(serverId);
    if (!server) return;
    try {
      server.offers = shownOffers(await server.connection.catalogue());
    } catch {
      // Its offers stay as they were; what went wrong shows where one is run.
    }
    server.listed = true;
    this.#changed();
  }

  #started(context: CallContext, serverId: string, startedAt: number): void {
    this.#history.started(context, serverId, startedAt);
    this.#changed();
  }

  #update(...change: Parameters<History['update']>): void {
    this.#history.update(...change);
    this.#changed();
  }

  #asked(question: Question): void {
    this.#history.asked(question);
    this.#changed({ text: texts.inbox.arrived(question.asker.id, question.call?.name), alert: true });
  }

  #questionEnded(view: QuestionView): void {
    this.#history.ended(view);
    this.#changed(view.ending && { text: texts.ending.sentence(view.ending), alert: false });
  }

  #firstSign(handle: CallHandle): Promise<void> {
    return new Promise(resolve => {
      const look = (): void => {
        const call = this.#history.call(handle.id);
        if (call?.outcome || (call && call.items.length > 0)) done();
      };
      const timer = setTimeout(() => done(), firstSignMs);
      const stop = this.subscribe(look);
      const done = (): void => {
        clearTimeout(timer);
        stop();
        resolve();
      };
      look();
    });
  }

  #changed(announcement?: Announcement): void {
    for (const listener of this.#listeners) listener(announcement);
  }
}
