/** The person's standing decisions: made, revoked, and kept in step with other processes; and the count of what was asked. */
import { randomUUID } from 'node:crypto';
import { defined } from '@midcall/core/json';
import { checkOptions, count, func, type Kinds, name, oneOf, parts, positive, required } from '@midcall/core/options';
import { type Clock, clockKind, steadyNow, systemClock } from '@midcall/core/time';
import {
  type Decision,
  judge,
  type Limits,
  originDigest,
  refuseAnswering,
  type Subject,
  type Verdict,
} from './judge.ts';

/** Decisions and limits to start with. */
export interface PolicyOptions {
  /** Decisions to start with, such as those stored in an earlier session; invalid ones are rejected. */
  readonly decisions?: readonly Decision[];
  /**
   * Decisions that others can change too, checked before every judgement: decisions missing from the list are revoked, and new ones
   * apply. The same list object as before means that nothing has changed.
   */
  readonly sharedDecisions?: () => readonly Decision[];
  /** Default: 50 open, 60 within a minute. */
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  readonly newId?: () => string;
  /** Called after every change; store those of scope `always`. */
  readonly onChange?: (decisions: readonly Decision[]) => void;
}

const kinds: Kinds<PolicyOptions> = {
  decisions: { words: 'a list of decisions', fits: Array.isArray },
  sharedDecisions: func,
  limits: parts<Limits>({ open: count, perWindow: count, windowMs: count }),
  clock: clockKind,
  newId: func,
  onChange: func,
};
const decisionKinds = {
  server: required({ ...name, words: "a server's id, or '*' for every server" }),
  subject: required(oneOf('form', 'url', 'sampling', 'roots', '*')),
  effect: required(oneOf('ask', 'refuse', 'allow')),
  origin: name,
  scope: oneOf('session', 'always'),
  forMs: positive,
};

/**
 * The person's standing decisions, and the count of what was asked.
 * @example
 * ```ts
 * const policy = new Policy({ limits: { perWindow: 10 } });
 * policy.add({ server: 'tables', subject: 'sampling', effect: 'refuse' });
 * ```
 */
export class Policy {
  readonly limits: Limits;
  #decisions: Decision[];
  readonly #sharedDecisions: () => readonly Decision[];
  #seen: readonly Decision[] = [];
  readonly #questionTimes = new Map<string, readonly number[]>();
  readonly #clock: Clock;
  readonly #newId: () => string;
  readonly #onChange: (decisions: readonly Decision[]) => void;

  /**
   * @throws TypeError for an option that is unknown or not what it may be; MidcallError `host/refused` for a decision that would
   *   answer a form or a URL
   */
  constructor(options: PolicyOptions = {}) {
    checkOptions('new Policy', options, kinds);
    this.limits = { open: 50, perWindow: 60, windowMs: 60_000, ...defined(options.limits ?? {}) };
    this.#clock = options.clock ?? systemClock;
    this.#newId = options.newId ?? randomUUID;
    this.#onChange = options.onChange ?? (() => {});
    this.#decisions = [...(options.decisions ?? [])];
    for (const decision of this.#decisions) refuseAnswering(decision);
    this.#sharedDecisions = options.sharedDecisions ?? (() => this.#seen);
    this.#follow();
  }

  /** Decisions in force, newest first. */
  decisions(): readonly Decision[] {
    this.#follow();
    return this.#inForce();
  }

  #inForce(): readonly Decision[] {
    const now = this.#clock.now();
    return this.#decisions.filter(decision => decision.until === undefined || now < decision.until).reverse();
  }

  /**
   * Makes a decision. An earlier one about the same server and subject is replaced.
   * @param decision - `origin`: the server's command line or URL, for a decision that is to hold beyond its id
   * @throws MidcallError `host/refused` for a decision that would answer a form or a URL
   */
  add(
    decision: Pick<Decision, 'server' | 'subject' | 'effect' | 'origin'> & {
      readonly scope?: Decision['scope'];
      readonly forMs?: number;
    },
  ): Decision {
    checkOptions<Parameters<Policy['add']>[0]>('policy.add', decision, decisionKinds);
    refuseAnswering(decision);
    this.#follow();
    const now = this.#clock.now();
    const added: Decision = {
      id: this.#newId(),
      server: decision.server,
      subject: decision.subject,
      effect: decision.effect,
      ...(decision.origin !== undefined && { origin: originDigest(decision.origin) }),
      scope: decision.scope ?? 'session',
      madeAt: now,
      ...(decision.forMs !== undefined && { until: now + decision.forMs }),
    };
    const same = (each: Decision): boolean =>
      each.subject === added.subject &&
      (each.server === added.server || (added.origin !== undefined && each.origin === added.origin));
    this.#decisions = this.#decisions.filter(each => !same(each));
    this.#decisions.push(added);
    this.#onChange(this.#inForce());
    return added;
  }

  /** Revokes a decision. @returns false if there is none */
  revoke(id: string): boolean {
    this.#follow();
    const left = this.#decisions.filter(decision => decision.id !== id);
    if (left.length === this.#decisions.length) return false;
    this.#decisions = left;
    this.#onChange(this.#inForce());
    return true;
  }

  /** Refuses everything of a server for a time. */
  mute(server: string, forMs: number): Decision {
    return this.add({ server, subject: '*', effect: 'refuse', forMs });
  }

  /**
   * The verdict on a request now.
   * @param open - how many questions of this server are open
   * @param origin - the server's command line or URL
   */
  judge(server: string, subject: Subject, open: number, origin?: string): Verdict {
    this.#follow();
    const [now, steady] = [this.#clock.now(), steadyNow(this.#clock)];
    const askedAt = this.#recent(server).map(at => now - (steady - at));
    return judge(this.#decisions, this.limits, { server, subject, origin }, { open, askedAt }, now);
  }

  /** Takes over changes in the stored decisions; a decision made here stays until it has been in the list and is gone from it. */
  #follow(): void {
    const now = this.#sharedDecisions();
    if (now === this.#seen) return;
    const isIn = (decisions: readonly Decision[]) => {
      const ids = new Set(decisions.map(decision => decision.id));
      return ({ id }: Decision): boolean => ids.has(id);
    };
    const [wasThere, isThere, isHere] = [isIn(this.#seen), isIn(now), isIn(this.#decisions)];
    for (const decision of now) refuseAnswering(decision);
    this.#seen = now;
    this.#decisions = [
      ...this.#decisions.filter(decision => isThere(decision) || !wasThere(decision)),
      ...now.filter(decision => !wasThere(decision) && !isHere(decision)),
    ];
    this.#onChange(this.#inForce());
  }

  /** Counts one question towards a server's limit. */
  count(server: string): void {
    this.#questionTimes.set(server, [...this.#recent(server), steadyNow(this.#clock)]);
  }

  /** When a server asked within the window, in steady time. */
  #recent(server: string): readonly number[] {
    const now = steadyNow(this.#clock);
    const times = this.#questionTimes.get(server) ?? [];
    return times.filter(at => now - at < this.limits.windowMs);
  }
}
