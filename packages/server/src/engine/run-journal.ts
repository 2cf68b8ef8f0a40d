/**
 * The journal of one run: what earlier runs of the call recorded, which of these entries this run has used, and which it has
 * added.
 */
import type { MidcallError } from '@midcall/core/errors';
import type { Json } from '../base/index.ts';
import { type Entry, type Journal, shortLabel } from './journal.ts';
import { diverged } from './run-errors.ts';
import type { NamedAsk } from './seam.ts';

/** How many messages are remembered; a handler that sends more repeats the rest in a replay. */
const MAX_SAID = 1_000;
const saidId = 'said';

/** The start of most runs; never added to. */
const nothing = new Map<string, Entry>();

export class RunJournal {
  /** Everything recorded so far, in order. */
  readonly entries: Entry[];
  #byId: Map<string, Entry>;
  readonly #unused: Map<string, Entry>;
  readonly #fresh: ReadonlySet<string>;
  #asks: readonly NamedAsk[] = [];

  /** @param fresh - ids of the entries the last round added */
  constructor(journal: Journal, fresh: ReadonlySet<string>) {
    this.entries = [...journal];
    this.#fresh = fresh;
    const used = journal.filter(({ kind }) => kind !== saidId);
    this.#byId = used.length > 0 ? new Map(used.map(entry => [entry.id, entry])) : nothing;
    this.#unused = used.length > 0 ? new Map(this.#byId) : nothing;
  }

  /** True if the entry was added by the last round. */
  fresh(id: string): boolean {
    return this.#fresh.has(id);
  }

  find(id: string): Entry | undefined {
    return this.#byId.get(id);
  }

  use(id: string): Entry | undefined {
    const entry = this.#byId.get(id);
    if (entry) this.#unused.delete(id);
    return entry;
  }

  add(entry: Entry): void {
    this.entries.push({ ...entry, label: shortLabel(entry.label) });
    if (this.#byId === nothing) this.#byId = new Map();
    this.#byId.set(entry.id, entry);
  }

  /** @returns true the first time this is said in any run of the call; remembers it */
  say(id: string): boolean {
    // Enough of a digest to tell apart what one handler says, and its occurrence.
    const key = `${id.slice(0, 8)}${id.slice(id.lastIndexOf('.'))}`;
    const at = this.entries.findIndex(({ kind }) => kind === saidId);
    const before = (this.entries[at]?.value ?? []) as readonly Json[];
    if (before.includes(key)) return false;
    if (before.length >= MAX_SAID) return true;
    const entry: Entry = { id: saidId, kind: saidId, label: saidId, value: [...before, key] };
    this.entries.splice(at < 0 ? this.entries.length : at, 1, entry);
    return true;
  }

  /** Remembers a question of this run that no earlier run recorded. */
  made(ask: NamedAsk): void {
    // Not pushed: an array that grows has room for many, and most runs ask one question.
    this.#asks = this.#asks.concat(ask);
  }

  /** True if a recorded entry was not used. */
  get left(): boolean {
    return this.#unused.size > 0;
  }

  /** True if this run has not yet returned to a question that the last round answered. */
  get missed(): boolean {
    for (const id of this.#unused.keys()) if (this.#fresh.has(id)) return true;
    return false;
  }

  diverged(): MidcallError {
    return diverged(
      [...this.#unused.values()],
      this.#asks.filter(ask => !this.#byId.has(ask.id)),
    );
  }
}
