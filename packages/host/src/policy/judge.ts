/**
 * What needs a person, what is refused, and how often a server may ask. Pure.
 *
 * - policy-P1 A form or a URL is never answered by policy: it is asked or refused, and a refusal is sent as `cancel`.
 * - policy-P2 `allow` exists for roots and sampling only; a decision that says otherwise cannot be made.
 * - policy-P3 The strictest decision that is in force wins: refuse, then ask, then allow. Nothing in force means ask.
 * - policy-P4 Judging changes nothing; counting is the caller's own step (`Policy.count`).
 */

import { createHash } from 'node:crypto';
import { MidcallError } from '@midcall/core/errors';
import { minuteInUtc } from '@midcall/core/time';

/** What a server may want of a person. */
export type Subject = 'form' | 'url' | 'sampling' | 'roots';

/** One standing decision of the person. */
export interface Decision {
  readonly id: string;
  /** A server's id in this host, or `*` for every server. */
  readonly server: string;
  /**
   * Digest of the command line or URL of the server the decision was made for (SHA-256, hex): it holds for that server
   * under any id, and for no other.
   */
  readonly origin?: string;
  readonly subject: Subject | '*';
  readonly effect: 'ask' | 'refuse' | 'allow';
  /** `session`: removed when this process ends; `always`: stored where decisions are stored. */
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
  | { readonly do: 'allow'; readonly decision: string }
  /** `decision`: a decision's id, or `limit`; `why`: a sentence for people. */
  | { readonly do: 'refuse'; readonly decision: string; readonly why: string };

/** What the verdict depends on besides the decisions. */
export interface Load {
  readonly open: number;
  /** When this server asked within the window of the limits, milliseconds since the epoch, oldest first. */
  readonly askedAt: readonly number[];
}

const strictness = ['refuse', 'ask', 'allow'] as const;
const mayAllow = (subject: Decision['subject']): boolean => subject === 'roots' || subject === 'sampling';

/** What a decision is about. */
export interface PolicyRequest {
  readonly server: string;
  /** The server's command line or URL, where it is known. */
  readonly origin?: string | undefined;
  readonly subject: Subject;
}

/** A command line or URL as decisions name it: a digest, since it may contain a secret. */
export const originDigest = (origin: string): string => createHash('sha256').update(origin).digest('hex');

const isAbout = (decision: Decision, { server, origin }: PolicyRequest): boolean => {
  if (decision.origin === undefined) return decision.server === '*' || decision.server === server;
  return origin !== undefined && decision.origin === originDigest(origin);
};

/** True if a decision is in force for a server and a subject. Pure. */
export function applies(decision: Decision, request: PolicyRequest, now: number): boolean {
  const { subject } = request;
  return (
    isAbout(decision, request) &&
    (decision.subject === '*' || decision.subject === subject) &&
    (decision.until === undefined || now < decision.until)
  );
}

/** The verdict on one request. Pure. */
export function judge(
  decisions: readonly Decision[],
  limits: Limits,
  request: PolicyRequest,
  load: Load,
  now: number,
): Verdict {
  const { subject } = request;
  const inForce = decisions
    .filter(decision => applies(decision, request, now))
    .filter(decision => decision.effect !== 'allow' || mayAllow(subject))
    .sort((a, b) => strictness.indexOf(a.effect) - strictness.indexOf(b.effect));
  const decision = inForce[0];
  if (decision?.effect === 'refuse') return { do: 'refuse', decision: decision.id, why: refusal(decision) };
  const limit = overLimit(limits, load, now);
  if (limit !== undefined) return { do: 'refuse', decision: 'limit', why: limit };
  return decision?.effect === 'allow' ? { do: 'allow', decision: decision.id } : { do: 'ask' };
}

const refused: Readonly<Record<Decision['subject'], string>> = {
  '*': 'all questions',
  form: 'forms',
  url: 'pages to open',
  sampling: 'requests for your model',
  roots: 'requests for your folders',
};

function refusal(decision: Decision): string {
  const who = decision.server === '*' ? 'all servers' : 'this server';
  const what = refused[decision.subject];
  return decision.until === undefined
    ? `You refuse ${what} from ${who}.`
    : `You refuse ${what} from ${who} until ${minuteInUtc(decision.until)}.`;
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

/** Enforces policy-P2. @throws MidcallError `host/refused` for a decision that would answer a form or a URL */
export function refuseAnswering(decision: Pick<Decision, 'subject' | 'effect'>): void {
  if (decision.effect === 'allow' && !mayAllow(decision.subject))
    throw new MidcallError(
      'host/refused',
      'A decision can allow only the use of a model and of folders: forms and pages are always answered by a person.',
    );
}
