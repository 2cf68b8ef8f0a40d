/** The file of calls that go on without a request. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@midcall/core/time';
import { isFollowed, type StoredTask, tasksFile } from '@midcall/host';
import { expect, it } from 'vitest';

const path = () => join(mkdtempSync(join(tmpdir(), 'midcall-tasks-')), 'tasks.json');

const task = (id: string, more: Partial<StoredTask> = {}): StoredTask => ({
  call: { id, kind: 'tool', name: 'act', arguments: {} },
  server: { id: 'notes', origin: 'node notes.js' },
  era: '2026-07-28',
  taskId: `task of ${id}`,
  status: 'working',
  startedAt: 1_000,
  questions: {},
  ...more,
});

it('tasks-file-1: a task that a living process follows is not taken up, and one whose process is gone is', async () => {
  const file = path();
  const own = tasksFile(file);
  await own.keep(task('a'));
  const others = { pid: 1, host: JSON.parse(readFileSync(file, 'utf8')).tasks[0].holder.host };
  const gone = { pid: 2 ** 22 + 1, host: others.host };
  const replaced = { pid: process.pid, host: others.host, began: 'another time' };
  const tasks = [
    task('b', { holder: others }),
    task('c', { holder: gone }),
    task('d', { holder: replaced }),
    task('e'),
  ];
  writeFileSync(file, JSON.stringify({ tasks }));
  expect(tasks.map(isFollowed)).toEqual([true, false, false, false]);
  const taken = await own.takeUp(() => true);
  expect(taken.map(each => each.call.id)).toEqual(['c', 'd', 'e']);
  expect((await own.list()).map(isFollowed)).toEqual([true, true, true, true]);
  await own.release(['c', 'e']);
  expect((await own.list()).map(isFollowed)).toEqual([true, false, true, false]);
});

it('tasks-file-2: a task stays until it is dropped, or its time is up', async () => {
  let now = 5_000;
  const own = tasksFile(path(), { clock: { ...systemClock, now: () => now } });
  await own.keep(task('a', { expiresAt: 6_000 }));
  await own.keep(task('b'));
  await own.keep(task('b', { status: 'input_required' }));
  expect((await own.list()).map(each => [each.call.id, each.status])).toEqual([
    ['a', 'working'],
    ['b', 'input_required'],
  ]);
  now = 7_000;
  expect((await own.list()).map(each => each.call.id)).toEqual(['b']);
  expect(await own.drop('b')).toBe(true);
  expect(await own.drop('b')).toBe(false);
  expect(await own.list()).toEqual([]);
});

it('the file of tasks keeps a task that does not expire, while the clock runs on', async () => {
  let now = 5_000;
  const own = tasksFile(path(), { clock: { ...systemClock, now: () => now++ } });
  await own.keep(task('a'));
  expect((await own.list()).map(each => each.call.id)).toEqual(['a']);
});

it('a file that holds something else is refused, and so are more tasks than anybody waits for', async () => {
  const bad = path();
  writeFileSync(bad, JSON.stringify({ tasks: [{ ...task('a'), taskId: 7 }] }));
  await expect(tasksFile(bad).list()).rejects.toThrow(/does not hold a list of tasks/);
  const full = path();
  writeFileSync(full, JSON.stringify({ tasks: Array.from({ length: 1_000 }, (_, n) => task(String(n))) }));
  await expect(tasksFile(full).keep(task('one more'))).rejects.toThrow(/No more than 1000 tasks/);
});
