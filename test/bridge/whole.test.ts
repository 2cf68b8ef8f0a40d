/** Everything passes a bridge as it is, in all four pairs of revisions: hosts and servers here are nothing but their frames. */
import { describe, expect, it } from 'vitest';
import { type Json, pairsOfFrames, rawStage, type Serve } from './raw.ts';
import { until } from './until.ts';

const serverInfo = {
  name: 'raw',
  version: '9.1',
  title: 'Raw',
  description: 'All of itself',
  websiteUrl: 'https://example.org/',
  icons: [{ src: 'https://example.org/i.png', mimeType: 'image/png', sizes: ['48x48'] }],
  'example.org/build': 7,
};
const about = {
  serverInfo,
  instructions: 'As it is.',
  capabilities: {
    tools: { 'example.org/extra': true },
    prompts: {},
    resources: {},
    completions: {},
    logging: {},
    experimental: { 'example.org/trial': { level: 2 } },
    extensions: { 'example.org/part': { since: 3 } },
  },
};
const tools = [
  {
    name: 'measure',
    title: 'Measure',
    inputSchema: { type: 'object', 'x-unit': 'mm' },
    icons: [{ src: 'data:image/png;base64,AAAA' }],
    execution: { taskSupport: 'optional' },
    _meta: { 'example.org/kind': 'ruler', ui: { resourceUri: 'ui://ruler' } },
    'example.org/cost': 1,
  },
  { name: 'more', inputSchema: { type: 'object' } },
];
const beam = { type: 'hologram', depth: 3, _meta: { 'example.org/of': 'us' } };

const serve: Serve = ({ method, params = {} }, tell) => {
  const token = (params['_meta'] as Json | undefined)?.['progressToken'];
  if (token !== undefined)
    tell({ method: 'notifications/progress', params: { progressToken: token, progress: 1, 'example.org/eta': 9 } });
  switch (method) {
    case 'tools/list': {
      const page =
        params['cursor'] === 'second' ? { tools: tools.slice(1) } : { tools: [tools[0]], nextCursor: 'second' };
      return { result: { ...page, ttlMs: 5, cacheScope: 'public', 'example.org/page': true } };
    }
    case 'tools/call':
      tell({ method: 'notifications/example.org/beside', params: { n: 1 } });
      return {
        result: { content: [beam], structuredContent: { n: 1 }, 'example.org/by': 'hand', _meta: { 'a.b/c': 1 } },
      };
    case 'resources/read':
      return { error: { code: -32050, message: 'It is not there.', data: { uri: params['uri'], near: ['a'] } } };
    case 'example.org/compute':
      return { result: { answer: 42, of: params['question'] } };
    case 'completion/complete':
      return { result: { completion: { values: ['a'], total: 1, 'example.org/rank': [1] } } };
    default:
      return undefined;
  }
};

describe.each(pairsOfFrames)('a host of %s before a server of %s', (host, upstream) => {
  it('a host reads of the server all that it says of itself', async () => {
    await using on = await rawStage(host, upstream, { about, serve });
    const info =
      host === '2025-11-25'
        ? on.introduced['serverInfo']
        : (on.introduced['_meta'] as Json)['io.modelcontextprotocol/serverInfo'];
    // The SDK reads the frame that has it on 2026-07-28, and keeps there what it knows.
    const { 'example.org/build': _, ...known } = serverInfo;
    expect(info).toEqual(upstream === '2025-11-25' ? serverInfo : known);
    expect(on.introduced).toMatchObject({
      instructions: 'As it is.',
      capabilities: {
        tools: { 'example.org/extra': true },
        experimental: about.capabilities.experimental,
        extensions: about.capabilities.extensions,
      },
    });
  });

  it('the server is told what the host declares', async () => {
    const capabilities = {
      experimental: { 'example.org/try': { a: 1 } },
      extensions: { 'example.org/part': { b: 2 } },
    };
    await using on = await rawStage(host, upstream, { about, serve, capabilities });
    await on.ask('tools/call', { name: 'measure', arguments: {} });
    const { params } = on.server.of(upstream === '2025-11-25' ? 'initialize' : 'tools/call')[0]!;
    const told =
      upstream === '2025-11-25'
        ? params!['capabilities']
        : (params!['_meta'] as Json)['io.modelcontextprotocol/clientCapabilities'];
    expect(told).toMatchObject(capabilities);
  });

  it('a host reads lists page by page, with every member, and of tasks what the bridge does', async () => {
    await using on = await rawStage(host, upstream, { about, serve });
    const { execution: _, ...others } = tools[0]!;
    const execution = host === '2025-11-25' && { execution: { taskSupport: 'optional' } };
    const shown = { ...others, ...execution };
    const first = (await on.ask('tools/list')).result!;
    expect(first).toMatchObject({ nextCursor: 'second', 'example.org/page': true });
    expect(first['tools']).toEqual([shown]);
    const second = (await on.ask('tools/list', { cursor: 'second' })).result!;
    expect(second['tools']).toEqual([{ ...tools[1], ...execution }]);
    expect(second).not.toHaveProperty('nextCursor');
    expect(
      (
        await on.ask('completion/complete', {
          ref: { type: 'ref/prompt', name: 'p' },
          argument: { name: 'n', value: 'v' },
        })
      ).result,
    ).toMatchObject({
      completion: { values: ['a'], total: 1, 'example.org/rank': [1] },
    });
  });

  it('a server gets what a request says besides, and the host results and errors with all they say', async () => {
    await using on = await rawStage(host, upstream, { about, serve });
    const meta = {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'example.org/own': { a: [1] },
    };
    const asked = { name: 'measure', arguments: { length: 2 }, 'example.org/hint': 'fast' };
    const { result } = await on.ask('tools/call', { ...asked, _meta: { ...meta, progressToken: 'p-1' } });
    expect(result).toMatchObject({ content: [beam], structuredContent: { n: 1 }, 'example.org/by': 'hand' });
    expect(result!['_meta']).toMatchObject({ 'a.b/c': 1 });
    expect(on.server.of('tools/call')[0]!.params).toMatchObject({ ...asked, _meta: meta });
    expect(on.told('notifications/progress')[0]?.params).toMatchObject({ progressToken: 'p-1', progress: 1 });
    await until(() => on.told('notifications/example.org/beside').length === 1);
    expect(on.told('notifications/example.org/beside')[0]!.params).toMatchObject({ n: 1 });
    const { error } = await on.ask('resources/read', { uri: 'raw://none', _meta: meta });
    expect(error).toEqual({ code: -32050, message: 'It is not there.', data: { uri: 'raw://none', near: ['a'] } });
    expect(on.server.of('resources/read')[0]!.params).toMatchObject({ _meta: meta });
  });

  it('a host gets results whose parts are not what the protocol has there, as the server sent them', async () => {
    const results: readonly Json[] = [
      { content: null },
      { content: 'text' },
      { content: [null, { type: 'text', text: 'beside it' }], structuredContent: [1] },
      { content: [beam, 'text'], isError: null },
      { content: [{ type: 'text', text: 'so' }], isError: 'yes', structuredContent: null },
    ];
    const serveOdd: Serve = ({ method, params }) => {
      if (method === 'tools/list') return { result: { tools } };
      if (method === 'prompts/get') return { result: { messages: 'none' } };
      if (method === 'resources/read') return { result: { contents: [null, { uri: 'raw://r', text: 'beside it' }] } };
      const n = (params!['arguments'] as Json)['n'] as number;
      return { result: results[n - 1] ?? { content: [beam], 'example.org/large': 'number:1e400' } };
    };
    await using on = await rawStage(host, upstream, { about, serve: serveOdd });
    for (const [at, sent] of results.entries()) {
      const { result, error } = await on.ask('tools/call', { name: 'measure', arguments: { n: at + 1 } });
      const { structuredContent: _, ...rest } = sent;
      expect(result ?? error).toMatchObject(rest);
    }
    const large = await on.ask('tools/call', { name: 'measure', arguments: { n: results.length + 1 } });
    expect(large.result).toMatchObject({ content: [beam], 'example.org/large': null });
    expect((await on.ask('prompts/get', { name: 'p' })).result).toMatchObject({ messages: 'none' });
    const read = await on.ask('resources/read', { uri: 'raw://r' });
    expect(read.result).toMatchObject({ contents: [null, { uri: 'raw://r', text: 'beside it' }] });
  });

  it('a host uses methods and notifications that nobody else knows', async () => {
    await using on = await rawStage(host, upstream, { about, serve });
    const question = { text: 'six by nine', _meta: { traceparent: 'x', progressToken: 7 } };
    const { result } = await on.ask('example.org/compute', { question: question.text, _meta: question._meta });
    expect(result).toMatchObject({ answer: 42, of: 'six by nine' });
    expect(on.told('notifications/progress')[0]?.params).toMatchObject({ progressToken: 7, 'example.org/eta': 9 });
    expect(on.server.of('example.org/compute')[0]!.params).toMatchObject({ _meta: { traceparent: 'x' } });
    on.tell('notifications/example.org/hello', { to: 'you' });
    await until(() => on.server.of('notifications/example.org/hello').length === 1);
    expect(on.server.of('notifications/example.org/hello')[0]!.params).toMatchObject({ to: 'you' });
    expect((await on.ask('example.org/unknown')).error).toEqual({ code: -32601, message: 'None.' });
  });

  it('a host is told in a sentence what is wrong with a request', async () => {
    await using on = await rawStage(host, upstream, { about, serve });
    const said = async (method: string, params: Json) => (await on.ask(method, params)).error;
    expect(await said('tools/call', {})).toEqual({
      code: -32602,
      message: 'tools/call: params.name must be a string; got nothing.',
    });
    expect(await said('tools/call', { name: 'measure', arguments: [1] })).toMatchObject({
      message: 'tools/call: params.arguments must be an object; got a list.',
    });
    expect(await said('prompts/get', { name: 'p', arguments: { n: 1 } })).toMatchObject({
      message: 'prompts/get: params.arguments.n must be a string; got a number.',
    });
    expect(await said('resources/read', { uri: 7 })).toMatchObject({
      message: 'resources/read: params.uri must be a string; got a number.',
    });
  });
});

it('a server of 2025-11-25 gets what its host answers to a request that nobody else knows', async () => {
  const about = { serverInfo, capabilities: { tools: {} } };
  await using on = await rawStage('2025-11-25', '2025-11-25', {
    about,
    serve: async ({ method }, tell) => {
      if (method !== 'tools/call') return undefined;
      tell({ id: 'ask-1', method: 'example.org/ask', params: { n: 1 } });
      await until(() => on.server.said.some(frame => frame.id === 'ask-1'));
      return { result: { content: [] } };
    },
  });
  on.answers(({ params }) => ({ result: { heard: params } }));
  await on.ask('tools/call', { name: 'any', arguments: {} });
  expect(on.server.said.find(frame => frame.id === 'ask-1')!.result).toEqual({ heard: { n: 1 } });
});

describe.each(pairsOfFrames)('a host of %s before a server of %s that logs', (host, upstream) => {
  it('a host hears of a call what it wants to know, and nothing where it wants none', async () => {
    const levels = ['debug', 'warning'];
    const log = (level: string) => ({ method: 'notifications/message', params: { level, data: level, 'x/y': 1 } });
    await using on = await rawStage(host, upstream, {
      about,
      serve: ({ method }, tell) => {
        if (method === 'logging/setLevel') return { result: {} };
        if (method !== 'tools/call') return undefined;
        for (const level of levels) tell(log(level));
        return { result: { content: [] } };
      },
    });
    const perRequest = { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } };
    if (host === '2025-11-25') expect((await on.ask('logging/setLevel', { level: 'info' })).result).toEqual({});
    else await on.ask('tools/call', { name: 'any', arguments: {} });
    expect(on.told('notifications/message')).toEqual([]);
    await on.ask('tools/call', { name: 'any', arguments: {}, ...(host === '2026-07-28' && perRequest) });
    await until(() => on.told('notifications/message').length > 0);
    expect(on.told('notifications/message').map(({ params }) => params)).toMatchObject([
      { level: 'warning', data: 'warning', 'x/y': 1 },
    ]);
    if (upstream === '2025-11-25') expect(on.server.of('logging/setLevel')[0]!.params).toMatchObject({ level: 'info' });
    else expect(on.server.of('tools/call').at(-1)!.params).toMatchObject(perRequest);
  });
});
