/**
 * A record of what was asked and how it ended: append-only, and each entry is chained to the one before by its hash, so that a
 * change, a gap or a cut in the middle is detected. It never contains answers, arguments or the contents of prompts, nor the
 * arguments of a command line; arguments are represented by a digest.
 *
 * - audit-A1 `hash` is SHA-256 over the entry's canonical JSON without `hash`; `previous` is the hash of the entry before.
 * - audit-A2 What a sink has written is never rewritten.
 * - audit-A3 The chain continues only from what was written. An entry that could not be written is lost, and the next one is a
 *   `gap` that says how many were lost and why, so that a full disk or a killed process never looks like tampering.
 * - audit-A4 A record without a sink is sealed when it is read. Entries that were dropped from memory before that were never
 *   sealed: the chain then begins with the oldest entry left, under its own number.
 * - audit-A5 A line is safe to draw: characters that are not drawn are escaped.
 */

import { fromJson } from '@midcall/core/json';
import { checkOptions, func, having, notNegative } from '@midcall/core/options';
import { visibleJson } from '@midcall/core/text';
import { type Clock, clockKind, systemClock } from '@midcall/core/time';
import { Listeners } from '../base/index.ts';
import type { Asker, CallContext } from '../question/index.ts';
import {
  type AuditEntry,
  contentOf,
  type EntryContent,
  frozen,
  genesis,
  type HostEvent,
  hashOf,
  type UnsealedEntry,
  withoutLarge,
} from './audit-entry.ts';

/** Where entries are written, besides memory. */
export interface AuditLog {
  /** What was written: the whole lines, oldest first, and what follows the last of them if a write was interrupted. */
  read(): { readonly lines: readonly string[]; readonly unfinished: string };
  /**
   * Appends one line, which has no line break, in place of an unfinished one.
   * @returns false if others have written since the sink was read or appended to; then nothing was appended
   * @throws the error of the write; no part of the line remains then
   */
  append(line: string): boolean;
}

/** Why an entry is not the next one of its record; undefined if it is. */
function misplaced(entry: AuditEntry, previous: string, n: number): string | undefined {
  if (entry.previous !== previous) return 'This entry does not follow the one before it.';
  return entry.n === n ? undefined : 'An entry is missing before this one.';
}

/** What {@link verifyAudit} found. */
export type AuditVerdict =
  | {
      readonly ok: true;
      readonly entries: number;
      readonly last: string;
      /** Entries that could not be written when they should have been, as the record itself says. */
      readonly lost: number;
      /** True if the last line is unfinished, as after a process is killed; it is not counted. */
      readonly unfinished: boolean;
    }
  /** `line` counts from 1. */
  | { readonly ok: false; readonly line: number; readonly why: string };

/** Whether a text is the beginning of the n-th entry, which is all that an interrupted write leaves. */
function beginsEntry(text: string, n: number): boolean {
  // If the machine itself stopped, a file system may have zeros in place of what it had not written.
  const written = text.replace(/(?<!\0)\0+$/u, '');
  const begin = `{"n":${n},"at":"`;
  return begin.startsWith(written) || written.startsWith(begin);
}

/**
 * Checks a record, line by line (JSON Lines). A cut at the end cannot be seen from the lines alone: compare `last` with
 * a hash that was kept elsewhere.
 * @param options - `excerpt`: the record may begin with any entry; what was before it is not judged
 * @example
 * ```ts
 * const verdict = verifyAudit(readFileSync('audit.jsonl', 'utf8').trimEnd().split('\n'));
 * if (!verdict.ok) console.error(`Line ${verdict.line}: ${verdict.why}`);
 * ```
 */
export function verifyAudit(lines: readonly string[], options: { readonly excerpt?: boolean } = {}): AuditVerdict {
  let [previous, before, lost] = [genesis, 0, 0];
  for (const [index, line] of lines.entries()) {
    const bad = (why: string): AuditVerdict => ({ ok: false, line: index + 1, why });
    const entry = fromJson(line) as AuditEntry | undefined;
    if (entry === undefined) {
      if (index < lines.length - 1 || !beginsEntry(line, before + index + 1)) return bad('This line is not JSON.');
      return { ok: true, entries: index, last: previous, lost, unfinished: true };
    }
    if (typeof entry !== 'object' || entry === null) return bad('This line is not an entry.');
    const { hash: sealed, ...rest } = entry;
    if (index === 0 && options.excerpt) [previous, before] = [entry.previous, entry.n - 1];
    const wrong = misplaced(entry, previous, before + index + 1);
    if (wrong !== undefined) return bad(wrong);
    if (hashOf(rest) !== sealed) return bad('This entry was changed after it was written.');
    if (entry.event?.type === 'gap') lost += entry.event.lost;
    previous = sealed;
  }
  return { ok: true, entries: lines.length, last: previous, lost, unfinished: false };
}

/** Why an entry could not be written; never contains a path, or any of the sink's own words. */
function whyOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return `It could not be written${typeof code === 'string' && /^[A-Z0-9_]{2,40}$/.test(code) ? ` (${code})` : ''}.`;
}

/** Options of the record. */
export interface AuditOptions {
  readonly clock?: Clock;
  /** The record continues what is there, and appends every new line. */
  readonly sink?: AuditLog;
  /** Entries kept in memory; older ones are in the sink only. Default 10,000. */
  readonly keep?: number;
  /** Called when an entry cannot be written, which is lost then, and the record says so once it can be written again; and with what a
   * subscriber throws, which is written to standard error if this is absent. */
  readonly onError?: (error: unknown) => void;
}

/** What a search looks at: words, but not ids and hashes, in which any few letters occur. */
const readable = ({ principal, asker, call, event }: AuditEntry): string =>
  JSON.stringify([principal, asker?.id, asker?.name, asker?.origin, call?.kind, call?.name, event]).toLowerCase();

/**
 * The record of one host.
 * @example
 * ```ts
 * attach(client, { server: { id: 'notes', origin: 'midcall notes' }, inbox, audit: new Audit({ sink: auditFile('audit.jsonl') }) });
 * ```
 */
export class Audit {
  readonly #entries: AuditEntry[] = [];
  /** Entries that have not been read yet; they follow the sealed ones (audit-A4). */
  #unsealed: UnsealedEntry[] = [];
  readonly #listeners: Listeners<AuditEntry>;
  readonly #clock: Clock;
  readonly #sink: AuditLog | undefined;
  readonly #keep: number;
  readonly #onError: (error: unknown) => void;
  #count = 0;
  #last = genesis;
  /** Lost entries that the record does not mention yet. */
  #gap: Omit<Extract<HostEvent, { type: 'gap' }>, 'type'> | undefined;

  /** @throws Error if the sink holds lines that do not verify, since a broken record must not be continued */
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
    this.#listeners = new Listeners(options.onError);
    this.#readOn();
    try {
      this.#sayGap();
    } catch (error) {
      this.#onError(error);
    }
  }

  /**
   * Appends one event.
   * @returns false if it could not be written
   */
  record(
    event: HostEvent,
    about: {
      readonly asker?: Asker;
      readonly call?: CallContext | undefined;
      readonly principal?: string | undefined;
    } = {},
  ): boolean {
    const { asker, call, principal } = about;
    const at = this.#clock.now();
    if (!this.#sink && this.#listeners.size === 0) {
      this.#keepUnsealed({ at, principal, asker, call: call && withoutLarge(call), event });
      return true;
    }
    const content = contentOf({ at, principal, asker, call, event });
    try {
      this.#sayGap();
      this.#append(content);
      return true;
    } catch (error) {
      const { lost = 0, since = content.at } = this.#gap ?? {};
      this.#gap = { lost: lost + 1, why: whyOf(error), since };
      this.#onError(error);
      return false;
    }
  }

  #keepUnsealed(entry: UnsealedEntry): void {
    this.#unsealed.push(entry);
    // Dropping one at a time would move all the others each time.
    if (this.#unsealed.length <= 2 * this.#keep) return;
    const left = this.#unsealed.length - this.#keep;
    this.#count += left;
    this.#last = genesis;
    this.#entries.length = 0;
    this.#unsealed = this.#unsealed.slice(left);
  }

  /** Seals what has not been read until now (audit-A4). */
  #seal(): void {
    for (const entry of this.#unsealed.splice(0)) this.#append(contentOf(entry));
  }

  /** Records what was lost, before anything else. @throws if that cannot be written either */
  #sayGap(): void {
    while (this.#gap) {
      const gap = this.#gap;
      this.#gap = undefined;
      try {
        this.#append({ at: new Date(this.#clock.now()).toISOString(), event: { type: 'gap', ...gap } });
      } catch (error) {
        this.#gap = { ...gap, lost: gap.lost + this.unwritten };
        throw error;
      }
    }
  }

  /** Makes something the next entry, once it is written (audit-A3). */
  #append(content: EntryContent): void {
    for (let tries = 0; tries < 10; tries += 1) {
      const unsealed = { n: this.#count + 1, ...content, previous: this.#last };
      const entry = { ...unsealed, hash: hashOf(unsealed) };
      if (this.#sink && !this.#sink.append(visibleJson(entry))) {
        this.#readOn();
        continue;
      }
      this.#add(entry);
      return;
    }
    throw new Error('Other processes keep writing to this audit record. Give each process a record of its own.');
  }

  /** @param sealed - hashed or verified */
  #add(sealed: AuditEntry): void {
    const entry = frozen(sealed);
    this.#count = entry.n;
    this.#last = entry.hash;
    this.#entries.push(entry);
    if (this.#entries.length > this.#keep) this.#entries.shift();
    this.#listeners.tell(entry);
  }

  /** Reads what others have appended to the sink. @throws Error if that does not continue what is known */
  #readOn(): void {
    const { lines, unfinished } = this.#sink?.read() ?? { lines: [], unfinished: '' };
    const verdict = verifyAudit(unfinished === '' ? lines : [...lines, unfinished]);
    if (!verdict.ok)
      throw new Error(
        `The audit record does not verify at line ${verdict.line}: ${verdict.why} Move it away and start a new one.`,
      );
    if (this.#count > 0 && lines.length === 0) {
      const why = `The record was moved away or removed while it was written, after entry ${this.#count}, ${this.#last}.`;
      this.#gap = { lost: this.unwritten, why };
      [this.#count, this.#last] = [0, genesis];
      this.#entries.length = 0;
    } else if (this.#count > 0 && JSON.parse(lines[this.#count - 1] ?? '{}').hash !== this.#last) {
      throw new Error('The audit record was changed while it was written. Move it away and start a new one.');
    }
    for (const line of lines.slice(Math.max(this.#count, lines.length - this.#keep))) this.#add(JSON.parse(line));
    if (verdict.unfinished) {
      this.#gap = { lost: this.unwritten + 1, why: 'A process ended while it wrote an entry.' };
    }
  }

  /**
   * Entries in memory, oldest first.
   * @param options - `search`: those whose server, call or event contains every word of it; `server`: those of one server
   */
  entries(options: { readonly search?: string; readonly server?: string } = {}): readonly AuditEntry[] {
    this.#seal();
    const words = (options.search ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    return this.#entries.filter(entry => {
      if (options.server !== undefined && entry.asker?.id !== options.server) return false;
      const text = words.length > 0 ? readable(entry) : '';
      return words.every(word => text.includes(word));
    });
  }

  /** The entries in memory as JSON Lines. */
  export(): string {
    this.#seal();
    return this.#entries.map(entry => `${visibleJson(entry)}\n`).join('');
  }

  /**
   * Verifies the entries in memory, the oldest of which need not be the first of the record. Each was hashed when it was made or
   * read, and nobody can have changed it since: what is left is that each follows the one before it.
   */
  verify(): AuditVerdict {
    this.#seal();
    const [first] = this.#entries;
    let [previous, lost] = [first?.previous ?? genesis, 0];
    for (const [index, entry] of this.#entries.entries()) {
      const wrong = misplaced(entry, previous, first!.n + index);
      if (wrong !== undefined) return { ok: false, line: index + 1, why: wrong };
      if (entry.event.type === 'gap') lost += entry.event.lost;
      previous = entry.hash;
    }
    return { ok: true, entries: this.#entries.length, last: previous, lost, unfinished: false };
  }

  /** Entries that could not be written and that the record does not mention yet. */
  get unwritten(): number {
    return this.#gap?.lost ?? 0;
  }

  /** The hash of the last entry; keep it elsewhere to notice a cut at the end. */
  get last(): string {
    this.#seal();
    return this.#last;
  }

  /** Calls `listener` for every entry from now on. @returns ends the subscription */
  subscribe(listener: (entry: AuditEntry) => void): () => void {
    this.#seal();
    return this.#listeners.add(listener);
  }
}
