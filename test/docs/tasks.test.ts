/** The code of docs/tasks.md: a task in a file, through a restart. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { lasting, stockServer } from '../../examples/docs/tasks.ts';
import { rawClient } from '../server/raw-client.ts';

const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };

it('the stock server counts once, asks, and corrects once, though the server is started again in between', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-tasks-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  process.env['MIDCALL_KEY'] = 'vk1N2yLr0Zc0m7B1nPqf3sT5uW8xY+A2bC4dE6gH8iI=';
  onTestFinished(() => void delete process.env['MIDCALL_KEY']);
  const done: string[] = [];
  const warehouse = {
    count: async (shelf: string) => done.push(`count ${shelf}`) && 12,
    correct: async (shelf: string, pieces: number) => void done.push(`correct ${shelf} ${pieces}`),
  };
  const start = async () => {
    const mid = await lasting(join(folder, 'stock.db'));
    const client = await rawClient(() => stockServer(mid, warehouse), 'memory');
    const send = async (method: string, params: object): Promise<Record<string, unknown>> =>
      (await client.send(method, { ...params }, { capabilities })).result as never;
    const until = async (taskId: unknown, status: string): Promise<Record<string, unknown>> => {
      for (;;) {
        const task = await send('tasks/get', { taskId });
        if (task['status'] === status) return task;
        await new Promise(resolve => setImmediate(resolve));
      }
    };
    const stop = async () => {
      await client[Symbol.asyncDispose]();
      await mid.stop();
    };
    return { send, until, stop };
  };

  const first = await start();
  const { taskId, resultType } = await first.send('tools/call', { name: 'count_shelf', arguments: { shelf: 'B4' } });
  expect(resultType).toBe('task');
  const { inputRequests } = await first.until(taskId, 'input_required');
  await first.stop();

  const second = await start();
  onTestFinished(second.stop);
  const [key] = Object.keys(inputRequests as object);
  await second.send('tasks/update', {
    taskId,
    inputResponses: { [key!]: { action: 'accept', content: { value: true } } },
  });
  const { result } = await second.until(taskId, 'completed');
  expect(result).toMatchObject({ content: [{ text: 'The books now say 12.' }] });
  expect(done).toEqual(['count B4', 'correct B4 12']);
});
