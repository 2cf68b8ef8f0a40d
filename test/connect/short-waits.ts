/** A clock on which a wait of at most a second is over in the next turn of the event loop, and a longer one never ends. */
export function shortWaits() {
  let now = Date.now();
  return {
    now: () => now,
    after(ms: number, fn: () => void) {
      if (ms > 1_000) return () => {};
      const turn = setImmediate(() => {
        now += ms;
        fn();
      });
      return () => clearImmediate(turn);
    },
  };
}
