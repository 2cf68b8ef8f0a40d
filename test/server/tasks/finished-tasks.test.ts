/** Which finished tasks of a person are kept; see packages/server/src/tasks/task-lists.ts. */
import { memoryStore } from '@midcall/server/stores/memory';
import { expect, it } from 'vitest';
import type { Task } from '../../../packages/server/src/tasks/task.ts';
import { keyOfId } from '../../../packages/server/src/tasks/task-key.ts';
import { FinishedTasks, type FinishedTasksOptions } from '../../../packages/server/src/tasks/task-lists.ts';

const now = 1_700_000_000_000;

function world(options: Partial<FinishedTasksOptions> = {}) {
  const clock = {
    at: now,
    now(): number {
      return this.at;
    },
  };
  const store = memoryStore({ clock });
  const removed: string[] = [];
  const remove = async (at: string): Promise<void> => void removed.push(at);
  const tasksOf = () => new FinishedTasks({ store, clock, most: 3, mostCharacters: 10_000, remove, ...options });
  return { clock, removed, tasksOf, tasks: tasksOf() };
}

const taskOf = (id: string, { subject = 'ann', result = '', ttlMs = 60_000 } = {}): Task =>
  ({ id, principal: { issuer: 'i', subject }, createdAt: now, ttlMs, status: 'completed', result }) as unknown as Task;

it('the oldest finished tasks of a person make room for newer ones, in whichever process they end', async () => {
  const { removed, tasks, tasksOf } = world();
  for (const id of ['a', 'b', 'c']) await tasks.add(taskOf(id));
  await tasks.add(taskOf('theirs', { subject: 'bob' }));
  expect(removed).toEqual([]);
  await tasksOf().add(taskOf('d'));
  expect(removed).toEqual([keyOfId('a')]);
  await tasks.add(taskOf('e'));
  expect(removed).toEqual(['a', 'b'].map(keyOfId));
});

it('as many finished tasks go as the characters of the newest need, and it is kept whatever it has', async () => {
  const { removed, tasks } = world({ most: 100 });
  const result = 'x'.repeat(3_000);
  for (const id of ['a', 'b', 'c']) await tasks.add(taskOf(id, { result }));
  expect(removed).toEqual([]);
  await tasks.add(taskOf('d', { result: result + result }));
  expect(removed).toEqual(['a', 'b'].map(keyOfId));
  await tasks.add(taskOf('e', { result: 'x'.repeat(20_000) }));
  expect(removed).toEqual(['a', 'b', 'c', 'd'].map(keyOfId));
  await tasks.add(taskOf('f'));
  expect(removed.at(-1)).toBe(keyOfId('e'));
});

it('a finished task whose time is up takes no room', async () => {
  const { clock, removed, tasks } = world();
  await tasks.add(taskOf('a', { ttlMs: 1 }));
  for (const id of ['b', 'c']) await tasks.add(taskOf(id));
  clock.at = now + 65 * 60_000 + 1;
  await tasks.add(taskOf('d'));
  expect(removed).toEqual([]);
});
