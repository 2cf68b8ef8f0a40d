/** Injected time: the current time, and timers. */
import { having } from '../options/check-options.ts';

/** A source of time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `fn` once after `ms` milliseconds. @returns a function that cancels it */
  after(ms: number, fn: () => void): () => void;
}

export const clockKind = having('a clock: { now, after }', 'now', 'after');

/** The part of a clock that only sets timers. */
export const later =
  (clock: Clock) =>
  (fn: () => void, ms: number): (() => void) =>
    clock.after(ms, fn);

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, fn) => {
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  },
};
