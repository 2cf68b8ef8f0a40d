/** An answer that breaks its revision's schema means the same in both: it is judged here, not by the SDK of one of them. */
import { McpServer } from '@modelcontextprotocol/server';
import { midcall } from 'midcall/server';
import { eras } from 'midcall/testing';
import { describe, expect, it } from 'vitest';
import { type Params, wireClient } from './wire-client.ts';

describe.each(eras)('%s', era => {
  it.each<[string, object, string, number]>([
    ['no action', {}, 'cancel error', 1],
    ['an action nobody knows', { action: 'maybe' }, 'cancel error', 1],
    ['an action that is no word', { action: 7 }, 'cancel error', 1],
    ['content that is no object', { action: 'accept', content: [true] }, 'cancel invalid', 3],
    ['content that a form cannot hold', { action: 'accept', content: { value: { deep: [{}] } } }, 'cancel invalid', 3],
    ['no content', { action: 'accept' }, 'cancel invalid', 3],
    ['members nobody asked for', { action: 'decline', content: { value: [{}] }, more: null }, 'decline', 1],
  ])('an answer with %s', async (_, given, said, times) => {
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
});
