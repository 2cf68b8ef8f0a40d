/**
 * The 2025-11-25 driver: each question of a round is a real request, tied to the call, under its own timeout; the run settles
 * in place; a `requestState` on this wire is ignored. A handler that continued while its question was open is run again with
 * the answers, so that both eras behave the same.
 */
import type { Json } from '../base/index.ts';
import { type EngineOptions, type Outcome, Run } from '../engine/index.ts';
import { measureOpen } from '../observe/index.ts';
import {
  type ApartAsk,
  type CallRun,
  type ClientAsk,
  leavingTo,
  type OpenQuestion,
  type Outgoing,
  type Recording,
} from '../questions/index.ts';
import type { CallRequest, Config, SharedCall } from '../request/index.ts';
import type { Unstamped } from '../state/index.ts';
import { again } from './again.ts';
import { awaitApart } from './await-apart.ts';
import type { GoesOnElsewhere, Parked, Relayed } from './endings.ts';
import type { OpenedCall } from './open-retry.ts';
import { type AskOwner, OutAsk } from './out-ask.ts';
import { signsOfLife } from './signs-of-life.ts';
import { isGone, reasonGone, whenGone } from './when-gone.ts';

type Handler<R> = (run: CallRun<R>) => Promise<R> | R;

type Opened = Pick<OpenedCall, 'journal' | 'fresh' | 'resumed' | 'shared'>;
/** How a run by push may end. */
export type PushEnd<R> = Exclude<Outcome<R, Outgoing>, { kind: 'needs' }> | Relayed | Parked | GoesOnElsewhere;

/** Makes what the request needs of how its run ended. */
export interface Ends<R, T> {
  came(end: PushEnd<R>): T | Promise<T>;
  failed(error: unknown): T;
}

/** Runs a handler to its end, which is `cancelled` if the client is gone and nobody is left to answer. */
export const runByPush = <R, T>(
  handler: Handler<R>,
  opened: Opened,
  request: CallRequest,
  config: Config,
  engine: EngineOptions,
  audit: (event: Unstamped) => void,
  ends: Ends<R, T>,
): Promise<T> => new Pushing(handler, opened, request, config, engine, audit, ends).run();

const none: readonly never[] = [];

/** One call. While a person thinks, it holds its run and what is asked, but no frame of a function and no promise but its own. */
class Pushing<R, T> implements AskOwner {
  readonly request: CallRequest;
  readonly config: Config;
  readonly audit: (event: Unstamped) => void;
  readonly #handler: Handler<R>;
  readonly #opened: Opened;
  readonly #engine: EngineOptions;
  readonly #ends: Ends<R, T>;
  #run: CallRun<R>;
  /** The questions that have been sent, and how many of them have no outcome yet. */
  #out: readonly OutAsk[] = none;
  #asks: readonly OpenQuestion<ClientAsk>[] = none;
  #waiting = 0;
  #quiet: (() => void) | undefined;
  #unwatch = (): void => {};
  #resolve!: (end: T | Promise<T>) => void;

  constructor(
    handler: Handler<R>,
    opened: Opened,
    request: CallRequest,
    config: Config,
    engine: EngineOptions,
    audit: (event: Unstamped) => void,
    ends: Ends<R, T>,
  ) {
    this.request = request;
    this.config = config;
    this.audit = audit;
    this.#handler = handler;
    this.#opened = opened;
    this.#engine = engine;
    this.#ends = ends;
    this.#run = new Run<R, Outgoing>(handler, opened.journal, opened.fresh, engine);
  }

  run(): Promise<T> {
    return new Promise(resolve => {
      this.#resolve = resolve;
      this.#unwatch = whenGone(this.request.ctx, reason => this.#gone(reason));
      this.#goOn();
    });
  }

  #gone(reason: unknown): void {
    for (const each of this.#out) each.left();
    this.audit({ kind: 'disconnected', openAsks: this.#out.length });
    void this.#run.cancel(reason);
    for (const each of this.#out) each.cancel(reason);
  }

  settled(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0) return;
    try {
      this.#answered();
    } catch (error) {
      this.broke(error);
    }
  }

  broke(error: unknown): void {
    this.#unwatch();
    this.#resolve(this.#ends.failed(error));
  }

  #ended(end: PushEnd<R>): void {
    this.#unwatch();
    this.#resolve(this.#ends.came(end));
  }

  #goOn(): void {
    this.#run
      .next()
      .then(outcome => this.#came(outcome))
      .catch((error: unknown) => this.broke(error));
  }

  #came(outcome: Outcome<R, Outgoing>): void {
    if (outcome.kind === 'done') this.#ended(outcome);
    else if (outcome.kind !== 'needs') this.#after(this.#stopped(outcome));
    else {
      const asks = leavingTo('client', outcome.asks);
      if (asks.length > 0) this.#put(asks);
      else this.#after(this.#elsewhere(outcome.asks));
    }
  }

  /** @param work - resolves with nothing if the run goes on */
  #after(work: Promise<PushEnd<R> | undefined>): void {
    work.then(
      end => (end ? this.#ended(end) : this.#goOn()),
      (error: unknown) => this.broke(error),
    );
  }

  async #stopped(outcome: Exclude<Outcome<R, Outgoing>, { kind: 'needs' }>): Promise<PushEnd<R>> {
    // The work of a cancelled run finishes first, so that we know what took effect.
    if (outcome.kind === 'cancelled') await this.#run.quiet();
    return outcome;
  }

  #put(asks: readonly OpenQuestion<ClientAsk>[]): void {
    const { shared } = this.#opened;
    this.#asks = asks;
    this.#waiting = asks.length;
    this.#out = asks.map(ask => new OutAsk(ask, this));
    for (const ask of this.#out) shared ? ask.putTogether(shared) : ask.put();
    this.#quiet = signsOfLife(this.request, this.config, { message: 'Waiting until the question is answered.' });
    measureOpen(asks.length);
  }

  #answered(): void {
    const [asks, out] = [this.#asks, this.#out];
    measureOpen(-asks.length);
    this.#quiet?.();
    this.#asks = none;
    this.#out = none;
    const answers = new Map<string, Recording>();
    for (const [index, ask] of asks.entries()) {
      const { outcome } = out[index]!;
      if (typeof outcome === 'object') answers.set(ask.id, outcome);
    }
    const isPlain = answers.size === asks.length && !this.#opened.shared && !isGone(this.request.ctx);
    if (isPlain && !this.#run.outran && !this.config.strict) {
      this.#run.settle(answers);
      this.#goOn();
    } else this.#after(this.#settle(asks, out, answers));
  }

  async #settle(
    asks: readonly OpenQuestion<ClientAsk>[],
    out: readonly OutAsk[],
    answers: ReadonlyMap<string, Recording>,
  ): Promise<PushEnd<R> | undefined> {
    const { request, config } = this;
    const { shared } = this.#opened;
    if (out.some(({ outcome }) => outcome === 'handed-over')) {
      await this.#run.suspend();
      return { kind: 'handed-over' };
    }
    if (isGone(request.ctx) || answers.size < asks.length) {
      await Promise.all(asks.map(({ detail }) => detail.withdraw?.()));
      await this.#run.cancel(reasonGone(request.ctx));
      return { kind: 'cancelled' };
    }
    if (shared && !(await recorded(asks, answers, shared))) {
      await this.#run.suspend();
      return { kind: 'handed-over' };
    }
    if (this.#run.outran || config.strict)
      this.#run = await again(this.#handler, this.#engine, this.#run, asks, answers);
    else this.#run.settle(answers);
    return undefined;
  }

  /** Questions that are not put to the client. */
  async #elsewhere(asks: readonly OpenQuestion[]): Promise<PushEnd<R> | undefined> {
    const { request, config } = this;
    const { shared, resumed = false } = this.#opened;
    const run = this.#run;
    const waits = leavingTo('apart', asks);
    if (waits.length === 0) {
      await run.suspend();
      return { kind: 'relayed', asks: leavingTo('model', asks), journal: run.journal };
    }
    const recordings = await awaitApart(waits, holdMs(waits, resumed, request, config), request, config);
    for (const { id, detail } of waits) if (recordings.has(id)) await detail.finished?.();
    if (shared && !(await recorded(waits, recordings, shared))) {
      await run.suspend();
      return { kind: 'handed-over' };
    }
    if (isGone(request.ctx)) {
      await Promise.all(waits.map(({ detail }) => detail.withdraw()));
      await run.cancel(reasonGone(request.ctx));
      return { kind: 'cancelled' };
    }
    if (recordings.size === 0) {
      await run.suspend();
      return { kind: 'parked', asks: waits, journal: run.journal };
    }
    if (run.outran || config.strict) this.#run = await again(this.#handler, this.#engine, run, waits, recordings);
    else run.settle(recordings);
    return undefined;
  }
}

/**
 * Milliseconds a request is held for answers that do not come through its client: without limit if the person has the question
 * already, none otherwise, or as for a resumed call.
 */
function holdMs(
  waits: readonly OpenQuestion<ApartAsk>[],
  resumed: boolean,
  request: CallRequest,
  config: Config,
): number {
  if (resumed) return config.holdMs;
  if (waits.some(({ detail }) => detail.words.passOn !== undefined)) return 0;
  // A client that gets progress waits; another may give up, so its call ends with a ticket if possible.
  const hears = request.ctx.mcpReq._meta?.progressToken !== undefined;
  const resumable = request.registered.method === 'tools/call';
  return hears || !resumable ? Number.MAX_SAFE_INTEGER : config.holdMs;
}

/** Stores the answers to questions where another process finds them. @returns false if this one has lost the call */
const recorded = (
  asks: readonly OpenQuestion[],
  recordings: ReadonlyMap<string, Recording>,
  shared: SharedCall,
): Promise<boolean> =>
  shared.record(
    asks.flatMap(({ id, kind, label }) =>
      recordings.has(id) ? [{ id, kind, label, value: recordings.get(id) as Json }] : [],
    ),
  );
