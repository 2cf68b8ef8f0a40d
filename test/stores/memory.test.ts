import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../packages/server/src/stores/memory.ts';
import { storeContract } from '../../packages/testing/src/store-contract.ts';

const clocked = (maxEntries?: number) => {
  let time = 1_000;
  const clock = { now: () => time };
  return {
    store: memoryStore(maxEntries === undefined ? { clock } : { clock, maxEntries }),
    advance: (ms: number) => {
      time += ms;
    },
  };
};

describe('the memory store keeps the contract', () => storeContract({ test: it, open: () => clocked() }));

describe('the memory store', () => {
  it('memory-M1: the memory store refuses when it is full, and forgets nothing', async () => {
    const { store } = clocked(3);
    for (const key of ['a', 'b', 'c']) await store.set(key, key, { ttlMs: 1_000 });
    await expect(store.set('d', 'd')).rejects.toMatchObject({ code: 'store/unavailable' });
    await expect(store.set('d', 'd', { ifAbsent: true })).rejects.toMatchObject({ code: 'store/unavailable' });
    expect(await store.set('a', 'again', { ttlMs: 1_000 })).toBe(true);
    expect(await Promise.all(['a', 'b', 'c', 'd'].map(key => store.get(key)))).toEqual(['again', 'b', 'c', undefined]);
  });

  it('memory-M1: the memory store has room again by delete, by take and by time', async () => {
    const { store, advance } = clocked(2);
    await store.set('a', 'a');
    await store.set('b', 'b', { ttlMs: 100 });
    await store.delete('a');
    expect(await store.set('c', 'c', { ttlMs: 50 })).toBe(true);
    expect(await store.take('b')).toBe('b');
    expect(await store.set('d', 'd')).toBe(true);
    await expect(store.set('e', 'e')).rejects.toMatchObject({ code: 'store/unavailable' });
    advance(50);
    expect(await store.set('e', 'e')).toBe(true);
  });

  it('memory-M2: expired values leave as others come, so a store in use does not fill up', async () => {
    const { store, advance } = clocked(50);
    for (let index = 0; index < 2_000; index++) {
      await store.set(`k${index}`, 'v', { ttlMs: 20 });
      advance(1);
    }
    expect(await store.get('k1999')).toBe('v');
  });

  it('memory-M1: the memory store counts the characters it holds, and refuses what would be more', async () => {
    let time = 0;
    const store = memoryStore({ clock: { now: () => time }, maxCharacters: 100 });
    await store.set('a', 'x'.repeat(79), { ttlMs: 10 });
    expect(await store.set('b', 'x'.repeat(19))).toBe(true);
    await expect(store.set('c', '')).rejects.toMatchObject({ code: 'store/unavailable' });
    await expect(store.set('b', 'x'.repeat(20))).rejects.toMatchObject({ code: 'store/unavailable' });
    expect(await store.set('b', 'x'.repeat(18))).toBe(true);
    time = 10;
    expect(await store.set('c', 'x'.repeat(80))).toBe(true);
    await store.delete('c');
    expect(await store.take('b')).toBe('x'.repeat(18));
    expect(await store.set('d', 'x'.repeat(99))).toBe(true);
  });

  it('the memory store refuses bad options', () => {
    for (const maxCharacters of [0, -1, 1.5]) expect(() => memoryStore({ maxCharacters })).toThrow(TypeError);
    for (const maxEntries of [0, -1, 1.5, Number.NaN]) expect(() => memoryStore({ maxEntries })).toThrow(TypeError);
  });
});
