/** `mid.handle`: one handler for every request of a method, as behind a gateway. */

import { systemClock } from '@midcall/core/time';
import { type GatewayCall, type Midcall, midcall } from '@midcall/server';
import { connect } from '@midcall/server/connect';
import { connectPair, pairings, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rawClient } from '../raw-client.ts';

type Json = Readonly<Record<string, unknown>>;
type Numbered = (number: number, call: GatewayCall, params: Json & { readonly _meta?: Json }) => Promise<Json>;

interface Told {
  readonly taskId: string;
  readonly status: string;
  readonly inputRequests?: Json;
  readonly result?: { readonly content: readonly { readonly text: string }[] };
}

const gateway = () => {
  const server = new McpServer({ name: 'gateway', version: '1.0.0' });
  server.server.registerCapabilities({ tools: {}, resources: {} });
  return server;
};

describe.each(pairings)('%s over %s', (era, carrier) => {
  it('a handler of mid.handle asks in the middle of a tool that nobody registered, and acts once', async () => {
    const mid = midcall({ suspectBelowMs: 0, warn: () => {} });
    const done: unknown[] = [];
    const factory = () => {
      const server = gateway();
      mid.handle(server, 'tools/call', async ({ params }, call) => {
        const { action } = await call.elicit({ message: `Run ${params['name']}?`, form: { sure: Boolean } });
        if (action === 'accept') await call.step('run', () => void done.push(params['arguments']));
        return { content: [{ type: 'text' as const, text: action }] };
      });
      return server;
    };
    const person = scriptedPerson([{ action: 'accept', content: { sure: true } }]);
    await using pair = await connectPair(factory, { era, carrier, person });
    const result = await pair.client.callTool({ name: 'made-up', arguments: { a: 1 } });
    expect(result.content).toEqual([{ type: 'text', text: 'accept' }]);
    expect(person.asked[0]?.params['message']).toBe('Run made-up?');
    expect(done).toEqual([{ a: 1 }]);
  });

  it('a request of mid.handle is answered with the error that its handler throws', async () => {
    const mid = midcall({ warn: () => {} });
    const factory = () => {
      const server = gateway();
      mid.handle(server, 'resources/read', ({ params }) => {
        throw Object.assign(new Error(`no ${params['uri']}`), { code: -32002 });
      });
      return server;
    };
    await using pair = await connectPair(factory, { era, carrier });
    await expect(pair.client.readResource({ uri: 'test://none' })).rejects.toThrow('no test://none');
  });
});

it.each([
  ['pages', { pages: connect({ name: 'Test' }) }],
  ['the relay', { channels: ['native', 'relay'] as const }],
])('mid.handle is refused beside %s, whose resume is a tool of its own', (_, options) => {
  const mid = midcall(options);
  expect(() => mid.handle(gateway(), 'tools/call', () => ({ content: [] }))).toThrow(/no place for `resume`/);
});

it('mid.handle says what is wrong with its arguments', () => {
  const mid = midcall();
  expect(() => mid.handle(gateway(), 'tools/list' as never, () => ({}))).toThrow(TypeError);
  expect(() => mid.handle({} as never, 'tools/call', () => ({ content: [] }))).toThrow(TypeError);
  expect(() => mid.handle(gateway(), 'tools/call', undefined as never)).toThrow(TypeError);
  const asTask = { task: 'always' } as const;
  expect(() => mid.handle(gateway(), 'prompts/get', () => ({ messages: [] }), asTask)).toThrow(
    'mid.handle: only calls of tools become tasks, not prompts/get.',
  );
  expect(() => mid.handle(gateway(), 'tools/call', () => ({}), { task: 'sometimes' as never })).toThrow(TypeError);
});

describe.each(['memory', 'http'] as const)('as tasks, over %s', carrier => {
  const extension = 'io.modelcontextprotocol/tasks';
  const capabilities = { elicitation: {}, extensions: { [extension]: {} } };

  /** Each server that is made has a number, which its handler tells. */
  async function numbered(task: 'always' | 'when-needed', mid: Midcall, handler: Numbered) {
    let servers = 0;
    const factory = () => {
      const server = gateway();
      servers += 1;
      const number = servers;
      mid.handle(server, 'tools/call', ({ params }, call) => handler(number, call, params), { task });
      return server;
    };
    const client = await rawClient(factory, carrier);
    onTestFinished(() => client[Symbol.asyncDispose]());
    const send = (method: string, params: object) =>
      client.send(method, params as never, { capabilities }).then(({ result }) => result as unknown as Told);
    const get = (taskId: string) => send('tasks/get', { taskId });
    const until = async (taskId: string, status: string): Promise<Told> => {
      expect(taskId).toBeTypeOf('string');
      for (;;) {
        const told = await get(taskId);
        if (told.status === status) return told;
        expect(['working', 'input_required']).toContain(told.status);
        await new Promise(resolve => setImmediate(resolve));
      }
    };
    return { send, until };
  }

  it('a task of mid.handle goes on at the server that took the call, with all that the call said', async () => {
    const mid = midcall({ suspectBelowMs: 0, warn: () => {} });
    onTestFinished(() => mid.stop());
    const overs: AbortSignal[] = [];
    const { send, until } = await numbered('always', mid, async (number, call, params) => {
      call.onTask(over => void overs.push(over));
      expect(call.outlivesRequest).toBe(true);
      const { action } = await call.elicit({ message: 'Sure?', form: Boolean });
      return { content: [{ type: 'text', text: `${number} ${action} ${params['_meta']?.['trace']}` }] };
    });
    // Servers that came before know nothing of this call.
    await send('tools/call', { name: 'any', arguments: {} });
    const { taskId } = await send('tools/call', { name: 'any', arguments: {}, _meta: { trace: 't-1' } });
    const { inputRequests } = await until(taskId, 'input_required');
    const [key] = Object.keys(inputRequests!) as [string];
    expect(overs.at(-1)?.aborted).toBe(false);
    await send('tasks/update', { taskId, inputResponses: { [key]: { action: 'accept', content: { value: true } } } });
    const { result } = await until(taskId, 'completed');
    expect(result?.content[0]?.text).toBe(`${carrier === 'http' ? 2 : 1} accept t-1`);
    expect(overs.at(-1)?.aborted).toBe(true);
  });

  it('a handler is told that its task is over, where the call became a task and was cancelled while it waited', async () => {
    // Time passes for the call once its handler runs, and for nothing else.
    let pass = (): void => {};
    let ended = (): void => {};
    const over = new Promise<void>(resolve => {
      ended = resolve;
    });
    const after = (ms: number, fn: () => void): (() => void) => {
      if (ms === 20_000) pass = fn;
      return () => {};
    };
    const mid = midcall({ suspectBelowMs: 0, clock: { ...systemClock, after }, warn: () => {} });
    onTestFinished(() => mid.stop());
    const { send, until } = await numbered('when-needed', mid, async (_, call) => {
      const isTask = new Promise<void>(resolve =>
        call.onTask(signal => {
          signal.addEventListener('abort', ended);
          resolve();
        }),
      );
      pass();
      await call.step('wait until it is a task', () => isTask);
      const { action } = await call.elicit({ message: 'Sure?', form: Boolean });
      return { content: [{ type: 'text', text: action }] };
    });
    const { taskId } = await send('tools/call', { name: 'any', arguments: {} });
    await until(taskId, 'input_required');
    await send('tasks/cancel', { taskId });
    await over;
  });

  it('a task of mid.handle goes on without an answer where its question is taken back', async () => {
    const mid = midcall({ suspectBelowMs: 0, warn: () => {} });
    onTestFinished(() => mid.stop());
    const back = new AbortController();
    const { send, until } = await numbered('always', mid, async (_, call) => {
      const answer = await call.elicit({ message: 'Sure?', form: Boolean }, back.signal);
      return { content: [{ type: 'text', text: `${answer.action} ${'reason' in answer && answer.reason}` }] };
    });
    const { taskId } = await send('tools/call', { name: 'any', arguments: {} });
    await until(taskId, 'input_required');
    back.abort();
    expect((await until(taskId, 'completed')).result?.content[0]?.text).toBe('cancel error');
  });
});
