/**
 * A server whose results are large: `unread-server.mjs`. It prints its port; a sender is whoever the token says. `/memory` says what
 * it takes, how many calls are over, and how many responses were cut.
 */
import { serveHttp } from '@midcall/server/node';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

let begun = 0;
/** Calls that have ended, or whose client has gone meanwhile. */
const over = new Set();
let cuts = 0;
const inputSchema = z.object({ bytes: z.number() });
const factory = () => {
  const server = new McpServer({ name: 'large', version: '1.0.0' });
  const register = (name, before) =>
    server.registerTool(name, { inputSchema }, async ({ bytes }, { mcpReq }) => {
      begun += 1;
      const call = begun;
      mcpReq.signal.addEventListener('abort', () => over.add(call));
      try {
        await before(mcpReq);
      } finally {
        over.add(call);
      }
      return { content: [{ type: 'text', text: `${call}:`.padEnd(bytes, 'x') }] };
    });
  register('large', () => {});
  // Its result comes on a stream, since something is sent before it.
  register('streamed', mcpReq => {
    const { progressToken } = mcpReq._meta;
    return mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
  });
  return server;
};
const serving = await serveHttp(factory, {
  authenticate: async request => {
    const token = request.headers.get('authorization')?.slice('Bearer '.length) ?? '';
    return { token, clientId: token, scopes: [] };
  },
  elsewhere: () => Response.json({ over: over.size, cuts, ...process.memoryUsage() }),
  onError: ({ message }) => {
    if (message.includes('unread')) cuts += 1;
  },
});
// Nothing is left behind where the process that started this one is killed.
process.stdin.once('end', () => process.exit(0)).resume();
process.stdout.write(`${serving.url.port}\n`);
