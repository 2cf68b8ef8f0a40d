/** Sampling whose texts are empty, which the protocol allows. */
import { expect, it } from 'vitest';
import { pairs, reply, stage, textOf } from './stage.ts';

it.each(pairs)('an empty text is asked and answered: %s, %s', async (host, upstream) => {
  await using on = await stage({
    host,
    upstream,
    capabilities: { sampling: {} },
    answers: [reply('')],
    serve: (mid, server) =>
      mid.tool(server, 'think', {}, async (_, call) => {
        const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: '' } }];
        const { content } = await call.sample({ messages, maxTokens: 10 });
        return { content: [{ type: 'text', text: JSON.stringify(content) }] };
      }),
  });
  expect(textOf(await on.client.callTool({ name: 'think', arguments: {} }))).toBe('{"type":"text","text":""}');
});
