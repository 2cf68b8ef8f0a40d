/** A clock that moves only when told to, so that no outcome of a question takes real time. */

import type { Clock } from '@midcall/core/time';

export interface VirtualClock extends Clock {
  /** Moves the clock, and runs the timers that become due, in order. */
  advance(ms: number): void;
  /** Moves the clock at once, and runs the timers that are due then, as after a machine has slept: none that these start. */
  leap(ms: number): void;
  /**
   * Jumps to the next timer and runs it.
   * @param within - milliseconds; one that is further away is left alone
   * @returns false if there is none
   */
  next(within?: number): boolean;
}

interface Timer {
  readonly at: number;
  readonly fn: () => void;
}

export function virtualClock(): VirtualClock {
  let time = Date.UTC(2026, 7, 1);
  const timers = new Set<Timer>();
  const soonest = (): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) if (!first || timer.at < first.at) first = timer;
    return first;
  };
  const next = (until: number): boolean => {
    const first = soonest();
    if (!first || first.at > until) return false;
    time = Math.max(time, first.at);
    timers.delete(first);
    first.fn();
    return true;
  };
  return {
    now: () => time,
    after(ms, fn) {
      const timer = { at: time + Math.max(0, ms), fn };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      const until = time + ms;
      while (next(until));
      time = until;
    },
    leap(ms) {
      time += ms;
      const due = [...timers].filter(({ at }) => at <= time).sort((one, other) => one.at - other.at);
      for (const timer of due) if (timers.delete(timer)) timer.fn();
    },
    next: (within = Infinity) => next(time + within),
  };
}
