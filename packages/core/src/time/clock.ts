/** Injected time: the current time, and timers. */
import { having } from '../options/index.ts';

/** A source of time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Calls `fn` once after `ms` milliseconds. The clocks of this machine call it after 2,147,483,647 (about 24 days) if `ms` is more or
   * is not a number.
   * @returns a function that cancels it
   */
  after(ms: number, fn: () => void): () => void;
}

export const clockKind = having('a clock: { now, after }', 'now', 'after');
/** A clock that tells the time and sets no timers. */
export const nowKind = having('a clock: { now }', 'now');

/** The last moment that a `Date` can hold, in milliseconds since the epoch: a later one cannot be spelled. */
export const MAX_DATE_MS = 8.64e15;

/** Milliseconds of the longest timer that Node has: a longer one fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** What a timer of Node is given: it fires at once where it is given more, or what is not a number. */
const timerMs = (ms: number): number => (ms <= MAX_TIMER_MS ? Math.max(0, ms) : MAX_TIMER_MS);

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, fn) => {
    const timer = setTimeout(fn, timerMs(ms));
    return () => clearTimeout(timer);
  },
};

/** The clock of this machine, for work that must not keep a process running. */
export const idleClock: Clock = {
  now: () => Date.now(),
  after: (ms, fn) => {
    const timer = setTimeout(fn, timerMs(ms)).unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Milliseconds from an arbitrary start, for durations within one process: a correction of the system's time neither shortens nor
 * lengthens them. They stand still while the machine sleeps, and mean nothing to another process: what is
 * stored or sent takes `clock.now()`.
 * @param clock - read as it is if it is not this machine's own
 */
export const steadyNow = (clock: Pick<Clock, 'now'>): number =>
  clock === systemClock || clock === idleClock ? performance.now() : clock.now();
