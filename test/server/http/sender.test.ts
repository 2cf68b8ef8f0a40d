/** What an author's `authenticate`, `owner` and `principal` may say; whatever else they say, nothing is served. */
import { isMidcallError } from '@midcall/core/errors';
import { midcall } from '@midcall/server';
import { type HttpOptions, mcpEndpoint } from '@midcall/server/http';
import { memoryStore } from '@midcall/server/stores/memory';
import { type Era, eras } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { readSender } from '../../../packages/server/src/http/sender.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of open.splice(0).reverse()) await end();
});

const version = '2026-07-28';
const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const told = (capabilities: object) => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});

function serve(http: HttpOptions, options: Parameters<typeof midcall>[0] = {}) {
  const errors: unknown[] = [];
  const ran: string[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const mid = midcall({ warn: () => {}, onError, ...options });
  const endpoint = mcpEndpoint(
    () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', { task: 'when-needed' }, async () => {
        ran.push('act');
        return 'done';
      });
      return server;
    },
    { onError, ...http },
  );
  open.push(() => endpoint.stop({ within: 0 }));
  const post = (message: object, headers: Record<string, string>) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message });
    const accept = 'application/json, text/event-stream';
    const all = { 'content-type': 'application/json', accept, ...headers };
    return endpoint.fetch(new Request('http://localhost/mcp', { method: 'POST', headers: all, body }));
  };
  const send = (method: string, params: Record<string, unknown>, capabilities: object = {}) => {
    const named = String(params['name'] ?? params['taskId'] ?? '');
    const headers = { 'mcp-protocol-version': version, 'mcp-method': method, ...(named && { 'mcp-name': named }) };
    return post({ method, params: { ...params, _meta: told(capabilities) } }, headers);
  };
  /** The first request of a client in that era. */
  const first = (era: Era) => {
    if (era === version) return send('tools/call', { name: 'act', arguments: {} });
    const clientInfo = { name: 'test', version: '1.0.0' };
    return post({ method: 'initialize', params: { protocolVersion: era, capabilities: {}, clientInfo } }, {});
  };
  return { first, send, errors, ran };
}

const somebody = { token: 'a token', clientId: 'app', scopes: [] };

describe.each(eras)('%s', era => {
  it.each<[string, unknown]>([
    ['false', false],
    ['true', true],
    ['0', 0],
    ['an empty text', ''],
    ['a text', 'alice'],
    ['{}', {}],
    ['a token without its client', { token: 'a token' }],
    ['a client without its token', { clientId: 'app' }],
    ['a token of the client ""', { ...somebody, clientId: '' }],
  ])('an endpoint serves nobody where authenticate returns %s, and says why to the operator', async (_, said) => {
    const { first, errors, ran } = serve({ authenticate: async () => said as never });
    const response = await first(era);
    expect(response.status).toBe(500);
    expect(response.headers.has('mcp-session-id')).toBe(false);
    expect(await response.text()).not.toContain('authenticate');
    expect(String(errors[0])).toContain('authenticate must return the verified token');
    expect(ran).toEqual([]);
  });

  it('an endpoint refuses as authenticate does, whichever copy of the class Response it uses', async () => {
    const headers = new Headers({ 'www-authenticate': 'Bearer' });
    const foreign = { status: 401, headers, body: new Response('no').body };
    const { first, ran } = serve({ authenticate: async () => foreign as never });
    const response = await first(era);
    expect([response.status, response.headers.get('www-authenticate'), await response.text()]).toEqual([
      401,
      'Bearer',
      'no',
    ]);
    expect(ran).toEqual([]);
  });

  it.each([undefined, null, '', 7])('an endpoint serves nobody whose owner is %j', async named => {
    const { first, errors, ran } = serve({ authenticate: async () => somebody, owner: () => named as never });
    expect((await first(era)).status).toBe(500);
    expect(String(errors[0])).toContain('owner must return');
    expect(ran).toEqual([]);
  });

  it('an endpoint serves anybody where authenticate returns nothing, and a sender with a token', async () => {
    for (const said of [undefined, somebody]) {
      const { first } = serve({ authenticate: async () => said });
      expect((await first(era)).status).toBe(200);
    }
  });
});

it('readSender passes the response of authenticate on as it is', () => {
  const refused = new Response('', { status: 401 });
  expect(readSender(refused)).toBe(refused);
});

describe('the option principal', () => {
  const store = () => memoryStore();
  const calls = [
    ['a call', 'tools/call', { name: 'act', arguments: {} }, {}],
    ['a call that may become a task', 'tools/call', { name: 'act', arguments: {} }, tasks],
    ['a task', 'tasks/get', { taskId: 'x' }, tasks],
  ] as const;

  it.each(calls)(
    '%s is served only for a person with an issuer and a subject, whatever principal returns',
    async (_, method, params, can) => {
      const nobodies = [
        'alice',
        {},
        { issuer: 'i' },
        { issuer: 'i', subject: undefined },
        { issuer: '', subject: 'a' },
      ];
      for (const said of [...nobodies, { iss: 'i', sub: 'a' }, { issuer: 'i', subject: 7 }, false, 0]) {
        const { send, ran, errors } = serve({}, { store: store(), principal: () => said as never });
        const answered = await (await send(method, params, can)).text();
        expect(answered, JSON.stringify(said)).toContain('must return { issuer, subject }');
        expect(ran).toEqual([]);
        expect(isMidcallError(errors[0], 'server/setup')).toBe(true);
      }
    },
  );

  it.each(calls)(
    '%s is refused where principal fails: the operator is told why, and the client only that it does',
    async (_, method, params, can) => {
      const failure = new Error('jwt of s3cr3t');
      const { send, ran, errors } = serve({}, { store: store(), principal: () => Promise.reject(failure) });
      const answered = await (await send(method, params, can)).text();
      expect(answered).toContain('could not tell who sent this');
      expect(answered).not.toContain('s3cr3t');
      expect(ran).toEqual([]);
      expect((errors[0] as Error).cause).toBe(failure);
    },
  );
});
