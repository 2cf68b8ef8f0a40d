/**
 * Tells when a run is idle (run-E3): one turn of the event loop after the last thing that happened in it, with a question open and
 * no step. Also tells when it cannot become idle: where open steps may be waiting for the question, and where a replay does not
 * come back to what the last round answered (run-E5).
 */
import { systemClock } from '@midcall/core/time';
import type { EngineOptions } from './seam.ts';

/** The run that is watched. */
export interface Watched {
  /** False while its round is out, and once it is closed. */
  readonly isRunning: () => boolean;
  readonly hasQuestions: () => boolean;
  readonly hasOpenWork: () => boolean;
  /** True while an entry that the last round added is unused. */
  readonly isBehind: () => boolean;
  readonly onIdle: () => void;
  /** A question has waited for open work for as long as it may. */
  readonly onStall: () => void;
  /** The grace of a replay is over, and it is behind still. */
  readonly onDiverged: () => void;
}

const STALL_MS = 15 * 60_000;
const GRACE_MS = 1_000;

export class IdleWatch {
  readonly #run: Watched;
  readonly #options: EngineOptions;
  readonly #turn: (fn: () => void) => void;
  #activity = 0;
  #checking = false;
  #stopGrace: (() => void) | undefined;
  #stopStall: (() => void) | undefined;

  constructor(run: Watched, options: EngineOptions) {
    this.#run = run;
    this.#options = options;
    this.#turn = options.turn ?? (fn => void setImmediate(fn));
  }

  /** An operation was begun. */
  noteActivity(): void {
    this.#activity++;
  }

  /** Something happened that may leave the run idle: looks one turn of the event loop after the last thing that did. */
  stir(): void {
    this.#activity++;
    if (this.#checking || !this.#run.isRunning()) return;
    this.#checking = true;
    const seen = this.#activity;
    this.#turn(() => {
      this.#checking = false;
      if (!this.#run.isRunning() || !this.#run.hasQuestions()) return;
      if (this.#run.hasOpenWork()) {
        this.#stopStall ??= this.afterStall(() => this.#run.onStall());
        return;
      }
      this.#stopStall?.();
      this.#stopStall = undefined;
      if (this.#activity !== seen) this.stir();
      else if (this.#run.isBehind()) this.#startGrace();
      else {
        this.#stopGrace?.();
        this.#run.onIdle();
      }
    });
  }

  /** Calls `fn` after the time a question may wait for open work. @returns a function that cancels it */
  afterStall(fn: () => void): () => void {
    return this.#after(this.#options.stallMs ?? STALL_MS, fn);
  }

  /** Stops every timer (run-E8). */
  stop(): void {
    this.#stopGrace?.();
    this.#stopStall?.();
  }

  #startGrace(): void {
    this.#stopGrace ??= this.#after(this.#options.graceMs ?? GRACE_MS, () => {
      if (this.#run.isRunning() && this.#run.isBehind()) this.#run.onDiverged();
    });
  }

  #after(ms: number, fn: () => void): () => void {
    return (this.#options.clock ?? systemClock).after(ms, fn);
  }
}
