/** Tasks of 2026-07-28 of which the server tells by itself (`subscriptions/listen`), as far as it does. */
import { attach, Inbox, type Reply } from '@midcall/host';
import { negotiation } from '@midcall/testing';
import { Client, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../fixtures/grown.ts';
import { handClock } from '../clock.ts';
import { person } from '../person.ts';

type Json = Readonly<Record<string, unknown>>;
interface Frame {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Json;
}

const task = (more: Json = {}) => ({
  taskId: 't1',
  status: 'working',
  createdAt: '2026-11-01T00:00:00Z',
  lastUpdatedAt: '2026-11-01T00:00:00Z',
  ttlMs: 60_000,
  pollIntervalMs: 1_000,
  ...more,
});

const form = { type: 'object', properties: { value: { type: 'boolean' } }, required: ['value'] };
const asks = (message: string) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: form },
});

const yes: Reply = { action: 'accept', content: { value: true } };

/** A client connected to a server that is nothing but its frames. @param answer - undefined for no response */
async function connected(answer: (frame: Frame) => Json | undefined, reply: () => Reply | undefined = () => yes) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const sent: Frame[] = [];
  const send = (message: Json) => far.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage);
  const about = { capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } } };
  const serverInfo = { name: 'wire', version: '1.0.0' };
  far.onmessage = message => {
    const frame = message as Frame;
    sent.push(frame);
    const { id, method } = frame;
    if (id === undefined) return;
    const caching = { ttlMs: 0, cacheScope: 'private' };
    const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
    const response =
      method === 'server/discover'
        ? { result: { resultType: 'complete', supportedVersions: ['2026-07-28'], ...caching, ...about, _meta } }
        : answer(frame);
    if (response) void send({ id, ...response });
  };
  await far.start();
  const client = new Client({ name: 'host', version: '1.0.0' }, { versionNegotiation: negotiation('2026-07-28') });
  const inbox = new Inbox();
  const clock = handClock();
  const attachment = attach(client, { server: { id: 'wire', origin: 'wire' }, inbox, clock });
  const me = person(reply);
  inbox.present(me);
  await client.connect(near);
  onTestFinished(() => client.close());
  const of = (method: string) => sent.filter(frame => frame.method === method);
  const call = () => attachment.run({ kind: 'tool', name: 'act' });
  return { send, of, call, clock, me };
}

const acknowledged = (id: unknown, taskIds: readonly string[]) => ({
  method: 'notifications/subscriptions/acknowledged',
  params: { notifications: { taskIds }, _meta: { 'io.modelcontextprotocol/subscriptionId': id } },
});
const news = (id: unknown, more: Json) => ({
  method: 'notifications/tasks',
  params: { ...task(more), _meta: { 'io.modelcontextprotocol/subscriptionId': id } },
});

it('the host is told what a task asks and what came of it, without looking again and again', async () => {
  const { send, of, call, me } = await connected(({ method }) => {
    if (method === 'tools/call') return { result: { resultType: 'task', ...task() } };
    if (method === 'tasks/get') return { result: { resultType: 'complete', ...task() } };
    return method === 'tasks/update' ? { result: { resultType: 'complete' } } : undefined;
  });
  const running = call();
  await eventually(() => of('subscriptions/listen').length === 1);
  const [{ id, params }] = of('subscriptions/listen') as [Frame];
  expect(params).toMatchObject({ notifications: { taskIds: ['t1'] } });
  await send(acknowledged(id, ['t1']));
  // What was missed before the server agreed is looked for, once.
  await eventually(() => of('tasks/get').length === 1);
  await send(news(id, { status: 'input_required', inputRequests: { a: asks('Sure?') } }));
  await eventually(() => of('tasks/update').length === 1);
  expect(of('tasks/update')[0]?.params).toMatchObject({
    taskId: 't1',
    inputResponses: { a: { action: 'accept', content: { value: true } } },
  });
  // The same again, as a look would find it, is not asked again.
  await send(news(id, { status: 'input_required', inputRequests: { a: asks('Sure?') } }));
  await send(news(id, { status: 'completed', result: { content: [{ type: 'text', text: 'done' }] } }));
  expect(await running).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
  expect(me.seen).toHaveLength(1);
  expect(of('tasks/get')).toHaveLength(1);
  await eventually(() => of('notifications/cancelled').some(frame => frame.params?.['requestId'] === id));
});

it.each([
  ['has no such method', () => ({ error: { code: -32601, message: 'Method not found' } }), () => undefined],
  ['tells of other things alone', () => undefined, (id: unknown) => acknowledged(id, [])],
  ['stops telling', () => undefined, (id: unknown) => ({ id, result: { resultType: 'complete' } })],
])('the host looks as often as the server says where it %s', async (_, listened, after) => {
  let looks = 0;
  const { send, of, call, clock } = await connected(({ method }) => {
    if (method === 'tools/call') return { result: { resultType: 'task', ...task() } };
    if (method === 'subscriptions/listen') return listened();
    if (method !== 'tasks/get') return undefined;
    looks += 1;
    const done = { status: 'completed', result: { content: [{ type: 'text', text: 'done' }] } };
    return { result: { resultType: 'complete', ...task(looks === 3 ? done : {}) } };
  });
  const running = call();
  await eventually(() => of('subscriptions/listen').length === 1);
  const [{ id }] = of('subscriptions/listen') as [Frame];
  const message = after(id);
  if (message) await send(message);
  for (let n = 1; n <= 3; n += 1) {
    await eventually(() => clock.left.includes(1_000));
    clock.move(1_000);
    await eventually(() => looks === n);
  }
  expect(await running).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
});

it('followed-task-3: a server that cannot say how a task stands is asked less and less often, then given up with its words', async () => {
  const { of, call, clock } = await connected(({ method }) => {
    if (method === 'tools/call') return { result: { resultType: 'task', ...task() } };
    if (method === 'subscriptions/listen') return { error: { code: -32601, message: 'Method not found' } };
    return method === 'tasks/get' ? { error: { code: -32603, message: 'The store is away.' } } : undefined;
  });
  const running = call().catch((error: unknown) => error);
  const waits = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000];
  for (const [n, ms] of waits.entries()) {
    await eventually(() => of('tasks/get').length === n && clock.left.includes(ms));
    clock.move(ms);
  }
  const message = expect.stringMatching(/: The store is away\. The request may have been carried out: /u);
  expect(await running).toMatchObject({ code: 'host/abandoned', message });
  expect(of('tasks/get')).toHaveLength(6);
  expect(of('tasks/cancel')).toEqual([]);
});

it('ext-tasks-57; followed-task-2: a question that the task asks no more is taken back, and nothing is sent for it', async () => {
  const { send, of, call, me } = await connected(
    ({ method }) => {
      if (method === 'tools/call') return { result: { resultType: 'task', ...task() } };
      return method === 'tasks/get' ? { result: { resultType: 'complete', ...task() } } : undefined;
    },
    () => undefined,
  );
  const running = call();
  await eventually(() => of('subscriptions/listen').length === 1);
  const [{ id }] = of('subscriptions/listen') as [Frame];
  await send(acknowledged(id, ['t1']));
  await eventually(() => of('tasks/get').length === 1);
  await send(news(id, { status: 'input_required', inputRequests: { a: asks('Sure?') } }));
  await eventually(() => me.seen.length === 1);
  await send(news(id, {}));
  await eventually(() => me.endings.length === 1);
  expect(me.endings).toEqual([{ how: 'withdrawn' }]);
  await send(news(id, { status: 'completed', result: { content: [] } }));
  await running;
  expect(of('tasks/update')).toEqual([]);
});

it('followed-task-1: a question that was answered is not asked again, also where the task lists it again after it was gone', async () => {
  const waits = (...keys: string[]) => ({
    status: 'input_required',
    inputRequests: Object.fromEntries(keys.map(key => [key, asks(`Sure of ${key}?`)])),
  });
  const states = [waits('a'), {}, waits('a', 'b'), { status: 'completed', result: { content: [] } }];
  let looks = 0;
  const { of, call, clock, me } = await connected(({ method }) => {
    if (method === 'tools/call') return { result: { resultType: 'task', ...task() } };
    if (method === 'subscriptions/listen') return { error: { code: -32601, message: 'Method not found' } };
    if (method === 'tasks/update') return { result: { resultType: 'complete' } };
    if (method !== 'tasks/get') return undefined;
    looks += 1;
    return { result: { resultType: 'complete', ...task(states[looks - 1]) } };
  });
  const running = call();
  for (const updates of [1, 1, 2, 2]) {
    await eventually(() => clock.left.includes(1_000));
    clock.move(1_000);
    await eventually(() => of('tasks/update').length >= updates);
  }
  await running;
  expect(me.seen).toHaveLength(2);
  expect(of('tasks/update').map(({ params }) => params?.['inputResponses'])).toEqual([
    { a: { action: 'accept', content: { value: true } } },
    { b: { action: 'accept', content: { value: true } } },
  ]);
});
