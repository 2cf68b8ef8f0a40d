/**
 * What packages/server/src/sdk-seam/front.ts promises. A corpus of frames, well formed and odd, goes to a tool of ours and to the
 * same tool of the SDK's: what leaves, and what is told, is the same.
 */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { midcall } from '@midcall/server';
import { mcpEndpoint } from '@midcall/server/http';
import {
  McpServer,
  ProtocolError,
  ResourceTemplate,
  type Transport,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

type Json = Record<string, unknown>;
type Era = '2025-11-25' | '2026-07-28';
/** Whose handlers a server has. */
type Whose = 'ours' | 'the SDK’s';

const eras = ['2025-11-25', '2026-07-28'] as const;
const capabilities = { elicitation: {}, sampling: {}, roots: {} };
const clientInfo = { name: 'host', version: '1.0.0' };
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
};
const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });

const odd: Readonly<Record<string, () => unknown>> = {
  image: () => ({ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }),
  meta: () => ({ ...text('a'), _meta: { x: 1 } }),
  more: () => ({ ...text('a'), more: { x: 1 } }),
  'a structured list': () => ({ ...text('a'), structuredContent: [1] }),
  'a structured list alone': () => ({ content: [], structuredContent: [1] }),
  'a structured object': () => ({ ...text('a'), structuredContent: { a: { b: [1] } } }),
  'an error': () => ({ ...text('a'), isError: true }),
  'isError undefined': () => ({ ...text('a'), isError: undefined }),
  'a plain error': () => {
    throw new Error('broken');
  },
  'a coded error': () => {
    throw new ProtocolError(-32001, 'no such note', { note: 1 });
  },
  'an address': () => {
    throw new UrlElicitationRequiredError([
      { mode: 'url', message: 'Go', url: 'https://example.com/', elicitationId: '1' },
    ]);
  },
};

/** Registers the same tools, prompts and resources on a server. @param stopped - told why each call of `stuck` ended */
function register(server: McpServer, whose: Whose, stopped: unknown[] = []) {
  const mid = midcall({ warn: () => {}, onError: () => {} });
  const isOurs = whose === 'ours';
  const tool = (name: string, config: object, run: (args: never, signal: AbortSignal) => unknown) =>
    isOurs
      ? mid.tool(server, name, config, (args, call) => run(args as never, call.signal) as never)
      : 'inputSchema' in config
        ? server.registerTool(
            name,
            config as never,
            ((args: never, { mcpReq }: never) => run(args, (mcpReq as { signal: AbortSignal }).signal)) as never,
          )
        : server.registerTool(name, config, (({ mcpReq }: { mcpReq: { signal: AbortSignal } }) =>
            run({} as never, mcpReq.signal)) as never);
  tool('bare', {}, () => text('bare'));
  tool('echo', { inputSchema: z.object({}).loose() }, args => text(JSON.stringify(args)));
  tool('strict', { inputSchema: z.object({ title: z.string() }) }, ({ title }: { title: string }) => text(title));
  const shape = { inputSchema: z.object({ n: z.unknown() }), outputSchema: z.object({ n: z.number() }) };
  tool('shaped', shape, ({ n }: { n: unknown }) => ({ ...text('n'), structuredContent: { n } }));
  tool('shapeless', { outputSchema: z.object({ n: z.number() }) }, () => text('n'));
  tool('list', { outputSchema: z.array(z.number()) }, () => ({ content: [], structuredContent: [1] }));
  tool('odd', { inputSchema: z.object({ which: z.string() }) }, ({ which }: { which: string }) => odd[which]!());
  tool('later', {}, async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve));
    return text('later');
  });
  tool('stuck', {}, async (_, signal) => {
    await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()));
    stopped.push(signal.reason);
    return text('never');
  });
  tool('disabled', {}, () => text('no')).disable();
  tool('removed', {}, () => text('no')).remove();
  tool('old name', {}, () => text('renamed')).update({ name: 'new_name' });
  tool('changed', {}, () => text('before')).update({ callback: () => text('after') } as never);
  tool('narrowed', { inputSchema: z.object({}) }, () => text('narrowed')).update({
    paramsSchema: z.object({ n: z.number() }),
  } as never);
  server.registerTool('plain', { inputSchema: z.object({ a: z.number() }) }, ({ a }) => text(String(a)));
  const said = (which: string) => ({
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: which } }],
  });
  const argsSchema = z.object({ n: z.string() });
  if (isOurs) mid.prompt(server, 'strict', { argsSchema }, ({ n }) => said(n));
  else server.registerPrompt('strict', { argsSchema }, ({ n }) => said(n));
  const contents = (uri: URL, which: unknown) => ({ contents: [{ uri: uri.href, text: JSON.stringify(which) }] });
  const note = new ResourceTemplate('notes://{id}', { list: undefined });
  const hint = { cacheHint: { ttlMs: 5 } } as object;
  if (isOurs) {
    mid.resource(server, 'ours', 'ours://one', hint, uri => contents(uri, 'ours'));
    mid.resource(server, 'note', note, {}, (uri, _, variables) => contents(uri, variables));
  } else {
    server.registerResource('ours', 'ours://one', hint, uri => contents(uri, 'ours'));
    server.registerResource('note', note, {}, (uri, variables) => contents(uri, variables));
  }
  server.registerResource('index', 'notes://index', {}, uri => contents(uri, 'plain'));
}

const options = { capabilities: { logging: {} }, cacheHints: { 'resources/read': { cacheScope: 'public' } } } as object;

/** One server on a pair of pipes. @param wrap - what somebody else does to the server before it is ours */
async function stage(era: Era, whose: Whose, wrap = (_: McpServer): void => {}) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const [sent, errors, stopped]: [Json[], string[], unknown[]] = [[], [], []];
  const waiting = new Set<() => void>();
  let rest = '';
  stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop()!;
    for (const line of lines) sent.push(JSON.parse(line) as Json);
    for (const wake of waiting) wake();
  });
  let server!: McpServer;
  const factory = () => {
    server = new McpServer({ name: 's', version: '1' }, options);
    wrap(server);
    register(server, whose, stopped);
    server.server.onerror = error => errors.push(error.message);
    return server;
  };
  const wire = new StdioServerTransport(stdin, stdout);
  const serving = serveStdio(factory, { transport: wire, onerror: error => errors.push(error.message) });
  const arrived = async (id: unknown): Promise<Json> => {
    for (;;) {
      const found = sent.find(frame => frame['id'] === id);
      if (found) return found;
      await new Promise<void>(resolve => waiting.add(resolve));
    }
  };
  const say = (...frames: readonly (Json | string)[]): void =>
    void stdin.write(frames.map(each => (typeof each === 'string' ? each : `${JSON.stringify(each)}\n`)).join(''));
  const request = (id: unknown, method: string, params: Json): Json => ({
    ...{ jsonrpc: '2.0', id, method },
    params: { ...(era === '2026-07-28' && { _meta: envelope }), ...params },
  });
  const call = (id: unknown, name: unknown, params: Json = {}): Json => request(id, 'tools/call', { name, ...params });
  let settled = 0;
  /** What left since it was asked last; all that was said has had its effect by then. */
  const since = async (): Promise<string[]> => {
    const id = `settled-${++settled}`;
    say(call(id, 'later'));
    await arrived(id);
    const frames = sent.splice(0).filter(frame => frame['id'] !== id);
    return frames.map(frame => JSON.stringify(sorted(frame))).sort();
  };
  if (era === '2025-11-25') {
    say({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: era, capabilities, clientInfo } });
    await arrived(0);
    say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }
  await since();
  return { era, stdin, say, call, request, since, errors, stopped, serving, sent, arrived, wire, server: () => server };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** The same JSON with its members in order. */
const sorted = (value: unknown): unknown =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(
        Object.entries(value)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, each]) => [key, sorted(each)]),
      );

type Scene = readonly [name: string, frames: (stage: Stage) => readonly (Json | string)[]];
const params = (name: string, more: Json): Scene => [name, ({ call }) => [call(1, 'echo', more)]];
const meta = (name: string, more: Json): Scene => [
  name,
  ({ call, era }) => [call(1, 'echo', { _meta: { ...(era === '2026-07-28' && envelope), ...more } })],
];
const read = (uri: unknown): Scene => [
  `the resource ${JSON.stringify(uri)}`,
  ({ request }) => [request(1, 'resources/read', { uri })],
];
const prompt = (name: string, more: Json): Scene => [name, ({ request }) => [request(1, 'prompts/get', more)]];

const scenes: readonly Scene[] = [
  params('a call', { arguments: { a: 1, b: [{ c: null }], 2: 'x' } }),
  params('no arguments', {}),
  params('arguments that are a list', { arguments: [1] }),
  params('arguments that are null', { arguments: null }),
  params('arguments that are a text', { arguments: 'a' }),
  params('another member', { arguments: {}, more: 1 }),
  params('no _meta', { _meta: undefined }),
  params('a _meta of null', { _meta: null }),
  params('a _meta that is a list', { _meta: [] }),
  ...[1, 'a', 1.5, null, true, {}].map(progressToken =>
    meta(`the progress token ${JSON.stringify(progressToken)}`, { progressToken }),
  ),
  meta('a trace', { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }),
  meta('a level', { 'io.modelcontextprotocol/logLevel': 'debug' }),
  meta('an odd level', { 'io.modelcontextprotocol/logLevel': 1 }),
  meta('other capabilities', { 'io.modelcontextprotocol/clientCapabilities': {} }),
  meta('odd capabilities', { 'io.modelcontextprotocol/clientCapabilities': { elicitation: 1 } }),
  meta('capabilities of null', { 'io.modelcontextprotocol/clientCapabilities': { elicitation: null } }),
  meta('an odd client', { 'io.modelcontextprotocol/clientInfo': { name: 1 } }),
  meta('an odd revision', { 'io.modelcontextprotocol/protocolVersion': 1 }),
  ...['x', '', 0, -1, 1.5, null, {}].map(
    (id): Scene => [`the id ${JSON.stringify(id)}`, ({ call }) => [call(id, 'bare')]],
  ),
  ['another member of the frame', ({ call }) => [{ ...call(1, 'bare'), more: 1 }]],
  ...[undefined, null, [], 'a', 1].map(
    (given): Scene => [
      `the parameters ${JSON.stringify(given)}`,
      ({ call }) => [{ ...call(1, 'bare'), params: given }],
    ],
  ),
  ...[
    undefined,
    null,
    1,
    '',
    'toString',
    '__proto__',
    'nobody',
    'plain',
    'disabled',
    'removed',
    'old name',
    'new_name',
    'changed',
    'narrowed',
  ].map((name): Scene => [`the tool ${JSON.stringify(name)}`, ({ call }) => [call(1, name, { arguments: { a: 1 } })]]),
  ['arguments that fit', ({ call }) => [call(1, 'strict', { arguments: { title: 'a', more: 1 } })]],
  ['arguments that do not fit', ({ call }) => [call(1, 'strict', { arguments: { title: 1 } })]],
  ['a result that fits', ({ call }) => [call(1, 'shaped', { arguments: { n: 1 } })]],
  ['a result that does not fit', ({ call }) => [call(1, 'shaped', { arguments: { n: 'a' } })]],
  ['a result without structured content', ({ call }) => [call(1, 'shapeless')]],
  ['a result that is a list', ({ call }) => [call(1, 'list')]],
  ...Object.keys(odd).map(
    (which): Scene => [`the result: ${which}`, ({ call }) => [call(1, 'odd', { arguments: { which } })]],
  ),
  ['a list of tools', ({ request }) => [request(1, 'resources/templates/list', {})]],
  ['many at once', ({ call }) => [call(1, 'bare'), call(2, 'later'), { ...call(3, 'bare'), more: 1 }, call(4, 'echo')]],
  ['two of one id', ({ call }) => [call(1, 'later'), call(1, 'bare')]],
  [
    'a call that is cancelled',
    ({ call }) => [
      call(1, 'stuck'),
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } },
    ],
  ],
  ...['ours://one', 'notes://index', 'notes://other', 'nobody://x', 'no uri', 1, undefined].map(read),
  prompt('a prompt', { name: 'strict', arguments: { n: 'a' } }),
  prompt('arguments of a prompt that do not fit', { name: 'strict', arguments: { m: 'a' } }),
  prompt('a prompt without arguments', { name: 'strict' }),
  prompt('odd arguments of a prompt', { name: 'strict', arguments: { n: 1 } }),
  prompt('a prompt of nobody', { name: 'nobody' }),
];

async function play(era: Era, whose: Whose, [, frames]: Scene) {
  const staged = await stage(era, whose);
  staged.say(...frames(staged));
  const left = await staged.since();
  await staged.serving.close();
  return { left, errors: staged.errors.toSorted() };
}

/** What the SDK words for authors of its own handlers. */
const differs = (era: Era, name: string): boolean => era === '2026-07-28' && name === 'the result: an address';

describe.each(eras)('front-F1 on %s: what leaves is what the SDK would have sent', era => {
  it.each(scenes.map(scene => [scene[0], scene] as const))(
    'what leaves is what the SDK would have sent for %s',
    async (_, scene) => {
      const [ours, theirs] = [await play(era, 'ours', scene), await play(era, 'the SDK’s', scene)];
      if (differs(era, scene[0])) expect(ours.left).toEqual([expect.stringContaining('-32603')]);
      else expect(ours).toEqual(theirs);
    },
  );
});

it.each(scenes.filter(([name]) => !differs('2026-07-28', name)).map(scene => [scene[0], scene] as const))(
  'front-F1 over HTTP on 2026-07-28: the response is that of the SDK for %s',
  async (_, [, frames]) => {
    const request = (id: unknown, method: string, params: Json): Json => ({
      ...{ jsonrpc: '2.0', id, method },
      params: { _meta: envelope, ...params },
    });
    const call = (id: unknown, name: unknown, more: Json = {}) => request(id, 'tools/call', { name, ...more });
    const all = frames({ era: '2026-07-28', request, call } as Stage).filter(each => typeof each === 'object');
    const answers = async (whose: Whose) => {
      const endpoint = mcpEndpoint(() => {
        const server = new McpServer({ name: 's', version: '1' }, options);
        register(server, whose);
        return server;
      });
      const posted: unknown[] = [];
      for (const frame of all.filter(each => !JSON.stringify(each).includes('stuck'))) {
        const { method, params } = frame as { method?: string; params?: { name?: unknown; uri?: unknown } | null };
        const named = params?.name ?? params?.uri;
        const headers = {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': String(method),
          ...(typeof named === 'string' && { 'mcp-name': named }),
        };
        const init = { method: 'POST', headers, body: JSON.stringify(frame) };
        const response = await endpoint.fetch(new Request('http://127.0.0.1/mcp', init));
        const body = await response.text();
        posted.push([response.status, body === '' ? '' : sorted(JSON.parse(body))]);
      }
      await endpoint.stop({ within: 0 });
      return posted;
    };
    expect(await answers('ours')).toEqual(await answers('the SDK’s'));
  },
);

describe.each(eras)('on %s', era => {
  it('front-F2: a call ends with its cancellation or its connection, and says why', async () => {
    const staged = await stage(era, 'ours');
    const { say, call, since, stopped, serving, sent } = staged;
    say(call(1, 'stuck'), call(2, 'stuck'));
    await since();
    say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } });
    expect(await since()).toEqual([]);
    expect(stopped).toEqual(['enough']);
    await serving.close();
    await new Promise(resolve => setImmediate(resolve));
    expect(stopped).toEqual(['enough', expect.objectContaining({ message: 'Connection closed' })]);
    expect(sent).toEqual([]);
  });

  const listen = (transport: Transport, seen: unknown[]): void => {
    const { onmessage: receive } = transport;
    const send = transport.send.bind(transport);
    transport.onmessage = (message, extra) => {
      if ('id' in message) seen.push(`in ${message.id}`);
      receive?.(message, extra);
    };
    transport.send = (message, sending) => {
      if ('id' in message) seen.push(`out ${message.id}`);
      return send(message, sending);
    };
  };
  const tracers = {
    'around the server before it is ours': (server: McpServer, seen: unknown[]) => {
      const connect = server.connect.bind(server);
      server.connect = async transport => {
        await connect(transport);
        listen(transport, seen);
      };
    },
    'around the transport that it is connected to': (server: McpServer, seen: unknown[]) => {
      const connect = server.connect.bind(server);
      server.connect = transport => {
        const send = transport.send.bind(transport);
        transport.onmessage = message => {
          if ('id' in message) seen.push(`in ${message.id}`);
        };
        transport.send = (message, sending) => {
          if ('id' in message) seen.push(`out ${message.id}`);
          return send(message, sending);
        };
        return connect(transport);
      };
    },
  };
  it.each(Object.entries(tracers))('front-F3: a tracer %s sees every frame', async (_, trace) => {
    const seen: unknown[] = [];
    const staged = await stage(era, 'ours', server => trace(server, seen));
    seen.length = 0;
    staged.say(staged.call('a', 'bare'), staged.call('b', 'plain'));
    await Promise.all([staged.arrived('a'), staged.arrived('b')]);
    expect(seen.toSorted()).toEqual(['in a', 'in b', 'out a', 'out b']);
    await staged.serving.close();
  });

  it('front-F3: a tracer of the wire, and of the transport of a running server, sees every frame', async () => {
    const staged = await stage(era, 'ours');
    const [seen, onWire]: unknown[][] = [[], []];
    listen(staged.server().server.transport!, seen!);
    listen(staged.wire, onWire!);
    staged.say(staged.call('a', 'bare'), staged.call('b', 'plain'));
    await Promise.all([staged.arrived('a'), staged.arrived('b')]);
    expect(seen!.toSorted()).toEqual(['in a', 'in b', 'out a', 'out b']);
    expect(onWire!.toSorted()).toEqual(['in a', 'in b', 'out a', 'out b']);
    await staged.serving.close();
  });

  it('calls that are said at once are answered in their order, in whatever pieces they come', async () => {
    const staged = await stage(era, 'ours');
    const ids = Array.from({ length: 40 }, (_, at) => at + 1);
    const bytes = Buffer.from(
      ids.map(id => `${JSON.stringify(staged.call(id, 'echo', { arguments: { é: '–' } }))}\n`).join(''),
    );
    for (let at = 0; at < bytes.length; at += 97) staged.stdin.write(bytes.subarray(at, at + 97));
    await Promise.all(ids.map(staged.arrived));
    expect(staged.sent.map(frame => frame['id'])).toEqual(ids);
    await staged.serving.close();
  });
});

it('a server that is connected already is refused, and the error says what to do', async () => {
  const server = new McpServer({ name: 's', version: '1' });
  await server.connect({ start: async () => {}, send: async () => {}, close: async () => {} });
  expect(() => midcall({ warn: () => {}, onError: () => {} }).wrap(server)).toThrow('before you connect it');
  await server.close();
});

it('a server’s own limit of elements holds for the arguments of our tools', async () => {
  const answers = await Promise.all(
    (['ours', 'the SDK’s'] as const).map(async whose => {
      const endpoint = mcpEndpoint(() => {
        const server = new McpServer({ name: 's', version: '1' }, { maxToolInputElements: 3 });
        register(server, whose);
        return server;
      });
      const body = JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'echo', arguments: { a: [1, 2, 3, 4] }, _meta: envelope },
      });
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'echo',
      };
      const response = await endpoint.fetch(new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body }));
      const answer = JSON.stringify(sorted(await response.json()));
      await endpoint.stop({ within: 0 });
      return answer;
    }),
  );
  expect(answers[0]).toContain('more than the maximum of 3 elements');
  expect(answers[0]).toBe(answers[1]);
});

it('a server over standard input and output serves a client that gives no version of its own', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const server = serveStdio(
    () => {
      const made = new McpServer({ name: 'front', version: '1' });
      register(made, 'ours');
      return made;
    },
    { transport: new StdioServerTransport(input, output) },
  );
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'host' } };
  input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  const [line] = (await once(output, 'data')) as [Buffer];
  expect(JSON.parse(String(line))).toMatchObject({ id: 1, result: { serverInfo: { name: 'front' } } });
  await server.close();
});
