/** A clock on which a wait is over at once, and has moved it on. */
export function passingClock() {
  let time = 1_000_000;
  return {
    now: () => time,
    after(ms: number, fn: () => void) {
      time += ms;
      queueMicrotask(fn);
      return () => {};
    },
  };
}
