/** An endpoint as a function from a request to its response, without any HTTP server. */

import { midcall } from '@midcall/server';
import { type HttpOptions, mcpEndpoint, type RequestExtras } from '@midcall/server/http';
import { type Era, eras, negotiation, scriptedPerson } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of open.splice(0).reverse()) await end();
});

const at = new URL('http://localhost/mcp');
const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]!.text;

function endpoint(options: HttpOptions = {}, warned: string[] = []) {
  const mid = midcall({ suspectBelowMs: 0, warn: warning => void warned.push(warning) });
  const made = mcpEndpoint(() => {
    const server = new McpServer({ name: 'fetched', version: '1.0.0' });
    mid.tool(server, 'paint', {}, async (_args, call) => {
      const answer = await call.elicit({ message: 'Which colour?', form: ['red', 'green'] });
      const says = answer.action === 'accept' ? `painted ${answer.content}` : JSON.stringify(answer);
      return { content: [{ type: 'text', text: says }] };
    });
    server.registerTool('whoami', {}, ctx => ({
      content: [{ type: 'text', text: ctx.http?.authInfo?.clientId ?? 'nobody' }],
    }));
    return server;
  }, options);
  open.push(() => made.stop({ within: 0 }));
  return made;
}

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

async function connect(era: Era, fetch: Fetch, answers = ['red']) {
  const person = scriptedPerson(answers.map(content => ({ action: 'accept' as const, content: { value: content } })));
  const capabilities = { elicitation: {} };
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities, versionNegotiation: negotiation(era) });
  person.attach(client, capabilities);
  const reconnectionOptions = {
    initialReconnectionDelay: 1,
    maxReconnectionDelay: 5,
    reconnectionDelayGrowFactor: 1,
    maxRetries: 5,
  };
  await client.connect(new StreamableHTTPClientTransport(at, { fetch, reconnectionOptions }));
  open.push(() => client.close());
  return client;
}

describe.each(eras)('%s through fetch', era => {
  it('an endpoint gives its factory the request with a body that can be read', async () => {
    const read: unknown[] = [];
    const made = mcpEndpoint(async ({ requestInfo }) => {
      read.push(await requestInfo?.json());
      return new McpServer({ name: 'fetched', version: '1.0.0' });
    });
    open.push(() => made.stop({ within: 0 }));
    await connect(era, (url, init) => made.fetch(new Request(url, init)));
    expect(read).toMatchObject([{ method: era === '2026-07-28' ? 'server/discover' : 'initialize' }]);
  });

  it('an endpoint asks and answers through fetch, without a server of HTTP', async () => {
    const { fetch } = endpoint();
    const client = await connect(era, (url, init) => fetch(new Request(url, init)));
    expect(textOf(await client.callTool({ name: 'paint' }))).toBe('painted red');
  });

  it('an endpoint takes the body that a parser has read, and the person that somebody in front has verified', async () => {
    const { fetch } = endpoint();
    const client = await connect(era, async (url, init) => {
      const given: RequestExtras = {
        authInfo: { token: 'a token of no secret', clientId: 'the verified one', scopes: [] },
        ...(init?.body && { parsedBody: JSON.parse(String(init.body)) }),
      };
      // The parser has left nothing to read.
      const { method = 'GET', headers } = init ?? {};
      return fetch(new Request(url, { method, ...(headers && { headers }) }), given);
    });
    expect(textOf(await client.callTool({ name: 'whoami' }))).toBe('the verified one');
  });
});

it('sessions-H7: a client resumes its stream although whoever had it before never said that it is gone', async () => {
  const { fetch } = endpoint();
  const abandoned: Response[] = [];
  const resumed: number[] = [];
  const client = await connect('2025-11-25', async (url, init) => {
    const response = await fetch(new Request(url, init));
    const isResume = new Headers(init?.headers).has('last-event-id');
    if (isResume) resumed.push(response.status);
    if (!String(init?.body).includes('tools/call') || abandoned.length > 0) return response;
    // The first event passes, which gives the stream its id; then the connection breaks, and the server is not told.
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    abandoned.push(response);
    const headers = response.headers;
    return new Response(new Blob([value!]).stream(), { status: response.status, headers });
  });
  expect(textOf(await client.callTool({ name: 'paint' }))).toBe('painted red');
  expect(abandoned).toHaveLength(1);
  expect(resumed[0]).toBe(200);
});

describe('where no process lives', () => {
  it('an endpoint without sessions asks a 2026-07-28 client', async () => {
    const made = endpoint({ sessions: false });
    const client = await connect('2026-07-28', (url, init) => made.fetch(new Request(url, init)));
    expect(textOf(await client.callTool({ name: 'paint' }))).toBe('painted red');
    expect(made.sessions).toBe(0);
  });

  it('an endpoint without sessions serves a 2025-11-25 client, and tells its tools that nobody can be asked', async () => {
    const warned: string[] = [];
    const made = endpoint({ sessions: false }, warned);
    const client = await connect('2025-11-25', (url, init) => made.fetch(new Request(url, init)));
    expect(textOf(await client.callTool({ name: 'whoami' }))).toBe('nobody');
    expect(JSON.parse(textOf(await client.callTool({ name: 'paint' })))).toMatchObject({
      action: 'cancel',
      reason: 'unavailable',
    });
    await client.callTool({ name: 'paint' });
    expect(warned.filter(each => each.includes('only within a session'))).toHaveLength(1);
    expect(made.sessions).toBe(0);
  });
});

describe('what is refused before anything runs', () => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const send = (fetch: (request: Request) => Promise<Response>, url: string, init: RequestInit = {}) =>
    fetch(new Request(url, { method: 'POST', headers: json, body, ...init }));

  it('an endpoint takes the host from the address where no header names it', async () => {
    const { fetch } = endpoint({ allowedHosts: ['notes.example.com'] });
    expect((await send(fetch, 'https://notes.example.com/mcp')).status).toBe(400);
    expect((await send(fetch, 'https://evil.example.com/mcp')).status).toBe(403);
    const rebound = { ...json, host: 'evil.example.com' };
    expect((await send(fetch, 'http://localhost/mcp', { headers: rebound })).status).toBe(403);
  });

  it('an endpoint says where it is to whoever asks elsewhere', async () => {
    const { fetch } = endpoint({ path: '/api/mcp' });
    const response = await send(fetch, 'http://localhost/mcp');
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('This endpoint is at /api/mcp.');
  });

  it('an endpoint reads no more of a body than it may have, whether or not its length is said', async () => {
    const { fetch } = endpoint({ maxRequestBytes: 1_000 });
    const taken: number[] = [];
    const endless = new ReadableStream<Uint8Array>({
      pull: controller => {
        taken.push(100);
        controller.enqueue(new Uint8Array(100).fill(32));
      },
    });
    const init = { body: endless, duplex: 'half' } as RequestInit;
    expect((await send(fetch, 'http://localhost/mcp', init)).status).toBe(413);
    expect(taken.length).toBeLessThan(20);
    const long = { headers: { ...json, 'content-length': '1001' }, body: ' '.repeat(1_001) };
    expect((await send(fetch, 'http://localhost/mcp', long)).status).toBe(413);
  });

  it.each(['10', 'abc', '-5', ''])(
    'an endpoint believes no length that a request was given by hand: %j',
    async length => {
      const { fetch } = endpoint({ maxRequestBytes: 1_000 });
      const headers = { ...json, 'content-length': length };
      expect((await send(fetch, 'http://localhost/mcp', { headers, body: ' '.repeat(1_001) })).status).toBe(413);
      // A body of 1,000 bytes is read, and is no message.
      const read = await send(fetch, 'http://localhost/mcp', { headers, body: 'é'.repeat(500) });
      expect(await read.text()).toContain('not JSON');
      expect((await send(fetch, 'http://localhost/mcp', { headers, body: 'é'.repeat(501) })).status).toBe(413);
    },
  );

  it('an endpoint reads a text that arrives in pieces, wherever they are cut', async () => {
    const { fetch } = endpoint({});
    const whole = new TextEncoder().encode(JSON.stringify({ jsonrpc: '2.0', id: 'é😀', method: 'tools/list' }));
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of whole) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const response = await send(fetch, 'http://localhost/mcp', { body: pieces, duplex: 'half' } as RequestInit);
    expect(await response.json()).toMatchObject({ id: 'é😀' });
  });

  it.each([{}, { 'content-length': '9' }])(
    'an endpoint passes the bytes of a body on as they are, with the headers %j',
    async more => {
      const bytes = Uint8Array.of(0xff, 0xfe, 0, 1, 0x80, 0xef, 0xbb, 0xbf, 0x41);
      const { fetch } = endpoint({ elsewhere: async request => new Response(await request.arrayBuffer()) });
      const headers = { 'content-type': 'application/octet-stream', ...more };
      const response = await send(fetch, 'http://localhost/upload', { headers, body: bytes });
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
    },
  );

  it('an endpoint never rejects, whatever its factory does', async () => {
    const errors: Error[] = [];
    const { fetch, stop } = mcpEndpoint(
      () => {
        throw new Error('no server today');
      },
      { onError: error => void errors.push(error) },
    );
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    const initialize = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const response = await send(fetch, 'http://localhost/mcp', { body: initialize });
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('no server today');
    expect(errors.map(({ message }) => message)).toEqual(['no server today']);
    await stop({ within: 0 });
  });
});

describe('a body of which nobody says how long it is', () => {
  const initialize = (name: string) => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name, version: '1' } };
    return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  };
  const streamed = (chunks: readonly Uint8Array[]): Request => {
    const body = new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    return new Request(at, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  };

  it('a body of unknown length has exactly as many bytes as it may', async () => {
    const { fetch } = endpoint({ maxRequestBytes: 1_000 });
    const send = (bytes: number) => fetch(streamed([new TextEncoder().encode(initialize('raw').padEnd(bytes))]));
    expect([(await send(1_000)).status, (await send(1_001)).status]).toEqual([200, 413]);
  });

  it('a body of unknown length is read as it was written, wherever its characters are split', async () => {
    const read: unknown[] = [];
    const made = mcpEndpoint(async ({ requestInfo }) => {
      read.push(await requestInfo?.json());
      return new McpServer({ name: 'fetched', version: '1.0.0' });
    });
    open.push(() => made.stop({ within: 0 }));
    const bytes = new TextEncoder().encode(initialize('Zoë 🎨'));
    expect((await made.fetch(streamed([...bytes].map(byte => Uint8Array.of(byte))))).status).toBe(200);
    expect(read).toMatchObject([{ params: { clientInfo: { name: 'Zoë 🎨' } } }]);
  });
});

it('an endpoint that stops says of a request that it was not begun: the client may have sent it before', async () => {
  const made = endpoint();
  await made.stop({ within: 0 });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const response = await made.fetch(new Request(at, { method: 'POST', headers, body }));
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({
    id: 1,
    error: { message: expect.stringContaining('has begun nothing. If the request was sent before, find out') },
  });
});
