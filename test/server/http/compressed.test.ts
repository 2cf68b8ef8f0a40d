/** Endpoints behind somebody who compresses responses: what is streamed arrives at once, and what is sent whole arrives whole. */
import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { midcall } from '@midcall/server';
import { mcpEndpoint } from '@midcall/server/http';
import { nodeHandler } from '@midcall/server/node';
import { type Era, eras, negotiation, scriptedPerson } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import compression from 'compression';
import express from 'express';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { describe, expect, it } from 'vitest';

const LONG = 'a long text '.repeat(1_000);

type Endpoint = ReturnType<typeof mcpEndpoint>;
const behind: readonly (readonly [string, (endpoint: Endpoint) => RequestListener])[] = [
  [
    'compression, of Express',
    endpoint => {
      const app = express();
      app.use(compression({ threshold: 0 }));
      app.all('/mcp', nodeHandler(endpoint));
      return app;
    },
  ],
  [
    'compress, of Hono',
    endpoint => {
      const app = new Hono();
      app.use(compress({ threshold: 0, contentTypeFilter: () => true }));
      app.all('/mcp', context => endpoint.fetch(context.req.raw));
      return getRequestListener(app.fetch, { overrideGlobalObjects: false });
    },
  ],
];

async function stage(era: Era, listener: (endpoint: Endpoint) => RequestListener) {
  const heard: (() => void)[] = [];
  const encodings = new Map<string, string | null>();
  const mid = midcall({ key: randomBytes(32).toString('base64') });
  const endpoint = mcpEndpoint(() => {
    const server = new McpServer({ name: 'compressed', version: '1.0.0' });
    mid.tool(server, 'asks', { annotations: { readOnlyHint: true } }, async (_args, call) => {
      const { action } = await call.elicit({ message: 'Go on?', form: ['yes', 'no'] });
      return { content: [{ type: 'text', text: `${action}: ${LONG}` }] };
    });
    server.registerTool('waits', {}, async ({ mcpReq }) => {
      const progressToken = mcpReq._meta!.progressToken!;
      const wasHeard = new Promise<void>(resolve => heard.push(resolve));
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
      await wasHeard;
      return { content: [{ type: 'text', text: LONG }] };
    });
    return server;
  });
  const server = createServer(listener(endpoint));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  server.keepAliveTimeout = 0;
  const capabilities = { elicitation: {} };
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities, versionNegotiation: negotiation(era) });
  scriptedPerson([{ action: 'accept', content: { value: 'yes' } }]).attach(client, capabilities);
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  await client.connect(
    new StreamableHTTPClientTransport(url, {
      async fetch(input, init) {
        const headers = new Headers(init?.headers);
        headers.set('accept-encoding', 'gzip');
        const response = await fetch(input, { ...init, headers });
        encodings.set(response.headers.get('content-type') ?? '', response.headers.get('content-encoding'));
        return response;
      },
    }),
  );
  return {
    ...{ client, encodings },
    hear: () => {
      for (const resolve of heard) resolve();
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await endpoint.stop({ within: 0 });
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

describe.each(behind)('behind %s', (_name, listener) => {
  it.each(eras)('a question of %s reaches its person, and a long result is read', async era => {
    await using on = await stage(era, listener);
    expect(await on.client.callTool({ name: 'asks' })).toMatchObject({ content: [{ text: `accept: ${LONG}` }] });
  });

  it.each(eras)('a stream of %s arrives as it is sent, while what has come as a whole is compressed', async era => {
    await using on = await stage(era, listener);
    // The tool ends only once its progress has arrived.
    const result = await on.client.callTool({ name: 'waits' }, { onprogress: on.hear });
    await on.client.listTools();
    expect(result).toMatchObject({ content: [{ text: LONG }] });
    expect(Object.fromEntries(on.encodings)).toMatchObject({ 'application/json': 'gzip', 'text/event-stream': null });
  });
});
