/** The OAuth client against a real authorization server over loopback HTTP. */
import { inspect } from 'node:util';
import { type Clock, systemClock } from '@midcall/core/time';
import { memoryStore } from '@midcall/server/stores/memory';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from '../../examples/import/authorization-server.ts';
import type { Store } from '../../packages/core/src/store/store.ts';
import type { Principal } from '../../packages/server/src/base/principal.ts';
import { randomToken } from '../../packages/server/src/connect/oauth/flows.ts';
import { type Provider, type ProviderOptions, provider } from '../../packages/server/src/connect/oauth/provider.ts';
import { type Vault, type VaultOptions, vault } from '../../packages/server/src/connect/vault/vault.ts';
import { Browser } from './sign-in-flow.ts';

const clientSecret = 'client-secret-canary-0123456789';
const redirectUri = 'http://127.0.0.1:9/callback';
const client = {
  client_id: 'midcall',
  client_secret: clientSecret,
  application_type: 'native',
  redirect_uris: ['http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
};
const alice: Principal = { issuer: 'https://login.example', subject: 'alice' };
const bob: Principal = { issuer: 'https://login.example', subject: 'bob' };
const key = Buffer.alloc(32, 7).map((byte, index) => byte + index);

let rotating: AuthorizationServer;
let constant: AuthorizationServer;
let notes: Provider;
let store: Store;
let time: number;
let kept: Vault;
/** Bodies posted to the token endpoint. */
let posted: URLSearchParams[];

const options = (server: AuthorizationServer, more: Partial<ProviderOptions> = {}): ProviderOptions => ({
  id: 'notes',
  name: 'Notes Co',
  issuer: server.issuer,
  clientId: 'midcall',
  clientSecret,
  scopes: ['notes.read'],
  clock: { now: () => time },
  fetch: async (input, init) => {
    if (String(input).endsWith('/token')) posted.push(new URLSearchParams(String(init?.body)));
    return fetch(input, init);
  },
  ...more,
});
/** Stands still until the test moves it. @param pause - stands for a wait for another process */
const still = (pause?: () => void | Promise<void>): Clock => ({
  now: () => time,
  after(ms, fn) {
    if (!pause || ms >= 1_000) return systemClock.after(ms, fn);
    void Promise.resolve(pause()).then(fn);
    return () => {};
  },
});
const newVault = (more: Partial<VaultOptions> = {}): Vault => vault({ store, key, clock: still(), ...more });

interface Begun {
  readonly url: URL;
  readonly state: string;
  readonly verifier: string;
  readonly scopes: readonly string[];
}

async function begin(at: Provider, scopes = at.scopes): Promise<Begun> {
  const [state, verifier] = [randomToken(), randomToken()];
  return { url: await at.client.authorizationUrl({ redirectUri, state, verifier, scopes }), state, verifier, scopes };
}

/** Signs in at the provider. @returns the address it sends the browser back to */
const signIn = async (begun: Begun): Promise<URL> => (await new Browser().follow(begun.url, redirectUri)).url;

async function connect(who: Principal, at: Provider, into = kept): Promise<void> {
  const begun = await begin(at);
  const { tokens } = await at.client.exchange(await signIn(begun), begun);
  await into.keepSignIn(who, at, tokens);
}

/** Holds the next request for tokens at the provider, once it is `reached`, until `go` is called. */
function holdTokens(): { readonly reached: Promise<void>; readonly go: () => void } {
  let arrived = (): void => {};
  const reached = new Promise<void>(resolve => {
    arrived = resolve;
  });
  let go = (): void => {};
  const answers = new Promise<void>(resolve => {
    go = resolve;
  });
  let held = false;
  rotating.state.intercept = async req => {
    if (held || !req.url?.startsWith('/token')) return false;
    held = true;
    arrived();
    await answers;
    return false;
  };
  return { reached, go };
}

const errorOf = async (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => expect.fail('did not fail'),
    error => error as Error,
  );

const expectedIn = async (reason: string, promise: Promise<unknown>): Promise<void> => {
  const error = await errorOf(promise);
  expect(error.message).toContain(reason);
  expect(error).toMatchObject({ code: 'connect/provider' });
};

beforeAll(async () => {
  const shared = { clients: [client], scopes: ['notes.read', 'notes.write'], person: 'alice' };
  [rotating, constant] = await Promise.all([
    startAuthorizationServer(shared),
    startAuthorizationServer({ ...shared, rotate: false }),
  ]);
});
afterAll(() => Promise.all([rotating?.close(), constant?.close()]));
beforeEach(() => {
  time = Date.now();
  store = memoryStore({ clock: { now: () => time } });
  posted = [];
  notes = provider(options(rotating));
  kept = newVault();
});
afterEach(() => {
  rotating.state.intercept = undefined;
  rotating.state.accessTokenSeconds = 3600;
  constant.state.intercept = undefined;
});

describe('the authorization code flow', () => {
  it('000-20; oauth-O1: the authorization code flow sends S256, state, the exact redirect address and the scopes, and no secret', async () => {
    const { url, state } = await begin(notes);
    const sent = Object.fromEntries(url.searchParams);
    expect(sent).toEqual({
      response_type: 'code',
      client_id: 'midcall',
      redirect_uri: redirectUri,
      scope: 'notes.read',
      state,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(url.href).not.toContain(clientSecret);
  });

  it('the authorization code flow gives tokens that the vault hands out, renewed never while they live', async () => {
    await connect(alice, notes);
    const token = await kept.token(alice, notes);
    expect(token).toMatchObject({ scopes: ['notes.read'], expiresAt: time + 3600_000 });
    expect((await kept.token(alice, notes))?.value).toBe(token?.value);
    expect(posted).toHaveLength(1);
  });

  it('oauth-O3: a callback with a foreign state, or none, is not used', async () => {
    const begun = await begin(notes);
    const callback = await signIn(begun);
    for (const state of ['other', undefined]) {
      const changed = new URL(callback);
      if (state === undefined) changed.searchParams.delete('state');
      else changed.searchParams.set('state', state);
      await expectedIn('failed its checks', notes.client.exchange(changed, begun));
    }
    expect(posted).toEqual([]);
  });

  it('oauth-O3: an answer of another issuer, or of none where one is promised, is not used (mix-up)', async () => {
    const begun = await begin(notes);
    const callback = await signIn(begun);
    for (const issuer of [constant.issuer, undefined]) {
      const changed = new URL(callback);
      if (issuer === undefined) changed.searchParams.delete('iss');
      else changed.searchParams.set('iss', issuer);
      await expectedIn('failed its checks', notes.client.exchange(changed, begun));
    }
    expect(posted).toEqual([]);
  });

  it('a code that was issued for another flow is refused by its verifier (stolen code, injected callback)', async () => {
    const mine = await begin(notes);
    const theirs = await begin(notes);
    const injected = await signIn(theirs);
    injected.searchParams.set('state', mine.state);
    await expectedIn('(invalid_grant)', notes.client.exchange(injected, mine));
  });

  it('a provider refuses a sign-in whose PKCE challenge was stripped on the way', async () => {
    const begun = await begin(notes);
    begun.url.searchParams.delete('code_challenge');
    begun.url.searchParams.delete('code_challenge_method');
    const callback = await signIn(begun);
    expect(callback.searchParams.has('code')).toBe(false);
    await expectedIn('(invalid_request)', notes.client.exchange(callback, begun));
  });

  it('oauth-O1: a provider that publishes only weaker PKCE methods is refused before anybody is sent there', async () => {
    const weak = provider(
      options(rotating, {
        metadata: {
          authorization_endpoint: `${rotating.issuer}/auth`,
          token_endpoint: `${rotating.issuer}/token`,
          code_challenge_methods_supported: ['plain'],
        },
      }),
    );
    await expectedIn('PKCE', begin(weak));
  });

  it('oauth-O2: a provider whose endpoints are plain http elsewhere is refused', async () => {
    const plain = provider(
      options(rotating, {
        metadata: { authorization_endpoint: 'http://example.com/auth', token_endpoint: `${rotating.issuer}/token` },
      }),
    );
    await expectedIn('authorization_endpoint', begin(plain));
  });

  it('elicit-url-54: a redirect address that was not registered is refused by the provider, and nobody is sent there', async () => {
    const begun = await begin(notes);
    begun.url.searchParams.set('redirect_uri', 'http://127.0.0.1:9/elsewhere');
    const { response } = await new Browser().follow(begun.url, 'http://127.0.0.1:9/');
    expect(response?.status).toBe(400);
    expect(await response?.text()).toContain('invalid_redirect_uri');
  });

  it('elicit-url-54: a callback that is replayed gives nothing, and its code ends what it gave', async () => {
    const begun = await begin(notes);
    const callback = await signIn(begun);
    await notes.client.exchange(callback, begun);
    await expectedIn('(invalid_grant)', notes.client.exchange(callback, begun));
  });

  it('a provider with given metadata works without discovery', async () => {
    const given = provider(
      options(rotating, {
        metadata: {
          authorization_endpoint: `${rotating.issuer}/auth`,
          token_endpoint: `${rotating.issuer}/token`,
        },
      }),
    );
    await connect(alice, given);
    expect(await kept.token(alice, given)).toMatchObject({ scopes: ['notes.read'] });
    expect(await kept.forget(alice, given)).toBe('removed');
  });

  it('a refusal of a provider is told in plain words', async () => {
    const begun = await begin(notes);
    const refused = new URL(redirectUri);
    refused.search = String(
      new URLSearchParams({
        error: 'access_denied',
        error_description: 'secret-from-the-provider',
        state: begun.state,
        iss: rotating.issuer,
      }),
    );
    const error = await errorOf(notes.client.exchange(refused, begun));
    expect(error.message).toBe('Notes Co says: the sign-in was refused there (access_denied).');
    expect(inspect(error, { depth: 9 })).not.toContain('secret-from-the-provider');
    const wrong = provider(options(rotating, { clientSecret: 'not-the-right-one-either' }));
    const again = await begin(wrong);
    await expectedIn('clientId and clientSecret', wrong.client.exchange(await signIn(again), again));
    const away = await startAuthorizationServer({ clients: [client] });
    await away.close();
    await expectedIn('cannot be reached', begin(provider(options(away))));
  });
});

describe('scopes', () => {
  it('asking for more than was granted means signing in again, with what was granted untouched until then', async () => {
    await connect(alice, notes);
    expect(await kept.token(alice, notes, { scopes: ['notes.read', 'notes.write'] })).toBeUndefined();
    expect(await kept.token(alice, notes)).toBeDefined();
    const begun = await begin(notes, ['notes.read', 'notes.write']);
    await kept.keepSignIn(alice, notes, (await notes.client.exchange(await signIn(begun), begun)).tokens);
    expect(await kept.token(alice, notes, { scopes: ['notes.read', 'notes.write'] })).toBeDefined();
  });
});

describe('renewing', () => {
  const expire = (): void => {
    time += 3_600_000;
  };

  it('elicit-url-48: an expired token is renewed once for a hundred calls at once, and the refresh token rotates', async () => {
    await connect(alice, notes);
    const first = await kept.token(alice, notes);
    expire();
    const values = await Promise.all(Array.from({ length: 100 }, () => kept.token(alice, notes)));
    expect(new Set(values.map(each => each?.value)).size).toBe(1);
    expect(values[0]?.value).not.toBe(first?.value);
    expire();
    expect(await kept.token(alice, notes)).toBeDefined();
    const refreshes = posted.filter(each => each.get('grant_type') === 'refresh_token');
    expect(refreshes).toHaveLength(2);
    expect(new Set(refreshes.map(each => each.get('refresh_token'))).size).toBe(2);
  });

  it('refresh-R1, refresh-R2: many vaults on one store renew once, and all get what the winner got', async () => {
    await connect(alice, notes);
    expire();
    const vaults = Array.from({ length: 30 }, () => newVault());
    const values = await Promise.all(vaults.map(each => each.token(alice, notes)));
    expect(new Set(values.map(each => each?.value)).size).toBe(1);
    expect(posted.filter(each => each.get('grant_type') === 'refresh_token')).toHaveLength(1);
  });

  it('refresh-R1: a refresh token that stays the same is renewed once per expiry, too', async () => {
    const same = provider(options(constant));
    await connect(alice, same);
    for (let round = 1; round <= 3; round++) {
      expire();
      const values = await Promise.all(Array.from({ length: 20 }, () => newVault().token(alice, same)));
      expect(new Set(values.map(each => each?.value)).size).toBe(1);
      expect(posted.filter(each => each.get('grant_type') === 'refresh_token')).toHaveLength(round);
    }
  });

  it('refresh-R1, refresh-R4: the other vaults wait where the winner of a renewal dies, say so, and later ask to sign in again', async () => {
    await connect(alice, notes);
    expire();
    const dying = provider(
      options(rotating, {
        fetch: (input, init) =>
          String(input).endsWith('/token') ? new Promise<Response>(() => {}) : fetch(input, init),
      }),
    );
    void newVault().token(alice, dying);
    let claimed = (): void => {};
    const waits = new Promise<void>(resolve => {
      claimed = resolve;
    });
    const waiting = newVault({
      clock: still(() => {
        claimed();
        time += 1_000;
      }),
    });
    const late = waiting.token(alice, notes);
    await waits;
    await expectedIn('renewed by another process', late);
    time += notes.renewalTimeoutMs;
    expect(await kept.token(alice, notes)).toBeUndefined();
    expect(posted.filter(each => each.get('grant_type') === 'refresh_token')).toEqual([]);
    await connect(alice, notes);
    expect(await kept.token(alice, notes)).toBeDefined();
  });

  it('refresh-R2: a vault that looks just before the winner writes, and asks just after, gets what was written', async () => {
    await connect(alice, notes);
    expire();
    const { reached, go } = holdTokens();
    const winner = newVault().token(alice, notes);
    await reached;
    const between: Store = {
      ...store,
      async get(name) {
        if (name.startsWith('refresh:')) {
          go();
          await winner;
        }
        return store.get(name);
      },
    };
    const other = await newVault({ store: between }).token(alice, notes);
    rotating.state.intercept = undefined;
    expect(other?.value).toBe((await winner)?.value);
    expect(other).toBeDefined();
  });

  it('refresh-R2: the other vaults wait as long as a request of the winner may take', async () => {
    await connect(alice, notes);
    expire();
    const { reached, go } = holdTokens();
    const winner = newVault().token(alice, notes);
    await reached;
    const begun = time;
    const pause = async (): Promise<void> => {
      time += 1_000;
      if (time - begun >= 20_000) {
        go();
        await winner;
      }
    };
    const other = await newVault({ clock: still(pause) }).token(alice, notes);
    expect(other?.value).toBe((await winner)?.value);
    expect(other).toBeDefined();
    rotating.state.intercept = undefined;
  });

  it('refresh-R3: a provider that answers with an error of its own is asked again later, with the same token', async () => {
    await connect(alice, notes);
    expire();
    rotating.state.intercept = (req, res) => {
      if (!req.url?.startsWith('/token')) return false;
      res.writeHead(503).end('no-word-of-this');
      return true;
    };
    const error = await errorOf(kept.token(alice, notes));
    expect(error.message).toBe('Notes Co answered with HTTP status 503. Try again later.');
    expect(inspect(error, { depth: 9 })).not.toContain('no-word-of-this');
    rotating.state.intercept = undefined;
    expect(await kept.token(alice, notes)).toBeDefined();
  });

  it('refresh-R3, refresh-R4: an answer that broke off leaves a renewal in doubt, and the token that may be spent is not sent again', async () => {
    await connect(alice, notes);
    expire();
    rotating.state.intercept = (req, res) => {
      if (!req.url?.startsWith('/token')) return false;
      res.destroy();
      return true;
    };
    await expectedIn('broke off', kept.token(alice, notes));
    rotating.state.intercept = undefined;
    expect(await kept.token(alice, notes)).toBeUndefined();
    expect(posted.filter(each => each.get('grant_type') === 'refresh_token')).toHaveLength(1);
  });

  it('refresh-R3, refresh-R4: a success that nobody can read leaves a renewal in doubt, since it may have granted something', async () => {
    for (const body of ['<h1>Welcome</h1>', '{"access_token":']) {
      posted.length = 0;
      await connect(alice, notes);
      expire();
      rotating.state.intercept = (req, res) => {
        if (!req.url?.startsWith('/token')) return false;
        res.writeHead(200, { 'content-type': body.startsWith('<') ? 'text/html' : 'application/json' }).end(body);
        return true;
      };
      await expectedIn('failed its checks', kept.token(alice, notes));
      rotating.state.intercept = undefined;
      expect(await kept.token(alice, notes)).toBeUndefined();
      expect(posted.filter(each => each.get('grant_type') === 'refresh_token')).toHaveLength(1);
    }
  });

  it('refresh-R3: an answer that broke off is no harm where the refresh token is known to stay', async () => {
    const same = provider(options(constant));
    await connect(alice, same);
    expire();
    await kept.token(alice, same);
    expire();
    constant.state.intercept = (req, res) => {
      if (!req.url?.startsWith('/token')) return false;
      res.destroy();
      return true;
    };
    await expectedIn('broke off', kept.token(alice, same));
    constant.state.intercept = undefined;
    expect(await kept.token(alice, same)).toBeDefined();
  });

  it('a provider in trouble does not show while a token still lives', async () => {
    await connect(alice, notes);
    time += 3_600_000 - 30_000;
    rotating.state.intercept = (req, res) => {
      if (!req.url?.startsWith('/token')) return false;
      res.writeHead(500).end();
      return true;
    };
    expect(await kept.token(alice, notes)).toBeDefined();
    time += 30_000;
    await expectedIn('500', kept.token(alice, notes));
  });

  it('a sign-in that the provider has ended means signing in again, and nothing is sent twice', async () => {
    await connect(alice, notes);
    const elsewhere = await kept.token(alice, notes);
    await notes.client.revoke({
      accessToken: elsewhere?.value ?? '',
      scopes: [],
      refreshToken: await refreshTokenOf(alice),
    });
    expire();
    expect(await kept.token(alice, notes)).toBeUndefined();
    expect(await kept.token(alice, notes)).toBeUndefined();
    expect(posted.filter(each => each.get('grant_type') === 'refresh_token')).toHaveLength(1);
    await connect(alice, notes);
    expect(await kept.token(alice, notes)).toBeDefined();
  });

  /** Reads through a provider that takes the refresh token and gives nothing. */
  async function refreshTokenOf(who: Principal): Promise<string> {
    let seen = '';
    const spy: Provider = {
      ...notes,
      client: {
        ...notes.client,
        revoke: async tokens => {
          seen = tokens.refreshToken ?? '';
          return true;
        },
      },
    };
    const begun = await begin(notes);
    const { tokens } = await notes.client.exchange(await signIn(begun), begun);
    await kept.forget(who, spy);
    await kept.keepSignIn(who, notes, tokens);
    return tokens.refreshToken ?? seen;
  }
});

describe('forgetting', () => {
  it('elicit-url-48: forgetting removes the sign-in here and ends it at the provider', async () => {
    await connect(alice, notes);
    const token = await kept.token(alice, notes);
    expect(await kept.forget(alice, notes)).toBe('revoked');
    expect(await kept.token(alice, notes)).toBeUndefined();
    expect(await kept.forget(alice, notes)).toBe('nothing');
    const answer = await fetch(`${rotating.issuer}/token/introspection`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`midcall:${clientSecret}`).toString('base64')}` },
      body: new URLSearchParams({ token: token?.value ?? '' }),
    });
    expect(await answer.json()).toEqual({ active: false });
  });

  it('forgetting works while the provider is away', async () => {
    await connect(alice, notes);
    rotating.state.intercept = (_req, res) => {
      res.destroy();
      return true;
    };
    expect(await kept.forget(alice, notes)).toBe('removed');
    expect(await kept.token(alice, notes)).toBeUndefined();
  });

  it('vault-V4: a renewal under way does not bring back what was forgotten, and gives its tokens back', async () => {
    await connect(alice, notes);
    time += 3_600_000;
    const { reached, go } = holdTokens();
    const revoked: string[] = [];
    const watched: Provider = {
      ...notes,
      client: {
        ...notes.client,
        revoke: async tokens => {
          revoked.push(tokens.accessToken);
          return notes.client.revoke(tokens);
        },
      },
    };
    const renewal = kept.token(alice, watched);
    await reached;
    await newVault().forget(alice, { ...notes, client: { ...notes.client, revoke: async () => true } });
    go();
    expect(await renewal).toBeUndefined();
    expect(revoked).toHaveLength(1);
    expect(await kept.token(alice, notes)).toBeUndefined();
  });

  it('a renewal under way does not replace a newer sign-in', async () => {
    await connect(alice, notes);
    time += 3_600_000;
    const { reached, go } = holdTokens();
    const renewal = kept.token(alice, notes);
    await reached;
    await connect(alice, notes, newVault());
    const newer = await newVault().token(alice, notes);
    go();
    expect((await renewal)?.value).toBe(newer?.value);
    expect((await kept.token(alice, notes))?.value).toBe(newer?.value);
  });
});

describe('one person and another', () => {
  it('elicit-url-55: a sign-in is one person’s, at one provider', async () => {
    await connect(alice, notes);
    const other = provider(options(constant, { id: 'other' }));
    expect(await kept.token(bob, notes)).toBeUndefined();
    expect(await kept.token(alice, other)).toBeUndefined();
    expect(await kept.token({ ...alice, issuer: 'https://elsewhere.example' }, notes)).toBeUndefined();
    expect(await kept.forget(bob, notes)).toBe('nothing');
    expect(await kept.token(alice, notes)).toBeDefined();
  });
});
