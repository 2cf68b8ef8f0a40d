/** The seam between the replay engine and the driver above it: what goes in, and what can come of a run. */
import type { Clock } from '@midcall/core/time';
import type { Json } from '../digest.ts';
import type { Entry, EntryKind, WorkKind } from './journal.ts';

/** What tells a question of a call from every other. */
export interface AskIdentity {
  readonly kind: Exclude<EntryKind, WorkKind | 'said'>;
  /** Plain JSON. */
  readonly identity: unknown;
  /** For error texts. */
  readonly label: string;
}

/** A question as the engine sees it: opaque but for its identity. */
export interface AskRequest<D = unknown> extends AskIdentity {
  /** Whatever the driver needs to put the question; the engine passes it through. */
  readonly detail: D;
}

/** What was recorded for an ask. */
export interface Recorded {
  readonly id: string;
  readonly value: Json;
  readonly fresh: boolean;
}

/** A question whose answer is not known yet. */
export interface OpenAsk<D = unknown> extends AskRequest<D> {
  readonly id: string;
}

/** The same, as its own run names it. */
export type NamedAsk = AskIdentity & { readonly id: string };

export type Outcome<R, D = unknown> =
  | { readonly kind: 'done'; readonly result: R }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'needs'; readonly asks: readonly OpenAsk<D>[] }
  | { readonly kind: 'cancelled' };

/** What work is, where it is no step of the author's. */
export interface WorkAs {
  /** `check` for what judges an answer: recorded as a step is, and no step to anybody else. */
  readonly kind?: WorkKind;
  /** Tells it from all others of its kind; its name if absent. */
  readonly identity?: unknown;
}

/** One piece of work of a run. */
export interface WorkId {
  readonly id: string;
  readonly kind: WorkKind;
  readonly name: string;
}

/** Where the begin and end of a step are written before and after its effect, so that a step starts at most once. */
export interface StepLedger {
  /** @returns what is known: run it, use this result, or an earlier attempt began and its end was never written */
  begin(
    step: WorkId & { readonly safe: boolean },
  ): Promise<
    | { readonly state: 'run' | 'again' }
    | { readonly state: 'done'; readonly entry: Entry }
    | { readonly state: 'in-doubt' }
  >;
  end(entry: Entry): Promise<void>;
  /** Takes back a beginning whose effect was never started. */
  withdraw(step: WorkId): Promise<void>;
}

export interface EngineOptions {
  readonly ledger?: StepLedger;
  /** Runs a function after one turn of the event loop. */
  readonly turn?: (fn: () => void) => void;
  /**
   * Milliseconds a replay may take to come back to the questions the last round answered before it has diverged;
   * work beside an ask that takes longer belongs in a step.
   */
  readonly graceMs?: number;
  /**
   * Milliseconds a question may wait for steps that are open beside it before the call is ended, since one of them may be
   * waiting for the question; 15 minutes if absent.
   */
  readonly stallMs?: number;
  /** The current time, and timers; this machine's clock where absent. */
  readonly clock?: Clock;
  /** What a `defer` function threw. */
  readonly onDeferError?: (error: unknown) => void;
}

/** What a step's function is given, and what makes it safe; see `StepOptions` in ../call.ts. */
export interface StepWork<T> {
  readonly run: () => Promise<T> | T;
  readonly check?: () => Promise<T | undefined> | T | undefined;
  readonly idempotent: boolean;
}
