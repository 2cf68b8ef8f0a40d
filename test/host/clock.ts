/** A clock that stands still until it is moved. */
import type { Clock } from '@midcall/host';

export function handClock(
  start = 1_000_000,
): Clock & { move(ms: number): void; readonly waiting: number; readonly left: readonly number[] } {
  let now = start;
  const due = new Set<{ readonly at: number; readonly fn: () => void }>();
  return {
    now: () => now,
    after(ms, fn) {
      const timer = { at: now + ms, fn };
      due.add(timer);
      return () => void due.delete(timer);
    },
    move(ms) {
      now += ms;
      for (const timer of [...due].sort((a, b) => a.at - b.at)) {
        if (timer.at > now || !due.delete(timer)) continue;
        timer.fn();
      }
    },
    get waiting() {
      return due.size;
    },
    /** Milliseconds each timer still has. */
    get left() {
      return [...due].map(({ at }) => at - now);
    },
  };
}
