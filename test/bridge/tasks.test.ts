/** Servers with tasks behind a bridge, and hosts with and without: every call comes to its end, whatever carries it. */
import { Rules } from '@midcall/host';
import type { Midcall } from '@midcall/server';
import { type Era, eras } from '@midcall/testing';
import type { McpServer, Transport } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { said, servedOverHttp, type Work } from '../host/tasks/task-server.ts';
import { type Json, rawHost } from './raw.ts';
import { bridgeStage, pairs, stage, textOf } from './stage.ts';
import { until } from './until.ts';

const accepted = { action: 'accept' as const, content: { value: true } };
const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const form = { elicitation: { form: {} } };

/** A tool of ours that is always a task where the client has them. */
const serve = (mid: Midcall, server: McpServer): void => {
  mid.tool(server, 'act', { task: 'always' }, async (_, call) => {
    const { action } = await call.elicit({ message: 'Sure?', form: Boolean });
    return { content: [{ type: 'text', text: `task: ${action}` }] };
  });
};

/** The same by SDK v1, which has tasks of 2025-11-25 alone. */
const work: Work = async ({ ask, say }) => {
  await say('Thinking…');
  return said(`task: ${(await ask('Sure?')).action}`);
};

async function upstreamOf(era: Era) {
  return era === '2026-07-28' ? { serve } : { url: (await servedOverHttp(work)).href };
}

describe.each(pairs)('a host of %s, a server of %s with tasks', (host, upstream) => {
  it.each([
    ['without', form],
    ['with', { ...form, ...tasks }],
  ])(
    'the person of a host %s tasks is asked what a task asks, and the host gets its result',
    async (_, capabilities) => {
      await using on = await stage({
        host,
        upstream,
        ...(await upstreamOf(upstream)),
        answers: [accepted],
        capabilities,
      });
      const messages: (string | undefined)[] = [];
      const result = await on.client.callTool(
        { name: 'act', arguments: {} },
        { onprogress: ({ message }) => void messages.push(message) },
      );
      expect(textOf(result)).toBe('task: accept');
      expect(on.person.asked).toHaveLength(1);
      if (upstream === '2025-11-25') expect(messages).toContain('Sure?');
    },
  );

  it('tools are shown as what they can be here: a task where the host asks for one, said on 2025-11-25 alone', async () => {
    await using on = await stage({ host, upstream, ...(await upstreamOf(upstream)), capabilities: form });
    const { tools } = await on.client.listTools();
    expect(tools.find(({ name }) => name === 'act')).toBeDefined();
    const execution = host === '2025-11-25' ? { taskSupport: 'optional' } : undefined;
    for (const tool of tools) expect(tool.execution).toEqual(execution);
    const { tasks: older, extensions } = on.client.getServerCapabilities()!;
    expect(older).toEqual(
      host === '2025-11-25' ? { list: {}, cancel: {}, requests: { tools: { call: {} } } } : undefined,
    );
    expect(extensions).toMatchObject(tasks.extensions);
  });
});

/** A host that has tasks, as nothing but its frames. */
async function taskHost(near: Transport, era: Era, capabilities: Json) {
  const isOld = era === '2025-11-25';
  const host = rawHost(near, era, { ...capabilities, ...(!isOld && tasks) });
  await near.start();
  const introduced = await host.introduce();
  const ask = async (method: string, params: Json): Promise<Json> => {
    const { result, error } = await host.ask(method, params);
    if (!result) throw new Error(String(error?.['message']));
    return result;
  };
  const get = (taskId: string) => ask('tasks/get', { taskId });
  return {
    ...host,
    introduced,
    /** @returns the id of the task that a call became */
    async begin(): Promise<string> {
      const result = await ask('tools/call', { name: 'act', arguments: { a: 1 }, ...(isOld && { task: {} }) });
      const task = (isOld ? result['task'] : result) as Json;
      expect(isOld ? undefined : task['resultType']).toBe(isOld ? undefined : 'task');
      expect(task['taskId']).toBeTypeOf('string');
      return task['taskId'] as string;
    },
    /** The task, once it has this status. */
    async until(taskId: string, status: string): Promise<Json> {
      for (;;) {
        const task = await get(taskId);
        if (task['status'] === status) return task;
        expect(['working', 'input_required']).toContain(task['status']);
        await new Promise(resolve => setImmediate(resolve));
      }
    },
    /** What came of a task. */
    async result(taskId: string): Promise<string> {
      if (isOld) return textOf(await ask('tasks/result', { taskId }));
      return textOf((await this.until(taskId, 'completed'))['result'] as Json);
    },
    /** Answers what a task asks, as it is asked in this revision. */
    async answer(taskId: string, content: Json): Promise<string> {
      const answered = { action: 'accept', content };
      if (isOld) {
        host.answers(({ params }) => {
          expect(params).toMatchObject({ _meta: { 'io.modelcontextprotocol/related-task': { taskId } } });
          return { result: answered };
        });
        return this.result(taskId);
      }
      const { inputRequests } = await this.until(taskId, 'input_required');
      const [key] = Object.keys(inputRequests as Json) as [string];
      await ask('tasks/update', { taskId, inputResponses: { [key]: answered } });
      return this.result(taskId);
    },
    cancel: (taskId: string) => ask('tasks/cancel', { taskId }),
  };
}

/** Something that is awaited until the test lets it go on. */
function gate() {
  let open = (): void => {};
  const opened = new Promise<void>(resolve => {
    open = resolve;
  });
  return { opened, open };
}

/**
 * A server with tasks of its own, or without, whose tool asks once it may. `begun` is when it runs, `stopped` when a call of it
 * is given up; a server of SDK v1 tells of neither.
 */
async function gatedUpstream(era: Era, hasTasks: boolean) {
  const { opened, open } = gate();
  const [begun, stopped] = [gate(), gate()];
  if (hasTasks && era === '2025-11-25') {
    const asks: Work = async ({ ask }) => {
      await opened;
      return said(`came: ${(await ask('Sure?')).action}`);
    };
    return { url: (await servedOverHttp(asks)).href, open, begun: Promise.resolve() };
  }
  let runs = false;
  const serve = (mid: Midcall, server: McpServer): void => {
    // One is made for each request: the one after the call asks after its task.
    if (runs) begun.open();
    mid.tool(server, 'act', { task: hasTasks ? 'always' : 'never' }, async (_, call) => {
      call.defer(end => {
        if (end === 'cancelled') stopped.open();
      });
      runs = true;
      if (!hasTasks) begun.open();
      await opened;
      const { action } = await call.elicit({ message: 'Sure?', form: Boolean });
      return `came: ${action}`;
    });
  };
  return { serve, open, begun: begun.opened, stopped: stopped.opened };
}

const cells = pairs.flatMap(([host, upstream]) => [true, false].map(has => [host, upstream, has] as const));

describe.each(cells)('a host of %s with tasks, a server of %s (has tasks: %s)', (host, upstream, hasTasks) => {
  /** So short that a call which waits is a task at once. */
  const options = { holdMs: 1 };

  it('the host gets a task for a call that waits, and answers what it asks there', async () => {
    const { open, begun: _, stopped: __, ...served } = await gatedUpstream(upstream, hasTasks);
    const on = await bridgeStage({ upstream, options, ...served });
    const me = await taskHost(on.near, host, form);
    const taskId = await me.begin();
    open();
    expect(await me.answer(taskId, { value: true })).toBe('came: accept');
    await me.until(taskId, 'completed');
    expect(on.opened).toEqual([]);
    await on.close();
  });

  it('the host gets a task in place of being told to call again, where the person answers on the desk', async () => {
    const { open, begun: _, stopped: __, ...served } = await gatedUpstream(upstream, hasTasks);
    open();
    const on = await bridgeStage({ upstream, options, ...served, atDesk: () => {} });
    const me = await taskHost(on.near, host, {});
    const taskId = await me.begin();
    await until(() => on.inbox.list().some(({ kind }) => kind === 'form'));
    expect(await me.until(taskId, 'working')).toMatchObject({ taskId });
    const [question] = on.inbox.list();
    await on.inbox.reply(question!.id, { action: 'accept', content: { value: true } }, 'test');
    expect(await me.result(taskId)).toBe('came: accept');
    await on.close();
  });

  it.each(['while it waits for the host', 'while it runs'])(
    'the call of a task that is cancelled is stopped: %s',
    async when => {
      const { open, begun, stopped, ...served } = await gatedUpstream(upstream, hasTasks);
      const on = await bridgeStage({ upstream, options, ...served });
      const me = await taskHost(on.near, host, form);
      const taskId = await me.begin();
      await begun;
      if (when !== 'while it runs') {
        open();
        await me.until(taskId, 'input_required');
        expect(on.inbox.list()).toHaveLength(1);
      }
      await me.cancel(taskId);
      await me.until(taskId, 'cancelled');
      // A server of 2026-07-28 that has asked runs nothing of the call then.
      if (when === 'while it runs' || upstream === '2025-11-25') await stopped;
      await until(() => on.inbox.list().length === 0);
      await on.close();
    },
  );
});

describe.each(eras)('a host of %s with tasks', host => {
  it('a host with tasks is not asked any more what its server has taken back, and gets the result all the same', async () => {
    const back = new AbortController();
    const { opened, open } = gate();
    const serve = (_: Midcall, server: McpServer): void => {
      server.registerTool('act', { inputSchema: z.looseObject({}) }, async (_given, { mcpReq }) => {
        await opened;
        const requestedSchema = { type: 'object', properties: { value: { type: 'boolean' } } } as const;
        const params = { mode: 'form', message: 'Sure?', requestedSchema } as const;
        const answer = await mcpReq.send({ method: 'elicitation/create', params }, { signal: back.signal }).then(
          ({ action }) => action,
          () => 'taken back',
        );
        return { content: [{ type: 'text', text: `came: ${answer}` }] };
      });
    };
    const on = await bridgeStage({ upstream: '2025-11-25', options: { holdMs: 1 }, serve });
    const me = await taskHost(on.near, host, form);
    const taskId = await me.begin();
    open();
    await me.until(taskId, 'input_required');
    back.abort();
    expect(await me.result(taskId)).toBe('came: taken back');
    await on.close();
  });
});

it.each(pairs)(
  'a host of %s with tasks, a server of %s: a call that the rules ask about is made after the yes, and not before',
  async (host, upstream) => {
    const made: unknown[] = [];
    const acts = (_: Midcall, server: McpServer): void => {
      server.registerTool('act', { inputSchema: z.object({ a: z.number() }) }, async args => {
        made.push(args);
        return { content: [{ type: 'text', text: 'acted' }] };
      });
    };
    const rules = new Rules({ rules: [{ server: 'upstream', tools: ['act'], effect: 'ask' }] });
    const on = await bridgeStage({ upstream, options: { holdMs: 1, rules }, serve: acts, atDesk: () => {} });
    const me = await taskHost(on.near, host, {});
    const taskId = await me.begin();
    await until(() => on.inbox.list().length === 1);
    expect(await me.until(taskId, 'working')).toMatchObject({ taskId });
    expect(made).toEqual([]);
    await on.inbox.reply(on.inbox.list()[0]!.id, { action: 'accept' }, 'test');
    expect(await me.result(taskId)).toBe('acted');
    expect(made).toEqual([{ a: 1 }]);
    await on.close();
  },
);
