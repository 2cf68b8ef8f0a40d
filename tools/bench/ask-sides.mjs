/** The contenders of tools/bench/asks.mjs: the same tool, the same question, the same check of the answer. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { form } from '@midcall/core/form';
import { midcall } from '@midcall/server';
import { memoryStore } from '@midcall/server/stores/memory';
import { acceptedContent, createRequestStateCodec, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const info = { name: 'bench', version: '1.0.0' };
const config = { description: 'Deletes a note', inputSchema: z.object({ title: z.string() }) };
const schema = {
  type: 'object',
  properties: { confirm: { type: 'boolean', title: 'Confirm' } },
  required: ['confirm'],
};
const answered = z.object({ confirm: z.boolean() });
const message = 'Delete it?';
const said = yes => ({ content: [{ type: 'text', text: yes ? 'Deleted.' : 'Kept.' }] });

/** @param options - of the request to the client */
const elicits = options => () => () => {
  const server = new McpServer(info);
  server.registerTool('delete', config, async (_, ctx) => {
    const { action, content } = await ctx.mcpReq.elicitInput({ message, requestedSchema: schema }, options(ctx));
    return said(action === 'accept' && content.confirm);
  });
  return server;
};

/** Each `factory()` is called once per process and gives what makes a server. Midcall has a key and a store, as operators run it. */
export const sides = {
  midcall: {
    eras: ['2025-11-25', '2026-07-28'],
    factory() {
      const mid = midcall({ key: new Uint8Array(32).fill(7), store: memoryStore(), warn: () => {}, suspectBelowMs: 0 });
      const asked = form(schema);
      return () => {
        const server = new McpServer(info);
        mid.tool(server, 'delete', config, async (_, call) => {
          const answer = await call.elicit({ message, form: asked });
          return said(answer.action === 'accept' && answer.content.confirm);
        });
        return server;
      };
    },
  },
  'SDK v2, no state': {
    eras: ['2026-07-28'],
    factory: () => () => {
      const server = new McpServer(info);
      server.registerTool('delete', config, (_, ctx) => {
        const content = acceptedContent(ctx.mcpReq.inputResponses, 'confirm');
        if (content === undefined) {
          return inputRequired({
            inputRequests: { confirm: inputRequired.elicit({ message, requestedSchema: schema }) },
          });
        }
        return said(answered.parse(content).confirm);
      });
      return server;
    },
  },
  'SDK v2, signed state': {
    eras: ['2026-07-28'],
    factory() {
      const codec = createRequestStateCodec({ key: new Uint8Array(32).fill(7) });
      return () => {
        const server = new McpServer(info, { requestState: { verify: codec.verify } });
        server.registerTool('delete', config, async ({ title }, ctx) => {
          const content = acceptedContent(ctx.mcpReq.inputResponses, 'confirm');
          if (content === undefined) {
            return inputRequired({
              inputRequests: { confirm: inputRequired.elicit({ message, requestedSchema: schema }) },
              requestState: await codec.mint({ title }),
            });
          }
          if (ctx.mcpReq.requestState()?.title !== title) throw new Error('another call');
          return said(answered.parse(content).confirm);
        });
        return server;
      };
    },
  },
  // Its question goes on the stream of its call, where a question belongs and where ours goes.
  'SDK v2, elicitInput': { eras: ['2025-11-25'], factory: elicits(({ mcpReq }) => ({ relatedRequestId: mcpReq.id })) },
  // Without that option the SDK sends the question on the session's one GET stream, which is for messages that belong to no call
  // (2025-11-25, basic/transports, "Listening for Messages from the Server"), and need not be open: then nobody is asked. The
  // call's response then needs no stream, which saves its client and its server about 300 and 100 µs.
  'SDK v2, on the GET stream': { eras: ['2025-11-25'], factory: elicits(() => undefined) },
  'SDK v1, elicitInput': {
    eras: ['2025-11-25'],
    async serveV1(carrier) {
      const { McpServer: McpServerV1 } = await import('@modelcontextprotocol/sdk/server/mcp.js');
      const make = () => {
        const server = new McpServerV1(info);
        server.registerTool(
          'delete',
          { ...config, inputSchema: config.inputSchema.shape },
          async (_, { sendRequest }) => {
            const { ElicitResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
            const params = { mode: 'form', message, requestedSchema: schema };
            const { action, content } = await sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema);
            return said(action === 'accept' && content.confirm);
          },
        );
        return server;
      };
      if (carrier === 'stdio') {
        const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
        await make().connect(new StdioServerTransport());
        return;
      }
      const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
      const sessions = new Map();
      const http = createServer(async (req, res) => {
        let transport = sessions.get(req.headers['mcp-session-id']);
        if (!transport) {
          transport = new StreamableHTTPServerTransport({
            sessionIdGenerator: randomUUID,
            onsessioninitialized: id => sessions.set(id, transport),
          });
          await make().connect(transport);
        }
        await transport.handleRequest(req, res);
      });
      http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
    },
  },
  'fastmcp (npm)': {
    eras: ['2025-11-25'],
    async serveV1(carrier) {
      const { FastMCP } = await import('fastmcp');
      const server = new FastMCP({ name: info.name, version: info.version });
      server.addTool({
        name: 'delete',
        description: config.description,
        parameters: config.inputSchema,
        execute: async (_, context) => {
          const { action, content } = await context.elicit({ message, requestedSchema: schema });
          return action === 'accept' && content.confirm ? 'Deleted.' : 'Kept.';
        },
      });
      if (carrier === 'stdio') return server.start({ transportType: 'stdio' });
      const port = 20_000 + (process.pid % 20_000);
      await server.start({ transportType: 'httpStream', httpStream: { port } });
      console.log(`http://127.0.0.1:${port}/mcp`);
    },
  },
};
