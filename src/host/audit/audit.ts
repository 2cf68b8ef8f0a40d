/**
 * A record of what was asked and how it ended: append-only, each entry chained to the one before by its hash, so that a
 * change, a gap or a cut in the middle shows. Answers, arguments and the contents of prompts are never in it; arguments
 * are there by digest.
 *
 * - A1 `hash` is SHA-256 over the entry's canonical JSON without `hash`; `previous` is the hash of the entry before.
 * - A2 What a sink has written is never rewritten.
 */

import { createHash } from 'node:crypto';
import { canonical } from '../../canonical.ts';
import { checkOptions, func, having, notNegative } from '../../check-options.ts';
import { type Clock, clockKind, systemClock } from '../clock.ts';
import type { Asker, CallContext, Ending, Question } from '../question.ts';

/** What happened; `asker` and `call` are added where they are known. */
export type AuditEvent =
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
      readonly rule?: string;
      readonly elapsedMs: number;
    }
  /** A request that was never shown: malformed, hostile, undeclared, or refused by policy before it was asked. */
  | { readonly type: 'refused'; readonly kind: string; readonly by: 'host' | 'policy'; readonly why: string }
  | { readonly type: 'call'; readonly state: 'started' | 'ended'; readonly how?: string }
  | { readonly type: 'allowed'; readonly kind: string; readonly rule: string }
  | { readonly type: 'policy'; readonly what: string }
  | { readonly type: 'roots'; readonly what: string };

/** One line of the record. */
export interface AuditEntry {
  readonly n: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly asker?: Pick<Asker, 'id' | 'name' | 'origin' | 'era'>;
  readonly call?: {
    readonly id: string;
    readonly kind: CallContext['kind'];
    readonly name: string;
    readonly argumentsDigest: string;
  };
  readonly event: AuditEvent;
  readonly previous: string;
  readonly hash: string;
}

/** Where entries go besides memory. */
export interface AuditSink {
  /** Lines written earlier, oldest first. */
  read(): readonly string[];
  /** Appends one line; the line has no line break. */
  append(line: string): void;
}

const genesis = '0'.repeat(64);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Of the calls there are; one call may be in any number of entries. */
const digests = new WeakMap<CallContext, string>();

/** What stands for a call's arguments in the record. */
export function argumentsDigest(call: CallContext): string {
  const digest = digests.get(call) ?? sha256(canonical(call.arguments));
  digests.set(call, digest);
  return digest;
}

const seal = (entry: Omit<AuditEntry, 'hash'>): AuditEntry => ({ ...entry, hash: sha256(canonical(entry)) });

/** What {@link verifyAudit} found. */
export type AuditVerdict =
  | { readonly ok: true; readonly entries: number; readonly last: string }
  /** `line` counts from 1. */
  | { readonly ok: false; readonly line: number; readonly why: string };

/**
 * Checks a record, line by line (JSON Lines). A cut at the end cannot be seen from the lines alone: compare `last` with
 * a hash that was kept elsewhere.
 */
export function verifyAudit(lines: readonly string[]): AuditVerdict {
  let previous = genesis;
  for (const [index, line] of lines.entries()) {
    const bad = (why: string): AuditVerdict => ({ ok: false, line: index + 1, why });
    let entry: AuditEntry;
    try {
      entry = JSON.parse(line) as AuditEntry;
    } catch {
      return bad('This line is not JSON.');
    }
    if (typeof entry !== 'object' || entry === null) return bad('This line is not an entry.');
    const { hash, ...rest } = entry;
    if (entry.previous !== previous) return bad('This entry does not follow the one before it.');
    if (entry.n !== index + 1) return bad('An entry is missing before this one.');
    if (sha256(canonical(rest)) !== hash) return bad('This entry was changed after it was written.');
    previous = hash;
  }
  return { ok: true, entries: lines.length, last: previous };
}

/** Where the record goes. */
export interface AuditOptions {
  readonly clock?: Clock;
  /** Continues what is there, and gets every new line. */
  readonly sink?: AuditSink;
  /** Entries kept in memory; older ones are in the sink only. Default 10,000. */
  readonly keep?: number;
  /** Told when the sink fails; the entry is in memory all the same. */
  readonly onError?: (error: unknown) => void;
}

/** What a search looks at: words, not ids and hashes, in which any few letters are found. */
const readable = ({ asker, call, event }: AuditEntry): string =>
  JSON.stringify([asker, call?.kind, call?.name, event]).toLowerCase();

/** The record of one host. */
export class Audit {
  readonly #entries: AuditEntry[] = [];
  readonly #listeners = new Set<(entry: AuditEntry) => void>();
  readonly #clock: Clock;
  readonly #sink: AuditSink | undefined;
  readonly #keep: number;
  readonly #onError: (error: unknown) => void;
  #count = 0;
  #last = genesis;

  /** @throws Error where the sink holds lines that do not verify: such a record is not continued */
  constructor(options: AuditOptions = {}) {
    checkOptions('new Audit', options, {
      clock: clockKind,
      sink: having('a sink, such as auditFile(path)', 'read', 'append'),
      keep: notNegative,
      onError: func,
    });
    this.#clock = options.clock ?? systemClock;
    this.#sink = options.sink;
    this.#keep = options.keep ?? 10_000;
    this.#onError = options.onError ?? (() => {});
    const lines = this.#sink?.read() ?? [];
    const verdict = verifyAudit(lines);
    if (!verdict.ok)
      throw new Error(
        `The audit record does not verify at line ${verdict.line}: ${verdict.why} Move it away and start a new one.`,
      );
    this.#count = verdict.entries;
    this.#last = verdict.last;
    for (const line of lines.slice(-this.#keep)) this.#entries.push(JSON.parse(line) as AuditEntry);
  }

  /** Appends one event. */
  record(event: AuditEvent, about: { readonly asker?: Asker; readonly call?: CallContext } = {}): AuditEntry {
    const { asker, call } = about;
    const entry = seal({
      n: this.#count + 1,
      at: new Date(this.#clock.now()).toISOString(),
      ...(asker && { asker: { id: asker.id, name: asker.name, origin: asker.origin, era: asker.era } }),
      ...(call && { call: { id: call.id, kind: call.kind, name: call.name, argumentsDigest: argumentsDigest(call) } }),
      event,
      previous: this.#last,
    });
    this.#count = entry.n;
    this.#last = entry.hash;
    this.#entries.push(entry);
    if (this.#entries.length > this.#keep) this.#entries.shift();
    try {
      this.#sink?.append(JSON.stringify(entry));
    } catch (error) {
      this.#onError(error);
    }
    for (const listener of this.#listeners) listener(entry);
    return entry;
  }

  /**
   * Entries in memory, oldest first.
   * @param options - `search`: those whose server, call or event contains every word of it; `server`: those of one server
   */
  entries(options: { readonly search?: string; readonly server?: string } = {}): readonly AuditEntry[] {
    const words = (options.search ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    return this.#entries.filter(entry => {
      if (options.server !== undefined && entry.asker?.id !== options.server) return false;
      const text = words.length > 0 ? readable(entry) : '';
      return words.every(word => text.includes(word));
    });
  }

  /** The entries in memory as JSON Lines. */
  export(): string {
    return this.#entries.map(entry => `${JSON.stringify(entry)}\n`).join('');
  }

  /** The hash of the last entry; keep it elsewhere to notice a cut at the end. */
  get last(): string {
    return this.#last;
  }

  /** Calls `listener` for every entry from now on. @returns ends the subscription */
  subscribe(listener: (entry: AuditEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
