/** One entry of the audit record: what is in it, and how it is sealed. */
import { hash } from 'node:crypto';
import { canonical, defined } from '@midcall/core/json';
import type { CallOutcome } from '../calls/index.ts';
import { type Asker, type CallContext, type Ending, maskedArguments, type Question } from '../question/index.ts';

/** What happened; `asker` and `call` are added if they are known. */
export type HostEvent =
  | {
      readonly type: 'asked';
      readonly question: string;
      readonly kind: Question['kind'];
      readonly about: string;
      readonly shownBy: readonly string[];
    }
  | {
      readonly type: 'ended';
      readonly question: string;
      readonly kind: Question['kind'];
      readonly how: Ending['how'];
      readonly via?: string;
      readonly decision?: string;
      /** Names of members of the answer that the form did not ask for; they were left out. */
      readonly leftOut?: readonly string[];
      readonly elapsedMs: number;
    }
  /** A request that was never shown: malformed, hostile, undeclared, or refused by policy before the person was asked. */
  | { readonly type: 'refused'; readonly kind: string; readonly by: 'host' | 'policy'; readonly why: string }
  | { readonly type: 'call'; readonly state: 'started' | 'ended'; readonly how?: string }
  | { readonly type: 'allowed'; readonly kind: string; readonly decision: string }
  | { readonly type: 'policy'; readonly what: string }
  | { readonly type: 'roots'; readonly what: string }
  /** Entries that could not be written; `since` is when the first of them should have been, where that is known. */
  | { readonly type: 'gap'; readonly lost: number; readonly why: string; readonly since?: string };

/** One line of the record. */
export interface AuditEntry {
  readonly n: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** For whom, if the host serves several: the principal that made the call, or else the one that the server is reached for. */
  readonly principal?: string;
  readonly asker?: Pick<Asker, 'id' | 'name' | 'era'> & {
    /** The program it was started with, without its arguments, which may hold secrets; or its URL, without credentials and query. */
    readonly origin: string;
    /** The SHA-256 of its command line, as decisions have it; absent for a URL. */
    readonly originDigest?: string;
  };
  readonly call?: {
    readonly id: string;
    readonly kind: CallContext['kind'];
    readonly name: string;
    readonly argumentsDigest: string;
  };
  readonly event: HostEvent;
  readonly previous: string;
  readonly hash: string;
}

/** What the first entry of a record follows. */
export const genesis = '0'.repeat(64);

const sha256 = (text: string): string => hash('sha256', text, 'hex');

/** Digests of arguments, since one call may be in any number of entries. */
const digests = new WeakMap<CallContext, string>();

/** What represents a call's arguments in the record. */
export function argumentsDigest(call: CallContext, args = call.arguments): string {
  // Masked first, since a short secret could be guessed from its digest.
  const digest = digests.get(call) ?? sha256(canonical(maskedArguments(args)));
  digests.set(call, digest);
  return digest;
}

/** What of an asker is in the record, since one asker is in many entries. */
const recorded = new WeakMap<Asker, NonNullable<AuditEntry['asker']>>();

function recordedAsker(asker: Asker): NonNullable<AuditEntry['asker']> {
  const earlier = recorded.get(asker);
  if (earlier) return earlier;
  const { id, name, origin, era } = asker;
  const made = /^https?:/.test(origin)
    ? { id, name, origin, era }
    : { id, name, origin: programOf(origin), originDigest: sha256(origin), era };
  recorded.set(asker, made);
  return made;
}

/** The first word of a command line, as `originOf` writes it. */
const programOf = (line: string): string => /^(?:'(?:[^']|'\\'')*'|[^\s']+)/.exec(line)?.[0] ?? '';

/** An entry before it is sealed. */
export interface UnsealedEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly principal: string | undefined;
  readonly asker: Asker | undefined;
  /** `digest`: of arguments that are too large to be stored until the entry is sealed. */
  readonly call: (CallContext & { readonly digest?: string }) | undefined;
  readonly event: HostEvent;
}

/** How much of the arguments of a call is stored until its entry is sealed: characters, and for each value as many as it takes memory. */
const mostStored = 500;
const perValue = 16;

/** True for arguments that take little memory. */
function isSmall(args: Readonly<Record<string, unknown>>): boolean {
  let left = mostStored;
  const fits = (value: unknown): boolean => {
    left -= perValue + (typeof value === 'string' ? value.length : 0);
    if (typeof value !== 'object' || value === null) return left >= 0;
    if (Array.isArray(value) && value.length * perValue > left) return false;
    for (const name in value) {
      left -= name.length;
      if (left < 0 || !fits((value as Record<string, unknown>)[name])) return false;
    }
    return left >= 0;
  };
  return fits(args);
}

/** A call without its arguments, unless they are small. */
export function withoutLarge(call: CallContext): UnsealedEntry['call'] {
  const digest = digests.get(call);
  if (digest !== undefined) return { ...call, arguments: {}, digest };
  const args = { ...call.arguments };
  return isSmall(args) ? call : { ...call, arguments: {}, digest: argumentsDigest(call, args) };
}

/** An entry without its place in the chain. */
export type EntryContent = Omit<AuditEntry, 'n' | 'previous' | 'hash'>;

/** What of an entry is in the record. */
export const contentOf = ({ at, principal, asker, call, event }: UnsealedEntry): EntryContent => ({
  at: new Date(at).toISOString(),
  ...defined({ principal: call?.principal ?? principal }),
  ...(asker && { asker: recordedAsker(asker) }),
  ...(call && {
    call: { id: call.id, kind: call.kind, name: call.name, argumentsDigest: call.digest ?? argumentsDigest(call) },
  }),
  event,
});

/** The SHA-256 of an entry that has none yet. */
export const hashOf = (entry: Omit<AuditEntry, 'hash'>): string => sha256(canonical(entry));

/** An entry that nobody can change any more, so that its hash need not be computed again. */
export function frozen(entry: AuditEntry): AuditEntry {
  const { asker, call, event } = entry;
  const members = Object.entries(event).map(([name, value]) => [
    name,
    Array.isArray(value) ? Object.freeze([...value]) : value,
  ]);
  return Object.freeze({
    ...entry,
    ...(asker && { asker: Object.freeze({ ...asker }) }),
    ...(call && { call: Object.freeze({ ...call }) }),
    event: Object.freeze(Object.fromEntries(members)) as HostEvent,
  });
}

/** The events of calls in the record; one for every entry that says the same. */
export const callStarted: HostEvent = { type: 'call', state: 'started' };

const ends = new Map<CallOutcome['how'], HostEvent>();

export function callEnded(how: CallOutcome['how']): HostEvent {
  const event = ends.get(how) ?? { type: 'call', state: 'ended', how };
  ends.set(how, event);
  return event;
}
