/** What each person may take of a store; see packages/server/src/state/shares.ts. */
import { memoryStore } from '@midcall/server/stores/memory';
import { describe, expect, it } from 'vitest';
import { Shares, type SharesOptions } from '../../../packages/server/src/state/shares.ts';

const now = 1_000_000;

function world(options: Partial<SharesOptions> = {}) {
  const clock = {
    at: now,
    now(): number {
      return this.at;
    },
  };
  const store = memoryStore({ clock });
  const sharesOf = () => new Shares({ store, clock, most: 100, roundMs: 1_000, ...options });
  return { clock, store, sharesOf, shares: sharesOf() };
}

const of = (characters: number, until: number) => ({ characters, until });

const tooMany = { code: 'call/too-many', message: expect.stringContaining('100 characters') };

describe('the share of a person', () => {
  it('shares-S1: the share of a person is refused more than it may take, and nobody else is', async () => {
    const { shares } = world();
    await shares.take('ann', of(60, now + 5_000));
    await expect(shares.take('ann', of(41, now + 5_000))).rejects.toMatchObject(tooMany);
    await shares.take('bob', of(100, now + 5_000));
    await shares.take('ann', of(40, now + 9_000));
    await expect(shares.take('ann', of(1, now + 9_000))).rejects.toMatchObject(tooMany);
  });

  it('shares-S1: the share of a person is one for all processes that share the store, whatever they take at once', async () => {
    const { sharesOf, store } = world({ most: 10 });
    const processes = [sharesOf(), sharesOf()];
    const taking = Array.from({ length: 24 }, (_, n) => processes[n % 2]!.take('ann', of(1, now + 5_000 + n * 500)));
    const taken = (await Promise.allSettled(taking)).filter(({ status }) => status === 'fulfilled');
    expect(taken).toHaveLength(10);
    await expect(sharesOf().take('ann', of(1, now + 1))).rejects.toMatchObject({ code: 'call/too-many' });
    expect(await store.get('share:ann')).toBeUndefined();
  });

  it('shares-S2: the share of a person has room again once the time of something is up, and not before', async () => {
    const { clock, shares } = world();
    await shares.take('ann', of(60, now + 4_500));
    await shares.take('ann', of(40, now + 9_000));
    clock.at = now + 4_500;
    await expect(shares.take('ann', of(1, now + 9_000))).rejects.toMatchObject(tooMany);
    clock.at = now + 5_000;
    await shares.take('ann', of(60, now + 9_000));
    await expect(shares.take('ann', of(1, now + 9_000))).rejects.toMatchObject(tooMany);
  });

  it('the share of a person has room again for what is given back, and for no more than was taken', async () => {
    const { clock, shares, store } = world();
    await shares.take('ann', of(60, now + 5_000));
    await shares.take('ann', of(40, now + 9_000));
    await shares.give('ann', of(60, now + 5_000));
    await shares.give('ann', of(500, now + 5_000));
    await shares.take('ann', of(60, now + 5_000));
    await expect(shares.take('ann', of(1, now + 5_000))).rejects.toMatchObject(tooMany);
    store.get = () => Promise.reject(new Error('away'));
    clock.at = now + 20_000;
    await expect(shares.give('ann', of(60, now + 5_000))).resolves.toBeUndefined();
    await expect(shares.take('ann', of(60, now + 5_000))).rejects.toThrow('away');
  });

  it('the share of a person has room again at once for what is replaced', async () => {
    const { shares } = world();
    await shares.take('ann', of(60, now + 5_000));
    await shares.take('ann', of(100, now + 9_000), of(60, now + 5_000));
    await expect(shares.take('ann', of(101, now + 9_000), of(100, now + 9_000))).rejects.toMatchObject(tooMany);
    await expect(shares.take('ann', of(1, now + 9_000))).rejects.toMatchObject(tooMany);
  });

  it('the share of a person is part of what all may take together, where that is bounded', async () => {
    const { shares } = world({ mostInAll: 150 });
    await shares.take('ann', of(100, now + 5_000));
    await expect(shares.take('bob', of(51, now + 5_000))).rejects.toMatchObject({ code: 'call/too-many' });
    // What was refused counts nowhere.
    await shares.take('bob', of(50, now + 5_000));
    await shares.give('ann', of(100, now + 5_000));
    await shares.take('cat', of(100, now + 5_000));
    await expect(shares.take('bob', of(1, now + 5_000))).rejects.toMatchObject({ code: 'call/too-many' });
  });

  it('the share of a person takes one short value, however much was taken', async () => {
    const values: string[] = [];
    const { store } = world();
    const set: typeof store.set = (key, value, options) => {
      values.push(value);
      return store.set(key, value, options);
    };
    const shares = new Shares({ store: { ...store, set }, clock: { now: () => now }, most: 1e9 });
    for (let n = 0; n < 500; n += 1) await shares.take('ann', of(1_000, now + 3_600_000 + n));
    expect(values.at(-1)!.length).toBeLessThan(60);
  });
});
