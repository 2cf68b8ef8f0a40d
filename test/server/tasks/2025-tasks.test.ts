/** Tasks as 2025-11-25 has them (basic/utilities/tasks), as a client sees them that is nothing but its frames. */
import { readFileSync } from 'node:fs';
import { type Call, type MidcallOptions, midcall, type ToolConfig, textOf } from '@midcall/server';
import type { HttpOptions } from '@midcall/server/http';
import { serveHttp } from '@midcall/server/node';
import { memoryStore } from '@midcall/server/stores/memory';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  InMemoryTransport,
  type JSONRPCMessage,
  McpServer,
  type McpServerFactory,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventually, grown } from '../../fixtures/grown.ts';
import { handClock } from '../../host/clock.ts';

const key = 'vk1N2yLr0Zc0m7B1nPqf3sT5uW8xY+A2bC4dE6gH8iI=';
const related = 'io.modelcontextprotocol/related-task';
type Mode = NonNullable<ToolConfig<undefined>['task']>;
type Params = Readonly<Record<string, unknown>>;

interface Frame {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Params & { readonly _meta?: Params };
  // biome-ignore lint/suspicious/noExplicitAny: results differ by method
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const transports = {
  async memory(factory: McpServerFactory): Promise<Transport> {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const served = serveStdio(factory, { transport: far });
    closers.push(() => served.close());
    return near;
  },
  async http(factory: McpServerFactory, http: HttpOptions = {}, token = ''): Promise<Transport> {
    const serving = await serveHttp(factory, { port: 0, ...http });
    closers.push(() => serving.stop({ within: 0 }));
    return httpTransport(serving.url, token);
  },
};

const httpTransport = (url: URL, token: string): Transport =>
  new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } });

type Answer = (question: Frame) => Params | Promise<Params>;

async function connect(transport: Transport, answer: Answer, version = '2025-11-25', extensions?: Params) {
  const received: Frame[] = [];
  const questions: Frame[] = [];
  const waiting = new Map<unknown, (frame: Frame) => void>();
  transport.onmessage = async message => {
    const frame = message as Frame;
    received.push(frame);
    if (frame.method === undefined) waiting.get(frame.id)?.(frame);
    else if (frame.id !== undefined) {
      questions.push(frame);
      const result = await answer(frame);
      await transport.send({ jsonrpc: '2.0', id: frame.id, result } as JSONRPCMessage);
    }
  };
  await transport.start();
  closers.push(() => transport.close());
  let id = 0;
  const request = (method: string, params: Params = {}): Promise<Frame> =>
    new Promise(resolve => {
      id += 1;
      waiting.set(id, resolve);
      void transport.send({ jsonrpc: '2.0', id, method, params } as JSONRPCMessage);
    });
  const hello = await request('initialize', {
    protocolVersion: version,
    capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, ...(extensions && { extensions }) },
    clientInfo: { name: 'bare', version: '1.0.0' },
  });
  transport.setProtocolVersion?.(version);
  await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const call = (task: unknown = {}, name = 'act') => request('tools/call', { name, arguments: {}, task });
  return {
    hello,
    received,
    questions,
    request,
    call,
    begin: async (task: unknown = {}): Promise<string> => (await call(task)).result.task.taskId,
    get: async (taskId: string) => (await request('tasks/get', { taskId })).result,
    async until(taskId: string, ...statuses: string[]) {
      for (;;) {
        const { result } = await request('tasks/get', { taskId });
        if (statuses.includes(result.status)) return result;
        await new Promise(resolve => setImmediate(resolve));
      }
    },
    /** Asks for the result, and is away before it is there. */
    leave: (method: string, params: Params) => {
      id += 1;
      void transport.send({ jsonrpc: '2.0', id, method, params } as JSONRPCMessage);
      const requestId = id;
      return () =>
        transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } } as JSONRPCMessage);
    },
  };
}

const week = 7 * 24 * 60 * 60_000;
const sure = async (call: Call) => {
  const answer = await call.elicit({ message: 'Sure?', form: Boolean });
  return answer.action === 'accept' ? `accept ${answer.content}` : answer.action;
};
const yes: Answer = () => ({ action: 'accept', content: { value: true } });

function serverOf(handler: (call: Call) => Promise<string>, options: MidcallOptions & { task?: Mode } = {}) {
  const { task, ...rest } = options;
  const mid = midcall({ key, suspectBelowMs: 0, warn: () => {}, ...rest });
  closers.push(() => mid.stop());
  return (): McpServer => {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    mid.tool(server, 'act', { ...(task && { task }) }, async (_, call) => ({
      content: [{ type: 'text', text: await handler(call) }],
    }));
    mid.tool(server, 'never', { task: 'never' }, () => ({ content: [] }));
    mid.tool(server, 'required', { task: 'required' }, () => ({ content: [] }));
    server.registerTool('plain', { inputSchema: z.object({}) }, () => ({ content: [] }));
    return server;
  };
}

describe.each(['memory', 'http'] as const)('a task of 2025-11-25 over %s', carrier => {
  const open = async (factory: McpServerFactory, answer: Answer = yes) =>
    connect(await transports[carrier](factory), answer);

  it('older-tasks-01: a task of 2025-11-25 is announced, and each tool says whether it takes one', async () => {
    const { hello, request } = await open(serverOf(sure));
    expect(hello.result.capabilities.tasks).toEqual({ list: {}, cancel: {}, requests: { tools: { call: {} } } });
    const { tools } = (await request('tools/list')).result;
    const support = tools.map((tool: { name: string; execution?: { taskSupport: string } }) => [
      tool.name,
      tool.execution?.taskSupport,
    ]);
    expect(Object.fromEntries(support)).toEqual({
      act: 'optional',
      never: 'forbidden',
      required: 'required',
      plain: undefined,
    });
  });

  it('older-tasks-13, older-tasks-16, older-tasks-24, older-tasks-25, older-tasks-26, older-tasks-27: a task of 2025-11-25 is told to its client when it begins', async () => {
    const { call } = await open(serverOf(sure));
    expect((await call({ ttl: 60_000 })).result.task).toEqual({
      taskId: expect.any(String),
      status: 'working',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
      lastUpdatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
      ttl: 60_000,
      pollInterval: 1_000,
    });
  });

  it('an answer that cannot be stored is asked for again with the next request for the result', async () => {
    const memory = memoryStore();
    let isAway = false;
    const set: typeof memory.set = (...args) =>
      isAway && args[0].startsWith('task:') ? Promise.reject(new Error('connection lost')) : memory.set(...args);
    const { begin, until, request, questions } = await open(serverOf(sure, { store: { ...memory, set } }), question => {
      isAway = questions.length === 1;
      return yes(question);
    });
    const taskId = await begin();
    await until(taskId, 'input_required');
    expect((await request('tasks/result', { taskId })).error?.message).toContain('try again');
    isAway = false;
    expect((await request('tasks/result', { taskId })).result.content[0].text).toBe('accept true');
    expect(questions).toHaveLength(2);
  });

  it('older-tasks-20, older-tasks-21, older-tasks-32, older-tasks-34: a task of 2025-11-25 asks by tasks/result, with the task in the request', async () => {
    const { begin, until, request, questions } = await open(serverOf(sure));
    const taskId = await begin();
    expect(await until(taskId, 'input_required')).not.toHaveProperty('inputRequests');
    expect(questions).toEqual([]);
    await request('tasks/result', { taskId });
    expect(questions).toMatchObject([
      { method: 'elicitation/create', params: { message: 'Sure?', _meta: { [related]: { taskId } } } },
    ]);
  });

  it('older-tasks-29, older-tasks-30, older-tasks-31, older-tasks-38, older-tasks-47: a task of 2025-11-25 gives its result by tasks/result, as often as it is asked for', async () => {
    const { call, request, get } = await open(serverOf(sure));
    const { taskId } = (await call({ ttl: 60_000 })).result.task;
    const { result } = await request('tasks/result', { taskId });
    expect(result).toEqual({ content: [{ type: 'text', text: 'accept true' }], _meta: { [related]: { taskId } } });
    const done = await get(taskId);
    expect(done).toMatchObject({ status: 'completed', ttl: 60_000 });
    const { tasks } = (await request('tasks/list')).result;
    for (const each of [done, ...tasks]) expect(JSON.stringify(each)).not.toContain(related);
    expect((await request('tasks/result', { taskId })).result).toEqual(result);
  });

  it('older-tasks-35, older-tasks-37: a task of 2025-11-25 is the one that taskId says, whatever else the request says', async () => {
    const { begin, request, until } = await open(serverOf(async () => 'done'));
    const [one, other] = [await begin(), await begin()];
    await until(one, 'completed');
    const asked = { taskId: one, _meta: { [related]: { taskId: other } } };
    expect((await request('tasks/get', asked)).result).toMatchObject({ taskId: one, status: 'completed' });
    expect((await request('tasks/result', asked)).result._meta).toEqual({ [related]: { taskId: one } });
    expect((await request('tasks/cancel', asked)).error).toMatchObject({ code: -32602 });
  });

  it('older-tasks-54: a task of 2025-11-25 has failed where its result says so, and the result is there', async () => {
    const { begin, request, until } = await open(
      serverOf(async () => {
        throw new Error('The disk is full.');
      }),
    );
    const taskId = await begin();
    expect(await until(taskId, 'failed')).toMatchObject({
      statusMessage: expect.stringContaining('reported an error'),
    });
    expect((await request('tasks/list')).result.tasks).toMatchObject([{ status: 'failed' }]);
    const { result } = await request('tasks/result', { taskId });
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('The disk is full.') }] });
  });

  it('a task of 2025-11-25 goes on for twenty questions, each asked once', async () => {
    const { begin, request, questions } = await open(
      serverOf(async call => {
        for (let n = 1; n <= 20; n += 1) {
          const answer = await call.elicit({ message: `Question ${n}?`, form: Boolean });
          if (answer.action !== 'accept') return `${n} ${answer.action}`;
        }
        return 'all';
      }),
    );
    const { result } = await request('tasks/result', { taskId: await begin() });
    expect(result.content[0].text).toBe('all');
    expect(questions.map(({ params }) => params!['message'])).toEqual(
      Array.from({ length: 20 }, (_, n) => `Question ${n + 1}?`),
    );
  });

  it('a task of 2025-11-25 keeps a question for the next request of the result, where the client was away before it answered', async () => {
    let answers = 0;
    const { begin, request, leave, questions } = await open(serverOf(sure), () => {
      answers += 1;
      return answers === 1 ? new Promise(() => {}) : { action: 'accept', content: { value: true } };
    });
    const taskId = await begin();
    const away = leave('tasks/result', { taskId });
    await grown(questions, list => list.length === 1);
    await away();
    const { result } = await request('tasks/result', { taskId });
    expect(result.content[0].text).toBe('accept true');
    expect(questions).toHaveLength(2);
  });

  it('older-tasks-43, older-tasks-45: a task of 2025-11-25 is cancelled before that is answered, and only once', async () => {
    const { begin, request, until } = await open(serverOf(sure));
    const taskId = await begin();
    await until(taskId, 'input_required');
    expect((await request('tasks/cancel', { taskId })).result).toMatchObject({ taskId, status: 'cancelled' });
    expect((await request('tasks/cancel', { taskId })).error).toMatchObject({ code: -32602 });
    expect((await request('tasks/result', { taskId })).error?.message).toContain('cancelled');
  });

  it('older-tasks-18, older-tasks-28, older-tasks-44, older-tasks-46: a task of 2025-11-25 stays cancelled, though its work comes to an end', async () => {
    let release = (): void => {};
    const begun: AbortSignal[] = [];
    const { begin, request, get } = await open(
      serverOf(call =>
        call.step('work', async () => {
          begun.push(call.signal);
          await new Promise<void>(resolve => {
            release = resolve;
          });
          return 'done';
        }),
      ),
    );
    const taskId = await begin();
    await grown(begun, list => list.length === 1);
    expect((await request('tasks/cancel', { taskId })).result.status).toBe('cancelled');
    await eventually(() => begun[0]?.aborted === true);
    release();
    expect((await get(taskId)).status).toBe('cancelled');
  });

  it('older-tasks-14, older-tasks-15, older-tasks-40, older-tasks-41, older-tasks-49: a task of 2025-11-25 is listed with the others of its owner, a page at a time', async () => {
    const { begin, request } = await open(serverOf(async () => 'done'));
    const made: string[] = [];
    for (let n = 0; n < 60; n += 1) made.push(await begin());
    const first = (await request('tasks/list')).result;
    expect(first.tasks).toHaveLength(50);
    const second = (await request('tasks/list', { cursor: first.nextCursor })).result;
    expect(second.nextCursor).toBeUndefined();
    expect([...first.tasks, ...second.tasks].map(({ taskId }: { taskId: string }) => taskId)).toEqual(made);
    expect((await request('tasks/list', { cursor: 'p-1' })).error).toMatchObject({ code: -32602 });
  });

  it('a task of 2025-11-25 is listed by no cursor that is not a text', async () => {
    const { request } = await open(serverOf(async () => 'done'));
    for (const cursor of [{ toString: 1 }, ['p0'], 0, null])
      expect((await request('tasks/list', { cursor })).error).toMatchObject({ code: -32602 });
  });

  it('older-tasks-17, older-tasks-23, older-tasks-39: a task of 2025-11-25 tells its client of each change', async () => {
    const { begin, received, request } = await open(serverOf(sure));
    const taskId = await begin();
    await grown(received, list => list.some(({ params }) => params?.['status'] === 'input_required'));
    await request('tasks/result', { taskId });
    await grown(received, list => list.some(({ params }) => params?.['status'] === 'completed'));
    const told = received.filter(({ method }) => method === 'notifications/tasks/status');
    expect(told[0]!.params).toMatchObject({ taskId, status: 'input_required', ttl: expect.any(Number) });
    expect(JSON.stringify(told)).not.toContain(related);
    const statuses = told.map(({ params }) => params?.['status']).filter((each, at, all) => each !== all[at - 1]);
    expect(statuses).toEqual(['input_required', 'working', 'completed']);
  });

  it('older-tasks-06, older-tasks-08: a task of 2025-11-25 is refused where the tool takes none or nothing else, and where the parameter is no task', async () => {
    const { call, request } = await open(serverOf(sure));
    for (const name of ['never', 'plain']) expect((await call({}, name)).error).toMatchObject({ code: -32601 });
    expect((await request('tools/call', { name: 'required', arguments: {} })).error).toMatchObject({ code: -32601 });
    for (const task of ['now', { ttl: -1 }, { ttl: 'long' }]) {
      expect((await call(task)).error).toMatchObject({ code: -32602 });
    }
  });

  it('older-tasks-48, older-tasks-51: a task of 2025-11-25 does not exist where it never was', async () => {
    const { request } = await open(serverOf(sure));
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      expect((await request(method, { taskId: 'no-such-task' })).error).toMatchObject({ code: -32602 });
  });
});

describe('a task of 2025-11-25', () => {
  it('a task of 2025-11-25 asks for a model, as a call of that revision does', async () => {
    const { begin, request, questions } = await connect(
      await transports.memory(
        serverOf(async call => {
          const reply = await call.sample({
            messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }],
            maxTokens: 5,
          });
          return textOf(reply);
        }),
      ),
      () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'hello' } }),
    );
    const { result } = await request('tasks/result', { taskId: await begin() });
    expect(questions[0]).toMatchObject({ method: 'sampling/createMessage', params: { maxTokens: 5 } });
    expect(result.content[0].text).toBe('hello');
  });

  it('older-tasks-55, older-tasks-57, older-tasks-58: a task of 2025-11-25 is there for the same person in another session, and for nobody else', async () => {
    const principal: MidcallOptions['principal'] = ctx => ({
      issuer: 'https://login.example',
      subject: String(ctx.http?.authInfo?.token),
    });
    const authenticate = async (request: Request) => ({
      token: request.headers.get('authorization')?.slice('Bearer '.length) ?? '',
      clientId: 'same',
      scopes: [],
    });
    const serving = await serveHttp(serverOf(sure, { principal }), { port: 0, authenticate });
    closers.push(() => serving.stop({ within: 0 }));
    const alice = await connect(httpTransport(serving.url, 'alice'), yes);
    const taskId = await alice.begin();
    const mallory = await connect(httpTransport(serving.url, 'mallory'), yes);
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      expect((await mallory.request(method, { taskId })).error).toMatchObject({ code: -32602 });
    expect((await mallory.request('tasks/list')).result.tasks).toEqual([]);
    const again = await connect(httpTransport(serving.url, 'alice'), yes);
    expect((await again.request('tasks/list')).result.tasks).toMatchObject([{ taskId }]);
    expect((await again.request('tasks/result', { taskId })).result.content[0].text).toBe('accept true');
  });

  it('ext-tasks-59: a task of 2025-11-25 begins by the parameter alone: the extension of 2026-07-28 means nothing', async () => {
    const extensions = { 'io.modelcontextprotocol/tasks': {} };
    const factory = serverOf(sure, { task: 'always' });
    const { request, questions } = await connect(await transports.memory(factory), yes, '2025-11-25', extensions);
    const { result } = await request('tools/call', { name: 'act', arguments: {} });
    expect(result.content[0].text).toBe('accept true');
    expect(questions).toHaveLength(1);
    const { error } = await request('tasks/update', { taskId: 'any', inputResponses: {} });
    expect(error).toMatchObject({ code: -32601 });
  });

  it('older-tasks-56, older-tasks-59, older-tasks-61, older-tasks-62, older-tasks-64: a task of 2025-11-25 lives for seven days at most, has an id of 128 random bits, and is one of 200', async () => {
    const { call } = await connect(await transports.memory(serverOf(sure)), yes);
    const { taskId, ttl } = (await call({ ttl: 10 * week })).result.task;
    expect(ttl).toBe(week);
    expect(Buffer.from(taskId, 'base64url')).toHaveLength(16);
    for (let n = 1; n < 200; n += 1) await call();
    expect((await call()).error?.message).toContain('200 unfinished tasks');
    const document = readFileSync(new URL('../../../docs/tasks.md', import.meta.url), 'utf8').replaceAll('\n', ' ');
    expect(document).toContain('A task lives for seven days');
    expect(document).toContain('Each may have 200 unfinished tasks');
    expect(document).toContain('anyone who has the id of a task');
  });

  it('older-tasks-12: a task of 2025-11-25 is not there on an older revision: the parameter is not looked at', async () => {
    const { call, request } = await connect(await transports.memory(serverOf(sure)), yes, '2025-06-18');
    expect((await call()).result.content[0].text).toBe('accept true');
    expect((await request('tasks/list')).error).toMatchObject({ code: -32601 });
  });
});

/** Somebody who is signed in, at a server that was just started. */
async function signedIn(factory: McpServerFactory, answer: Answer = yes) {
  const authenticate = async () => ({ token: 't', clientId: 'same', scopes: [] });
  const serving = await serveHttp(factory, { port: 0, authenticate });
  closers.push(() => serving.stop({ within: 0 }));
  return connect(httpTransport(serving.url, 'alice'), answer);
}
const principal: MidcallOptions['principal'] = () => ({ issuer: 'https://login.example', subject: 'alice' });

describe('a task of 2025-11-25 of somebody who is signed in', () => {
  it('a task of somebody signed in is there in a new session after a restart, asks on, and gives its result', async () => {
    const store = memoryStore();
    const first = await signedIn(serverOf(sure, { principal, store }));
    const taskId = await first.begin();
    await first.until(taskId, 'input_required');
    for (const close of closers.splice(0).reverse()) await close();

    const second = await signedIn(serverOf(sure, { principal, store }));
    expect(await second.get(taskId)).toMatchObject({ taskId, status: 'input_required' });
    expect((await second.request('tasks/list')).result.tasks).toMatchObject([{ taskId }]);
    const { result } = await second.request('tasks/result', { taskId });
    expect(result.content[0].text).toBe('accept true');
    expect(second.questions).toMatchObject([{ params: { message: 'Sure?', _meta: { [related]: { taskId } } } }]);
  });

  it('older-tasks-53: a task of somebody signed in has failed with a text where its tool is gone, or is of another version', async () => {
    for (const [version, says] of [
      ['2', 'has changed'],
      [undefined, "no longer has the tool 'act'"],
    ] as const) {
      const [store, clock] = [memoryStore(), handClock()];
      const made = (name: string, of: string) => {
        const mid = midcall({
          key,
          suspectBelowMs: 0,
          warn: () => {},
          principal,
          store,
          clock,
        });
        closers.push(() => mid.stop());
        return () => {
          const server = new McpServer({ name: 'notes', version: '1.0.0' });
          mid.tool(server, name, { version: of }, async (_, call) => ({
            content: [{ type: 'text', text: await sure(call) }],
          }));
          return server;
        };
      };
      const first = await signedIn(made('act', '1'));
      const taskId = await first.begin();
      await first.until(taskId, 'input_required');
      for (const close of closers.splice(0).reverse()) await close();

      const second = await signedIn(version ? made('act', version) : made('other', '1'));
      const failed = second.request('tasks/result', { taskId });
      await eventually(async () => {
        clock.move(20_000);
        return (await second.get(taskId)).status === 'failed';
      });
      expect((await failed).error).toMatchObject({ code: -32602, message: expect.stringContaining(says) });
    }
  });
});

describe('a task of 2025-11-25 whose time is up while its work is under way', () => {
  /** A step that ends when it is told to, and then what the handler does. */
  async function working(then: (call: Call) => Promise<string>) {
    const clock = handClock();
    const warnings: string[] = [];
    const audited: string[] = [];
    let end = (): void => {};
    const mayEnd = new Promise<void>(resolve => {
      end = resolve;
    });
    let begin = (): void => {};
    const hasBegun = new Promise<void>(resolve => {
      begin = resolve;
    });
    const handler = async (call: Call) => {
      await call.step('work', () => {
        begin();
        return mayEnd;
      });
      return then(call);
    };
    const client = await connect(
      await transports.memory(
        serverOf(handler, {
          clock,
          warn: text => warnings.push(text),
          audit: event => void audited.push(`${event.kind} ${'outcome' in event ? event.outcome : ''}`),
        }),
      ),
      yes,
    );
    const taskId = await client.begin({ ttl: 60_000 });
    await hasBegun;
    return { ...client, clock, warnings, audited, end, taskId };
  }

  it('older-tasks-42: a task of 2025-11-25 whose time is up as it works goes on, and its result can be fetched for five minutes', async () => {
    const { get, request, until, clock, end, taskId, warnings } = await working(async () => 'done');
    clock.move(60_001);
    expect(await get(taskId)).toMatchObject({ status: 'working', ttl: 60_000 });
    expect((await request('tasks/list')).result.tasks).toHaveLength(1);
    end();
    expect(await until(taskId, 'completed')).toMatchObject({ ttl: 360_001 });
    expect((await request('tasks/list')).result.tasks).toHaveLength(1);
    expect((await request('tasks/result', { taskId })).result.content[0].text).toBe('done');
    clock.move(300_000);
    expect((await request('tasks/get', { taskId })).error).toMatchObject({ code: -32602 });
    expect(warnings).toEqual([]);
  });

  it('older-tasks-52: a task of 2025-11-25 whose time is up asks nothing more, and says so', async () => {
    const { until, request, clock, end, taskId, questions } = await working(sure);
    clock.move(60_001);
    end();
    const says = expect.stringContaining('before it could ask its next question');
    expect(await until(taskId, 'failed')).toMatchObject({ statusMessage: says });
    expect((await request('tasks/result', { taskId })).error).toMatchObject({ message: says });
    expect(questions).toEqual([]);
  });

  it('older-tasks-66: a task of 2025-11-25 whose time is up as it works is unknown an hour later, and the operator learns of the loss', async () => {
    const { request, clock, end, taskId, warnings, audited } = await working(async () => 'done');
    clock.move(60_000 + 60 * 60_000 + 1);
    expect((await request('tasks/get', { taskId })).error).toMatchObject({ code: -32602 });
    expect((await request('tasks/list')).result.tasks).toEqual([]);
    end();
    await grown(warnings, list => list.length === 1);
    expect(warnings[0]).toContain('the result of a task was not kept');
    expect(audited.slice(-2)).toEqual(['step-ended ', 'ended done']);
  });
});

describe('a task of 2025-11-25 that is asked for in vain', () => {
  it('older-tasks-63: a task of 2025-11-25 is unknown to every message once its time is up', async () => {
    const clock = handClock();
    const { begin, request, until } = await connect(await transports.memory(serverOf(sure, { clock })), yes);
    const taskId = await begin({ ttl: 60_000 });
    await until(taskId, 'input_required');
    clock.move(60_001);
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      const expired = await request(method, { taskId });
      expect(expired.error).toMatchObject({ code: -32602, message: expect.stringContaining('it has expired') });
    }
    expect((await request('tasks/list')).result.tasks).toEqual([]);
  });

  it('a task of 2025-11-25 takes no answer to a question whose time is up, and goes on without it', async () => {
    const clock = handClock();
    let answer = (_: Params): void => {};
    const late = new Promise<Params>(resolve => {
      answer = resolve;
    });
    const asks = async (call: Call) => {
      const { action } = await call.elicit({ message: 'Sure?', form: Boolean, timeoutMs: 60_000 });
      return action;
    };
    const { begin, request, questions, get } = await connect(
      await transports.memory(serverOf(asks, { clock })),
      () => late,
    );
    const taskId = await begin();
    const result = request('tasks/result', { taskId });
    await grown(questions, list => list.length === 1);
    clock.move(60_002);
    await eventually(async () => (await get(taskId)).status === 'completed');
    answer({ action: 'accept', content: { value: true } });
    expect((await result).result.content[0].text).toBe('cancel');
  });

  it('a task of 2025-11-25 takes one of two different answers that come at once, and runs on once', async () => {
    const noted: string[] = [];
    const asks = async (call: Call) => {
      const { action } = await call.elicit({ message: 'Sure?', form: Boolean });
      await call.step('note', () => noted.push(action));
      return action;
    };
    const both: ((answer: Params) => void)[] = [];
    const { begin, request, questions } = await connect(
      await transports.memory(serverOf(asks)),
      () => new Promise<Params>(resolve => void both.push(resolve)),
    );
    const taskId = await begin();
    const results = [request('tasks/result', { taskId }), request('tasks/result', { taskId })];
    await grown(questions, list => list.length === 2);
    await eventually(() => both.length === 2);
    both[0]!({ action: 'decline' });
    both[1]!({ action: 'accept', content: { value: true } });
    const texts = (await Promise.all(results)).map(({ result }) => result.content[0].text);
    expect(texts).toEqual([noted[0], noted[0]]);
    expect(noted).toHaveLength(1);
  });

  it('older-tasks-50: a task of 2025-11-25 whose store is away is an internal error, and is there again when the store is', async () => {
    const held = memoryStore();
    let away = false;
    const store = {
      ...held,
      get: (name: string) => (away ? Promise.reject(new Error('connection lost')) : held.get(name)),
    };
    const { begin, request, until } = await connect(await transports.memory(serverOf(sure, { store })), yes);
    const taskId = await begin();
    await until(taskId, 'input_required');
    away = true;
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/list'])
      expect((await request(method, { taskId })).error).toMatchObject({
        code: -32603,
        message: expect.stringContaining('cannot reach its store'),
      });
    away = false;
    expect((await request('tasks/result', { taskId })).result.content[0].text).toBe('accept true');
  });
});
