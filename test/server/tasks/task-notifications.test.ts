/** `notifications/tasks` over `subscriptions/listen` (extension io.modelcontextprotocol/tasks), on both carriers. */
import { type Call, type MidcallOptions, midcall } from '@midcall/server';
import type { HttpOptions } from '@midcall/server/http';
import { serveHttp } from '@midcall/server/node';
import { memoryStore } from '@midcall/server/stores/memory';
import { InMemoryTransport, McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { grown } from '../../fixtures/grown.ts';
import { few } from '../../fixtures/soak.ts';

const key = 'vk1N2yLr0Zc0m7B1nPqf3sT5uW8xY+A2bC4dE6gH8iI=';
const extension = 'io.modelcontextprotocol/tasks';
const withTasks = { elicitation: {}, extensions: { [extension]: {} } };
const yes = { action: 'accept', content: { value: true } };

interface Frame {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>> & { readonly _meta?: Readonly<Record<string, unknown>> };
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

interface Options {
  readonly capabilities?: object;
  readonly token?: string;
}

/** A client that keeps every frame. */
interface Wire {
  /** @returns the frames that come for it, and an end of it */
  send(
    method: string,
    params: object,
    options?: Options,
  ): { readonly frames: readonly Frame[]; cancel(): Promise<void> };
  /** Closes the server, gracefully. */
  close(): Promise<void>;
}

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const metaOf = ({ capabilities = withTasks }: Options) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bare', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});

async function inMemory(factory: McpServerFactory): Promise<Wire> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const served = serveStdio(factory, { transport: far });
  closers.push(() => served.close());
  const streams = new Map<unknown, Frame[]>();
  near.onmessage = message => {
    const frame = message as Frame;
    const of = frame.id ?? frame.params?._meta?.['io.modelcontextprotocol/subscriptionId'];
    streams.get(of)?.push(frame);
  };
  await near.start();
  let id = 0;
  return {
    send(method, params, options = {}) {
      id += 1;
      const own = id;
      const frames: Frame[] = [];
      streams.set(own, frames);
      void near.send({ jsonrpc: '2.0', id: own, method, params: { ...params, _meta: metaOf(options) } });
      const cancel = () => near.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: own } });
      return { frames, cancel };
    },
    close: () => served.close(),
  };
}

async function overHttp(factory: McpServerFactory, http: HttpOptions = {}): Promise<Wire> {
  const serving = await serveHttp(factory, { port: 0, ...http });
  closers.push(() => serving.stop({ within: 0 }));
  let id = 0;
  return {
    send(method, params, options = {}) {
      id += 1;
      const frames: Frame[] = [];
      const stop = new AbortController();
      const { name, taskId } = params as { name?: string; taskId?: string };
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: metaOf(options) } });
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...((name ?? taskId) && { 'mcp-name': name ?? taskId }),
        ...(options.token && { authorization: `Bearer ${options.token}` }),
      } as Record<string, string>;
      const run = async () => {
        const response = await fetch(serving.url, { method: 'POST', headers, body, signal: stop.signal });
        let held = '';
        const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
        for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
          held += chunk;
          const parts = isStream ? held.split('\n\n') : [];
          held = isStream ? parts.pop()! : held;
          for (const part of parts) {
            const data = part.split('\n').find(line => line.startsWith('data: {'));
            if (data) frames.push(JSON.parse(data.slice('data: '.length)));
          }
        }
        if (!isStream) frames.push({ ...JSON.parse(held), status: response.status });
      };
      void run().catch(() => {});
      return { frames, cancel: async () => stop.abort() };
    },
    close: () => serving.stop({ within: 0 }),
  };
}

const ask = async (call: Call) => {
  const answer = await call.elicit({ message: 'Sure?', form: Boolean });
  return { content: [{ type: 'text' as const, text: answer.action }] };
};

function asking(options: MidcallOptions = {}): McpServerFactory {
  const mid = midcall({ key, suspectBelowMs: 0, warn: () => {}, ...options });
  closers.push(() => mid.stop());
  return () => {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    mid.tool(server, 'act', { task: 'always' }, (_, call) => ask(call));
    return server;
  };
}

const answered = async ({ frames }: { readonly frames: readonly Frame[] }): Promise<Frame> => {
  await grown(frames, list => list.length > 0);
  return frames[0]!;
};
const begin = async (wire: Wire, options?: Options): Promise<string> =>
  (await answered(wire.send('tools/call', { name: 'act', arguments: {} }, options))).result!['taskId'] as string;
const isTold = (status: string) => (frames: readonly Frame[]) =>
  frames.some(({ method, params }) => method === 'notifications/tasks' && params?.['status'] === status);
const listenTo = (taskIds: unknown, more = {}) => ({ notifications: { ...more, taskIds } });

const carriers = { memory: inMemory, http: overHttp };

describe.each(few(['memory', 'http'], 'http'))('a client that listens to tasks over %s', carrier => {
  const serve = carriers[carrier];

  it('ext-tasks-40: a client that listens to tasks is told what tasks/get would answer, whenever it changes, on its own subscription', async () => {
    const wire = await serve(asking());
    const taskId = await begin(wire);
    const { frames } = wire.send('subscriptions/listen', listenTo([taskId]));
    await grown(frames, isTold('input_required'));
    expect(frames[0]).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [taskId] } },
    });
    const asked = frames.find(({ params }) => params?.['status'] === 'input_required')!;
    const [question] = Object.keys(asked.params!['inputRequests'] as object);
    await answered(wire.send('tasks/update', { taskId, inputResponses: { [question!]: yes } }));
    await grown(frames, isTold('completed'));
    expect(new Set(frames.slice(1).map(({ method }) => method))).toEqual(new Set(['notifications/tasks']));
    const last = frames.at(-1)!;
    const { _meta, ...told } = last.params!;
    expect(last).toMatchObject({ method: 'notifications/tasks' });
    expect(frames.slice(1).map(frame => frame.params!._meta)).toEqual(
      frames.slice(1).map(() => ({ ..._meta, 'io.modelcontextprotocol/subscriptionId': expect.anything() })),
    );
    const { resultType, _meta: __, ...got } = (await answered(wire.send('tasks/get', { taskId }))).result!;
    expect(told).toEqual(got);
    expect(resultType).toBe('complete');
    expect(told).toMatchObject({ result: { content: [{ text: 'accept' }] } });
  });

  it('a client that listens to tasks is acknowledged only what exists for it, and told nothing of the rest', async () => {
    const wire = await serve(asking());
    const { frames } = wire.send('subscriptions/listen', listenTo(['not-a-task-of-mine'], { toolsListChanged: true }));
    await grown(frames, list => list.length > 0);
    expect(frames[0]!.params!['notifications']).toEqual({ toolsListChanged: true });
  });

  it('a client that listens to tasks is told no more once it has cancelled', async () => {
    const wire = await serve(asking());
    const taskId = await begin(wire);
    const { frames, cancel } = wire.send('subscriptions/listen', listenTo([taskId]));
    await grown(frames, isTold('input_required'));
    const { length } = frames;
    await cancel();
    const other = wire.send('subscriptions/listen', listenTo([taskId]));
    await grown(other.frames, isTold('input_required'));
    await answered(wire.send('tasks/cancel', { taskId }));
    await grown(other.frames, isTold('cancelled'));
    expect(frames.length).toBe(length);
  });

  it('a client that listens to tasks gets the result of its request where the server closes', async () => {
    const wire = await serve(asking());
    const taskId = await begin(wire);
    const { frames } = wire.send('subscriptions/listen', listenTo([taskId]));
    await grown(frames, isTold('input_required'));
    void wire.close();
    await grown(frames, list => list.some(({ result }) => result !== undefined));
    expect(frames.at(-1)!.result).toMatchObject({ resultType: 'complete' });
  });

  it('ext-tasks-39, ext-tasks-45: a client that listens to tasks is refused with -32021 and the extension where it does not declare tasks', async () => {
    const wire = await serve(asking());
    const taskId = await begin(wire);
    const refused = await answered(
      wire.send('subscriptions/listen', listenTo([taskId]), { capabilities: { elicitation: {} } }),
    );
    expect(refused.error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [extension]: {} } } },
    });
    if (carrier === 'http') expect(refused).toMatchObject({ status: 400 });
  });

  it.each([['one'], [{ a: 1 }], [[1]], [Array.from({ length: 201 }, (_, n) => `t${n}`)], [['x'.repeat(201)]]])(
    'a client that listens to tasks is refused with -32602 where it sends no list of ids: %#',
    async taskIds => {
      const wire = await serve(asking());
      await begin(wire);
      const refused = await answered(wire.send('subscriptions/listen', listenTo(taskIds)));
      expect(refused.error).toMatchObject({ code: -32602, message: expect.stringContaining('at most 200') });
    },
  );
});

describe('notifications of tasks', () => {
  it('notifications of tasks tell also of what another process that has the same store changes', async () => {
    const store = memoryStore();
    const [here, there] = [await inMemory(asking({ store })), await inMemory(asking({ store }))];
    const taskId = await begin(here);
    const { frames } = here.send('subscriptions/listen', listenTo([taskId]));
    await grown(frames, isTold('input_required'));
    await answered(there.send('tasks/cancel', { taskId }));
    await grown(frames, isTold('cancelled'));
  });

  it('notifications of tasks are for the person whose tasks they are', async () => {
    const wire = await overHttp(
      asking({
        principal: ctx => ({ issuer: 'https://login.example', subject: String(ctx.http?.authInfo?.token) }),
      }),
      {
        authenticate: async request => {
          const token = request.headers.get('authorization')?.slice('Bearer '.length) ?? '';
          return { token, clientId: 'same', scopes: [] };
        },
      },
    );
    const taskId = await begin(wire, { token: 'alice' });
    const theirs = wire.send('subscriptions/listen', listenTo([taskId]), { token: 'mallory' });
    await grown(theirs.frames, list => list.some(({ result }) => result !== undefined));
    expect(theirs.frames.map(({ method }) => method)).toEqual(['notifications/subscriptions/acknowledged', undefined]);
    expect(theirs.frames[0]!.params!['notifications']).toEqual({});
    const own = wire.send('subscriptions/listen', listenTo([taskId]), { token: 'alice' });
    await grown(own.frames, isTold('input_required'));
  });
});
