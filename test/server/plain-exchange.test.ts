/**
 * What packages/server/src/sdk-seam/plain-exchange.ts promises: calls over HTTP go to an endpoint of ours and to the SDK's own
 * handler, each with equal servers, and their responses are the same. And what of the SDK it stands on: that ours really pass it by.
 */
import { midcall } from '@midcall/server';
import { mcpEndpoint } from '@midcall/server/http';
import {
  createMcpHandler,
  type McpRequestContext,
  McpServer,
  PerRequestHTTPServerTransport,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

type Json = Record<string, unknown>;

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'host', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};
const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });

/** One server per request, and what is seen of it. */
function stage() {
  const mid = midcall({ warn: () => {}, suspectBelowMs: 0 });
  const errors: string[] = [];
  const transports: (unknown | undefined)[] = [];
  const ended: unknown[] = [];
  let begin = (): void => {};
  const begun = new Promise<void>(resolve => {
    begin = resolve;
  });
  let stop = (): void => {};
  const stopped = new Promise<void>(resolve => {
    stop = resolve;
  });
  const state = { made: 0, closed: 0 };
  const factory = (context: McpRequestContext) => {
    state.made += 1;
    if (context.requestInfo?.headers.get('x-broken')) throw new Error('no server for you');
    const server = new McpServer({ name: 's', version: '1' }, { capabilities: { logging: {} } });
    server.server.onclose = () => {
      state.closed += 1;
    };
    server.server.onerror = error => errors.push(error.message);
    const connect = server.connect.bind(server);
    server.connect = async transport => {
      if (context.requestInfo?.headers.get('x-unconnected')) throw new Error('not connected');
      transports.push(transport);
      await connect(transport);
    };
    mid.tool(server, 'echo', { inputSchema: z.object({ a: z.string() }) }, ({ a }) => text(a));
    mid.tool(server, 'ask', {}, async (_, call) => {
      const { action } = await call.elicit({ message: 'Sure?', form: Boolean });
      return text(action);
    });
    mid.tool(server, 'told', {}, (_, call) => {
      call.log('warning', { a: 1 });
      call.progress(1, { total: 2 });
      return text('told');
    });
    mid.tool(server, 'told_later', {}, async (_, call) => {
      call.progress(1);
      await new Promise(resolve => setImmediate(resolve));
      call.progress(2);
      throw new Error('broken');
    });
    mid.tool(server, 'stuck', {}, async (_, call) => {
      begin();
      await new Promise<void>(resolve => call.signal.addEventListener('abort', () => resolve()));
      ended.push((call.signal.reason as Error).message);
      stop();
      return text('never');
    });
    mid.tool(server, 'off', {}, () => text('off')).disable();
    mid.tool(server, 'scoped', {}, () => text('scoped')).update({ scopeChallenge: () => ({ scopes: ['write'] }) });
    mid.tool(
      server,
      'mirrored',
      { inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }) },
      ({ region }) => text(region),
    );
    mid.tool(server, 'who', {}, (_, call) => text(JSON.stringify(call.client)));
    server.registerTool('plain', {}, (ctx: ServerContext) => {
      const { clientCapabilities, clientInfo } = {
        clientCapabilities: server.server.getClientCapabilities(),
        clientInfo: server.server.getClientVersion(),
      };
      return text(JSON.stringify([clientCapabilities, clientInfo, ctx.http?.req?.method]));
    });
    return server;
  };
  return { factory, errors, transports, ended, begun, stopped, state };
}

type Stage = ReturnType<typeof stage>;
type Serve = (request: Request, given?: { authInfo?: never }) => Promise<Response>;

function ours() {
  const staged = stage();
  const onError = (error: Error): void => void staged.errors.push(error.message);
  const endpoint = mcpEndpoint(staged.factory, { onError });
  return { ...staged, fetch: endpoint.fetch as Serve, close: () => endpoint.close() };
}

function theirs() {
  const staged = stage();
  const onerror = (error: Error): void => void staged.errors.push(error.message);
  const handler = createMcpHandler(staged.factory, { legacy: 'reject', onerror });
  return { ...staged, fetch: handler.fetch as Serve, close: () => handler.close() };
}

const frame = (name: string, given: Json = {}, id: unknown = 1): Json => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, _meta: envelope, ...given },
});

const post = (body: Json, headers: Record<string, string | undefined> = {}, signal?: AbortSignal): Request => {
  const { method, params } = body as { method: string; params: { name: string } };
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    'mcp-name': params.name,
    ...headers,
  };
  const named = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers: named,
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
};

/** States are sealed with a nonce, and questions have random names. */
const comparable = (said: string): string =>
  said
    .replace(/"requestState":"[^"]+"/g, '"requestState":"…"')
    .replace(/"inputRequests":\{"[^"]+"/g, '"inputRequests":{"…"');

async function read(response: Response) {
  const { status, headers } = response;
  return { status, type: headers.get('content-type'), body: comparable(await response.text()) };
}

const isShort = ({ transports }: Stage): boolean =>
  transports.length > 0 && !(transports.at(-1) instanceof PerRequestHTTPServerTransport);

/** The endpoint knows the client from here on. */
async function met<S extends { readonly fetch: Serve; readonly transports: unknown[] }>(staged: S): Promise<S> {
  expect((await staged.fetch(post(frame('echo', { arguments: { a: 'first' } })))).status).toBe(200);
  return staged;
}

type Case = [title: string, isShort: boolean, body: Json, headers?: Record<string, string | undefined>];

const cases: readonly Case[] = [
  ['a plain call', true, frame('echo', { arguments: { a: 'é' } })],
  ['an id that is a text', true, frame('echo', { arguments: { a: 'a' } }, 'one')],
  ['arguments that do not fit', true, frame('echo', { arguments: { a: 1 } })],
  ['no arguments', true, frame('echo')],
  ['a question', true, frame('ask')],
  ['a state that is none', true, frame('ask', { requestState: 'made up' })],
  ['progress, logged and told', true, frame('told', { _meta: { ...envelope, progressToken: 7 } })],
  ['progress, then an error', true, frame('told_later', { _meta: { ...envelope, progressToken: 'p' } })],
  ['nobody who wants to be told', true, frame('told')],
  ['what a handler knows of its client', true, frame('who')],
  ['a tool of the SDK', false, frame('plain')],
  ['a tool that is disabled', false, frame('off')],
  ['a tool that does not exist', false, frame('none')],
  ['a tool named like a member of every object', false, frame('constructor')],
  ['a tool that wants a scope', false, frame('scoped')],
  [
    'a header that mirrors an argument, and fits',
    false,
    frame('mirrored', { arguments: { region: 'eu' } }),
    { 'mcp-param-region': 'eu' },
  ],
  [
    'a header that mirrors an argument, and does not',
    false,
    frame('mirrored', { arguments: { region: 'eu' } }),
    { 'mcp-param-region': 'us' },
  ],
  ['a name that is not that of the body', false, frame('echo'), { 'mcp-name': 'ask' }],
  ['a name that is encoded', false, frame('echo', { arguments: { a: 'b' } }), { 'mcp-name': '=?base64?ZWNobw==?=' }],
  ['no name', false, frame('echo'), { 'mcp-name': undefined }],
  ['another method', false, frame('echo'), { 'mcp-method': 'tools/list' }],
  ['no method', false, frame('echo'), { 'mcp-method': undefined }],
  ['another revision', false, frame('echo'), { 'mcp-protocol-version': '2027-01-01' }],
  ['no revision', false, frame('echo'), { 'mcp-protocol-version': undefined }],
  [
    'declarations that nobody has seen',
    false,
    frame('echo', { arguments: { a: 'a' }, _meta: { ...envelope, 'io.modelcontextprotocol/logLevel': 'warning' } }),
  ],
  [
    'declarations that are invalid',
    false,
    frame('echo', { _meta: { ...envelope, 'io.modelcontextprotocol/clientInfo': 1 } }),
  ],
  ['more than a call', false, { ...frame('echo'), more: 1 }],
  ['a factory that throws', false, frame('echo'), { 'x-broken': '1' }],
  ['a server that cannot be connected', true, frame('echo'), { 'x-unconnected': '1' }],
];

describe('exchange-X1: the endpoint answers as the handler of the SDK would', () => {
  it.each<Case>(cases)('for %s', async (...[, short, body, headers]: Case) => {
    const [own, sdk] = [await met(ours()), await met(theirs())];
    const before = { ...own.state };
    const [answered, expected] = [
      await read(await own.fetch(post(body, headers))),
      await read(await sdk.fetch(post(body, headers))),
    ];
    expect(answered).toEqual(expected);
    await new Promise(resolve => setImmediate(resolve));
    expect(own.errors).toEqual(sdk.errors);
    expect(own.state).toEqual(sdk.state);
    expect(own.state.made - before.made).toBeLessThanOrEqual(1);
    const connected = own.transports.length === 2;
    if (connected) expect(isShort(own)).toBe(short);
    else expect(short).toBe(headers?.['x-unconnected'] !== undefined);
    await Promise.all([own.close(), sdk.close()]);
  });
});

describe('exchange-X2: a call ends with its client and its endpoint', () => {
  it.each(['ours', 'theirs'] as const)('when the client goes, %s', async side => {
    const staged = await met(side === 'ours' ? ours() : theirs());
    const gone = new AbortController();
    const answering = staged.fetch(post(frame('stuck'), {}, gone.signal));
    await staged.begun;
    gone.abort();
    expect((await answering).status).toBe(499);
    await staged.stopped;
    expect(staged.ended).toEqual(['Connection closed']);
    expect(staged.state.closed).toBe(2);
    expect(isShort(staged)).toBe(side === 'ours');
    await staged.close();
  });

  it.each(['ours', 'theirs'] as const)('when the endpoint closes, %s', async side => {
    const staged = await met(side === 'ours' ? ours() : theirs());
    const answering = staged.fetch(post(frame('stuck')));
    await staged.begun;
    await staged.close();
    expect((await answering).status).toBe(499);
    await staged.stopped;
    expect(staged.ended).toEqual(['Connection closed']);
    expect(isShort(staged)).toBe(side === 'ours');
  });

  it('when the client was gone before it began', async () => {
    const staged = await met(ours());
    expect((await staged.fetch(post(frame('stuck'), {}, AbortSignal.abort()))).status).toBe(499);
    expect(staged.ended).toEqual([]);
    expect(staged.state.closed).toBe(2);
    await staged.close();
  });

  it('and a closed endpoint serves nobody', async () => {
    const staged = await met(ours());
    await staged.close();
    const { made } = staged.state;
    expect((await staged.fetch(post(frame('echo', { arguments: { a: 'late' } })))).status).toBe(500);
    expect(staged.state.made).toBe(made);
  });
});
