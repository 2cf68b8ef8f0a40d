/** A handler that asks for a secret in a form: refused, and nothing of it leaves, in any era and on any channel. */

import { type Call, midcall } from '@midcall/server';
import { connect } from '@midcall/server/connect';
import { connectPair, eras, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';

type Ask = Parameters<Call['elicit']>[0];

const asks: readonly [string, Ask][] = [
  ['in the message of one question', { message: 'Enter your API key', form: String }],
  ['in the message, with a word that is cut by what is not drawn', { message: 'Enter your c\u200bvv', form: String }],
  ['in the message, with a negation behind it', { message: 'Enter your password, not your name', form: Number }],
  ['in the name of a field', { message: 'Who?', form: { name: String, password: String } }],
  ['in a title', { message: 'Who?', form: { type: 'object', properties: { a: { type: 'string', title: 'PIN' } } } }],
  [
    'in a description',
    {
      message: 'Who?',
      form: { type: 'object', properties: { a: { type: 'string', description: 'Paste your access token' } } },
    },
  ],
];

describe.each(eras)('%s', era => {
  describe.each([undefined, 'page', 'relay'] as const)('over %s', channel => {
    it.each(asks)('a question that asks for a secret is refused, and nobody is asked: %s', async (_, ask) => {
      const pages = connect({ name: 'Notes', reach: { kind: 'here', browser: false } });
      const mid = midcall({ pages, channels: ['native', 'page', 'relay'], suspectBelowMs: 0, warn: () => {} });
      let code: unknown;
      const factory = () => {
        const server = new McpServer({ name: 'test', version: '1.0.0' });
        mid.tool(server, 'act', { annotations: { readOnlyHint: true } }, async (_args, call) => {
          await call.elicit({ ...ask, ...(channel && { channels: [channel] }) }).catch(error => {
            code = error.code;
            throw error;
          });
          return { content: [{ type: 'text', text: 'went through' }] };
        });
        return server;
      };
      await using pair = await connectPair(factory, { era, person: scriptedPerson([]) });
      const result = await pair.client.callTool({ name: 'act' });
      expect(code).toBe('form/secret');
      expect({ wrong: result.isError, text: (result.content as { text: string }[])[0]!.text }).toEqual({
        wrong: true,
        text: expect.stringContaining('asks for a secret'),
      });
      expect(JSON.stringify(pair.frames)).not.toContain('elicitation/create');
    });
  });
});
