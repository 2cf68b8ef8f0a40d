/** What a handler returns or throws that cannot be sent: its author hears of it, and the client is told what went wrong. */

import type { AuditEvent } from '@midcall/server';
import { midcall } from '@midcall/server';
import { connectPair, pairings, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { asThrown } from '../../../packages/server/src/sdk-seam/sendable.ts';

const text = (value: string) => ({ type: 'text', text: value });
const yes = { action: 'accept', content: { value: true } };

describe.each(pairings)('%s over %s', (era, carrier) => {
  /** What a client gets of a handler, and what operators and authors see. */
  async function serve(handler: (asks: () => Promise<unknown>) => unknown) {
    const ends: string[] = [];
    const errors: unknown[] = [];
    const mid = midcall({
      suspectBelowMs: 0,
      warn: () => {},
      audit: (event: AuditEvent) => void (event.kind === 'ended' && ends.push(event.outcome)),
      onError: error => void errors.push(error),
    });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      const handle = async (call: { elicit(options: never): Promise<unknown> }) =>
        (await handler(() => call.elicit({ message: 'Sure?', form: Boolean } as never))) as never;
      mid.tool(server, 'act', {}, (_, call) => handle(call));
      mid.prompt(server, 'act', {}, (_, call) => handle(call));
      mid.resource(server, 'act', 'act://it', {}, (_, call) => handle(call));
      return server;
    };
    const pair = await connectPair(factory, { era, carrier, person: scriptedPerson([yes], { repeat: true }) });
    return { client: pair.client, ends, errors, [Symbol.asyncDispose]: () => pair[Symbol.asyncDispose]() };
  }
  const messageOf = (error: unknown) => (error as Error).message;

  it.each<[string, unknown, string]>([
    ['content that is no list', { content: 'nope' }, 'a result whose content is not'],
    ['a list', [], 'a list'],
    ['an object that is no result', { ok: true }, 'an object without content'],
    [
      'a block of an unknown type',
      { content: [text('a'), { type: 'tex', text: 'x' }] },
      'a result whose content[1] is not',
    ],
    ['a block without its text', { content: [{ type: 'text' }] }, 'a result whose content[0] is not'],
    ['a mark that is no boolean', { content: [], isError: 'x' }, 'a result whose isError is not'],
  ])('a result that cannot be sent is an error of the tool: %s', async (_, result, what) => {
    for (const ask of [false, true]) {
      await using served = await serve(async asks => {
        if (ask) await asks();
        return result;
      });
      const { content, isError } = await served.client.callTool({ name: 'act', arguments: {} });
      expect({ content, isError }).toMatchObject({
        content: [{ text: expect.stringContaining(`'act' returned ${what}`) }],
        isError: true,
      });
      expect(served.ends).toEqual(['failed']);
      expect(served.errors.map(messageOf)).toEqual([expect.stringContaining(`'act' returned ${what}`)]);
    }
  });

  it.each<[string, unknown, string]>([
    ['messages that are no list', { messages: 'x' }, 'messages'],
    ['a message that is none', { messages: ['x'] }, 'messages[0]'],
    ['no role', { messages: [{ content: text('a') }] }, 'messages[0].role'],
    ['no type', { messages: [{ role: 'user', content: 'a' }] }, 'messages[0].content'],
  ])('a result that cannot be sent is an error of the prompt: %s', async (_, result, part) => {
    await using served = await serve(() => result);
    const told = expect.stringContaining(`'act' returned a result whose ${part} is not`);
    await expect(served.client.getPrompt({ name: 'act' })).rejects.toMatchObject({ code: -32603, message: told });
    expect([served.ends, served.errors.map(messageOf)]).toEqual([['failed'], [told]]);
  });

  it.each<[string, unknown, string]>([
    ['contents that are no list', { contents: 'x' }, 'contents'],
    ['no address', { contents: [{ text: 'a' }] }, 'contents[0].uri'],
    ['no text', { contents: [{ uri: 'act://it' }] }, 'contents[0].text or .blob'],
  ])('a result that cannot be sent is an error of the resource: %s', async (_, result, part) => {
    await using served = await serve(() => result);
    const told = expect.stringContaining(`'act://it' returned a result whose ${part} is not`);
    await expect(served.client.readResource({ uri: 'act://it' })).rejects.toMatchObject({
      code: -32603,
      message: told,
    });
    expect([served.ends, served.errors.map(messageOf)]).toEqual([['failed'], [told]]);
  });

  it('a result that the protocol has is sent', async () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    const link = { type: 'resource_link', uri: 'act://it', name: 'it' };
    await using tool = await serve(() => ({ content: [text('a'), image, link], _meta: { a: 1 } }));
    expect(await tool.client.callTool({ name: 'act', arguments: {} })).toMatchObject({
      content: [text('a'), image, link],
    });
    await using bare = await serve(() => ({ structuredContent: { a: 1 } }));
    expect(await bare.client.callTool({ name: 'act', arguments: {} })).toMatchObject({ structuredContent: { a: 1 } });
    await using prompt = await serve(() => ({ messages: [{ role: 'assistant', content: image }] }));
    expect(await prompt.client.getPrompt({ name: 'act' })).toMatchObject({ messages: [{ content: image }] });
    await using resource = await serve(() => ({ contents: [{ uri: 'act://it', blob: 'AAAA' }] }));
    expect(await resource.client.readResource({ uri: 'act://it' })).toMatchObject({ contents: [{ blob: 'AAAA' }] });
    expect([tool, bare, prompt, resource].map(({ ends }) => ends)).toEqual([['done'], ['done'], ['done'], ['done']]);
  });

  it('an object that is thrown keeps its message', async () => {
    const thrown = { code: -32000, message: 'No such shop.', data: { shop: 1 } };
    await using served = await serve(() => Promise.reject(thrown));
    const { content, isError } = await served.client.callTool({ name: 'act', arguments: {} });
    expect({ content, isError }).toEqual({ content: [text('No such shop.')], isError: true });
    expect(served.errors).toEqual([expect.objectContaining({ message: 'No such shop.', code: -32000, cause: thrown })]);
    await expect(served.client.getPrompt({ name: 'act' })).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining('No such shop.'),
    });
  });
});

it.each<[string, unknown, string]>([
  ['nothing', undefined, 'The handler threw undefined, which is not an Error.'],
  ['an object', {}, 'The handler threw an object without a message, which is not an Error.'],
  [
    'an object without a prototype',
    Object.create(null),
    'The handler threw an object without a message, which is not an Error.',
  ],
  [
    'an object that throws itself',
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('p');
        },
      },
    ),
    'The handler threw an object that cannot be read, which is not an Error.',
  ],
])('%s that is thrown becomes an error', (_, thrown, message) => {
  const error = asThrown(thrown);
  expect(error).toBeInstanceOf(Error);
  expect((error as Error).message).toBe(message);
  expect(asThrown(error)).toBe(error);
});
