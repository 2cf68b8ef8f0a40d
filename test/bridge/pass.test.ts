/** What goes through a bridge as it is, and what an upstream server gets of the host, in all four pairs of revisions. */
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Midcall } from '@midcall/server';
import { eras } from '@midcall/testing';
import { completable, type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { oddBlock, serveOdd } from '../fixtures/odd-server.ts';
import { crossed, pairs, reply, stage, textOf } from './stage.ts';
import { ring, until } from './until.ts';

const says = (text: string) => ({ content: [{ type: 'text' as const, text }] });
/** SEP-2792: the language a person reads, with every request, and the one that was answered in. */
const [acceptLanguage, contentLanguage] = [
  'io.modelcontextprotocol/acceptLanguage',
  'io.modelcontextprotocol/contentLanguage',
];
const hello = { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 100 } as const;

function everything(mid: Midcall, server: McpServer): void {
  mid.tool(
    server,
    'measure',
    {
      title: 'Measure',
      description: 'Measures.',
      inputSchema: z.object({ length: z.number() }),
      outputSchema: z.object({ doubled: z.number() }),
      annotations: { readOnlyHint: true },
      _meta: { 'example.org/kind': 'ruler' },
    },
    ({ length }, call) => ({
      content: [],
      structuredContent: { doubled: 2 * length },
      _meta: { 'example.org/by': 'hand', [contentLanguage]: call.request.meta[acceptLanguage] ?? 'en' },
    }),
  );
  mid.tool(server, 'fail', {}, () => ({ ...says('It broke.'), isError: true }));
  mid.prompt(
    server,
    'greet',
    { argsSchema: z.object({ who: completable(z.string(), () => ['ada', 'alan']) }) },
    ({ who }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Hello ${who}` } }] }),
  );
  mid.resource(server, 'page', 'test://page', {}, uri => ({ contents: [{ uri: uri.href, text: 'a page' }] }));
  mid.resource(server, 'any', new ResourceTemplate('test://any/{id}', { list: undefined }), {}, (uri, _, { id }) => ({
    contents: [{ uri: uri.href, text: String(id) }],
  }));
}

describe.each(pairs)('a host of %s before a server of %s', (host, upstream) => {
  it('the bridge says of the upstream server what that says of itself', async () => {
    await using on = await stage({ host, upstream, serve: everything });
    expect(on.client.getServerVersion()).toMatchObject({ name: 'upstream', version: '7.0.0' });
    expect(on.client.getInstructions()).toBe('Ask.');
    const can = on.client.getServerCapabilities()!;
    const its = ['completions', 'prompts', 'resources', 'tools'];
    // What the bridge has itself.
    const ours = host === '2025-11-25' ? ['extensions', 'tasks'] : ['extensions'];
    expect(Object.keys(can).sort()).toEqual([...its, ...ours].sort());
  });

  it('the bridge passes lists and results on whole', async () => {
    await using on = await stage({ host, upstream, serve: everything });
    const { tools } = await on.client.listTools();
    expect(tools.map(each => each.name)).toEqual(['measure', 'fail']);
    expect(tools[0]).toMatchObject({
      title: 'Measure',
      annotations: { readOnlyHint: true },
      inputSchema: { properties: { length: { type: 'number' } }, required: ['length'] },
      outputSchema: { properties: { doubled: { type: 'number' } } },
      _meta: { 'example.org/kind': 'ruler' },
    });
    const measured = await on.client.callTool({ name: 'measure', arguments: { length: 21 } });
    expect(measured).toMatchObject({ structuredContent: { doubled: 42 }, _meta: { 'example.org/by': 'hand' } });
    expect(await on.client.callTool({ name: 'fail' })).toMatchObject({ isError: true, ...says('It broke.') });
  });

  it('the bridge passes the language of the person on with a call, and the language of the answer back', async () => {
    await using on = await stage({ host, upstream, serve: everything });
    const _meta = { [acceptLanguage]: 'fr-CH, fr;q=0.9' };
    const measured = await on.client.callTool({ name: 'measure', arguments: { length: 1 }, _meta });
    expect(measured._meta).toMatchObject({ [contentLanguage]: 'fr-CH, fr;q=0.9' });
  });

  it('the bridge passes prompts, resources, templates and completion on', async () => {
    await using on = await stage({ host, upstream, serve: everything });
    expect((await on.client.listPrompts()).prompts[0]).toMatchObject({ name: 'greet', arguments: [{ name: 'who' }] });
    const prompt = await on.client.getPrompt({ name: 'greet', arguments: { who: 'ada' } });
    expect(prompt.messages[0]?.content).toMatchObject({ text: 'Hello ada' });
    const asked = { ref: { type: 'ref/prompt' as const, name: 'greet' }, argument: { name: 'who', value: 'a' } };
    expect((await on.client.complete(asked)).completion.values).toEqual(['ada', 'alan']);
    expect((await on.client.listResources()).resources[0]).toMatchObject({ uri: 'test://page' });
    expect((await on.client.listResourceTemplates()).resourceTemplates[0]).toMatchObject({ name: 'any' });
    const { contents } = await on.client.readResource({ uri: 'test://any/7' });
    expect(contents).toMatchObject([{ uri: 'test://any/7', text: '7' }]);
  });

  it('the bridge passes errors on with their code', async () => {
    await using on = await stage({ host, upstream, serve: everything });
    await expect(on.client.getPrompt({ name: 'nobody' })).rejects.toMatchObject({ code: -32602 });
    await expect(on.client.readResource({ uri: 'test://nowhere' })).rejects.toMatchObject({
      code: expect.any(Number),
      message: expect.stringContaining('test://nowhere'),
    });
  });

  it('the bridge passes content of an unknown kind on as it was sent, and each list that cannot be read by itself', async () => {
    const odd = await serveOdd(upstream, { lacking: ['prompts/list', 'resources/templates/list'] });
    onTestFinished(() => odd.close());
    await using on = await stage({ host, upstream, url: odd.url });
    const heard: object[] = [];
    const transport = on.client.transport!;
    const deliver = transport.onmessage!;
    transport.onmessage = (message, extra) => {
      heard.push(message);
      deliver(message, extra);
    };
    // The SDK's own client, as a host may have it, refuses what it does not know; what matters is what it was sent.
    await on.client.callTool({ name: 'odd' }).catch(() => {});
    await on.client.getPrompt({ name: 'p' }).catch(() => {});
    await on.client.readResource({ uri: 'odd://r' }).catch(() => {});
    expect(heard.map(message => ('result' in message ? message.result : message))).toMatchObject([
      { content: [{ type: 'text', text: 'known' }, oddBlock], extra: 'kept' },
      { messages: [{ role: 'user', content: oddBlock }] },
      { contents: [{ uri: 'odd://r', beam: 'up' }] },
    ]);
    expect((await on.client.listTools()).tools).toHaveLength(4);
    expect((await on.client.listResources()).resources).toHaveLength(1);
    await expect(on.client.listPrompts()).rejects.toMatchObject({ code: -32601 });
    await expect(on.client.listResourceTemplates()).rejects.toMatchObject({ code: -32601 });
  });

  it('the bridge passes progress on', async () => {
    const heard: unknown[] = [];
    await using on = await stage({
      host,
      upstream,
      serve: (_, server) =>
        server.registerTool('work', {}, async ctx => {
          const progressToken = ctx.mcpReq._meta?.progressToken;
          if (progressToken === undefined) return says('no token');
          const params = { progressToken, progress: 1, total: 2, message: 'half' };
          await ctx.mcpReq.notify({ method: 'notifications/progress', params });
          return says('done');
        }),
    });
    const result = await on.client.callTool({ name: 'work' }, { onprogress: each => void heard.push(each) });
    expect(textOf(result)).toBe('done');
    expect(heard).toEqual([{ progress: 1, total: 2, message: 'half' }]);
  });

  it('the bridge gives the upstream server the host’s roots, as far as they are directories here', async () => {
    const there = realpathSync(mkdtempSync(join(tmpdir(), 'midcall-bridge-')));
    const uri = pathToFileURL(there).href;
    await using on = await stage({
      host,
      upstream,
      capabilities: { roots: {} },
      roots: [{ uri, name: 'work' }, { uri: 'file:///nowhere-at-all' }, { uri: 'vscode-remote://ssh/home' }],
      serve: (mid, server) =>
        mid.tool(server, 'where', {}, async (_, call) =>
          says(((await call.roots()) ?? []).map(root => root.uri).join(' ')),
        ),
    });
    if (host === '2025-11-25') await on.person.whenAsked(1);
    expect(textOf(await on.client.callTool({ name: 'where' }))).toBe(uri);
    // A host of 2026-07-28 gives the same list with each call.
    expect(textOf(await on.client.callTool({ name: 'where' }))).toBe(uri);
    expect(on.warned.filter(line => line.includes('left out'))).toEqual([
      expect.stringContaining('nowhere-at-all'),
      "A root of the host is left out. 'vscode-remote://ssh/home' is no directory on this machine.",
    ]);
  });

  it('the bridge tells the upstream server of no roots where the host has none', async () => {
    await using on = await stage({
      host,
      upstream,
      serve: (mid, server) =>
        mid.tool(server, 'where', {}, async (_, call) => says(`${call.can.roots} ${await call.roots()}`)),
    });
    expect(textOf(await on.client.callTool({ name: 'where' }))).toBe('false undefined');
  });

  it('the upstream server samples the host’s model', async () => {
    await using on = await stage({
      host,
      upstream,
      capabilities: { sampling: {} },
      answers: [reply('from the host')],
      serve: (mid, server) =>
        mid.tool(server, 'think', {}, async (_, call) => {
          const { content } = await call.sample({ ...hello, temperature: 0.3 });
          return says(JSON.stringify(content));
        }),
    });
    expect(textOf(await on.client.callTool({ name: 'think' }))).toContain('from the host');
    expect(on.person.asked[0]?.params).toMatchObject({ ...hello, temperature: 0.3 });
    expect(on.opened).toEqual([]);
  });

  it('the desk asks about sampling where the host has no model', async () => {
    await using on = await stage({
      host,
      upstream,
      capabilities: {},
      atDesk: inbox => {
        inbox.present({ via: 'web', show: (_, { reply }) => void reply({ action: 'accept' }) });
      },
      serve: (mid, server) =>
        mid.tool(server, 'think', {}, async (_, call) => says(JSON.stringify((await call.sample(hello)).content))),
    });
    expect(textOf(await on.client.callTool({ name: 'think' }))).toContain('from the desk');
  });

  it('a question that asks for a secret is not put to the host', async () => {
    await using on = await stage({
      host,
      upstream,
      atDesk: inbox => inbox.reply(inbox.list()[0]!.id, { action: 'decline' }, 'web'),
      serve: (_, server) =>
        server.registerTool('log-in', {}, async ctx => {
          const requestedSchema = { type: 'object', properties: { password: { type: 'string' } } } as const;
          const params = { mode: 'form' as const, message: 'Your password?', requestedSchema };
          if (upstream === '2025-11-25') return says((await ctx.mcpReq.elicitInput(params)).action);
          const given = ctx.mcpReq.inputResponses?.['asked'] as { action?: string } | undefined;
          if (given) return says(given.action ?? '');
          return {
            resultType: 'input_required',
            inputRequests: { asked: { method: 'elicitation/create', params } },
            requestState: 's',
          } as never;
        }),
    });
    expect(textOf(await on.client.callTool({ name: 'log-in' }))).toBe('decline');
    expect(on.person.asked).toEqual([]);
  });
});

it.each(eras)('a client of %s is told that the tools have changed', async host => {
  let add = (): void => {};
  const read: string[][] = [];
  const onChanged = (_: unknown, tools: readonly { readonly name: string }[] | null): void => {
    read.push((tools ?? []).map(each => each.name));
    ring();
  };
  await using on = await stage({
    host,
    upstream: '2025-11-25',
    listChanged: { tools: { onChanged } },
    serve: (mid, server) => {
      mid.tool(server, 'grow', {}, () => {
        add();
        return says('grown');
      });
      add = () => void mid.tool(server, 'more', {}, () => says('more'));
    },
  });
  await on.client.callTool({ name: 'grow' });
  await until(() => read.length > 0);
  expect(read.at(-1)).toEqual(['grow', 'more']);
});

describe.each(crossed)('a host of %s before a server of %s', (host, upstream) => {
  it('the host gets a result of 12 MB whole', async () => {
    const text = 'x'.repeat(12_000_000);
    await using on = await stage({
      host,
      upstream,
      serve: (_, server) => void server.registerTool('large', {}, () => says(text)),
    });
    expect(textOf(await on.client.callTool({ name: 'large' })).length).toBe(12_000_000);
  });
});

it.each(eras)('a client of %s is told of one changed list once, and of no other', async host => {
  const changed: string[] = [];
  const told = (list: string) => ({
    autoRefresh: false,
    onChanged: () => {
      changed.push(list);
      ring();
    },
  });
  let add = (): void => {};
  await using on = await stage({
    host,
    upstream: '2025-11-25',
    listChanged: { tools: told('tools'), prompts: told('prompts'), resources: told('resources') },
    serve: (mid, server) => {
      everything(mid, server);
      server.registerTool('grow', {}, () => {
        add();
        return says('grown');
      });
      add = () => void server.registerTool('more', {}, () => says('more'));
    },
  });
  await on.client.callTool({ name: 'grow' });
  await until(() => changed.length > 0);
  await on.client.listTools();
  await on.client.listTools();
  expect(changed).toEqual(['tools']);
});
