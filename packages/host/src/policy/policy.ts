/** The person's standing decisions: made, revoked, and kept in step with other processes; and the count of what was asked. */
import { randomUUID } from 'node:crypto';
import { defined } from '@midcall/core/json';
import { checkOptions, count, func, type Kinds, name, oneOf, parts, positive, required } from '@midcall/core/options';
import { type Clock, clockKind, steadyNow, systemClock } from '@midcall/core/time';
import { judge, type Limits, originDigest, type Rule, refuseAnswering, type Subject, type Verdict } from './judge.ts';

/** Rules and limits to start with. */
export interface PolicyOptions {
  /** Rules to start with, such as those stored in an earlier session; invalid ones are rejected. */
  readonly rules?: readonly Rule[];
  /**
   * Rules that others can change too, checked before every judgement: rules missing from the list are revoked, and new ones
   * apply. The same list object as before means that nothing has changed.
   */
  readonly sharedRules?: () => readonly Rule[];
  /** Default: 50 open, 60 within a minute. */
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  readonly newId?: () => string;
  /** Called after every change; store those of scope `always`. */
  readonly onChange?: (rules: readonly Rule[]) => void;
}

const kinds: Kinds<PolicyOptions> = {
  rules: { words: 'a list of rules', fits: Array.isArray },
  sharedRules: func,
  limits: parts<Limits>({ open: count, perWindow: count, windowMs: count }),
  clock: clockKind,
  newId: func,
  onChange: func,
};
const ruleKinds = {
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
  #rules: Rule[];
  readonly #sharedRules: () => readonly Rule[];
  #seen: readonly Rule[] = [];
  readonly #questionTimes = new Map<string, readonly number[]>();
  readonly #clock: Clock;
  readonly #newId: () => string;
  readonly #onChange: (rules: readonly Rule[]) => void;

  /**
   * @throws TypeError for an option that is unknown or not what it may be; MidcallError `host/refused` for a rule that would
   *   answer a form or a URL
   */
  constructor(options: PolicyOptions = {}) {
    checkOptions('new Policy', options, kinds);
    this.limits = { open: 50, perWindow: 60, windowMs: 60_000, ...defined(options.limits ?? {}) };
    this.#clock = options.clock ?? systemClock;
    this.#newId = options.newId ?? randomUUID;
    this.#onChange = options.onChange ?? (() => {});
    this.#rules = [...(options.rules ?? [])];
    for (const rule of this.#rules) refuseAnswering(rule);
    this.#sharedRules = options.sharedRules ?? (() => this.#seen);
    this.#follow();
  }

  /** Rules in force, newest first. */
  rules(): readonly Rule[] {
    this.#follow();
    return this.#inForce();
  }

  #inForce(): readonly Rule[] {
    const now = this.#clock.now();
    return this.#rules.filter(rule => rule.until === undefined || now < rule.until).reverse();
  }

  /**
   * Makes a rule. An earlier one about the same server and subject is replaced.
   * @param rule - `origin`: the server's command line or URL, for a rule that is to hold beyond its id
   * @throws MidcallError `host/refused` for a rule that would answer a form or a URL
   */
  add(
    rule: Pick<Rule, 'server' | 'subject' | 'effect' | 'origin'> & {
      readonly scope?: Rule['scope'];
      readonly forMs?: number;
    },
  ): Rule {
    checkOptions<Parameters<Policy['add']>[0]>('policy.add', rule, ruleKinds);
    refuseAnswering(rule);
    this.#follow();
    const now = this.#clock.now();
    const added: Rule = {
      id: this.#newId(),
      server: rule.server,
      subject: rule.subject,
      effect: rule.effect,
      ...(rule.origin !== undefined && { origin: originDigest(rule.origin) }),
      scope: rule.scope ?? 'session',
      madeAt: now,
      ...(rule.forMs !== undefined && { until: now + rule.forMs }),
    };
    const same = (each: Rule): boolean =>
      each.subject === added.subject &&
      (each.server === added.server || (added.origin !== undefined && each.origin === added.origin));
    this.#rules = this.#rules.filter(each => !same(each));
    this.#rules.push(added);
    this.#onChange(this.#inForce());
    return added;
  }

  /** Revokes a rule. @returns false if there is none */
  revoke(id: string): boolean {
    this.#follow();
    const left = this.#rules.filter(rule => rule.id !== id);
    if (left.length === this.#rules.length) return false;
    this.#rules = left;
    this.#onChange(this.#inForce());
    return true;
  }

  /** Refuses everything of a server for a time. */
  mute(server: string, forMs: number): Rule {
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
    return judge(this.#rules, this.limits, { server, subject, origin }, { open, askedAt }, now);
  }

  /** Takes over changes in the stored rules; a rule made here stays until it has been in the list and is gone from it. */
  #follow(): void {
    const now = this.#sharedRules();
    if (now === this.#seen) return;
    const isIn = (rules: readonly Rule[]) => {
      const ids = new Set(rules.map(rule => rule.id));
      return ({ id }: Rule): boolean => ids.has(id);
    };
    const [wasThere, isThere, isHere] = [isIn(this.#seen), isIn(now), isIn(this.#rules)];
    for (const rule of now) refuseAnswering(rule);
    this.#seen = now;
    this.#rules = [
      ...this.#rules.filter(rule => isThere(rule) || !wasThere(rule)),
      ...now.filter(rule => !wasThere(rule) && !isHere(rule)),
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
