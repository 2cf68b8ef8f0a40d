/** Time, injected: what it is, and being called later. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `fn` once after `ms` milliseconds. @returns calls it off */
  after(ms: number, fn: () => void): () => void;
}

/** The machine's own. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, fn) => {
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  },
};
