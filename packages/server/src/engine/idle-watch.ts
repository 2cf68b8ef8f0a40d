/**
 * Reports when a run is idle (run-E3): one turn of the event loop after the last thing that happened in it, with a question
 * open and no step. Also reports when it cannot become idle: if open steps may be waiting for the question, or a replay does
 * not return to what the last round answered (run-E5).
 */
import { systemClock } from '@midcall/core/time';
import type { EngineOptions } from './seam.ts';

/** What is asked and told of the run that is watched. */
export interface Watched {
  /** False while its round is open, and once it is closed. */
  readonly isRunning: () => boolean;
  readonly hasQuestions: () => boolean;
  readonly hasOpenWork: () => boolean;
  /** True while an entry that the last round added is unused. */
  readonly isBehind: () => boolean;
  readonly onIdle: () => void;
  /** A question has waited for open work as long as allowed. */
  readonly onStall: () => void;
  /** The grace period of a replay is over, and it is still behind. */
  readonly onDiverged: () => void;
}

const STALL_MS = 15 * 60_000;
const GRACE_MS = 1_000;

const nextTurn = (fn: () => void): void => void setImmediate(fn);

export class IdleWatch {
  readonly #watched: Watched;
  readonly #options: EngineOptions;
  #activity = 0;
  #checking = false;
  #stopGrace: (() => void) | undefined;
  #stopStall: (() => void) | undefined;

  constructor(watched: Watched, options: EngineOptions) {
    this.#watched = watched;
    this.#options = options;
  }

  /** An operation has begun. */
  noteActivity(): void {
    this.#activity++;
  }

  /** Something happened that may leave the run idle: checks one turn of the event loop after the last such event. */
  stir(): void {
    this.#activity++;
    if (this.#checking || !this.#watched.isRunning()) return;
    this.#checking = true;
    const seen = this.#activity;
    (this.#options.turn ?? nextTurn)(() => {
      this.#checking = false;
      if (!this.#watched.isRunning() || !this.#watched.hasQuestions()) return;
      if (this.#watched.hasOpenWork()) {
        this.#stopStall ??= this.afterStall(this.#watched.onStall);
        return;
      }
      this.#stopStall?.();
      this.#stopStall = undefined;
      if (this.#activity !== seen) this.stir();
      else if (this.#watched.isBehind()) this.#startGrace();
      else {
        this.#stopGrace?.();
        this.#watched.onIdle();
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
      if (this.#watched.isRunning() && this.#watched.isBehind()) this.#watched.onDiverged();
    });
  }

  #after(ms: number, fn: () => void): () => void {
    return (this.#options.clock ?? systemClock).after(ms, fn);
  }
}
