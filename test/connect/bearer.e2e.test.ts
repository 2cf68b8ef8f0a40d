/** Tokens that clients present to an MCP endpoint, from a real authorization server: asked about, and signed. */

import type { Midcall } from '@midcall/server';
import { type Bearer, bearer, type Provider, provider } from '@midcall/server/connect';
import { memoryStore } from '@midcall/server/stores/memory';
import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from '../../examples/import/authorization-server.ts';
import { randomToken } from '../../packages/server/src/connect/oauth/flows.ts';
import { documentedHttp } from './documented-http.ts';
import { Browser } from './sign-in-flow.ts';

const clientSecret = 'client-secret-canary-0123456789';
const resource = new URL('https://notes.example/mcp');

describe.each(['opaque', 'jwt'] as const)('%s tokens', tokens => {
  let server: AuthorizationServer;
  let host: Provider;
  let guard: Bearer;
  let time = Date.now();

  const providerFor = (more: object = {}) =>
    provider({
      id: 'login',
      issuer: server.issuer,
      clientId: tokens === 'opaque' ? 'notes' : 'public',
      ...(tokens === 'opaque' && { clientSecret }),
      clock: { now: () => time },
      ...more,
    });

  /** A token as a host gets one for a service. */
  async function token(audience: string, scopes = ['notes']): Promise<string> {
    const asked = { state: randomToken(), verifier: randomToken(), scopes };
    const redirectUri = 'http://127.0.0.1:9/callback';
    const asking = providerFor({ clientId: 'public', clientSecret: undefined, resource: audience });
    const url = await asking.client.authorizationUrl({ ...asked, redirectUri });
    const { url: callback } = await new Browser().follow(url, redirectUri);
    return (await asking.client.exchange(callback, asked)).tokens.accessToken;
  }

  const present = (authorization?: string, by = guard) =>
    by.authenticate(new Request(resource, { ...(authorization && { headers: { authorization } }) }));
  const refusal = async (answer: Promise<unknown>) => {
    const response = (await answer) as Response;
    return [response.status, response.headers.get('www-authenticate') ?? '', await response.text()] as const;
  };

  beforeAll(async () => {
    const client = { application_type: 'native', redirect_uris: ['http://127.0.0.1/callback'] };
    server = await startAuthorizationServer({
      clients: [
        { ...client, client_id: 'notes', client_secret: clientSecret },
        { ...client, client_id: 'public', token_endpoint_auth_method: 'none' },
      ],
      scopes: ['notes', 'more'],
      person: 'alice',
      tokens,
    });
    host = providerFor();
    guard = bearer(host, { resource, scopes: ['notes'] });
  });
  afterAll(() => server?.close());

  it('a token that is meant for this endpoint says whose call it is', async () => {
    const auth = await present(`Bearer ${await token(resource.href)}`);
    expect(auth).toMatchObject({ clientId: 'public', scopes: ['notes'], extra: { iss: server.issuer, sub: 'alice' } });
    const ctx = { http: { authInfo: auth } } as unknown as ServerContext;
    expect(guard.principal(ctx)).toEqual({ issuer: server.issuer, subject: 'alice' });
    expect(guard.principal({} as ServerContext)).toBeUndefined();
  });

  it('a request without a token is refused, and told where to get one (RFC 9728)', async () => {
    const [status, challenge] = await refusal(present());
    expect(status).toBe(401);
    const address = /resource_metadata="([^"]+)"/u.exec(challenge)?.[1] ?? '';
    expect(address).toBe('https://notes.example/.well-known/oauth-protected-resource/mcp');
    const document = guard.metadata(new Request(address));
    expect(await document?.json()).toEqual({
      resource: resource.href,
      authorization_servers: [server.issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: ['notes'],
    });
    expect(guard.metadata(new Request(address, { method: 'POST' }))?.status).toBe(405);
    expect(guard.metadata(new Request(resource))).toBeUndefined();
  });

  it('bearer-B1: a token that was given to another service is refused', async () => {
    const [status, challenge] = await refusal(present(`Bearer ${await token('https://other.example/mcp')}`));
    expect([status, challenge]).toEqual([401, expect.stringContaining('invalid_token')]);
  });

  it('invented, damaged and expired tokens are refused, and nothing of them is said', async () => {
    const good = await token(resource.href);
    const damaged = `${good.slice(0, -4)}${good.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
    const [head, body] = good.split('.');
    const malformed = ['@@@canary', 'canary=', 'a', 'canary+/', ''].map(signature => `${head}.${body}.${signature}`);
    const noObject = ['bnVsbA', 'WzFd'].map(part => `${part}.${body}.canary`);
    for (const each of ['canary', 'canary.canary.canary', damaged, ...malformed, ...noObject]) {
      const [status, challenge, body] = await refusal(present(`Bearer ${each}`));
      expect([status, `${challenge}${body}`.includes(each)]).toEqual([401, false]);
    }
    time += 7_200_000;
    const real = Date.now;
    Date.now = () => real() + 7_200_000;
    try {
      expect((await refusal(present(`Bearer ${good}`)))[0]).toBe(401);
    } finally {
      Date.now = real;
      time = Date.now();
    }
  });

  if (tokens === 'opaque')
    it('a token that introspection does not call an access token of this moment is refused', async () => {
      const seconds = Math.floor(time / 1_000);
      const described = { active: true, sub: 'alice', client_id: 'public', scope: 'notes', aud: resource.href };
      const answers: [object, boolean][] = [
        [{ token_type: 'Bearer' }, true],
        [{ token_type: 'bearer', nbf: seconds - 60 }, true],
        [{ token_type: 'Bearer', nbf: seconds + 3_600 }, false],
        [{ token_type: 'Bearer', nbf: 'tomorrow' }, false],
        [{ token_type: 'refresh_token' }, false],
        [{ token_type: 'DPoP' }, false],
        [{}, true],
        [{ token_type: null }, true],
        [{ token_type: 7 }, false],
        // As a refresh token is described by the server of this test.
        [{ aud: undefined }, false],
      ];
      for (const [answer, isAccepted] of answers) {
        server.state.intercept = (req, res) => {
          if (!req.url?.includes('introspection')) return false;
          const body = JSON.stringify({ ...described, exp: seconds + 3_600, ...answer });
          res.writeHead(200, { 'content-type': 'application/json' }).end(body);
          return true;
        };
        const presented = await present('Bearer a-token');
        expect([answer, presented instanceof Response ? presented.status : 200]).toEqual([
          answer,
          isAccepted ? 200 : 401,
        ]);
      }
      server.state.intercept = undefined;
    });

  it('a token without the scope that is needed is told so', async () => {
    const [status, challenge] = await refusal(present(`Bearer ${await token(resource.href, ['more'])}`));
    expect([status, challenge]).toEqual([403, expect.stringContaining('insufficient_scope')]);
  });

  it('a bearer guards the endpoint that docs/connect.md shows, with its pages beside it', async () => {
    const key = new Uint8Array(32).map((_, index) => index * 5);
    const factoryOf = (mid: Midcall) => () => mid.wrap(new McpServer({ name: 'weather', version: '1.0.0' }));
    const { serving, pages } = await documentedHttp(host, { store: memoryStore(), key }, factoryOf);
    const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    expect((await fetch(serving.url, asked)).status).toBe(401);
    expect((await fetch(new URL('/connect/nothing', serving.url))).status).toBe(404);
    const known = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', serving.url));
    expect(await known.json()).toMatchObject({ resource: 'https://weather.example.com/mcp' });
    await serving.stop({ within: 0 });
    await pages.close();
  });

  it('nobody gets in where the server of tokens cannot be asked', async () => {
    const good = await token(resource.href);
    const away = bearer(providerFor(), { resource });
    server.state.intercept = (_req, res) => {
      res.writeHead(503).end('canary');
      return true;
    };
    const [status, , body] = await refusal(present(`Bearer ${good}`, away));
    server.state.intercept = undefined;
    expect(status).toBe(500);
    expect(body).not.toContain('canary');
  });
});
