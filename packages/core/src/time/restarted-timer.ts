/**
 * A timer that is started for every call, and mostly stopped soon after. With the clock of the machine, a timer of the system's
 * own goes on when this one is stopped, and is used again: making and removing one costs as much as a third of a call.
 */
import { type Clock, systemClock, timerMs } from './clock.ts';

/** One timer; it does not keep the process running. */
export interface RestartedTimer {
  /** Starts it anew. */
  start(ms: number): void;
  stop(): void;
}

/** @param fn - called when the time is up, unless the timer has been stopped or started anew before */
export const restartedTimer = (clock: Clock, fn: () => void): RestartedTimer =>
  clock === systemClock ? new LeftTimer(fn) : new ClockTimer(clock, fn);

class ClockTimer implements RestartedTimer {
  readonly #clock: Clock;
  readonly #fn: () => void;
  #callOff: (() => void) | undefined;

  constructor(clock: Clock, fn: () => void) {
    this.#clock = clock;
    this.#fn = fn;
  }

  start(ms: number): void {
    this.stop();
    this.#callOff = this.#clock.after(ms, () => {
      this.#callOff = undefined;
      this.#fn();
    });
  }

  stop(): void {
    this.#callOff?.();
    this.#callOff = undefined;
  }
}

class LeftTimer implements RestartedTimer {
  readonly #fn: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the system's timer fires, and when this one does; milliseconds that no change of the clock moves. */
  #firesAt = 0;
  #dueAt: number | undefined;

  constructor(fn: () => void) {
    this.#fn = fn;
  }

  start(ms: number): void {
    this.#dueAt = performance.now() + ms;
    // One that fires sooner is started again then.
    if (this.#timer !== undefined && this.#firesAt <= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#arm(ms);
  }

  stop(): void {
    this.#dueAt = undefined;
  }

  #arm(leftMs: number): void {
    const ms = timerMs(leftMs);
    this.#firesAt = performance.now() + ms;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#dueAt === undefined) return;
      const stillMs = this.#dueAt - performance.now();
      // The system's timers count whole milliseconds.
      if (stillMs >= 1) return this.#arm(stillMs);
      this.#dueAt = undefined;
      this.#fn();
    }, ms);
    this.#timer.unref();
  }
}
