/** The seam between the replay engine and the driver above it: the inputs and possible outcomes of a run. */
import type { Clock } from '@midcall/core/time';
import type { Json } from '../base/index.ts';
import type { Entry, EntryKind, WorkKind } from './journal.ts';

/** What distinguishes a question from all others of a call. */
export interface AskIdentity {
  readonly kind: Exclude<EntryKind, WorkKind | 'said'>;
  /** Plain JSON. */
  readonly identity: unknown;
  /** What it is called in error texts. */
  readonly label: string;
}

/** A question as the engine sees it: opaque except for its identity. */
export interface AskRequest<D = unknown> extends AskIdentity {
  /** What the driver needs to put the question; the engine passes it through. */
  readonly detail: D;
}

/** The recorded value of an ask. */
export interface Recorded {
  readonly id: string;
  readonly value: Json;
  readonly fresh: boolean;
}

/** A question whose answer is not known yet. */
export interface OpenAsk<D = unknown> extends AskRequest<D> {
  readonly id: string;
}

/** An ask with its id in its own run. */
export type NamedAsk = AskIdentity & { readonly id: string };

export type Outcome<R, D = unknown> =
  | { readonly kind: 'done'; readonly result: R }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'needs'; readonly asks: readonly OpenAsk<D>[] }
  | { readonly kind: 'cancelled' };

/** What the work is, if it is not one of the author's steps. */
export interface WorkAs {
  /** `check` for the validation of an answer: recorded like a step, but not a step to anybody else. */
  readonly kind?: WorkKind;
  /** Distinguishes it from all others of its kind; its name if absent. */
  readonly identity?: unknown;
}

/** One piece of work of a run. */
export interface WorkId {
  readonly id: string;
  readonly kind: WorkKind;
  readonly name: string;
}

/** Where the beginning and end of a step are recorded before and after its effect, so that a step starts at most once. */
export interface StepLedger {
  /** @returns what is known: run it, use this result, or an earlier attempt began but its end was never recorded */
  begin(
    step: WorkId & { readonly safe: boolean },
  ): Promise<
    | { readonly state: 'run' | 'again' }
    | { readonly state: 'done'; readonly entry: Entry }
    | { readonly state: 'in-doubt' }
  >;
  end(entry: Entry): Promise<void>;
  /** Retracts a beginning whose effect was never started. */
  withdraw(step: WorkId): Promise<void>;
}

export interface EngineOptions {
  readonly ledger?: StepLedger;
  /** Runs a function after one turn of the event loop. */
  readonly turn?: (fn: () => void) => void;
  /**
   * Milliseconds a replay may take to return to the questions the last round answered before it counts as diverged; longer work
   * in parallel with an ask belongs in a step.
   */
  readonly graceMs?: number;
  /**
   * Milliseconds a question may wait for open steps before the call is ended, since one of them may be waiting for the
   * question; 15 minutes if absent.
   */
  readonly stallMs?: number;
  /** The current time, and timers; this machine's clock if absent. */
  readonly clock?: Clock;
  /** Called with what a `defer` function threw. */
  readonly onDeferError?: (error: unknown) => void;
  /** Called once if an operation is begun after the handler has returned. */
  readonly onLate?: (error: unknown) => void;
}

/** The argument of a step's function, and the options that make it safe; see `StepOptions` in ../call/call.ts. */
export interface StepWork<T> {
  readonly run: () => Promise<T> | T;
  readonly check?: () => Promise<T | undefined> | T | undefined;
  readonly idempotent: boolean;
}
