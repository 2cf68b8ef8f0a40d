/** The names that wait, each with its time; see packages/server/src/state/time-list.ts. */
import type { SortedSets, Store } from '@midcall/core/store';
import { memoryStore } from '@midcall/server/stores/memory';
import { describe, expect, it } from 'vitest';
import { type TimeList, timeList } from '../../packages/server/src/state/time-list.ts';

/** A store without sorted sets. */
function plainStore(): Store {
  const { sortedSets: _, ...plain } = memoryStore();
  return plain;
}

/** A store in memory that counts, and fails where it is told to. */
function counted() {
  const store = plainStore();
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

/** A store whose sorted sets are counted, and fail where they are told to. */
function sortedStore(now = () => 0) {
  const store = memoryStore();
  const sets = store.sortedSets!;
  const log: string[] = [];
  const state = { log, away: false, whileAway: () => {} };
  const fails = async (what: string): Promise<void> => {
    log.push(what);
    if (!state.away) return;
    await Promise.resolve();
    state.whileAway();
    throw new Error('away');
  };
  const sortedSets: SortedSets = {
    add: async (set, member, score) => fails(`add ${member} ${score}`).then(() => sets.add(set, member, score)),
    remove: async (set, members) => fails(`remove ${members}`).then(() => sets.remove(set, members)),
    range: async (set, max) => fails(`range ${max}`).then(() => sets.range(set, max)),
  };
  const set: Store['set'] = async () => {
    throw new Error('No value is written.');
  };
  const full = { ...store, set, sortedSets };
  return { list: () => timeList(full, 'calls', now), state };
}

describe('a list of names with their times, in a sorted set', () => {
  it('has what was put on it, with the latest time, until it is taken off, and writes nothing but the change', async () => {
    const { list, state } = sortedStore();
    const [one, other] = [list(), list()];
    await one.put('b', 20.5);
    await one.put('a', 10);
    await other.put('a', 30);
    expect([...(await one.read())]).toEqual([
      ['b', 21],
      ['a', 30],
    ]);
    expect([...(await one.read(21.9))]).toEqual([['b', 21]]);
    one.drop('a');
    expect([...(await one.read())]).toEqual([['b', 21]]);
    expect((await other.read()).size).toBe(2);
    await one.flush();
    await one.flush();
    expect([...(await other.read())]).toEqual([['b', 21]]);
    expect(state.log.filter(each => each.startsWith('remove'))).toEqual(['remove a']);
  });

  it('takes off with the next name what was dropped, and keeps what is put again', async () => {
    const { list, state } = sortedStore();
    const one = list();
    for (const name of ['a', 'b', 'c']) await one.put(name, 1);
    one.drop('a');
    one.drop('b');
    await one.put('b', 2);
    expect(state.log.slice(-2)).toEqual(['add b 2', 'remove a']);
    expect([...(await list().read()).keys()].sort()).toEqual(['b', 'c']);
  });

  it('puts a name that is being taken off after that', async () => {
    const { list } = sortedStore();
    const one = list();
    await one.put('a', 1);
    one.drop('a');
    await Promise.all([one.flush(), one.put('a', 2)]);
    expect([...(await list().read())]).toEqual([['a', 2]]);
  });

  it('forgets names an hour past, once an hour', async () => {
    const hour = 60 * 60_000;
    let now = 0;
    const { list, state } = sortedStore(() => now);
    const one = list();
    await one.put('past', 10);
    await one.put('due', hour);
    now = hour + 10;
    await one.put('later', 3 * hour);
    expect([...(await list().read()).keys()]).toEqual(['due', 'later']);
    now += 10;
    await one.put('latest', 4 * hour);
    expect(state.log.filter(each => each.startsWith('range'))).toHaveLength(3);
  });

  it('where the store is away: says so for what is put, and takes off later what could not be taken off', async () => {
    const { list, state } = sortedStore();
    const one = list();
    await one.put('a', 1);
    await one.put('b', 1);
    one.drop('a');
    one.drop('b');
    state.away = true;
    await expect(one.flush()).rejects.toThrow('away');
    await expect(one.put('c', 1)).rejects.toThrow('away');
    state.away = false;
    await one.put('b', 5);
    await one.flush();
    expect([...(await list().read())]).toEqual([['b', 5]]);
  });
});

describe('a list of names with their times, in a store without sorted sets', () => {
  it('has what was put on it, with the latest time, until it is taken off', async () => {
    const store = plainStore();
    const list = timeList(store, 'jobs');
    await list.put('b/1', 20);
    await list.put('a', 10);
    await list.put('a', 30);
    expect(await sorted(list)).toEqual([
      ['a', 30],
      ['b/1', 20],
    ]);
    list.drop('a');
    expect(await sorted(list)).toEqual([['b/1', 20]]);
    const another = timeList(store, 'jobs');
    expect(await sorted(another)).toHaveLength(2);
    await list.flush();
    expect(await sorted(another)).toEqual([['b/1', 20]]);
  });

  it('keeps what is alike up to a slash in one value, and other names in others', async () => {
    const written = async (...names: string[]) => {
      const store = plainStore();
      const keys = new Set<string>();
      const set: Store['set'] = (key, ...rest) => {
        keys.add(key);
        return store.set(key, ...rest);
      };
      const list = timeList({ ...store, set }, 'calls');
      for (const name of names) await list.put(name, 1);
      return keys.size;
    };
    expect(await written('a/1', 'a/2', 'a/33')).toBe(1);
    expect(await written('a/1', 'b/1', 'c')).toBe(3);
    expect(await written('', 'a')).toBe(2);
  });

  it('leaves out, when it writes, what is past, and keeps what is just due', async () => {
    let now = 10;
    const list = timeList(plainStore(), 'calls', () => now);
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
    const list = timeList(store, 'jobs');
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
    const list = timeList(store, 'jobs');
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
    const [one, other] = [timeList(store, 'jobs'), timeList(store, 'jobs')];
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
    const [one, other] = [timeList(store, 'jobs'), timeList(store, 'jobs')];
    await Promise.all([one.put('a/1', 1), other.put('a/2', 2)]);
    expect(await sorted(one)).toEqual([
      ['a/1', 1],
      ['a/2', 2],
    ]);
  });

  it('writes together what comes while it is writing', async () => {
    const { store, count } = counted();
    const list = timeList(store, 'jobs');
    await Promise.all(['a/1', 'a/2', 'a/3', 'a/4'].map((name, at) => list.put(name, at)));
    expect(await sorted(list)).toHaveLength(4);
    expect(count.set).toBe(1);
  });
});

describe('where a store without sorted sets is away', () => {
  it('a name that could not be put is not on the list, and one that could not be taken off is taken off later', async () => {
    const { store, count } = counted();
    const list = timeList(store, 'jobs');
    await list.put('a/1', 1);
    count.away = true;
    list.drop('a/1');
    await expect(list.put('a/2', 2)).rejects.toThrow('away');
    expect(await sorted(timeList(store, 'jobs'))).toEqual([['a/1', 1]]);
    count.away = false;
    await list.flush();
    expect(await sorted(list)).toEqual([]);
  });

  it('what was put again meanwhile is not taken off', async () => {
    const { store, count } = counted();
    const list = timeList(store, 'jobs');
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
    const store: Store = { ...plainStore(), set };
    await expect(timeList(store, 'jobs').put('a', 1)).rejects.toMatchObject({
      code: 'store/unavailable',
      message: 'Too many processes are changing a list in the store at once. Try again.',
    });
    expect(tries).toBe(100);
  });
});
