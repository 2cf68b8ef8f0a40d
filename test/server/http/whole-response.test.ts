/** Requests of a session: answered as JSON where nothing but a response is needed, and on a stream otherwise (sessions-H8). */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { mcpEndpoint } from '../../../packages/server/src/http/endpoint.ts';
import { nodeHandler } from '../../../packages/server/src/http/node-handler.ts';
import { serveHttp } from '../../../packages/server/src/http/serve.ts';
import type { SessionOptions } from '../../../packages/server/src/http/sessions.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of open.splice(0).reverse()) await end();
});

const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });
const revision = '2025-11-25';

/** Ways to reach an endpoint: as a server in Node, and by its requests alone. */
const rims = ['Node', 'fetch'] as const;

async function session(rim: (typeof rims)[number], sessions: SessionOptions = {}) {
  let runs = 0;
  let finish = (): void => {};
  const finished = new Promise<void>(resolve => {
    finish = resolve;
  });
  let begun = (): void => {};
  const waits = new Promise<void>(resolve => {
    begun = resolve;
  });
  let hear = (): void => {};
  const heard = new Promise<void>(resolve => {
    hear = resolve;
  });
  const factory = () => {
    const server = new McpServer({ name: 'whole', version: '1.0.0' }, { capabilities: { logging: {} } });
    server.server.setNotificationHandler('notifications/roots/list_changed', () => hear());
    server.registerTool('quick', { inputSchema: z.object({ n: z.number() }) }, ({ n }) => said(`quick ${n}`));
    server.registerTool('logs', {}, async ctx => {
      runs += 1;
      for (const data of ['one', 'two']) await ctx.mcpReq.log('info', data);
      return said('logged');
    });
    server.registerTool('waits', {}, async () => {
      runs += 1;
      begun();
      await finished;
      return said('waited');
    });
    server.registerTool('leaves', {}, async ctx => {
      ctx.http?.closeSSE?.();
      begun();
      await finished;
      return said('left');
    });
    const fail = (): never => {
      throw new Error('The guard is broken.');
    };
    server.registerTool('broken', { scopeChallenge: fail }, () => {
      runs += 1;
      return said('no');
    });
    server.registerTool('hurries', { inputSchema: z.object({ n: z.number() }) }, async ({ n }, ctx) => {
      for (const data of ['one', 'two', 'three']) {
        void ctx.mcpReq.log('info', data);
        for (let turn = 0; turn < n; turn++) await null;
      }
      return said('logged');
    });
    let asked = 0;
    server.registerTool(
      'once',
      { scopeChallenge: () => (asked++ > 0 ? { scopes: ['more'] } : undefined) },
      async () => {
        begun();
        await finished;
        return said('admitted');
      },
    );
    const scopeChallenge = async () => {
      begun();
      await finished;
      return undefined;
    };
    server.registerTool('asks_first', { scopeChallenge }, () => {
      runs += 1;
      return said('ran');
    });
    server.registerTool('guarded', { scopeChallenge: () => ({ scopes: ['more'] }) }, () => said('no'));
    return server;
  };
  let fetched: (init: RequestInit) => Promise<Response>;
  if (rim === 'Node') {
    const serving = await serveHttp(factory, { sessions });
    open.push(() => serving.stop({ within: 0 }));
    fetched = init => fetch(serving.url, init);
  } else {
    const endpoint = mcpEndpoint(factory, { sessions });
    open.push(() => endpoint.stop({ within: 0 }));
    fetched = init => endpoint.fetch(new Request('http://127.0.0.1/mcp', init));
  }
  let known: Readonly<Record<string, string>> = {};
  const send = (
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
    method = 'POST',
    init: RequestInit = {},
  ) =>
    fetched({
      ...init,
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...known,
        ...headers,
      },
    });
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const first = await send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await first.text();
  known = { 'mcp-session-id': first.headers.get('mcp-session-id')!, 'mcp-protocol-version': revision };
  const call = (id: number, name: string, given = {}, init: RequestInit = {}) =>
    send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } }, {}, 'POST', init);
  return { send, call, finish, waits, heard, id: known['mcp-session-id'], runs: () => runs };
}

const kind = (response: Response) => response.headers.get('content-type')?.split(';')[0];
const events = (text: string) =>
  text.split('\n\n').flatMap(event => {
    const data = /^data: (.+)$/mu.exec(event)?.[1];
    return data === undefined ? [] : [JSON.parse(data)];
  });

it('sessions-H8: a server in Node sends what a function around the endpoint made of a response', async () => {
  const endpoint = mcpEndpoint(() => new McpServer({ name: 'whole', version: '1.0.0' }));
  const marked: typeof endpoint.fetch = async (request, context) => {
    const response = await endpoint.fetch(request, context);
    return new Response(response.body, { status: response.status, headers: [...response.headers, ['seen', 'yes']] });
  };
  const server = createServer(nodeHandler({ fetch: marked })).listen(0, '127.0.0.1');
  open.push(
    () => endpoint.stop({ within: 0 }),
    () => server.close(),
  );
  await once(server, 'listening');
  const send = (body: object, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    });
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const first = await send({ id: 0, method: 'initialize', params });
  await first.text();
  const known = { 'mcp-session-id': first.headers.get('mcp-session-id')!, 'mcp-protocol-version': revision };
  const response = await send({ id: 1, method: 'ping' }, known);
  expect([response.headers.get('seen'), await response.json()]).toEqual(['yes', { jsonrpc: '2.0', id: 1, result: {} }]);
});

it('sessions-H8: a handler in Node is done once the stream that it sends has ended', async () => {
  let finish = (): void => {};
  const finished = new Promise<void>(resolve => {
    finish = resolve;
  });
  const endpoint = mcpEndpoint(() => {
    const made = new McpServer({ name: 'whole', version: '1.0.0' }, { capabilities: { logging: {} } });
    made.registerTool('logs', {}, async ctx => {
      await ctx.mcpReq.log('info', 'one');
      await finished;
      return said('logged');
    });
    return made;
  });
  const handler = nodeHandler(endpoint);
  const done: number[] = [];
  const handled: Promise<void>[] = [];
  const server = createServer((req, res) => {
    const nth = handled.length;
    handled.push(handler(req, res).then(() => void done.push(nth)));
  }).listen(0, '127.0.0.1');
  open.push(
    () => endpoint.stop({ within: 0 }),
    () => server.close(),
  );
  await once(server, 'listening');
  const send = (body: object, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    });
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const first = await send({ id: 0, method: 'initialize', params });
  await first.text();
  await handled[0];
  const known = { 'mcp-session-id': first.headers.get('mcp-session-id')!, 'mcp-protocol-version': revision };
  const response = await send({ id: 1, method: 'tools/call', params: { name: 'logs', arguments: {} } }, known);
  // The head of the stream is here, and so is what a turn of its event loop does after it.
  await (await send({ id: 2, method: 'ping' }, known)).text();
  await handled[2];
  expect(done).toEqual([0, 2]);
  finish();
  await response.text();
  await handled[1];
  expect(done).toEqual([0, 2, 1]);
});

it('sessions-H8: a stream is sent though a framework has put another Response in the place of the global one', async () => {
  const { call } = await session('Node');
  const before = globalThis.Response;
  globalThis.Response = class extends before {};
  try {
    const response = await call(1, 'logs');
    const came = events(await response.text());
    expect(came.map(each => each.params?.data ?? each.result.content[0].text)).toEqual(['one', 'two', 'logged']);
    expect(await (await call(2, 'quick', { n: 2 })).json()).toMatchObject({ id: 2, result: said('quick 2') });
  } finally {
    globalThis.Response = before;
  }
});

/** Timers that fire when they are told to. */
function timers() {
  const set = new Map<() => void, number>();
  return {
    clock: {
      now: Date.now,
      after: (ms: number, fn: () => void) => {
        set.set(fn, ms);
        return () => void set.delete(fn);
      },
    },
    pass: (ms: number) => {
      for (const [fn, each] of [...set]) if (each === ms && set.delete(fn)) fn();
    },
    count: (ms: number) => [...set.values()].filter(each => each === ms).length,
  };
}

describe.each(rims)('sessions-H8 over %s: a request', rim => {
  it('a request gets its response as JSON where nothing else was sent for it, with no timer left', async () => {
    const { clock, count } = timers();
    const { call, id } = await session(rim, { clock, streamAfterMs: 7 });
    const response = await call(1, 'quick', { n: 1 });
    expect([response.status, kind(response)]).toEqual([200, 'application/json']);
    expect(response.headers.get('mcp-session-id')).toBe(id);
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: said('quick 1') });
    expect(count(7)).toBe(0);
  });

  it('a request gets its error as JSON, too', async () => {
    const { send } = await session(rim);
    const response = await send({ jsonrpc: '2.0', id: 1, method: 'nothing/such' });
    expect(kind(response)).toBe('application/json');
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32601 } });
  });

  it('a request has a stream as soon as something else is sent for it, with all of it in its order, and runs once', async () => {
    const { call, runs } = await session(rim);
    const response = await call(1, 'logs');
    expect(kind(response)).toBe('text/event-stream');
    const came = events(await response.text());
    expect(came.map(each => each.params?.data ?? each.result.content[0].text)).toEqual(['one', 'two', 'logged']);
    expect(runs()).toBe(1);
  });

  it('a request has a stream once it has waited long enough, and runs once', async () => {
    const { clock, pass } = timers();
    const { call, waits, finish, runs } = await session(rim, { clock, streamAfterMs: 7 });
    const calling = call(1, 'waits');
    await waits;
    pass(7);
    const response = await calling;
    expect(kind(response)).toBe('text/event-stream');
    finish();
    expect(events(await response.text())).toEqual([{ jsonrpc: '2.0', id: 1, result: said('waited') }]);
    expect(runs()).toBe(1);
  });

  it('a request holds no connection once its client has withdrawn it', async () => {
    const { clock } = timers();
    const { call, send, waits } = await session(rim, { clock });
    const calling = call(1, 'waits');
    await waits;
    const told = await send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    expect(told.status).toBe(202);
    expect(await (await calling).text()).toContain('withdrew');
  });

  it('a request that waits is told that its session has ended', async () => {
    const { clock } = timers();
    const { call, send, waits } = await session(rim, { clock });
    const calling = call(1, 'waits');
    await waits;
    expect((await send(undefined, {}, 'DELETE')).status).toBe(200);
    expect((await calling).status).toBe(404);
  });

  it('a request has a stream to come back to where the tool ends the first', async () => {
    const { clock } = timers();
    const { call, send, finish } = await session(rim, { clock });
    const response = await call(1, 'leaves');
    expect(kind(response)).toBe('text/event-stream');
    const first = await response.text();
    expect(events(first)).toEqual([]);
    const last = /^id: (.+)$/mu.exec(first)![1]!;
    finish();
    const resumed = await send(undefined, { 'last-event-id': last }, 'GET');
    expect(events(await resumed.text())).toEqual([{ jsonrpc: '2.0', id: 1, result: said('left') }]);
  });

  it('a request is refused by the SDK where its caller may do less than the tool needs', async () => {
    const { call } = await session(rim);
    const response = await call(1, 'guarded');
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toContain('insufficient_scope');
  });

  it('a request is not run where it cannot be told whether its caller may', async () => {
    const { call, runs } = await session(rim);
    expect([(await call(1, 'broken')).status, runs()]).toEqual([500, 0]);
  });

  it('a request may use an id again once the first has its response, and not before', async () => {
    const { clock } = timers();
    const { call, waits, finish } = await session(rim, { clock });
    const calling = call(1, 'waits');
    await waits;
    expect((await call(1, 'quick', { n: 1 })).status).toBe(400);
    finish();
    expect(await (await calling).json()).toMatchObject({ id: 1, result: said('waited') });
    expect(await (await call(1, 'quick', { n: 2 })).json()).toMatchObject({ id: 1, result: said('quick 2') });
  });

  it('a request that its client withdrew keeps its id until it has been ended, and runs once', async () => {
    const { clock, pass } = timers();
    const { call, send, waits, runs } = await session(rim, { clock, streamAfterMs: 7 });
    const calling = call(1, 'waits');
    await waits;
    const withdrawn = send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    const again = call(1, 'quick', { n: 1 });
    await withdrawn;
    expect(await (await calling).text()).toContain('withdrew');
    pass(7);
    await (await again).text();
    expect(runs()).toBe(1);
  });

  it('a request has what was sent for it in its order, however soon one message follows another', async () => {
    const { call } = await session(rim);
    for (let n = 0; n < 20; n++) {
      const came = events(await (await call(n, 'hurries', { n })).text());
      const texts = came.map(each => each.params?.data ?? each.result.content[0].text);
      expect([n, ...texts]).toEqual([n, 'one', 'two', 'three', 'logged']);
    }
  });

  it('a request is not asked for more rights once it has begun', async () => {
    const { clock, pass } = timers();
    const { call, waits, finish } = await session(rim, { clock, streamAfterMs: 7 });
    const calling = call(1, 'once');
    await waits;
    pass(7);
    const response = await calling;
    expect([response.status, kind(response)]).toEqual([200, 'text/event-stream']);
    finish();
    expect(events(await response.text())).toEqual([{ jsonrpc: '2.0', id: 1, result: said('admitted') }]);
  });

  it('a request does not run where its session has ended while its rights were looked at', async () => {
    const { clock } = timers();
    const { call, send, waits, finish, runs } = await session(rim, { clock });
    const calling = call(1, 'asks_first');
    await waits;
    expect((await send(undefined, {}, 'DELETE')).status).toBe(200);
    finish();
    expect((await calling).status).toBe(404);
    expect(runs()).toBe(0);
  });

  it('a request is refused if its client reads no JSON, or names an unknown revision', async () => {
    const { send } = await session(rim);
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect((await send(message, { accept: 'text/event-stream' })).status).toBe(406);
    expect((await send(message, { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
  });
});

describe('sessions-H8: a request whose connection is lost', () => {
  it.each([
    ['before it has a stream', () => {}],
    ['before it has the stream that is opened then', (pass: (ms: number) => void) => pass(7)],
  ])(
    'a request whose connection is lost %s goes on, ends with its response, and holds its session no longer',
    async (_, meanwhile) => {
      const { clock, pass, count } = timers();
      let now = 1_000;
      const options = { clock: { ...clock, now: () => now }, streamAfterMs: 7, idleMs: 500 };
      const { call, waits, finish, runs } = await session('Node', options);
      const gone = new AbortController();
      const calling = call(1, 'waits', {}, { signal: gone.signal });
      await waits;
      gone.abort();
      await expect(calling).rejects.toThrow();
      meanwhile(pass);
      finish();
      // Under the id that the first had: it is over.
      expect(await (await call(1, 'quick', { n: 1 })).json()).toMatchObject({ id: 1, result: said('quick 1') });
      expect([runs(), count(7)]).toEqual([1, 0]);
      now += 500;
      expect((await call(2, 'quick', { n: 2 })).status).toBe(404);
    },
  );
});

describe.each(rims)('over %s, a notification', rim => {
  it('a notification is accepted, and heard by the server', async () => {
    const { send, heard } = await session(rim);
    const response = await send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    expect([response.status, await response.text()]).toEqual([202, '']);
    await heard;
  });
});
