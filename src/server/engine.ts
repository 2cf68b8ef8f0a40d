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
 * - E6 A handler that returns while an ask is open has not awaited it: `ask/not-awaited`. One that returns while its
 *   round is out has outrun the person: its result is dropped, and the driver runs it again with the answers.
 * - E7 The signal fires on cancel only while no ask is open. What `defer` was given runs once when the run ends, is
 *   suspended or is cancelled.
 * - E8 A closed run holds no timer and no listener, so a suspended handler is garbage.
 */
import type { MidcallError } from '../errors.ts';
import type { Json } from './digest.ts';
import { type Entry, type Journal, Occurrences } from './journal.ts';
import { diverged, inDoubt, notAwaited } from './run-errors.ts';
import type { AskRequest, EngineOptions, OpenAsk, Outcome, Recorded, StepWork } from './seam.ts';
import { asError, asJson, replayed } from './step-entry.ts';

type State = 'new' | 'running' | 'out' | 'closed';

const never = <T>(): Promise<T> => new Promise<T>(() => {});

/** One run of one handler. */
export class Run<R> {
  readonly signal: AbortSignal;
  readonly #abort = new AbortController();
  readonly #handler: (run: Run<R>) => Promise<R> | R;
  readonly #options: EngineOptions;
  readonly #turn: (fn: () => void) => void;
  readonly #journal: Entry[];
  readonly #byId = new Map<string, Entry>();
  readonly #unused = new Map<string, Entry>();
  readonly #fresh: ReadonlySet<string>;
  readonly #occurrences = new Occurrences();
  readonly #pending = new Map<string, { readonly ask: OpenAsk; readonly resolve: (recorded: Recorded) => void }>();
  readonly #made: OpenAsk[] = [];
  readonly #defers: (() => void | Promise<void>)[] = [];
  #held: (() => void)[] = [];
  #state: State = 'new';
  #open = 0;
  #activity = 0;
  #checking = false;
  #grace: ReturnType<typeof setTimeout> | undefined;
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
    fresh: ReadonlySet<string> = new Set(),
    options: EngineOptions = {},
  ) {
    this.#handler = handler;
    this.#journal = [...journal];
    this.#fresh = fresh;
    this.#options = options;
    this.#turn = options.turn ?? setImmediate;
    this.signal = this.#abort.signal;
    for (const entry of journal) {
      this.#byId.set(entry.id, entry);
      this.#unused.set(entry.id, entry);
    }
  }

  /** Everything recorded so far, in order. */
  get journal(): Journal {
    return this.#journal;
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

  /** Asks. The value is whatever the driver recorded for this ask; `fresh` where no earlier run has seen it. */
  async ask(request: AskRequest): Promise<Recorded> {
    const ask: OpenAsk = { ...request, id: this.#occurrences.next(request.kind, request.identity) };
    const gate = this.#enter();
    if (gate) await gate;
    this.#made.push(ask);
    const known = this.#use(ask.id);
    if (known) return { value: known.value ?? null, fresh: this.#fresh.has(known.id) };
    return new Promise<Recorded>(resolve => {
      this.#pending.set(ask.id, { ask, resolve });
      this.#stir();
    });
  }

  /** Records what needs no question, such as that the client cannot be asked, so that a replay sees the same. */
  async note(request: AskRequest, value: Json): Promise<Recorded> {
    const id = this.#occurrences.next(request.kind, request.identity);
    const gate = this.#enter();
    if (gate) await gate;
    const known = this.#use(id);
    if (known) return { value: known.value ?? null, fresh: false };
    this.#record({ id, kind: request.kind, label: request.label, value });
    return { value, fresh: true };
  }

  /** Runs work once per call and gives its result as JSON. */
  async step<T>(name: string, work: (key: string) => StepWork<T>): Promise<Json | undefined> {
    const id = this.#occurrences.next('step', name);
    const gate = this.#enter();
    if (gate) await gate;
    const known = this.#use(id);
    if (known) return replayed(known);
    return this.#busy(() => this.#perform(id, name, work(id)));
  }

  /** Runs an operation that may not start while the run is held, and that the idle check waits for. */
  async guarded<T>(operation: () => Promise<T>): Promise<T> {
    const gate = this.#enter();
    if (gate) await gate;
    return this.#busy(operation);
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
      resolve({ value, fresh: true });
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

  /** The client cancelled or is gone. */
  async cancel(reason: unknown): Promise<void> {
    if (this.#state === 'closed') return;
    const quiet = this.#pending.size > 0 || this.#state === 'out';
    const closing = this.#close();
    if (!quiet) this.#abort.abort(reason);
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
    const open = [...this.#pending.values()].map(each => each.ask);
    await this.#close();
    if (outcome.kind === 'done' && open.length > 0) this.#tell({ kind: 'failed', error: notAwaited(open) });
    else if (outcome.kind === 'done' && this.#unused.size > 0) this.#tell({ kind: 'failed', error: this.#diverged() });
    else this.#tell(outcome);
  }

  async #close(): Promise<void> {
    this.#state = 'closed';
    this.#held = [];
    this.#pending.clear();
    clearTimeout(this.#grace);
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
    this.#journal.push(entry);
    this.#byId.set(entry.id, entry);
  }

  async #busy<T>(operation: () => Promise<T>): Promise<T> {
    this.#open++;
    try {
      const value = await operation();
      return this.#state === 'closed' ? await never<T>() : value;
    } catch (error) {
      return this.#state === 'closed' ? await never<T>() : Promise.reject(error);
    } finally {
      this.#open--;
      this.#stir();
    }
  }

  async #perform<T>(id: string, name: string, work: StepWork<T>): Promise<Json | undefined> {
    const safe = work.idempotent || work.check !== undefined;
    const begun = (await this.#options.ledger?.begin({ id, name, safe })) ?? { state: 'run' };
    if (begun.state === 'done') {
      this.#record(begun.entry);
      return replayed(begun.entry);
    }
    if (begun.state === 'in-doubt') return this.fail(inDoubt(name));
    // The run may have been cancelled while the ledger was written: then nothing starts.
    if (this.#state === 'closed') return never();
    let entry: Entry;
    try {
      const found = begun.state === 'again' ? await work.check?.() : undefined;
      entry = { id, kind: 'step', label: name, ...asJson(name, found === undefined ? await work.run() : found) };
    } catch (error) {
      entry = { id, kind: 'step', label: name, error: asError(error) };
      await this.#options.ledger?.end(entry);
      this.#record(entry);
      throw error;
    }
    await this.#options.ledger?.end(entry);
    this.#record(entry);
    return entry.value;
  }

  /** Something happened: look for idleness one turn of the event loop after the last thing that did. */
  #stir(): void {
    this.#activity++;
    if (this.#checking || this.#state !== 'running') return;
    this.#checking = true;
    const seen = this.#activity;
    this.#turn(() => {
      this.#checking = false;
      if (this.#state !== 'running' || this.#pending.size === 0 || this.#open > 0) return;
      if (this.#activity !== seen) this.#stir();
      else this.#idle();
    });
  }

  #idle(): void {
    const missed = [...this.#unused.keys()].some(id => this.#fresh.has(id));
    if (missed && this.#grace === undefined) {
      const late = () => {
        const stillMissed = [...this.#unused.keys()].some(id => this.#fresh.has(id));
        if (this.#state !== 'running' || !stillMissed) return;
        void this.fail(this.#diverged());
      };
      this.#grace = setTimeout(late, this.#options.graceMs ?? 1000);
      return;
    }
    if (missed) return;
    clearTimeout(this.#grace);
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
