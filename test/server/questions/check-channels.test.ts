/**
 * An ask that can never be put, and a fallback that can never be taken, fail where a test first reaches them, whatever the
 * client can do, and say what to mend; see packages/server/src/questions/check-channels.ts.
 */

import { type Call, type MidcallOptions, midcall } from '@midcall/server';
import { confirm, connect } from '@midcall/server/connect';
import { connectPair, eras, scriptedPerson } from '@midcall/testing';
import { McpServer, type ToolAnnotations } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

interface Wrong {
  readonly what: string;
  readonly does: (call: Call) => Promise<{ readonly action: string }>;
  readonly options?: () => MidcallOptions;
  readonly annotations?: ToolAnnotations;
  readonly says: string;
}

const form = ['red', 'green'] as const;
const page = confirm();
const pages = () => connect({ name: 'Shop', reach: { kind: 'here', browser: false } });
const safe = { readOnlyHint: true };

const wrong: readonly Wrong[] = [
  {
    what: 'a relay that is switched off',
    does: call => call.elicit({ message: 'Which?', form, channels: ['relay'] }),
    says: "'act' asks by channels: ['relay'], but 'relay' is switched off: midcall({ channels: ['native', 'relay'] }) switches it on.",
  },
  {
    what: 'a relay for what the relay never gives',
    does: call => call.elicit({ message: 'Which?', form, channels: ['relay'], assurance: 'in-band' }),
    options: () => ({ channels: ['native', 'relay'] }),
    says: "the relay gives 'relayed', and 'in-band' is demanded",
  },
  {
    what: 'a form on a page, without pages',
    does: call => call.elicit({ message: 'Which?', form, channels: ['page'] }),
    says: "asks by channels: ['page'], but the server has no pages",
  },
  {
    what: 'a page, without pages',
    does: call => call.elicitUrl({ message: 'Sure?', page }),
    says: "'act' asks on a page, but the server has no pages: give midcall() pages: connect(…)",
  },
  {
    what: 'a page by the relay',
    does: call => call.elicitUrl({ message: 'Sure?', page, channels: ['relay'] }),
    options: () => ({ pages: pages(), channels: ['native', 'page', 'relay'] }),
    says: 'a page is never relayed',
  },
  {
    what: 'the host, where the server asks on pages alone',
    does: call => call.elicitUrl({ message: 'Sure?', page, channels: ['native'] }),
    options: () => ({ pages: pages(), channels: ['page'] }),
    says: "'native' is switched off",
  },
  {
    what: 'a fallback where something may be destroyed',
    does: call => call.elicit({ message: 'Which?', form, fallback: 'red' }),
    says: "'act' gives a fallback for a question, but may be destructive",
  },
  {
    what: 'a fallback beside an assurance that it never has',
    does: call => call.elicit({ message: 'Which?', form, fallback: 'red', assurance: 'in-band' }),
    annotations: safe,
    says: "demands 'in-band', which a fallback never has",
  },
  {
    what: 'a fallback that is none of the choices',
    does: call => call.elicit({ message: 'Which?', form, fallback: 'blue' as never }),
    annotations: safe,
    says: 'gives a fallback that does not fit the form',
  },
];

const clients = { 'that can be asked': { elicitation: { form: {}, url: {} } }, 'that cannot be asked': {} } as const;

async function act(
  era: (typeof eras)[number],
  capabilities: object,
  { does, options, annotations = {} }: Omit<Wrong, 'what' | 'says'>,
) {
  const mid = midcall({ warn: () => {}, suspectBelowMs: 0, ...options?.() });
  const person = scriptedPerson([{ action: 'accept', content: { value: 'green' } }], { repeat: true });
  const factory = () => {
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    mid.tool(server, 'act', { annotations }, async (_, call) => ({
      content: [{ type: 'text', text: JSON.stringify(await does(call)) }],
    }));
    return server;
  };
  await using pair = await connectPair(factory, { era, capabilities, person });
  const { content, isError = false } = await pair.client.callTool({ name: 'act', arguments: {} });
  return { text: (content[0] as { text: string }).text, isError, asked: person.asked.length };
}

describe.each(eras)('%s', era => {
  describe.each(Object.entries(clients))('a client %s', (_, capabilities) => {
    it.each(wrong)('$what is a mistake of the tool', async each => {
      const { text, isError, asked } = await act(era, capabilities, each);
      expect(text).toContain(each.says);
      expect({ isError, asked }).toEqual({ isError: true, asked: 0 });
      expect(text).not.toMatch(/client/);
    });

    it('one channel of several that is switched off is no mistake', async () => {
      const does: Wrong['does'] = call => call.elicit({ message: 'Which?', form, channels: ['native', 'relay'] });
      const { text } = await act(era, capabilities, { does });
      expect(JSON.parse(text)).toMatchObject(
        'elicitation' in capabilities ? { action: 'accept' } : { action: 'cancel' },
      );
    });

    it('a fallback that a library would refuse as content is taken, since it stands for what the library makes of it', async () => {
      const day = z.object({ day: z.string().transform(text => text.length) });
      const does: Wrong['does'] = call => call.elicit({ message: 'When?', form: day, fallback: { day: 3 } });
      const { isError } = await act(era, {}, { does, annotations: safe });
      expect(isError).toBe(false);
    });
  });

  it('a relay in a prompt is a mistake of the prompt, since only tools are gone on with', async () => {
    const mid = midcall({ channels: ['native', 'relay'], warn: () => {} });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.prompt(server, 'act', {}, async (_, call) => {
        const { action } = await call.elicit({ message: 'Which?', form, channels: ['relay'] });
        return { messages: [{ role: 'user', content: { type: 'text', text: action } }] };
      });
      return server;
    };
    await using pair = await connectPair(factory, { era, capabilities: clients['that can be asked'] });
    await expect(pair.client.getPrompt({ name: 'act' })).rejects.toThrow('the relay works for tools only');
  });
});
