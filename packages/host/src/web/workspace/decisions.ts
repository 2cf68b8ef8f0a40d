/**
 * The person's standing decisions, made and revoked at a desk: each is recorded and applied to open questions, and permanent
 * ones are stored.
 */
import { MidcallError } from '@midcall/core/errors';
import type { Audit, Decision, DecisionStorage, Inbox, Policy } from '../../index.ts';
import { texts } from '../texts/index.ts';

/** What decisions act on. */
export interface DecisionsParts {
  readonly policy: Policy;
  readonly audit: Audit;
  readonly inbox: Inbox;
  /** Where permanent decisions are stored; absent if none can be made. */
  readonly storage: DecisionStorage | undefined;
  /** The command line or URL of a server; undefined if it is neither on the desk nor asks anything. */
  readonly originOf: (serverId: string) => string | undefined;
  /** Called after every change. */
  readonly onChange: () => void;
}

/** Decisions that apply beyond one question. */
export class Decisions {
  readonly #parts: DecisionsParts;

  constructor(parts: DecisionsParts) {
    this.#parts = parts;
  }

  /** True if a decision may be permanent. */
  get keeps(): boolean {
    return this.#parts.storage !== undefined;
  }

  /**
   * Makes a standing decision, and records it.
   * @throws MidcallError `host/refused` for one that would answer a form or a URL, that would allow something for good, or that holds
   *   now and could not be kept
   */
  async make(decision: Pick<Decision, 'server' | 'subject' | 'effect'> & Duration): Promise<void> {
    const { policy, audit, storage, originOf, onChange } = this.#parts;
    const { server, subject, effect, forMs, always } = decision;
    if (always && (effect === 'allow' || !storage)) throw new MidcallError('host/refused', texts.policy.notForGood);
    const origin = always && server !== '*' ? originOf(server) : undefined;
    if (always && server !== '*' && origin === undefined)
      throw new MidcallError('host/not-found', texts.servers.unknown);
    const before = policy.decisions();
    const added = policy.add({
      server,
      subject,
      effect,
      ...(forMs !== undefined && { forMs }),
      ...(always && { scope: 'always' }),
      ...(origin !== undefined && { origin }),
    });
    audit.record({
      type: 'policy',
      what: `${effect} ${subject === '*' ? 'everything' : subject} from ${server === '*' ? 'all servers' : server}${always ? ', permanently' : ''}`,
    });
    onChange();
    const after = policy.decisions();
    const replaced = before.filter(each => each.scope === 'always' && !after.includes(each));
    await this.#keeping(async () => {
      for (const each of replaced) await storage?.drop(each.id);
      if (always) await storage?.keep(added);
    });
  }

  /** Revokes a standing decision. @throws MidcallError `host/refused` if it will be there again in another session */
  async revoke(id: string): Promise<void> {
    const { policy, audit, storage, onChange } = this.#parts;
    if (!policy.revoke(id)) return;
    audit.record({ type: 'policy', what: `revoked ${id}` });
    onChange();
    await this.#keeping(async () => void (await storage?.drop(id)));
  }

  /**
   * Refuses everything a server asks; what it has asked already ends as refused by policy.
   * @throws MidcallError `host/refused` if it is muted now and that could not be kept
   */
  async mute(serverId: string, duration: Duration = {}): Promise<void> {
    const { policy, inbox } = this.#parts;
    const muted = this.make({ server: serverId, subject: '*', effect: 'refuse', ...duration });
    const verdict = policy.judge(serverId, 'form', 0, this.#parts.originOf(serverId));
    if (verdict.do === 'refuse') inbox.endAll(serverId, { how: 'refused-by-policy', decision: verdict.why });
    await muted;
  }

  /** The decision by which everything that a server asks is refused, and nothing of others; undefined if there is none. */
  mutedBy(serverId: string, origin: string): string | undefined {
    const { policy } = this.#parts;
    const verdict = policy.judge(serverId, 'form', 0, origin);
    if (verdict.do !== 'refuse') return undefined;
    return policy
      .decisions()
      .find(({ id, server, subject }) => id === verdict.decision && subject === '*' && server !== '*')?.id;
  }

  async #keeping(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (cause) {
      throw new MidcallError('host/refused', texts.policy.notSaved, { cause });
    }
  }
}

/** How long a decision may apply, in milliseconds; empty: for the session; `always`: until it is revoked, in other sessions too. */
const allDurations = ['', '900000', '3600000', '86400000', 'always'] as const;

/** The durations to choose from for a decision. @param decisionsPersist - whether decisions are kept beyond the session */
export const durations = (decisionsPersist: boolean): readonly (typeof allDurations)[number][] =>
  decisionsPersist ? allDurations : allDurations.slice(0, -1);

/** How long a decision applies; for the session if neither is given. */
interface Duration {
  /** Milliseconds. */
  readonly forMs?: number;
  readonly always?: true;
}

/** A posted duration; for the session if it is invalid. */
export function durationOf(posted: string | undefined): Duration {
  const chosen = allDurations.find(each => each === posted) ?? '';
  if (chosen === '') return {};
  return chosen === 'always' ? { always: true } : { forMs: Number(chosen) };
}
