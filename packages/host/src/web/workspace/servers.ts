/**
 * The servers on a desk: added, started, stopped and removed, each with what it offers.
 *
 * - desk-W1 A server that has stopped keeps its place and the names of what it offers, so that it can be started again.
 */
import { MidcallError } from '@midcall/core/errors';
import { isRecord } from '@midcall/core/json';
import type { Clock } from '@midcall/core/time';
import { type ConnectionEvent, type ListProblem, type OfferedRoots, type ServerEntry, visible } from '../../index.ts';
import type { RememberedOffer } from '../keeping/index.ts';
import { texts } from '../texts/index.ts';
import type { DeskConnection } from './desk-connection.ts';
import type { Announcement } from './live.ts';
import { asOffers, manyOf, type Offers, offersAfter, rememberedIn, shownOffers } from './offers.ts';
import type { OfferKind, RootView, ServerView } from './views.ts';

/** What the servers depend on, and who is told of them. */
export interface DeskServersParts {
  readonly roots: OfferedRoots;
  readonly clock: Clock;
  /** The decision that refuses everything a server asks, if there is one. */
  readonly mutedBy: (id: string, origin: string) => string | undefined;
  /** Makes the connection of one server; not started. */
  readonly connect: (entry: ServerEntry) => DeskConnection;
  /** Stores the last messages of a server. @returns stops that */
  readonly follow: (serverId: string, connection: DeskConnection) => () => void;
  /** Called with everything a server does, once its own state is up to date. */
  readonly onEvent: (serverId: string, event: ConnectionEvent) => void;
  /** Called when anything that is shown has changed. */
  readonly onChange: (announcement?: Announcement) => void;
  /** Called when a server has been renamed. */
  readonly renamed: (from: string, to: string) => Promise<void>;
  /** Stores the names of what a server offers. */
  readonly keepOffers: (id: string, remembered: readonly RememberedOffer[]) => void;
  /** Changes the stored list of servers; resolves once it is stored. */
  readonly keep: (make: (servers: readonly ServerEntry[]) => readonly ServerEntry[]) => Promise<void>;
}

/** Options for adding a server to the desk. */
export interface AddOptions {
  /** False to start it only when it is first opened. */
  readonly start?: boolean;
  /** True for a server that is in the stored list already. */
  readonly stored?: boolean;
  /** What it offered when it ran last. */
  readonly remembered?: readonly RememberedOffer[];
}

interface Server {
  readonly connection: DeskConnection;
  /** True if it is stored for the next session. */
  stored: boolean;
  /** True until it is started for the first time. */
  fresh: boolean;
  offers: Offers;
  unlisted: readonly ListProblem[];
  /** When its latest start began; milliseconds since the epoch. */
  startedAt?: number;
  /** False from a start until its offers are known. */
  listed: boolean;
  /** The latest reading of its offers. */
  listing?: Promise<void>;
  readonly unsubscribe: () => void;
}

const nothing: Offers = { tools: [], prompts: [], resources: [] };

/** How many proposals for an argument are shown; the protocol allows as many in one answer. */
const mostCompletions = 100;

/** How many lines of a server's standard error are shown. */
const shownLog = 30;

/** Servers by id. */
export class DeskServers {
  readonly #parts: DeskServersParts;
  readonly #servers = new Map<string, Server>();

  constructor(parts: DeskServersParts) {
    this.#parts = parts;
  }

  /**
   * Puts a server on the desk and starts it, unless it is running. @returns when it is ready; rejects if it could not be
   * started; it stays on the desk then
   */
  async add(entry: ServerEntry, { start = true, stored = false, remembered }: AddOptions = {}): Promise<void> {
    if (this.#servers.has(entry.id)) throw new MidcallError('cli/usage', texts.servers.taken(entry.id));
    const made = this.#made(entry, stored);
    if (remembered) made.offers = asOffers(remembered);
    this.#servers.set(entry.id, made);
    this.#parts.onChange();
    if (this.connection(entry.id).state === 'ready') await this.#readOffers(entry.id);
    else if (start && !entry.disabled) await this.#start(entry.id);
  }

  /**
   * Puts a server of another process on the desk, in the place of one of that name whose process is gone.
   * @param make - makes its connection, by the name that it has here
   * @returns the name
   */
  join(proposed: string, make: (id: string) => DeskConnection): string {
    const isGone = ({ connection }: Server): boolean =>
      connection.elsewhere !== undefined && connection.state === 'failed';
    const id = this.freeId(proposed, isGone);
    this.#servers.get(id)?.unsubscribe();
    const connection = make(id);
    this.#servers.set(id, this.#with(connection, false));
    this.#parts.onChange();
    if (connection.state === 'ready') void this.#readOffers(id);
    return id;
  }

  /** Starts a server that was not started yet, without waiting for it. One that was stopped stays stopped. */
  need(id: string): void {
    if (this.#servers.get(id)?.fresh) void this.#start(id).catch(() => {});
  }

  /** What a server calls something that it offers in words, if it does. */
  titleOf(id: string, kind: OfferKind, name: string): string | undefined {
    return this.#servers.get(id)?.offers[manyOf[kind]].find(offer => offer.name === name)?.title;
  }

  /**
   * What a server proposes for an argument of a prompt or a resource template; nothing if it does not complete.
   * @param name - of the argument
   * @param filledIn - the other arguments so far
   */
  async complete(
    id: string,
    ref: { readonly kind: OfferKind; readonly name: string },
    { name, value }: { readonly name: string; readonly value: string },
    filledIn: Readonly<Record<string, unknown>>,
  ): Promise<readonly string[]> {
    const { connection } = this.#server(id);
    if (connection.server?.completes !== true) return [];
    const others = Object.entries(filledIn).filter(([key, each]) => key !== name && typeof each === 'string');
    const params = {
      ref: ref.kind === 'prompt' ? { type: 'ref/prompt', name: ref.name } : { type: 'ref/resource', uri: ref.name },
      argument: { name, value },
      ...(others.length > 0 && { context: { arguments: Object.fromEntries(others) } }),
    };
    const answer = await connection.forward({ method: 'completion/complete', params }).catch(() => undefined);
    const completion = answer && 'result' in answer ? answer.result['completion'] : undefined;
    const values = isRecord(completion) ? completion['values'] : undefined;
    const isShown = (each: unknown): each is string => typeof each === 'string' && visible(each) === each;
    return Array.isArray(values) ? values.filter(isShown).slice(0, mostCompletions) : [];
  }

  /** How a server is reached. */
  entry(id: string): ServerEntry {
    return this.connection(id).entry;
  }

  /** Stores a server for the next session. */
  async keep(id: string): Promise<void> {
    const server = this.#server(id);
    server.stored = true;
    const { entry } = server.connection;
    this.#parts.onChange();
    await this.#parts.keep(all => (all.some(each => each.id === id) ? all : [...all, entry]));
    if (server.listed) this.#parts.keepOffers(id, rememberedIn(server.offers));
  }

  /**
   * Replaces a server by its changed entry, stores it, and starts it if it was started before, without waiting for that. The
   * person's decisions about it still apply.
   * @throws MidcallError `cli/usage` if its name is taken
   */
  async replace(id: string, entry: ServerEntry): Promise<void> {
    const before = this.#server(id);
    if (entry.id !== id && this.#servers.has(entry.id))
      throw new MidcallError('cli/usage', texts.servers.taken(entry.id));
    const runs = before.connection.state === 'ready' || before.connection.state === 'starting';
    before.unsubscribe();
    await before.connection.stop();
    const replacement = this.#made(entry, true);
    const all = [...this.#servers].map(([each, server]) =>
      each === id ? ([entry.id, replacement] as const) : ([each, server] as const),
    );
    this.#servers.clear();
    for (const [each, server] of all) this.#servers.set(each, server);
    if (entry.id !== id) await this.#parts.renamed(id, entry.id);
    this.#parts.onChange();
    await this.#parts.keep(stored => {
      const isStored = stored.some(each => each.id === id);
      return isStored ? stored.map(each => (each.id === id ? entry : each)) : [...stored, entry];
    });
    if (runs) void this.#start(entry.id).catch(() => {});
  }

  /** Moves a server up or down. */
  async move(id: string, by: 1 | -1): Promise<void> {
    const all = [...this.#servers];
    const at = all.findIndex(([each]) => each === id);
    const other = all[at + by];
    if (at < 0 || !other) return;
    [all[at], all[at + by]] = [other, all[at]!];
    this.#servers.clear();
    for (const [each, server] of all) this.#servers.set(each, server);
    this.#parts.onChange();
    const order = all.map(([each]) => each);
    const place = (entry: ServerEntry): number => (order.includes(entry.id) ? order.indexOf(entry.id) : order.length);
    await this.#parts.keep(stored => [...stored].sort((a, b) => place(a) - place(b)));
  }

  /** A name that no server on the desk has yet, or only one that may be replaced. */
  freeId(proposed: string, isReplaceable: (server: Server) => boolean = () => false): string {
    const trimmed = proposed.trim();
    // Dots alone cannot be a segment of an address.
    const base = /^\.{0,2}$/.test(trimmed) ? 'server' : trimmed;
    for (let at = 1; ; at += 1) {
      const id = at === 1 ? base : `${base}-${at}`;
      const taken = this.#servers.get(id);
      if (!taken || isReplaceable(taken)) return id;
    }
  }

  /** @returns when it is ready, and what it offers is known */
  async restart(id: string): Promise<void> {
    const server = this.#server(id);
    server.fresh = false;
    await server.connection.restart();
    await server.listing;
  }

  async stop(id: string): Promise<void> {
    await this.connection(id).stop();
  }

  /** Stops a server and removes it from the desk; its calls stay in the history. */
  async remove(id: string): Promise<void> {
    const { connection, unsubscribe } = this.#server(id);
    await connection.stop();
    unsubscribe();
    this.#servers.delete(id);
    this.#parts.onChange();
    await this.#parts.keep(all => (all.some(each => each.id === id) ? all.filter(each => each.id !== id) : all));
  }

  list(): readonly ServerView[] {
    return [...this.#servers].map(([id, server]) => this.#view(id, server));
  }

  get(id: string): ServerView | undefined {
    const server = this.#servers.get(id);
    return server && this.#view(id, server);
  }

  /** @throws MidcallError `host/not-found` if no server has this id */
  connection(id: string): DeskConnection {
    return this.#server(id).connection;
  }

  /** True for one that the desk runs itself, and has not removed. */
  isOwn(id: string): boolean {
    const server = this.#servers.get(id);
    return server !== undefined && server.connection.elsewhere === undefined;
  }

  /** Stops every server of the desk's own. */
  async close(): Promise<void> {
    const own = [...this.#servers.values()].filter(({ connection }) => connection.elsewhere === undefined);
    await Promise.allSettled(own.map(server => server.connection.stop()));
  }

  #made(entry: ServerEntry, stored: boolean): Server {
    return this.#with(this.#parts.connect(entry), stored);
  }

  #with(connection: DeskConnection, stored: boolean): Server {
    const { entry } = connection;
    const ends = [
      connection.subscribe(event => this.#heard(entry.id, event)),
      this.#parts.follow(entry.id, connection),
    ];
    const unsubscribe = (): void => {
      for (const end of ends) end();
    };
    return {
      connection,
      stored,
      // One that is switched off in its list is not started by a look at its page.
      fresh: connection.elsewhere === undefined && !entry.disabled,
      offers: nothing,
      unlisted: [],
      listed: false,
      unsubscribe,
    };
  }

  async #start(id: string): Promise<void> {
    const server = this.#server(id);
    server.fresh = false;
    await server.connection.start();
  }

  #server(id: string): Server {
    const server = this.#servers.get(id);
    if (!server) throw new MidcallError('host/not-found', texts.servers.unknown);
    return server;
  }

  #view(id: string, { connection, offers, unlisted, listed, stored, fresh, startedAt }: Server): ServerView {
    const { roots } = this.#parts;
    const info = connection.server;
    const muted = this.#parts.mutedBy(id, connection.origin);
    const granted: RootView[] = (roots.granted(id) ?? []).map(root => {
      const offered = roots.list().find(each => each.uri === root.uri);
      return { ...root, path: offered ? texts.roots.place(offered) : root.uri };
    });
    return {
      id,
      origin: connection.origin,
      stored,
      fresh: fresh && connection.state === 'stopped',
      state: connection.state === 'ready' && !listed ? 'starting' : connection.state,
      ...(startedAt !== undefined && { startedAt }),
      ...(connection.problem !== undefined && { reason: connection.problem }),
      ...(info && { self: `${info.name} ${info.version}`.trim(), era: info.protocolVersion }),
      ...(muted !== undefined && { muted }),
      ...(info?.completes && { completes: true }),
      ...offers,
      unlisted,
      roots: granted,
      ...(connection.elsewhere !== undefined && { elsewhere: connection.elsewhere }),
      ...(connection.account && { account: connection.account }),
      log: connection.stderr.slice(-shownLog),
    };
  }

  #heard(id: string, event: ConnectionEvent): void {
    const server = this.#servers.get(id);
    if (event.type === 'state') {
      if (server && event.state === 'starting')
        Object.assign(server, { listed: false, startedAt: this.#parts.clock.now() });
      if (server && event.state === 'ready') {
        server.listing = this.#readOffers(id);
        // Calls that an earlier desk, or an earlier start, has left; the connection reports why they cannot be read.
        server.connection.resume().catch(() => {});
      }
      const away = event.state === 'failed' ? { text: texts.servers.wentAway(id), alert: false } : undefined;
      this.#parts.onChange(away);
    } else if (event.type === 'catalogue-changed') void this.#readOffers(id);
    else if (event.type === 'stderr' && server?.connection.state === 'starting') this.#parts.onChange();
    this.#parts.onEvent(id, event);
  }

  async #readOffers(id: string): Promise<void> {
    const server = this.#servers.get(id);
    if (!server) return;
    try {
      const catalogue = await server.connection.catalogue();
      // A server that stopped meanwhile keeps its offers (desk-W1).
      if (server.connection.state === 'ready') {
        server.offers = offersAfter(server.offers, shownOffers(catalogue), catalogue.problems);
        server.unlisted = catalogue.problems;
        if (server.stored) this.#parts.keepOffers(id, rememberedIn(server.offers));
      }
    } catch {
      // Its offers stay as they were; what went wrong shows where one is run.
    }
    server.listed = true;
    this.#parts.onChange();
  }
}
