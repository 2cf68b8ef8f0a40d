/** Streams of sessions that a server in Node is sent as they come: of clients that read nothing, and behind others who answer. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { type HttpOptions, mcpEndpoint } from '../../../packages/server/src/http/endpoint.ts';
import { nodeHandler } from '../../../packages/server/src/http/node-handler.ts';
import { grown } from '../../fixtures/grown.ts';

const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });
const MIB = 1024 * 1024;

/** Timers of a session that fire when they are told to. */
function timers() {
  const set = new Set<() => void>();
  return {
    clock: {
      now: Date.now,
      after: (_: number, fn: () => void) => {
        set.add(fn);
        return () => void set.delete(fn);
      },
    },
    /** Fires what was set since the last time. */
    pass() {
      for (const fn of [...set]) if (set.delete(fn)) fn();
    },
  };
}

/** @param before - does with a response what somebody in front of the endpoint does */
async function stage(options: HttpOptions = {}, before = (_: IncomingMessage, __: ServerResponse): void => {}) {
  const errors: string[] = [];
  const responses: ServerResponse[] = [];
  const begun: string[] = [];
  const handled: Promise<void>[] = [];
  const finishes: (() => void)[] = [];
  const ends: string[] = [];
  const endpoint = mcpEndpoint(
    () => {
      const wait = (): Promise<void> => new Promise(resolve => finishes.push(resolve));
      const server = new McpServer({ name: 'slow-readers', version: '1.0.0' }, { capabilities: { logging: {} } });
      server.registerTool('flood', {}, async ctx => {
        const finished = wait();
        await ctx.mcpReq.log('info', 'first');
        await finished;
        for (let n = 0; n < 96; n += 1) await ctx.mcpReq.log('info', 'x'.repeat(MIB / 4));
        ends.push('flood');
        return said('all told');
      });
      server.registerTool('waits', {}, async () => {
        const finished = wait();
        begun.push('waits');
        await finished;
        return said('waited');
      });
      server.registerTool('logs', {}, async ctx => {
        const finished = wait();
        begun.push('logs');
        await finished;
        await ctx.mcpReq.log('info', 'one');
        return said('logged');
      });
      server.registerTool('announce', {}, async () => {
        for (let n = 0; n < 96; n += 1)
          await server.server.sendLoggingMessage({ level: 'info', data: 'x'.repeat(MIB / 4) });
        return said('announced');
      });
      server.registerTool('quick', {}, () => said('quick'));
      return server;
    },
    { ...options, onError: error => void errors.push(error.message) },
  );
  const handle = nodeHandler(endpoint);
  const server = createServer((req, res) => {
    before(req, res);
    responses.push(res);
    handled.push(handle(req, res));
  }).listen(0, '127.0.0.1');
  // A connection that was closed for being idle, while a test was busy, would fail the request that comes on it.
  server.keepAliveTimeout = 0;
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const post = (body: object, headers: Readonly<Record<string, string>>) =>
    fetch(url, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify({ jsonrpc: '2.0', ...body }) });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const first = await post({ id: 0, method: 'initialize', params }, {});
  await first.text();
  const known = { 'mcp-session-id': first.headers.get('mcp-session-id')!, 'mcp-protocol-version': '2025-11-25' };
  const bodyOf = (id: number, name: string) => ({ id, method: 'tools/call', params: { name, arguments: {} } });
  return {
    ...{ errors, responses, begun, handled, finishes, ends },
    call: (id: number, name: string, headers = {}) => post(bodyOf(id, name), { ...known, ...headers }),
    resume: (event: string) =>
      fetch(url, { headers: { ...known, accept: 'text/event-stream', 'last-event-id': event } }),
    /** Calls on a connection that ends with the response. @returns its header `connection`, and its text */
    async callAndClose(id: number, name: string) {
      const sent = request(url, { method: 'POST', agent: false, headers: { ...json, ...known } });
      sent.end(JSON.stringify({ jsonrpc: '2.0', ...bodyOf(id, name) }));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      let text = '';
      for await (const chunk of response) text += chunk;
      return [response.headers.connection, text] as const;
    },
    /** Listens, and reads nothing. */
    async listenUnread() {
      const sent = request(url, { headers: { accept: 'text/event-stream', ...known } }).on('error', () => {});
      sent.end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.on('error', () => {});
      return { gone: () => void sent.destroy() };
    },
    /** Calls, and reads the head of the response and its first bytes alone. */
    async callUnread(id: number, name: string) {
      const sent = request(url, { method: 'POST', headers: { ...json, ...known } }).on('error', () => {});
      sent.end(JSON.stringify({ jsonrpc: '2.0', ...bodyOf(id, name) }));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      const [bytes] = await once(
        response.on('error', () => {}),
        'data',
      );
      response.pause();
      return { gone: () => void sent.destroy(), first: String(bytes) };
    },
    async [Symbol.asyncDispose]() {
      for (const finish of finishes) finish();
      await endpoint.stop({ within: 0 });
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** @returns what came before the connection broke, as whole events */
async function readAll(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body!) text += decoder.decode(chunk, { stream: true });
  } catch {
    // It was cut.
  }
  return text.slice(0, text.lastIndexOf('\n\n') + 2);
}

const eventIn = (text: string): string => /^id: (.+)$/mu.exec(text)![1]!;

it('a stream is cut where its client does not read it, and the session can resume it and goes on', async () => {
  const sessions = { events: { maxBytes: 64 * MIB } };
  await using on = await stage({ unread: { maxBytes: 8 * MIB }, sessions });
  const unread = await on.callUnread(1, 'flood');
  on.finishes[0]!();
  await grown(on.ends, ends => ends.length > 0);
  expect(on.errors).toEqual([
    'More than 8388608 bytes of one stream waited for a client of /mcp to read them. The stream was cut.',
  ]);
  // The stream begins with an event that says nothing and the first message; what is asked for again is less than the limit.
  const [stream, number] = eventIn(unread.first).split('.');
  const resumed = await (await on.resume(`${stream}.${Number(number) + 81}`)).text();
  expect([resumed.match(/"data":"x/gu)?.length, resumed.includes('all told')]).toEqual([16, true]);
  expect(await (await on.call(2, 'quick')).json()).toMatchObject({ id: 2, result: said('quick') });
  unread.gone();
});

it('the stream on which a client listens is cut where it is not read, and the session goes on', async () => {
  await using on = await stage({ unread: { maxBytes: 8 * MIB } });
  const unread = await on.listenUnread();
  expect(await (await on.call(1, 'announce')).json()).toMatchObject({ id: 1, result: said('announced') });
  expect(on.errors).toEqual([
    'More than 8388608 bytes of one stream waited for a client of /mcp to read them. The stream was cut.',
  ]);
  expect(await (await on.call(2, 'quick')).json()).toMatchObject({ id: 2, result: said('quick') });
  unread.gone();
});

it('unread-U1: what is replayed beyond the limit comes in pieces, all of it, in its order, each piece on a connection', async () => {
  const sessions = { events: { maxBytes: 64 * MIB } };
  await using on = await stage({ unread: { maxBytes: 4 * MIB }, sessions });
  const unread = await on.callUnread(1, 'flood');
  on.finishes[0]!();
  await grown(on.ends, ends => ends.length > 0);
  unread.gone();
  await on.handled[1];
  let last = eventIn(unread.first);
  const numbers: number[] = [];
  let floods = 0;
  let pieces = 0;
  for (let isOver = false; !isOver; pieces += 1) {
    const text = await readAll(await on.resume(last));
    const ids = [...text.matchAll(/^id: .+\.(\d+)$/gmu)].map(([, id]) => Number(id));
    expect(ids.length).toBeGreaterThan(0);
    numbers.push(...ids);
    floods += text.match(/"data":"x/gu)?.length ?? 0;
    last = [...text.matchAll(/^id: (.+)$/gmu)].at(-1)![1]!;
    isOver = text.includes('all told');
  }
  expect([floods, numbers.every((id, at) => at === 0 || id === numbers[at - 1]! + 1), pieces > 1]).toEqual([
    96,
    true,
    true,
  ]);
});

it('a stream that has more than the limit, and is read, has every message in its order', async () => {
  await using on = await stage({ unread: { maxBytes: 40 * MIB } });
  const response = await on.call(1, 'flood');
  on.finishes[0]!();
  const text = await response.text();
  expect([text.match(/"data":"x/gu)?.length, text.includes('all told'), on.errors]).toEqual([96, true, []]);
});

it.each(['waits', 'logs', 'time'])(
  'a call goes on where somebody in front of the endpoint has answered for it (%s), and nothing fails',
  async how => {
    const { clock, pass } = timers();
    await using on = await stage({ sessions: { clock } });
    const name = how === 'time' ? 'waits' : how;
    const called = on.call(1, name, { 'x-late': 'yes' });
    await grown(on.begun, begun => begun.length > 0);
    on.responses[1]!.writeHead(503).end('It took too long.');
    const answered = await called;
    expect([answered.status, await answered.text()]).toEqual([503, 'It took too long.']);
    if (how === 'time') pass();
    on.finishes[0]!();
    await on.handled[1];
    expect(await (await on.call(1, 'quick')).json()).toMatchObject({ id: 1, result: said('quick') });
    expect(on.errors).toEqual([]);
  },
);

it('a stream that somebody in front of the endpoint has ended is sent nothing more, and can be resumed', async () => {
  const { clock, pass } = timers();
  await using on = await stage({ sessions: { clock } });
  const called = on.call(1, 'logs');
  await grown(on.begun, begun => begun.length > 0);
  pass();
  const response = await called;
  const [, res] = on.responses;
  res!.end();
  on.finishes[0]!();
  const event = eventIn(await response.text());
  await on.handled[1];
  const resumed = await (await on.resume(event)).text();
  expect([resumed.includes('"data":"one"'), resumed.includes('logged'), on.errors]).toEqual([true, true, []]);
});

it('a response whose methods somebody has replaced fails for its client alone', async () => {
  await using on = await stage({}, (req, res) => {
    if (req.headers['x-wrapped'])
      res.writeHead = () => {
        throw new Error('The wrapper is broken.');
      };
  });
  await expect(on.call(1, 'quick', { 'x-wrapped': 'yes' })).rejects.toThrow('fetch failed');
  expect(await (await on.call(1, 'quick')).json()).toMatchObject({ id: 1, result: said('quick') });
});

it('a stream ends with its connection where its client said so', async () => {
  await using on = await stage();
  const called = on.callAndClose(1, 'logs');
  await grown(on.finishes, finishes => finishes.length > 0);
  on.finishes[0]!();
  const [connection, text] = await called;
  expect([connection, text.includes('"data":"one"'), text.includes('logged')]).toEqual(['close', true, true]);
});

it('sessions-H7: a stream is resumed again though nothing came since it was resumed', async () => {
  const { clock, pass } = timers();
  await using on = await stage({ sessions: { clock } });
  const called = on.call(1, 'waits');
  await grown(on.begun, begun => begun.length > 0);
  pass();
  const first = (await called).body!.getReader();
  const event = eventIn(new TextDecoder().decode((await first.read()).value));
  const second = await on.resume(event);
  expect((await first.read()).done).toBe(true);
  const third = await on.resume(event);
  expect([second.status, third.status, await second.text()]).toEqual([200, 200, '']);
  on.finishes[0]!();
  expect(await third.text()).toContain('waited');
});
