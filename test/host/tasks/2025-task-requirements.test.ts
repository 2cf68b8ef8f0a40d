/** What tasks of 2025-11-25 ask of a client, as a server sees it that is nothing but its frames. */
import { attach, Inbox } from '@midcall/host';
import { negotiation } from '@midcall/testing';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';

interface Frame {
  readonly id?: number;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

const everything = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

/** A client of a server that announces this, and whose tool can only be called as a task. */
async function clientOf(tasks: object | undefined, answer: (frame: Frame) => object | Promise<object>) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const frames: Frame[] = [];
  const own = ({ method }: Frame): object | undefined => {
    if (method === 'initialize') {
      const serverInfo = { name: 'notes', version: '1.0.0' };
      return { protocolVersion: '2025-11-25', capabilities: { tools: {}, ...(tasks && { tasks }) }, serverInfo };
    }
    const execution = { taskSupport: 'required' };
    return method === 'tools/list'
      ? { tools: [{ name: 'act', inputSchema: { type: 'object' }, execution }] }
      : undefined;
  };
  far.onmessage = async message => {
    const frame = message as Frame;
    frames.push(frame);
    if (frame.id === undefined) return;
    const result = await (own(frame) ?? answer(frame));
    void far.send({ jsonrpc: '2.0', id: frame.id, result } as JSONRPCMessage);
  };
  await far.start();
  const paused: number[] = [];
  let now = 1_800_000_000_000;
  const clock = {
    now: () => now,
    after(ms: number, fn: () => void) {
      paused.push(ms);
      if (ms > 5_000) return () => {};
      const turn = setImmediate(() => {
        now += ms;
        fn();
      });
      return () => clearImmediate(turn);
    },
  };
  const client = new Client({ name: 'host', version: '1.0.0' }, { versionNegotiation: negotiation('2025-11-25') });
  const attachment = attach(client, { server: { id: 'notes', origin: 'node notes' }, inbox: new Inbox(), clock });
  await client.connect(near);
  onTestFinished(() => client.close());
  const run = () => attachment.run({ kind: 'tool', name: 'act', arguments: {} });
  return { run, frames, paused };
}

it.each([
  ['nothing', undefined],
  ['no requests', { list: {}, cancel: {} }],
  ['other requests', { requests: { sampling: { createMessage: {} } } }],
  ['other requests of tools', { requests: { tools: {} } }],
])(
  'older-tasks-02, older-tasks-03, older-tasks-04: no tool is called as a task where the server announces %s, whatever the tool says',
  async (_, tasks) => {
    const { run, frames } = await clientOf(tasks, () => ({ content: [] }));
    expect(await run()).toMatchObject({ content: [] });
    const calls = frames.filter(({ method }) => method === 'tools/call');
    expect(calls.map(({ params }) => params && 'task' in params)).toEqual([false]);
    expect(frames.filter(({ method }) => method.startsWith('tasks/'))).toEqual([]);
  },
);

const task = (status: string) => ({
  taskId: 't1',
  status,
  createdAt: '2025-11-25T10:00:00Z',
  lastUpdatedAt: '2025-11-25T10:00:00Z',
  ttl: 60_000,
  pollInterval: 4_321,
});

it('followed-task-3: a call whose task has ended, and whose result never comes, may have been carried out', async () => {
  const { run } = await clientOf(everything, ({ method }) => {
    if (method === 'tools/call') return { task: task('working') };
    return method === 'tasks/get' ? task('completed') : new Promise<object>(() => {});
  });
  const message = expect.stringMatching(/ its result did not come\. The request may have been carried out: /u);
  await expect(run()).rejects.toMatchObject({ code: 'host/abandoned', message });
});

it('older-tasks-09: a task is looked after as often as the server says', async () => {
  let looks = 0;
  let end = (): void => {};
  const ended = new Promise<object>(resolve => {
    end = () => resolve({ content: [] });
  });
  const { run, paused } = await clientOf(everything, ({ method }) => {
    if (method === 'tools/call') return { task: task('working') };
    if (method !== 'tasks/get') return ended;
    looks += 1;
    if (looks === 3) end();
    return task(looks < 3 ? 'working' : 'completed');
  });
  expect(await run()).toMatchObject({ content: [] });
  expect(paused.filter(ms => ms === 4_321).length).toBeGreaterThanOrEqual(2);
});
