/** What an endpoint tells its operator's log of requests that were refused: one line each, whatever a client put into them. */
import { mcpEndpoint } from '@midcall/server/http';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import { visibleErrors } from '../../../packages/server/src/http/endpoint.ts';

const forged = `x\n2026-11-23 INFO all is well\u001B[2J\u009B31m${'y'.repeat(5_000)}`;

it('a client writes no lines of its own into the log of the operator, and controls no terminal', async () => {
  const told: string[] = [];
  const endpoint = mcpEndpoint(() => new McpServer({ name: 'fixture', version: '1.0.0' }), {
    onError: error => void told.push(error.message),
  });
  onTestFinished(() => endpoint.stop({ within: 0 }));
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await endpoint.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'another',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: forged, _meta } }),
    }),
  );
  expect(response.status).toBe(400);
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('x⟦U+000A⟧2026-11-23 INFO all is well⟦U+001B⟧[2J⟦U+009B⟧31m');
  expect(told[0]!.length).toBeLessThan(1_200);
});

it('a client that leaves before its body has arrived writes nothing into it, and an operator who has read the body before does', async () => {
  const told: string[] = [];
  const endpoint = mcpEndpoint(() => new McpServer({ name: 'fixture', version: '1.0.0' }), {
    onError: error => void told.push(error.message),
  });
  onTestFinished(() => endpoint.stop({ within: 0 }));
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  for (const length of [{ 'content-length': '40' }, {}]) {
    const body = new ReadableStream({ pull: stream => stream.error(new Error('aborted')) });
    const half = { method: 'POST', headers: { ...headers, ...length }, body, duplex: 'half' };
    const response = await endpoint.fetch(new Request('http://localhost/mcp', half as RequestInit));
    expect([response.status, told]).toEqual([400, []]);
  }
  const whole = new Request('http://localhost/mcp', { method: 'POST', headers, body: '{}' });
  await whole.text();
  expect((await endpoint.fetch(whole)).status).toBe(500);
  expect(told).toHaveLength(1);
});

it('onError keeps an error whose message is fine, and names one that is not as the cause', () => {
  const told: Error[] = [];
  const tell = visibleErrors(error => void told.push(error));
  const [fine, odd] = [new TypeError('fine'), new TypeError('odd\u0000')];
  tell(fine);
  tell(odd);
  expect(told[0]).toBe(fine);
  expect(told[1]).toMatchObject({ message: 'odd⟦U+0000⟧', cause: odd });
});
