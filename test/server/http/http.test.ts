import type { IncomingMessage } from 'node:http';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@midcall/core/time';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type AuthInfo, McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type HttpOptions, mcpEndpoint } from '../../../packages/server/src/http/endpoint.ts';
import { nodeHandler } from '../../../packages/server/src/http/node-handler.ts';
import { type HttpServing, serveEndpoints, serveHttp } from '../../../packages/server/src/http/serve.ts';
import { eventually } from '../../fixtures/grown.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of open.splice(0).reverse()) await end();
});

/** A server with one plain tool and one that asks, on 2025, within its own call. */
function factory() {
  const server = new McpServer({ name: 'fixture', version: '1.0.0' });
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  server.registerTool('ask', {}, async ctx => {
    const requestedSchema = { type: 'object' as const, properties: { yes: { type: 'boolean' as const } } };
    const answer = await ctx.mcpReq.send({
      method: 'elicitation/create',
      params: { mode: 'form', message: 'Sure?', requestedSchema },
    });
    return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
  });
  return server;
}

async function serve(options: HttpOptions & { host?: string; port?: number } = {}): Promise<HttpServing> {
  const serving = await serveHttp(factory, options);
  open.push(() => serving.stop({ within: 0 }));
  return serving;
}

type Fetch = typeof fetch;

async function connect(
  url: URL,
  mode: 'legacy' | { pin: string },
  options: {
    fetch?: Fetch;
    headers?: Record<string, string>;
    answer?: () => Promise<{ action: 'accept' | 'decline' }>;
  } = {},
) {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode } },
  );
  client.setRequestHandler('elicitation/create', async () => {
    const { action } = (await options.answer?.()) ?? { action: 'accept' as const };
    return action === 'accept' ? { action, content: { yes: true } } : { action };
  });
  const transport = new StreamableHTTPClientTransport(url, {
    ...(options.fetch && { fetch: options.fetch }),
    requestInit: { headers: options.headers ?? {} },
    reconnectionOptions: {
      initialReconnectionDelay: 1,
      maxReconnectionDelay: 10,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 5,
    },
  });
  await client.connect(transport);
  open.push(() => client.close());
  return { client, transport };
}

const text = (result: unknown) => (result as { content: { text: string }[] }).content[0]!.text;
const eras = [['2025-11-25', 'legacy'] as const, ['2026-07-28', { pin: '2026-07-28' }] as const];

/** A raw request, whose headers fetch would not let through. */
function raw(url: URL, headers: Record<string, string>, body?: string, method = 'POST') {
  return new Promise<{ status: number; text: string; headers: IncomingMessage['headers'] }>((resolve, reject) => {
    const request = httpRequest(url, { method, headers }, response => {
      let got = '';
      response.on('data', chunk => {
        got += chunk;
        if (String(response.headers['content-type']).includes('event-stream') && got.includes('\n\n'))
          response.destroy();
      });
      response.on('close', () => resolve({ status: response.statusCode!, text: got, headers: response.headers }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

describe('one endpoint for both eras', () => {
  it.each(eras)('mrtr-58: one endpoint serves %s', async (version, mode) => {
    const { url, endpoint } = await serve();
    const { client } = await connect(url, mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(text(await client.callTool({ name: 'echo', arguments: { text: 'hello' } }))).toBe('hello');
    expect(endpoint.sessions).toBe(version === '2025-11-25' ? 1 : 0);
  });

  it('an endpoint asks a 2025 client that opens no GET stream, on the stream of its own call', async () => {
    const { url } = await serve();
    const noGet: Fetch = async (input, init) =>
      init?.method === 'GET' ? new Response(null, { status: 405 }) : fetch(input, init);
    const { client } = await connect(url, 'legacy', { fetch: noGet });
    expect(text(await client.callTool({ name: 'ask' }))).toContain('"action":"accept"');
  });

  it('a session ends on DELETE, and is unknown afterwards', async () => {
    const { url, endpoint } = await serve();
    const { client, transport } = await connect(url, 'legacy');
    const id = transport.sessionId!;
    await transport.terminateSession();
    expect(endpoint.sessions).toBe(0);
    const again = await raw(url, { ...json, 'mcp-session-id': id }, '{"jsonrpc":"2.0","id":2,"method":"tools/list"}');
    expect(again.status).toBe(404);
    await client.close();
  });

  it('an initialize that names a session that is gone starts a new one', async () => {
    const { url, endpoint } = await serve();
    const answer = await raw(url, { ...json, 'mcp-session-id': 'gone' }, initialize);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('serverInfo')]);
    expect(endpoint.sessions).toBe(1);
  });

  it('an endpoint serves a client that names no version of its own', async () => {
    const { url } = await serve();
    const answer = await raw(url, json, initialize.replace(',"version":"1"', ''));
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('serverInfo')]);
  });

  it('an endpoint refuses a request of a session that names none', async () => {
    const { url } = await serve();
    const answer = await raw(url, json, '{"jsonrpc":"2.0","id":2,"method":"tools/list"}');
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('Mcp-Session-Id is missing');
    expect((await raw(url, { accept: 'text/event-stream' }, undefined, 'GET')).status).toBe(400);
  });
});

it('each of several endpoints is found at its path, whatever query follows', async () => {
  const named = (name: string) =>
    mcpEndpoint(() => new McpServer({ name, version: '1.0.0' }), { path: `/mcp/${name}` });
  const serving = await serveEndpoints({ '/mcp/one': named('one'), '/mcp/two': named('two') });
  open.push(() => serving.stop({ within: 0 }));
  for (const name of ['one', 'two']) {
    const answer = await raw(new URL(`/mcp/${name}?tenant=7`, serving.url), json, initialize);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(`"${name}"`)]);
  }
});

describe('sessions-H1: a broken stream ends nothing', () => {
  it('a client whose stream was cut is replayed the question and the result', async () => {
    const { url, endpoint } = await serve();
    const cuts: AbortController[] = [];
    let gets = 0;
    // Cuts the call's own stream as soon as it has begun, before the question is read.
    const cutting: Fetch = async (input, init) => {
      if (init?.method === 'GET' && new Headers(init.headers).has('last-event-id')) gets += 1;
      if (init?.method !== 'POST' || !String(init.body).includes('"ask"')) return fetch(input, init);
      const cut = new AbortController();
      cuts.push(cut);
      const response = await fetch(input, { ...init, signal: cut.signal });
      const reader = response.body!.getReader();
      const first = await reader.read();
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(first.value?.slice(0, String(new TextDecoder().decode(first.value)).indexOf('\n\n') + 2));
          cut.abort();
          controller.close();
        },
      });
      return new Response(body, { headers: response.headers, status: response.status });
    };
    const { client } = await connect(url, 'legacy', { fetch: cutting });
    expect(text(await client.callTool({ name: 'ask' }))).toContain('"action":"accept"');
    expect(cuts).toHaveLength(1);
    expect(gets).toBeGreaterThan(0);
    expect(endpoint.sessions).toBe(1);
  });
});

describe('sessions-H2: a session belongs to whoever opened it', () => {
  const authenticate = async (request: Request): Promise<AuthInfo | Response | undefined> => {
    const token = request.headers.get('authorization')?.slice('Bearer '.length);
    if (token === undefined) return new Response('{"error":"invalid_token"}', { status: 401 });
    return { token, clientId: 'app', scopes: [], extra: { iss: 'https://issuer.example', sub: token } };
  };

  it('elicit-30, elicit-32: a session is not there for another person, with the same client', async () => {
    const { url } = await serve({ authenticate });
    const { client, transport } = await connect(url, 'legacy', { headers: { authorization: 'Bearer alice' } });
    const list = '{"jsonrpc":"2.0","id":7,"method":"tools/list"}';
    const as = (who: string) =>
      raw(url, { ...json, authorization: `Bearer ${who}`, 'mcp-session-id': transport.sessionId! }, list);
    expect((await as('mallory')).status).toBe(404);
    expect((await as('alice')).status).toBe(200);
    expect(text(await client.callTool({ name: 'echo', arguments: { text: 'still here' } }))).toBe('still here');
  });

  it('a Last-Event-ID that is forged, or taken from another session, gives nothing of a stream', async () => {
    const { url } = await serve();
    const asks = initialize.replace('"capabilities":{}', '"capabilities":{"elicitation":{}}');
    const over = new AbortController();
    const begin = async () => {
      const known = { ...json, 'mcp-session-id': String((await raw(url, json, asks)).headers['mcp-session-id']) };
      const body = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask"}}';
      const { body: stream } = await fetch(url, { method: 'POST', headers: known, body, signal: over.signal });
      const reader = stream!.pipeThrough(new TextDecoderStream()).getReader();
      let got = '';
      while (!/^id: .+$/m.test(got)) got += (await reader.read()).value;
      return { known, last: /^id: (.+)$/m.exec(got)![1]! };
    };
    const [mine, other] = [await begin(), await begin()];
    const resume = (last: string) =>
      fetch(url, { headers: { ...mine.known, 'last-event-id': last }, signal: over.signal });
    const [stream] = mine.last.split('.');
    const forged = ['x', '.1', '__proto__.1', 'constructor.1', `${stream}.0`, `${stream}.-1`, `${stream}.1e9`];
    for (const last of [...forged, `${stream}.999999999`, `${stream}.99999999999999999`, other.last]) {
      const refused = await resume(last);
      expect([last, refused.status]).toEqual([last, 400]);
      expect(await refused.text()).not.toContain('Sure?');
    }
    expect((await resume(mine.last)).status).toBe(200);
    over.abort();
  });

  it('an endpoint refuses whom authenticate refuses, and opens no session', async () => {
    const { url, endpoint } = await serve({ authenticate });
    const answer = await raw(url, json, initialize);
    expect(answer.status).toBe(401);
    expect(answer.text).toBe('{"error":"invalid_token"}');
    expect(endpoint.sessions).toBe(0);
  });

  it.each(eras)('elicit-34: an endpoint hands the verified token to its factory on %s', async (_version, mode) => {
    const seen: unknown[] = [];
    const serving = await serveHttp(
      ({ authInfo }) => {
        seen.push(authInfo?.extra?.['sub']);
        return factory();
      },
      { authenticate },
    );
    open.push(() => serving.stop({ within: 0 }));
    const { client } = await connect(serving.url, mode, { headers: { authorization: 'Bearer alice' } });
    await client.callTool({ name: 'echo', arguments: { text: 'x' } });
    expect(new Set(seen)).toEqual(new Set(['alice']));
  });
});

describe('sessions-H3, sessions-H4: sessions end and are capped', () => {
  const openRaw = async (url: URL) => String((await raw(url, json, initialize)).headers['mcp-session-id']);
  const alive = async (url: URL, id: string) =>
    (await raw(url, { ...json, 'mcp-session-id': id }, '{"jsonrpc":"2.0","id":2,"method":"tools/list"}')).status ===
    200;

  it('a session that lies unused is ended, and one that is used is not', async () => {
    let now = 0;
    let sweep = () => {};
    let stopped = 0;
    const after = (ms: number, fn: () => void) => {
      if (ms !== 1_000) return () => {};
      sweep = fn;
      return () => {
        stopped += 1;
      };
    };
    const serving = await serve({ sessions: { idleMs: 1_000, clock: { now: () => now, after } } });
    const idle = await openRaw(serving.url);
    const used = await openRaw(serving.url);
    now = 900;
    expect(await alive(serving.url, used)).toBe(true);
    now = 1_000;
    sweep();
    expect(serving.endpoint.sessions).toBe(1);
    expect(await alive(serving.url, idle)).toBe(false);
    expect(await alive(serving.url, used)).toBe(true);
    await serving.stop({ within: 0 });
    expect(stopped).toBe(1);
    open.length = 0;
  });

  it('a new session makes room by ending the longest unused, and is refused where all are in use', async () => {
    let now = 0;
    const serving = await serve({ sessions: { max: 2, clock: { ...systemClock, now: () => now } } });
    const first = await openRaw(serving.url);
    now = 1;
    const second = await openRaw(serving.url);
    now = 2;
    const third = await openRaw(serving.url);
    expect(await alive(serving.url, first)).toBe(false);
    expect(await alive(serving.url, third)).toBe(true);

    const held = new AbortController();
    const accept = { accept: 'text/event-stream' };
    for (const id of [second, third]) {
      await fetch(serving.url, { headers: { ...accept, 'mcp-session-id': id }, signal: held.signal });
    }
    expect((await raw(serving.url, json, initialize)).status).toBe(503);
    held.abort();
  });

  it('the sessions of those whom nobody identifies count as those of one owner', async () => {
    const { url, endpoint } = await serve({ authenticate: async () => undefined, sessions: { maxPerOwner: 1 } });
    const first = await openRaw(url);
    const second = await openRaw(url);
    expect(endpoint.sessions).toBe(1);
    expect([await alive(url, first), await alive(url, second)]).toEqual([false, true]);
  });

  /** Serves a tool `wait`, which begins, tells of a cancel, and ends when it is told to. */
  async function waiting() {
    const clock = { now: 0 };
    let [sweep, begin, ended, end] = [() => {}, () => {}, () => {}, () => {}];
    const begun = new Promise<void>(resolve => {
      begin = resolve;
    });
    const aborted = new Promise<void>(resolve => {
      ended = resolve;
    });
    const released = new Promise<void>(resolve => {
      end = resolve;
    });
    const make = () => {
      const server = factory();
      server.registerTool('wait', {}, async ctx => {
        ctx.mcpReq.signal.addEventListener('abort', () => ended());
        begin();
        await released;
        return { content: [{ type: 'text', text: 'waited' }] };
      });
      return server;
    };
    const after = (ms: number, fn: () => void) => {
      if (ms === 1_000) sweep = fn;
      else setImmediate(fn);
      return () => {};
    };
    const serving = await serveHttp(make, {
      port: 0,
      sessions: { idleMs: 1_000, clock: { now: () => clock.now, after } },
    });
    open.push(() => serving.stop({ within: 0 }));
    const id = await openRaw(serving.url);
    const body = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wait","arguments":{}}}';
    const call = (signal?: AbortSignal) =>
      fetch(serving.url, {
        method: 'POST',
        headers: { ...json, 'mcp-session-id': id },
        body,
        ...(signal && { signal }),
      });
    return { ...serving, id, clock, begun, aborted, call, end: () => end(), sweep: () => sweep() };
  }

  it('sessions-H3: the time that a session may lie unused counts from the end of a request, however long that took', async () => {
    const { url, id, clock, begun, call, end, sweep, endpoint } = await waiting();
    const calling = call().then(response => response.text());
    await begun;
    clock.now = 50_000;
    sweep();
    expect(endpoint.sessions).toBe(1);
    end();
    expect(await calling).toContain('waited');
    clock.now = 50_900;
    // By the time another connection is answered, this one is known to be closed.
    await openRaw(url);
    expect(await alive(url, id)).toBe(true);
  });

  it('sessions-H3: the calls of a session that ends end with it', async () => {
    const { clock, call, aborted, sweep, endpoint } = await waiting();
    const cut = new AbortController();
    await call(cut.signal);
    // sessions-H1: that its stream is cut ends nothing; that nothing uses the session does.
    cut.abort();
    await eventually(() => {
      clock.now += 1_000;
      sweep();
      return endpoint.sessions === 0;
    });
    await aborted;
  });

  it('limits of sessions that make no sense are refused when the endpoint is built', async () => {
    await expect(serveHttp(factory, { sessions: { max: 0 } })).rejects.toThrow(
      'sessions.max must be a number greater than 0; got 0',
    );
  });
});

describe('sessions-H5: what one session has under way', () => {
  const capable = initialize.replace('"capabilities":{}', '"capabilities":{"elicitation":{}}');
  const session = async (options: HttpOptions = {}) => {
    const { url } = await serve(options);
    const headers = { ...json, 'mcp-session-id': String((await raw(url, json, capable)).headers['mcp-session-id']) };
    const post = (message: object, more: object = {}) =>
      raw(url, { ...headers, ...more }, JSON.stringify({ jsonrpc: '2.0', ...message }));
    /** Asks, and cuts the stream as soon as the question is there. */
    const ask = (id: number, more: object = {}) =>
      post({ id, method: 'tools/call', params: { name: 'ask', arguments: {} } }, more);
    return { post, ask };
  };

  it('the calls of a session are bounded, though nobody listens any more, until one is answered or taken back', async () => {
    const { post, ask } = await session({ sessions: { maxCalls: 3 } });
    const first = await ask(10);
    expect([first.status, (await ask(11)).status, (await ask(12)).status]).toEqual([200, 200, 200]);
    expect(await ask(13)).toMatchObject({ status: 429, text: expect.stringContaining('Too many of your requests') });
    await post({ method: 'notifications/cancelled', params: { requestId: 11 } });
    expect((await ask(13)).status).toBe(200);
    const { id } = JSON.parse(/^data: (.+)$/m.exec(first.text)![1]!) as { id: unknown };
    await post({ id, result: { action: 'decline' } });
    expect((await ask(14)).status).toBe(200);
    expect((await ask(15)).status).toBe(429);
  });

  it('the stream of a call ends when its client takes the call back, so that no connection is left to it', async () => {
    const { url } = await serve();
    let streams = 0;
    let over = () => {};
    const counting: Fetch = async (to, init) => {
      const response = await fetch(to, init);
      if (!response.headers.get('content-type')?.includes('event-stream') || init?.method !== 'POST') return response;
      streams += 1;
      const ended = new TransformStream<Uint8Array, Uint8Array>({
        flush() {
          streams -= 1;
          over();
        },
      });
      return new Response(response.body!.pipeThrough(ended), response);
    };
    const asked: (() => void)[] = [];
    const { client } = await connect(url, 'legacy', {
      fetch: counting,
      answer: () => {
        asked.shift()?.();
        return new Promise(() => {});
      },
    });
    for (let call = 0; call < 3; call += 1) {
      const abort = new AbortController();
      const isAsked = new Promise<void>(resolve => asked.push(resolve));
      const outcome = client.callTool({ name: 'ask' }, { signal: abort.signal }).catch(() => 'taken back');
      await isAsked;
      expect(streams).toBe(1);
      const isOver = new Promise<void>(resolve => {
        over = resolve;
      });
      abort.abort();
      expect(await outcome).toBe('taken back');
      await isOver;
      expect(streams).toBe(0);
    }
    expect(await client.callTool({ name: 'echo', arguments: { text: 'x' } })).toMatchObject({
      content: [{ text: 'x' }],
    });
  });

  it('each call of a session has an id of its own, so that none is given the result of another', async () => {
    const { post, ask } = await session();
    await ask(10);
    expect(await ask(10)).toMatchObject({ status: 400, text: expect.stringContaining('Another request with this id') });
    const echo = { method: 'tools/call', params: { name: 'echo', arguments: { text: 'x' } } };
    expect((await post({ id: 20, ...echo })).text).toContain('"x"');
    expect((await post({ id: 20, ...echo })).text).toContain('"x"');
  });

  it('a request that was refused does not count among the calls of its session', async () => {
    const { ask } = await session({ sessions: { maxCalls: 1 } });
    expect((await ask(10, { accept: 'text/plain' })).status).toBe(406);
    expect((await ask(10)).status).toBe(200);
  });

  it('a limit of sessions that is undefined is the same as one that is absent', async () => {
    const { ask } = await session({ sessions: { maxCalls: undefined, max: undefined } as never });
    expect((await ask(10)).status).toBe(200);
  });

  it('the calls of a session count for its owner no more once the session has ended', async () => {
    const authInfo = { token: 'a token of no secret', clientId: 'app', scopes: [] };
    const extra = { iss: 'https://issuer.example', sub: 'alice' };
    const { url } = await serve({ authenticate: async () => ({ ...authInfo, extra }), sessions: { maxCalls: 1 } });
    const begin = async () => ({
      ...json,
      'mcp-session-id': String((await raw(url, json, capable)).headers['mcp-session-id']),
    });
    const ask = async (headers: Record<string, string>, id: number) => {
      const params = { name: 'ask', arguments: {} };
      return (await raw(url, headers, JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }))).status;
    };
    // The other session keeps the owner known.
    const [one, other] = [await begin(), await begin()];
    expect([await ask(one, 10), await ask(other, 11)]).toEqual([200, 429]);
    expect((await raw(url, one, undefined, 'DELETE')).status).toBe(200);
    expect(await ask(other, 12)).toBe(200);
  });
});

describe('who may reach it', () => {
  it('an endpoint answers only to loopback names, and to those it is told', async () => {
    const closed = await serve();
    const listed = await serve({ allowedHosts: ['mcp.example'], allowedOrigins: ['app.example'] });
    const status = async ({ url }: HttpServing, headers: Record<string, string>) =>
      (await raw(url, { ...json, ...headers }, initialize)).status;
    expect(await status(closed, { host: `localhost:${closed.url.port}` })).toBe(200);
    expect(await status(closed, { host: 'evil.example' })).toBe(403);
    expect(await status(closed, { host: 'mcp.example' })).toBe(403);
    expect(await status(listed, { host: 'mcp.example' })).toBe(200);
    expect(await status(closed, { origin: 'http://evil.example' })).toBe(403);
    expect(await status(closed, { origin: 'null' })).toBe(403);
    expect(await status(closed, { origin: `http://127.0.0.1:${closed.url.port}` })).toBe(200);
    expect(await status(listed, { origin: 'https://app.example' })).toBe(200);
  });

  it('an endpoint does not listen beyond loopback without being told its names', async () => {
    await expect(serveHttp(factory, { host: '0.0.0.0' })).rejects.toThrow(
      'name the hosts under which they may reach this server',
    );
  });

  it('an endpoint says which port is taken', async () => {
    const { url } = await serve();
    await expect(serveHttp(factory, { port: Number(url.port) })).rejects.toThrow(
      `Port ${url.port} on 127.0.0.1 is taken`,
    );
  });
});

describe('bad requests', () => {
  it.each([
    ['another path', '/other', json, '{}', 404, 'Not found'],
    ['a body that is not JSON', '/mcp', json, '{', 400, 'Parse error'],
    ['another content type', '/mcp', { ...json, 'content-type': 'text/plain' }, '{}', 415, 'application/json'],
    ['a body over the limit', '/mcp', json, JSON.stringify({ pad: 'x'.repeat(5_000) }), 413, 'too large'],
    [
      'an unknown session',
      '/mcp',
      { ...json, 'mcp-session-id': 'nope' },
      '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
      404,
      'Session not found',
    ],
  ])('an endpoint refuses %s', async (_name, path, headers, body, status, message) => {
    const { url, endpoint } = await serve({ maxRequestBytes: 4_096 });
    const answer = await raw(new URL(path, url), headers, body);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(message);
    expect(endpoint.sessions).toBe(0);
  });

  it.each(eras)(
    'an endpoint runs no tool for a body that is not declared to be JSON, on %s',
    async (revision, mode) => {
      let runs = 0;
      const serving = await serveHttp(() => {
        const server = new McpServer({ name: 'fixture', version: '1.0.0' });
        server.registerTool('act', {}, () => {
          runs += 1;
          return { content: [] };
        });
        return server;
      });
      open.push(() => serving.stop({ within: 0 }));
      const { transport } = await connect(serving.url, mode);
      const call = JSON.stringify({
        ...{ jsonrpc: '2.0', id: 7, method: 'tools/call' },
        params: {
          name: 'act',
          ...(revision === '2026-07-28' && {
            _meta: {
              'io.modelcontextprotocol/protocolVersion': revision,
              'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          }),
        },
      });
      const { sessionId } = transport;
      const { 'content-type': type, ...others } = {
        ...json,
        ...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
        'mcp-protocol-version': revision,
        ...(revision === '2026-07-28' && { 'mcp-method': 'tools/call', 'mcp-name': 'act' }),
      };
      // A page in a browser may send the first three of them to another site without asking it.
      for (const other of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])
        expect((await raw(serving.url, { ...others, ...(other && { 'content-type': other }) }, call)).status).toBe(415);
      expect(runs).toBe(0);
      expect((await raw(serving.url, { ...others, 'content-type': type }, call)).status).toBe(200);
      expect(runs).toBe(1);
    },
  );

  it('an endpoint keeps no session for an initialize that was refused, and closes its server', async () => {
    let closed = 0;
    const serving = await serveHttp(() => {
      const server = factory();
      server.server.onclose = () => {
        closed += 1;
      };
      return server;
    });
    open.push(() => serving.stop({ within: 0 }));
    const answer = await raw(serving.url, { 'content-type': 'application/json' }, initialize);
    expect(answer.status).toBe(406);
    expect([serving.endpoint.sessions, closed]).toEqual([0, 1]);
  });

  it('an endpoint stops with a question open', async () => {
    const serving = await serve();
    let asked = () => {};
    const question = new Promise<void>(resolve => {
      asked = resolve;
    });
    const { client } = await connect(serving.url, 'legacy', {
      answer: () => {
        asked();
        return new Promise(() => {});
      },
    });
    const call = client.callTool({ name: 'ask' }).catch(error => error);
    await question;
    await serving.stop({ within: 0 });
    expect(serving.endpoint.sessions).toBe(0);
    await client.close();
    expect(await call).toBeInstanceOf(Error);
    open.length = 0;
  });
});

it('an endpoint reads a request whose body a parser in front of a Node handler has set without reading it', async () => {
  const endpoint = mcpEndpoint(factory);
  const handle = nodeHandler(endpoint);
  const server = createServer((req, res) => void handle(Object.assign(req, { body: {} }), res));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  open.push(async () => {
    server.closeAllConnections();
    server.close();
    await endpoint.stop({ within: 0 });
  });
  const { port } = server.address() as AddressInfo;
  const { client } = await connect(new URL(`http://127.0.0.1:${port}/mcp`), 'legacy');
  const { content } = await client.callTool({ name: 'echo', arguments: { text: 'read' } });
  expect(content).toEqual([{ type: 'text', text: 'read' }]);
});
