/** The person's standing decisions, made and taken back at a desk; each is recorded, and what is open follows it. */
import type { Audit, Inbox, Policy, Rule } from '../index.ts';

/** What decisions act on. */
export interface DecisionsParts {
  readonly policy: Policy;
  readonly audit: Audit;
  readonly inbox: Inbox;
  /** Told after every change. */
  readonly onChange: () => void;
}

/** Decisions that hold beyond one question. */
export class Decisions {
  readonly #parts: DecisionsParts;

  constructor(parts: DecisionsParts) {
    this.#parts = parts;
  }

  /**
   * Makes a standing decision, and records it.
   * @throws MidcallError `host/refused` for one that would answer a form or a URL
   */
  make(rule: Pick<Rule, 'server' | 'subject' | 'effect'> & { readonly forMs?: number | undefined }): void {
    const { policy, audit, onChange } = this.#parts;
    const { forMs, ...what } = rule;
    policy.add({ ...what, ...(forMs !== undefined && { forMs }) });
    audit.record({ type: 'policy', what: `${rule.effect} ${rule.subject} for ${rule.server}` });
    onChange();
  }

  /** Takes a standing decision back. */
  revoke(id: string): void {
    const { policy, audit, onChange } = this.#parts;
    if (!policy.revoke(id)) return;
    audit.record({ type: 'policy', what: `revoked ${id}` });
    onChange();
  }

  /**
   * Refuses everything a server asks; what it has asked already ends as refused by policy.
   * @param forMs - milliseconds; for the session where absent
   */
  mute(serverId: string, forMs?: number): void {
    const { policy, inbox } = this.#parts;
    this.make({ server: serverId, subject: '*', effect: 'refuse', forMs });
    const verdict = policy.judge(serverId, 'form', 0);
    if (verdict.do === 'refuse') inbox.endAll(serverId, { how: 'refused-by-policy', rule: verdict.why });
  }
}
