/** Everything on one desk: its servers, its calls and the person's decisions, tied together. Holds no markup and no request. */
import { type Clock, systemClock } from '@midcall/core/time';
import type { Audit, Connection, Inbox, KeptRules, OfferedRoots, Policy, ServerEntry } from '../../index.ts';
import { DeskCalls } from './calls.ts';
import { Decisions } from './decisions.ts';
import type { Announcement } from './live.ts';
import { Preferences } from './preferences.ts';
import { DeskServers } from './servers.ts';
import type { ModelsView } from './views.ts';

/** The host's parts a desk is a view of. */
export interface WorkspaceParts {
  readonly inbox: Inbox;
  readonly policy: Policy;
  readonly audit: Audit;
  readonly roots: OfferedRoots;
  /** Where standing decisions are kept beyond the session; absent where they are not. */
  readonly keptRules?: KeptRules;
  /** The models that answer sampling, to be shown; absent where the person writes the replies. */
  readonly models?: ModelsView;
  /** Makes the connection of one server; not started. */
  readonly connect: (entry: ServerEntry) => Connection;
  readonly clock?: Clock;
}

/** What the pages show, and what the buttons do. */
export class Workspace {
  readonly inbox: Inbox;
  readonly policy: Policy;
  readonly audit: Audit;
  readonly roots: OfferedRoots;
  readonly models: ModelsView | undefined;
  readonly clock: Clock;
  readonly servers: DeskServers;
  readonly calls: DeskCalls;
  readonly decisions: Decisions;
  readonly preferences: Preferences;
  readonly #listeners = new Set<(announcement?: Announcement) => void>();
  readonly #ends: readonly (() => void)[];

  constructor(parts: WorkspaceParts) {
    const { inbox, policy, audit, roots, connect } = parts;
    this.inbox = inbox;
    this.policy = policy;
    this.audit = audit;
    this.roots = roots;
    this.models = parts.models;
    this.clock = parts.clock ?? systemClock;
    const onChange = (announcement?: Announcement): void => {
      for (const listener of this.#listeners) listener(announcement);
    };
    this.preferences = new Preferences({}, () => onChange());
    this.calls = new DeskCalls({ connection: id => this.servers.connection(id), clock: this.clock, onChange });
    this.servers = new DeskServers({
      roots,
      connect,
      onEvent: (serverId, event) => this.calls.heard(serverId, event),
      onChange,
    });
    this.decisions = new Decisions({
      policy,
      audit,
      inbox,
      kept: parts.keptRules,
      originOf: id => this.servers.get(id)?.origin ?? inbox.list().find(each => each.asker.id === id)?.asker.origin,
      onChange,
    });
    for (const question of inbox.list()) this.calls.questioned({ type: 'asked', question });
    this.#ends = [inbox.subscribe(event => this.calls.questioned(event)), roots.subscribe(() => onChange())];
  }

  /** Calls `listener` after every change a page may show. @returns ends the subscription */
  subscribe(listener: (announcement?: Announcement) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Stops every server and stops listening. */
  async close(): Promise<void> {
    for (const end of this.#ends) end();
    await this.servers.close();
  }
}
