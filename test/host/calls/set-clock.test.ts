/** What a host measures while somebody sets the clock of its machine. */
import { systemClock } from '@midcall/core/time';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { callTimeout } from '../../../packages/host/src/calls/call-timeout.ts';
import { Policy } from '../../../packages/host/src/policy/policy.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const hour = 3_600_000;
const set = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

describe.each([hour, -hour])('a clock that is set by %d ms', jump => {
  it('a clock that is set leaves a call the time that its server had when a question came', () => {
    let expired = 0;
    const limit = callTimeout(60_000, systemClock, () => expired++);
    vi.advanceTimersByTime(10_000);
    set(jump);
    const answered = limit.pause();
    vi.advanceTimersByTime(hour);
    answered();
    vi.advanceTimersByTime(49_999);
    expect(expired).toBe(0);
    vi.advanceTimersByTime(1);
    expect(expired).toBe(1);
  });

  it('a clock that is set neither frees a server of the limit on its questions nor holds it to that for longer', () => {
    const policy = new Policy({ limits: { perWindow: 2, windowMs: 10_000 } });
    policy.count('a');
    policy.count('a');
    set(jump);
    expect(policy.judge('a', 'form', 0)).toMatchObject({ why: expect.stringContaining('again in 10 s') });
    vi.advanceTimersByTime(10_000);
    expect(policy.judge('a', 'form', 0)).toEqual({ do: 'ask' });
  });
});
