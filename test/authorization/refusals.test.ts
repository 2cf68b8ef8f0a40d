/** What a server, or whoever poses as its authorization server, cannot make a host do. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type GrantVault, memoryVault } from '@midcall/host';
import { eras } from '@midcall/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Authorizer } from '../../packages/host/src/authorization/authorizer.ts';
import { discover, judgeEndpoint } from '../../packages/host/src/authorization/discovery.ts';
import { registeredClient } from '../../packages/host/src/authorization/registration.ts';
import { refreshed, revoked } from '../../packages/host/src/authorization/renewal.ts';
import { isFresh, withTokens } from '../../packages/host/src/authorization/vault.ts';
import { Browser } from '../connect/sign-in-flow.ts';
import { grown } from '../fixtures/grown.ts';
import { handClock } from '../host/clock.ts';
import { type AtSignIn, guarded, hostOf, signsIn } from './stage.ts';

/** Follows the sign-in up to the callback, and changes that. */
const comesBackWith =
  (change: (callback: URL) => void, seen: string[] = []): AtSignIn =>
  async ({ url }) => {
    const { url: callback } = await new Browser().follow(url.href, redirectUriOf(url.href));
    change(callback);
    const response = await fetch(callback, { redirect: 'manual' });
    seen.push(`${response.status} ${await response.text()}`);
  };

const redirectUriOf = (page: string): string => new URL(page).searchParams.get('redirect_uri')!;

/** A server that answers everything with a redirect to somewhere else, or as it is told. */
async function elsewhere(answer: (path: string) => object | undefined = () => undefined) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const body = answer(request.url ?? '');
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

describe.each(eras)('a host that signs in, on %s', era => {
  it('a host refuses an answer that names another issuer (RFC 9207), and says so on the page and in the error', async () => {
    const { url, granted } = await guarded();
    const seen: string[] = [];
    const person = comesBackWith(callback => callback.searchParams.set('iss', 'https://evil.example'), seen);
    const host = hostOf(url, { era, vault: memoryVault(), person });
    const refusal = await host.refusal();
    expect(refusal).toContain('the answer does not say that it comes from this authorization server (iss, RFC 9207)');
    expect(refusal).not.toContain('evil');
    await grown(seen, list => list.length > 0);
    expect(seen).toEqual([expect.stringMatching(/^400 .*You are not signed in/s)]);
    expect(granted).toEqual([]);
  });

  it('a host takes no notice of an answer with another state, and goes on waiting for its own', async () => {
    const { url } = await guarded();
    const seen: string[] = [];
    const person: AtSignIn = async (question, inbox) => {
      await comesBackWith(callback => callback.searchParams.set('state', 'not-the-state'), seen)(question, inbox);
      await comesBackWith(callback => callback.searchParams.append('state', 'twice'), seen)(question, inbox);
      expect(inbox.list()).toHaveLength(1);
      await signsIn(question, inbox);
    };
    const host = hostOf(url, { era, vault: memoryVault(), person });
    await host.connection.start();
    expect(await host.call('whoami')).toBe('alice');
    expect(seen).toEqual([
      expect.stringMatching(/^400 .*Not this sign-in/s),
      expect.stringMatching(/^400 .*Not this sign-in/s),
    ]);
  });

  it('a host that signs in says what the authorization server said where the person refused there', async () => {
    const { url } = await guarded();
    const person = comesBackWith(callback => {
      callback.searchParams.delete('code');
      callback.searchParams.set('error', 'access_denied');
      callback.searchParams.set('error_description', 'No, \u202ethanks');
    });
    const host = hostOf(url, { era, vault: memoryVault(), person });
    expect(await host.refusal()).toMatch(/the authorization server says access_denied: “No, .*thanks”/);
  });

  it('a host refuses a server that asks for a token meant for another one', async () => {
    const { url } = await guarded({ metadata: own => ({ ...own, resource: 'https://bank.example/mcp' }) });
    const host = hostOf(url, { era, vault: memoryVault() });
    expect(await host.refusal()).toMatch(
      /asks for a token that is meant for https:\/\/bank\.example\/mcp\. One for http/,
    );
    expect(host.asked).toEqual([]);
  });

  it('a host refuses metadata of another issuer, before anything is sent to its endpoints', async () => {
    const posing = await elsewhere(path =>
      path.startsWith('/.well-known/')
        ? {
            issuer: 'https://login.example',
            authorization_endpoint: 'https://login.example/authorize',
            token_endpoint: 'https://login.example/token',
            response_types_supported: ['code'],
            code_challenge_methods_supported: ['S256'],
          }
        : undefined,
    );
    const { url } = await guarded({ metadata: own => ({ ...own, authorization_servers: [posing.origin] }) });
    const host = hostOf(url, { era, vault: memoryVault() });
    expect(await host.refusal()).toContain('is that of another issuer, https://login.example. It is refused');
    expect([host.asked, posing.asked.filter(each => !each.includes('.well-known'))]).toEqual([[], []]);
  });

  it('a host refuses an authorization server on another origin where a client secret would go there', async () => {
    const { url, logins, granted, clientSecret } = await guarded();
    const auth = { flow: 'client-credentials', clientId: 'robot', clientSecret } as const;
    const unnamed = hostOf(url, { era, vault: memoryVault(), auth });
    expect(await unnamed.refusal()).toContain(
      `wants the client secret sent to ${logins.issuer}, which is on another origin. If that is where the secret belongs, name it as 'issuer'`,
    );
    const other = hostOf(url, { era, vault: memoryVault(), auth: { ...auth, issuer: 'https://login.example' } });
    expect(await other.refusal()).toContain('Its entry allows https://login.example alone');
    expect(granted).toEqual([]);
  });

  it('a host refuses an authorization server that is not the one its entry names, with nobody asked', async () => {
    const { url } = await guarded();
    const host = hostOf(url, { era, vault: memoryVault(), auth: { issuer: 'https://login.example' } });
    expect(await host.refusal()).toMatch(/wants a sign-in at http.* Its entry allows https:\/\/login\.example alone/);
    expect(host.asked).toEqual([]);
  });

  it('a host that signs in does not follow a token endpoint that redirects to another origin: the code stays here', async () => {
    const { url, logins } = await guarded();
    const thief = await elsewhere();
    logins.state.intercept = (request, response) => {
      if (request.url !== '/token') return false;
      response.writeHead(307, { location: `${thief.origin}/token` }).end();
      return true;
    };
    const host = hostOf(url, { era, vault: memoryVault() });
    expect(await host.refusal()).toContain('the authorization server sent an answer that OAuth does not allow');
    expect(thief.asked).toEqual([]);
  });

  it('a host that signs in does not repeat what an authorization server says that is no OAuth error', async () => {
    const { url, logins } = await guarded();
    logins.state.intercept = (request, response) => {
      if (request.url !== '/token') return false;
      response.writeHead(500).end('stack trace with canary-8d1f in it');
      return true;
    };
    const host = hostOf(url, { era, vault: memoryVault() });
    const refusal = await host.refusal();
    expect(refusal).toContain('sent an answer that OAuth does not allow');
    expect(refusal).not.toContain('canary-8d1f');
  });

  it('a host refuses metadata on another origin than the server, which is not asked', async () => {
    const other = await elsewhere();
    const { url } = await guarded({
      intercept: () =>
        new Response(null, {
          status: 401,
          headers: { 'www-authenticate': `Bearer resource_metadata="${other.origin}/metadata"` },
        }),
    });
    const host = hostOf(url, { era, vault: memoryVault() });
    expect(await host.refusal()).toContain('says that its metadata is on another origin');
    expect(other.asked).toEqual([]);
  });

  it('a host gives up where the server refuses a token that it was just given', async () => {
    let refuses = false;
    const { url, granted } = await guarded({
      intercept: () => (refuses ? new Response(null, { status: 401 }) : undefined),
    });
    const host = hostOf(url, { era, vault: memoryVault() });
    await host.connection.start();
    refuses = true;
    expect(await host.call('whoami')).toMatch(/^abandoned: The server refuses the token that it was just given/);
    expect(granted.filter(each => each === 'authorization_code').length).toBeLessThanOrEqual(2);
  });

  it('a host forgets a registration whose sign-in came to nothing, so that the next one registers anew', async () => {
    const { url } = await guarded();
    const vault = memoryVault();
    const declines: AtSignIn = ({ id }, inbox) => inbox.reply(id, { action: 'decline' }, 'test');
    const ids: string[] = [];
    for (const _ of [1, 2, 3]) {
      const host = hostOf(url, { era, vault, person: declines });
      await host.refusal();
      ids.push(new URL(host.asked[0]!.url.href).searchParams.get('client_id')!);
    }
    expect([ids[0] === ids[1], ids[1] === ids[2]]).toEqual([true, false]);
  });

  it('authorizer-Z1: a host that signs in does not use what was registered, or asked for, at another authorization server', async () => {
    const { url } = await guarded();
    const client = { from: 'registration', information: { client_id: 'old-client', client_secret: 'old' } } as const;
    let grant: Awaited<ReturnType<GrantVault['read']>> = { issuer: 'https://old.example', scope: 'admin', client };
    const vault: GrantVault = {
      read: async () => grant,
      change: async (_, make) => {
        grant = await make(grant);
        return grant;
      },
    };
    const host = hostOf(url, { era, vault, person: ({ id }, inbox) => inbox.reply(id, { action: 'decline' }, 'test') });
    await host.refusal();
    const [question] = host.asked;
    expect(question!.url.href).toContain('client_id=');
    expect(question!.url.href).not.toContain('client_id=old-client');
    expect(question!.scopes).not.toContain('admin');
  });

  it.each(['metadata', 'refusal'])(
    'a host asks for no more scopes than a person could look through: its %s',
    async where => {
      const named = Array.from({ length: 50_000 }, (_, at) => `scope-${at}`);
      const { url } = await guarded({
        metadata: own => ({ ...own, scopes_supported: named }),
        intercept: () => {
          const challenge = where === 'refusal' ? `Bearer scope="${named.slice(0, 1_000).join(' ')}"` : 'Bearer';
          return new Response(null, { status: 401, headers: { 'www-authenticate': challenge } });
        },
      });
      const host = hostOf(url, {
        era,
        vault: memoryVault(),
        person: ({ id }, inbox) => inbox.reply(id, { action: 'decline' }, 'test'),
      });
      await host.refusal();
      const { scopes, url: page } = host.asked[0]!;
      const asked = scopes.filter(each => each !== 'offline_access');
      expect(asked).toEqual(named.slice(0, asked.length));
      expect(asked.length).toBeGreaterThan(300);
      expect(page.href.length).toBeLessThan(6_000);
    },
  );

  it.each(['\r\n', '\n', '\0', 'é'])(
    'a host takes no token with %j in it, repeats none of it, and signs in anew',
    async odd => {
      const { url } = await guarded();
      const vault = memoryVault();
      const token = `canary-${odd}-canary`;
      const oddly: typeof fetch = async (input, init) => {
        const response = await fetch(input, init);
        if (!String(input).endsWith('/token')) return response;
        return Response.json({ ...((await response.json()) as object), access_token: token });
      };
      const host = hostOf(url, { era, vault, fetch: oddly });
      const refused = await host.refusal();
      expect(refused).toContain('gave a token with a character that no token may have');
      expect(refused).not.toContain('canary');
      const next = hostOf(url, { era, vault });
      await next.connection.start();
      expect(await next.call('whoami')).toBe('alice');
      // One that an earlier version has stored.
      const key = { principal: 'local', server: url.href };
      let stored: Awaited<ReturnType<GrantVault['read']>>;
      const older: GrantVault = {
        read: async () =>
          (stored ??= { ...(await vault.read(key))!, tokens: { access_token: token, token_type: 'Bearer' } }),
        change: async (_, make) => {
          stored = await make(await older.read(key));
          return stored;
        },
      };
      const again = hostOf(url, { era, vault: older });
      expect(await again.refusal()).toBe('started');
      expect(await again.call('whoami')).toBe('alice');
      expect(again.asked).toHaveLength(1);
    },
  );

  it('a host that signs in cannot be told by a view that the person has signed in', async () => {
    const { url } = await guarded();
    const receipts: unknown[] = [];
    const person: AtSignIn = async ({ id }, inbox) => {
      receipts.push(await inbox.reply(id, { action: 'accept' }, 'test'));
      inbox.end(id, { how: 'timed-out' });
    };
    const host = hostOf(url, { era, vault: memoryVault(), person });
    expect(await host.refusal()).toContain('nobody could be asked in time');
    expect(receipts).toMatchObject([{ ok: false, problem: 'invalid' }]);
  });
});

describe('addresses that a server names for a sign-in', () => {
  const publicServer = new URL('https://mcp.example.com/mcp');
  it.each([
    ['http://login.example.com/', 'is not encrypted'],
    ['https://127.0.0.1/', 'on this machine or its network'],
    ['https://localhost:8443/', 'on this machine or its network'],
    ['http://[::1]:80/', 'on this machine or its network'],
    ['https://169.254.169.254/latest', 'on this machine or its network'],
    ['https://192.168.1.1/', 'on this machine or its network'],
    ['https://10.1.2.3/', 'on this machine or its network'],
    ['https://100.64.0.1/', 'on this machine or its network'],
    ['https://100.127.255.254/', 'on this machine or its network'],
    ['https://[64:ff9b::a00:1]/', 'on this machine or its network'],
    ['https://2130706433/', 'on this machine or its network'],
    ['https://[::ffff:10.0.0.1]/', 'on this machine or its network'],
    ['https://[fd00::1]/', 'on this machine or its network'],
    ['https://198.18.0.1/', 'on this machine or its network'],
    ['https://198.19.255.254/', 'on this machine or its network'],
    ['https://192.0.0.192/', 'on this machine or its network'],
    ['https://224.0.0.1/', 'on this machine or its network'],
    ['https://255.255.255.255/', 'on this machine or its network'],
    ['https://[2002:a00:1::1]/', 'on this machine or its network'],
    ['https://[2002:808:808::1]/', 'on this machine or its network'],
    ['https://[2001:0:4136:e378:8000:63bf:f5ff:fffe]/', 'on this machine or its network'],
    ['https://[64:ff9b:1::a00:1]/', 'on this machine or its network'],
    ['https://[fec0::1]/', 'on this machine or its network'],
    ['https://[ff02::1]/', 'on this machine or its network'],
    ['https://[::10.0.0.1]/', 'on this machine or its network'],
    ['https://router/', 'on this machine or its network'],
    ['https://router./', 'on this machine or its network'],
    ['https://metadata.google.internal/', 'on this machine or its network'],
    ['https://user:word@login.example.com/', 'has a name or password in it'],
    ['javascript:alert(1)', 'is not a web address'],
    ['https://login.example.com/\u202e', 'is not a web address'],
  ])('%s is refused for a server elsewhere', (address, why) => {
    expect(() => judgeEndpoint('The token endpoint', address, publicServer)).toThrow(why);
  });

  it.each([
    'authorization_endpoint',
    'token_endpoint',
    'registration_endpoint',
    'revocation_endpoint',
    'device_authorization_endpoint',
  ])('the %s of an authorization server is refused where it is in the network of this machine', async endpoint => {
    const login = 'https://login.example';
    const answers: Record<string, object> = {
      'https://mcp.example.com/.well-known/oauth-protected-resource/mcp': {
        resource: publicServer.href,
        authorization_servers: [login],
      },
      [`${login}/.well-known/oauth-authorization-server`]: {
        ...metadataOf(login),
        [endpoint]: 'https://192.168.1.1/admin',
      },
    };
    const fetch: typeof globalThis.fetch = async input => {
      const answer = answers[String(input)];
      return answer ? Response.json(answer) : new Response(null, { status: 404 });
    };
    const challenge = { wants: 'token' } as const;
    await expect(discover({ serverUrl: publicServer, challenge, auth: {}, fetch })).rejects.toThrow(
      'that the server names is refused: https://192.168.1.1/admin is on this machine or its network',
    );
  });

  it('an address of more than 2,000 characters is refused', () => {
    const address = `https://login.example.com/${'a'.repeat(2_000)}`;
    expect(() => judgeEndpoint('The token endpoint', address, publicServer)).toThrow('is longer than 2000 characters');
  });

  it('https on another public name is allowed, and loopback where the server is there too', () => {
    expect(judgeEndpoint('x', 'https://login.example.net/a', publicServer).hostname).toBe('login.example.net');
    for (const address of ['https://8.8.8.8/', 'https://198.20.0.1/', 'https://[2606:4700:4700::1111]/'])
      expect(judgeEndpoint('x', address, publicServer).href).toBe(address);
    expect(judgeEndpoint('x', 'http://127.0.0.1:9/', new URL('http://localhost:1/mcp')).port).toBe('9');
  });
});

describe('a server or authorization server that does not answer', () => {
  const late = (): Promise<Response> => Promise.reject(new DOMException('too late', 'TimeoutError'));
  const options = { serverUrl: new URL('https://notes.example/mcp'), challenge: { wants: 'token' }, auth: {} } as const;

  it('a server that does not answer has nobody signed in elsewhere, since it may name another authorization server', async () => {
    const asked: string[] = [];
    const fetch = (input: unknown) => {
      asked.push(new URL(String(input)).pathname);
      return late();
    };
    await expect(discover({ ...options, fetch: fetch as typeof globalThis.fetch })).rejects.toThrow(
      'The server was asked where to sign in, and did not answer in time.',
    );
    expect(asked.every(path => path.startsWith('/.well-known/oauth-protected-resource'))).toBe(true);
  });

  it('an authorization server that does not answer is named', async () => {
    const fetch = async (input: unknown) =>
      String(input).includes('oauth-protected-resource') ? new Response(null, { status: 404 }) : late();
    await expect(discover({ ...options, fetch: fetch as typeof globalThis.fetch })).rejects.toThrow(
      'The authorization server https://notes.example did not answer in time',
    );
  });
});

function metadataOf(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/revoke`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  };
}

describe('a stored sign-in', () => {
  const clock = handClock();
  const auth = { clientId: 'by-hand' };
  const tokens = { access_token: 'access-canary', refresh_token: 'refresh-canary', token_type: 'Bearer' };
  const grant = { issuer: 'https://login.example', tokens };
  const discoveredAt = (issuer: string) => ({ issuer, metadata: metadataOf(issuer) }) as never;
  function answering(answer: () => Response) {
    const sent: string[] = [];
    const fetch: typeof globalThis.fetch = async input => {
      sent.push(String(input));
      return answer();
    };
    return { sent, fetch };
  }

  it('authorizer-Z1: a stored sign-in has a token that is sent to its server alone, not to another origin, port or scheme', async () => {
    const vault = memoryVault();
    const key = { principal: 'ada', server: 'https://mcp.example/mcp' };
    await vault.change(key, async () => grant);
    const sent: [string, string | null][] = [];
    const authorizer = new Authorizer({
      serverUrl: new URL(key.server),
      auth,
      vault,
      principal: key.principal,
      name: 'test-host',
      fetch: async (input, init) => {
        sent.push([String(input), new Headers(init?.headers).get('authorization')]);
        return new Response(null, { status: 204 });
      },
      clock,
      ask: () => undefined,
    });
    const others = ['https://evil.example/mcp', 'http://mcp.example/mcp', 'https://mcp.example:8443/mcp'];
    for (const other of others) await authorizer.fetch(other, { method: 'POST' });
    await authorizer.fetch(new Request('https://mcp.example.evil.example/mcp'));
    expect(sent.map(([, authorization]) => authorization)).toEqual([null, null, null, null]);
    await authorizer.fetch(key.server, { method: 'POST' });
    expect(sent.at(-1)).toEqual([key.server, 'Bearer access-canary']);
  });

  it('authorizer-Z1: a stored sign-in is neither renewed nor revoked at another authorization server, which gets nothing of it', async () => {
    const { sent, fetch } = answering(() => Response.json(tokens));
    const elsewhere = { discovered: discoveredAt('https://evil.example'), auth, fetch, clock };
    expect(await refreshed(grant, elsewhere)).toBe(grant);
    expect(await revoked(grant, elsewhere)).toBe(false);
    expect(sent).toEqual([]);
    const there = { ...elsewhere, discovered: discoveredAt(grant.issuer) };
    expect(await refreshed(grant, there)).toMatchObject({ issuer: grant.issuer, tokens });
    expect(await revoked(grant, there)).toBe(true);
    expect(sent).not.toEqual([]);
    expect(sent.filter(url => new URL(url).origin !== grant.issuer)).toEqual([]);
  });

  it.each(['server_error', 'temporarily_unavailable'])(
    'a stored sign-in is not ended by an authorization server that says %s',
    async error => {
      const { fetch } = answering(() => Response.json({ error }, { status: 400 }));
      const renewal = refreshed(grant, { discovered: discoveredAt(grant.issuer), auth, fetch, clock });
      await expect(renewal).rejects.toMatchObject({ code: 'host/unauthorized' });
    },
  );

  it('a stored sign-in does not use a registration whose secret has ended', () => {
    const information = { client_id: 'registered', client_secret: 'secret-canary' };
    const client = { from: 'registration', information, secretEndsAt: 1_000 } as const;
    expect(registeredClient(discoveredAt(grant.issuer), {}, client, 999)).toBe(client);
    expect(registeredClient(discoveredAt(grant.issuer), {}, client, 1_000)).toBeUndefined();
  });

  it.each([1e306, Number.MAX_VALUE, Number.POSITIVE_INFINITY])(
    'a stored sign-in has a token that ends in %d seconds for as long as a date can say, also when it is read again',
    seconds => {
      const read = JSON.parse(JSON.stringify(withTokens(grant, { ...tokens, expires_in: seconds }, 60_000)));
      expect(isFresh(read, 120_000)).toBe(true);
      expect(new Date(read.endsAt).getTime()).toBe(read.endsAt);
    },
  );

  it('a stored sign-in has a token without a time to end that does not end when the one before it did', () => {
    const before = withTokens(grant, { ...tokens, expires_in: 60 }, 0);
    expect(isFresh(before, 60_000)).toBe(false);
    expect(isFresh(withTokens(before, tokens, 60_000), 60_000)).toBe(true);
  });
});
