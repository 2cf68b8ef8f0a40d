/** A server on the SDK alone, over standard input and output, with tools as few and as small as the notes server's. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'bare', version: '1.0.0' });
  for (const name of ['list', 'search', 'read', 'write', 'delete', 'archive']) {
    server.registerTool(name, { inputSchema: z.strictObject({ title: z.string().optional() }) }, () => ({
      content: [],
    }));
  }
  return server;
});
