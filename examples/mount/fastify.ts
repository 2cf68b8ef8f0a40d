/** docs/mount.md: in Fastify. */
// #region mount
import { midcall } from '@midcall/server';
import { mcpEndpoint } from '@midcall/server/http';
import { nodeHandler } from '@midcall/server/node';
import { fastify } from 'fastify';
import { paintServer } from './paint-server.ts';

const mid = midcall();
const endpoint = mcpEndpoint(() => paintServer(mid));
const handle = nodeHandler(endpoint);

export const app = fastify({ bodyLimit: 4 * 1024 * 1024 });
app.all('/mcp', async (request, reply) => {
  reply.hijack(); // the endpoint writes the response
  await handle(request.raw, reply.raw, request.body);
});
// #endregion
