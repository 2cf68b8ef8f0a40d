/**
 * The upstream servers of one principal, by the directories they were told of. Directories are a boundary: two hosts that name
 * different ones never share a process, since each would widen the other's access.
 *
 * - upstream-pool-P1 Hosts of the same principal share a server if they name no directories, or the same ones, and declare the
 *   same extensions.
 * - upstream-pool-P2 A server is told of other directories only if no other host uses it and no call would see them change.
 * - upstream-pool-P3 An unused server without a call in progress is stopped after a while.
 */
import type { Clock } from '@midcall/core/time';
import type { Declared } from '../link/index.ts';
import type { UpstreamSession } from '../upstream/index.ts';

/** A root as hosts name it. */
export interface HostRoot {
  readonly uri: string;
  readonly name?: string | undefined;
}

/** A user of a server: a session of 2025-11-25, or one request of 2026-07-28. */
export interface PoolUser {
  /** True if its own running calls may see the directories change, because its host announced the change. */
  readonly live: boolean;
}

/** What distinguishes hosts that must not share a server. */
export interface HostKind {
  /** True if the server is told of the host's directories. */
  readonly hasRoots: boolean;
  /** What the host declares, and the server is told of. */
  readonly declares: Declared;
}

/** How servers are started, and how long they are kept. */
export interface UpstreamPoolOptions {
  /**
   * Starts a server, which counts in {@link UpstreamPool.size} already.
   * @param number - the smallest that is free, from 1
   * @param kind - of the hosts it is for
   * @throws MidcallError `host/not-found`
   */
  readonly start: (number: number, kind: HostKind) => Promise<UpstreamSession>;
  readonly clock: Clock;
  /** How many milliseconds an unused server is kept. */
  readonly idleMs: number;
  /** Called when the last server has ended. */
  readonly onEmpty?: () => void;
}

interface Entry {
  readonly number: number;
  readonly kind: HostKind;
  readonly starting: Promise<UpstreamSession>;
  readonly users: Set<PoolUser>;
  session?: UpstreamSession;
  /** The directories that the server was told of, as canonical text; undefined until then. */
  told?: string;
  telling: Promise<void>;
  callOff?: () => void;
}

/** The servers of one principal. */
export class UpstreamPool {
  readonly #options: UpstreamPoolOptions;
  #entries: readonly Entry[] = [];
  /** The servers that are being stopped. */
  readonly #closing = new Set<Promise<void>>();

  constructor(options: UpstreamPoolOptions) {
    this.#options = options;
  }

  /** How many servers are running or being started. */
  get size(): number {
    return this.#entries.length;
  }

  /**
   * Any server, for a host that has not named its directories.
   * @throws MidcallError `host/not-found` if none can be started
   */
  async any(user: PoolUser, kind: HostKind): Promise<UpstreamSession> {
    return this.#use(this.#entries.findLast(entry => isSame(entry.kind, kind)) ?? this.#start(kind), user);
  }

  /**
   * The server that was told of these directories; resolves when it has been told (upstream-pool-P1, upstream-pool-P2).
   * @throws MidcallError `host/not-found` if none can be started
   */
  async withRoots(user: PoolUser, roots: readonly HostRoot[], kind: HostKind): Promise<UpstreamSession> {
    const rootsKey = JSON.stringify(roots.map(({ uri, name }) => [uri, name ?? '']).sort());
    const entry =
      this.#entries.find(each => each.told === rootsKey && isSame(each.kind, kind)) ??
      this.#entries.find(each => isSame(each.kind, kind) && mayChange(each, user)) ??
      this.#start(kind);
    if (entry.told !== rootsKey) {
      entry.told = rootsKey;
      const before = entry.telling;
      entry.telling = entry.starting.then(async session => {
        await before;
        await session.hostRoots?.take(roots);
      });
      entry.telling.catch(() => {});
    }
    const session = await this.#use(entry, user);
    await entry.telling;
    return session;
  }

  /** The number of the server that this user has; undefined if none. */
  numberOf(user: PoolUser): number | undefined {
    return this.#entries.find(({ users }) => users.has(user))?.number;
  }

  /** Removes a user that is gone. */
  leave(user: PoolUser): void {
    for (const entry of this.#entries) if (entry.users.delete(user)) this.#release(entry);
  }

  /** Stops the server that has been unused for longest, to make room. @returns false if every one is in use */
  async closeUnused(): Promise<boolean> {
    const entry = this.#entries.find(isUnused);
    if (entry) await this.#close(entry);
    return entry !== undefined;
  }

  /** Stops every server. */
  async close(options: { readonly atOnce?: boolean } = {}): Promise<void> {
    await Promise.allSettled([...this.#closing, ...this.#entries.map(entry => this.#close(entry, options))]);
  }

  async #use(entry: Entry, user: PoolUser): Promise<UpstreamSession> {
    for (const other of this.#entries) if (other !== entry && other.users.delete(user)) this.#release(other);
    entry.users.add(user);
    entry.callOff?.();
    this.#entries = [...this.#entries.filter(each => each !== entry), entry];
    return entry.starting;
  }

  #start(kind: HostKind): Entry {
    const usedNumbers = new Set(this.#entries.map(({ number }) => number));
    let number = 1;
    while (usedNumbers.has(number)) number += 1;
    let begin: (session: Promise<UpstreamSession>) => void = () => {};
    const starting = new Promise<UpstreamSession>(resolve => {
      begin = resolve;
    });
    const entry: Entry = { number, kind, starting, users: new Set(), telling: Promise.resolve() };
    this.#entries = [...this.#entries, entry];
    starting.then(
      session => {
        entry.session = session;
      },
      () => this.#forget(entry),
    );
    begin(this.#options.start(number, kind));
    return entry;
  }

  #release(entry: Entry): void {
    entry.callOff?.();
    if (entry.users.size > 0 || !this.#entries.includes(entry)) return;
    entry.callOff = this.#options.clock.after(this.#options.idleMs, () => {
      if (isUnused(entry)) void this.#close(entry).catch(() => {});
      else this.#release(entry);
    });
  }

  #forget(entry: Entry): void {
    entry.callOff?.();
    this.#entries = this.#entries.filter(each => each !== entry);
    if (this.#entries.length === 0 && this.#closing.size === 0) this.#options.onEmpty?.();
  }

  async #close(entry: Entry, options: { readonly atOnce?: boolean } = {}): Promise<void> {
    const closing = entry.starting.then(
      session => session.close(options),
      () => {},
    );
    this.#closing.add(closing);
    this.#forget(entry);
    try {
      await closing;
    } finally {
      this.#closing.delete(closing);
      this.#forget(entry);
    }
  }
}

const isSame = (one: HostKind, other: HostKind): boolean =>
  one === other || JSON.stringify([one.hasRoots, one.declares]) === JSON.stringify([other.hasRoots, other.declares]);

const isUnused = ({ users, session }: Entry): boolean =>
  users.size === 0 && session !== undefined && session.calls.size === 0;

/** True if other directories take nothing from any other user (upstream-pool-P2). */
function mayChange({ told, users, session }: Entry, user: PoolUser): boolean {
  if (told === undefined) return true;
  const others = [...users].some(each => each !== user);
  return !others && (user.live || (session !== undefined && session.calls.size === 0));
}
