/**
 * The replay engine. It takes a handler and a journal and says what came of it: `done`, `failed`, or `needs` with the
 * questions that must be answered before the handler can go on. It knows no SDK, no wire and no era; the driver above it
 * decides whether a round is answered in place (`settle`) or by running the handler again with a longer journal.
 *
 * - E1 The handler runs from the top each time; the journal is the only input that may differ between runs of a call.
 * - E2 An ask settles only from the journal or from `settle`; otherwise it stays pending. It never throws to suspend.
 * - E3 All asks pending when the run is idle leave as one round. Idle is: one turn of the event loop without an ask or
 *   step beginning or ending, and no step open.
 * - E4 From the moment a round has left, every operation of the run is held: nothing starts until the round is settled,
 *   and nothing ever again once the run is closed (suspended, cancelled, ended).
 * - E5 Asks and steps are identified by digest and occurrence. A recorded entry that a finished run did not use is
 *   `ask/diverged`, naming both sides; an answer never reaches another question.
 * - E6 A handler that returns while an ask, a step or a file operation is open has not awaited it: `ask/not-awaited`. One
 *   that returns while its round is out has outrun the person: its result is dropped, and the driver runs it again with
 *   the answers.
 * - E7 The signal fires on cancel only while no ask is open. What `defer` was given runs once, however the run ends.
 * - E8 A closed run holds no timer and no listener, so a suspended handler is garbage.
 * - E9 The journal is nobody's to change: a handler is given copies, of what a step threw too.
 */
import type { MidcallError } from '../errors.ts';
import { copyJson, type Json } from './digest.ts';
import { describe, type Entry, type Journal, Occurrences, shortLabel } from './journal.ts';
import { diverged, inDoubt, insideStep, notAwaited } from './run-errors.ts';
import type { AskRequest, EngineOptions, OpenAsk, Outcome, Recorded, StepWork } from './seam.ts';
import { carryOut, replayed } from './step-entry.ts';

type State = 'new' | 'running' | 'out' | 'closed';

const startTimer = (fn: () => void, ms: number): (() => void) => {
  const timer = setTimeout(fn, ms);
  return () => clearTimeout(timer);
};
const none: ReadonlySet<string> = new Set();
/** Only ever taken from. */
const nothing = new Map<string, Entry>();
const never = <T>(): Promise<T> => new Promise<T>(() => {});

/** One run of one handler. */
export class Run<R> {
  #abort: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  readonly #handler: (run: Run<R>) => Promise<R> | R;
  readonly #options: EngineOptions;
  readonly #turn: (fn: () => void) => void;
  readonly #journal: Entry[];
  readonly #byId = new Map<string, Entry>();
  readonly #unused: Map<string, Entry>;
  readonly #fresh: ReadonlySet<string>;
  readonly #occurrences = new Occurrences();
  readonly #pending = new Map<string, { readonly ask: OpenAsk; readonly resolve: (recorded: Recorded) => void }>();
  readonly #made: OpenAsk[] = [];
  readonly #defers: (() => void | Promise<void>)[] = [];
  #held: (() => void)[] = [];
  #state: State = 'new';
  /** Steps and file operations under way, by the name an author knows them by. */
  readonly #open: { readonly label: string }[] = [];
  /** Set while a step's function is in its first, synchronous part. */
  #within: string | undefined;
  #whenQuiet: (() => void)[] = [];
  #activity = 0;
  #checking = false;
  #stopGrace: (() => void) | undefined;
  #outran = false;
  #outcome: Outcome<R> | undefined;
  #wake: ((outcome: Outcome<R>) => void) | undefined;

  /**
   * @param handler - run from the top
   * @param journal - what earlier runs of this call recorded
   * @param fresh - ids of the entries the last round added: a replay that leaves one of them unused has diverged
   */
  constructor(
    handler: (run: Run<R>) => Promise<R> | R,
    journal: Journal = [],
    fresh: ReadonlySet<string> = none,
    options: EngineOptions = {},
  ) {
    this.#handler = handler;
    this.#journal = [...journal];
    this.#fresh = fresh;
    this.#options = options;
    this.#turn = options.turn ?? setImmediate;
    for (const entry of journal) this.#byId.set(entry.id, entry);
    this.#unused = journal.length > 0 ? new Map(this.#byId) : nothing;
  }

  /** E7; made when it is first looked at, since most handlers never do. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#aborted) this.#abort.abort(this.#aborted.reason);
    return this.#abort.signal;
  }

  /** Everything recorded so far, in order. */
  get journal(): Journal {
    return this.#journal;
  }

  /** True while a question of this run has no answer. */
  get asking(): boolean {
    return this.#pending.size > 0;
  }

  /** True where the handler ended while its round was out: settle nothing, run it again with the answers. */
  get outran(): boolean {
    return this.#outran;
  }

  /** The next thing that comes of the run. After `needs`, call `settle` before calling this again. */
  next(): Promise<Outcome<R>> {
    if (this.#state === 'new') this.#start();
    if (this.#outcome) {
      const outcome = this.#outcome;
      if (outcome.kind === 'needs') this.#outcome = undefined;
      return Promise.resolve(outcome);
    }
    return new Promise(resolve => {
      this.#wake = resolve;
    });
  }

  /** True where an earlier run has recorded what the next ask of this kind and identity comes to. */
  foresees({ kind, identity }: Pick<AskRequest, 'kind' | 'identity'>): boolean {
    return this.#byId.has(this.#occurrences.peek(kind, identity));
  }

  /**
   * Asks. The value is whatever the driver recorded for this ask; `fresh` where no earlier run has seen it.
   * @param instead - recorded without asking anybody, where no earlier run recorded something: that the client cannot be
   *   asked, or that an earlier decline stands. So a replay sees the same, whatever has changed since.
   */
  async ask(request: AskRequest, instead?: Json): Promise<Recorded> {
    if (this.#within !== undefined) throw insideStep(request, this.#within);
    const ask: OpenAsk = { ...request, id: this.#occurrences.next(request.kind, request.identity) };
    const gate = this.#enter();
    if (gate) await gate;
    const known = this.#use(ask.id);
    if (known) return { id: ask.id, value: copyJson(known.value ?? null), fresh: this.#fresh.has(known.id) };
    if (instead !== undefined) {
      this.#record({ id: ask.id, kind: ask.kind, label: ask.label, value: instead });
      return { id: ask.id, value: copyJson(instead), fresh: true };
    }
    this.#made.push(ask);
    return new Promise<Recorded>(resolve => {
      this.#pending.set(ask.id, { ask, resolve });
      this.#stir();
    });
  }

  /** Runs work once per call and gives its result as JSON. */
  async step<T>(name: string, work: (key: string) => StepWork<T>): Promise<Json | undefined> {
    if (this.#within !== undefined) throw insideStep({ kind: 'step', label: name }, this.#within);
    const id = this.#occurrences.next('step', name);
    const gate = this.#enter();
    if (gate) await gate;
    const known = this.#use(id);
    if (known) return replayed(known);
    return this.#busy({ label: `step '${name}'` }, () => this.#perform(id, name, work(id)));
  }

  /** Runs an operation that may not start while the run is held, and that the idle check waits for. */
  async guarded<T>(operation: () => Promise<T>): Promise<T> {
    const gate = this.#enter();
    if (gate) await gate;
    return this.#busy({ label: 'a file operation' }, operation);
  }

  defer(fn: () => void | Promise<void>): void {
    if (this.#state === 'closed') void this.#runDefer(fn);
    else this.#defers.push(fn);
  }

  /** Answers the round that is out, in place; asks without a value stay open and leave again. */
  settle(values: ReadonlyMap<string, Json>): void {
    if (this.#state !== 'out') return;
    this.#state = 'running';
    for (const [id, { ask, resolve }] of [...this.#pending]) {
      const value = values.get(id);
      if (value === undefined) continue;
      this.#record({ id, kind: ask.kind, label: ask.label, value });
      this.#pending.delete(id);
      resolve({ id, value: copyJson(value), fresh: true });
    }
    const held = this.#held;
    this.#held = [];
    for (const release of held) release();
    this.#stir();
  }

  /**
   * Ends the call with an error that the handler's own `catch` cannot swallow.
   * @returns a promise that never settles, for the operation that found the error to return
   */
  async fail(error: unknown): Promise<never> {
    if (this.#state !== 'closed') {
      await this.#close();
      this.#tell({ kind: 'failed', error });
    }
    return never<never>();
  }

  /** Ends a run whose round is answered by another run; nothing of it ever goes on. */
  async suspend(): Promise<void> {
    await this.#close();
  }

  /** Resolves when no step or file operation is under way; a closed run begins none. */
  async quiet(): Promise<void> {
    if (this.#open.length > 0) await new Promise<void>(resolve => this.#whenQuiet.push(resolve));
  }

  /** The client cancelled or is gone. */
  async cancel(reason: unknown): Promise<void> {
    if (this.#state === 'closed') return;
    const quiet = this.#pending.size > 0 || this.#state === 'out';
    const closing = this.#close();
    if (!quiet) {
      this.#aborted = { reason };
      this.#abort?.abort(reason);
    }
    await closing;
    this.#tell({ kind: 'cancelled' });
  }

  #start(): void {
    this.#state = 'running';
    let running: Promise<R>;
    try {
      running = Promise.resolve(this.#handler(this));
    } catch (error) {
      running = Promise.reject(error);
    }
    running.then(
      result => void this.#finish({ kind: 'done', result }),
      error => void this.#finish({ kind: 'failed', error }),
    );
  }

  async #finish(outcome: Outcome<R>): Promise<void> {
    if (this.#state === 'closed') return;
    if (this.#state === 'out') {
      this.#outran = true;
      return;
    }
    const open = [
      ...[...this.#pending.values()].map(({ ask }) => describe(ask)),
      ...this.#open.map(each => each.label),
    ];
    await this.#close();
    if (outcome.kind === 'done' && open.length > 0) this.#tell({ kind: 'failed', error: notAwaited(open) });
    else if (outcome.kind === 'done' && this.#unused.size > 0) this.#tell({ kind: 'failed', error: this.#diverged() });
    else this.#tell(outcome);
  }

  async #close(): Promise<void> {
    this.#state = 'closed';
    this.#held = [];
    this.#pending.clear();
    this.#stopGrace?.();
    const defers = this.#defers.splice(0).reverse();
    for (const fn of defers) await this.#runDefer(fn);
  }

  async #runDefer(fn: () => void | Promise<void>): Promise<void> {
    try {
      await fn();
    } catch (error) {
      this.#options.onDeferError?.(error);
    }
  }

  /** E4: passes at once while running, holds while a round is out, and never passes once closed. */
  #enter(): Promise<void> | undefined {
    this.#activity++;
    if (this.#state === 'running') return undefined;
    if (this.#state === 'closed') return never();
    return new Promise(resolve => this.#held.push(resolve));
  }

  #use(id: string): Entry | undefined {
    const entry = this.#byId.get(id);
    if (entry) {
      this.#unused.delete(id);
      this.#stir();
    }
    return entry;
  }

  #record(entry: Entry): void {
    this.#journal.push({ ...entry, label: shortLabel(entry.label) });
    this.#byId.set(entry.id, entry);
  }

  async #busy<T>(what: { readonly label: string }, operation: () => Promise<T>): Promise<T> {
    this.#open.push(what);
    const settled = await operation().then(
      value => () => value,
      (error: unknown) => () => {
        throw error;
      },
    );
    this.#open.splice(this.#open.indexOf(what), 1);
    if (this.#open.length === 0) for (const tell of this.#whenQuiet.splice(0)) tell();
    this.#stir();
    return this.#state === 'closed' ? never<T>() : settled();
  }

  async #perform<T>(id: string, name: string, work: StepWork<T>): Promise<Json | undefined> {
    const { ledger } = this.#options;
    const safe = work.idempotent || work.check !== undefined;
    try {
      const begun = (await ledger?.begin({ id, name, safe })) ?? { state: 'run' };
      if (begun.state === 'done') {
        this.#record(begun.entry);
        return replayed(begun.entry);
      }
      if (begun.state === 'in-doubt') throw inDoubt(name);
      // The run may have been cancelled while the ledger was written: then nothing starts.
      if (this.#state === 'closed') {
        if (begun.state === 'run') await ledger?.withdraw({ id, name });
        return undefined;
      }
      const { entry, cause } = await carryOut(id, name, work, {
        again: begun.state === 'again',
        during: fn => this.#during(name, fn),
      });
      await ledger?.end(entry);
      this.#record(entry);
      return replayed(entry, cause);
    } catch (error) {
      // What a step threw is the handler's; a ledger that cannot be written ends the call, whatever the handler catches.
      if (this.#byId.get(id)?.error) throw error;
      void this.fail(error);
      return undefined;
    }
  }

  /** Marks the first, synchronous part of a step's function. */
  #during<V>(name: string, fn: () => V): V {
    this.#within = name;
    try {
      return fn();
    } finally {
      this.#within = undefined;
    }
  }

  /** Something happened: look for idleness one turn of the event loop after the last thing that did. */
  #stir(): void {
    this.#activity++;
    if (this.#checking || this.#state !== 'running') return;
    this.#checking = true;
    const seen = this.#activity;
    this.#turn(() => {
      this.#checking = false;
      if (this.#state !== 'running' || this.#pending.size === 0 || this.#open.length > 0) return;
      if (this.#activity !== seen) this.#stir();
      else this.#idle();
    });
  }

  #idle(): void {
    const missed = [...this.#unused.keys()].some(id => this.#fresh.has(id));
    if (missed && this.#stopGrace === undefined) {
      const late = () => {
        const stillMissed = [...this.#unused.keys()].some(id => this.#fresh.has(id));
        if (this.#state === 'running' && stillMissed) void this.fail(this.#diverged());
      };
      this.#stopGrace = (this.#options.timer ?? startTimer)(late, this.#options.graceMs ?? 1000);
    }
    if (missed) return;
    this.#stopGrace?.();
    this.#state = 'out';
    this.#tell({ kind: 'needs', asks: [...this.#pending.values()].map(each => each.ask) });
  }

  #tell(outcome: Outcome<R>): void {
    const wake = this.#wake;
    this.#wake = undefined;
    if (wake) wake(outcome);
    else this.#outcome = outcome;
    if (wake && outcome.kind !== 'needs') this.#outcome = outcome;
  }

  #diverged(): MidcallError {
    return diverged(
      [...this.#unused.values()],
      this.#made.filter(ask => !this.#byId.has(ask.id)),
    );
  }
}
