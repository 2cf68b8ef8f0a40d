/** A page for a secret needs a place to keep it. */
import { midcall } from '@midcall/server';
import { connect, secret } from '@midcall/server/connect';
import { connectPair, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';

it.each(['2025-11-25', '2026-07-28'] as const)(
  'a page for a secret without a vault says that it needs one, on %s',
  async era => {
    const pages = connect({ name: 'Notes', openBrowser: async () => true, reach: { kind: 'here', browser: true } });
    const mid = midcall({ pages });
    const make = () => {
      const server = new McpServer({ name: 'notes', version: '1.0.0' });
      mid.tool(server, 'sign_in', {}, async (_args, call) => {
        const answer = await call.elicitUrl({
          message: 'The key, please.',
          page: secret({ name: 'k', label: 'API key' }),
        });
        return answer.action;
      });
      return server;
    };
    const capabilities = { elicitation: { url: {} } };
    await using pair = await connectPair(make, { era, person: scriptedPerson([]), capabilities });
    const { content, isError } = await pair.client.callTool({ name: 'sign_in', arguments: {} });
    expect(isError).toBe(true);
    expect((content[0] as { text: string }).text).toContain('Give it to connect({ vault: vault(…) })');
    await pages.close();
  },
);
