/** Questions of any server on a card, for a host behind a bridge that shows Apps and has no elicitation. */
import type { Inbox } from '@midcall/host';
import type { Midcall } from '@midcall/server';
import type { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apps, CARD, type CardData } from '../card/scene.ts';
import { alike, stage, textOf } from './stage.ts';

const says = (text: string) => ({ content: [{ type: 'text' as const, text }] });

/** A tool that asks, by the forms of the protocol alone, and acts on yes; `done` is what it did. */
function asking(config: object = {}) {
  const done: string[] = [];
  const serve = (mid: Midcall, server: McpServer) =>
    mid.tool(
      server,
      'remove',
      { inputSchema: z.object({ name: z.string() }), ...config } as never,
      (async ({ name }: { name: string }, call: Parameters<Parameters<Midcall['tool']>[3]>[1]) => {
        const answer = await call.elicit({
          message: `Remove ${name}?`,
          form: z.object({ sure: z.boolean(), why: z.enum(['old', 'wrong']) }),
        });
        if (answer.action !== 'accept' || !answer.content.sure) return says(`not removed: ${answer.action}`);
        await call.step('remove', () => void done.push(name));
        return says(`removed, since it is ${answer.content.why}`);
      }) as never,
    );
  return { done, serve };
}

const yes = { action: 'accept', content: { sure: true, why: 'old' } } as const;
const remove = { name: 'remove', arguments: { name: 'a.md' } };
const cardIn = (result: { readonly _meta?: Record<string, unknown> | undefined }) =>
  result._meta?.[CARD] as CardData | undefined;

describe.each(alike)('a host of %s with Apps alone before a server of %s', (host, upstream) => {
  const on = async (more: Partial<Parameters<typeof stage>[0]> = {}, config: object = {}) => {
    const { done, serve } = asking(config);
    const staged = await stage({ host, upstream, serve, capabilities: apps, ...more });
    const { client } = staged;
    const answer = (ticket: string | undefined, rest: object) =>
      client.callTool({ name: 'midcall_answer', arguments: { ticket, ...rest } });
    return { staged, client, done, answer };
  };

  it('the host lists its tools with our App, which it reads from the bridge', async () => {
    const { staged, client } = await on();
    await using _ = staged;
    const { tools } = await client.listTools();
    expect(tools.map(({ name, _meta }) => [name, _meta?.['ui']])).toEqual([
      ['remove', { resourceUri: 'ui://midcall/card' }],
      ['midcall_answer', { visibility: ['app'] }],
    ]);
    const { contents } = await client.readResource({ uri: 'ui://midcall/card' });
    expect(contents[0]).toMatchObject({ mimeType: 'text/html;profile=mcp-app' });
    expect((await client.listResources()).resources).toEqual([]);
  });

  it('the host gets the question on a card, and the server acts once on its answer', async () => {
    const { staged, client, done, answer } = await on();
    await using _ = staged;
    await client.listTools();
    const result = await client.callTool(remove);
    expect(result.isError).toBeFalsy();
    expect(textOf(result)).toMatch(/^It is not finished/);
    const card = cardIn(result);
    expect(card?.question).toMatchObject({ message: 'Remove a.md?', fields: [{ name: 'sure' }, { name: 'why' }] });
    expect(done).toEqual([]);
    expect(textOf(await answer(card?.ticket, yes))).toBe('removed, since it is old');
    expect(textOf(await answer(card?.ticket, yes))).toBe('removed, since it is old');
    expect(done).toEqual(['a.md']);
    expect(staged.opened).toEqual([]);
  });

  it('the server gets a refusal on the card, and does nothing', async () => {
    const { staged, client, done, answer } = await on();
    await using _ = staged;
    await client.listTools();
    const card = cardIn(await client.callTool(remove));
    expect(textOf(await answer(card?.ticket, { action: 'decline' }))).toBe('not removed: decline');
    expect(done).toEqual([]);
  });

  it('no answer is taken from a model, which has no ticket', async () => {
    const { staged, client, done, answer } = await on();
    await using _ = staged;
    await client.listTools();
    await client.callTool(remove);
    for (const ticket of ['', 'remove', 'x'.repeat(22)]) {
      const refused = await answer(ticket, yes).catch(() => ({ isError: true }));
      expect(refused.isError).toBe(true);
    }
    expect(done).toEqual([]);
  });

  it('the desk asks if the call is made again, since the host may show no card', async () => {
    const { staged, client, done } = await on({
      atDesk: (inbox: Inbox) => inbox.reply(inbox.list()[0]!.id, yes, 'web'),
    });
    await using _ = staged;
    await client.listTools();
    expect(cardIn(await client.callTool(remove))).toBeDefined();
    expect(textOf(await client.callTool(remove))).toBe('removed, since it is old');
    expect(staged.opened).toHaveLength(1);
    expect(done).toEqual(['a.md']);
  });

  it.each([
    ['an App of its own', { _meta: { ui: { resourceUri: 'ui://notes/own' } } }],
    ['an output schema', { outputSchema: z.object({ removed: z.boolean().optional() }) }],
  ])('the desk asks for a tool with %s', async (_, config) => {
    const { staged, client } = await on(
      { atDesk: (inbox: Inbox) => inbox.reply(inbox.list()[0]!.id, yes, 'web') },
      config,
    );
    await using _staged = staged;
    const { tools } = await client.listTools();
    expect(tools[0]?._meta?.['ui']).not.toEqual({ resourceUri: 'ui://midcall/card' });
    expect(cardIn(await client.callTool(remove).catch(() => ({})))).toBeUndefined();
    expect(staged.opened).toHaveLength(1);
  });
});

describe.each(alike)('a host of %s without Apps before a server of %s', (host, upstream) => {
  it('a host without Apps sees nothing of cards', async () => {
    const { serve } = asking();
    await using on = await stage({ host, upstream, serve, capabilities: {} });
    expect((await on.client.listTools()).tools.map(({ name, _meta }) => [name, _meta?.['ui']])).toEqual([
      ['remove', undefined],
    ]);
  });
});
