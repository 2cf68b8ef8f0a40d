/** Servers over HTTP that take a request and then end its stream in every way, and servers that lose their sessions. */
import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Connection, type Era, Inbox, urlTarget } from '@midcall/host';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../fixtures/free-port.ts';
import { few } from '../../fixtures/soak.ts';

interface Frame {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

const eras: readonly Era[] = ['2025-11-25', '2026-07-28'];
const json = { 'content-type': 'application/json' };
const events = { 'content-type': 'text/event-stream' };
const answer = (response: ServerResponse, id: unknown, result: object): void =>
  void response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, result }));

const page = '<html>Bad gateway</html>';
const failed = (response: ServerResponse, id: unknown): void =>
  void response
    .writeHead(503, json)
    .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: 'This server is stopping.' } }));

const notAccepted = { code: -32600, message: 'Too many tools are named.', data: { most: 1 } };

/** Ways not to answer a call. */
const endings: Readonly<Record<string, (response: ServerResponse, id: unknown) => void>> = {
  closed: response => void response.writeHead(200, events).end(': nothing\n\n'),
  empty: response => void response.writeHead(200, events).end(),
  'half an event': (response, id) => void response.writeHead(200, events).end(`data: {"jsonrpc":"2.0","id":${id}`),
  cut: response => void response.writeHead(200, events).write(': a\n\n', () => response.destroy()),
  reset: response => void response.writeHead(200, events).write(': a\n\n', () => response.socket?.resetAndDestroy()),
  'cut before its headers': response => void response.destroy(),
  'an empty body': response => void response.writeHead(200, json).end(),
  'half a body': response =>
    void response.writeHead(200, { ...json, 'content-length': '100' }).write('{', () => response.destroy()),
  'an answer to another request': response => answer(response, 'other', {}),
  'nothing but 202': response => void response.writeHead(202).end(),
  ...Object.fromEntries(
    [500, 502, 503, 504].map(status => [
      `HTTP ${status}`,
      (response: ServerResponse) => void response.writeHead(status, { 'content-type': 'text/html' }).end(page),
    ]),
  ),
  'an error without the id of the request': response => failed(response, 'server-error'),
  'a null result': (response, id) =>
    void response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, result: null })),
  'a null result in an event': (response, id) =>
    void response.writeHead(200, events).end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: null })}\n\n`),
};

async function serve(era: Era, { port = 0, hasSessions = false, lineEnd = '\n' } = {}) {
  const asked: string[] = [];
  const answers: Frame[] = [];
  /** How many of the next requests of a method break off; of two, the first at a proxy. */
  const breaking = new Map<string, number>();
  const sessions = new Set<string>();
  const lost = { isNamed: false };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', chunk => (body += chunk));
    request.on('end', () => {
      const frame = (body === '' ? {} : JSON.parse(body)) as Frame;
      const { id, method, params } = frame;
      if (method === undefined && id === 2.5) {
        answers.push(frame);
        response.writeHead(202).end();
        return answered?.();
      }
      const session = request.headers['mcp-session-id'] as string | undefined;
      if (hasSessions && method !== 'initialize' && method !== 'server/discover' && !sessions.has(session!))
        return void (lost.isNamed
          ? response.writeHead(400).end('Bad Request: No valid session ID provided')
          : response.writeHead(404).end('Session not found'));
      if (request.headers['last-event-id']) {
        asked.push(`resume ${request.headers['last-event-id']}`);
        response.writeHead(200, events);
        return void response.end(
          `data: ${JSON.stringify({ jsonrpc: '2.0', id: resumed, result: { content: [] } })}\n\n`,
        );
      }
      if (method === undefined) return void response.writeHead(405).end();
      asked.push(method);
      const left = breaking.get(method) ?? 0;
      breaking.set(method, left - 1);
      if (left === 2) return void response.writeHead(503).end();
      if (left > 0) return void response.destroy();
      const serverInfo = { name: 'ends', version: '1' };
      const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} };
      if (method === 'initialize') {
        if (era !== '2025-11-25') return void response.writeHead(400).end();
        if (hasSessions) {
          const made = randomUUID();
          sessions.add(made);
          response.setHeader('mcp-session-id', made);
        }
        return answer(response, id, { protocolVersion: '2025-11-25', capabilities, serverInfo });
      }
      if (method === 'server/discover') {
        if (era === '2025-11-25') return void response.writeHead(400).end('no');
        const about = { supportedVersions: [era], capabilities, ttlMs: 0, cacheScope: 'private' };
        const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
        return answer(response, id, { resultType: 'complete', ...about, _meta });
      }
      if (id === undefined) return void response.writeHead(202).end();
      const ending = endings[params?.name ?? ''];
      if (ending) return ending(response, id);
      if (params?.name === 'refused') return failed(response, id);
      if (params?.name === 'not accepted')
        return void response.writeHead(400, json).end(JSON.stringify({ jsonrpc: '2.0', id: null, error: notAccepted }));
      if (params?.name === 'asks oddly') {
        const event = (sent: object): string =>
          `event: message${lineEnd}data: ${JSON.stringify(sent)}${lineEnd}${lineEnd}`;
        answered = () => response.end(event({ jsonrpc: '2.0', id, result: { content: [] } }));
        const request = event({ jsonrpc: '2.0', id: 2.5, method: 'ping' });
        // A line may come in pieces.
        return void response
          .writeHead(200, events)
          .write(request.slice(0, 40), () => response.write(request.slice(40)));
      }
      if (params?.name === 'resumable') {
        resumed = id;
        return void response.writeHead(200, events).end('id: e1\nretry: 1\ndata: \n\n');
      }
      answer(response, id, { content: [{ type: 'text', text: 'done' }], tools: [], resultType: 'complete' });
    });
  });
  let resumed: unknown;
  let answered: (() => void) | undefined;
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  };
  onTestFinished(close);
  const at = (server.address() as AddressInfo).port;
  return { asked, answers, breaking, sessions, lost, close, port: at, target: urlTarget(`http://127.0.0.1:${at}/mcp`) };
}

async function connected(target: ReturnType<typeof urlTarget>, era: Era): Promise<Connection> {
  const client = { name: 'test', version: '1.0.0' };
  const connection = new Connection({ id: 'ends', target }, { client, inbox: new Inbox(), era });
  onTestFinished(() => connection.stop());
  await connection.start();
  return connection;
}

const call = (connection: Connection, name: string) =>
  connection.run({ kind: 'tool', name, arguments: {} }, { timeoutMs: Number.POSITIVE_INFINITY }).outcome;
const inDoubt = 'The request may have been carried out: find out what took effect before sending it again.';

describe.each(few(eras, '2026-07-28'))('a server of %s that does not answer a call', era => {
  it.each(Object.keys(endings))(
    'a server that does not answer a call ends it, and a forwarded request, in doubt: %s',
    async name => {
      const { target } = await serve(era);
      const connection = await connected(target, era);
      const outcome = await call(connection, name);
      expect(outcome).toEqual({ how: 'abandoned', message: expect.stringContaining(inDoubt), inDoubt: true });
      expect(outcome).not.toMatchObject({ message: expect.stringContaining('html') });
      if (name.startsWith('HTTP')) expect(outcome).toMatchObject({ message: expect.stringContaining(`(${name})`) });
      await expect(connection.forward({ method: 'own/method', params: { name } })).rejects.toThrow(inDoubt);
      expect(await call(connection, 'works')).toMatchObject({ how: 'completed' });
      expect(connection.state).toBe('ready');
    },
  );
});

it.each(eras)(
  'a server of %s that answers a call with an error of its own is heard, whatever the status, and nothing is in doubt',
  async era => {
    const { target, asked } = await serve(era);
    const connection = await connected(target, era);
    const error = { code: -32000, message: 'This server is stopping.' };
    expect(await call(connection, 'refused')).toEqual({ how: 'refused', ...error });
    expect(await connection.forward({ method: 'own/method', params: { name: 'refused' } })).toEqual({ error });
    expect(asked.filter(method => method === 'tools/call')).toHaveLength(1);
  },
);

it.each(eras)(
  'a server of %s that does not accept a request, and gives no id with its reason, is heard in its own words',
  async era => {
    const { target } = await serve(era);
    const connection = await connected(target, era);
    const told = { ...notAccepted, message: 'Too many tools are named. (HTTP 400)' };
    expect(await call(connection, 'not accepted')).toEqual({ how: 'refused', ...told });
    const forwarded = connection.forward({ method: 'own/method', params: { name: 'not accepted' } });
    expect(await forwarded).toEqual({ error: notAccepted });
  },
);

it.each(eras)(
  'a server of %s is asked again, once, for what changes nothing where its first answer is cut off',
  async era => {
    const { target, asked, breaking } = await serve(era);
    const discovery = era === '2026-07-28' ? ['server/discover'] : [];
    for (const method of discovery) breaking.set(method, 1);
    const connection = await connected(target, era);
    const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
    for (const [at, method] of lists.entries()) {
      breaking.set(method, at === 3 ? 2 : 1);
      const answer = connection.forward({ method, params: {} });
      if (at === 3) await expect(answer).rejects.toThrow(/ended before its answer came\.$/u);
      else expect(await answer).toHaveProperty('result');
    }
    for (const method of [...discovery, ...lists]) expect(asked.filter(each => each === method)).toHaveLength(2);
    breaking.set('own/method', 1);
    await expect(connection.forward({ method: 'own/method' })).rejects.toThrow(inDoubt);
    expect(asked.filter(each => each === 'own/method')).toHaveLength(1);
  },
);

it.each(eras)(
  'a server of %s that does not answer what changes nothing but may ask is not asked again, and nothing is in doubt',
  async era => {
    const { target, asked, breaking } = await serve(era);
    const connection = await connected(target, era);
    for (const { kind, method } of [
      { kind: 'prompt', method: 'prompts/get' },
      { kind: 'resource', method: 'resources/read' },
    ] as const) {
      for (const [left, ending] of [
        [2, /\(HTTP 503\)\.$/u],
        [1, /ended before its answer came\.$/u],
      ] as const) {
        breaking.set(method, left);
        const outcome = await connection.run({ kind, name: 'a:b', arguments: {} }).outcome;
        expect(outcome).toEqual({ how: 'abandoned', message: expect.stringMatching(ending) });
        breaking.set(method, 0);
      }
      expect(asked.filter(each => each === method)).toHaveLength(2);
    }
    breaking.set('completion/complete', 1);
    const params = { ref: { type: 'ref/prompt', name: 'a' }, argument: { name: 'b', value: 'c' } };
    const completion = connection.forward({ method: 'completion/complete', params });
    await expect(completion).rejects.toThrow(/ended before its answer came\.$/u);
  },
);

it.each(eras)('a server of %s may be silent for longer than the five minutes that Node waits', async era => {
  const sent: { readonly method: string; readonly headersTimeout?: number; readonly bodyTimeout?: number }[] = [];
  const node = globalThis as unknown as Record<
    symbol,
    { dispatch(request: (typeof sent)[number], on: unknown): boolean }
  >;
  const key = Symbol.for('undici.globalDispatcher.1');
  const { target } = await serve(era);
  // Node makes the dispatcher when something of its fetch is first used.
  void globalThis.Headers;
  const usual = node[key]!;
  onTestFinished(() => void Object.assign(node, { [key]: usual }));
  node[key] = { dispatch: (request, on) => sent.push(request) > 0 && usual.dispatch(request, on) };
  const connection = await connected(target, era);
  expect(await call(connection, 'works')).toMatchObject({ how: 'completed' });
  const posted = sent.filter(({ method }) => method === 'POST');
  expect(posted.length).toBeGreaterThan(1);
  for (const request of posted) expect(request).toMatchObject({ headersTimeout: 0, bodyTimeout: 0 });
  for (const { bodyTimeout } of sent.filter(({ method }) => method === 'GET')) expect(bodyTimeout).toBeUndefined();
});

it('a stream with event ids is resumed, and the call has its result', async () => {
  const { target, asked } = await serve('2025-11-25');
  const connection = await connected(target, '2025-11-25');
  expect(await call(connection, 'resumable')).toMatchObject({ how: 'completed' });
  expect(asked).toContain('resume e1');
});

describe('a server that has lost its session', () => {
  it.each(['HTTP 404', 'HTTP 400 in words'])(
    'a server that has lost its session gets a new one, and the request again, after %s',
    async how => {
      const { target, asked, sessions, lost } = await serve('2025-11-25', { hasSessions: true });
      const connection = await connected(target, '2025-11-25');
      const told: unknown[] = [];
      connection.subscribe(event => void told.push(event.type === 'stderr' ? event.line : event.type));
      lost.isNamed = how !== 'HTTP 404';
      sessions.clear();
      asked.length = 0;
      const both = await Promise.all([call(connection, 'works'), call(connection, 'works')]);
      expect(both.map(({ how }) => how)).toEqual(['completed', 'completed']);
      expect(asked).toEqual(['initialize', 'notifications/initialized', 'tools/call', 'tools/call']);
      expect(told).toContain('midcall: The server had lost its session. A new one was opened.');
      expect(told.filter(type => type === 'session-renewed')).toHaveLength(1);
      expect(connection.state).toBe('ready');
    },
  );

  it('a server that has lost its session is not ready while nothing listens, and serves again once it is back', async () => {
    const port = await freePort();
    const before = await serve('2025-11-25', { hasSessions: true, port });
    const connection = await connected(before.target, '2025-11-25');
    await before.close();
    expect(await call(connection, 'works')).toMatchObject({ how: 'server-gone' });
    expect(connection).toMatchObject({ state: 'failed', problem: expect.stringContaining('nothing listens') });
    await serve('2025-11-25', { hasSessions: true, port });
    await connection.restart();
    expect(await call(connection, 'works')).toMatchObject({ how: 'completed' });
  });

  it('a server that has lost its session has failed where it opens no other', async () => {
    const { target, sessions } = await serve('2025-11-25', { hasSessions: true });
    const connection = await connected(target, '2025-11-25');
    sessions.clear();
    sessions.add = () => sessions;
    expect(await call(connection, 'works')).toMatchObject({ how: 'server-gone' });
    expect(connection.state).toBe('failed');
  });
});

describe('a request of a server with an id that is no text or integer', () => {
  it.each(['\n', '\r\n'])(
    'a request whose id is no text or integer gets an error at once, under that id, and its call goes on (%j)',
    async end => {
      const { target, answers } = await serve('2025-11-25', { lineEnd: end });
      const connection = await connected(target, '2025-11-25');
      expect(await call(connection, 'asks oddly')).toMatchObject({ how: 'completed' });
      expect(answers).toEqual([
        { jsonrpc: '2.0', id: 2.5, error: { code: -32600, message: expect.stringContaining('a text or an integer') } },
      ]);
    },
  );
});
