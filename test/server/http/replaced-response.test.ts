/** An endpoint in an application that lets Hono's server replace the global `Response` before the endpoint is loaded. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished, vi } from 'vitest';

it('an endpoint sends each answer once though a framework has replaced the global Response', async () => {
  const { Request: request, Response: response } = globalThis;
  const complained = vi.spyOn(console, 'error').mockImplementation(() => {});
  getRequestListener(() => new Response('the page of the application'));
  onTestFinished(() => {
    Object.assign(globalThis, { Request: request, Response: response });
    complained.mockRestore();
  });
  expect(Response).not.toBe(response);
  const [{ mcpEndpoint }, { nodeHandler }] = await Promise.all([
    import('../../../packages/server/src/http/endpoint.ts'),
    import('../../../packages/server/src/http/node-handler.ts'),
  ]);
  const endpoint = mcpEndpoint(() => {
    const server = new McpServer({ name: 'late', version: '1.0.0' });
    server.registerTool('long', {}, () => ({ content: [{ type: 'text', text: 'x'.repeat(1_000_000) }] }));
    return server;
  });
  const http = createServer(nodeHandler(endpoint));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(async () => {
    http.closeAllConnections();
    http.close();
    await endpoint.stop({ within: 0 });
  });
  const post = async (message: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    return { headers: answer.headers, text: await answer.text() };
  };
  const clientInfo = { name: 'client', version: '1.0.0' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const begun = await post({ id: 1, method: 'initialize', params });
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id')!, 'mcp-protocol-version': '2025-11-25' };
  await post({ method: 'notifications/initialized' }, session);
  const { text } = await post({ id: 2, method: 'tools/call', params: { name: 'long', arguments: {} } }, session);
  expect(JSON.parse(text)).toMatchObject({
    id: 2,
    result: { content: [{ text: expect.stringMatching(/^x{1000000}$/) }] },
  });
  expect(complained).not.toHaveBeenCalled();
});
