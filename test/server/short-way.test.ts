/**
 * What packages/server/src/sdk-seam/short-way.ts promises: a corpus of lines, well formed and odd, goes through two equal servers, one
 * of them with a listener of somebody else's in between, so that all goes the SDK's way there; every frame that leaves, and every
 * error that is told, is the same. And what of the SDK it stands on: that the other one really has the short way.
 */
import { PassThrough } from 'node:stream';
import { type Midcall, midcall } from '@midcall/server';
import { mcpEndpoint } from '@midcall/server/http';
import { McpServer, ProtocolError, type Transport, UrlElicitationRequiredError } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { StdioLines } from '../../packages/server/src/sdk-seam/stdio-lines.ts';

type Json = Record<string, unknown>;
type Era = '2025-11-25' | '2026-07-28';

const capabilities = { elicitation: {}, sampling: {}, roots: {} };
const clientInfo = { name: 'host', version: '1.0.0' };
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
};
const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise(resolve => setImmediate(resolve));
};

/** What tools return that is no plain result, and what they throw. */
const odd: Readonly<Record<string, () => unknown>> = {
  image: () => ({ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }),
  link: () => ({ content: [{ type: 'resource_link', uri: 'notes://1', name: 'one', extra: 1 }] }),
  annotated: () => ({ content: [{ type: 'text', text: 'a', annotations: { priority: 1 }, more: 1 }] }),
  meta: () => ({ ...text('a'), _meta: { x: 1 } }),
  more: () => ({ ...text('a'), more: { x: 1 } }),
  'a number of text': () => ({ content: [{ type: 'text', text: 1 }] }),
  'no such block': () => ({ content: [{ type: 'smell', strength: 1 }] }),
  'nothing as a block': () => ({ content: [null] }),
  'no content': () => ({ structuredContent: { a: 1 } }),
  'a structured list': () => ({ ...text('a'), structuredContent: [1] }),
  'a structured object': () => ({ ...text('a'), structuredContent: { a: { b: [1] } } }),
  'a structured date': () => ({ ...text('a'), structuredContent: new Date(0) }),
  'isError as text': () => ({ ...text('a'), isError: 'yes' }),
  'an error': () => ({ ...text('a'), isError: true }),
  'isError undefined': () => ({ ...text('a'), isError: undefined }),
  'another kind of result': () => ({ resultType: 'task', taskId: '1' }),
  'a round of its own': () => ({
    resultType: 'input_required',
    inputRequests: {
      a: { method: 'elicitation/create', params: { mode: 'form', message: 'A?', requestedSchema: {} } },
    },
  }),
  'a round that asks nothing': () => ({ resultType: 'input_required' }),
  'a round of no such method': () => ({ resultType: 'input_required', inputRequests: { a: { method: 'tools/call' } } }),
  'no object': () => 'text',
  nothing: () => undefined,
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

/** @param stopped - told why each call of `stuck` ended */
function registerTools(mid: Midcall, server: McpServer, stopped: unknown[]): void {
  mid.tool(server, 'echo', { inputSchema: z.object({}).loose() }, args => text(JSON.stringify(args)));
  mid.tool(server, 'bare', {}, () => text('bare'));
  mid.tool(server, 'later', {}, async () => {
    await turns(30);
    return text('later');
  });
  mid.tool(server, 'strict', { inputSchema: z.object({ title: z.string() }) }, ({ title }) => text(title));
  mid.tool(
    server,
    'shaped',
    { inputSchema: z.object({ n: z.unknown() }), outputSchema: z.object({ n: z.number() }) },
    ({ n }) => ({ ...text('n'), structuredContent: { n } }),
  );
  mid.tool(server, 'odd', { inputSchema: z.object({ which: z.string() }) }, ({ which }) => odd[which]!() as never);
  let rounds = 0;
  mid.tool(server, 'by itself', {}, () => {
    rounds += 1;
    return rounds === 1 ? (odd['a round of its own']!() as never) : text(`round ${rounds}`);
  });
  mid.tool(server, 'told', {}, (_, call) => {
    call.log('warning', { a: 1 });
    call.progress(1, { total: 2 });
    return text('told');
  });
  mid.tool(server, 'ask', {}, async (_, call) => {
    const answer = await call.elicit({ message: 'Sure?', form: Boolean });
    return text(JSON.stringify({ ...answer, by: { ...answer.by, elapsedMs: 0 } }));
  });
  mid.tool(server, 'stuck', {}, async (_, call) => {
    await new Promise<void>(resolve => call.signal.addEventListener('abort', () => resolve()));
    stopped.push(call.signal.reason);
    return text('never');
  });
  mid.tool(server, 'gone', {}, () => text('gone')).disable();
  mid.tool(server, 'changed', {}, () => text('before')).update({ callback: () => text('after') } as never);
  server.registerTool('plain', { inputSchema: z.object({ a: z.number() }) }, ({ a }) => text(String(a)));
}

/** Where somebody has put a listener of theirs: which of the ways that leaves. */
type Between = 'nothing' | 'before the entry' | 'before the server';

/** One server on a pair of pipes. */
async function stage(era: Era, between: Between) {
  const heard: unknown[] = [];
  const stopped: unknown[] = [];
  const mid = midcall({ warn: () => {}, suspectBelowMs: 0 });
  const errors: string[] = [];
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const sent: Json[] = [];
  let rest = '';
  const waiting = new Set<() => void>();
  stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop()!;
    for (const line of lines) sent.push(JSON.parse(line) as Json);
    for (const wake of waiting) wake();
  });
  const listen = (transport: Transport): void => {
    const receive = transport.onmessage!;
    transport.onmessage = (...given) => {
      heard.push(given[0]);
      receive(...given);
    };
  };
  /** How many requests the SDK's server was given. */
  let judged = 0;
  let server!: McpServer;
  const factory = () => {
    server = new McpServer(
      { name: 's', version: '1' },
      { capabilities: { logging: {} }, ...(era === '2026-07-28' && { instructions: 'x' }) },
    );
    if (between === 'before the server') {
      const connect = server.connect.bind(server);
      server.connect = async transport => {
        await connect(transport);
        listen(transport);
      };
    }
    registerTools(mid, server, stopped);
    server.server.onerror = error => errors.push(error.message);
    const lowLevel = server.server as unknown as { _onrequest(request: Json, extra: unknown): void };
    const onrequest = lowLevel._onrequest.bind(lowLevel);
    lowLevel._onrequest = (request, extra) => {
      judged += 1;
      onrequest(request, extra);
    };
    return server;
  };
  const wire = new StdioServerTransport(stdin, stdout);
  const serving = serveStdio(factory, { transport: wire, onerror: error => errors.push(error.message) });
  if (between === 'before the entry') listen(wire);
  const arrived = async (fits: (frame: Json) => boolean): Promise<Json> => {
    for (;;) {
      const found = sent.find(fits);
      if (found) return found;
      await new Promise<void>(resolve => waiting.add(resolve));
    }
  };
  const line = (frame: unknown) => `${JSON.stringify(frame)}\n`;
  const call = (id: unknown, name: string, params: Json = {}): Json => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, ...(era === '2026-07-28' && { _meta: envelope }), ...params },
  });
  let settled = 0;
  /** What left since it was asked last; all that was said has had its effect by then. */
  const since = async (): Promise<Json[]> => {
    const id = `settled-${++settled}`;
    stdin.write(line(call(id, 'later', { arguments: {} })));
    await arrived(frame => frame['id'] === id);
    return sent.splice(0).filter(frame => frame['id'] !== id);
  };
  if (era === '2025-11-25') {
    stdin.write(
      line({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: era, capabilities, clientInfo } }),
    );
    await arrived(frame => frame['id'] === 0);
    stdin.write(line({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  }
  stdin.write(line(call('first', 'bare', { arguments: {} })));
  await arrived(frame => frame['id'] === 'first');
  await turns(3);
  sent.length = 0;
  return {
    era,
    call,
    line,
    since,
    stdin,
    errors,
    serving,
    server: () => server,
    sent,
    arrived,
    heard,
    stopped,
    wire,
    listen,
    judged: () => judged,
  };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** What is drawn by chance, or is a time. */
const drawn = ['requestState', 'taskId', 'createdAt', 'lastUpdatedAt'];
/** Without that. */
const comparable = (frames: readonly unknown[]): string[] =>
  frames
    .map(frame => JSON.stringify(frame, (key, value: unknown) => (drawn.includes(key) ? typeof value : value)))
    .sort();

/** What is said at once; a function is given what has left since the last. */
type Said = string | Json | readonly (string | Json)[];
type Step = Said | ((stage: Stage, frames: readonly Json[]) => Said);

const asked = (frames: readonly Json[]): Json => frames.find(each => each['method'] === 'elicitation/create')!;
const state = (frames: readonly Json[]): unknown =>
  (frames.find(each => 'result' in each)!['result'] as Json)['requestState'];
const keys = (frames: readonly Json[]): string[] =>
  Object.keys((frames.find(each => 'result' in each)!['result'] as Json)['inputRequests'] as Json);

const accepted = { action: 'accept', content: { value: true } };
/** What answers a question, and what is none. */
const answers: readonly unknown[] = [
  accepted,
  { action: 'decline' },
  { action: 'cancel' },
  { action: 'accept', content: { value: 'yes' } },
  { action: 'accept' },
  { action: 'agree' },
  { ...accepted, more: 1 },
  { ...accepted, _meta: { x: 1 } },
  { ...accepted, _meta: { progressToken: null } },
  {},
  [],
  null,
  'accept',
  { ...accepted, method: 'x' },
  { ...accepted, result: {} },
];

type Scene = readonly [name: string, steps: (era: Era) => readonly Step[]];

const frame = (name: string, make: (stage: Stage) => Said): Scene => [name, () => [stage => make(stage)]];
const params = (name: string, given: Json): Scene => frame(name, ({ call }) => call(1, 'echo', given));
const meta = (name: string, more: Json): Scene =>
  frame(name, ({ call, era }) => call(1, 'echo', { _meta: { ...(era === '2026-07-28' && envelope), ...more } }));

const scenes: readonly Scene[] = [
  params('a call', { arguments: { a: 1, b: [{ c: null }], 2: 'x' } }),
  params('no arguments', {}),
  params('arguments that are a list', { arguments: [1] }),
  params('arguments that are null', { arguments: null }),
  params('arguments that are a text', { arguments: 'a' }),
  frame('arguments of a member __proto__', ({ call, line }) =>
    line(call(1, 'echo', { arguments: { x: 1 } })).replace('"x"', '"__proto__"'),
  ),
  frame('parameters of a member __proto__', ({ call, line }) =>
    line(call(1, 'echo', { arguments: {}, x: { arguments: { a: 1 } } })).replace('"x"', '"__proto__"'),
  ),
  frame('a frame of a member __proto__', ({ call, line }) =>
    line({ ...call(1, 'echo'), x: {} }).replace('"x"', '"__proto__"'),
  ),
  params('another member', { arguments: {}, more: 1 }),
  params('a task', { arguments: {}, task: { ttl: 1000 } }),
  params('a task that is none', { arguments: {}, task: 1 }),
  params('answers to nothing', { arguments: {}, inputResponses: {} }),
  params('answers to nothing that are a list', { arguments: {}, inputResponses: [] }),
  params('answers without a state', { arguments: {}, inputResponses: { confirm: accepted } }),
  params('a state of nobody', { arguments: {}, requestState: 'm1.abc' }),
  params('an empty state', { arguments: {}, requestState: '' }),
  params('a state that is no text', { arguments: {}, requestState: 1 }),
  params('a state that is null', { arguments: {}, requestState: null }),
  ...[1, 'a', 1.5, null, true, {}, 2 ** 60].map(token =>
    meta(`the progress token ${JSON.stringify(token)}`, { progressToken: token }),
  ),
  meta('a trace', { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }),
  meta('something of the protocol', { 'io.modelcontextprotocol/logLevel': 'debug' }),
  meta('something odd of the protocol', { 'io.modelcontextprotocol/logLevel': 1 }),
  meta('other capabilities', { 'io.modelcontextprotocol/clientCapabilities': {} }),
  meta('odd capabilities', { 'io.modelcontextprotocol/clientCapabilities': { elicitation: 1 } }),
  meta('another name', { 'io.modelcontextprotocol/clientInfo': { name: 'x', version: '2' } }),
  meta('an odd name', { 'io.modelcontextprotocol/clientInfo': { name: 1 } }),
  meta('another revision', { 'io.modelcontextprotocol/protocolVersion': '2025-11-25' }),
  meta('a revision of tomorrow', { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }),
  params('no _meta', { _meta: undefined }),
  params('a _meta of null', { _meta: null }),
  params('a _meta that is a list', { _meta: [] }),
  ...['x', '', 0, -1, 2 ** 53, 1.5, 1e300, null, true, {}, []].map(id =>
    frame(`the id ${JSON.stringify(id)}`, ({ call }) => call(id, 'bare')),
  ),
  frame('no id', ({ call }) => call(undefined, 'bare')),
  frame('another member of the frame', ({ call }) => ({ ...call(1, 'bare'), more: 1 })),
  frame('another version', ({ call }) => ({ ...call(1, 'bare'), jsonrpc: '1.0' })),
  frame('no version', ({ call }) => ({ ...call(1, 'bare'), jsonrpc: undefined })),
  ...[undefined, null, [], 'a', 1].map(given =>
    frame(`the parameters ${JSON.stringify(given)}`, ({ call }) => ({ ...call(1, 'bare'), params: given })),
  ),
  ...[undefined, null, 1, '', 'toString', '__proto__', 'nobody', 'gone', 'plain', 'changed'].map(name =>
    frame(`the tool ${JSON.stringify(name)}`, ({ call }) => call(1, name as string, { arguments: { a: 1 } })),
  ),
  frame('arguments that fit', ({ call }) => call(1, 'strict', { arguments: { title: 'a', more: 1 } })),
  frame('arguments that do not fit', ({ call }) => call(1, 'strict', { arguments: { title: 1 } })),
  frame('a result that fits', ({ call }) => call(1, 'shaped', { arguments: { n: 1 } })),
  frame('a result that does not fit', ({ call }) => call(1, 'shaped', { arguments: { n: 'a' } })),
  ...Object.keys(odd).map(which =>
    frame(`the result: ${which}`, ({ call }) => call(1, 'odd', { arguments: { which } })),
  ),
  frame('what is told on the way', ({ call, era }) =>
    call(1, 'told', { _meta: { ...(era === '2026-07-28' && envelope), progressToken: 7 } }),
  ),
  frame('a level, and what is told below it', ({ call }) => [
    { jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: 'error' } },
    call(2, 'told'),
  ]),
  frame('a method of nobody', () => ({ jsonrpc: '2.0', id: 1, method: 'nobody/knows' })),
  frame('a list of tools', ({ call }) => ({ ...call(1, 'x'), method: 'tools/list' })),
  frame('no JSON, and nothing', ({ call, line }) => `{"jsonrpc\n\n\r\n${line(call(1, 'bare'))}`),
  frame('JSON that is no frame', ({ call, line }) => `1\nnull\n[]\n${line(call(1, 'bare'))}`),
  frame('a carriage return', ({ call }) => `${JSON.stringify(call(1, 'bare'))}\r\n`),
  frame('a long line', ({ call }) => call(1, 'echo', { arguments: { a: 'é'.repeat(40_000) } })),
  frame('many at once, odd ones among them', ({ call }) => [
    call(1, 'bare'),
    call(2, 'echo', { arguments: { a: 1 } }),
    { ...call(3, 'bare'), more: 1 },
    call(4, 'later'),
    call(5, 'bare', { arguments: [] }),
    call(6, 'bare'),
  ]),
  frame('two of one id', ({ call }) => [call(1, 'later'), call(1, 'bare')]),
  frame('a call that is taken back at once', ({ call }) => [
    call(1, 'stuck'),
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } },
  ]),
  [
    'a call that is taken back later',
    () => [
      ({ call }) => call(1, 'stuck'),
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    ],
  ],
  ...answers.map(
    (result): Scene => [
      `the answer ${JSON.stringify(result)}`,
      era => [
        ({ call }) => call(1, 'ask'),
        ({ call }, frames) =>
          era === '2025-11-25'
            ? { jsonrpc: '2.0', id: asked(frames)['id'], result }
            : call(2, 'ask', { requestState: state(frames), inputResponses: { [keys(frames)[0]!]: result } }),
      ],
    ],
  ),
  [
    'an answer to a round that a handler makes by itself',
    era => [
      ({ call }) => call(1, 'by itself'),
      ({ call }, frames) =>
        era === '2025-11-25'
          ? { jsonrpc: '2.0', id: asked(frames)['id'], result: accepted }
          : call(2, 'by itself', { inputResponses: { a: accepted } }),
    ],
  ],
  [
    'an answer that comes twice, and one to nobody',
    era => [
      ({ call }) => call(1, 'ask'),
      ({ call }, frames) => {
        const retry = (id: number) =>
          call(id, 'ask', { requestState: state(frames), inputResponses: { [keys(frames)[0]!]: accepted } });
        const answer = (id: unknown) => ({ jsonrpc: '2.0', id, result: accepted });
        return era === '2025-11-25'
          ? [answer(asked(frames)['id']), answer(asked(frames)['id']), answer(999), answer('x')]
          : [retry(2), retry(3), answer(999)];
      },
    ],
  ],
  [
    'an error in the place of an answer',
    era => [
      ({ call }) => call(1, 'ask'),
      ({ call }, frames) =>
        era === '2025-11-25'
          ? { jsonrpc: '2.0', id: asked(frames)['id'], error: { code: -32601, message: 'no', data: { a: 1 } } }
          : call(2, 'ask', { requestState: state(frames) }),
    ],
  ],
  [
    'an answer under the id as a text, then with another member',
    era =>
      era === '2026-07-28'
        ? []
        : [
            ({ call }) => [call(1, 'ask'), call(2, 'ask')],
            (_, frames) => ({ jsonrpc: '2.0', id: String(asked(frames)['id']), result: accepted, more: 1 }),
          ],
  ],
  [
    'the end of the connection while a call waits',
    () => [
      ({ call }) => [call(1, 'stuck'), call(2, 'ask')],
      ({ server, call }) => {
        setImmediate(() => void server().server.sendLoggingMessage({ level: 'error', data: 1 }));
        return call(3, 'bare');
      },
    ],
  ],
];

const chunk = ({ line }: Stage, said: Said): string =>
  (Array.isArray(said) ? said : [said]).map(each => (typeof each === 'string' ? each : line(each))).join('');

/** What leaves, and what is told, step by step. */
async function play(era: Era, between: Between, steps: readonly Step[]) {
  const staged = await stage(era, between);
  const left: string[][] = [];
  let frames: readonly Json[] = [];
  for (const step of steps) {
    staged.stdin.write(chunk(staged, typeof step === 'function' ? step(staged, frames) : step));
    frames = await staged.since();
    left.push(comparable(frames));
  }
  await staged.serving.close();
  await turns(3);
  return { left, errors: staged.errors.toSorted(), after: comparable(staged.sent) };
}

describe.each<Era>(['2025-11-25', '2026-07-28'])('way-W1 on %s: what leaves is what the SDK would have sent', era => {
  it.each(scenes)('for %s', async (_, make) => {
    const steps = make(era);
    const expected = await play(era, 'before the server', steps);
    for (const between of ['nothing', 'before the entry'] as const)
      expect(await play(era, between, steps)).toEqual(expected);
  });

  it('way-W3: the SDK judges the first call alone, and each where somebody listens', async () => {
    const plain = [1, 2, 3].map(id => (staged: Stage) => staged.call(id, 'echo', { arguments: { a: 1 } }));
    for (const [between, judgedByEnd, heardByEnd] of [
      ['nothing', 1, 0],
      ['before the entry', 1, 3],
      ['before the server', 4, 4],
    ] as const) {
      const staged = await stage(era, between);
      const [judged, heard] = [staged.judged(), staged.heard.length];
      for (const [at, make] of plain.entries()) {
        staged.stdin.write(staged.line(make(staged)));
        await staged.arrived(each => each['id'] === at + 1);
      }
      expect([
        between,
        staged.judged() - judged + 1,
        staged.heard.length - heard + (between === 'before the server' ? 1 : 0),
      ]).toEqual([between, judgedByEnd, heardByEnd]);
      await staged.serving.close();
    }
  });

  it('way-W3: whoever listens later sees every frame from then on, what is sent too', async () => {
    const staged = await stage(era, 'nothing');
    const said: unknown[] = [];
    const send = staged.wire.send.bind(staged.wire);
    staged.wire.send = message => {
      said.push('id' in message && message.id);
      return send(message);
    };
    staged.stdin.write(staged.line(staged.call(1, 'bare')));
    await staged.arrived(each => each['id'] === 1);
    expect(said).toEqual([1]);
    staged.listen(staged.wire);
    staged.stdin.write(staged.line(staged.call(2, 'bare')));
    await staged.arrived(each => each['id'] === 2);
    expect(staged.heard).toHaveLength(1);
    await staged.serving.close();
  });

  it('way-W2: a call is taken back, and ended with its connection, as the SDK has it', async () => {
    const staged = await stage(era, 'nothing');
    const judged = staged.judged();
    staged.stdin.write(staged.line(staged.call(1, 'stuck')) + staged.line(staged.call(2, 'stuck')));
    staged.stdin.write(
      staged.line({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } }),
    );
    await staged.since();
    expect(staged.stopped).toEqual(['enough']);
    await staged.serving.close();
    await turns(3);
    expect(staged.stopped).toEqual(['enough', expect.objectContaining({ message: 'Connection closed' })]);
    expect(staged.judged()).toBe(judged);
  });

  it('a state that the server has verified by the SDK goes the SDK’s way', async () => {
    const staged = await stage(era, 'nothing');
    const { server } = staged.server();
    Object.assign(server, {
      _requestStateVerify: () => {
        throw new Error('forged');
      },
    });
    const judged = staged.judged();
    for (const [id, params] of [{ requestState: 'x' }, {}].entries()) {
      staged.stdin.write(staged.line(staged.call(id, 'bare', params)));
      await staged.arrived(each => each['id'] === id);
    }
    expect(staged.judged() - judged).toBe(1);
    const refused = staged.sent.filter(each => 'error' in each).map(each => each['id']);
    expect(refused).toEqual([0]);
    await staged.serving.close();
  });

  it('lines-L1, lines-L2: what is said and sent at once keeps its order, in whatever pieces it comes', async () => {
    const staged = await stage(era, 'nothing');
    const ids = Array.from({ length: 40 }, (_, at) => at + 1);
    const said = ids.map(id =>
      staged.line(
        id % 7 === 0
          ? { ...staged.call(id, 'bare'), method: 'tools/list' }
          : staged.call(id, 'echo', { arguments: { é: '–' } }),
      ),
    );
    const bytes = Buffer.from(said.join(''));
    for (let at = 0; at < bytes.length; at += 97) staged.stdin.write(bytes.subarray(at, at + 97));
    await Promise.all(ids.map(id => staged.arrived(each => each['id'] === id)));
    const echoed = staged.sent.filter(each => JSON.stringify(each).includes('–'));
    expect(echoed.map(each => each['id'])).toEqual(ids.filter(id => id % 7 !== 0));
    // What is sent by us waits for the end of the turn; then the SDK sends in the same turn.
    await turns(3);
    const { _requestHandlerAbortControllers: open } = staged.server().server as unknown as {
      _requestHandlerAbortControllers: ReadonlyMap<unknown, unknown>;
    };
    expect([staged.errors, open.size]).toEqual([[], 0]);
    const lines = StdioLines.of(staged.wire)!;
    const note = (method: string) => ({ jsonrpc: '2.0', method }) as const;
    expect(lines.write(note('a'))).toBe(true);
    void staged.wire.send(note('b'));
    await staged.arrived(each => each['method'] === 'b');
    expect(staged.sent.slice(-2).map(each => each['method'])).toEqual(['a', 'b']);
    const { _readBuffer: buffer } = staged.wire as unknown as { _readBuffer: { readMessage(): Json | null } };
    const readMessage = buffer.readMessage;
    const left: unknown[] = [];
    buffer.readMessage = () => {
      const message = readMessage();
      if (message) left.push(message['id']);
      return message;
    };
    const [first, listed, behind] = [101, 102, 103].map(id => staged.call(id, 'bare'));
    staged.stdin.write([first, { ...listed, method: 'tools/list' }, behind].map(staged.line).join(''));
    await staged.arrived(each => each['id'] === 103);
    expect(left).toEqual([102, 103]);
    lines.write(note('c'));
    await staged.serving.close();
    await staged.arrived(each => each['method'] === 'c');
    expect(lines.write(note('d'))).toBe(false);
  });
});

/** What a POST of each frame is answered, after that of a plain call. */
async function post(
  between: Between,
  frames: readonly Json[],
): Promise<{ readonly answered: unknown[]; readonly judged: number }> {
  let judged = 0;
  const mid = midcall({ warn: () => {}, suspectBelowMs: 0 });
  const errors: string[] = [];
  const onError = (error: Error): void => void errors.push(error.message);
  const factory = () => {
    const server = new McpServer({ name: 's', version: '1' }, { capabilities: { logging: {} } });
    if (between === 'before the server') {
      const connect = server.connect.bind(server);
      server.connect = async transport => {
        await connect(transport);
        const receive = transport.onmessage!;
        transport.onmessage = (...given) => receive(...given);
      };
    }
    registerTools(mid, server, []);
    server.server.onerror = onError;
    const lowLevel = server.server as unknown as { _onrequest(request: Json, extra: unknown): void };
    const onrequest = lowLevel._onrequest.bind(lowLevel);
    lowLevel._onrequest = (request, extra) => {
      judged += 1;
      onrequest(request, extra);
    };
    return server;
  };
  const endpoint = mcpEndpoint(factory, { onError });
  const answered: unknown[] = [];
  for (const frame of [
    { jsonrpc: '2.0', id: 0, method: 'tools/call', params: { name: 'bare', _meta: envelope } },
    ...frames,
  ]) {
    const { method, params } = frame as { method?: string; params?: { name?: unknown } | null };
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': String(method),
      ...(typeof params?.name === 'string' && { 'mcp-name': params.name }),
    };
    const request = new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body: JSON.stringify(frame) });
    const response = await endpoint.fetch(request);
    const body = await response.text();
    const sent = body.startsWith('{') ? [body] : body.split('\n').filter(line => line.startsWith('data: {'));
    answered.push([response.status, comparable(sent.map(each => JSON.parse(each.replace('data: ', ''))))]);
  }
  await endpoint.close();
  return { answered: [...answered, errors.toSorted()], judged };
}

describe('way-W1 over HTTP on 2026-07-28', () => {
  it('answers each frame of the corpus as the SDK would, whatever came before', async () => {
    const call = (id: unknown, name: string, given: Json = {}): Json => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, _meta: envelope, ...given },
    });
    const staged = { era: '2026-07-28', call, line: (frame: unknown) => JSON.stringify(frame) } as unknown as Stage;
    const frames = scenes
      .filter(([name]) => !name.includes('taken back') && !name.startsWith('the end of'))
      .flatMap(([, make]) => make('2026-07-28'))
      .slice(0, 200)
      .flatMap(step => {
        const said = typeof step === 'function' && step.length < 2 ? step(staged, []) : 'nothing';
        return typeof said === 'string' || Array.isArray(said) ? [] : [said as Json];
      })
      .filter(frame => JSON.stringify(frame).length < 10_000 && !JSON.stringify(frame).includes('stuck'));
    expect(frames.length).toBeGreaterThan(80);
    const [short, sdk] = [await post('nothing', frames), await post('before the server', frames)];
    expect(short.answered).toEqual(sdk.answered);
    expect(short.judged).toBeLessThan(sdk.judged - 20);
  });
});
