/** Calls that go on as tasks (extension io.modelcontextprotocol/tasks), as a client sees them on the wire of 2026-07-28. */
import { MidcallError } from '@midcall/core/errors';
import { systemClock } from '@midcall/core/time';
import {
  type AuditEvent,
  type Call,
  type Midcall,
  type MidcallOptions,
  midcall,
  type ToolConfig,
} from '@midcall/server';
import { memoryStore } from '@midcall/server/stores/memory';
import { McpServer, type McpServerFactory, MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../fixtures/grown.ts';
import { few } from '../../fixtures/soak.ts';
import { handClock } from '../../host/clock.ts';
import { type Carrier, type RawClient, type Reply, rawClient } from '../raw-client.ts';

const key = 'vk1N2yLr0Zc0m7B1nPqf3sT5uW8xY+A2bC4dE6gH8iI=';
const extension = 'io.modelcontextprotocol/tasks';
const capabilities = { elicitation: {}, extensions: { [extension]: {} } };
const yes = { action: 'accept', content: { value: true } };

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

type Handler = (call: Call) => Promise<string>;
type Mode = NonNullable<ToolConfig<undefined>['task']>;

function serverOf(handler: Handler, options: MidcallOptions & { readonly task?: Mode } = {}): McpServerFactory {
  const { task, ...rest } = options;
  const mid = midcall({ key, suspectBelowMs: 0, warn: () => {}, ...rest });
  open.push({ [Symbol.asyncDispose]: () => mid.stop() });
  return serving(mid, handler, task);
}

/** For one that is never closed, as its process dies. */
const serving =
  (mid: Midcall, handler: Handler, task?: Mode): McpServerFactory =>
  () => {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    mid.tool(server, 'act', { ...(task && { task }) }, async (_, call) => ({
      content: [{ type: 'text', text: await handler(call) }],
    }));
    return server;
  };

interface Told {
  readonly taskId: string;
  readonly status: string;
  readonly inputRequests?: Readonly<Record<string, unknown>>;
  readonly result?: { readonly content: readonly { readonly text: string }[]; readonly isError?: boolean };
  readonly error?: { readonly code: number; readonly message: string };
}

const told = (reply: Reply): Told => reply.result as unknown as Told;
/** What a result says of itself, apart from what the SDK adds to every one. */
const acknowledged = ({ result }: Reply) => ({ ...result, _meta: undefined });
const textOf = ({ result }: Told) => result?.content[0]?.text;

/** A client that has tasks. */
async function client(factory: McpServerFactory, carrier: Carrier = 'memory', http = {}) {
  const made: RawClient = await rawClient(factory, carrier, http);
  open.push(made);
  const send: RawClient['send'] = (method, params, options) => made.send(method, params, { capabilities, ...options });
  const get = async (taskId: string): Promise<Told> => {
    const reply = await send('tasks/get', { taskId });
    expect(reply.result?.resultType).toBe('complete');
    return told(reply);
  };
  return {
    send,
    get,
    call: (params = {}) => send('tools/call', { name: 'act', arguments: {}, ...params }),
    update: (taskId: string, inputResponses: object) => send('tasks/update', { taskId, inputResponses }),
    cancel: (taskId: string) => send('tasks/cancel', { taskId }),
    /** The task, once it has left the state it is in. */
    async until(taskId: string, ...statuses: readonly string[]): Promise<Told> {
      let testIsOver = false;
      onTestFinished(() => {
        testIsOver = true;
      });
      let task!: Told;
      await eventually(async () => {
        task = await get(taskId);
        const isOver = ['completed', 'failed', 'cancelled'].includes(task.status);
        if (testIsOver || (isOver && !statuses.includes(task.status))) throw new Error(JSON.stringify(task));
        return statuses.includes(task.status);
      });
      return task;
    },
  };
}

const sure: Handler = async call => {
  const answer = await call.elicit({ message: 'Sure?', form: Boolean });
  return answer.action === 'accept'
    ? `accept ${answer.content}`
    : `${answer.action} ${'reason' in answer ? answer.reason : ''}`;
};

describe.each(few(['memory', 'http'], 'http'))('a task over %s', carrier => {
  it('ext-tasks-06, ext-tasks-07, ext-tasks-09, ext-tasks-10, ext-tasks-15, ext-tasks-16, ext-tasks-17, ext-tasks-19, ext-tasks-22, ext-tasks-30, ext-tasks-34, ext-tasks-53: a task asks, takes the answer, and keeps the result', async () => {
    const { call, until, update } = await client(serverOf(sure, { task: 'always' }), carrier);
    const created = await call();
    expect(created.result).toMatchObject({ resultType: 'task', status: 'working' });
    expect(created.result).not.toHaveProperty('requestState');
    const { taskId } = told(created);
    const asking = await until(taskId, 'input_required');
    const [asked] = Object.keys(asking.inputRequests ?? {});
    expect(acknowledged(await update(taskId, { [asked!]: yes }))).toEqual({ resultType: 'complete' });
    const done = await until(taskId, 'completed');
    expect(textOf(done)).toBe('accept true');
    expect(textOf(await until(taskId, 'completed'))).toBe('accept true');
  });

  it('a task is one step of one call, however often it is answered', async () => {
    let booked = 0;
    const book: Handler = async call => {
      const answer = await call.elicit({ message: 'Book?', form: Boolean });
      if (answer.action !== 'accept') return 'nothing';
      await call.step('book', () => ++booked);
      return 'booked';
    };
    const { call, until, update } = await client(serverOf(book, { task: 'always' }), carrier);
    const { taskId } = told(await call());
    const [asked] = Object.keys((await until(taskId, 'input_required')).inputRequests ?? {});
    await Promise.all(Array.from({ length: 5 }, () => update(taskId, { [asked!]: yes })));
    expect(textOf(await until(taskId, 'completed'))).toBe('booked');
    await update(taskId, { [asked!]: { action: 'decline' } });
    expect(textOf(await until(taskId, 'completed'))).toBe('booked');
    expect(booked).toBe(1);
  });

  it('ext-tasks-11, ext-tasks-27, ext-tasks-28, ext-tasks-29: a task goes on for forty questions, of which the first rounds are those of any call', async () => {
    const wizard: Handler = async call => {
      const given: string[] = [];
      for (let n = 1; n <= 40; n += 1) {
        const answer = await call.elicit({ message: `Question ${n}?`, form: Boolean });
        given.push(answer.action);
      }
      return String(given.filter(action => action === 'accept').length);
    };
    const { call, until, update } = await client(serverOf(wizard), carrier);
    let reply = await call();
    let rounds = 0;
    for (; reply.result?.resultType === 'input_required'; rounds += 1) {
      const { inputRequests = {}, requestState } = reply.result;
      const [asked] = Object.keys(inputRequests);
      reply = await call({ inputResponses: { [asked!]: yes }, requestState });
    }
    expect(rounds).toBe(9);
    const { taskId } = told(reply);
    const keys = new Set<string>();
    for (;;) {
      const task = await until(taskId, 'input_required', 'completed');
      if (task.status === 'completed') {
        expect(textOf(task)).toBe('40');
        break;
      }
      const [asked] = Object.keys(task.inputRequests ?? {});
      expect(keys.has(asked!)).toBe(false);
      keys.add(asked!);
      await update(taskId, { [asked!]: yes });
    }
    expect(keys.size).toBe(31);
  });
});

describe('a task', () => {
  it('ext-tasks-18, ext-tasks-33: a task keeps waiting for what is unanswered, and tells no more of what is answered', async () => {
    const both: Handler = async call => {
      const [a, b] = await Promise.all([
        call.elicit({ message: 'A?', form: Boolean }),
        call.elicit({ message: 'B?', form: Boolean }),
      ]);
      return `${a.action} ${b.action}`;
    };
    const { call, until, update, get } = await client(serverOf(both, { task: 'always' }));
    const { taskId } = told(await call());
    const [first, second] = Object.keys((await until(taskId, 'input_required')).inputRequests ?? {});
    await update(taskId, { [first!]: yes, 'never-asked': yes });
    const after = await get(taskId);
    expect(after.status).toBe('input_required');
    expect(Object.keys(after.inputRequests ?? {})).toEqual([second]);
    await update(taskId, { [second!]: { action: 'decline' } });
    expect(textOf(await until(taskId, 'completed'))).toBe('accept decline');
  });

  it('a task ends a question whose time is up, and goes on', async () => {
    const clock = handClock();
    const ask: Handler = async call => {
      const answer = await call.elicit({ message: 'Sure?', form: Boolean, timeoutMs: 3 * 24 * 60 * 60_000 });
      return `${answer.action} ${'reason' in answer ? answer.reason : ''}`;
    };
    const { call, until } = await client(serverOf(ask, { task: 'always', clock }));
    const { taskId } = told(await call());
    await until(taskId, 'input_required');
    clock.move(3 * 24 * 60 * 60_000 + 2);
    expect(textOf(await until(taskId, 'completed'))).toBe('cancel timeout');
  });

  it('ext-tasks-20, ext-tasks-36, ext-tasks-38: a task is cancelled while it waits', async () => {
    const events: AuditEvent[] = [];
    const { call, until, cancel, update } = await client(
      serverOf(sure, { task: 'always', audit: e => events.push(e) }),
    );
    const { taskId } = told(await call());
    const [asked] = Object.keys((await until(taskId, 'input_required')).inputRequests ?? {});
    expect(acknowledged(await cancel(taskId))).toEqual({ resultType: 'complete' });
    expect((await until(taskId, 'cancelled')).inputRequests).toBeUndefined();
    await update(taskId, { [asked!]: yes });
    expect((await until(taskId, 'cancelled')).result).toBeUndefined();
    expect(events.filter(event => event.kind === 'ended').map(event => event.outcome)).toEqual(['cancelled']);
  });

  it('a task is cancelled while it works: its step is told, and nothing else begins', async () => {
    let [stopped, after] = [false, false];
    const work: Handler = async call => {
      await call.step(
        'long',
        ({ signal }) =>
          new Promise<null>(resolve => {
            signal.addEventListener('abort', () => {
              stopped = true;
              resolve(null);
            });
          }),
      );
      await call.step('next', () => {
        after = true;
        return null;
      });
      return 'done';
    };
    const { call, until, cancel } = await client(serverOf(work, { task: 'always' }));
    const { taskId } = told(await call());
    await until(taskId, 'working');
    await new Promise(resolve => setImmediate(resolve));
    await cancel(taskId);
    await until(taskId, 'cancelled');
    expect([stopped, after]).toEqual([true, false]);
  });

  it('a call becomes a task where it runs long, also between its questions', async () => {
    const clock = handClock();
    let begun = (): void => {};
    const begins = new Promise<void>(resolve => {
      begun = resolve;
    });
    let release = (): void => {};
    const gate = new Promise<void>(resolve => {
      release = resolve;
    });
    const work: Handler = async call => {
      const answer = await call.elicit({ message: 'Sure?', form: Boolean });
      await call.step('long', async () => {
        begun();
        await gate;
        return null;
      });
      const again = await call.elicit({ message: 'Really?', form: Boolean });
      return `${answer.action} ${again.action}`;
    };
    const { call, until, update } = await client(serverOf(work, { clock }));
    let reply = await call();
    const [asked] = Object.keys(reply.result?.inputRequests ?? {});
    const retried = call({ inputResponses: { [asked!]: yes }, requestState: reply.result?.requestState });
    await begins;
    clock.move(20_000);
    reply = await retried;
    expect(reply.result).toMatchObject({ resultType: 'task', status: 'working' });
    const { taskId } = told(reply);
    release();
    const [next] = Object.keys((await until(taskId, 'input_required')).inputRequests ?? {});
    await update(taskId, { [next!]: yes });
    expect(textOf(await until(taskId, 'completed'))).toBe('accept accept');
  });

  it('a task goes on in another process that has the same store and key', async () => {
    const store = memoryStore();
    let booked = 0;
    const book: Handler = async call => {
      await call.step('quote', () => ++booked);
      const answer = await call.elicit({ message: 'Book?', form: Boolean });
      await call.step('book', () => ++booked);
      return answer.action;
    };
    const before = await client(serverOf(book, { task: 'always', store }));
    const { taskId } = told(await before.call());
    const [asked] = Object.keys((await before.until(taskId, 'input_required')).inputRequests ?? {});
    const after = await client(serverOf(book, { task: 'always', store }));
    await after.update(taskId, { [asked!]: yes });
    expect(textOf(await after.until(taskId, 'completed'))).toBe('accept');
    expect(textOf(await before.until(taskId, 'completed'))).toBe('accept');
    expect(booked).toBe(2);
  });

  it('ext-tasks-55: a task does not exist for another person, nor for nobody', async () => {
    const http = {
      authenticate: (request: Request) => {
        const token = request.headers.get('authorization')?.slice('Bearer '.length) ?? '';
        return { token, clientId: 'same', scopes: [], extra: { subject: token } };
      },
    };
    const principal: MidcallOptions['principal'] = ctx => ({
      issuer: 'https://login.example',
      subject: String(ctx.http?.authInfo?.extra?.['subject']),
    });
    const factory = serverOf(sure, { task: 'always', principal });
    const { send } = await client(factory, 'http', http);
    const { taskId } = told(await send('tools/call', { name: 'act', arguments: {} }, { capabilities, token: 'alice' }));
    const as = (token: string, method: string) =>
      send(method, { taskId, ...(method === 'tasks/update' && { inputResponses: {} }) }, { capabilities, token });
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const theirs = await as('mallory', method);
      expect(theirs.error).toMatchObject({ code: -32602, message: expect.stringContaining('Unknown task') });
    }
    expect((await as('alice', 'tasks/get')).result).toMatchObject({ taskId });
  });

  it('ext-tasks-31, ext-tasks-37, ext-tasks-42, ext-tasks-43, ext-tasks-46, ext-tasks-47: a task is unknown where it never was, and refused to a client without tasks', async () => {
    const { send } = await client(serverOf(sure));
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const params = { taskId: 'no-such-task', inputResponses: {} };
      expect((await send(method, params)).error).toMatchObject({ code: -32602 });
      const without = await send(method, params, { capabilities: { elicitation: {} } });
      expect(without.error).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { extensions: { [extension]: {} } } },
      });
    }
  });

  it('a task is one of two hundred at most that a client has open', async () => {
    const { call, cancel, until } = await client(serverOf(sure, { task: 'always' }));
    const made: string[] = [];
    for (let n = 0; n < 200; n += 1) made.push(told(await call()).taskId);
    const refused = await call();
    expect(refused.error?.message).toContain('200 unfinished tasks');
    await cancel(made[0]!);
    await until(made[0]!, 'cancelled');
    const again = await call();
    expect(again.error?.message).toBeUndefined();
    expect(again.result?.resultType).toBe('task');
  });

  it('ext-tasks-60, ext-tasks-62, ext-tasks-63, ext-tasks-64, ext-tasks-65: a task is no task of 2025-11-25: what that revision has for tasks is unknown', async () => {
    const { send } = await client(serverOf(sure, { task: 'always' }));
    const discovered = (await send('server/discover', {})).result as unknown as { readonly capabilities: object };
    expect(discovered.capabilities).toMatchObject({ extensions: { [extension]: {} } });
    expect(discovered.capabilities).not.toHaveProperty('tasks');
    const older = { elicitation: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
    const call = { name: 'act', arguments: {}, task: { ttl: 'no number' } };
    const rounds = await send('tools/call', call, { capabilities: older });
    expect(rounds.result?.resultType).toBe('input_required');
    const { taskId, ttlMs } = (await send('tools/call', { ...call, task: { ttl: 1 } })).result as unknown as Told & {
      readonly ttlMs: number;
    };
    expect(ttlMs).toBeGreaterThan(1);
    for (const method of ['tasks/get', 'tasks/cancel'])
      expect((await send(method, { taskId }, { capabilities: older })).error?.code).toBe(-32021);
    for (const method of ['tasks/result', 'tasks/list'])
      expect((await send(method, { taskId })).error?.code, method).toBe(-32601);
  });

  it('ext-tasks-01, ext-tasks-04: a task is refused where it is required and the client has none, and left out where it is not', async () => {
    const required = await client(serverOf(sure, { task: 'required' }));
    const params = { name: 'act', arguments: {} };
    const refused = await required.send('tools/call', params, { capabilities: { elicitation: {} } });
    expect(refused.error?.code).toBe(-32021);
    const always = await client(serverOf(sure, { task: 'always' }));
    const rounds = await always.send('tools/call', params, { capabilities: { elicitation: {} } });
    expect(rounds.result?.resultType).toBe('input_required');
  });

  it('a task is taken up where the process that ran it is gone', async () => {
    const [gone, clock] = [handClock(), handClock()];
    const store = memoryStore({ clock: { now: clock.now } });
    let begun = (): void => {};
    const begins = new Promise<void>(resolve => {
      begun = resolve;
    });
    let runs = 0;
    const work: Handler = async call =>
      await call.step(
        'work',
        () => {
          begun();
          runs += 1;
          return runs === 1 ? new Promise<string>(() => {}) : 'done';
        },
        { idempotent: true },
      );
    const mid = midcall({ key, warn: () => {}, store, clock: gone });
    const first = await client(serving(mid, work, 'always'));
    const { taskId } = told(await first.call());
    await begins;
    clock.move(60_000);
    const second = await client(serverOf(work, { task: 'always', store, clock }));
    expect(textOf(await second.until(taskId, 'completed'))).toBe('done');
    expect(runs).toBe(2);
  });

  it.each(['an answer that was in time', 'a deadline that has passed'])(
    'tasks-8: a task goes on with %s, though its server was away for a night',
    async what => {
      const [gone, clock] = [handClock(), handClock()];
      const store = memoryStore({ clock: { now: clock.now } });
      const mid = midcall({ key, warn: () => {}, store, clock: gone, suspectBelowMs: 0 });
      const first = await client(serving(mid, sure, 'always'));
      const { taskId } = told(await first.call());
      const { inputRequests } = await first.until(taskId, 'input_required');
      await mid.stop();
      if (what.startsWith('an answer')) await first.update(taskId, { [Object.keys(inputRequests!)[0]!]: yes });
      clock.move(12 * 60 * 60_000);
      const second = await client(serverOf(sure, { task: 'always', store, clock }));
      const done = await second.until(taskId, 'completed');
      expect(textOf(done)).toBe(what.startsWith('an answer') ? 'accept true' : 'cancel timeout');
    },
  );

  it('tasks-8: a task goes on for a night also where its rounds made it a task', async () => {
    const [gone, clock] = [handClock(), handClock()];
    const store = memoryStore({ clock: { now: clock.now } });
    const options = { store, suspectBelowMs: 0, maxRounds: 1 };
    const work: Handler = async call =>
      `${await sure(call)}, ${(await call.elicit({ message: 'Really?', form: Boolean })).action}`;
    const mid = midcall({ key, warn: () => {}, clock: gone, ...options });
    const first = await client(() => {
      const server = new McpServer({ name: 'notes', version: '1.0.0' });
      mid.tool(server, 'act', {}, async (_, call) => ({ content: [{ type: 'text', text: await work(call) }] }));
      return server;
    });
    const { inputRequests, requestState } = (await first.call()).result as unknown as Told & {
      readonly requestState: string;
    };
    const inputResponses = { [Object.keys(inputRequests!)[0]!]: yes };
    const { taskId } = told(await first.call({ inputResponses, requestState }));
    await first.until(taskId, 'input_required');
    await mid.stop();
    clock.move(12 * 60 * 60_000);
    const second = await client(serverOf(work, { ...options, clock }));
    expect(textOf(await second.until(taskId, 'completed'))).toBe('accept true, cancel');
  });

  it('a task takes its answer though the clock of its server is set back by an hour', async () => {
    const clock = handClock();
    const { call, until, update } = await client(
      serverOf(sure, { task: 'always', clock, store: memoryStore({ clock }) }),
    );
    const { taskId } = told(await call());
    const { inputRequests } = await until(taskId, 'input_required');
    clock.move(-60 * 60_000);
    await update(taskId, { [Object.keys(inputRequests!)[0]!]: yes });
    expect(textOf(await until(taskId, 'completed'))).toBe('accept true');
  });

  it('a task is told while its store can be read and not written, and takes its answer when it can', async () => {
    const memory = memoryStore();
    let isFull = false;
    const set: typeof memory.set = (...args) =>
      isFull ? Promise.reject(new Error('SQLITE_FULL: database or disk is full')) : memory.set(...args);
    const { call, until, update, get } = await client(serverOf(sure, { task: 'always', store: { ...memory, set } }));
    const { taskId } = told(await call());
    const { inputRequests } = await until(taskId, 'input_required');
    const answer = { [Object.keys(inputRequests!)[0]!]: yes };
    isFull = true;
    expect((await update(taskId, answer)).error).toMatchObject({ code: -32603 });
    expect((await get(taskId)).status).toBe('input_required');
    expect((await call()).error).toMatchObject({ code: -32603, message: expect.stringContaining('has not begun') });
    isFull = false;
    expect(acknowledged(await update(taskId, answer))).toEqual({ resultType: 'complete' });
    expect(textOf(await until(taskId, 'completed'))).toBe('accept true');
  });

  it('a task is neither changed nor stored again and again by a flood of answers to what it never asked', async () => {
    const memory = memoryStore();
    let written = 0;
    const set: typeof memory.set = (name, ...rest) => {
      if (name.startsWith('task:')) written += 1;
      return memory.set(name, ...rest);
    };
    const { call, until, update } = await client(serverOf(sure, { task: 'always', store: { ...memory, set } }));
    const { taskId } = told(await call());
    const before = await until(taskId, 'input_required');
    const [asked] = Object.keys(before.inputRequests!);
    const junk = JSON.parse(`{"__proto__":{"action":"accept"},"constructor":{"action":"accept"}}`);
    for (let n = 0; n < 2_000; n += 1) junk[`${asked}-${n}`] = yes;
    const already = written;
    const floods = await Promise.all(Array.from({ length: 100 }, () => update(taskId, junk)));
    for (const reply of floods) expect(acknowledged(reply)).toEqual({ resultType: 'complete' });
    // What the server itself still writes of the turn that has just ended is next to nothing beside a hundred updates.
    expect(written - already).toBeLessThan(10);
    expect((await until(taskId, 'input_required')).inputRequests).toEqual(before.inputRequests);
    await update(taskId, { ...junk, [asked!]: yes });
    expect(textOf(await until(taskId, 'completed'))).toBe('accept true');
  });

  it('a task has no id of a megabyte, and no error repeats one', async () => {
    const { send } = await client(serverOf(sure));
    const ids = [
      'x'.repeat(1_000_000),
      'x'.repeat(201),
      '\u202E'.repeat(200),
      '__proto__',
      '../journal',
      '',
      7,
      null,
      ['a'],
    ];
    for (const taskId of ids) {
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
        const { error } = await send(method, { taskId, inputResponses: {} });
        expect(error).toMatchObject({ code: -32602 });
        expect(JSON.stringify(error).length).toBeLessThan(500);
        expect(JSON.stringify(error)).not.toMatch(/\u202E|xxx/);
      }
    }
  });

  it.each(few(['memory', 'http'], 'http'))(
    'ext-tasks-47: a task says over %s what an update lacks that has no answers, and takes none of one that is malformed',
    async carrier => {
      const both: Handler = async call => {
        const [a, b] = await Promise.all([
          call.elicit({ message: 'Sure?', form: Boolean }),
          call.elicit({ message: 'Really?', form: Boolean }),
        ]);
        return `${a.action} ${b.action}`;
      };
      const { call, send, until, get, update } = await client(serverOf(both, { task: 'always' }), carrier);
      const { taskId } = told(await call());
      const [one, other] = Object.keys((await until(taskId, 'input_required')).inputRequests ?? {});
      for (const inputResponses of [undefined, null, 'yes', 7, true, [], [yes]]) {
        const { error } = await send('tasks/update', { taskId, inputResponses });
        expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('needs inputResponses') });
      }
      for (const malformed of [null, 'no answer at all', [yes], { method: 'elicitation/create', result: yes }]) {
        const { error } = await send('tasks/update', {
          taskId,
          inputResponses: { [one!]: malformed, [other!]: yes, unknown: yes },
        });
        expect(error).toMatchObject({
          code: -32602,
          message: expect.stringContaining(`inputResponses.${one} must be the result`),
        });
      }
      expect(Object.keys((await get(taskId)).inputRequests ?? {})).toEqual([one, other]);
      // What was never asked is ignored, whatever it is.
      expect(acknowledged(await update(taskId, { unknown: 7, [one!]: yes }))).toEqual({ resultType: 'complete' });
      expect(acknowledged(await update(taskId, { [one!]: 'again', [other!]: yes }))).toEqual({
        resultType: 'complete',
      });
      expect(textOf(await until(taskId, 'completed'))).toBe('accept accept');
    },
  );

  it('tasks-7: a task stays cancelled, and runs nothing more, where its process dies before the step that was under way has ended', async () => {
    const [gone, clock] = [handClock(), handClock()];
    const store = memoryStore({ clock: { now: clock.now } });
    let begun = (): void => {};
    const begins = new Promise<void>(resolve => {
      begun = resolve;
    });
    let runs = 0;
    const work: Handler = async call => {
      runs += 1;
      begun();
      return call.step('work', () => new Promise<string>(() => {}), { idempotent: true });
    };
    // Never closed: it dies.
    const mid = midcall({ key, warn: () => {}, store, clock: gone });
    const first = await client(serving(mid, work, 'always'));
    const { taskId } = told(await first.call());
    await begins;
    expect(acknowledged(await first.cancel(taskId))).toEqual({ resultType: 'complete' });
    expect((await first.get(taskId)).status).toBe('working');
    clock.move(60_000);
    const second = await client(serverOf(work, { task: 'always', store, clock }));
    await second.until(taskId, 'cancelled');
    expect(runs).toBe(1);
  });

  it('a task has failed, whoever looks, where the process is gone in which its first run was', async () => {
    const [gone, clock] = [handClock(), handClock()];
    const store = memoryStore({ clock: { now: clock.now } });
    let begun = (): void => {};
    const begins = new Promise<void>(resolve => {
      begun = resolve;
    });
    const work: Handler = call =>
      call.step('work', () => {
        begun();
        return new Promise<string>(() => {});
      });
    const mid = midcall({ key, warn: () => {}, store, clock: gone });
    const first = await client(() => {
      const server = new McpServer({ name: 'notes', version: '1.0.0' });
      mid.tool(server, 'act', {}, async (_, call) => ({ content: [{ type: 'text', text: await work(call) }] }));
      return server;
    });
    const called = first.call();
    await begins;
    gone.move(20_000);
    const { taskId } = told(await called);
    const second = await client(serverOf(work, { store, clock }));
    expect((await second.get(taskId)).status).toBe('working');
    let failed: Told;
    do {
      clock.move(60_000);
      await new Promise(resolve => setImmediate(resolve));
      failed = await second.get(taskId);
    } while (failed.status === 'working');
    expect(failed.error?.message).toContain('cannot tell what took effect');
  });

  it('ext-tasks-08, ext-tasks-50, ext-tasks-51: a task is completed where the tool says that it failed, or throws', async () => {
    const { call, until } = await client(serverOf(() => Promise.reject(new Error('It broke.')), { task: 'always' }));
    const done = await until(told(await call()).taskId, 'completed', 'failed');
    expect(done).toMatchObject({ status: 'completed', result: { isError: true, content: [{ text: 'It broke.' }] } });
    expect(done.error).toBeUndefined();
  });

  it('ext-tasks-21, ext-tasks-48, ext-tasks-49, ext-tasks-52: a task has failed with the very error of its request', async () => {
    const required = { requiredCapabilities: { sampling: {} } };
    const lacking: Handler = () => {
      throw new MissingRequiredClientCapabilityError(required, 'It needs a model.');
    };
    const { call, until } = await client(serverOf(lacking, { task: 'always' }));
    const failed = await until(told(await call()).taskId, 'completed', 'failed');
    expect(failed).toMatchObject({
      status: 'failed',
      statusMessage: 'It needs a model.',
      error: { code: -32021, message: 'It needs a model.', data: required },
    });
    expect(failed.result).toBeUndefined();
  });

  it('ext-tasks-54: a task has an id of 128 random bits', async () => {
    const { call } = await client(serverOf(sure, { task: 'always' }));
    const ids = new Set<string>();
    for (let n = 0; n < 20; n += 1) ids.add(told(await call()).taskId);
    expect(ids.size).toBe(20);
    for (const id of ids) expect(Buffer.from(id, 'base64url')).toHaveLength(16);
  });

  it('ext-tasks-44: a task is an internal error where the store is away, and is there again when the store is', async () => {
    const held = memoryStore();
    let away = false;
    const store = {
      ...held,
      get: (key: string) => (away ? Promise.reject(new Error('connection lost')) : held.get(key)),
    };
    const { call, until, send, update } = await client(serverOf(sure, { task: 'always', store }));
    const { taskId } = told(await call());
    const [asked] = Object.keys((await until(taskId, 'input_required')).inputRequests ?? {});
    away = true;
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const failed = await send(method, {
        taskId,
        ...(method === 'tasks/update' && { inputResponses: { [asked!]: yes } }),
      });
      expect(failed.error).toMatchObject({
        code: -32603,
        message: expect.stringContaining('cannot reach its store'),
      });
    }
    away = false;
    await update(taskId, { [asked!]: yes });
    expect(textOf(await until(taskId, 'completed'))).toBe('accept true');
  });

  it('a task is not said to be there still where the store is damaged', async () => {
    const held = memoryStore();
    let damaged = false;
    const corrupt = () => Promise.reject(new MidcallError('store/corrupt', 'The file /srv/canary.db is damaged.'));
    const store = { ...held, get: (key: string) => (damaged ? corrupt() : held.get(key)) };
    const { call, until, send } = await client(serverOf(sure, { task: 'always', store }));
    const { taskId } = told(await call());
    await until(taskId, 'input_required');
    damaged = true;
    const { error } = await send('tasks/get', { taskId });
    expect(error).toMatchObject({ code: -32603, message: expect.stringContaining('cannot read its store') });
    expect(JSON.stringify(error)).not.toMatch(/still there|canary/u);
  });

  it('a task is unknown to every message once its time is up', async () => {
    const clock = handClock();
    const { call, until, send } = await client(serverOf(sure, { task: 'always', clock }));
    const { taskId } = told(await call());
    await until(taskId, 'input_required');
    clock.move(7 * 24 * 60 * 60_000 + 1);
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const expired = await send(method, { taskId, ...(method === 'tasks/update' && { inputResponses: {} }) });
      expect(expired.error).toMatchObject({ code: -32602, message: expect.stringContaining('it has expired') });
    }
  });

  it('a task takes no answer to a question whose time is up, and goes on without it', async () => {
    const clock = handClock();
    const asks: Handler = async call => {
      const first = await call.elicit({ message: 'Sure?', form: Boolean, timeoutMs: 60_000 });
      const second = await call.elicit({ message: 'Really?', form: Boolean });
      return `${first.action} ${second.action}`;
    };
    const { call, until, update } = await client(serverOf(asks, { task: 'always', clock }));
    const { taskId } = told(await call());
    const [first] = Object.keys((await until(taskId, 'input_required')).inputRequests ?? {});
    clock.move(60_002);
    let second: string | undefined;
    do {
      await new Promise(resolve => setImmediate(resolve));
      [second] = Object.keys((await until(taskId, 'input_required')).inputRequests ?? {});
    } while (second === first);
    expect(acknowledged(await update(taskId, { [first!]: yes }))).toEqual({ resultType: 'complete' });
    await update(taskId, { [second!]: yes });
    expect(textOf(await until(taskId, 'completed'))).toBe('cancel accept');
  });

  it.each(['is being run', 'was cut off'])(
    'tasks-6: a task goes on without an answer that comes when the deadline of its question has begun a turn, which %s elsewhere',
    async how => {
      const [first, second] = [handClock(), handClock()];
      const store = memoryStore({ clock: { now: second.now } });
      const isCut = how === 'was cut off';
      let [begun, release] = [() => {}, () => {}];
      const begins = new Promise<void>(resolve => {
        begun = resolve;
      });
      const gate = new Promise<void>(resolve => {
        release = resolve;
      });
      let runs = 0;
      const ask: Handler = async call => {
        const answer = await call.elicit({ message: 'Sure?', form: Boolean, timeoutMs: 60_000 });
        const note = async (): Promise<string> => {
          runs += 1;
          begun();
          if (runs === 1) await (isCut ? new Promise(() => {}) : gate);
          return answer.action;
        };
        return call.step('note', note, { idempotent: true });
      };
      const mid = midcall({ key, suspectBelowMs: 0, warn: () => {}, store, clock: first });
      if (!isCut) open.push({ [Symbol.asyncDispose]: () => mid.stop() });
      const one = await client(serving(mid, ask, 'always'));
      const { taskId } = told(await one.call());
      const [asked] = Object.keys((await one.until(taskId, 'input_required')).inputRequests ?? {});
      first.move(60_002);
      second.move(60_002);
      await begins;
      // Where it only waits for the other one, it does so in real time, and is not held up when it closes.
      const after = isCut ? second.after : systemClock.after;
      const two = await client(serverOf(ask, { task: 'always', store, clock: { now: second.now, after } }));
      open.push({ [Symbol.asyncDispose]: async () => release() });
      await two.update(taskId, { [asked!]: yes });
      // The time of a cut one's turn passes below, a second at a time: a leap would be too long for what the store is doing just now.
      if (!isCut) {
        for (let look = 0; look < 50; look += 1) {
          await new Promise(resolve => setImmediate(resolve));
          expect((await two.get(taskId)).error).toBeUndefined();
        }
        release();
      }
      let task = await two.get(taskId);
      for (let looks = 0; looks < 500 && !['completed', 'failed'].includes(task.status); looks += 1) {
        second.move(1_000);
        await new Promise(resolve => setImmediate(resolve));
        task = await two.get(taskId);
      }
      expect(task.error).toBeUndefined();
      expect(textOf(task)).toBe('cancel');
      expect(runs).toBe(isCut ? 2 : 1);
    },
  );

  it('tasks-6: a task asks nothing anew that is answered while the deadline of another question is being acted on', async () => {
    const clock = handClock();
    let [begun, release] = [() => {}, () => {}];
    const begins = new Promise<void>(resolve => {
      begun = resolve;
    });
    const gate = new Promise<void>(resolve => {
      release = resolve;
    });
    const both: Handler = async call => {
      const first = call.elicit({ message: 'A?', form: Boolean, timeoutMs: 60_000 }).then(answer =>
        call.step('note', async () => {
          begun();
          await gate;
          return answer.action;
        }),
      );
      const second = call.elicit({ message: 'B?', form: Boolean, timeoutMs: 3_600_000 });
      const [a, b] = await Promise.all([first, second]);
      return `${a} ${b.action}`;
    };
    const { call, until, update } = await client(serverOf(both, { task: 'always', clock }));
    open.push({ [Symbol.asyncDispose]: async () => release() });
    const { taskId } = told(await call());
    const [, later] = Object.keys((await until(taskId, 'input_required')).inputRequests ?? {});
    clock.move(60_002);
    await begins;
    expect(acknowledged(await update(taskId, { [later!]: yes }))).toEqual({ resultType: 'complete' });
    release();
    expect(textOf(await until(taskId, 'completed'))).toBe('cancel accept');
  });

  it('a task takes one of two different answers that come at once, and runs on once', async () => {
    const answers: string[] = [];
    const ask: Handler = async call => {
      const answer = await call.elicit({ message: 'Sure?', form: Boolean });
      await call.step('note', () => answers.push(answer.action));
      return answer.action;
    };
    const { call, until, update } = await client(serverOf(ask, { task: 'always' }));
    const { taskId } = told(await call());
    const [asked] = Object.keys((await until(taskId, 'input_required')).inputRequests ?? {});
    const both = await Promise.all([
      update(taskId, { [asked!]: yes }),
      update(taskId, { [asked!]: { action: 'decline' } }),
    ]);
    for (const each of both) expect(acknowledged(each)).toEqual({ resultType: 'complete' });
    const done = await until(taskId, 'completed');
    expect(answers).toEqual([textOf(done)]);
  });

  it('a task has failed with a text where the server no longer has its tool', async () => {
    const [clock, still, store] = [handClock(), handClock(), memoryStore()];
    const before = await client(serverOf(sure, { task: 'always', store, clock: still }));
    const { taskId } = told(await before.call());
    const [asked] = Object.keys((await before.until(taskId, 'input_required')).inputRequests ?? {});
    const mid = midcall({ key, warn: () => {}, store, clock });
    open.push({ [Symbol.asyncDispose]: () => mid.stop() });
    const after = await client(() => {
      const server = new McpServer({ name: 'notes', version: '1.0.0' });
      mid.tool(server, 'other', { task: 'always' }, () => ({ content: [] }));
      return server;
    });
    await after.update(taskId, { [asked!]: yes });
    let task: Told;
    do {
      clock.move(20_000);
      await new Promise(resolve => setImmediate(resolve));
      task = await after.get(taskId);
    } while (task.status === 'working');
    expect(task).toMatchObject({
      status: 'failed',
      error: { code: -32602, message: expect.stringContaining("no longer has the tool 'act'") },
    });
  });

  it('a task has failed with the reason where its tool is of another version', async () => {
    const store = memoryStore();
    const versioned = (version: string): McpServerFactory => {
      const mid = midcall({ key, suspectBelowMs: 0, warn: () => {}, store });
      open.push({ [Symbol.asyncDispose]: () => mid.stop() });
      return () => {
        const server = new McpServer({ name: 'notes', version: '1.0.0' });
        mid.tool(server, 'act', { task: 'always', version }, async (_, call) => ({
          content: [{ type: 'text', text: await sure(call) }],
        }));
        return server;
      };
    };
    const before = await client(versioned('1'));
    const { taskId } = told(await before.call());
    const [asked] = Object.keys((await before.until(taskId, 'input_required')).inputRequests ?? {});
    const after = await client(versioned('2'));
    await after.update(taskId, { [asked!]: yes });
    expect(await after.until(taskId, 'failed')).toMatchObject({
      error: { code: -32602, data: { reason: 'handler_changed' }, message: expect.stringContaining('has changed') },
    });
  });

  it('a task keeps what came of a run while the store is away, and runs nothing a second time', async () => {
    const [clock, held] = [handClock(), memoryStore()];
    let away = false;
    const store = {
      ...held,
      set: (...args: Parameters<typeof held.set>) =>
        away && args[0].startsWith('task:') ? Promise.reject(new Error('connection lost')) : held.set(...args),
    };
    const booked: string[] = [];
    let runs = 0;
    const book: Handler = async call => {
      runs += 1;
      const answer = await call.elicit({ message: 'Book?', form: Boolean });
      await call.step('book', () => {
        booked.push(answer.action);
        away = true;
        return null;
      });
      return 'booked';
    };
    const options = { task: 'always', store, clock } as const;
    const { call, until, update, get } = await client(serverOf(book, options));
    const { taskId } = told(await call());
    const [asked] = Object.keys((await until(taskId, 'input_required')).inputRequests ?? {});
    await update(taskId, { [asked!]: yes });
    for (let look = 0; look < 5; look += 1) {
      clock.move(1_000);
      await new Promise(resolve => setImmediate(resolve));
      expect((await get(taskId)).status).toBe('working');
    }
    away = false;
    let task: Told;
    do {
      clock.move(10_000);
      await new Promise(resolve => setImmediate(resolve));
      task = await get(taskId);
    } while (task.status === 'working');
    expect(textOf(task)).toBe('booked');
    expect([booked, runs]).toEqual([['accept'], 2]);
  });
});
