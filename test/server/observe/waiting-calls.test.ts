/** The calls that wait, as whoever runs a server sees them, and how they are ended. */
import { systemClock } from '@midcall/core/time';
import { type Call, type MidcallOptions, midcall } from '@midcall/server';
import { connect } from '@midcall/server/connect';
import { memoryStore } from '@midcall/server/stores/memory';
import { connectPair, eras } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { endStale } from '../../../examples/docs/observe.ts';
import { rawClient } from '../raw-client.ts';

const key = 'wQ4cN8sLk0Zc0m7B1nPqf3sT5uW8xY+A2bC4dE6gH8k=';
const secret = 'canary-waiting-question';
const ask = async (call: Call) => (await call.elicit({ message: `${secret}?`, form: Boolean })).action;

function serverOf(options: MidcallOptions, handler: (call: Call) => Promise<string> = ask, task?: 'always') {
  const mid = midcall({ key, suspectBelowMs: 0, warn: () => {}, ...options });
  const factory = () => {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    const annotations = { readOnlyHint: true };
    mid.tool(server, 'act', { annotations, ...(task && { task }) }, (_, call) => handler(call));
    return server;
  };
  return { mid, factory };
}

/** What another process sees that has the store and the key. */
const looking = (store: ReturnType<typeof memoryStore>) => midcall({ key, store, warn: () => {} });

describe.each(eras)('%s', era => {
  it('waiting-calls-1, waiting-calls-2: a relayed call is listed without its contents, until it is gone on with', async () => {
    const store = memoryStore();
    const { mid, factory } = serverOf({ store, channels: ['relay'] });
    await using pair = await connectPair(factory, { era });
    const { content } = await pair.client.callTool({ name: 'act' });
    const [, ticket] = /ticket "?([\w-]{16,})/.exec((content[0] as { text: string }).text) ?? [];
    const calls = await looking(store).calls();
    expect(calls).toMatchObject([{ kind: 'ticket', waitsFor: 'resume', method: 'tools/call', name: 'act' }]);
    expect(calls[0]!.until - calls[0]!.since).toBe(15 * 60_000);
    expect(JSON.stringify(calls)).not.toContain(ticket);
    expect(JSON.stringify(calls)).not.toContain(secret);
    const args = { ticket, action: 'accept', content: { value: true } };
    const done = await pair.client.callTool({ name: 'resume', arguments: args });
    expect((done.content[0] as { text: string }).text).toBe('accept');
    expect(await mid.calls()).toEqual([]);
  });

  it('a relayed call that was cancelled cannot be gone on with', async () => {
    const { mid, factory } = serverOf({ channels: ['relay'] });
    await using pair = await connectPair(factory, { era });
    const { content } = await pair.client.callTool({ name: 'act' });
    const [, ticket] = /ticket "?([\w-]{16,})/.exec((content[0] as { text: string }).text) ?? [];
    const [call] = await mid.calls();
    expect(await mid.cancel(call!.id)).toBe(true);
    expect([await mid.cancel(call!.id), await mid.calls()]).toEqual([false, []]);
    const args = { ticket, action: 'accept', content: { value: true } };
    const refused = await pair.client.callTool({ name: 'resume', arguments: args });
    expect(refused.isError).toBe(true);
    expect((refused.content[0] as { text: string }).text).toMatch(
      /This ticket is unknown.*What this call did before stays done/u,
    );
  });

  it('a question on a page is listed, and cancelled: its handler goes on at once', async () => {
    const store = memoryStore();
    const pages = connect({ name: 'Notes', reach: { kind: 'here', browser: false } });
    const { mid, factory } = serverOf({ store, pages, channels: ['page'], holdMs: 1 }, async call => {
      const answer = await call.elicit({ message: `${secret}?`, form: Boolean });
      return answer.action === 'cancel' ? answer.reason : answer.action;
    });
    await using pair = await connectPair(factory, { era });
    const { content } = await pair.client.callTool({ name: 'act' });
    const [, ticket] = /ticket "?([\w-]{16,})/.exec((content[0] as { text: string }).text) ?? [];
    const calls = await mid.calls();
    expect(calls.map(({ kind, waitsFor }) => [kind, waitsFor]).sort()).toEqual([
      ['page', 'page'],
      ['ticket', 'page'],
    ]);
    expect(new Set(calls.map(({ flow }) => flow)).size).toBe(1);
    const page = calls.find(({ kind }) => kind === 'page')!;
    expect(await mid.cancel(page.id)).toBe(true);
    const done = await pair.client.callTool({ name: 'resume', arguments: { ticket } });
    expect((done.content[0] as { text: string }).text).toBe('error');
    expect(await mid.calls()).toEqual([]);
    await mid.stop();
  });
});

it('older-tasks-65: a task is listed with what it waits for, and another process ends it', async () => {
  const store = memoryStore();
  const { mid, factory } = serverOf({ store }, ask, 'always');
  await using client = await rawClient(factory, 'memory', {});
  const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
  const send = (method: string, params: object) => client.send(method, params as never, { capabilities } as never);
  const created = await send('tools/call', { name: 'act', arguments: {} });
  const { taskId } = created.result as unknown as { readonly taskId: string };
  const admin = looking(store);
  let [call] = await admin.calls();
  while (call?.waitsFor !== 'answer') {
    await new Promise(setImmediate);
    [call] = await admin.calls();
  }
  expect(call).toMatchObject({ kind: 'task', name: 'act', method: 'tools/call' });
  expect(JSON.stringify(call)).not.toContain(taskId);
  expect(await endStale(admin, call.since)).toEqual([]);
  expect(await endStale(admin, call.since + 1)).toMatchObject([{ id: call.id }]);
  const { result } = await send('tasks/get', { taskId });
  expect(result).toMatchObject({ status: 'cancelled' });
  expect(await mid.calls()).toEqual([]);
  await mid.stop();
});

it('a call whose time is up is listed no more, and takes no room', async () => {
  let time = 1_000_000;
  const store = memoryStore({ clock: { now: () => time } });
  const { mid, factory } = serverOf({ store, channels: ['relay'], clock: { ...systemClock, now: () => time } });
  await using pair = await connectPair(factory, { era: '2026-07-28' });
  await pair.client.callTool({ name: 'act' });
  expect(await mid.calls()).toHaveLength(1);
  expect(await store.sortedSets.range('waiting')).toHaveLength(1);
  time += 15 * 60_000 + 1;
  expect(await mid.calls()).toEqual([]);
  expect(await store.sortedSets.range('waiting')).toEqual([]);
});

it('waiting-calls-3: a call that was sealed with another key hides no other, and is mentioned', async () => {
  const store = memoryStore();
  const other = { key: 'Zm9yZWlnbi1rZXktMDEyMzQ1Njc4OWFiY2RlZmdoaWo=' };
  for (const more of [{}, other, other]) {
    const { factory } = serverOf({ store, channels: ['relay'], ...more });
    await using pair = await connectPair(factory, { era: '2026-07-28' });
    await pair.client.callTool({ name: 'act' });
  }
  const warned: string[] = [];
  const mid = midcall({ key, store, warn: message => void warned.push(message) });
  expect(await mid.calls()).toMatchObject([{ kind: 'ticket', name: 'act' }]);
  expect(warned).toEqual([expect.stringContaining('2 waiting calls are not listed')]);
});

it('the list of waiting calls says what an id is, and that another key opens nothing', async () => {
  const store = memoryStore();
  const { mid, factory } = serverOf({ store, channels: ['relay'] });
  await expect(mid.cancel('no id')).rejects.toThrow('mid.calls() lists them');
  await expect(mid.cancel(7 as never)).rejects.toThrow('mid.cancel: the id must be a string');
  await using pair = await connectPair(factory, { era: '2026-07-28' });
  await pair.client.callTool({ name: 'act' });
  const other = midcall({ store, key: `${key.slice(0, -2)}A=`, warn: () => {} });
  await expect(other.calls()).rejects.toMatchObject({ code: 'store/corrupt' });
});
