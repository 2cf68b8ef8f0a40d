/** Which tasks an owner has, in one value of a store; see packages/server/src/tasks/task-lists.ts. */
import { systemClock } from '@midcall/core/time';
import { memoryStore } from '@midcall/server/stores/memory';
import { describe, expect, it } from 'vitest';
import { keyOfId } from '../../../packages/server/src/tasks/task-key.ts';
import { TaskLists, type TaskListsOptions } from '../../../packages/server/src/tasks/task-lists.ts';

const now = 1_700_000_000_000;
const taskOf = (id: string, ttlMs = 1_000) => ({ id, owner: 'alice', createdAt: now, ttlMs });

function listsOf(options: Partial<TaskListsOptions> = {}, time = now): TaskLists {
  const clock = { ...systemClock, now: () => time };
  return new TaskLists({
    store: memoryStore({ clock }),
    clock,
    prefix: 'open',
    most: 3,
    full: 'It is full.',
    ...options,
  });
}

describe('the list of an owner', () => {
  it('the list of an owner has what was added, the oldest first, and no id', async () => {
    const store = memoryStore();
    const lists = listsOf({ store, clock: systemClock });
    const createdAt = Date.now();
    for (const id of ['one', 'two']) await lists.add({ ...taskOf(id, 60_000), createdAt });
    expect(await lists.read('alice')).toEqual(['one', 'two'].map(keyOfId));
    expect(await lists.read('bob')).toEqual([]);
    expect(await store.get('open:alice')).not.toContain('one');
  });

  it('the list of an owner takes a hundred that are added at once in a few writes, in their order', async () => {
    const store = memoryStore();
    let writes = 0;
    const set: typeof store.set = (...args) => {
      writes += 1;
      return store.set(...args);
    };
    const lists = listsOf({ store: { ...store, set }, most: 100 });
    const ids = Array.from({ length: 100 }, (_, n) => `task ${n}`);
    await Promise.all(ids.map(id => lists.add(taskOf(id, 1e12))));
    expect(await lists.read('alice')).toEqual(ids.map(keyOfId));
    expect(writes).toBeLessThanOrEqual(3);
  });

  it('the list of an owner loses nothing where two processes add to it at once', async () => {
    const store = memoryStore();
    const [one, other] = [listsOf({ store, most: 40 }), listsOf({ store, most: 40 })];
    const ids = Array.from({ length: 40 }, (_, n) => `task ${n}`);
    await Promise.all(ids.map((id, n) => (n % 2 ? one : other).add(taskOf(id, 1e12))));
    expect([...(await one.read('alice'))].sort()).toEqual(ids.map(keyOfId).sort());
  });

  it('the list of an owner refuses what it has no room for, also in a process that has just been started', async () => {
    const store = memoryStore();
    const lists = listsOf({ store });
    const added = ['a', 'b', 'c', 'd'].map(id => taskOf(id, 1e12));
    const results = await Promise.allSettled(added.map(task => lists.add(task)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    await expect(listsOf({ store }).add(taskOf('e', 1e12))).rejects.toMatchObject({
      code: 'call/too-many',
      message: expect.stringContaining('It is full.'),
    });
    await expect(lists.add({ ...taskOf('f', 1e12), owner: 'bob' })).resolves.toBeUndefined();
  });

  it('the list of an owner has room again for each that expired, and for each that makes room', async () => {
    const store = memoryStore({ clock: { ...systemClock, now: () => now } });
    const over = new Set<string>();
    const makesRoom = async (at: string) => over.has(at);
    const lists = listsOf({ store, makesRoom });
    for (const id of ['a', 'b', 'c']) await lists.add(taskOf(id, id === 'a' ? 1 : 1e12));
    await expect(lists.add(taskOf('d', 1e12))).rejects.toMatchObject({ code: 'call/too-many' });
    // Work that was under way may go on for an hour, and its result is there for five minutes.
    const later = listsOf({ store, makesRoom }, now + 65 * 60_000 + 1);
    await later.add(taskOf('d', 1e12));
    over.add(keyOfId('c'));
    await later.add(taskOf('e', 1e12));
    expect(await later.read('alice')).toEqual(['b', 'd', 'e'].map(keyOfId));
  });

  it('the list of an owner says so where the store is away, and takes the next one', async () => {
    const store = memoryStore();
    let away = true;
    const set: typeof store.set = (...args) => (away ? Promise.reject(new Error('away')) : store.set(...args));
    const lists = listsOf({ store: { ...store, set } });
    await expect(lists.add(taskOf('a', 1e12))).rejects.toThrow('away');
    away = false;
    await lists.add(taskOf('b', 1e12));
    expect(await lists.read('alice')).toEqual([keyOfId('b')]);
  });
});
