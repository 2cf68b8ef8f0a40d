/** Pages of other sites: what a browser needs to be told before it lets one call an endpoint, and who is told nothing. */
import { mcpEndpoint } from '@midcall/server/http';
import { serveHttp } from '@midcall/server/node';
import { eras } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';

const page = 'https://app.example';
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'page', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

function factory() {
  const server = new McpServer({ name: 'fixture', version: '1.0.0' });
  server.registerTool('hello', {}, () => ({ content: [{ type: 'text', text: 'hello' }] }));
  return server;
}

async function served(allowedOrigins: readonly string[]) {
  const serving = await serveHttp(factory, { allowedOrigins });
  onTestFinished(() => serving.stop({ within: 0 }));
  return serving.url;
}

const post = (url: URL, origin: string, body: object, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', headers: { ...json, origin, ...headers }, body: JSON.stringify(body) });
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'page', version: '1' } },
};
const corsIn = ({ headers }: Response) => [...headers.keys()].filter(name => name.startsWith('access-control-')).sort();

describe('a page of an origin that is named', () => {
  it('a page of an origin that is named is told in advance what it may send', async () => {
    const url = await served(['app.example']);
    const asked = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin: page,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,mcp-param-city',
        'access-control-request-private-network': 'true',
      },
    });
    expect(asked.status).toBe(204);
    expect(Object.fromEntries(asked.headers)).toMatchObject({
      'access-control-allow-origin': page,
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers': 'content-type,mcp-param-city',
      'access-control-allow-private-network': 'true',
      vary: 'origin',
    });
  });

  it.each(eras)(
    'a page of an origin that is named may read the answers, whole and as a stream, and why there is none: %s',
    async era => {
      const url = await served(['app.example']);
      const first = era === '2025-11-25' ? await post(url, page, initialize) : undefined;
      const session = first?.headers.get('mcp-session-id');
      const headers: Record<string, string> =
        typeof session === 'string'
          ? { 'mcp-session-id': session, 'mcp-protocol-version': era }
          : { 'mcp-protocol-version': era, 'mcp-method': 'tools/call', 'mcp-name': 'hello' };
      const params = { name: 'hello', arguments: {}, ...(session ? {} : { _meta: envelope }) };
      const call = await post(url, page, { jsonrpc: '2.0', id: 2, method: 'tools/call', params }, headers);
      const refused = await post(url, page, { jsonrpc: '2.0', id: 3, method: 'tools/list' }, { 'mcp-session-id': 'x' });
      expect(await call.text()).toContain('hello');
      expect(refused.status).toBe(404);
      for (const each of [...(first ? [first] : []), call, refused]) {
        expect(each.headers.get('access-control-allow-origin')).toBe(page);
        expect(each.headers.get('access-control-expose-headers')).toContain('mcp-session-id');
        expect(each.headers.get('vary')).toContain('origin');
      }
      await Promise.all([first, refused].map(each => each?.body?.cancel()));
    },
  );
});

describe('cors-C1: nobody else is told anything', () => {
  it.each([
    ['a page of this machine', 'http://localhost:9999', 200],
    ['a page of another site', 'https://evil.example', 403],
    ['a page of no site', 'null', 403],
    ['a page of a site below', 'https://evil.app.example', 403],
  ])('%s is sent no headers of CORS', async (_, origin, status) => {
    const url = await served(['app.example']);
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    const answer = await post(url, origin, initialize);
    await Promise.all([preflight, answer].map(each => each.body?.cancel()));
    expect([preflight.status, answer.status]).toEqual([status === 200 ? 405 : 403, status]);
    expect([...corsIn(preflight), ...corsIn(answer)]).toEqual([]);
  });

  it('a page that is named is sent no headers of CORS beside the endpoint', async () => {
    const endpoint = mcpEndpoint(factory, { allowedOrigins: ['app.example'], elsewhere: () => new Response('beside') });
    onTestFinished(() => endpoint.stop({ within: 0 }));
    const answer = await endpoint.fetch(new Request('http://localhost/other', { headers: { origin: page } }));
    expect(await answer.text()).toBe('beside');
    expect(corsIn(answer)).toEqual([]);
  });
});
