/** A connected pair fails where its test would otherwise go wrong in silence. */

import { midcall } from '@midcall/server';
import { connectPair, eras, explore, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });

function sureServer(mid = midcall()) {
  const server = new McpServer({ name: 'sure', version: '1.0.0' });
  mid.tool(server, 'sure', { inputSchema: z.object({ ask: z.boolean().default(true) }) }, async ({ ask }, call) => {
    if (!ask) return text('unasked');
    const answer = await call.elicit({ message: 'Sure?', form: Boolean });
    return text(answer.action === 'cancel' ? answer.reason : answer.action);
  });
  return server;
}

describe.each(eras)('%s', era => {
  it('a pair without a person declares nothing, so that the handler is told', async () => {
    const mid = midcall();
    await using pair = await connectPair(() => sureServer(mid), { era });
    const result = await pair.client.callTool({ name: 'sure' });
    expect(result.content).toEqual(text('unavailable').content);
  });

  it.each(['memory', 'http'] as const)(
    'over %s, a call whose person does not come back ends with its timeout',
    async carrier => {
      const mid = midcall();
      const person = scriptedPerson(['never']);
      await using pair = await connectPair(() => sureServer(mid), { era, carrier, person });
      // The time passes once the person has been asked.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const call = pair.client.callTool({ name: 'sure' }, { timeout: 2_000 });
      const ended = expect(call).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
      await person.whenAsked(1);
      await vi.advanceTimersByTimeAsync(2_000);
      await ended;
      expect(person.asked).toHaveLength(1);
      vi.useRealTimers();
    },
  );

  it.each([
    ['ran out', [], "no answer left for 'Sure?'"],
    ['holds what is no answer', [{ value: true }], "was given no answer for 'Sure?': it is { action: 'accept'"],
  ])('close rejects where the script %s', async (_, script, says) => {
    const mid = midcall();
    const person = scriptedPerson(script);
    const pair = await connectPair(() => sureServer(mid), { era, person });
    await pair.client.callTool({ name: 'sure' }).catch(() => {});
    expect(person.problem?.message).toContain(says);
    await expect(pair.close()).rejects.toThrow(says);
  });
});

it('a question with a slip in it is refused, and says so', async () => {
  const mid = midcall();
  const factory = () => {
    const server = new McpServer({ name: 'slip', version: '1.0.0' });
    mid.tool(server, 'slip', {}, async (_, call) => {
      const asked = { message: 'Sure?', form: Boolean, timeout: 5 };
      await call.elicit(asked);
      return text('asked');
    });
    return server;
  };
  await using pair = await connectPair(factory, { era: '2026-07-28', person: scriptedPerson([]) });
  const result = await pair.client.callTool({ name: 'slip' });
  expect(JSON.stringify(result)).toContain("call.elicit: there is no option 'timeout'. Did you mean 'timeoutMs'?");
});

describe('explore says what it could not see', () => {
  it('explore says that the options do not reach midcall()', async () => {
    const mid = midcall({ suspectBelowMs: 0 });
    const tool = { name: 'sure', server: () => () => sureServer(mid) };
    const report = await explore(tool, {}, { hangMs: 200, budget: 3 });
    expect(report.text).toContain('does not pass its options on to midcall(options)');
  });

  it('explore says that the arguments lead to no question', async () => {
    const tool = { name: 'sure', server: (options: object) => () => sureServer(midcall(options)) };
    const report = await explore(tool, { ask: false });
    expect(report.notCovered).toEqual(['questions: with these arguments the tool asked none']);
  });
});
