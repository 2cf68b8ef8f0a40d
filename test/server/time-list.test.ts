/** The names that wait, each with its time, in a few values of a store; see packages/server/src/state/time-list.ts. */
import type { Store } from '@midcall/core/store';
import { memoryStore } from '@midcall/server/stores/memory';
import { describe, expect, it } from 'vitest';
import { TimeList } from '../../packages/server/src/state/time-list.ts';

/** A store in memory that counts, and fails where it is told to. */
function counted() {
  const store = memoryStore();
  const count = { get: 0, set: 0, away: false, whileAway: () => {} };
  const counting: Store = {
    ...store,
    async get(key) {
      count.get += 1;
      return store.get(key);
    },
    async set(key, value, options) {
      count.set += 1;
      if (count.away) {
        await Promise.resolve();
        count.whileAway();
        throw new Error('away');
      }
      return store.set(key, value, options);
    },
  };
  return { store: counting, count };
}
const sorted = async (list: TimeList) => [...(await list.read())].sort(([a], [b]) => a.localeCompare(b));

describe('a list of names with their times', () => {
  it('has what was put on it, with the latest time, until it is taken off', async () => {
    const store = memoryStore();
    const list = new TimeList(store, 'jobs');
    await list.put('b/1', 20);
    await list.put('a', 10);
    await list.put('a', 30);
    expect(await sorted(list)).toEqual([
      ['a', 30],
      ['b/1', 20],
    ]);
    list.drop('a');
    expect(await sorted(list)).toEqual([['b/1', 20]]);
    const another = new TimeList(store, 'jobs');
    expect(await sorted(another)).toHaveLength(2);
    await list.flush();
    expect(await sorted(another)).toEqual([['b/1', 20]]);
  });

  it('keeps what is alike up to a slash in one value, and other names in others', async () => {
    const written = async (...names: string[]) => {
      const store = memoryStore();
      const keys = new Set<string>();
      const set: Store['set'] = (key, ...rest) => {
        keys.add(key);
        return store.set(key, ...rest);
      };
      const list = new TimeList({ ...store, set }, 'calls');
      for (const name of names) await list.put(name, 1);
      return keys.size;
    };
    expect(await written('a/1', 'a/2', 'a/33')).toBe(1);
    expect(await written('a/1', 'b/1', 'c')).toBe(3);
    expect(await written('', 'a')).toBe(2);
  });

  it('leaves out, when it writes, what is past, and keeps what is just due', async () => {
    let now = 10;
    const list = new TimeList(memoryStore(), 'calls', () => now);
    await list.put('a/1', 10);
    await list.put('a/2', 20);
    now = 20;
    await list.put('a/3', 30);
    expect(await sorted(list)).toEqual([
      ['a/2', 20],
      ['a/3', 30],
    ]);
  });

  it('reads a value once, and writes none that says nothing new', async () => {
    const { store, count } = counted();
    const list = new TimeList(store, 'jobs');
    await list.put('a/1', 1);
    await list.put('a/2', 2);
    expect(count).toMatchObject({ get: 1, set: 2 });
    await list.flush();
    expect(count).toMatchObject({ get: 1, set: 2 });
    // Looked at again, since another process may have changed it.
    await list.put('a/2', 2);
    expect(count).toMatchObject({ get: 2, set: 2 });
  });

  it('remembers no long value, however many names wait', async () => {
    const { store, count } = counted();
    const list = new TimeList(store, 'jobs');
    const long = 'n'.repeat(480);
    await list.put(`a/${long}`, 1);
    await list.put(`a/${long}2`, 2);
    expect(count).toMatchObject({ get: 1, set: 2 });
    await list.put(`a/${long}3`, 3);
    await list.put(`a/${long}4`, 4);
    expect(count).toMatchObject({ get: 2, set: 4 });
    expect(await sorted(list)).toHaveLength(4);
  });

  it('loses nothing where two processes change one value', async () => {
    const { store, count } = counted();
    const [one, other] = [new TimeList(store, 'jobs'), new TimeList(store, 'jobs')];
    await one.put('a/1', 1);
    await other.put('a/2', 2);
    await one.put('a/3', 3);
    other.drop('a/1');
    await other.flush();
    expect(await sorted(one)).toEqual([
      ['a/2', 2],
      ['a/3', 3],
    ]);
    expect(count.set).toBe(6);
  });

  it('loses neither of two first names that two processes put at once', async () => {
    const { store } = counted();
    const [one, other] = [new TimeList(store, 'jobs'), new TimeList(store, 'jobs')];
    await Promise.all([one.put('a/1', 1), other.put('a/2', 2)]);
    expect(await sorted(one)).toEqual([
      ['a/1', 1],
      ['a/2', 2],
    ]);
  });

  it('writes together what comes while it is writing', async () => {
    const { store, count } = counted();
    const list = new TimeList(store, 'jobs');
    await Promise.all(['a/1', 'a/2', 'a/3', 'a/4'].map((name, at) => list.put(name, at)));
    expect(await sorted(list)).toHaveLength(4);
    expect(count.set).toBe(1);
  });
});

describe('where the store is away', () => {
  it('a name that could not be put is not on the list, and one that could not be taken off is taken off later', async () => {
    const { store, count } = counted();
    const list = new TimeList(store, 'jobs');
    await list.put('a/1', 1);
    count.away = true;
    list.drop('a/1');
    await expect(list.put('a/2', 2)).rejects.toThrow('away');
    expect(await sorted(new TimeList(store, 'jobs'))).toEqual([['a/1', 1]]);
    count.away = false;
    await list.flush();
    expect(await sorted(list)).toEqual([]);
  });

  it('what was put again meanwhile is not taken off', async () => {
    const { store, count } = counted();
    const list = new TimeList(store, 'jobs');
    await list.put('a/1', 1);
    list.drop('a/1');
    count.away = true;
    const again = new Promise<void>(resolve => {
      count.whileAway = () => {
        count.away = false;
        resolve(list.put('a/1', 5));
      };
    });
    await expect(list.put('a/2', 2)).rejects.toThrow('away');
    await again;
    await list.flush();
    expect(await sorted(list)).toEqual([['a/1', 5]]);
  });

  it('a value that others keep changing is given up after a hundred tries', async () => {
    let tries = 0;
    const set = async () => {
      tries += 1;
      return false;
    };
    const store: Store = { ...memoryStore(), set };
    await expect(new TimeList(store, 'jobs').put('a', 1)).rejects.toMatchObject({
      code: 'store/unavailable',
      message: 'Too many processes are changing a list in the store at once. Try again.',
    });
    expect(tries).toBe(100);
  });
});
