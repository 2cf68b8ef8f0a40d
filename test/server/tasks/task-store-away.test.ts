/** Tasks whose store or jobs fail once something may have been done: what their clients are told, and what goes on. */
import { MidcallError } from '@midcall/core/errors';
import type { Store } from '@midcall/core/store';
import { type Call, type Jobs, type MidcallOptions, midcall, type ToolConfig } from '@midcall/server';
import { memoryStore } from '@midcall/server/stores/memory';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../fixtures/grown.ts';
import { type Carrier, type Reply, rawClient, textOf } from '../raw-client.ts';

const key = 'b8Kd2Xq0Zt7nVc4LsR9mWy1YfJ6hGp3uEi5oQaTzMxU=';
const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
const yes = { action: 'accept', content: { value: true } };
const lost = (): Promise<never> => Promise.reject(new Error('connection lost'));

/** Jobs that are run at once, and again until they succeed. */
function jobsAtOnce() {
  let run: Parameters<Jobs['start']>[0] = lost;
  const queue = {
    fails: false,
    added: [] as string[],
    async run(name: string): Promise<void> {
      for (
        let attempt = 1;
        !(await run(name, attempt).then(
          () => true,
          () => false,
        ));
        attempt += 1
      )
        await new Promise(resolve => setImmediate(resolve));
    },
    jobs: {
      async add(name, delayMs) {
        // What is added late is added all the same.
        queue.added.push(name);
        if (queue.fails) throw new MidcallError('store/unavailable', 'The jobs did not answer. Try again.');
        if (delayMs === undefined) void queue.run(name);
      },
      remove: async () => {},
      start(runner) {
        run = runner;
      },
      close: async () => {},
    } satisfies Jobs,
  };
  return queue;
}

interface Operation {
  readonly method: 'get' | 'set';
  readonly key: string;
}

/** A store whose operations fail where the test says so. */
function failing() {
  const memory = memoryStore();
  const away = { isAway: (_: Operation): boolean => false };
  const store: Store = {
    ...memory,
    get: key => (away.isAway({ method: 'get', key }) ? lost() : memory.get(key)),
    set: (key, ...rest) => (away.isAway({ method: 'set', key }) ? lost() : memory.set(key, ...rest)),
  };
  return { away, store };
}

async function served(
  carrier: Carrier,
  handler: (call: Call) => Promise<string>,
  { task, ...options }: MidcallOptions & Pick<ToolConfig<undefined>, 'task'> = {},
) {
  const queue = jobsAtOnce();
  const { away, store } = failing();
  const mid = midcall({ key, suspectBelowMs: 0, warn: () => {}, store, jobs: queue.jobs, ...options });
  onTestFinished(() => mid.stop());
  const client = await rawClient(() => {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    mid.tool(server, 'act', { ...(task && { task }) }, async (_, call) => ({
      content: [{ type: 'text', text: await handler(call) }],
    }));
    return server;
  }, carrier);
  onTestFinished(() => client[Symbol.asyncDispose]());
  const send = (method: string, params: object) => client.send(method, { ...params }, { capabilities });
  const get = async (taskId: string) => (await send('tasks/get', { taskId })).result as unknown as Told;
  return {
    queue,
    away,
    call: (params = {}): Promise<Reply> => client.act(params, { capabilities }),
    update: (taskId: string, inputResponses: object) => send('tasks/update', { taskId, inputResponses }),
    async until(taskId: string, ...statuses: readonly string[]): Promise<Told> {
      let task = await get(taskId);
      await eventually(async () => {
        task = await get(taskId);
        return [...statuses, 'failed'].includes(task.status);
      });
      return task;
    },
  };
}

interface Told {
  readonly taskId: string;
  readonly status: string;
  readonly inputRequests?: Readonly<Record<string, unknown>>;
  readonly result?: { readonly content: readonly { readonly text: string }[] };
  readonly error?: { readonly message: string };
}

describe.each(['memory', 'http'] as const)('over %s', carrier => {
  it('a call is not said to have not begun if its job may have been added, and it could not be taken back', async () => {
    const done: string[] = [];
    const charge = async (call: Call) => `${await call.step('charge', () => done.push('charge'))}`;
    const { queue, away, call } = await served(carrier, charge, { task: 'always' });
    queue.fails = true;
    away.isAway = () => queue.added.length > 0;
    const told = textOf(await call());
    away.isAway = () => false;
    await queue.run(queue.added[0]!);
    expect(done).toEqual(['charge']);
    expect(told).not.toContain('not begun');
    expect(told).toContain('Find out what took effect before calling again.');
  });

  it('a call that was under way is not said to try again where it cannot become a task', async () => {
    let release = (): void => {};
    const waiting = new Promise<void>(resolve => {
      release = resolve;
    });
    const slow = async (call: Call) => {
      await call.step('charge', () => 1);
      await waiting;
      return 'charged';
    };
    const { queue, call } = await served(carrier, slow, { taskAfterMs: 1 });
    queue.fails = true;
    const told = textOf(await call());
    release();
    expect(told).toContain('What it did is in doubt. Find out what took effect before calling again.');
  });

  it('a call whose rounds are used up is not said to try again where it cannot become a task', async () => {
    const rounds = async (call: Call) => {
      await call.elicit({ message: 'Sure?', form: Boolean });
      await call.step('charge', () => 1);
      return (await call.elicit({ message: 'Really?', form: Boolean })).action;
    };
    const { away, call } = await served(carrier, rounds, { maxRounds: 1 });
    const { inputRequests, requestState } = (await call()).result!;
    away.isAway = ({ method, key }) => method === 'set' && key.startsWith('task:');
    const inputResponses = { [Object.keys(inputRequests!)[0]!]: yes };
    const told = textOf(await call({ inputResponses, requestState }));
    expect(told).toContain('What it did is in doubt. Find out what took effect before calling again.');
  });

  it.each([
    ['while it claims its turn', ({ method, key }: Operation) => method === 'set' && key.startsWith('claim:'), 0],
    ['once it has claimed its turn', ({ method, key }: Operation) => method === 'get' && key.startsWith('task:'), 1],
  ] as const)('a task whose store fails %s goes on, and does nothing twice', async (_, isIt, afterClaims) => {
    const done: string[] = [];
    const asking = async (call: Call) => {
      await call.step('before', () => done.push('before'));
      const { action } = await call.elicit({ message: 'Sure?', form: Boolean });
      await call.step('after', () => done.push('after'));
      return action;
    };
    const { away, call, until, update } = await served(carrier, asking, { task: 'always' });
    const { taskId } = (await call()).result as unknown as Told;
    const { inputRequests } = await until(taskId, 'input_required');
    let [claims, failures] = [0, 0];
    away.isAway = operation => {
      const isFailed = isIt(operation) && claims >= afterClaims && failures === 0;
      if (operation.method === 'set' && operation.key.startsWith('claim:')) claims += 1;
      if (isFailed) failures += 1;
      return isFailed;
    };
    await update(taskId, { [Object.keys(inputRequests!)[0]!]: yes });
    // So that the run meets the failure, and not somebody who asks after the task.
    await eventually(async () => failures === 1);
    const task = await until(taskId, 'completed');
    expect(task.result?.content[0]?.text ?? task.error?.message).toBe('accept');
    expect(done).toEqual(['before', 'after']);
  });
});
