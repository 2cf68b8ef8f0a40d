/** Time, injected: what it is, and being called later. */
import { having } from '../options/check-options.ts';

/** What a clock gives. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `fn` once after `ms` milliseconds. @returns calls it off */
  after(ms: number, fn: () => void): () => void;
}

export const clockKind = having('a clock: { now, after }', 'now', 'after');

/** A clock as whoever only wants to be called later takes it. */
export const later =
  (clock: Clock) =>
  (fn: () => void, ms: number): (() => void) =>
    clock.after(ms, fn);

/** The machine's own. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, fn) => {
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  },
};
