/**
 * What needs a person, what is refused, and how often a server may ask. Pure.
 *
 * - policy-P1 A form or a URL is never answered by policy: it is asked or refused, and a refusal is sent as `cancel`.
 * - policy-P2 `allow` exists for roots and sampling only; a rule that says otherwise cannot be made.
 * - policy-P3 The strictest rule that is in force wins: refuse, then ask, then allow. Nothing in force means ask.
 * - policy-P4 Judging changes nothing; counting is the caller's own step (`Policy.count`).
 */
import { createHash } from 'node:crypto';
import { MidcallError } from '@midcall/core/errors';

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
  /** `session`: removed when this process ends; `always`: stored where rules are stored. */
  readonly scope: 'session' | 'always';
  /** Milliseconds since the epoch; forever if absent. */
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
  /** Milliseconds. */
  readonly windowMs: number;
}

/** The decision on a request. */
export type Verdict =
  | { readonly do: 'ask' }
  | { readonly do: 'allow'; readonly rule: string }
  /** `rule`: a rule's id, or `limit`; `why`: a sentence for people. */
  | { readonly do: 'refuse'; readonly rule: string; readonly why: string };

/** What the verdict depends on besides the rules. */
export interface Load {
  readonly open: number;
  /** When this server asked within the window of the limits, milliseconds since the epoch, oldest first. */
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

/** A command line or URL as rules name it: a digest, since it may contain a secret. */
export const originDigest = (origin: string): string => createHash('sha256').update(origin).digest('hex');

const isAbout = (rule: Rule, { server, origin }: PolicyRequest): boolean => {
  if (rule.origin === undefined) return rule.server === '*' || rule.server === server;
  return origin !== undefined && rule.origin === originDigest(origin);
};

/** True if a rule is in force for a server and a subject. Pure. */
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
  form: 'forms',
  url: 'pages to open',
  sampling: 'requests for your model',
  roots: 'requests for your folders',
};

function refusal(rule: Rule): string {
  const who = rule.server === '*' ? 'all servers' : 'this server';
  const what = refused[rule.subject];
  return rule.until === undefined
    ? `You refuse ${what} from ${who}.`
    : `You refuse ${what} from ${who} until ${new Date(rule.until).toISOString().slice(0, 16).replace('T', ' ')} UTC.`;
}

function overLimit(limits: Limits, load: Load, now: number): string | undefined {
  if (load.open >= limits.open)
    return `This server has ${load.open} questions open; it may ask again when one is answered.`;
  const { length } = load.askedAt;
  const first = load.askedAt[length - limits.perWindow];
  if (first === undefined) return undefined;
  const seconds = Math.ceil((first + limits.windowMs - now) / 1_000);
  return `This server asked ${length} times in ${Math.round(limits.windowMs / 1_000)} seconds; it may ask again in ${seconds} s.`;
}

/** Enforces policy-P2. @throws MidcallError `host/refused` for a rule that would answer a form or a URL */
export function refuseAnswering(rule: Pick<Rule, 'subject' | 'effect'>): void {
  if (rule.effect === 'allow' && !mayAllow(rule.subject))
    throw new MidcallError(
      'host/refused',
      'A rule can allow only the use of a model and of folders: forms and pages are always answered by a person.',
    );
}
