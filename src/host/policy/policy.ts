/**
 * What needs a person, what is refused, and how often a server may ask.
 *
 * - P1 A form or a URL is never answered by policy: it is asked or refused, and a refusal is sent as `cancel`.
 * - P2 `allow` exists for roots and sampling only; a rule that says otherwise cannot be made.
 * - P3 The strictest rule that is in force wins: refuse, then ask, then allow. Nothing in force means ask.
 * - P4 Judging changes nothing; counting is the caller's own step ({@link Policy.count}).
 */
import { createHash, randomUUID } from 'node:crypto';
import {
  anything,
  checkOptions,
  func,
  type Kinds,
  name,
  oneOf,
  parts,
  positive,
  required,
} from '../../check-options.ts';
import { MidcallError } from '../../errors.ts';
import { type Clock, clockKind, systemClock } from '../clock.ts';

/** What a server may want of a person. */
export type Subject = 'form' | 'url' | 'sampling' | 'roots';

/** One standing decision of the person. */
export interface Rule {
  readonly id: string;
  /** A server's id in this host, or `*` for every server. */
  readonly server: string;
  /**
   * Digest of the command line or URL of the server the rule was made for (SHA-256, hex): it holds for that server
   * under any id, and for no other.
   */
  readonly origin?: string;
  readonly subject: Subject | '*';
  readonly effect: 'ask' | 'refuse' | 'allow';
  /** `session`: gone when this process ends; `always`: kept where rules are kept. */
  readonly scope: 'session' | 'always';
  /** Milliseconds since the epoch; for ever where absent. */
  readonly until?: number;
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
}

/** How much a server may ask. */
export interface Limits {
  /** Questions that may be open at once. */
  readonly open: number;
  /** Questions within `windowMs`. */
  readonly perWindow: number;
  readonly windowMs: number;
}

/** What is to be done with a request. */
export type Verdict =
  | { readonly do: 'ask' }
  | { readonly do: 'allow'; readonly rule: string }
  /** `rule`: a rule's id, or `limit`; `why`: a sentence for people. */
  | { readonly do: 'refuse'; readonly rule: string; readonly why: string };

/** What the verdict rests on besides the rules. */
export interface Load {
  readonly open: number;
  /** When this server asked, milliseconds since the epoch, oldest first. */
  readonly askedAt: readonly number[];
}

const strictness = ['refuse', 'ask', 'allow'] as const;
const mayAllow = (subject: Rule['subject']): boolean => subject === 'roots' || subject === 'sampling';

/** What a rule is about. */
export interface PolicyRequest {
  readonly server: string;
  /** The server's command line or URL, where it is known. */
  readonly origin?: string | undefined;
  readonly subject: Subject;
}

/** A command line or URL as rules name it: it may hold what is not to be written down. */
export const originDigest = (origin: string): string => createHash('sha256').update(origin).digest('hex');

const isAbout = (rule: Rule, { server, origin }: PolicyRequest): boolean => {
  if (rule.origin === undefined) return rule.server === '*' || rule.server === server;
  return origin !== undefined && rule.origin === originDigest(origin);
};

/** True where a rule is in force for a server and a subject. Pure. */
export function applies(rule: Rule, request: PolicyRequest, now: number): boolean {
  const { subject } = request;
  return (
    isAbout(rule, request) &&
    (rule.subject === '*' || rule.subject === subject) &&
    (rule.until === undefined || now < rule.until)
  );
}

/** The verdict on one request. Pure. */
export function judge(
  rules: readonly Rule[],
  limits: Limits,
  request: PolicyRequest,
  load: Load,
  now: number,
): Verdict {
  const { subject } = request;
  const inForce = rules
    .filter(rule => applies(rule, request, now))
    .filter(rule => rule.effect !== 'allow' || mayAllow(subject))
    .sort((a, b) => strictness.indexOf(a.effect) - strictness.indexOf(b.effect));
  const rule = inForce[0];
  if (rule?.effect === 'refuse') return { do: 'refuse', rule: rule.id, why: refusal(rule) };
  const limit = overLimit(limits, load, now);
  if (limit !== undefined) return { do: 'refuse', rule: 'limit', why: limit };
  return rule?.effect === 'allow' ? { do: 'allow', rule: rule.id } : { do: 'ask' };
}

const refused: Readonly<Record<Rule['subject'], string>> = {
  '*': 'all questions',
  form: 'the forms',
  url: 'the pages to open',
  sampling: 'the use of your model',
  roots: 'the wish to know your folders',
};

function refusal(rule: Rule): string {
  const who = rule.server === '*' ? 'every server' : 'this server';
  const what = refused[rule.subject];
  return rule.until === undefined
    ? `You refuse ${what} of ${who}.`
    : `You muted ${what} of ${who} until ${new Date(rule.until).toISOString().slice(0, 16).replace('T', ' ')} UTC.`;
}

function overLimit(limits: Limits, load: Load, now: number): string | undefined {
  if (load.open >= limits.open)
    return `This server has ${load.open} questions open; it may ask again when one is answered.`;
  const recent = load.askedAt.filter(at => now - at < limits.windowMs);
  const first = recent[recent.length - limits.perWindow];
  if (first === undefined) return undefined;
  const seconds = Math.max(1, Math.ceil((first + limits.windowMs - now) / 1_000));
  return `This server asked ${recent.length} times in ${Math.round(limits.windowMs / 1_000)} seconds; it may ask again in ${seconds} s.`;
}

/** Rules and limits to begin with. */
export interface PolicyOptions {
  /** Rules to begin with, such as those kept from an earlier session; others are refused. */
  readonly rules?: readonly Rule[];
  /**
   * Rules that others can change too, looked at before every judgement: what is gone from the list is revoked, what is new
   * in it holds. The same list as before means that nothing changed.
   */
  readonly kept?: () => readonly Rule[];
  /** Default: 50 open, 60 within a minute. */
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  readonly newId?: () => string;
  /** Told after every change; keep those of scope `always`. */
  readonly onChange?: (rules: readonly Rule[]) => void;
}

const kinds: Kinds<PolicyOptions> = {
  rules: { words: 'a list of rules', fits: Array.isArray },
  kept: func,
  limits: parts<Limits>({ open: anything, perWindow: anything, windowMs: anything }),
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

/** The person's standing decisions, and the count of what was asked. */
export class Policy {
  readonly limits: Limits;
  #rules: Rule[];
  readonly #kept: () => readonly Rule[];
  #seen: readonly Rule[] = [];
  readonly #asked = new Map<string, number[]>();
  readonly #clock: Clock;
  readonly #newId: () => string;
  readonly #onChange: (rules: readonly Rule[]) => void;

  /** @throws MidcallError `host/refused` for a rule that would answer a form or a URL */
  constructor(options: PolicyOptions = {}) {
    checkOptions('new Policy', options, kinds);
    this.limits = { open: 50, perWindow: 60, windowMs: 60_000, ...options.limits };
    for (const [name, value] of Object.entries(this.limits))
      if (!(Number.isInteger(value) && value > 0))
        throw new MidcallError('host/refused', `The limit '${name}' must be a whole number above 0.`);
    this.#clock = options.clock ?? systemClock;
    this.#newId = options.newId ?? randomUUID;
    this.#onChange = options.onChange ?? (() => {});
    for (const rule of options.rules ?? []) refuseAnswering(rule);
    this.#rules = [...(options.rules ?? [])];
    this.#kept = options.kept ?? (() => this.#seen);
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
    const made: Rule = {
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
      each.subject === made.subject &&
      (each.server === made.server || (made.origin !== undefined && each.origin === made.origin));
    this.#rules = this.#rules.filter(each => !same(each));
    this.#rules.push(made);
    this.#onChange(this.#inForce());
    return made;
  }

  /** Takes a rule back. @returns false where there is none */
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
    return judge(
      this.#rules,
      this.limits,
      { server, subject, origin },
      { open, askedAt: this.#asked.get(server) ?? [] },
      this.#clock.now(),
    );
  }

  /** Takes in what changed in the kept rules; a rule made here stays until it was there and is gone. */
  #follow(): void {
    const now = this.#kept();
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
    const now = this.#clock.now();
    const recent = (this.#asked.get(server) ?? []).filter(at => now - at < this.limits.windowMs);
    this.#asked.set(server, [...recent, now]);
  }
}

function refuseAnswering(rule: Pick<Rule, 'subject' | 'effect'>): void {
  if (rule.effect === 'allow' && !mayAllow(rule.subject))
    throw new MidcallError(
      'host/refused',
      'A rule can allow roots or sampling only: a form or a URL is answered by a person.',
    );
}
