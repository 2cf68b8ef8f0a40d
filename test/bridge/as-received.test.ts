/** Forms that reach the host as the upstream server sent them, with what no form of ours would have. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { interceptTransport } from '@midcall/core/sdk-seam';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pairs, stage } from './stage.ts';

const refused = 'a form that no author may write';

type Json = Readonly<Record<string, unknown>>;

const name = { type: 'string', title: 'Name', pattern: '^[a-z]+$', 'x-own': { of: 'the server' } };
const form = (more: Json = {}, params: Json = {}): Json => ({
  mode: 'form',
  message: 'Who?',
  requestedSchema: { type: 'object', properties: { name }, required: ['name'], ...more },
  ...params,
});

/** A server of either revision that asks one form, and says what it is answered. */
async function asking(era: string, params: Json): Promise<string> {
  let answered: ((result: unknown) => void) | undefined;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', chunk => (body += chunk));
    request.on('end', () => {
      const { id, method, params: sent, result } = (body === '' ? {} : JSON.parse(body)) as Json & { params: Json };
      const say = (said: Json): void =>
        void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...said } }));
      const about = { capabilities: { tools: {} }, serverInfo: { name: 'asks', version: '1' } };
      const done = (got: unknown): Json => ({ content: [{ type: 'text', text: JSON.stringify(got) }] });
      if (method === undefined && id === 'q') {
        response.writeHead(202).end();
        return answered?.(result);
      }
      if (request.method !== 'POST') return void response.writeHead(405).end();
      if (id === undefined) return void response.writeHead(202).end();
      if (method === 'initialize') return say({ protocolVersion: '2025-11-25', ...about });
      if (method === 'server/discover') {
        if (era === '2025-11-25') return void response.writeHead(400).end();
        const { serverInfo, ...rest } = about;
        const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
        return say({ supportedVersions: [era], ...rest, ttlMs: 0, cacheScope: 'private', _meta });
      }
      if (method !== 'tools/call') return say({ tools: [{ name: 'ask', inputSchema: { type: 'object' } }] });
      if (era !== '2025-11-25') {
        const responses = sent['inputResponses'] as Json | undefined;
        if (responses) return say(done(responses['q']));
        const inputRequests = { q: { method: 'elicitation/create', params } };
        return say({ resultType: 'input_required', inputRequests, requestState: 's' });
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params })}\n\n`);
      answered = got => response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: done(got) })}\n\n`);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

describe.each(pairs)('a host of %s before a server of %s', (host, upstream) => {
  it.each<[string, Json]>([
    ['a long message', form({}, { message: 'x'.repeat(5_000) })],
    ['an empty message', form({}, { message: '' })],
    ['a pattern, a title of the form and unknown keywords', form({ title: 'About you', 'x-form': 1 })],
    [refused, form({ properties: { name, at: { type: 'object', properties: {} } } })],
    ['what is in _meta', form({}, { _meta: { 'org.example/consent': 'remembered' } })],
  ])('is asked with %s, unchanged, and its answer too', async (what, params) => {
    const answer = { action: 'accept', content: { name: 'ada' }, _meta: { 'org.example/remember': true } };
    const url = await asking(upstream, params);
    await using on = await stage({ host, upstream, url, answers: [answer as never] });
    const asked: unknown[] = [];
    interceptTransport(on.client.transport!, {
      incoming: (message, deliver) => {
        const { method, params: sent, result: round } = message as Record<string, Json | string | undefined>;
        const requests = Object.values(((round as Json | undefined)?.['inputRequests'] ?? {}) as Record<string, Json>);
        if (method === 'elicitation/create') asked.push(sent);
        else asked.push(...requests.map(request => request['params']));
        deliver(message);
      },
    });
    // The SDK's own client refuses some of these, which is its business.
    const calling = on.client.callTool({ name: 'ask', arguments: {} });
    const result = await (what === refused ? calling.catch(() => undefined) : calling);
    expect(asked[0]).toEqual(params);
    if (what === refused || !result) return;
    expect(on.opened).toEqual([]);
    const text = (result.content as readonly { readonly text: string }[])[0]!.text;
    const { _meta, ...rest } = answer;
    // The SDK takes the `_meta` out of answers of 2026-07-28, on either side.
    const isWhole = host === '2025-11-25' && upstream === '2025-11-25';
    expect(JSON.parse(text)).toEqual(isWhole ? { ...rest, _meta } : rest);
  });
});
