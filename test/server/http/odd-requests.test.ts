/** Requests that no client of the protocol sends: each is answered at once, and holds nothing afterwards. */
import { existsSync, readdirSync } from 'node:fs';
import { midcall } from '@midcall/server';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { countedEndpoint, post, sendRaw } from './raw-http.ts';

function factory() {
  const server = new McpServer({ name: 'fixture', version: '1.0.0' });
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  return server;
}

const message = (id: number, method: string, params: object = {}) => ({ jsonrpc: '2.0', id, method, params });
const initialize = (id = 1, protocolVersion = '2025-11-25') =>
  message(id, 'initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } });
const list = (id: number) => message(id, 'tools/list');
const modern = (id: number) =>
  message(id, 'tools/list', {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  });
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };

/** Files and sockets this process has open, the way the kernel counts them where it says so. */
const descriptors = (): number =>
  existsSync('/proc/self/fd')
    ? readdirSync('/proc/self/fd').length
    : process.getActiveResourcesInfo().filter(each => each.includes('Socket')).length;

describe('a call of a tool', () => {
  const meta = (modern(1) as unknown as { params: { _meta: unknown } }).params._meta;
  const ours = () => {
    const server = new McpServer({ name: 'fixture', version: '1.0.0' });
    midcall({ warn: () => {} }).tool(server, 'ours', {}, () => 'done');
    return server;
  };

  /** What a client is told that sends one message, after the handshake of its revision. */
  async function answerOf(make: () => McpServer, version: string, call: object) {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const served = serveStdio(make, { transport: far });
    const answers = new Map<unknown, (message: unknown) => void>();
    near.onmessage = frame => answers.get((frame as { id?: unknown }).id)?.(frame);
    await near.start();
    const send = (frame: object) =>
      new Promise<unknown>(resolve => {
        answers.set((frame as { id?: unknown }).id, resolve);
        void near.send(frame as never);
      });
    if (version === '2025-11-25') await send(initialize());
    const answer = await send({ jsonrpc: '2.0', id: 2, method: 'tools/call', ...call });
    await served.close();
    return answer;
  }

  it.each<[string, string, object]>([
    ['2025-11-25, without parameters', '2025-11-25', {}],
    ['2025-11-25, without a name', '2025-11-25', { params: {} }],
    ['2026-07-28, without a name', '2026-07-28', { params: { _meta: meta } }],
    ['2026-07-28, with a name that is none', '2026-07-28', { params: { name: 7, _meta: meta } }],
  ])('a call of a tool is refused as the SDK refuses it: %s', async (_, version, call) => {
    const answer = await answerOf(ours, version, call);
    expect(answer).toMatchObject({ error: { code: -32602 } });
    expect(answer).toEqual(await answerOf(factory, version, call));
  });

  it.each(['2025-11-25', '2026-07-28'])(
    'a call of a tool on %s that nests too deeply is refused on any transport',
    async version => {
      const nested = (levels: number) => {
        let value: unknown = [];
        for (let level = 1; level < levels; level += 1) value = [value];
        return { params: { name: 'ours', arguments: { value }, ...(version === '2026-07-28' && { _meta: meta }) } };
      };
      expect(await answerOf(ours, version, nested(5_000))).toMatchObject({
        error: { code: -32600, message: expect.stringContaining('Send it flatter.') },
      });
      expect(await answerOf(ours, version, nested(200))).toMatchObject({ result: { content: [{ text: 'done' }] } });
    },
  );
});

describe('a batch', () => {
  const batches: [string, unknown, string][] = [
    ['of two initializes with one id', [initialize(), initialize()], 'by itself'],
    ['of two initializes', [initialize(1), initialize(2)], 'by itself'],
    ['of one initialize', [initialize()], 'by itself'],
    ['of an initialize and a request', [initialize(), list(2)], 'by itself'],
    ['of an initialize that lacks everything', [{ method: 'initialize' }], 'by itself'],
    ['of nothing', [], 'empty'],
    ['of both revisions', [list(1), modern(2)], 'batches'],
    ['of 2026-07-28', [modern(1), modern(2)], 'batches'],
    ['of what is no message', [list(1), 7, null], 'invalid message'],
    ['of batches', [[initialize()]], 'invalid message'],
    ['without a session', [list(1), list(2)], 'Mcp-Session-Id is missing'],
    ['of more messages than anybody sends', Array.from({ length: 500_000 }, () => 1), 'may have 100'],
  ];

  it.each(batches)('a batch %s is refused', async (_, batch, why) => {
    await using on = await countedEndpoint(factory);
    const answer = await sendRaw(on.port, post(JSON.stringify(batch)));
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ jsonrpc: '2.0', error: { message: expect.stringContaining(why) } });
    expect(on.endpoint.sessions).toBe(0);
  });

  it('a batch of initializes holds no connection and no descriptor, however many there are', async () => {
    await using on = await countedEndpoint(factory);
    await sendRaw(on.port, post('{}'));
    await on.closed();
    const before = descriptors();
    const statuses: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const request = post(JSON.stringify([initialize(), initialize()]));
      const answers = await Promise.all(Array.from({ length: 50 }, () => sendRaw(on.port, request)));
      statuses.push(...answers.map(({ status }) => status));
    }
    await on.closed();
    expect(statuses).toEqual(Array.from({ length: 500 }, () => 400));
    expect(descriptors()).toBeLessThanOrEqual(before);
    expect(on.endpoint.sessions).toBe(0);
  });

  it('a batch is served to a session of 2025-03-26, which has batches, and to no other', async () => {
    await using on = await countedEndpoint(factory);
    for (const [revision, status] of [
      ['2025-03-26', 200],
      ['2025-06-18', 400],
      ['2025-11-25', 400],
    ] as const) {
      const { head } = await sendRaw(on.port, post(JSON.stringify(initialize(1, revision))));
      const session = { 'mcp-session-id': /mcp-session-id: (\S+)/.exec(head)![1]! };
      const send = (body: unknown) => sendRaw(on.port, post(JSON.stringify(body), session));
      const both = await send([list(2), list(3)]);
      expect([revision, both.status]).toEqual([revision, status]);
      if (status === 200) {
        expect(both.body).toContain('"id":2');
        expect(both.body).toContain('"id":3');
        expect((await send([list(4), list(4)])).status).toBe(400);
        const taken = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } };
        expect((await send([list(5), taken])).status).toBe(200);
        expect((await send([initialized])).status).toBe(202);
      } else expect(both.body).toContain(`Revision ${revision} has no batches`);
      expect((await send([initialize(), list(9)])).status).toBe(400);
    }
  });
});

describe('a body', () => {
  const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
  it.each([
    ['4 MB of [', '['.repeat(4_000_000)],
    ['2 MB of [ and 2 MB of ]', deep('[', ']', 2_000_000)],
    ['4 MB of {"a":', '{"a":'.repeat(800_000)],
    [
      'a request that nests 300 levels',
      JSON.stringify(list(1)).replace('{}', deep('{"a":[', ']}', 150).replace('[]', '[1]')),
    ],
  ])('a body of %s is refused before it is parsed', async (_, body) => {
    await using on = await countedEndpoint(factory);
    const parse = JSON.parse;
    const parsed: string[] = [];
    JSON.parse = (text: string, ...rest: []) => {
      parsed.push(text);
      return parse(text, ...rest);
    };
    const answer = await sendRaw(on.port, post(body)).finally(() => {
      JSON.parse = parse;
    });
    expect(answer.status).toBe(400);
    expect(answer.body).toContain('nests more than 256 levels');
    expect(parsed.filter(text => text.length > 1_000)).toEqual([]);
  });

  it('a body that nests as deep as anybody may is read, whatever its texts hold', async () => {
    await using on = await countedEndpoint(factory);
    const { head } = await sendRaw(on.port, post(JSON.stringify(initialize())));
    const session = { 'mcp-session-id': /mcp-session-id: (\S+)/.exec(head)![1]! };
    const text = `${'['.repeat(400)}"\\"${'{'.repeat(400)}`;
    const call = message(2, 'tools/call', { name: 'echo', arguments: { text, more: parseDeep(200) } });
    const answer = await sendRaw(on.port, post(JSON.stringify(call), session));
    expect(answer.body).toContain(JSON.stringify(text));
  });

  it.each([
    ['an escaped quote before brackets', `"${'['.repeat(400)}`],
    ['a backslash at its end', '\\'],
  ])('a body is read where a text in it has %s', async (_, name) => {
    await using on = await countedEndpoint(factory);
    const params = { protocolVersion: '2025-11-25', clientInfo: { name, version: '1' }, more: '['.repeat(300) };
    const body = JSON.stringify(message(1, 'initialize', { ...params, capabilities: {} }));
    expect((await sendRaw(on.port, post(body))).status).toBe(200);
  });

  it('a body that a parser in front has read may nest no deeper', async () => {
    await using on = await countedEndpoint(factory, {}, () => [list(1), parseDeep(100_000)]);
    const answer = await sendRaw(on.port, post('{}'));
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('nests more than 256 levels')]);
  });
});

function parseDeep(depth: number): unknown {
  let value: unknown = 1;
  for (let at = 0; at < depth; at += 1) value = [value];
  return value;
}

describe('a request', () => {
  const body = JSON.stringify(initialize());
  const mcp = (lines: string[], target = '/mcp') =>
    [
      `POST ${target} HTTP/1.1`,
      ...lines,
      'content-type: application/json',
      'accept: application/json, text/event-stream',
      'connection: close',
      `content-length: ${body.length}`,
      '',
      body,
    ].join('\r\n');
  const own = 'host: 127.0.0.1';

  it.each([
    ['for //', ['host: 127.0.0.1'], '//', 404],
    ['for http://[', [own], 'http://[', 400],
    ['for a path without a slash', [own], 'mcp', 400],
    ['for a path that climbs', [own], '/../../mcp', 200],
    ['for *', [own], '*', 400],
    ['in the absolute form', [own], 'http://127.0.0.1/mcp', 200],
    ['in the absolute form, for the port that is meant anyway', ['host: 127.0.0.1:80'], 'http://127.0.0.1/mcp', 200],
    ['in the absolute form, for another host', [own], 'http://evil.example/mcp', 400],
    ['in the absolute form, of another port', [own], 'http://127.0.0.1:1/mcp', 400],
    ['in the absolute form, with a name in it', [own], 'http://evil.example@127.0.0.1/mcp', 400],
    ['of another protocol', [own], 'ftp://127.0.0.1/mcp', 400],
    ['with two hosts', [own, 'host: evil.example'], '/mcp', 400],
    ['with one host twice', [own, 'Host: 127.0.0.1'], '/mcp', 400],
    ['with a host that is a path', ['host: 127.0.0.1/evil.example'], '/mcp', 400],
    ['with a host that is a name and a password', ['host: evil.example@127.0.0.1'], '/mcp', 400],
    ['with an empty host', ['host:'], '/mcp', 400],
    ['with a host that no URL can have', ['host: 1.2.3.256'], '/mcp', 400],
    ['without a host', [], '/mcp', 400],
    ['for another host', ['host: evil.example'], '/mcp', 403],
    ['for another host, in both places', ['host: evil.example'], 'http://evil.example/mcp', 403],
  ])('a request %s is answered, and in the same way when it is sent again', async (_, lines, target, status) => {
    const errors: Error[] = [];
    await using on = await countedEndpoint(factory, { onError: error => void errors.push(error) });
    const send = async () => (await sendRaw(on.port, mcp(lines, target))).status;
    expect([await send(), await send()]).toEqual([status, status]);
    expect(errors).toEqual([]);
  });

  it('a request in the absolute form reaches what is beside the endpoint, by its path', async () => {
    const elsewhere = (request: Request) => new Response(new URL(request.url).pathname);
    await using on = await countedEndpoint(factory, { elsewhere });
    expect(await sendRaw(on.port, mcp([own], 'http://127.0.0.1/beside?x'))).toMatchObject({
      status: 200,
      body: expect.stringContaining('/beside'),
    });
  });

  it('a request of the method TRACE is refused beside the endpoint, too', async () => {
    const errors: Error[] = [];
    const elsewhere = () => new Response('beside');
    await using on = await countedEndpoint(factory, { elsewhere, onError: error => void errors.push(error) });
    const answer = await sendRaw(on.port, `TRACE /beside HTTP/1.1\r\n${own}\r\nconnection: close\r\n\r\n`);
    expect(answer.status).toBe(405);
    expect(answer.head).toContain('allow: get, head, post, put, patch, delete, options');
    expect(errors).toEqual([]);
  });

  it.each(['TRACE', 'PUT', 'OPTIONS', 'PATCH', 'HEAD'])('a request of the method %s is refused', async method => {
    await using on = await countedEndpoint(factory);
    const answer = await sendRaw(on.port, `${method} /mcp HTTP/1.1\r\n${own}\r\nconnection: close\r\n\r\n`);
    expect(answer.status).toBe(405);
    expect(answer.head).toContain('allow: get, post, delete');
  });
});
