/**
 * The servers on a desk: put there, started, stopped and taken off, each with what it offers.
 *
 * - desk-W1 A server that is gone keeps its place and the names of what it offers, so that it can be started again.
 */
import { MidcallError } from '@midcall/core/errors';
import type { Connection, ConnectionEvent, ListProblem, OfferedRoots, ServerEntry } from '../../index.ts';
import { texts } from '../texts/texts.ts';
import type { Announcement } from './live.ts';
import { type Offers, offersAfter, shownOffers } from './offers.ts';
import type { RootView, ServerView } from './views.ts';

/** What the servers stand on, and who is told of them. */
export interface DeskServersParts {
  readonly roots: OfferedRoots;
  /** Makes the connection of one server; not started. */
  readonly connect: (entry: ServerEntry) => Connection;
  /** Told of everything a server does, once its own state is up to date. */
  readonly onEvent: (serverId: string, event: ConnectionEvent) => void;
  /** Told where something that is shown has changed. */
  readonly onChange: (announcement?: Announcement) => void;
}

interface Server {
  readonly connection: Connection;
  offers: Offers;
  unlisted: readonly ListProblem[];
  /** False from a start until its offers are known. */
  listed: boolean;
  /** The last reading of its offers. */
  listing?: Promise<void>;
  readonly unsubscribe: () => void;
}

const nothing: Offers = { tools: [], prompts: [], resources: [] };

/** How many lines of a server's standard error are shown. */
const shownLog = 30;

/** Servers by id. */
export class DeskServers {
  readonly #parts: DeskServersParts;
  readonly #servers = new Map<string, Server>();

  constructor(parts: DeskServersParts) {
    this.#parts = parts;
  }

  /** Puts a server on the desk and starts it, where it does not run already. @returns when it is ready; rejects where it could not be started, and it stays on the desk */
  async add(entry: ServerEntry): Promise<void> {
    if (this.#servers.has(entry.id)) throw new MidcallError('cli/usage', texts.servers.taken(entry.id));
    const connection = this.#parts.connect(entry);
    const unsubscribe = connection.subscribe(event => this.#heard(entry.id, event));
    this.#servers.set(entry.id, { connection, offers: nothing, unlisted: [], listed: false, unsubscribe });
    this.#parts.onChange();
    if (connection.state === 'ready') await this.#readOffers(entry.id);
    else await connection.start();
  }

  /** A name that no server on the desk has yet. */
  freeId(wanted: string): string {
    const base = wanted.trim() || 'server';
    for (let at = 1; ; at += 1) {
      const id = at === 1 ? base : `${base}-${at}`;
      if (!this.#servers.has(id)) return id;
    }
  }

  /** @returns when it is ready, and what it offers is known */
  async restart(id: string): Promise<void> {
    const server = this.#server(id);
    await server.connection.restart();
    await server.listing;
  }

  async stop(id: string): Promise<void> {
    await this.connection(id).stop();
  }

  /** Stops a server and takes it off the desk; its calls stay in the history. */
  async remove(id: string): Promise<void> {
    const { connection, unsubscribe } = this.#server(id);
    await connection.stop();
    unsubscribe();
    this.#servers.delete(id);
    this.#parts.onChange();
  }

  list(): readonly ServerView[] {
    return [...this.#servers].map(([id, server]) => this.#view(id, server));
  }

  get(id: string): ServerView | undefined {
    const server = this.#servers.get(id);
    return server && this.#view(id, server);
  }

  /** @throws MidcallError `host/not-found` where no server has this id */
  connection(id: string): Connection {
    return this.#server(id).connection;
  }

  /** Stops every server. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#servers.values()].map(server => server.connection.stop()));
  }

  #server(id: string): Server {
    const server = this.#servers.get(id);
    if (!server) throw new MidcallError('host/not-found', texts.servers.unknown);
    return server;
  }

  #view(id: string, { connection, offers, unlisted, listed }: Server): ServerView {
    const { roots } = this.#parts;
    const info = connection.server;
    const granted: RootView[] = (roots.granted(id) ?? []).map(root => {
      const known = roots.list().find(each => each.uri === root.uri);
      return { ...root, path: known ? texts.roots.place(known) : root.uri };
    });
    return {
      id,
      origin: connection.origin,
      state: connection.state === 'ready' && !listed ? 'starting' : connection.state,
      ...(connection.problem !== undefined && { reason: connection.problem }),
      ...(info && { self: `${info.name} ${info.version}`.trim(), era: info.protocolVersion }),
      ...offers,
      unlisted,
      roots: granted,
      ...(connection.account && { account: connection.account }),
      log: connection.stderr.slice(-shownLog),
    };
  }

  #heard(id: string, event: ConnectionEvent): void {
    const server = this.#servers.get(id);
    if (event.type === 'state') {
      if (server && event.state === 'starting') server.listed = false;
      if (server && event.state === 'ready') server.listing = this.#readOffers(id);
      const away = event.state === 'failed' ? { text: texts.servers.wentAway(id), alert: false } : undefined;
      this.#parts.onChange(away);
    } else if (event.type === 'catalogue-changed') void this.#readOffers(id);
    this.#parts.onEvent(id, event);
  }

  async #readOffers(id: string): Promise<void> {
    const server = this.#servers.get(id);
    if (!server) return;
    try {
      const catalogue = await server.connection.catalogue();
      // A server that went away meanwhile keeps what it had (desk-W1).
      if (server.connection.state === 'ready') {
        server.offers = offersAfter(server.offers, shownOffers(catalogue), catalogue.problems);
        server.unlisted = catalogue.problems;
      }
    } catch {
      // Its offers stay as they were; what went wrong shows where one is run.
    }
    server.listed = true;
    this.#parts.onChange();
  }
}
