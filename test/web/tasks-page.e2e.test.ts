/** The desk's list of calls that go on by themselves, and the desk that takes them up again. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandTarget, type ServerEntry, type StoredTask, tasksFile } from '@midcall/host';
import { expect, it } from 'vitest';
import { eventually } from '../fixtures/grown.ts';
import { enter } from './client.ts';
import { stage, whenSo } from './stage.ts';

const server = fileURLToPath(new URL('../fixtures/stock-server.mjs', import.meta.url));

it('a call that goes on is listed, taken up after a restart of the desk, and brings its answer', async () => {
  const home = mkdtempSync(join(tmpdir(), 'midcall-desk-tasks-'));
  const path = join(home, 'tasks.json');
  const words = [process.execPath, server, join(home, 'store.db')];
  const entry: ServerEntry = { id: 'stock', target: commandTarget(words) };

  let id = '';
  let startedAt: number | undefined;
  {
    await using first = await stage({ tasks: tasksFile(path) });
    await first.desk.addServer(entry);
    id = await first.desk.workspace.calls.run('stock', { kind: 'tool', name: 'count_shelf', arguments: {} });
    const { calls } = first.desk.workspace;
    await whenSo(first.desk, () => (first.inbox.list().length > 0 && calls.get(id)?.task ? true : undefined));
    const page = (await (await enter(first.desk)).get('/tasks')).text;
    expect(page).toContain(`/calls/${id}`);
    expect(page).toContain('Waiting for an answer');
    startedAt = calls.get(id)?.startedAt;
  }

  await using second = await stage({ tasks: tasksFile(path) });
  const visitor = await enter(second.desk);
  const before = (await visitor.get('/tasks')).text;
  expect(before).toContain('count_shelf');
  expect(before).toContain('The desk follows it again once its server is connected.');
  await second.desk.addServer(entry);
  await whenSo(second.desk, () => second.inbox.list()[0]);
  const [question] = second.inbox.list();
  expect(question).toMatchObject({ message: 'Correct the books?', call: { id } });
  await second.inbox.reply(question!.id, { action: 'accept', content: { value: true } }, 'web');
  expect(second.desk.workspace.calls.get(id)?.startedAt).toBe(startedAt);
  const done = await whenSo(second.desk, () => second.desk.workspace.calls.get(id)?.outcome);
  expect(done).toMatchObject({ how: 'completed', result: { content: [{ text: 'Answered: accept.' }] } });
  await eventually(async () => (await visitor.get('/tasks')).text.includes('There are no tasks.'));
});

it('a call is forgotten where the person says so, and not one that another process follows', async () => {
  const tasks = tasksFile(join(mkdtempSync(join(tmpdir(), 'midcall-desk-tasks-')), 'tasks.json'));
  const kept = (id: string): StoredTask => ({
    call: { id, kind: 'tool', name: `tool_${id}`, arguments: {} },
    server: { id: 'gone', origin: 'node gone.js' },
    era: '2026-07-28',
    taskId: id,
    status: 'working',
    startedAt: 1_800_000_000_000,
    questions: {},
  });
  await tasks.keep(kept('a'));
  await tasks.release(['a']);
  await using on = await stage({ tasks });
  const visitor = await enter(on.desk);
  expect((await visitor.get('/tasks')).text).toContain('tool_a');
  await visitor.post('/tasks/forget', { call: 'a' });
  expect(await tasks.list()).toEqual([]);
});
