/** Tasks of 2025-11-25 (`task` parameter), the client's side, against a server of SDK v1. */
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AttachEvent,
  type AttachOptions,
  attach,
  Inbox,
  type Question,
  type Reply,
  type TaskStorage,
  tasksFile,
} from '@midcall/host';
import { negotiation } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../fixtures/grown.ts';
import { quickClock } from '../../fixtures/quick-clock.ts';
import { few } from '../../fixtures/soak.ts';
import { person } from '../person.ts';
import { said, servedInMemory, servedOverHttp, type Work } from './task-server.ts';

const yes: Reply = { action: 'accept', content: { value: true } };

type Carrier = 'memory' | 'http';
type Open = () => Promise<Transport>;

async function server(carrier: Carrier, work: Work, support: 'required' | 'optional' = 'required'): Promise<Open> {
  if (carrier === 'http') {
    const url = await servedOverHttp(work, support);
    return async () => new StreamableHTTPClientTransport(url);
  }
  return servedInMemory(work, support);
}

async function host(
  open: Open,
  answer: (question: Question) => Reply | undefined = () => yes,
  options: Partial<AttachOptions> = {},
) {
  const client = new Client({ name: 'host', version: '1.0.0' }, { versionNegotiation: negotiation('2025-11-25') });
  const inbox = new Inbox();
  const events: AttachEvent[] = [];
  const attachment = attach(client, { server: { id: 'r', origin: 'node r' }, inbox, clock: quickClock, ...options });
  attachment.subscribe(event => events.push(event));
  const me = person(answer);
  inbox.present(me);
  const sent: { readonly method?: string; readonly params?: unknown; readonly result?: unknown }[] = [];
  const transport = await open();
  const send = transport.send.bind(transport);
  transport.send = (message, ...rest) => {
    sent.push(message as never);
    return send(message, ...rest);
  };
  await client.connect(transport);
  onTestFinished(() => client.close());
  const run = (name = 'act', given = {}) => attachment.run({ kind: 'tool', name, arguments: {} }, given);
  const text = async (name?: string) => ((await run(name)) as { content: { text: string }[] }).content[0]!.text;
  const statuses = () => events.flatMap(event => (event.type === 'call-task' ? [event.task] : []));
  return { client, attachment, inbox, run, text, events, statuses, sent, me };
}

const storedTasks = (): TaskStorage & { readonly path: string } => {
  const path = join(mkdtempSync(join(tmpdir(), 'midcall-tasks-')), 'tasks.json');
  return { ...tasksFile(path), path };
};

describe.each(few(['memory', 'http'], 'http'))('over %s', carrier => {
  it('older-tasks-10, older-tasks-11, older-tasks-22, older-tasks-33, older-tasks-36, older-tasks-68: a tool that can only be called as a task runs, asks its questions, and shows what it says', async () => {
    const work: Work = async ({ ask, say }) => {
      await say('Reading…');
      const { action, content } = await ask('Sure?');
      return said(`${action} ${JSON.stringify(content)}`);
    };
    const { text, me, statuses, sent } = await host(await server(carrier, work));
    expect(await text()).toBe('accept {"value":true}');
    expect(me.seen).toMatchObject([{ kind: 'form', message: 'Sure?', call: { name: 'act' } }]);
    expect(statuses()).toContainEqual({ status: 'input_required', resumable: false, message: 'Sure?' });
    const answer = sent.find(each => each.result !== undefined);
    const meta = { 'io.modelcontextprotocol/related-task': { taskId: expect.any(String) } };
    expect(answer?.result).toMatchObject({ action: 'accept', _meta: meta });
    const about = sent.filter(each => each.method?.startsWith('tasks/'));
    expect(about.map(each => each.method)).toContain('tasks/result');
    expect(JSON.stringify(about)).not.toContain('related-task');
  });

  it('a refusal of the person reaches the task', async () => {
    const work: Work = async ({ ask }) => said((await ask('Sure?')).action);
    const { text } = await host(await server(carrier, work), () => ({ action: 'decline' }));
    expect(await text()).toBe('decline');
  });

  it('task-follower-4: a task may ask sixty questions', async () => {
    const work: Work = async ({ ask }) => {
      let count = 0;
      for (let n = 1; n <= 60; n += 1) if ((await ask(`Question ${n}?`)).action === 'accept') count += 1;
      return said(`${count} of 60`);
    };
    expect(await (await host(await server(carrier, work))).text()).toBe('60 of 60');
  });

  it('an error of the tool is told as the call would tell it, and a task that failed in its own words', async () => {
    const broken = await host(await server(carrier, async () => ({ ...said('It broke.'), isError: true })));
    expect(await broken.run()).toEqual({ content: [{ type: 'text', text: 'It broke.' }], isError: true });
    const failed = await host(
      await server(carrier, async ({ fail }) => {
        await fail('The disk is full.');
        return undefined;
      }),
    );
    await expect(failed.run()).rejects.toThrow(/The disk is full\./);
  });

  it('task-follower-3: a task is cancelled where its call is given up while a question of it is open', async () => {
    let ended: unknown;
    const work: Work = async ({ ask, say }) => {
      await ask('Sure?');
      await say('goes on').catch(error => {
        ended = error;
      });
      return undefined;
    };
    const { run, inbox, sent } = await host(await server(carrier, work), () => undefined);
    const stop = new AbortController();
    const running = run('act', { signal: stop.signal }).catch((error: unknown) => error);
    await eventually(() => inbox.list().length > 0);
    stop.abort();
    expect(await running).toBeInstanceOf(Error);
    expect(inbox.list()).toEqual([]);
    await eventually(() => sent.some(each => each.method === 'tasks/cancel'));
    expect(sent.some(each => each.method === 'notifications/cancelled' && isOfCall(each.params))).toBe(false);
    expect(ended).toBeUndefined();
  });
});

/** True for the id of a request of the SDK's own, which are numbers. */
const isOfCall = (params: unknown): boolean => typeof (params as { requestId: unknown }).requestId === 'number';

it.each([
  ['required', false, true],
  ['optional', true, true],
  ['optional', false, false],
] as const)(
  'older-tasks-05, older-tasks-07: a tool whose support of tasks is %s, kept tasks being %s, is called as one: %s',
  async (support, isKept, isTask) => {
    const work: Work = async () => said('done');
    const kept = isKept ? { tasks: storedTasks() } : {};
    const { run, sent } = await host(await server('memory', work, support), () => yes, kept);
    await run('act');
    await run('plain');
    const calls = sent.filter(each => each.method === 'tools/call');
    expect(calls.map(({ params }) => 'task' in (params as object))).toEqual([isTask, false]);
  },
);

it('task-follower-1, task-follower-3: another process takes a task up, and its result is that of the call', async () => {
  let done = (): void => {};
  const isDone = new Promise<void>(resolve => {
    done = resolve;
  });
  const open = await server('memory', async () => {
    await isDone;
    return said('found');
  });
  const tasks = storedTasks();
  const first = await host(open, () => yes, { tasks });
  const cut = first.run().catch((error: unknown) => error);
  await eventually(() => first.statuses().length > 0);
  expect(statSync(tasks.path).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(tasks.path, 'utf8')).tasks).toMatchObject([
    { call: { name: 'act' }, era: '2025-11-25' },
  ]);
  await first.client.close();
  expect(await cut).toBeInstanceOf(Error);
  await first.attachment.leaveTasks();

  const second = await host(open, () => yes, { tasks });
  const [id] = await second.attachment.resume();
  expect(id).toBe(first.events.find(event => event.type === 'call-started')?.call.id);
  done();
  await eventually(() => second.events.at(-1)?.type === 'call-ended');
  expect(second.events.at(-1)).toMatchObject({ outcome: { how: 'completed', result: said('found') } });
  await second.attachment.leaveTasks();
  expect(await tasks.list()).toEqual([]);
});

it('a task that is unknown to its server is said to be so, and kept no longer', async () => {
  const tasks = storedTasks();
  const first = await host(await server('memory', () => new Promise(() => {})), () => yes, { tasks });
  first.run().catch(() => {});
  await eventually(() => first.statuses().length > 0);
  await first.client.close();
  await first.attachment.leaveTasks();
  const other = await host(await server('memory', async () => said('another')), () => yes, { tasks });
  await other.attachment.resume();
  await eventually(() => other.events.at(-1)?.type === 'call-ended');
  expect(other.events.at(-1)).toMatchObject({ outcome: { how: 'refused', code: -32602 } });
  await other.attachment.leaveTasks();
  expect(await tasks.list()).toEqual([]);
});
