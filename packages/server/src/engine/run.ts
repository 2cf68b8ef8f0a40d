/**
 * The replay engine. It takes a handler and a journal and returns the outcome: `done`, `failed`, or `needs` with the questions
 * that must be answered before the handler can continue. It knows no SDK, no wire and no era; the driver above it decides
 * whether a round is answered in place (`settle`) or by running the handler again with a longer journal.
 *
 * - run-E1 The handler runs from the top each time; the journal is the only input that may differ between runs of a call.
 * - run-E2 An ask settles only from the journal or from `settle`; otherwise it stays pending. It never throws to suspend.
 * - run-E3 All asks pending when the run is idle leave as one round. Idle is: one turn of the event loop without an ask or
 *   step beginning or ending, and no step open. So no ask may wait for a step that waits for it: an ask made by a step's
 *   own function is refused, before anything is sent, and where a step waits for an ask made outside it, the call ends.
 * - run-E4 From the moment a round has left, every operation of the run is held: nothing starts until the round is settled,
 *   and nothing ever again once the run is closed (suspended, cancelled, ended).
 * - run-E5 Asks and steps are identified by digest and occurrence. A recorded entry that a finished run did not use is
 *   `ask/diverged`, naming both sides; an answer never reaches another question.
 * - run-E6 A handler that returns while an ask, a step or a file operation is open has not awaited it: `ask/not-awaited`. One
 *   that returns while its round is open has outrun the person: its result is dropped, and the driver runs it again with the
 *   answers. An operation begun after the handler has returned is reported, once. It stays pending like any other of a closed
 *   run, since a rejection in a timer or an event listener would end the process.
 * - run-E7 The signal fires on cancel only while no ask is open. Deferred functions run once, however the run ends, and may
 *   start no operation of the call.
 * - run-E8 A closed run holds no timer and no listener, so a suspended handler is garbage.
 * - run-E9 Nobody can change the journal: a handler gets copies, even of errors thrown by steps.
 */
import type { MidcallError } from '@midcall/core/errors';
import { copyJson, type Json } from '../base/index.ts';
import { Deferred, type RunOutcome } from './deferred.ts';
import { IdleWatch } from './idle-watch.ts';
import { describe, type Entry, type Journal, Occurrences } from './journal.ts';
import { OpenAsks } from './open-asks.ts';
import { followedAs, OpenWork, type Piece, pieceOf } from './open-work.ts';
import type { Operations } from './operations.ts';
import { afterEnd, afterReturn, inDoubt, insideStep, neverPut, notAwaited } from './run-errors.ts';
import { RunJournal } from './run-journal.ts';
import type { AskIdentity, AskRequest, EngineOptions, Outcome, Recorded, StepWork, WorkAs, WorkId } from './seam.ts';
import { replayed, runWork } from './step-entry.ts';

type State = 'new' | 'running' | 'out' | 'closed';

type Named = AskIdentity & { readonly id: string };

const none: ReadonlySet<string> = new Set();
const never = <T>(): Promise<T> => new Promise<T>(() => {});

/** One run of one handler; `D` is the data the driver needs to put a question. */
export class Run<R, D = unknown> {
  readonly #signal = new RunSignal();
  readonly #handler: (run: Run<R, D>) => Promise<R> | R;
  readonly #options: EngineOptions;
  readonly #journal: RunJournal;
  readonly #occurrences = new Occurrences();
  readonly #pending = new OpenAsks<D>();
  #deferred: Deferred | undefined;
  #waiting: WaitingOperations | undefined;
  #state: State = 'new';
  readonly #open = new OpenWork();
  readonly #watch: IdleWatch;
  #outran = false;
  /** True from the handler's return until the first operation that is begun after it. */
  #reportsLate = false;
  /** run-E6: the failure of an operation that nobody looked at; set by the creator of operations. */
  operations: Pick<Operations, 'unseen' | 'explain'> | undefined;
  #outcome: Outcome<R, D> | undefined;
  #wake: ((outcome: Outcome<R, D>) => void) | undefined;

  /**
   * @param handler - run from the top
   * @param journal - what earlier runs of this call recorded
   * @param fresh - ids of the entries the last round added: a replay that leaves one of them unused has diverged
   */
  constructor(
    handler: (run: Run<R, D>) => Promise<R> | R,
    journal: Journal = [],
    fresh: ReadonlySet<string> = none,
    options: EngineOptions = {},
  ) {
    this.#handler = handler;
    this.#journal = new RunJournal(journal, fresh);
    this.#options = options;
    const watched = {
      isRunning: () => this.#state === 'running',
      hasQuestions: () => this.#pending.size > 0,
      hasOpenWork: () => this.#open.size > 0,
      isBehind: () => this.#journal.missed,
      onIdle: () => this.#leave(),
      onStall: () => void this.fail(neverPut(this.#pending.asks, this.#open.labels)),
      onDiverged: () => void this.fail(this.#journal.diverged()),
    };
    this.#watch = new IdleWatch(watched, options);
  }

  /** run-E7 */
  get signal(): AbortSignal {
    return this.#signal.signal;
  }

  /** Everything recorded so far, in order. */
  get journal(): Journal {
    return this.#journal.entries;
  }

  /** The names of the steps and file operations in progress. */
  get working(): readonly string[] {
    return this.#open.labels;
  }

  /** True while a question of this run has no answer. */
  get asking(): boolean {
    return this.#pending.size > 0;
  }

  /** True if the handler ended while its round was open: settle nothing, run it again with the answers. */
  get outran(): boolean {
    return this.#outran;
  }

  /** The run's next outcome. After `needs`, call `settle` before calling this again. */
  next(): Promise<Outcome<R, D>> {
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

  /** True if an earlier run has recorded the value of the next ask of this kind and identity. */
  foresees({ kind, identity }: Pick<AskRequest, 'kind' | 'identity'>): boolean {
    return this.#journal.find(this.#occurrences.peek(kind, identity)) !== undefined;
  }

  /**
   * run-E3: an ask of a step's own function would wait for the step that waits for it.
   * @throws MidcallError `ask/nested`, as `ask` does; for callers that prepare an ask with effects
   */
  refuseNested(inner: Pick<Entry, 'kind' | 'label'>): void {
    const piece = this.#open.running;
    if (piece) throw insideStep(inner, piece.label);
  }

  /**
   * Asks. The value is whatever the driver recorded for this ask; `fresh` if no earlier run has seen it.
   * @param instead - recorded without asking anybody, if no earlier run recorded something: that the client cannot be asked, or
   *   that an earlier decline stands. So a replay sees the same value, whatever has changed since.
   */
  ask(request: AskRequest<D>, instead?: Json): Promise<Recorded> {
    const { kind, identity, label, detail } = request;
    const put = (id: string) => ({ id, kind, identity, label, detail });
    return this.#answered(request, instead, put, ask => this.#pending.put(ask));
  }

  /**
   * Records a value that we find out ourselves, such as the address of a page. The ask fails if that does.
   * @param find - called with the id of the ask when the run is idle; a value is recorded as it is
   */
  find(request: AskIdentity, find: Json | ((id: string) => Promise<Json>)): Promise<Recorded> {
    const named = (id: string) => ({ id, ...request });
    if (typeof find !== 'function') return this.#answered(request, find, named, never);
    return this.#answered(request, undefined, named, ask => this.#pending.later(ask, find));
  }

  async #answered<A extends Named>(
    request: AskIdentity,
    instead: Json | undefined,
    name: (id: string) => A,
    wait: (ask: A) => Promise<Recorded>,
  ): Promise<Recorded> {
    this.refuseNested(request);
    const id = this.#occurrences.next(request.kind, request.identity);
    const gate = this.#enter(request);
    if (gate) await gate;
    const ask = name(id);
    const { kind, label } = ask;
    const earlier = this.#use(id);
    if (earlier) return { id, value: copyJson(earlier.value ?? null), fresh: this.#journal.fresh(earlier.id) };
    if (instead !== undefined) {
      this.#journal.add({ id, kind, label, value: instead });
      return { id, value: copyJson(instead), fresh: true };
    }
    this.#journal.made(ask);
    const recorded = wait(ask);
    this.#watch.stir();
    return recorded;
  }

  /** Runs work once per call and returns its result as JSON. */
  async step<T>(name: string, work: (key: string) => StepWork<T>, as: WorkAs = {}): Promise<Json | undefined> {
    const { kind = 'step', identity = name } = as;
    this.refuseNested({ kind, label: name });
    const id = this.#occurrences.next(kind, identity);
    const gate = this.#enter({ label: name });
    if (gate) await gate;
    const recorded = this.#use(id);
    if (recorded) return replayed(recorded);
    const piece = pieceOf(kind, name);
    return this.#busy(piece, () => this.#perform(piece, { id, kind, name }, work(id)));
  }

  /** Runs an operation that may not start while the run is held, and that the idle check waits for. */
  async guarded<T>(operation: () => Promise<T>): Promise<T> {
    const piece = { label: 'a file operation' };
    const gate = this.#enter(piece);
    if (gate) await gate;
    return this.#busy(piece, operation);
  }

  /** @returns true if no run of the call has told the client this before, and this run may do so now */
  say(what: unknown): boolean {
    return this.#state !== 'closed' && this.#journal.say(this.#occurrences.next('said', what));
  }

  defer(fn: (end: RunOutcome) => void | Promise<void>): void {
    this.#deferred ??= new Deferred(this.#options);
    if (this.#state === 'closed') void this.#deferred.run(fn);
    else this.#deferred.add(fn);
  }

  /** Answers the open round in place; asks without a value stay open and are sent again. */
  settle(values: ReadonlyMap<string, Json>): void {
    if (this.#state !== 'out') return;
    this.#state = 'running';
    // In the order they were asked, which is the order a replay answers them in.
    for (const { id } of this.#pending.asks) {
      const value = values.get(id);
      if (value !== undefined) this.#pending.settle(id, value, this.#journal);
    }
    this.#waiting?.release();
    this.#watch.stir();
  }

  /**
   * Ends the call with an error that the handler's own `catch` cannot swallow.
   * @returns a promise that never settles, for the operation that found the error to return
   */
  async fail(error: unknown): Promise<never> {
    if (this.#state !== 'closed') {
      await this.#close('failed');
      this.#tell({ kind: 'failed', error });
    }
    return never<never>();
  }

  /** Ends a run whose round is answered by another run; it never continues. */
  async suspend(): Promise<void> {
    await this.#close('suspended');
  }

  /** Resolves when no step or file operation is in progress, or those in progress can never end; a closed run starts none. */
  quiet(): Promise<void> {
    return this.#open.none();
  }

  /** The client cancelled or is gone. */
  async cancel(reason: unknown): Promise<void> {
    if (this.#state === 'closed') return;
    const quiet = this.#pending.size > 0 || this.#state === 'out';
    // A step may be waiting for a question that will never be answered, so nobody waits for that step without limit.
    const stuck = this.#pending.size > 0 && this.#open.size > 0;
    const closing = this.#close('cancelled');
    if (stuck) {
      const stop = this.#watch.afterStall(() => this.#open.abandon());
      void this.#open.none().then(stop);
    }
    if (!quiet) this.#signal.abort(reason);
    await closing;
    this.#tell({ kind: 'cancelled' });
  }

  #start(): void {
    this.#state = 'running';
    let came: R | Promise<R>;
    try {
      came = this.#handler(this);
    } catch (error) {
      came = Promise.reject(error);
    }
    Promise.resolve(came).then(
      result => this.#finish({ kind: 'done', result }),
      error => this.#finish({ kind: 'failed', error }),
    );
  }

  #finish(outcome: Outcome<R, D>): void {
    if (this.#state === 'out') this.#outran = true;
    if (this.#state === 'out' || this.#state === 'closed') return;
    const open = [...this.#pending.asks.map(describe), ...this.#open.labels];
    const explained = outcome.kind === 'failed' ? this.operations?.explain(outcome.error) : undefined;
    const tell = (): void => {
      const fault = outcome.kind === 'done' ? (this.operations?.unseen() ?? this.#faultOf(open)) : explained;
      this.#tell(fault ? { kind: 'failed', error: fault } : outcome);
    };
    // Where it threw, branches beside may still be on their way, and are not to blame.
    this.#reportsLate = outcome.kind === 'done';
    const closing = this.#close(outcome.kind === 'done' ? 'done' : 'failed');
    closing ? void closing.then(tell) : tell();
  }

  /** The mistake of a handler that returned, if any. */
  #faultOf(open: readonly string[]): MidcallError | undefined {
    if (open.length > 0) return notAwaited(open);
    return this.#journal.left ? this.#journal.diverged() : undefined;
  }

  #close(end: RunOutcome): Promise<void> | undefined {
    this.#state = 'closed';
    this.#waiting = undefined;
    this.#pending.clear();
    this.#watch.stop();
    this.#deferred ??= new Deferred(this.#options);
    return this.#deferred.runAll(end);
  }

  /** run-E4: passes immediately while running, holds while a round is open, and never passes once closed. */
  #enter(what: Piece): Promise<void> | undefined {
    this.#watch.noteActivity();
    if (this.#state === 'running') return undefined;
    if (this.#state === 'closed') {
      if (Deferred.running) throw afterEnd(what.label);
      const piece = this.#open.running;
      if (piece) this.#open.end(piece);
      else if (this.#reportsLate) this.#reportLate(what.label);
      return never();
    }
    this.#waiting ??= new WaitingOperations();
    return this.#waiting.wait();
  }

  /** run-E6 */
  #reportLate(label: string): void {
    this.#reportsLate = false;
    this.#options.onLate?.(afterReturn(label));
  }

  #use(id: string): Entry | undefined {
    const entry = this.#journal.use(id);
    if (entry) this.#watch.stir();
    return entry;
  }

  async #busy<T>(piece: Piece, operation: () => Promise<T>): Promise<T> {
    this.#open.begin(piece);
    const settled = await operation().then(
      value => () => value,
      (error: unknown) => () => {
        throw error;
      },
    );
    this.#open.end(piece);
    this.#watch.stir();
    return this.#state === 'closed' ? never<T>() : settled();
  }

  async #perform<T>(piece: Piece, step: WorkId, work: StepWork<T>): Promise<Json | undefined> {
    const { id, name } = step;
    const { ledger } = this.#options;
    const safe = work.idempotent || work.check !== undefined;
    try {
      const begun = (await ledger?.begin({ ...step, safe })) ?? { state: 'run' };
      if (begun.state === 'done') {
        this.#journal.add(begun.entry);
        return replayed(begun.entry);
      }
      if (begun.state === 'in-doubt') throw inDoubt(name);
      // The run may have been cancelled while the ledger was being written: then nothing starts.
      if (this.#state === 'closed') {
        if (begun.state === 'run') await ledger?.withdraw(step);
        return undefined;
      }
      const { entry, cause } = await runWork(step, work, {
        isRetry: begun.state === 'again',
        during: fn => followedAs(piece, fn),
      });
      await ledger?.end(entry);
      this.#journal.add(entry);
      return replayed(entry, cause);
    } catch (error) {
      // The handler may catch a step's error; a ledger that cannot be written ends the call regardless.
      if (this.#journal.find(id)?.error) throw error;
      void this.fail(error);
      return undefined;
    }
  }

  /** run-E3: sends the round, unless something must be found out first. */
  #leave(): void {
    if (this.#pending.find(find => this.guarded(find), this.#journal)) return;
    this.#state = 'out';
    this.#tell({ kind: 'needs', asks: this.#pending.round });
  }

  #tell(outcome: Outcome<R, D>): void {
    const wake = this.#wake;
    this.#wake = undefined;
    if (!wake || outcome.kind !== 'needs') this.#outcome = outcome;
    wake?.(outcome);
  }
}

/** The operations of one run that were begun while its round was open (run-E4). */
class WaitingOperations {
  #all: (() => void)[] = [];

  /** Resolves when they are released; never if they are not. */
  wait(): Promise<void> {
    return new Promise(resolve => {
      this.#all.push(resolve);
    });
  }

  /** Lets them go on, in the order in which they were begun. */
  release(): void {
    const all = this.#all;
    this.#all = [];
    for (const each of all) each();
  }
}

/** The signal of a run; created on first access, since most handlers never use it. */
export class RunSignal {
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted) this.#controller.abort(this.#aborted.reason);
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#aborted = { reason };
    this.#controller?.abort(reason);
  }
}
