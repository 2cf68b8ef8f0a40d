/** Requests to a provider, and what this server tells of itself, without a network. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MidcallError } from '@midcall/core/errors';
import { bearer, connect, formKindOf, oauthPages, provider } from '@midcall/server/connect';
import { memoryStore } from '@midcall/server/stores/memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import { noWake } from '../../packages/server/src/base/wake.ts';
import { certifiedClient } from '../../packages/server/src/connect/oauth/certified-client.ts';
import { identities } from '../../packages/server/src/connect/oauth/identities.ts';
import type { ClientOffer } from '../../packages/server/src/connect/oauth/identity.ts';
import { isSafeEndpoint } from '../../packages/server/src/connect/oauth/oauth-client.ts';
import type { Provider } from '../../packages/server/src/connect/oauth/provider.ts';
import { newPageId, PageRecords } from '../../packages/server/src/connect/page-records.ts';
import { keyRing } from '../../packages/server/src/state/keys.ts';
import { createSealer } from '../../packages/server/src/state/seal.ts';
import { passingClock } from './passing-clock.ts';

const issuer = 'https://provider.invalid';
/** Nothing here is to be told to operators. */
const never = (message: string): never => {
  throw new Error(message);
};
const published = {
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  response_types_supported: ['code'],
};
const offer = (port = 80, host = 'notes.example'): ClientOffer => ({
  name: 'Notes',
  redirectUri: new URL(`http://${host}:${port}/connect/callback/notes`),
  document: new URL(`http://${host}:${port}/connect/client/notes`),
});

/** A client whose provider answers each path as it is told: with JSON, or with a response of its own. */
function client(answers: Readonly<Record<string, object | (() => Response)>>) {
  const asked: string[] = [];
  const world = { now: Date.now() };
  const fetch = async (input: string | URL | Request) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    asked.push(pathname);
    const answer = answers[pathname];
    if (typeof answer === 'function') return answer();
    const status = answer === undefined ? 404 : pathname === '/register' ? 201 : 200;
    return Response.json(answer ?? {}, { status });
  };
  const requests = certifiedClient({
    name: 'Notes Co',
    issuer: new URL(issuer),
    issuerName: issuer,
    registered: undefined,
    metadata: undefined,
    resource: undefined,
    fetch: fetch as typeof globalThis.fetch,
    timeoutMs: 60_000,
    clock: { now: () => world.now },
  });
  return { requests, asked, world };
}

const pieceBytes = 64 * 1024;

/** A response of 100 pieces; `sent` counts those that were taken from it. */
function long(status: number, type: string, sent: { pieces: number }): Response {
  const piece = new TextEncoder().encode('{ "a": "b"\n\n'.padEnd(pieceBytes));
  const body = new ReadableStream({
    pull(controller) {
      if (sent.pieces === 100) return controller.close();
      sent.pieces += 1;
      controller.enqueue(piece);
    },
  });
  return new Response(body, { status, headers: { 'content-type': type } });
}

const discovery = '/.well-known/openid-configuration';

describe('a provider', () => {
  it('a provider is asked once in an hour what it offers', async () => {
    const { requests, asked, world } = client({ [discovery]: published });
    expect(await requests.takes()).toEqual({ document: false, registration: true });
    world.now += 60 * 60_000 - 1;
    await requests.takes();
    expect(asked).toEqual([discovery]);
    world.now += 1;
    await requests.takes();
    expect(asked).toEqual([discovery, discovery]);
  });

  it.each([
    ['no secret', {}, {}],
    ['a secret', { client_secret: 'given-one' }, { secret: 'given-one', auth: 'basic' }],
    [
      'a secret for the body',
      { client_secret: 'given-one', token_endpoint_auth_method: 'client_secret_post' },
      { secret: 'given-one', auth: 'post' },
    ],
  ])('a provider that registers this server with %s is shown just that', async (_, given, identity) => {
    const answer = { client_id: 'c-1', client_secret_expires_at: 0, ...given };
    const { requests } = client({ [discovery]: published, '/register': answer });
    expect(await requests.register(offer())).toEqual({ identity: { id: 'c-1', ...identity } });
  });

  it('a provider is sent every request by the fetch that it was given', async () => {
    const granted = { access_token: 'granted-access', token_type: 'bearer', expires_in: 60 };
    const { requests, asked, world } = client({ [discovery]: published, '/token': granted });
    expect(await requests.refresh('old-refresh', ['notes'], { id: 'c-1' })).toEqual({
      accessToken: 'granted-access',
      scopes: ['notes'],
      expiresAt: world.now + 60_000,
      client: { id: 'c-1' },
    });
    expect(asked).toEqual([discovery, '/token']);
  });

  it.each([
    ['metadata', discovery, 200],
    ['tokens', '/token', 200],
    ['registration', '/register', 201],
  ])(
    'oauth-O5: a provider whose answer with %s is over 1 MiB is read no further, whatever its type',
    async (_, path, status) => {
      for (const type of ['application/json', 'text/event-stream']) {
        const sent = { pieces: 0 };
        const { requests } = client({ [discovery]: published, [path]: () => long(status, type, sent) });
        const asked = path === '/register' ? requests.register(offer()) : requests.refresh('r', [], { id: 'c-1' });
        await expect(asked).rejects.toThrow('Notes Co sent an answer that failed its checks, so it was not used.');
        expect(sent.pieces * pieceBytes).toBeGreaterThan(1024 * 1024);
        // A few pieces are on their way when it is found too large.
        expect(sent.pieces).toBeLessThan(24);
      }
    },
  );

  it.each(['nothing', 'the beginning of an answer'])(
    'a provider that sends %s and no more is said not to have answered in time',
    async begun => {
      const stalls = createServer(({ url }, res) => {
        if (begun !== 'nothing')
          res.writeHead(url === '/register' ? 201 : 200, { 'content-type': 'application/json' }).write('{');
      }).listen(0, '127.0.0.1');
      await once(stalls, 'listening');
      onTestFinished(() => {
        stalls.closeAllConnections();
        stalls.close();
      });
      const at = `http://127.0.0.1:${(stalls.address() as AddressInfo).port}`;
      const requests = certifiedClient({
        name: 'Notes Co',
        issuer: new URL(at),
        issuerName: at,
        registered: undefined,
        metadata: { ...published, issuer: at, token_endpoint: `${at}/token`, registration_endpoint: `${at}/register` },
        resource: undefined,
        fetch: undefined,
        timeoutMs: 500,
        clock: { now: Date.now },
      });
      for (const ask of [
        () => requests.refresh('an-old-refresh-token', [], { id: 'c-1' }),
        () => requests.register(offer()),
      ])
        await expect(ask()).rejects.toMatchObject({ message: expect.stringContaining('did not answer in time') });
    },
  );

  it('a provider that grants a token for longer than a date can say grants it for ever', async () => {
    const granted = { access_token: 'granted-access', token_type: 'bearer' };
    for (const expires_in of [1e16, 1e306]) {
      const { requests } = client({ [discovery]: published, '/token': { ...granted, expires_in } });
      const { expiresAt } = await requests.refresh('old-refresh', [], { id: 'c-1' });
      expect(new Date(expiresAt!).toISOString()).toBe('+275760-09-13T00:00:00.000Z');
    }
  });

  it('a provider may be on this machine without TLS, and nowhere else', () => {
    const safe = (url: string) => isSafeEndpoint(new URL(url));
    expect(['https://a.example', 'http://127.0.0.1:1', 'http://login.localhost'].map(safe)).toEqual([true, true, true]);
    expect(['http://a.example', 'ftp://login.localhost', 'http://localhost.example'].map(safe)).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('who this server is', () => {
  it('identities-I1: this server is a document of its own where the provider can read one, and a registration otherwise', async () => {
    let made = 0;
    const at = (takes: object) =>
      ({
        ...{ id: 'notes', issuer, name: 'Notes Co' },
        client: {
          registered: false,
          takes: async () => takes,
          register: async () => ({ identity: { id: `c-${++made}` } }),
        },
      }) as unknown as Provider;
    const https = {
      ...offer(),
      redirectUri: new URL('https://notes.example/connect/callback/notes'),
      document: new URL('https://notes.example/connect/client/notes'),
    };
    const loopback = { ...https, document: new URL('https://localhost:4001/connect/client/notes') };
    const who = identities(memoryStore(), createSealer(keyRing(Buffer.alloc(32, 5))));
    const [both, document] = [at({ document: true, registration: true }), at({ document: true, registration: false })];
    expect(await who.at(both, https, never)).toEqual({ id: https.document.href });
    expect(await who.at(document, https, never)).toEqual({ id: https.document.href });
    expect(made).toBe(0);
    expect(await who.at(both, loopback, never)).toEqual({ id: 'c-1' });
    expect(await who.at(at({ document: false, registration: true }), https, never)).toEqual({ id: 'c-1' });
    await expect(who.at(document, { ...offer(), document: new URL('http://other.example/') }, never)).rejects.toThrow(
      'does not know this server',
    );
  });

  it('identities-I2: this server is another at each provider and callback, whatever the port of this machine, until forgotten', async () => {
    let made = 0;
    const at = (id: string) =>
      ({
        ...{ id, issuer: `${issuer}/${id}`, name: 'Notes Co' },
        client: {
          registered: false,
          takes: async () => ({ document: false, registration: true }),
          register: async () => ({ identity: { id: `c-${++made}` } }),
        },
      }) as unknown as Provider;
    const who = identities(memoryStore(), createSealer(keyRing(Buffer.alloc(32, 5))));
    const idOf = async (...[id, ...where]: [string, number?, string?]) =>
      (await who.at(at(id), offer(...where), never))?.id;
    expect(await idOf('notes')).toBe('c-1');
    expect(await idOf('mail')).toBe('c-2');
    expect(await idOf('notes')).toBe('c-1');
    expect(await idOf('notes', 80, 'other.example')).toBe('c-3');
    expect(await idOf('notes', 4_001, '127.0.0.1')).toBe('c-4');
    expect(await idOf('notes', 4_002, '127.0.0.1')).toBe('c-4');
    await who.forget(at('mail'), offer());
    expect(await idOf('notes')).toBe('c-1');
    expect(await idOf('mail')).toBe('c-5');
  });

  it('this server is registered for as long as its secret lives, to the millisecond', async () => {
    let made = 0;
    const client = {
      registered: false,
      takes: async () => ({ document: false, registration: true }),
      register: async () => ({ identity: { id: `c-${++made}` }, lifeMs: 1_000.25 }),
    };
    const notes = { id: 'notes', issuer, name: 'Notes Co', client } as unknown as Provider;
    const clock = passingClock();
    const who = identities(memoryStore({ clock }), createSealer(keyRing(Buffer.alloc(32, 5))));
    expect(await who.at(notes, offer(), never)).toEqual({ id: 'c-1' });
    expect(await who.at(notes, offer(), never)).toEqual({ id: 'c-1' });
  });

  it('clients are told where tokens for this server come from (RFC 9728)', async () => {
    const login = provider({ id: 'login', name: 'Login', issuer, clientId: 'midcall', metadata: published });
    const guard = bearer(login, { resource: new URL('https://notes.example/mcp'), scopes: [] });
    const document = guard.metadata(new Request('https://notes.example/.well-known/oauth-protected-resource/mcp'));
    expect(await document?.json()).toEqual({
      resource: 'https://notes.example/mcp',
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
    });
  });
});

describe('pages', () => {
  const store = memoryStore();
  function host() {
    const clock = passingClock();
    const sealer = createSealer(keyRing(Buffer.alloc(32, 6)));
    return { store, sealer, clock, wake: noWake, warn() {}, audit() {} };
  }

  it('pages of two providers with one id are refused', () => {
    const twice = [{ id: 'notes' }, { id: 'notes' }] as Provider[];
    expect(() => oauthPages(undefined as never, twice)).toThrow(
      expect.objectContaining({
        code: 'server/setup',
        message: 'Two providers have one id: each needs its own.',
      }),
    );
  });

  it('pages of a kind of form are asked for by its name', () => {
    const { kind, page } = formKindOf({
      name: 'trip',
      title: 'Where to?',
      items: { where: { kind: 'text', label: 'Where' } },
      assurance: 'in-band',
    });
    expect(kind.name).toBe('trip');
    expect(page).toMatchObject({ kind: 'trip', data: null, assurance: 'in-band' });
  });

  it.each([
    ['a browser can be started', { reach: { kind: 'here', browser: true } }, true],
    ['no browser can be started', { reach: { kind: 'here', browser: false } }, false],
    ['the server is elsewhere', { reach: { kind: 'elsewhere', how: 'ssh' } }, false],
    [
      'people reach it by an address',
      { baseUrl: 'https://notes.example/connect', reach: { kind: 'here', browser: true } },
      false,
    ],
  ] as const)('pages are shown on this machine where its person sits at it: %s', (_, options, local) => {
    expect(connect({ name: 'Notes', ...options }).attach(host()).local).toBe(local);
  });

  it('a page whose store is away for a moment is still waited for', async () => {
    const made = host();
    let away = 2;
    const flaky = {
      ...store,
      get: async (key: string) => {
        if (away-- > 0) throw new MidcallError('store/unavailable', 'The store is away.');
        return store.get(key);
      },
    };
    const records = new PageRecords({ ...made, store: flaky });
    expect(await records.outcome(newPageId(), 60_000)).toBeUndefined();
    expect(away).toBeLessThan(0);
  });
});
