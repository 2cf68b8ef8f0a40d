/** Turns of a task by two processes with one store, whose jobs a test runs: one that comes late finds that its turn is over. */
import type { Store } from '@midcall/core/store';
import { type AuditEvent, type Jobs, midcall } from '@midcall/server';
import { memoryStore } from '@midcall/server/stores/memory';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { bareClient } from './bare-client.ts';

const key = 'wA9kP0s7Xn3cVb2LqT6mZr1YfJ8dGh5uEi4oQxRtMzU=';
const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** Jobs that wait until a test runs them. */
function handJobs() {
  const names: string[] = [];
  let run: Parameters<Jobs['start']>[0];
  const jobs: Jobs = {
    add: async name => void names.push(name),
    remove: async () => {},
    start(runner) {
      run = runner;
    },
    close: async () => {},
  };
  return { jobs, names, run: (name: string) => run(name, 1) };
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
      await call.elicit({ message: 'Book?', form: Boolean });
      await call.step('book', () => void effects.push(name));
      return { content: [{ type: 'text', text: 'booked' }] };
    });
    return server;
  };
  const client = await bareClient(factory, 'memory', {});
  const send = (method: string, params: Record<string, unknown>) => client.send(method, params, { capabilities });
  // So that there is a server with the tool.
  await send('tools/list', {});
  return {
    ...hand,
    audits,
    send,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await mid.close();
    },
  };
}

it('tasks-2: of a turn that is over nothing is kept, and whoever has read the task before runs nothing of it', async () => {
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
