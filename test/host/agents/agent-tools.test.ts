/** Tools for agent frameworks: one call per id, whatever becomes of the process that made it. */
import { randomBytes } from 'node:crypto';
import {
  agentTools,
  Connection,
  type Era,
  Inbox,
  type Question,
  type Reply,
  type Store,
  urlTarget,
} from '@midcall/host';
import { type Call, midcall } from '@midcall/server';
import { serveHttp } from '@midcall/server/node';
import { memoryStore } from '@midcall/server/stores/memory';
import { eras } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const key = randomBytes(32).toString('base64');
const yes: Reply = { action: 'accept', content: { value: true } };
/** No process has this number. */
const gonePid = 2 ** 22 + 1;

/** A store in a map, and what a process that is killed now would leave in it. */
function memory(entries: ReadonlyMap<string, string> = new Map()) {
  const values = new Map(entries);
  const store: Store = {
    get: async name => values.get(name),
    async set(name, value, { ifAbsent, ifEquals } = {}) {
      if (ifAbsent ? values.has(name) : ifEquals !== undefined && values.get(name) !== ifEquals) return false;
      values.set(name, value);
      return true;
    },
    delete: async name => void values.delete(name),
    async take(name) {
      const value = values.get(name);
      values.delete(name);
      return value;
    },
    sortedSets: memoryStore().sortedSets,
  };
  const holder = /"pid":\d+,"host":("[^"]*")(?:,"began":"[^"]*")?/;
  const heldBy = (pid: number) =>
    memory(new Map([...values].map(([name, value]) => [name, value.replace(holder, `"pid":${pid},"host":$1`)])));
  return { store, heldBy };
}

/** A server whose tools ask, and note what they have done. */
async function server() {
  const mid = midcall({ key, suspectBelowMs: 0, warn: () => {} });
  const done: string[] = [];
  const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
  const pay = async (order: string, call: Call) => {
    const answer = await call.elicit({ message: `Pay ${order}?`, form: Boolean });
    if (answer.action !== 'accept') return text(`not paid: ${answer.action}`);
    await call.step('pay', () => done.push(order));
    return text(`paid ${order}`);
  };
  const inputSchema = z.object({ order: z.string() });
  const factory = () => {
    const mcp = new McpServer({ name: 'shop', version: '1.0.0' });
    mid.tool(mcp, 'pay', { description: 'Pays an order.', inputSchema }, ({ order }, call) => pay(order, call));
    mid.tool(mcp, 'look', { inputSchema, annotations: { readOnlyHint: true } }, ({ order }, call) => pay(order, call));
    mid.tool(mcp, 'fail', {}, async () => ({ ...text('It broke.'), isError: true }));
    mid.tool(mcp, 'mixed', {}, async () => ({
      content: [
        { type: 'text' as const, text: 'Here:' },
        { type: 'image' as const, data: 'AA==', mimeType: 'image/png' },
        { type: 'resource_link' as const, uri: 'file:///a', name: 'a' },
      ],
    }));
    mcp.registerTool('view_only', { _meta: { ui: { visibility: ['app'] } } }, async () => text('for the App'));
    return mcp;
  };
  const serving = await serveHttp(factory, { port: 0 });
  onTestFinished(() => serving.stop({ within: 0 }));
  return { done, url: serving.url.href };
}

async function host(url: string, era: Era, store?: Store) {
  const inbox = new Inbox();
  const connection = new Connection(
    { id: 'shop', target: urlTarget(url) },
    { client: { name: 'agent', version: '1.0.0' }, inbox, era, ...(store && { store }) },
  );
  await connection.start();
  onTestFinished(() => connection.stop({ keepQuestions: true }));
  const tools = await agentTools(connection);
  const tool = (name: string) => tools.find(each => each.name === name)!;
  return { inbox, connection, tools, tool };
}

const asked = (call: { readonly state: string; readonly questions?: readonly Question[] }): readonly Question[] => {
  expect(call.state).toBe('waiting');
  return call.questions!;
};

const notKnown = 'It is not known what the call has done. Find that out before you make it again.';

describe.each(eras)('%s', era => {
  it('agent-tools-1: whoever asks again under an id joins its call, and gets its end when it is over', async () => {
    const { done, url } = await server();
    const { inbox, tool, connection } = await host(url, era, memory().store);
    const pay = tool('pay');
    expect(pay).toMatchObject({ description: 'Pays an order.', inputSchema: { required: ['order'] } });
    const [question] = asked(await pay.start({ order: 'o-1' }, { id: 'a' }));
    expect(JSON.parse(JSON.stringify(question))).toEqual(question);
    expect(question).toMatchObject({ kind: 'form', message: 'Pay o-1?', call: { id: 'a', name: 'pay' } });
    expect(asked(await pay.start({ order: 'o-1' }, { id: 'a' }))).toEqual([question]);
    const joined = pay.call({ order: 'o-1' }, { id: 'a' });
    await expect(pay.call({ order: 'o-2' }, { id: 'a' })).rejects.toMatchObject({ code: 'host/refused' });
    await inbox.reply(question!.id, yes, 'test');
    const reply = { text: 'paid o-1', isError: false };
    expect(await joined).toMatchObject(reply);
    const [again] = (await agentTools(connection)).filter(each => each.name === 'pay');
    expect(await again!.start({ order: 'o-1' }, { id: 'a' })).toMatchObject({ state: 'ended', reply });
    await expect(pay.call({ order: 'o-2' }, { id: 'a' })).rejects.toMatchObject({ code: 'host/refused' });
    expect(done).toEqual(['o-1']);
  });

  it('agent-tools-1: without a store, the end of a call is remembered in the process', async () => {
    const { done, url } = await server();
    const { inbox, tool } = await host(url, era);
    const [question] = asked(await tool('pay').start({ order: 'o-1' }, { id: 'a' }));
    await inbox.reply(question!.id, yes, 'test');
    for (const _ of [1, 2]) expect((await tool('pay').call({ order: 'o-1' }, { id: 'a' })).text).toBe('paid o-1');
    expect(done).toEqual(['o-1']);
  });

  it('agent-tools-2, attach-H4: what a process that was killed had open is taken up on 2026-07-28, and in doubt on 2025-11-25', async () => {
    const { done, url } = await server();
    const { store, heldBy } = memory();
    const before = await host(url, era, store);
    const left = [];
    for (const [id, order, name] of [
      ['a', 'o-1', 'pay'],
      ['b', 'o-2', 'pay'],
      ['c', 'o-3', 'look'],
    ] as const)
      left.push(...asked(await before.tool(name).start({ order }, { id })));
    const after = await host(url, era, heldBy(gonePid).store);
    if (era === '2025-11-25') {
      const reply = await after.tool('pay').call({ order: 'o-2' }, { id: 'b' });
      expect(reply).toMatchObject({ isError: true, outcome: { how: 'abandoned', inDoubt: true } });
      expect(reply.text).toMatch(/^The call of 'pay' was interrupted: /);
      expect(await after.tool('pay').start({ order: 'o-2' }, { id: 'b' })).toMatchObject({ state: 'ended', reply });
      const [question] = asked(await after.tool('look').start({ order: 'o-3' }, { id: 'c' }));
      await after.inbox.reply(question!.id, yes, 'test');
      expect((await after.tool('look').call({ order: 'o-3' }, { id: 'c' })).text).toBe('paid o-3');
      expect(done).toEqual(['o-3']);
      return;
    }
    // agent-tools-3: in any order, with a call of its own between them, each under the id of its question.
    asked(await after.tool('pay').start({ order: 'o-4' }, { id: 'd' }));
    for (const [at, id, order] of [
      [1, 'b', 'o-2'],
      [0, 'a', 'o-1'],
    ] as const) {
      expect(asked(await after.tool('pay').start({ order }, { id }))[0]!.id).toBe(left[at]!.id);
      await after.inbox.reply(left[at]!.id, yes, 'test');
      expect((await after.tool('pay').call({ order }, { id })).text).toBe(`paid ${order}`);
    }
    expect(done).toEqual(['o-2', 'o-1']);
  });

  it('agent-tools-1: a call that another process runs is refused, and one that is stopped says so', async () => {
    const { done, url } = await server();
    const { store, heldBy } = memory();
    const { tool } = await host(url, era, store);
    asked(await tool('pay').start({ order: 'o-1' }, { id: 'a' }));
    const other = await host(url, era, heldBy(1).store);
    await expect(other.tool('pay').call({ order: 'o-1' }, { id: 'a' })).rejects.toThrow(/process 1 runs it/);
    const stop = new AbortController();
    const stopped = tool('pay').call({ order: 'o-1' }, { id: 'a', signal: stop.signal });
    stop.abort();
    expect(await stopped).toMatchObject({ isError: true, text: `The person stopped the call. ${notKnown}` });
    const never = await tool('pay').call({ order: 'o-5' }, { id: 'e', signal: AbortSignal.abort() });
    expect(never).toMatchObject({
      outcome: { how: 'cancelled' },
      text: 'The person stopped the call. Nothing was sent.',
    });
    expect(done).toEqual([]);
  });
});

it('attach-H4: a round is in the store before any of its questions is shown', async () => {
  const { url } = await server();
  const { store } = memory();
  let write = (): void => {};
  let wrote = (): void => {};
  const writing = new Promise<void>(resolve => {
    wrote = resolve;
  });
  const written = new Promise<void>(resolve => {
    write = resolve;
  });
  const slow: Store = {
    ...store,
    async set(name, value, options) {
      if (name.startsWith('host:rounds:')) {
        wrote();
        await written;
      }
      return store.set(name, value, options);
    },
  };
  const { tool, inbox } = await host(url, '2026-07-28', slow);
  const call = tool('pay').start({ order: 'o-1' }, { id: 'a' });
  await writing;
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  expect(inbox.list()).toEqual([]);
  write();
  asked(await call);
});

it('agent-tools-2: a call that could not be sent, since its server was not running, is not in doubt', async () => {
  const { url } = await server();
  const { tool, connection } = await host(url, '2026-07-28', memory().store);
  await connection.stop();
  await expect(tool('fail').call({}, { id: 'g' })).rejects.toMatchObject({ code: 'host/server-gone' });
  await connection.start();
  expect((await tool('fail').call({}, { id: 'g' })).text).toBe('It broke.');
});

it.each(eras)('a model is told that a call is in doubt whose server has gone, on %s', async era => {
  const { url } = await server();
  const { tool, connection } = await host(url, era);
  await tool('pay').start({ order: 'o-1' }, { id: 'a' });
  const ended = tool('pay').call({ order: 'o-1' }, { id: 'a' });
  await connection.stop();
  expect((await ended).text).toContain('It is not known what the call has done.');
});

it('a model is told what came instead of text, and is offered no tools that are an App’s alone', async () => {
  const { url } = await server();
  const { tools, tool } = await host(url, '2026-07-28');
  expect(tools.map(({ name }) => name)).toEqual(['pay', 'look', 'fail', 'mixed']);
  expect(await tool('fail').call(undefined, { id: 'f' })).toMatchObject({ isError: true, text: 'It broke.' });
  const mixed = await tool('mixed').call({}, { id: 'm' });
  expect(mixed.text).toBe('Here:\n[image]\n[resource_link: file:///a]');
  const refused = await tool('pay').call({ order: 7 }, { id: 'r' });
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('order') });
});
