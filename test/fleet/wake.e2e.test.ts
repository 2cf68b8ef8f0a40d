/** What waits at one replica and is answered at another, where nobody looks by the clock: over a real Redis. */
import { type Clock, systemClock } from '@midcall/core/time';
import { midcall } from '@midcall/server';
import { redisJobs, redisWake } from '@midcall/server/fleet';
import { type HttpServing, serveHttp } from '@midcall/server/node';
import { redisStore } from '@midcall/server/stores/redis';
import { McpServer } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Wake } from '../../packages/server/src/base/wake.ts';
import { newPageId, PageRecords } from '../../packages/server/src/connect/page-records.ts';
import type { PageAsk, PageOutcome } from '../../packages/server/src/request/pages.ts';
import { keyRing } from '../../packages/server/src/state/keys.ts';
import { createSealer } from '../../packages/server/src/state/seal.ts';
import { memoryStore } from '../../packages/server/src/stores/memory.ts';
import { grown } from '../fixtures/grown.ts';
import { type RedisServer, redisServer, startRedis } from '../stores/redis-server.ts';
import { fleetKey } from './replicas.ts';

const revision = '2026-07-28';
/** Nothing that is looked at by the clock is looked at. */
const still: Clock = { ...systemClock, after: () => () => {} };

describe.skipIf(!redisServer)('waking over Redis', () => {
  let redis: RedisServer;
  const wakes: Wake[] = [];
  const wake = async (): Promise<Wake> => {
    const made = await redisWake({ connection: { path: redis.socket, retryStrategy: () => 10 } });
    wakes.push(made);
    return made;
  };
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    await Promise.all(wakes.map(each => each.close()));
    await redis.remove();
  });

  it('wake-W1: whoever listens in another process is woken, and once more when nothing is missed any more; who stopped is not', async () => {
    const [a, b] = [await wake(), await wake()];
    const first: string[] = [];
    const second: string[] = [];
    const stop = b.listen('page/one', () => void first.push('woken'));
    b.listen('page/other', () => void second.push('woken'));
    await grown(first, list => list.length === 1);
    await grown(second, list => list.length === 1);
    a.wake('page/one');
    await grown(first, list => list.length === 2);
    // Those who wait in the same process have been told.
    b.wake('page/one');
    stop();
    a.wake('page/one');
    a.wake('page/other');
    await grown(second, list => list.length === 2);
    expect(first).toHaveLength(2);
  });

  it('wake-W1: waking over Redis goes on after Redis was away', async () => {
    const own = await startRedis();
    const connection = { path: own.socket, retryStrategy: () => 10, maxRetriesPerRequest: 0 };
    const [a, b] = [await redisWake({ connection }), await redisWake({ connection })];
    const woken: string[] = [];
    b.listen('task/one', () => void woken.push('woken'));
    await grown(woken, list => list.length === 1);
    await own.kill();
    await own.start();
    // Either may take its time to come back, and what is said meanwhile is lost.
    for (let before = woken.length; woken.length === before; ) {
      a.wake('task/one');
      await new Promise(resolve => setTimeout(resolve, 10));
    }
    await Promise.all([a.close(), b.close()]);
    await own.remove();
  });

  it('a request that is held for a page at one replica hears at once what became of it at another', async () => {
    const store = memoryStore();
    const sealer = createSealer(keyRing(fleetKey));
    const records = async () =>
      new PageRecords({ store, sealer, wake: await wake(), clock: still, warn() {}, audit() {} });
    const [held, visited] = [await records(), await records()];
    const page: PageAsk = {
      pageId: newPageId(),
      kind: 'confirm',
      data: { title: 'Allow this call?' },
      message: 'This moves 14 notes.',
      check: 'none',
      call: { method: 'tools/call', name: 'notes_archive' } as PageAsk['call'],
      arguments: {},
      askedAt: Date.now(),
      dueAt: Date.now() + 86_400_000,
    };
    await held.issue(page);
    const outcome = held.outcome(page.pageId, 86_400_000);
    const made: PageOutcome = { action: 'accept', content: true, assurance: 'in-band', at: Date.now() };
    expect(await visited.takeTurn(page, 'accept')).toBe(true);
    await visited.settle(page, made);
    expect(await outcome).toEqual(made);
  });

  it('a subscription at one replica is told at once of a task that is answered, or cancelled, at another', async () => {
    const servings: HttpServing[] = [];
    const closes: (() => Promise<void>)[] = [];
    for (let at = 0; at < 2; at += 1) {
      const connection = redis.connect();
      const mid = midcall({
        key: fleetKey,
        store: redisStore({ send: ([command = '', ...args]) => connection.call(command, ...args) }),
        jobs: await redisJobs({ connection: { path: redis.socket }, prefix: '{wake:jobs}' }),
        wake: await redisWake({ connection: { path: redis.socket } }),
        clock: still,
        suspectBelowMs: 0,
        warn: () => {},
      });
      const serving = await serveHttp(() => {
        const server = new McpServer({ name: 'wake', version: '1.0.0' });
        mid.tool(server, 'ask', { task: 'always' }, async (_, call) => {
          const answer = await call.elicit({ message: 'Go on?', form: Boolean });
          return { content: [{ type: 'text', text: answer.action }] };
        });
        return server;
      });
      servings.push(serving);
      closes.push(async () => {
        await mid.stop();
        await serving.stop({ within: 0 });
        connection.disconnect();
      });
    }
    let id = 0;
    const post = (at: number, method: string, params: Record<string, unknown>) => {
      id += 1;
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': revision,
        'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {
          elicitation: {},
          extensions: { 'io.modelcontextprotocol/tasks': {} },
        },
      };
      return fetch(servings[at]!.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': revision,
          'mcp-method': method,
          ...(params['name'] || params['taskId'] ? { 'mcp-name': String(params['name'] ?? params['taskId']) } : {}),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }),
      });
    };
    const send = async (at: number, method: string, params: Record<string, unknown>) => {
      const text = await (await post(at, method, params)).text();
      const { result } = JSON.parse(text.startsWith('{') ? text : text.slice(text.lastIndexOf('data: {') + 6));
      return result as { taskId: string; status: string; inputRequests: Record<string, unknown> };
    };
    for (const end of ['completed', 'cancelled']) {
      const { taskId } = await send(0, 'tools/call', { name: 'ask', arguments: {} });
      const stream = await post(1, 'subscriptions/listen', { notifications: { taskIds: [taskId] } });
      const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      const until = async (found: RegExp) => {
        while (!found.test(text)) {
          const { value, done } = await reader.read();
          if (done) throw new Error(`The stream ended: ${text}`);
          text += value;
        }
      };
      await until(/"input_required"/);
      const { inputRequests } = await send(0, 'tasks/get', { taskId });
      const inputResponses = { [Object.keys(inputRequests)[0]!]: { action: 'accept', content: { value: true } } };
      if (end === 'completed') await send(0, 'tasks/update', { taskId, inputResponses });
      else await send(0, 'tasks/cancel', { taskId });
      await until(new RegExp(`"${end}"`));
      await reader.cancel();
    }
    await Promise.all(closes.map(close => close()));
  });
});
