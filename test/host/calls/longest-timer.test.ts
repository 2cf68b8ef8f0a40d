/** A number from a stranger as the time of a timer: Node fires one at once that is longer than it can count. */
import { idleClock, MAX_TIMER_MS, systemClock } from '@midcall/core/time';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

describe.each(Object.entries({ systemClock, idleClock }))('a timer of %s', (_, clock) => {
  it.each([1e10, MAX_TIMER_MS + 1, Number.POSITIVE_INFINITY, Number.NaN])(
    'a timer of %d ms fires after the longest time',
    ms => {
      const fn = vi.fn();
      clock.after(ms, fn);
      vi.advanceTimersByTime(MAX_TIMER_MS - 1);
      expect(fn).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      expect(fn).toHaveBeenCalledOnce();
    },
  );

  it.each([0, -1, -1e10, Number.NEGATIVE_INFINITY])(
    'a timer of %d ms fires at once, but not before `after` returns',
    ms => {
      const fn = vi.fn();
      clock.after(ms, fn);
      expect(fn).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      expect(fn).toHaveBeenCalledOnce();
    },
  );

  it('a timer can be cancelled', () => {
    const fn = vi.fn();
    clock.after(1e10, fn)();
    vi.advanceTimersByTime(MAX_TIMER_MS);
    expect(fn).not.toHaveBeenCalled();
  });
});
