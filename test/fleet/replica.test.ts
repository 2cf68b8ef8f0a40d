/** When a replica takes another to be dead, and how it goes on listening. */
import { type Clock, systemClock } from '@midcall/core/time';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Commands, type RedisClient } from '../../packages/server/src/fleet/commands.ts';
import { FleetKeys } from '../../packages/server/src/fleet/keys.ts';
import { Replica } from '../../packages/server/src/fleet/replica.ts';

const presenceMs = 1_000;

/** A replica whose clock, and whose Redis, are the test's. */
function world(refuses = false, ownClock?: Clock) {
  /** Until when each counts as alive. */
  const alive = new Map<string, number>();
  const turns: (() => void)[] = [];
  const subscribed: string[] = [];
  const errors: unknown[] = [];
  /** `slowMs`: how long each command takes; `lapses`: how often this replica did not count as alive when it showed itself. */
  const state = { now: 0, refuses, slowMs: 0, lapses: 0 };
  const client: RedisClient = {
    async call(command, key = '', ...[, , ms]) {
      if (state.refuses) throw new Error('Connection is closed.');
      state.now += state.slowMs;
      if (command === 'SET') {
        if ((alive.get(key) ?? state.now) < state.now) state.lapses += 1;
        alive.set(key, state.now + Number(ms));
      }
      if (command === 'EXISTS') return (alive.get(key) ?? 0) > state.now ? 1 : 0;
      return command === 'EVALSHA' ? [] : null;
    },
    duplicate: () => client,
    async subscribe(channel) {
      if (state.refuses) throw new Error('Connection is closed.');
      subscribed.push(channel);
    },
    async unsubscribe() {},
    on() {},
    disconnect() {},
  };
  const keys = new FleetKeys('t:');
  const commands = new Commands(client, { timeoutMs: 1_000, clock: { ...systemClock, after: () => () => {} } });
  const replica = new Replica({
    ...{ id: 'a', commands, subscriber: client, keys, presenceMs, graceMs: 10_000 },
    clock: ownClock ?? {
      now: () => state.now,
      after: (_ms, fn) => {
        turns.push(fn);
        return () => {};
      },
    },
    onError: error => void errors.push(error),
  });
  const settled = () => new Promise(resolve => setImmediate(resolve));
  replica.start({ turn() {}, dead() {} });
  return {
    replica,
    state,
    subscribed,
    errors,
    other: {
      shows: () => alive.set(keys.alive('b'), Number.POSITIVE_INFINITY),
      fades: () => alive.delete(keys.alive('b')),
    },
    async turn() {
      await settled();
      turns.shift()?.();
      await settled();
    },
  };
}

describe('a replica', () => {
  it('replica-W2: a replica takes one that shows no sign to be dead', async () => {
    const { replica, other, turn } = world();
    await turn();
    other.shows();
    expect(await replica.isAlive('b')).toBe(true);
    other.fades();
    expect(await replica.isAlive('b')).toBe(false);
    expect(await replica.isAlive('')).toBe(false);
  });

  it('replica-W3: a replica that could not show itself takes nobody to be dead before all have had the time to come back', async () => {
    const { replica, other, state, turn } = world();
    await turn();
    other.fades();
    state.refuses = true;
    await turn();
    state.now += presenceMs + 1;
    state.refuses = false;
    await turn();
    expect(await replica.isAlive('b')).toBe(true);
    expect(await replica.isAlive('')).toBe(false);
    state.now += presenceMs;
    expect(await replica.isAlive('b')).toBe(false);
  });

  it('replica-W3: a replica whose process stood still takes nobody to be dead before it has shown itself, and all could do so', async () => {
    const { replica, other, state, turn } = world();
    await turn();
    other.fades();
    state.now += presenceMs + 1;
    expect(await replica.isAlive('b')).toBe(true);
    await turn();
    expect(await replica.isAlive('b')).toBe(true);
    // Its own signals took long: so may those of others.
    for (let n = 0; n < 3; n += 1) {
      state.now += presenceMs - 1;
      await turn();
    }
    expect(await replica.isAlive('b')).toBe(false);
  });

  it('replica-W4: a replica whose commands take long counts as alive all the same, and takes one that is dead to be dead', async () => {
    const { replica, other, state, turn } = world();
    await turn();
    other.fades();
    state.slowMs = 700;
    for (let n = 0; n < 3; n += 1) await turn();
    state.lapses = 0;
    const seen: boolean[] = [];
    for (let n = 0; n < 20; n += 1) {
      await turn();
      seen.push(await replica.isAlive('b'));
    }
    expect([state.lapses, seen.lastIndexOf(true) < 10]).toEqual([0, true]);
  });

  it('replica-W4: a replica counts as dead as soon as any other again, once its commands are fast', async () => {
    const { replica, state, turn } = world();
    state.slowMs = 700;
    for (let n = 0; n < 10; n += 1) await turn();
    state.slowMs = 0;
    for (let n = 0; n < 20; n += 1) {
      state.now += 200;
      await turn();
    }
    state.now += presenceMs;
    expect(replica.present).toBe(false);
  });

  it.each([
    ['its clock is set back', -3_600_000, presenceMs],
    ['its machine slept', 3_600_000, 0],
  ])('a replica counts as present no longer than Redis knows of it, though %s', async (_, jump, passed) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { replica, state, turn } = world(false, systemClock);
    await turn();
    expect(replica.present).toBe(true);
    state.refuses = true;
    vi.setSystemTime(Date.now() + jump);
    vi.advanceTimersByTime(passed);
    expect(replica.present).toBe(false);
  });

  it('replica-W1: a replica listens as soon as it can, where Redis is away at its start', async () => {
    const { subscribed, state, errors, turn } = world(true);
    await turn();
    expect(subscribed).toEqual([]);
    expect(errors.length).toBeGreaterThan(0);
    state.refuses = false;
    await turn();
    await turn();
    expect(subscribed).toEqual(['t:wake:a']);
  });
});
