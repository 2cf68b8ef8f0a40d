/** The server the official conformance suite tests, at `/mcp` on `PORT` (3000 where absent; 0 for any that is free). */

import { midcall } from '@midcall/server';
import { type HttpServing, serveHttp } from '@midcall/server/node';
import { McpServer } from '@modelcontextprotocol/server';
import { registerAsking } from './asking.ts';
import { registerPlain } from './plain.ts';
import { registerTasks } from './tasks.ts';

const mid = midcall({
  roots: { askWhereDeprecated: true },
  sampling: { askWhereDeprecated: true },
  taskAfterMs: 100,
  warn: () => {},
});
let serving: HttpServing;

function fixture(): McpServer {
  const server = new McpServer({ name: 'midcall-conformance', version: '1.0.0' });
  mid.wrap(server);
  server.server.registerCapabilities({ logging: {}, resources: { subscribe: true, listChanged: true } });
  registerPlain(server, () => serving.endpoint.notify);
  registerAsking(mid, server);
  registerTasks(mid, server);
  return server;
}

const port = Number(process.env['PORT'] ?? 3000);
serving = await serveHttp(fixture, { port, onError: error => console.error(error.message) });
console.log(`listening on ${serving.url}`);
