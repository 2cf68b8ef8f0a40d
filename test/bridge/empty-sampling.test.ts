/** Sampling whose texts are empty, which the protocol allows. */
import { expect, it } from 'vitest';
import { noModel, pairs, reply, stage, textOf } from './stage.ts';

// A person at the desk who replies by hand may not send an empty text; the model of a host may.
const models = [noModel, { ...noModel, byHand: true }];
const cases = pairs.flatMap(pair => models.map(model => [...pair, 'byHand' in model, model] as const));

it.each(cases)(
  'an empty text is asked and answered: %s, %s, by hand at the desk: %s',
  async (host, upstream, _, model) => {
    await using on = await stage({
      options: { sampling: { model, always: false } },
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
  },
);
