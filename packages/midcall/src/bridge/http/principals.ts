/** What each principal of a bridge has: questions, possibly a desk, and upstream servers; and how many servers there may be. */
import { MidcallError } from '@midcall/core/errors';
import { defined } from '@midcall/core/json';
import { systemClock } from '@midcall/core/time';
import { type ConnectionOptions, Inbox, type OfferedRoots, type Policy, type ServerEntry } from '@midcall/host';
import type { PersonDesk } from '../desk/index.ts';
import { declaredIn } from '../link/index.ts';
import { UpstreamSession, type UpstreamSessionOptions, withheld } from '../upstream/index.ts';
import { type Caller, localCaller } from './callers.ts';
import { type HostKind, type PoolUser, UpstreamPool } from './upstream-pool.ts';

/** How principals are served. */
export interface PrincipalsOptions
  extends Pick<ConnectionOptions, 'client' | 'policy' | 'rules' | 'audit' | 'authorization' | 'era' | 'clock'> {
  /** The directories that the operator granted to every upstream server; those of hosts are then not asked for. */
  readonly roots: OfferedRoots | undefined;
  /** Makes room for the directories of one host; undefined if hosts are on other machines. */
  readonly hostRoots: (() => OfferedRoots) | undefined;
  readonly sampling: UpstreamSessionOptions['sampling'];
  /** Makes the decisions and counters of a principal without a desk; the principal with a desk uses `policy`. */
  readonly makePolicy?: () => Policy;
  /** Makes the desk of the person at this machine, over their inbox. */
  readonly makeDesk: (inbox: Inbox) => PersonDesk;
  /** Makes the inbox of a principal without a desk, over their questions; they have none if absent. */
  readonly makeInbox?: (principal: string, questions: Inbox) => PersonDesk;
  readonly warn: (message: string) => void;
  /** Called with errors that no host is told of. */
  readonly onError?: (error: Error) => void;
  /** How many milliseconds a call continues while no client waits for it; 15 minutes if absent. */
  readonly unclaimedMs?: number;
  /** How many milliseconds an unused upstream server is kept; 10 minutes if absent. */
  readonly idleMs?: number;
  /** The most upstream servers at a time, for all principals together; 100 if absent. */
  readonly maxServers?: number;
  /** The most for one principal; 20 if absent. */
  readonly maxServersPerCaller?: number;
}

/** What a principal has. */
interface PrincipalState {
  /** The caller's id. */
  readonly id: string;
  readonly inbox: Inbox;
  /** Where its person is asked what hosts cannot show. */
  readonly desk: PersonDesk | undefined;
  /** True for the person at this machine. */
  readonly isHere: boolean;
  readonly policy: Policy | undefined;
  /** Upstream servers by the id of their entry. */
  readonly pools: Map<string, UpstreamPool>;
}

/** The state of every principal, and its limits. */
export class Principals {
  readonly #options: PrincipalsOptions;
  readonly #closed = new AbortController();
  readonly #states = new Map<string, PrincipalState>();
  #asks = true;
  onListChanged: (entry: ServerEntry, list: 'tools' | 'prompts' | 'resources') => void = () => {};

  constructor(options: PrincipalsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#pools().reduce((sum, pool) => sum + pool.size, 0);
  }

  /**
   * What a server is told of a host; a shared server is told nothing of any.
   * @param capabilities - as the host declares them
   */
  kindOf(caller: Caller, entry: ServerEntry, capabilities: object): HostKind {
    if (isShared(caller, entry)) return { hasRoots: false, declares: {} };
    const passesRoots = this.#options.hostRoots !== undefined && !this.#options.roots;
    return { hasRoots: passesRoots && 'roots' in capabilities, declares: declaredIn(capabilities) };
  }

  /** The servers of a caller for an entry. Ask for them at each use: a principal without servers is forgotten. */
  pool(caller: Caller, entry: ServerEntry): UpstreamPool {
    const state = this.#state(holderOf(caller, entry));
    const current = state.pools.get(entry.id);
    if (current) return current;
    const { clock = systemClock, idleMs = 600_000 } = this.#options;
    const pool = new UpstreamPool({
      clock,
      idleMs,
      start: (number, kind) => this.#start(state, entry, number, kind),
      onEmpty: () => this.#drop(state),
    });
    state.pools.set(entry.id, pool);
    return pool;
  }

  /** Where the questions of this server go. */
  inbox(caller: Caller, entry: ServerEntry): Inbox {
    return this.#state(holderOf(caller, entry)).inbox;
  }

  /** The id, as its questions name it, of the server that this user has. */
  serverId(caller: Caller, entry: ServerEntry, user: PoolUser): string {
    return serverId(entry, this.pool(caller, entry).numberOf(user) ?? 1);
  }

  /** To be called when somebody stops using a server. */
  leave(caller: Caller, entry: ServerEntry, user: PoolUser): void {
    this.#states.get(holderOf(caller, entry).id)?.pools.get(entry.id)?.leave(user);
  }

  /** Ends every open question, and each that is asked from now on. */
  closeInboxes(): void {
    this.#asks = false;
    for (const { inbox } of this.#states.values()) inbox.close();
  }

  async close(options: { readonly atOnce?: boolean } = {}): Promise<void> {
    this.#closed.abort();
    await Promise.allSettled(this.#pools().map(pool => pool.close(options)));
    await Promise.allSettled([...this.#states.values()].map(({ desk }) => desk?.close()));
  }

  #pools(): readonly UpstreamPool[] {
    return [...this.#states.values()].flatMap(({ pools }) => [...pools.values()]);
  }

  #state(caller: Caller): PrincipalState {
    const { id, desk } = caller;
    const current = this.#states.get(id);
    if (current) return current;
    const { clock = systemClock, makeDesk, makeInbox, makePolicy, policy, onError } = this.#options;
    const inbox = new Inbox({ clock, onError: error => onError?.(error as Error) });
    if (!this.#asks) inbox.close();
    const state: PrincipalState = {
      id,
      inbox,
      desk: desk ? makeDesk(inbox) : caller === everybody ? undefined : makeInbox?.(id, inbox),
      isHere: desk,
      // What one principal's server asks does not count against another's limits.
      policy: desk || !makePolicy ? policy : makePolicy(),
      pools: new Map(),
    };
    this.#states.set(id, state);
    return state;
  }

  /** Forgets principals that have nothing here, so that memory does not grow with the number of those who ever called. */
  #drop(state: PrincipalState): void {
    if (state.isHere || [...state.pools.values()].some(({ size }) => size > 0)) return;
    this.#states.delete(state.id);
    void state.desk?.close();
  }

  async #start(state: PrincipalState, entry: ServerEntry, number: number, kind: HostKind): Promise<UpstreamSession> {
    const { hasRoots, declares } = kind;
    const { maxServers = 100, maxServersPerCaller = 20, roots: granted, hostRoots } = this.#options;
    const own = [...state.pools.values()];
    // Each count includes the server that is being started.
    await this.#makeRoom(own, maxServersPerCaller + 1);
    await this.#makeRoom(this.#pools(), maxServers + 1);
    const { client, audit, era, clock = systemClock, sampling, unclaimedMs = 900_000, warn } = this.#options;
    const { authorization, rules } = this.#options;
    const id = serverId(entry, number);
    if (granted)
      await granted.grant(
        id,
        granted.list().map(({ uri }) => uri),
      );
    const session = await UpstreamSession.start(
      { ...entry, id },
      {
        client,
        principal: state.id,
        inbox: state.inbox,
        clock,
        roots: granted ?? (hasRoots ? hostRoots?.() : undefined),
        followsHostRoots: hasRoots,
        sampling,
        showDesk: async (...shown) => (await state.desk?.show(...shown)) ?? false,
        tellWait: (callId, wait) => state.desk?.tellWait(callId, wait),
        unclaimedMs,
        warn,
        declares,
        onListChanged: list => this.onListChanged(entry, list),
        nameInRules: entry.id,
        ...defined({ rules, policy: state.policy, audit, authorization, era }),
      },
      this.#closed.signal,
    );
    state.desk?.join(session.connection);
    return session;
  }

  /** @throws MidcallError `host/not-found` if every server is in use */
  async #makeRoom(pools: readonly UpstreamPool[], max: number): Promise<void> {
    const count = () => pools.reduce((sum, pool) => sum + pool.size, 0);
    for (const pool of pools) while (count() >= max && (await pool.closeUnused()));
    if (count() < max) return;
    const reason = `The bridge runs as many servers as it may (${max - 1}), and all are in use.`;
    const told = withheld('Another server could not be started. Try again later.', reason, this.#options.warn);
    throw new MidcallError('host/not-found', told);
  }
}

const serverId = ({ id }: ServerEntry, number: number): string => (number === 1 ? id : `${id} (${number})`);

/** Who has the servers that several principals share. */
const everybody: Caller = { id: 'shared', desk: false };

/**
 * The servers that a caller uses. A shared process has no person of its own: its questions go to the host that called, and to
 * nobody else.
 */
export const holderOf = (caller: Caller, entry: ServerEntry): Caller => (isShared(caller, entry) ? everybody : caller);

/** If everybody is the person at this machine, there is nobody else to share with. */
const isShared = (caller: Caller, { shared }: ServerEntry): boolean => shared === true && caller !== localCaller;
