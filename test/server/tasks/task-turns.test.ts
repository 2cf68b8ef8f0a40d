/** Turns of a task by two processes with one store, whose jobs a test runs: one that comes late finds that its turn is over. */
import type { Store } from '@midcall/core/store';
import { type AuditEvent, type Jobs, midcall } from '@midcall/server';
import { memoryStore } from '@midcall/server/stores/memory';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import type { Task } from '../../../packages/server/src/tasks/task.ts';
import { TaskEnds } from '../../../packages/server/src/tasks/task-ends.ts';
import { failure } from '../../../packages/server/src/tasks/turn.ts';
import { rawClient } from '../raw-client.ts';

const key = 'wA9kP0s7Xn3cVb2LqT6mZr1YfJ8dGh5uEi4oQxRtMzU=';
const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** Jobs that wait until a test runs them. */
function handJobs() {
  const names: string[] = [];
  const removed: string[] = [];
  let run: Parameters<Jobs['start']>[0];
  const jobs: Jobs = {
    add: async name => void names.push(name),
    remove: async name => void removed.push(name),
    start(runner) {
      run = runner;
    },
    close: async () => {},
  };
  return { jobs, names, removed, run: (name: string) => run(name, 1) };
}

/** A process with the store; `effects` are those of its steps. */
async function process(store: Store, effects: string[], name: string) {
  const hand = handJobs();
  const audits: AuditEvent[] = [];
  const mid = midcall({
    ...{ key, store, jobs: hand.jobs, suspectBelowMs: 0, warn: () => {} },
    audit: event => void audits.push(event),
  });
  const factory = () => {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    mid.tool(server, 'book', { task: 'always' }, async (_, call) => {
      await call.elicit({ message: 'Book?', form: Boolean, timeoutMs: 60_000 });
      await call.step('book', () => void effects.push(name));
      return { content: [{ type: 'text', text: 'booked' }] };
    });
    return server;
  };
  const client = await rawClient(factory, 'memory', {});
  const send = (method: string, params: Record<string, unknown>) => client.send(method, params, { capabilities });
  // So that there is a server with the tool.
  await send('tools/list', {});
  return {
    ...hand,
    audits,
    send,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await mid.stop();
    },
  };
}

it('tasks-2: nothing is kept of a turn that is over, and whoever has read the task before runs nothing of it', async () => {
  const inner = memoryStore();
  const names = new Set<string>();
  const store: Store = {
    ...inner,
    set(name, text, options) {
      names.add(name);
      return inner.set(name, text, options);
    },
    delete(name) {
      names.delete(name);
      return inner.delete(name);
    },
  };
  const kept = () => [...names].filter(name => /^(claim|result|steps?):/.test(name));
  const effects: string[] = [];
  await using one = await process(store, effects, 'one');
  /** What the other reads first of a task, as one does that stands still just then. */
  let stale: string | undefined;
  const late: Store = {
    ...store,
    async get(name) {
      const text = name.startsWith('task:') ? stale : undefined;
      stale = text === undefined ? stale : undefined;
      return text ?? store.get(name);
    },
  };
  await using other = await process(late, effects, 'other');

  const { taskId } = (await one.send('tools/call', { name: 'book', arguments: {} })).result as { taskId: string };
  await one.run(one.names.shift()!);
  expect(kept()).toEqual([]);
  const asking = (await one.send('tasks/get', { taskId })).result as { inputRequests: object };
  const [asked = ''] = Object.keys(asking.inputRequests);
  await one.send('tasks/update', {
    taskId,
    inputResponses: { [asked]: { action: 'accept', content: { value: true } } },
  });
  const turn = one.names.at(-1)!;
  const record = [...names].find(name => name.startsWith('task:'))!;
  const read = await store.get(record);
  await one.run(turn);
  expect(effects).toEqual(['one']);
  expect(kept()).toEqual([]);

  stale = read;
  await expect(other.run(turn)).rejects.toMatchObject({ code: 'call/interrupted' });
  expect(effects).toEqual(['one']);
  expect(kept()).toEqual([]);
  expect(other.audits.filter(({ kind }) => kind === 'ended')).toEqual([]);
  // When it is run once more, it finds the task as it is.
  await other.run(turn);
  expect((await one.send('tasks/get', { taskId })).result).toMatchObject({ status: 'completed' });
});

it('tasks-2: the outcome of a turn that is over does not end the turn after it', async () => {
  const task = { id: 't', status: 'working', turn: 2, createdAt: 0, ttlMs: 60_000, inputRequests: {}, answers: {} };
  const changes: (string | undefined)[] = [];
  /** Tells what would become of the task, and leaves it as it is. */
  const changeAt = async (_: string, change: (current: Task) => Task | undefined) =>
    void changes.push(change(task as never)?.status);
  const ends = new TaskEnds({ config: { clock: { now: () => 1_000 } }, store: { changeAt } } as never);
  for (const turn of [1, 2]) await ends.end('t', turn, { status: 'completed', result: { content: [] } });
  expect(changes).toEqual([undefined, 'completed']);
});

it('a task that has ended leaves no job for when its question would have been due', async () => {
  await using one = await process(memoryStore(), [], 'one');
  const { taskId } = (await one.send('tools/call', { name: 'book', arguments: {} })).result as { taskId: string };
  await one.run(one.names.shift()!);
  const due = one.names.filter(name => name.endsWith('/due'));
  expect([due.length, one.removed]).toEqual([1, []]);
  await one.send('tasks/cancel', { taskId });
  expect(one.removed).toEqual(due);
});

it.each([
  ['a text', 'ENOENT'],
  ['a fraction', 1.5],
  ['none', undefined],
])('an error whose code is %s fails its task as an internal error', (_, code) => {
  expect(failure({ code, message: 'no' })).toMatchObject({ status: 'failed', error: { code: -32603, message: 'no' } });
});
