/**
 * Bodies that are almost messages, sent to an endpoint as bytes: each is answered, to its end, with a status that says whose
 * mistake it is; and the endpoint holds nothing afterwards.
 */
import { McpServer } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { expect } from 'vitest';
import { z } from 'zod';
import { countedEndpoint, post, sendRaw } from './http/raw-http.ts';

function factory() {
  const server = new McpServer({ name: 'fixture', version: '1.0.0' });
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  return server;
}

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const revision = fc.constantFrom(
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
  '2099-01-01',
  '',
);
const id = fc.oneof(fc.nat(5), fc.constantFrom('a', ''), fc.jsonValue());
const method = fc.constantFrom(
  'initialize',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'ping',
  'server/discover',
  'tools/list',
  'tools/call',
  'resources/read',
  'completion/complete',
  'elicitation/create',
  '__proto__',
  '',
);
const params = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      protocolVersion: fc.oneof(revision, fc.jsonValue()),
      capabilities: fc.oneof(fc.constant({}), fc.jsonValue()),
      clientInfo: fc.oneof(fc.constant({ name: 'fuzz', version: '1' }), fc.jsonValue()),
      name: fc.constantFrom('echo', 'toString', ''),
      arguments: fc.oneof(fc.record({ text: fc.string() }), fc.jsonValue()),
      requestId: id,
      inputResponses: fc.jsonValue(),
      requestState: fc.oneof(fc.string(), fc.jsonValue()),
      _meta: fc.oneof(fc.constant(envelope), fc.dictionary(fc.constantFrom(...Object.keys(envelope)), fc.jsonValue())),
    },
    { requiredKeys: [] },
  ),
);
const message = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 8, arbitrary: fc.constant('2.0') }, { weight: 1, arbitrary: fc.jsonValue() }),
    id,
    method: fc.oneof({ weight: 8, arbitrary: method }, { weight: 1, arbitrary: fc.jsonValue() }),
    params,
    result: fc.jsonValue(),
    error: fc.oneof(fc.constant({ code: -1, message: 'no' }), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const request = fc.record({ jsonrpc: fc.constant('2.0'), id: fc.nat(5), method, params });
const value = fc.oneof(
  request,
  message,
  fc.array(fc.oneof(request, message, fc.jsonValue()), { maxLength: 4 }),
  fc.jsonValue(),
);
/** What a broken sender makes of a text. */
const damage = fc.oneof(
  { weight: 6, arbitrary: fc.constant((text: string) => text) },
  { weight: 1, arbitrary: fc.nat().map(at => (text: string) => text.slice(0, at % (text.length + 1))) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(), fc.string()).map(([at, more]) => (text: string) => {
      const cut = at % (text.length + 1);
      return text.slice(0, cut) + more + text.slice(cut);
    }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('[', '{"a":', '[]', '"\\'), fc.integer({ min: 1, max: 5_000 })).map(
      ([piece, times]) =>
        (text: string) =>
          piece.repeat(times) + text,
    ),
  },
);
const body = fc.tuple(value, damage).map(([given, broken]) => broken(JSON.stringify(given)));
const headers = fc.record(
  {
    'mcp-protocol-version': revision,
    'mcp-method': method,
    'mcp-name': fc.constantFrom('echo', '=?base64?!?=', ''),
    'mcp-session-id': fc.constantFrom('own', 'none', ''),
    accept: fc.constantFrom('application/json', '*/*', ''),
    'content-type': fc.constantFrom('application/json; charset=utf-7', 'text/plain', ''),
  },
  { requiredKeys: [] },
);

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } },
});

/** Sends so many bodies, some of them to a session of a revision that has batches. */
export async function fuzzBodies(runs: number): Promise<void> {
  await using on = await countedEndpoint(factory);
  const open = async () => /mcp-session-id: (\S+)/.exec((await sendRaw(on.port, post(initialize))).head)![1]!;
  const session = await open();
  await fc.assert(
    fc.asyncProperty(body, headers, async (text, given) => {
      const sent = given['mcp-session-id'] === 'own' ? { ...given, 'mcp-session-id': session } : given;
      const answer = await sendRaw(on.port, post(text, sent));
      expect(answer.status).toBeGreaterThanOrEqual(200);
      expect(answer.status).toBeLessThan(500);
      if (answer.status >= 400)
        expect(JSON.parse(answer.body)).toMatchObject({ error: { message: expect.any(String) } });
    }),
    { numRuns: runs },
  );
  await on.closed();
  const alive = await sendRaw(
    on.port,
    post('{"jsonrpc":"2.0","id":"last","method":"ping"}', { 'mcp-session-id': session }),
  );
  expect(alive.body).toContain('"id":"last"');
  expect(on.endpoint.sessions).toBeLessThanOrEqual(1_000);
}
