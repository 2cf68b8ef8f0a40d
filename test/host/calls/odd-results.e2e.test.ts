/** Servers whose results and lists are not what the protocol says: shown as what they are, and named where they fail. */
import {
  Connection,
  type ConnectionOptions,
  commandTarget,
  type Era,
  Inbox,
  type ServerTarget,
  urlTarget,
} from '@midcall/host';
import { describe, expect, it, onTestFinished } from 'vitest';
import { oddBlock, oddCommand, serveOdd } from '../../fixtures/odd-server.ts';
import { few } from '../../fixtures/soak.ts';

const eras: readonly Era[] = ['2025-11-25', '2026-07-28'];

async function connected(target: ServerTarget, more: Partial<ConnectionOptions> = {}): Promise<Connection> {
  const client = { name: 'test', version: '1.0.0' };
  const connection = new Connection({ id: 'odd', target }, { client, inbox: new Inbox(), ...more });
  onTestFinished(() => connection.stop());
  await connection.start();
  return connection;
}

/** The server over one transport. @param lacking - lists it declares and does not have */
async function reached(over: 'stdio' | 'json' | 'events', era: Era, lacking: string[] = []): Promise<ServerTarget> {
  if (over === 'stdio') return commandTarget(oddCommand(era, ...lacking));
  const served = await serveOdd(era, { lacking, stream: over === 'events' });
  onTestFinished(() => served.close());
  return urlTarget(served.url);
}

const pairs = eras.flatMap(era => (['stdio', 'json', 'events'] as const).map(over => [era, over] as const));

describe.each(few(pairs, ['2025-11-25', 'events'], ['2026-07-28', 'json'], ['2026-07-28', 'stdio']))(
  '%s over %s',
  (era, over) => {
    it('results with content of unknown kinds are given as they were sent, of tools, prompts and resources', async () => {
      const connection = await connected(await reached(over, era));
      const result = async (kind: 'tool' | 'prompt' | 'resource', name: string) => {
        const outcome = await connection.run({ kind, name, arguments: {} }).outcome;
        return 'result' in outcome ? outcome.result : outcome;
      };
      const tool = await result('tool', 'odd');
      expect(tool).toMatchObject({ content: [{ type: 'text', text: 'known' }, oddBlock], extra: 'kept' });
      expect(tool).not.toHaveProperty('_meta');
      expect(await result('prompt', 'p')).toMatchObject({ messages: [{ role: 'user', content: oddBlock }] });
      const read = { contents: [{ uri: 'odd://r', beam: 'up' }] };
      expect(await result('resource', 'odd://r')).toMatchObject(read);
      // What the SDK has kept of it is whole too.
      expect(await result('resource', 'odd://r')).toMatchObject(read);
    });

    it('a result that is too large names the limit, and one below it is given', async () => {
      const connection = await connected(await reached(over, era));
      const large = (bytes: number) => connection.run({ kind: 'tool', name: 'large', arguments: { bytes } }).outcome;
      expect(await large(9_000_000)).toMatchObject({ how: 'completed' });
      const said =
        /^The server sent a message of more than 10,485,760 bytes, the most that is read, so the connection was closed\.$/;
      expect(await large(12_000_000)).toEqual({ how: 'server-gone', message: expect.stringMatching(said) });
      expect(connection).toMatchObject({ state: 'failed', problem: expect.stringMatching(said) });
      await connection.restart();
      expect(await large(10)).toMatchObject({ how: 'completed' });
    });

    it('where one list cannot be read the others are, and the problem says which and why', async () => {
      for (const [lacking, list] of [
        ['prompts/list', 'prompts'],
        ['resources/list', 'resources'],
        ['tools/list', 'tools'],
      ] as const) {
        const connection = await connected(await reached(over, era, [lacking, 'resources/templates/list']));
        const { problems, ...lists } = await connection.catalogue();
        expect(problems).toEqual([{ list, why: `the server declares ${list} but does not implement the list.` }]);
        const lengths = { tools: 4, prompts: 1, resources: 1, resourceTemplates: 0, [list]: 0 };
        for (const [name, length] of Object.entries(lengths)) expect(lists).toHaveProperty(`${name}.length`, length);
      }
    });

    it('one sentence says what is wrong with a result that cannot be read', async () => {
      const connection = await connected(await reached(over, era));
      expect(await connection.run({ kind: 'prompt', name: 'broken', arguments: {} }).outcome).toEqual({
        how: 'abandoned',
        message: expect.stringMatching(
          /^The server sent a result that the protocol does not allow: messages: [^\n{]+\.$/,
        ),
      });
    });

    it('a result without the structured content that its tool promises is given, with what it lacks', async () => {
      const connection = await connected(await reached(over, era));
      await connection.catalogue();
      expect(await connection.run({ kind: 'tool', name: 'unstructured' }).outcome).toEqual({
        how: 'completed',
        result: expect.objectContaining({ content: [{ type: 'text', text: '' }] }),
        misfit: expect.stringContaining('has an output schema but did not return structured content'),
      });
    });

    it('a result whose id is written as a text is given', async () => {
      const connection = await connected(await reached(over, era));
      expect(await connection.run({ kind: 'tool', name: 'as-text' }).outcome).toMatchObject({ how: 'completed' });
    });

    it('the result of a tool is shown whatever its type where results have none, and else its call is in doubt', async () => {
      const connection = await connected(await reached(over, era));
      const outcome = await connection.run({ kind: 'tool', name: 'broken', arguments: {} }).outcome;
      const why =
        /^The server sent a result that the protocol does not allow\. [^\n]+'strange'[^\n]+\. The request may have been carried out: /;
      if (era === '2025-11-25') expect(outcome).toMatchObject({ how: 'completed' });
      else expect(outcome).toEqual({ how: 'abandoned', message: expect.stringMatching(why), inDoubt: true });
    });
  },
);

/** A server of which one tool has no title, one no schema and one no name. */
const script = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
    const { id, method } = JSON.parse(line);
    const say = result => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    if (method === 'initialize')
      say({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'odd', version: '1' } });
    else if (method === 'tools/list')
      say({ tools: [{ name: 'a', title: null, inputSchema: { type: 'object' } }, { name: 'b' }, { title: 'c' }] });
    else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'No.' } }));
  });
`;

describe('a list with entries that the protocol does not allow', () => {
  it('an entry that is not allowed hides no other, and what cannot be used is named', async () => {
    const connection = new Connection(
      { id: 'odd', target: commandTarget([process.execPath, '-e', script]) },
      { client: { name: 'test', version: '1.0.0' }, inbox: new Inbox(), era: '2025-11-25' },
    );
    onTestFinished(() => connection.stop());
    const lines: string[] = [];
    connection.subscribe(event => {
      if (event.type === 'stderr') lines.push(event.line);
    });
    await connection.start();
    const { tools, problems } = await connection.catalogue();
    expect(problems).toEqual([]);
    expect(tools).toEqual(['a', 'b'].map(name => ({ name, inputSchema: { type: 'object' } })));
    expect(lines).toEqual([expect.stringMatching(/^midcall: The tool without a name is left out: name: /)]);
  });
});

/**
 * A server whose lists do not end: that of tools has ever new pages, that of prompts is the same whatever the cursor, that of
 * resources begins again, and that of resource templates has ever new pages without any. It says nothing else of them.
 */
const endless = `
  const modern = process.argv[1] === '2026-07-28';
  require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
    const { id, method, params } = JSON.parse(line);
    const say = result => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    const about = { capabilities: { tools: {}, prompts: {}, resources: {} }, serverInfo: { name: 'odd', version: '1' } };
    const cursor = params?.cursor ?? '0';
    if (method === 'initialize') say({ protocolVersion: '2025-11-25', ...about });
    else if (method === 'server/discover' && modern)
      say({ resultType: 'complete', supportedVersions: ['2026-07-28'], ttlMs: 0, cacheScope: 'private', ...about });
    else if (method === 'tools/list')
      say({ tools: [{ name: 't' + cursor, inputSchema: { type: 'object' } }], nextCursor: String(Number(cursor) + 1) });
    else if (method === 'prompts/list') say({ prompts: [{ name: 'p' }], nextCursor: 'next' });
    else if (method === 'resources/list')
      say({ resources: [{ uri: 'odd://' + cursor, name: 'r' }], nextCursor: cursor === '1' ? '2' : '1' });
    else if (method === 'resources/templates/list')
      say({ resourceTemplates: null, nextCursor: String(Number(cursor) + 1) });
    else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'No.' } }));
  });
`;

describe.each(eras)('a list that does not end, %s', era => {
  it('is read as far as it is new, whoever reads it meanwhile, and it is told that it was cut off', async () => {
    const connection = await connected(commandTarget([process.execPath, '-e', endless, era]), { era });
    const lines: string[] = [];
    connection.subscribe(event => {
      if (event.type === 'stderr') lines.push(event.line);
    });
    const [one, other] = await Promise.all([connection.catalogue(), connection.catalogue()]);
    expect(other).toEqual(one);
    expect(one.problems).toEqual([]);
    expect(one.tools.map(({ name }) => name)).toEqual(Array.from({ length: 200 }, (_, n) => `t${n}`));
    expect(one.prompts).toEqual([{ name: 'p' }]);
    expect(one.resources.map(({ uri }) => uri)).toEqual(['odd://0', 'odd://1', 'odd://2']);
    expect(new Set(lines)).toEqual(
      new Set([
        'midcall: The list of tools is cut off: more than 200 pages are not read.',
        'midcall: The list of prompts is cut off: its pages come again.',
        'midcall: The list of resources is cut off: its pages come again.',
        'midcall: The list of resource templates is cut off: more than 200 pages are not read.',
      ]),
    );
  });
});

/** A server that remembers how far it has read its tools out, and has one cursor for that; its second page has none. */
const oneCursor = `
  let page = 0;
  require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
    const { id, method, params } = JSON.parse(line);
    const say = result => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    if (method === 'initialize')
      say({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'odd', version: '1' } });
    else if (method === 'tools/list') {
      page = params?.cursor ? page + 1 : 0;
      const tools = page === 1 ? [] : [{ name: 't' + page, inputSchema: { type: 'object' } }];
      say({ tools, ...(page < 3 && { nextCursor: 'more' }) });
    } else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'No.' } }));
  });
`;

it('a list that ends is read to its end, although all of its pages have one cursor', async () => {
  const connection = await connected(commandTarget([process.execPath, '-e', oneCursor]));
  const { tools } = await connection.catalogue();
  expect(tools.map(({ name }) => name)).toEqual(['t0', 't2', 't3']);
});

/** A server whose lists are null, but for one of which an entry nests more deeply than anything can be walked through. */
const none = `
  const modern = process.argv[1] === '2026-07-28';
  require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
    const { id, method } = JSON.parse(line);
    const say = result => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    const about = { capabilities: { tools: {}, prompts: {}, resources: {} }, serverInfo: { name: 'odd', version: '1' } };
    const list = { 'prompts/list': 'prompts', 'resources/list': 'resources', 'resources/templates/list': 'resourceTemplates' }[method];
    const deep = '{"a":'.repeat(100000) + 1 + '}'.repeat(100000);
    if (method === 'initialize') say({ protocolVersion: '2025-11-25', ...about });
    else if (method === 'server/discover' && modern)
      say({ resultType: 'complete', supportedVersions: ['2026-07-28'], ttlMs: 0, cacheScope: 'private', ...about });
    else if (list) say({ [list]: null });
    else if (method === 'tools/list')
      console.log('{"jsonrpc":"2.0","id":' + id + ',"result":{"tools":[{"name":"t","inputSchema":{"type":"object","properties":' + deep + '}}]}}');
    else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'No.' } }));
  });
`;

it.each(eras)('a list that is null has no entries, and one that nests too deeply is named, %s', async era => {
  const connection = await connected(commandTarget([process.execPath, '-e', none, era]), { era });
  expect(await connection.catalogue()).toEqual({
    tools: [],
    prompts: [],
    resources: [],
    resourceTemplates: [],
    problems: [{ list: 'tools', why: expect.stringContaining('nests more than 1000 levels') }],
  });
});

/** A server that gives what it is asked for. */
const echo = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
    const { id, method, params } = JSON.parse(line);
    const say = result => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    const capabilities = { tools: {}, prompts: {}, resources: {} };
    if (method === 'initialize')
      say({ protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'odd', version: '1' } });
    else if (method === 'prompts/get') say(JSON.parse(params.arguments.says));
    else if (method === 'resources/read') say(JSON.parse(decodeURIComponent(params.uri.slice('odd://'.length))));
    else if (method === 'tools/list') say({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] });
    else if (method === 'tools/call') say(params.arguments);
    else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'No.' } }));
  });
`;

it('a result with a part that the protocol does not allow is shown with all other parts, and with that one as far as it can be read', async () => {
  const connection = await connected(commandTarget([process.execPath, '-e', echo]), { era: '2025-11-25' });
  const ok = { type: 'text', text: 'ok' };
  for (const [sent, shown] of [
    [{ content: [ok], isError: null, structuredContent: null }, { content: [ok] }],
    [
      { content: null, extra: 1 },
      { content: [], extra: 1 },
    ],
    [{ extra: 1 }, { content: [], extra: 1 }],
    [{ content: 'ok' }, { content: [ok] }],
    [
      { content: [ok], structuredContent: [1] },
      { content: [ok], structuredContent: [1] },
    ],
    ...['false', 'No', '', 0].map(
      isError =>
        [
          { content: [ok], isError },
          { content: [ok], isError: false },
        ] as const,
    ),
    [{ content: ok }, { content: [ok] }],
    [{ content: ['ok', ok, null, 7] }, { content: [ok, ok, { ...ok, text: 'null' }, { ...ok, text: '7' }] }],
  ] as const) {
    const { outcome } = connection.run({ kind: 'tool', name: 'echo', arguments: sent });
    expect(await outcome).toEqual({ how: 'completed', result: shown });
  }
  for (const isError of ['true', 'yes', 'perhaps', 1, {}]) {
    const { outcome } = connection.run({ kind: 'tool', name: 'echo', arguments: { content: [ok], isError } });
    expect(await outcome).toEqual({ how: 'tool-error', result: { content: [ok], isError: true } });
  }
  const said = { role: 'assistant', content: ok };
  const nothing = connection.run({ kind: 'prompt', name: 'echo', arguments: { says: '{"messages":null}' } });
  expect(await nothing.outcome).toEqual({ how: 'completed', result: { messages: [] } });
  const messages = JSON.stringify({ messages: ['ok', { ...said, content: 'ok' }, said] });
  const prompt = connection.run({ kind: 'prompt', name: 'echo', arguments: { says: messages } });
  expect(await prompt.outcome).toMatchObject({ result: { messages: [{ role: 'user', content: ok }, said, said] } });
  const uri = `odd://${encodeURIComponent(JSON.stringify({ contents: ['ok', { uri: 'odd://r', text: 'beside it' }] }))}`;
  const read = connection.run({ kind: 'resource', name: uri, arguments: {} });
  expect(await read.outcome).toMatchObject({ result: { contents: [ok, { uri: 'odd://r', text: 'beside it' }] } });
});
