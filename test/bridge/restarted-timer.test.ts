/** A timer that is mostly stopped before its time is up, with the clock of the machine and with any other. */
import { MAX_TIMER_MS, type RestartedTimer, restartedTimer, systemClock } from '@midcall/core/time';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { handClock } from '../host/clock.ts';

const byHand = handClock();
const clocks = {
  'the clock of the machine': {
    clock: systemClock,
    move: (ms: number) => void vi.advanceTimersByTime(ms),
  },
  'another clock': { clock: byHand, move: (ms: number) => byHand.move(ms) },
};

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

describe.each(Object.entries(clocks))('a timer with %s', (_, { clock, move }) => {
  let fired = 0;
  let timer: RestartedTimer;
  beforeEach(() => {
    fired = 0;
    timer = restartedTimer(clock, () => {
      fired += 1;
    });
  });

  it('fires once, when its time is up', () => {
    timer.start(1_000);
    move(999);
    expect(fired).toBe(0);
    move(1);
    move(5_000);
    expect(fired).toBe(1);
  });

  it('does not fire once it is stopped', () => {
    timer.start(1_000);
    move(400);
    timer.stop();
    move(5_000);
    expect(fired).toBe(0);
  });

  it('counts from its last start, whether it was stopped before or not', () => {
    timer.start(1_000);
    move(400);
    timer.stop();
    timer.start(1_000);
    move(500);
    timer.start(1_000);
    move(999);
    expect(fired).toBe(0);
    move(1);
    expect(fired).toBe(1);
  });

  it('fires sooner if it is started for less', () => {
    timer.start(1_000);
    timer.start(100);
    move(100);
    expect(fired).toBe(1);
    move(5_000);
    expect(fired).toBe(1);
  });

  it('may be started by what it calls', () => {
    let times = 0;
    const again = restartedTimer(clock, () => {
      times += 1;
      if (times < 3) again.start(100);
    });
    again.start(100);
    for (const _each of [1, 2, 3, 4]) move(100);
    expect(times).toBe(3);
  });
});

it('leaves one timer of the machine behind, however often it is started and stopped', () => {
  const timer = restartedTimer(systemClock, () => {});
  for (let n = 0; n < 100; n += 1) {
    timer.start(1_000);
    timer.stop();
  }
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1_000);
  expect(vi.getTimerCount()).toBe(0);
});

it('takes longer than a timer of the machine can, and then fires once', () => {
  let fired = 0;
  restartedTimer(systemClock, () => fired++).start(MAX_TIMER_MS + 1_000);
  vi.advanceTimersByTime(MAX_TIMER_MS + 999);
  expect(fired).toBe(0);
  vi.advanceTimersByTime(1);
  expect(fired).toBe(1);
});
