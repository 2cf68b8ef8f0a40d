/** What a handler says and knows beside its questions: log messages, progress, who asks, and how its run ended. */
import { type Call, type LogLevel, type Midcall, midcall, type RunOutcome } from '@midcall/server';
import { connectPair, type Era, scriptedPerson } from '@midcall/testing';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { corners } from '../../fixtures/corners.ts';
import { grown } from '../../fixtures/grown.ts';

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]!.text;
const yes = { action: 'accept' as const, content: { value: true } };

/** What a client sends to be sent log messages of every level. */
const levels = (era: Era) =>
  era === '2026-07-28' ? { _meta: { 'io.modelcontextprotocol/logLevel': 'debug' } } : undefined;

function served(handler: (call: Call) => Promise<string> | string, warn: (message: string) => void = () => {}) {
  const mid = midcall({ suspectBelowMs: 0, warn });
  return { mid, factory: () => withTool(mid, handler) };
}

function withTool(mid: Midcall, handler: (call: Call) => Promise<string> | string, capabilities = { logging: {} }) {
  const server = new McpServer({ name: 'test', version: '1.0.0' }, { capabilities });
  mid.tool(server, 'act', {}, (_args, call) => handler(call));
  return server;
}

describe.each(corners)('%s over %s', (era, carrier) => {
  it('a log message and a progress are sent once, however often the handler runs', async () => {
    const { factory } = served(async call => {
      call.log('info', { at: 'start' }, 'act');
      call.progress(1, { total: 3, message: 'begun' });
      await call.elicit({ message: 'First?', form: Boolean });
      call.log('notice', 'between');
      call.log('notice', 'between');
      call.progress(2, { total: 3 });
      await call.elicit({ message: 'Second?', form: Boolean });
      call.log('warning', 'end');
      return 'done';
    });
    const person = scriptedPerson([yes, yes]);
    await using pair = await connectPair(factory, { era, carrier, person });
    if (era === '2025-11-25') await pair.client.setLoggingLevel('debug');
    // The SDK's client makes signs of its own between rounds: what counts is what was sent.
    const options = { onprogress: () => {} };
    expect(textOf(await pair.client.callTool({ name: 'act', ...levels(era) }, options))).toBe('done');
    const sent = (method: string) =>
      pair.frames.flatMap(({ message }) => (message['method'] === method ? [message['params'] as object] : []));
    expect(sent('notifications/message')).toEqual([
      { level: 'info', data: { at: 'start' }, logger: 'act' },
      { level: 'notice', data: 'between' },
      { level: 'notice', data: 'between' },
      { level: 'warning', data: 'end' },
    ]);
    expect(sent('notifications/progress')).toMatchObject([
      { progress: 1, total: 3, message: 'begun' },
      { progress: 2, total: 3 },
    ]);
  });

  it('progress only grows, and stays within its total', async () => {
    const { factory } = served(call => {
      for (const progress of [0.5, 0.5, 0.25, 1]) call.progress(progress, { total: 1 });
      return 'done';
    });
    await using pair = await connectPair(factory, { era, carrier });
    const heard: number[] = [];
    await pair.client.callTool({ name: 'act' }, { onprogress: ({ progress }) => heard.push(progress) });
    expect(heard).toHaveLength(4);
    expect(heard.every((each, at) => at === 0 || each > heard[at - 1]!)).toBe(true);
    expect(heard.at(-1)).toBe(1);
  });

  it('a client that asked for neither gets neither', async () => {
    const { factory } = served(call => {
      call.log('emergency', 'nobody asked');
      call.progress(1);
      return 'done';
    });
    await using pair = await connectPair(factory, { era, carrier });
    if (era === '2025-11-25') await pair.client.setLoggingLevel('emergency');
    await pair.client.callTool({ name: 'act' });
    const methods = pair.frames.flatMap(({ from, message }) => (from === 'server' ? [message['method']] : []));
    expect(methods).not.toContain('notifications/progress');
    if (era === '2026-07-28') expect(methods).not.toContain('notifications/message');
  });

  it('a log message is warned of once where the server does not declare logging', async () => {
    const warnings: string[] = [];
    const mid = midcall({ warn: message => warnings.push(message) });
    const factory = () =>
      withTool(
        mid,
        call => {
          call.log('info', 'unheard');
          return 'done';
        },
        {} as never,
      );
    await using pair = await connectPair(factory, { era, carrier });
    for (const _ of [1, 2]) expect(textOf(await pair.client.callTool({ name: 'act' }))).toBe('done');
    expect(warnings.filter(each => each.includes('declares no logging'))).toHaveLength(1);
  });

  it('a function given to defer is told how the run ended: returned, failed, or suspended for its questions', async () => {
    const ends: RunOutcome[] = [];
    const { factory } = served(async call => {
      call.defer(end => void ends.push(end));
      const answer = await call.elicit({ message: 'Fail?', form: Boolean });
      if (answer.action === 'accept' && answer.content) throw new Error('as asked');
      return 'done';
    });
    const no = { action: 'accept' as const, content: { value: false } };
    await using pair = await connectPair(factory, { era, carrier, person: scriptedPerson([no, yes]) });
    await pair.client.callTool({ name: 'act' });
    await pair.client.callTool({ name: 'act' });
    const suspended = era === '2026-07-28' ? (['suspended'] as const) : [];
    expect(ends).toEqual([...suspended, 'done', ...suspended, 'failed']);
  });

  it('a handler is given the request: its metadata, and over HTTP its headers', async () => {
    const { factory } = served(call =>
      JSON.stringify([call.request.meta['com.example/trace'], call.request.headers?.get('accept'), call.auth ?? null]),
    );
    await using pair = await connectPair(factory, { era, carrier });
    const result = await pair.client.callTool({ name: 'act', _meta: { 'com.example/trace': 'abc' } });
    const accept = carrier === 'http' ? 'application/json, text/event-stream' : undefined;
    expect(JSON.parse(textOf(result))).toEqual(['abc', accept ?? null, null]);
  });

  it('a text is taken for the result of a tool, a prompt and a resource', async () => {
    const mid = midcall({ warn: () => {} });
    const factory = () => {
      const server = withTool(mid, () => 'a text');
      mid.prompt(server, 'greet', {}, () => 'Say hello.');
      mid.resource(server, 'note', 'note://one', { mimeType: 'text/plain' }, () => 'A note.');
      mid.resource(
        server,
        'any',
        new ResourceTemplate('any://{id}', { list: undefined }),
        {},
        (_u, _c, { id }) => `${id}`,
      );
      return server;
    };
    await using pair = await connectPair(factory, { era, carrier });
    const { client } = pair;
    expect((await client.callTool({ name: 'act' })).content).toEqual([{ type: 'text', text: 'a text' }]);
    expect((await client.getPrompt({ name: 'greet' })).messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Say hello.' } },
    ]);
    expect((await client.readResource({ uri: 'note://one' })).contents).toEqual([
      { uri: 'note://one', mimeType: 'text/plain', text: 'A note.' },
    ]);
    expect((await client.readResource({ uri: 'any://7' })).contents).toEqual([{ uri: 'any://7', text: '7' }]);
  });
});

it('a client that cancels while its question is open is told to defer, and to nothing else', async () => {
  const seen: string[] = [];
  const { factory } = served(async call => {
    call.defer(end => void seen.push(end));
    call.signal.addEventListener('abort', () => seen.push('signal'));
    try {
      await call.elicit({ message: 'Sure?', form: Boolean });
    } finally {
      seen.push('went on');
    }
    return 'done';
  });
  const taken: unknown[] = [];
  await using pair = await connectPair(factory, { era: '2025-11-25', capabilities: { elicitation: {} } });
  pair.client.setRequestHandler('elicitation/create', request => {
    taken.push(request);
    return new Promise(() => {});
  });
  const cancel = new AbortController();
  const called = pair.client.callTool({ name: 'act' }, { signal: cancel.signal }).catch(() => 'cancelled');
  await grown(taken, list => list.length === 1);
  cancel.abort();
  expect(await called).toBe('cancelled');
  await grown(seen, list => list.length === 1);
  expect(seen).toEqual(['cancelled']);
});

it('a call refuses what is no level, no JSON and no progress, also where nobody listens', async () => {
  const mistakes: ((call: Call) => void)[] = [
    call => call.log('loud' as LogLevel, 'x'),
    call => call.log('info', 10n),
    call => call.progress(Number.NaN),
    call => call.progress(1, { of: 2 } as never),
  ];
  const mid = midcall({ warn: () => {} });
  for (const mistake of mistakes) {
    await expect(mid.withoutClient(mistake)).rejects.toThrow(TypeError);
  }
});
