/**
 * Everything on one desk: its servers, its calls and the person's decisions, tied together. Contains no markup and no requests.
 */
import { messageOf } from '@midcall/core/errors';
import type { StopPart } from '@midcall/core/stop';
import { type Clock, systemClock } from '@midcall/core/time';
import type {
  Audit,
  ConsentStorage,
  DecisionStorage,
  Inbox,
  OfferedRoots,
  Policy,
  ServerEntry,
  TaskStorage,
} from '../../index.ts';
import {
  type CallMemory,
  type DeskMemory,
  type DeskRecord,
  Preferences,
  type RememberedOffer,
  type StoredCall,
} from '../keeping/index.ts';
import { DeskCalls } from './calls.ts';
import { Decisions } from './decisions.ts';
import type { DeskConnection } from './desk-connection.ts';
import type { Announcement } from './live.ts';
import { DeskServers } from './servers.ts';
import type { ModelsView } from './views.ts';
import { Wire } from './wire.ts';

/** The parts of the host that a desk shows. */
export interface WorkspaceParts {
  readonly inbox: Inbox;
  readonly policy: Policy;
  readonly audit: Audit;
  readonly roots: OfferedRoots;
  /** Where standing decisions are stored beyond the session; absent if they are not. */
  readonly storedDecisions?: DecisionStorage;
  /** Where grants for calls are stored, the same as for the rules of the connections; absent if none are shown. */
  readonly consent?: ConsentStorage;
  /** Where calls that continue as tasks are stored, the same as for the connections; absent if they end with the desk. */
  readonly tasks?: TaskStorage;
  /** The models that answer sampling, to be shown; absent if the person writes the replies. */
  readonly models?: ModelsView;
  /** Makes the connection of one server; not started. */
  readonly connect: (entry: ServerEntry) => DeskConnection;
  readonly clock?: Clock;
  /** Stores the servers and the person's preferences for the next session; nothing is stored if absent. */
  readonly memory?: DeskMemory;
  /** Stores the calls for the next session; they are forgotten if absent. */
  readonly calls?: CallMemory;
  /** Called with anything that could not be stored. */
  readonly onError?: (error: unknown) => void;
}

/** What the pages show, and what the buttons do. */
export class Workspace {
  readonly inbox: Inbox;
  readonly policy: Policy;
  readonly audit: Audit;
  readonly roots: OfferedRoots;
  readonly models: ModelsView | undefined;
  readonly consent: ConsentStorage | undefined;
  readonly tasks: TaskStorage | undefined;
  readonly clock: Clock;
  readonly servers: DeskServers;
  readonly calls: DeskCalls;
  readonly decisions: Decisions;
  readonly preferences: Preferences;
  readonly wire: Wire;
  readonly #listeners = new Set<(announcement?: Announcement) => void>();
  readonly #ends: readonly (() => void)[];
  /** What is stored of each server's offers, as text. */
  readonly #storedOffers = new Map<string, string>();
  readonly #memory: DeskMemory | undefined;
  readonly #callMemory: CallMemory | undefined;
  readonly #onError: (error: unknown) => void;
  /** What is being stored. */
  #keeping: Promise<unknown> = Promise.resolve();
  #unsaved: string | undefined;

  /**
   * @param before - the stored state
   * @param calls - those of earlier sessions, oldest first
   */
  constructor(parts: WorkspaceParts, before?: DeskRecord, calls: readonly StoredCall[] = []) {
    const { inbox, policy, audit, roots, connect } = parts;
    this.inbox = inbox;
    this.policy = policy;
    this.audit = audit;
    this.roots = roots;
    this.models = parts.models;
    this.consent = parts.consent;
    this.tasks = parts.tasks;
    this.#memory = parts.memory;
    this.#callMemory = parts.calls;
    this.#onError = parts.onError ?? (() => {});
    this.clock = parts.clock ?? systemClock;
    const onChange = (announcement?: Announcement): void => {
      for (const listener of this.#listeners) listener(announcement);
    };
    this.preferences = new Preferences(before?.preferences ?? {}, () => {
      onChange();
      void this.#keep(record => ({ ...record, preferences: this.preferences.record }));
    });
    this.wire = new Wire(this.clock, () => onChange());
    this.calls = new DeskCalls({
      connection: id => this.servers.connection(id),
      isOwn: id => this.servers.isOwn(id),
      titleOf: (id, { kind, name }) => this.servers.titleOf(id, kind, name),
      clock: this.clock,
      onChange,
      before: calls,
      onCall: call => this.#keepCall(call),
    });
    this.servers = new DeskServers({
      roots,
      clock: this.clock,
      mutedBy: (id, origin) => this.decisions.mutedBy(id, origin),
      connect,
      follow: (serverId, connection) => this.wire.follow(serverId, connection),
      onEvent: (serverId, event) => {
        if (event.type === 'stderr') this.wire.wrote(serverId);
        else this.calls.heard(serverId, event);
      },
      onChange,
      renamed: (from, to) => this.#renamed(from, to),
      keepOffers: (id, remembered) => this.#keepOffers(id, remembered),
      keep: make => this.#keep(record => ({ ...record, servers: make(record.servers) })),
    });
    this.decisions = new Decisions({
      policy,
      audit,
      inbox,
      storage: parts.storedDecisions,
      originOf: id => this.servers.get(id)?.origin ?? inbox.list().find(each => each.asker.id === id)?.asker.origin,
      onChange,
    });
    for (const question of inbox.list()) this.calls.questioned({ type: 'asked', question });
    this.#ends = [inbox.subscribe(event => this.calls.questioned(event)), roots.subscribe(() => onChange())];
  }

  /** Why the last change could not be stored for the next session; undefined if it could. */
  get unsaved(): string | undefined {
    return this.#unsaved;
  }

  /** True if calls can be stored beyond this session. */
  get canKeepCalls(): boolean {
    return this.#callMemory !== undefined;
  }

  /** Forgets every call that has ended, including stored ones. */
  async clearCalls(): Promise<void> {
    this.calls.clear();
    await this.#tried(this.#callMemory?.clear());
  }

  #keepCall(call: StoredCall): void {
    if (this.preferences.keepsCalls) void this.#tried(this.#callMemory?.add(call));
  }

  #keepOffers(id: string, remembered: readonly RememberedOffer[]): void {
    const text = JSON.stringify(remembered);
    if (this.#storedOffers.get(id) === text) return;
    this.#storedOffers.set(id, text);
    void this.#keep(record => ({ ...record, offers: { ...record.offers, [id]: remembered } }));
  }

  #keep(make: (record: DeskRecord) => DeskRecord): Promise<void> {
    return this.#tried(this.#memory?.change(make));
  }

  async #tried(write: Promise<void> | undefined): Promise<void> {
    if (write) this.#keeping = Promise.allSettled([this.#keeping, write]);
    try {
      await write;
      this.#unsaved = undefined;
    } catch (error) {
      this.#unsaved = messageOf(error);
      this.#onError(error);
    }
  }

  /** The person's decisions about a server still apply under its new name. */
  async #renamed(from: string, to: string): Promise<void> {
    const granted = this.roots.granted(from);
    if (granted) {
      await this.roots.grant(
        to,
        granted.map(root => root.uri),
      );
      await this.roots.forget(from);
    }
    for (const { server, scope, subject, effect, until } of this.policy.decisions()) {
      const forMs = until === undefined ? undefined : until - this.clock.now();
      if (server !== from || scope !== 'session' || (forMs !== undefined && forMs <= 0)) continue;
      this.policy.add({ server: to, subject, effect, ...(forMs !== undefined && { forMs }) });
    }
  }

  /** Calls `listener` after every change a page may show. @returns ends the subscription */
  subscribe(listener: (announcement?: Announcement) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * How the work of the desk is stopped: its questions end, but for those of tasks, which the next desk follows; its calls may end,
   * and are recorded. Close it then.
   */
  get stopPart(): StopPart {
    return {
      begin: () => {
        this.calls.refuse();
        this.inbox.close({ leaves: ({ call }) => call !== undefined && this.calls.get(call.id)?.task !== undefined });
      },
      idle: () => this.calls.idle(),
      end() {},
      close: async () => {},
    };
  }

  /** Stops every server and stops listening. */
  async close(): Promise<void> {
    for (const end of this.#ends) end();
    await this.servers.close();
    await this.#keeping;
  }
}
