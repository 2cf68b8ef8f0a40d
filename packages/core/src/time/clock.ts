/** Injected time: the current time, and timers. */
import { having } from '../options/check-options.ts';

/** A source of time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `fn` once after `ms` milliseconds, at most 2,147,483,647, which is about 24 days. @returns a function that cancels it */
  after(ms: number, fn: () => void): () => void;
}

export const clockKind = having('a clock: { now, after }', 'now', 'after');
/** For what only reads the time. */
export const nowKind = having('a clock: { now }', 'now');

/** Milliseconds of the longest timer that Node has: a longer one fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, fn) => {
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  },
};

/** The clock of this machine, for work that must not keep a process running. */
export const idleClock: Clock = {
  now: () => Date.now(),
  after: (ms, fn) => {
    const timer = setTimeout(fn, ms).unref();
    return () => clearTimeout(timer);
  },
};
