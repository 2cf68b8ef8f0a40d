import { describe, expect, it } from 'vitest';
import { callTimeout } from '../../packages/host/src/calls/call-timeout.ts';
import { RootsGate } from '../../packages/host/src/roots/gate.ts';
import { handClock } from './clock.ts';

describe('patience', () => {
  it('counts the time of the server and not that of the person; pauses nest', () => {
    const clock = handClock();
    let expired = 0;
    const limit = callTimeout(1_000, clock, () => expired++);
    clock.move(900);
    const first = limit.pause();
    const second = limit.pause();
    clock.move(1_000_000);
    first();
    first();
    clock.move(1_000_000);
    expect(expired).toBe(0);
    second();
    clock.move(99);
    expect(expired).toBe(0);
    clock.move(1);
    expect(expired).toBe(1);
    limit.renew();
    clock.move(5_000);
    expect([expired, clock.waiting]).toEqual([1, 0]);
  });

  it('starts anew when the server shows life, and ends with the call', () => {
    const clock = handClock();
    let expired = 0;
    const limit = callTimeout(1_000, clock, () => expired++);
    clock.move(900);
    limit.renew();
    clock.move(900);
    limit.stop();
    clock.move(900);
    expect([expired, clock.waiting]).toEqual([0, 0]);
    callTimeout(Number.POSITIVE_INFINITY, clock, () => expired++);
    clock.move(1e12);
    expect(expired).toBe(0);
  });
});

describe('the first call of a connection with roots', () => {
  const turns = () => new Promise(resolve => setImmediate(resolve));

  it('waits for the answer to the first roots/list and one more round trip, however long the person thinks', async () => {
    const clock = handClock();
    const done: string[] = [];
    let pong = (): void => {};
    const gate = new RootsGate(clock, () => new Promise<void>(resolve => (pong = resolve)));
    gate.initialized();
    void gate.opened().then(() => done.push('open'));
    gate.note('asked');
    await turns();
    clock.move(60_000);
    await turns();
    expect(done).toEqual([]);
    gate.note('answered');
    await turns();
    expect(done).toEqual([]);
    pong();
    await turns();
    expect(done).toEqual(['open']);
  });

  it('goes out after half a second without one', async () => {
    const clock = handClock();
    const done: string[] = [];
    const gate = new RootsGate(clock, async () => {});
    gate.initialized();
    void gate.opened().then(() => done.push('open'));
    clock.move(499);
    await turns();
    expect(done).toEqual([]);
    clock.move(1);
    await turns();
    expect(done).toEqual(['open']);
  });
});
