/** What the tasks extension asks of a client, as a server sees it that is nothing but its frames. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attach, Inbox, type TaskStorage, tasksFile } from '@midcall/host';
import { negotiation } from '@midcall/testing';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import { grown } from '../../fixtures/grown.ts';

interface Frame {
  readonly id?: number;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

const about = { createdAt: '2026-07-28T10:00:00Z', lastUpdatedAt: '2026-07-28T10:00:00Z', ttlMs: 60_000 };
const created = { resultType: 'task', taskId: 't1', status: 'working', ...about };

/** A client of a server that answers as it is told. */
async function clientOf(answer: (frame: Frame) => Readonly<Record<string, unknown>> | undefined, tasks?: TaskStorage) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const frames: Frame[] = [];
  far.onmessage = message => {
    const frame = message as Frame;
    frames.push(frame);
    if (frame.id === undefined) return;
    const result =
      frame.method === 'server/discover'
        ? {
            resultType: 'complete',
            supportedVersions: ['2026-07-28'],
            capabilities: { tools: {}, prompts: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
            ttlMs: 0,
            cacheScope: 'private',
          }
        : answer(frame);
    if (result) void far.send({ jsonrpc: '2.0', id: frame.id, result } as JSONRPCMessage);
  };
  await far.start();
  const paused: number[] = [];
  const clock = {
    now: () => 1_800_000_000_000,
    after(ms: number, fn: () => void) {
      paused.push(ms);
      if (ms > 5_000) return () => {};
      const turn = setImmediate(fn);
      return () => clearImmediate(turn);
    },
  };
  const client = new Client(
    { name: 'host', version: '1.0.0' },
    { versionNegotiation: negotiation('2026-07-28'), inputRequired: { maxRounds: 50 } },
  );
  const server = { id: 'notes', origin: 'node notes' };
  const attachment = attach(client, { server, inbox: new Inbox(), clock, ...(tasks && { tasks }) });
  await client.connect(near);
  onTestFinished(() => client.close());
  const run = (options = {}) => attachment.run({ kind: 'tool', name: 'act', arguments: {} }, options);
  return { client, attachment, run, frames, paused };
}

const complete = (more = {}) => ({ resultType: 'complete', ...more });

it('ext-tasks-12: a task is looked after as often as the server says', async () => {
  let looks = 0;
  const { run, paused } = await clientOf(({ method }) => {
    if (method !== 'tasks/get') return { ...created, pollIntervalMs: 4321 };
    looks += 1;
    const told = { taskId: 't1', ...about, pollIntervalMs: 4321 };
    return complete(
      looks < 3 ? { ...told, status: 'working' } : { ...told, status: 'completed', result: { content: [] } },
    );
  });
  expect(await run()).toMatchObject({ content: [] });
  expect(paused.filter(ms => ms === 4321).length).toBeGreaterThanOrEqual(2);
});

it('ext-tasks-35: a task is cancelled by tasks/cancel, and not by notifications/cancelled', async () => {
  const { run, frames } = await clientOf(({ method }) =>
    method === 'tools/call'
      ? created
      : method === 'tasks/get'
        ? complete({ taskId: 't1', ...about, status: 'working' })
        : complete(),
  );
  const stop = new AbortController();
  const running = run({ signal: stop.signal }).catch((error: unknown) => error);
  await grown(frames, list => list.some(({ method }) => method === 'tasks/get'));
  stop.abort();
  await grown(frames, list => list.some(({ method }) => method === 'tasks/cancel'));
  expect(await running).toBeInstanceOf(Error);
  expect(frames.find(({ method }) => method === 'tasks/cancel')?.params).toMatchObject({ taskId: 't1' });
  expect(frames.map(({ method }) => method)).not.toContain('notifications/cancelled');
});

it('tasks-file-3: the server is told of a cancelled task until it says that it knows, and the person is asked nothing meanwhile', async () => {
  const tasks = tasksFile(join(mkdtempSync(join(tmpdir(), 'midcall-cancelled-')), 'tasks.json'));
  const asks = { elicit: { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema: {} } } };
  const state = { taskId: 't1', ...about, status: 'input_required', inputRequests: asks };
  const answer = ({ method }: Frame) =>
    method === 'tools/call' ? created : method === 'tasks/get' ? complete(state) : undefined;

  const first = await clientOf(answer, tasks);
  const stop = new AbortController();
  const running = first.run({ signal: stop.signal }).catch((error: unknown) => error);
  await grown(first.frames, list => list.some(({ method }) => method === 'tasks/get'));
  stop.abort();
  await grown(first.frames, list => list.some(({ method }) => method === 'tasks/cancel'));
  await running;
  await first.client.close();
  await first.attachment.settled();
  const [kept] = await tasks.list();
  expect(kept).toMatchObject({ taskId: 't1', cancelled: true });
  expect(kept).not.toHaveProperty('holder');

  const second = await clientOf(frame => answer(frame) ?? complete(), tasks);
  await second.attachment.resume();
  await grown(second.frames, list => list.some(({ method }) => method === 'tasks/cancel'));
  await second.attachment.settled();
  expect(await tasks.list()).toEqual([]);
  expect(second.frames.map(({ method }) => method)).not.toContain('tasks/get');
});

it('ext-tasks-03: a task in the place of another result than that of a tool is taken for no answer', async () => {
  const { client, frames } = await clientOf(() => created);
  await expect(client.getPrompt({ name: 'act' })).rejects.toThrow();
  expect(frames.map(({ method }) => method)).not.toContain('tasks/get');
});
