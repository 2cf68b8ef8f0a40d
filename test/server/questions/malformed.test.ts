/** An answer that breaks its revision's schema means the same in both: it is judged here, not by the SDK of one of them. */

import { midcall } from '@midcall/server';
import { eras } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { type Params, wireClient } from '../wire-client.ts';

it('2025-11-25: a client that declares forms and does not know the method cannot be asked; any other error is one', async () => {
  const mid = midcall({ warn: () => {}, suspectBelowMs: 0 });
  const factory = () => {
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    mid.tool(server, 'act', {}, async (_, call) => {
      const answer = await call.elicit({ message: 'Sure?', form: Boolean });
      return { content: [{ type: 'text', text: answer.action === 'cancel' ? answer.reason : answer.action }] };
    });
    return server;
  };
  for (const [code, said] of [
    [-32601, 'unavailable'],
    [-32603, 'error'],
    [-1, 'error'],
  ] as const) {
    await using client = await wireClient('2025-11-25', factory, {
      capabilities: { elicitation: {} },
      answer: () => ({ error: { code, message: 'No.' } }),
    });
    expect(await client.act()).toBe(said);
  }
});

/** Servers that say what they were told of roots, and whether they may open files; their operator allows a directory. */
function withRoots() {
  const mid = midcall({ warn: () => {}, roots: { ceiling: ['/tmp'], askWhereDeprecated: true } });
  return () => {
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    mid.tool(server, 'act', {}, async (_, call) => {
      const roots = await call.roots();
      const opened = await call.files().then(
        () => 'opened',
        (error: { code: string }) => error.code,
      );
      return { content: [{ type: 'text', text: JSON.stringify([roots ?? 'nothing told', opened]) }] };
    });
    return server;
  };
}

describe.each(eras)('%s', era => {
  it.each<[string, object, string, number]>([
    ['no action', {}, 'cancel error', 1],
    ['an action nobody knows', { action: 'maybe' }, 'cancel error', 1],
    ['an action that is no word', { action: 7 }, 'cancel error', 1],
    ['content that is no object', { action: 'accept', content: [true] }, 'cancel invalid', 3],
    ['content that a form cannot hold', { action: 'accept', content: { value: { deep: [{}] } } }, 'cancel invalid', 3],
    ['no content', { action: 'accept' }, 'cancel invalid', 3],
    ['members nobody asked for', { action: 'decline', content: { value: [{}] }, more: null }, 'decline', 1],
  ])('an answer with %s means the same on both revisions, and is no yes', async (_, given, said, times) => {
    const mid = midcall({ warn: () => {}, suspectBelowMs: 0 });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', {}, async (__, call) => {
        const answer = await call.elicit({ message: 'Sure?', form: Boolean });
        const text = answer.action === 'cancel' ? `cancel ${answer.reason}` : answer.action;
        return { content: [{ type: 'text', text }] };
      });
      return server;
    };
    await using client = await wireClient(era, factory, {
      capabilities: { elicitation: {} },
      answer: () => given as Params,
    });
    expect(await client.act()).toBe(said);
    expect(client.questions).toHaveLength(times);
  });

  it.each<[string, Params]>([
    ['no list', {}],
    ['a list that is none', { roots: null }],
    ['a list of something else', { roots: ['file:///tmp', { uri: 7 }] }],
    ['a root without an address', { roots: [{ name: 'tmp' }] }],
  ])('roots/list answered with %s allows nothing, though the operator has a directory', async (_, given) => {
    await using client = await wireClient(era, withRoots(), { capabilities: { roots: {} }, answer: () => given });
    expect(await client.act()).toBe('["nothing told","roots/none"]');
  });

  it('roots/list answered with a list with something else in it allows the rest of it', async () => {
    const given: Params = { roots: [{ uri: 'file:///tmp' }, { uri: 7 }] };
    await using client = await wireClient(era, withRoots(), { capabilities: { roots: {} }, answer: () => given });
    expect(await client.act()).toBe('[[{"uri":"file:///tmp"}],"opened"]');
  });
});
