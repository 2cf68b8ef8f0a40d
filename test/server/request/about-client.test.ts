/** What a client says of itself reaches handlers, on either wire. */

import { type AboutClient, midcall } from '@midcall/server';
import { connectPair, pairings } from '@midcall/testing';
import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { z } from 'zod';

const capabilities = { elicitation: { url: {} }, roots: {} };

it.each(pairings)(
  '%s over %s: a handler is told about its client, in a call and in a plain handler',
  async (era, carrier) => {
    const mid = midcall({ warn: () => {} });
    const heard: (AboutClient | undefined)[] = [];
    const done = { content: [] };
    const factory = () => {
      const server = new McpServer({ name: 'server', version: '1.0.0' });
      mid.tool(server, 'asking', { inputSchema: z.object({}) }, (_, call) => {
        heard.push(call.client);
        return done;
      });
      server.registerTool('plain', { inputSchema: z.object({}) }, (_, ctx: ServerContext) => {
        heard.push(mid.client(server, ctx));
        return done;
      });
      return server;
    };
    await using pair = await connectPair(factory, { era, carrier, capabilities });
    for (const name of ['asking', 'plain']) {
      await pair.client.callTool({ name, arguments: {} });
      await pair.client.callTool({ name, arguments: {} }, { onprogress: () => {} });
    }
    const said = {
      name: 'midcall-testing',
      version: '1.0.0',
      revision: era,
      capabilities,
      can: { url: true, form: false, roots: true },
    };
    expect(heard).toMatchObject([
      { ...said, hearsProgress: false },
      { ...said, hearsProgress: true },
      { ...said, hearsProgress: false },
      { ...said, hearsProgress: true },
    ]);
  },
);

it('nothing is told about a client where there is none', async () => {
  expect(await midcall({ warn: () => {} }).withoutClient(call => call.client)).toBeUndefined();
});
