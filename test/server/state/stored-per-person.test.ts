/** What the calls of one person may take of a store that is everybody's, as clients see it on the wire of 2026-07-28. */
import { type Call, type Midcall, type MidcallOptions, midcall, type ToolConfig } from '@midcall/server';
import { memoryStore } from '@midcall/server/stores/memory';
import { McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../fixtures/grown.ts';
import { type Reply, rawClient } from '../raw-client.ts';

const extension = 'io.modelcontextprotocol/tasks';
const withTasks = { elicitation: {}, extensions: { [extension]: {} } };
const yes = { action: 'accept', content: { value: true } };
const most = 20_000;
const big = 'x'.repeat(9_000);
const tooMany = `This server stores ${most} characters for the waiting calls of one person`;

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const sure = async (call: Call): Promise<string> => (await call.elicit({ message: 'Sure?', form: Boolean })).action;

/** A server that several people use, each with their own token. */
async function serving(
  handler: (call: Call) => Promise<string>,
  { task, ...options }: MidcallOptions & { readonly task?: NonNullable<ToolConfig<undefined>['task']> } = {},
) {
  const store = memoryStore();
  const mid: Midcall = midcall({
    ...{ store, key: 'vk1N2yLr0Zc0m7B1nPqf3sT5uW8xY+A2bC4dE6gH8iI=', suspectBelowMs: 0, warn: () => {} },
    ...{ maxStoredPerPerson: most, maxStateLength: 4_000 },
    principal: ctx => ({ issuer: 'i', subject: String(ctx.http?.authInfo?.extra?.['subject']) }),
    ...options,
  });
  open.push({ [Symbol.asyncDispose]: () => mid.stop() });
  const factory = () => {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    mid.tool(server, 'act', { annotations: { readOnlyHint: true }, ...(task && { task }) }, (_, call) => handler(call));
    return server;
  };
  const client = await rawClient(factory, 'http', {
    authenticate: async (request: Request) => {
      const token = request.headers.get('authorization')?.slice('Bearer '.length) ?? '';
      return { token, clientId: 'same', scopes: [], extra: { subject: token } };
    },
  });
  open.push(client);
  return {
    store,
    mid,
    as(token: string, capabilities: object = { elicitation: {} }) {
      const send = (method: string, params: Readonly<Record<string, unknown>>) =>
        client.send(method, params, { capabilities: { ...capabilities }, token });
      const call = (args: object = {}, more: object = {}) =>
        send('tools/call', { name: 'act', arguments: args, ...more });
      return {
        send,
        call,
        /** Answers what a call has asked. */
        answer: ({ result }: Reply, args: object = {}) => {
          const { requestState, inputRequests } = result as unknown as { requestState: string; inputRequests: object };
          const [key] = Object.keys(inputRequests);
          return call(args, { requestState, inputResponses: { [key!]: yes } });
        },
        until: async (taskId: string, status: string): Promise<Record<string, unknown>> => {
          let testIsOver = false;
          onTestFinished(() => {
            testIsOver = true;
          });
          let task: Record<string, unknown> = {};
          await eventually(async () => {
            task = (await send('tasks/get', { taskId })).result as Record<string, unknown>;
            return testIsOver || task['status'] === status;
          });
          return task;
        },
      };
    },
  };
}

const textOf = ({ result, error }: Reply): string =>
  error?.message ?? (result as { content?: readonly { readonly text: string }[] }).content?.[0]?.text ?? '';
const idOf = ({ result }: Reply): string => (result as unknown as { taskId: string }).taskId;

describe('tasks', () => {
  it('tasks that are not over take no more than the share of their person, and those of others go on', async () => {
    const { as } = await serving(sure, { task: 'always' });
    const [ann, bob] = [as('ann', withTasks), as('bob', withTasks)];
    const begun = [await ann.call({ big }), await ann.call({ big })];
    expect(textOf(await ann.call({ big }))).toContain(tooMany);
    expect(idOf(await bob.call({ big }))).toBeDefined();
    // One that is over leaves its arguments behind, however it ended.
    await ann.send('tasks/cancel', { taskId: idOf(begun[0]!) });
    await ann.until(idOf(begun[0]!), 'cancelled');
    const third = idOf(await ann.call({ big }));
    const { inputRequests } = await ann.until(third, 'input_required');
    const inputResponses = { [Object.keys(inputRequests as object)[0]!]: yes };
    await ann.send('tasks/update', { taskId: third, inputResponses });
    await ann.until(third, 'completed');
    expect(idOf(await ann.call({ big }))).toBeDefined();
  });

  it('tasks take no answer that they have no room for, and take it once there is', async () => {
    const measuring = async (call: Call): Promise<string> => {
      const asked = await call.elicit({ message: 'What?', form: String });
      return String(asked.action === 'accept' ? asked.content.length : asked.action);
    };
    const { as } = await serving(measuring, { task: 'always' });
    const ann = as('ann', withTasks);
    const taskId = idOf(await ann.call());
    const { inputRequests: asked } = await ann.until(taskId, 'input_required');
    const answer = (value: string) =>
      ann.send('tasks/update', {
        taskId,
        inputResponses: { [Object.keys(asked as object)[0]!]: { action: 'accept', content: { value } } },
      });
    expect(textOf(await answer('x'.repeat(most)))).toContain(tooMany);
    await ann.until(taskId, 'input_required');
    expect((await answer('x'.repeat(3_000))).error).toBeUndefined();
    expect(await ann.until(taskId, 'completed')).toMatchObject({ result: { content: [{ text: '3000' }] } });
  });

  it('tasks keep their arguments no longer than they may need them', async () => {
    const { as, store } = await serving(async () => 'done', { task: 'always' });
    const sizes = new Map<string, number>();
    const set = store.set.bind(store);
    store.set = (key, value, options) => {
      if (key.startsWith('task:')) sizes.set(key, value.length);
      return set(key, value, options);
    };
    const ann = as('ann', withTasks);
    await ann.until(idOf(await ann.call({ big })), 'completed');
    expect([...sizes.values()].every(size => size < 1_500)).toBe(true);
    expect(sizes.size).toBe(1);
  });
});

describe('journals', () => {
  const fetching = async (call: Call): Promise<string> => {
    await call.step('fetch', () => big);
    return sure(call);
  };

  it('journals take no more than the share of their person, until their call is answered', async () => {
    const { as } = await serving(fetching);
    const [ann, bob] = [as('ann'), as('bob')];
    const asked = await ann.call();
    expect(asked.result?.resultType).toBe('input_required');
    expect(textOf(await ann.call())).toContain(tooMany);
    expect((await bob.call()).result?.resultType).toBe('input_required');
    expect(textOf(await ann.answer(asked))).toBe('accept');
    expect((await ann.call()).result?.resultType).toBe('input_required');
    // The same answer still gets the same result, and another is still refused.
    expect(textOf(await ann.answer(asked))).toBe('accept');
    const { requestState, inputRequests } = asked.result as unknown as { requestState: string; inputRequests: object };
    const inputResponses = { [Object.keys(inputRequests)[0]!]: { action: 'decline' } };
    expect(textOf(await ann.call({}, { requestState, inputResponses }))).toContain('already answered');
  });

  it('journals of tasks are free with each turn, and with a task that is cancelled', async () => {
    const { as } = await serving(fetching, { task: 'always' });
    const ann = as('ann', withTasks);
    for (const _ of ['once', 'and again']) {
      const answered = idOf(await ann.call());
      const { inputRequests } = await ann.until(answered, 'input_required');
      const refused = idOf(await ann.call());
      expect(JSON.stringify(await ann.until(refused, 'completed'))).toContain(tooMany);
      const inputResponses = { [Object.keys(inputRequests as object)[0]!]: yes };
      await ann.send('tasks/update', { taskId: answered, inputResponses });
      await ann.until(answered, 'completed');
      const cancelled = idOf(await ann.call());
      await ann.until(cancelled, 'input_required');
      await ann.send('tasks/cancel', { taskId: cancelled });
      await ann.until(cancelled, 'cancelled');
    }
  });
});

it('tickets take no more than the share of their person', async () => {
  const { as } = await serving(sure, { channels: ['relay'] });
  const [ann, bob] = [as('ann', {}), as('bob', {})];
  expect(textOf(await ann.call({ big }))).toContain('ticket');
  expect(textOf(await ann.call({ big: big + big }))).toContain(tooMany);
  expect(textOf(await bob.call({ big }))).toContain('ticket');
});
