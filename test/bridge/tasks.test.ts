/** Servers with tasks behind a bridge, and hosts with and without: every call comes to its end, whatever carries it. */
import type { Midcall } from '@midcall/server';
import type { Era } from '@midcall/testing';
import type { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { said, servedOverHttp, type Work } from '../host/task-server.ts';
import { pairs, stage, textOf } from './stage.ts';

const accepted = { action: 'accept' as const, content: { value: true } };
const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const form = { elicitation: { form: {} } };

/** A tool of ours that is always a task where the client has them. */
const serve = (mid: Midcall, server: McpServer): void => {
  mid.tool(server, 'act', { task: 'always' }, async (_, call) => {
    const { action } = await call.elicit({ message: 'Sure?', form: Boolean });
    return { content: [{ type: 'text', text: `task: ${action}` }] };
  });
};

/** The same by SDK v1, which has tasks of 2025-11-25 alone. */
const work: Work = async ({ ask, say }) => {
  await say('Thinking…');
  return said(`task: ${(await ask('Sure?')).action}`);
};

async function upstreamOf(era: Era) {
  return era === '2026-07-28' ? { serve } : { url: (await servedOverHttp(work)).href };
}

describe.each(pairs)('a host of %s, a server of %s with tasks', (host, upstream) => {
  it.each([
    ['without', form],
    ['with', { ...form, ...tasks }],
  ])('asks the person of a host %s tasks what a task asks, and gives its result', async (_, capabilities) => {
    await using on = await stage({
      host,
      upstream,
      ...(await upstreamOf(upstream)),
      answers: [accepted],
      capabilities,
    });
    const messages: (string | undefined)[] = [];
    const result = await on.client.callTool(
      { name: 'act', arguments: {} },
      { onprogress: ({ message }) => void messages.push(message) },
    );
    expect(textOf(result)).toBe('task: accept');
    expect(on.person.asked).toHaveLength(1);
    if (upstream === '2025-11-25') expect(messages).toContain('Sure?');
  });

  it('shows no tool as one that can only be called as a task', async () => {
    await using on = await stage({ host, upstream, ...(await upstreamOf(upstream)), capabilities: form });
    const { tools } = await on.client.listTools();
    expect(tools.find(({ name }) => name === 'act')).toBeDefined();
    expect(tools.filter(tool => 'execution' in tool && tool.execution !== undefined)).toEqual([]);
  });
});
