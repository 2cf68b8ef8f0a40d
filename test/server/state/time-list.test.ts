/** The names that wait, each with its time; see packages/server/src/state/time-list.ts. */
import type { SortedSets, Store } from '@midcall/core/store';
import { memoryStore } from '@midcall/server/stores/memory';
import { describe, expect, it } from 'vitest';
import { TimeList } from '../../../packages/server/src/state/time-list.ts';

/** A store whose sorted sets are counted, and fail where they are told to. */
function sortedStore(now = () => 0) {
  const store = memoryStore();
  const sets = store.sortedSets;
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
  return { list: () => new TimeList(full, 'calls', now), state };
}

describe('a list of names with their times', () => {
  it('a list of names with their times has what was put on it, with the latest time, until it is taken off, and writes nothing but the change', async () => {
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

  it('a list of names takes off with the next name what was dropped, and keeps what is put again', async () => {
    const { list, state } = sortedStore();
    const one = list();
    for (const name of ['a', 'b', 'c']) await one.put(name, 1);
    one.drop('a');
    one.drop('b');
    await one.put('b', 2);
    expect(state.log.slice(-2)).toEqual(['add b 2', 'remove a']);
    expect([...(await list().read()).keys()].sort()).toEqual(['b', 'c']);
  });

  it('a list of names puts a name that is being taken off after that', async () => {
    const { list } = sortedStore();
    const one = list();
    await one.put('a', 1);
    one.drop('a');
    await Promise.all([one.flush(), one.put('a', 2)]);
    expect([...(await list().read())]).toEqual([['a', 2]]);
  });

  it('a list of names forgets names an hour past, once an hour', async () => {
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

  it('a list whose store is away says so for what is put, and takes off later what could not be taken off', async () => {
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
