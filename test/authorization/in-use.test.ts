/**
 * Authorization servers as people use them, each a real one whose answers are changed on their way: what they lack or spell
 * otherwise, and the member of `auth` that is the operator's word for it. Without that word, nobody is signed in.
 */

import { memoryVault, readServerEntries } from '@midcall/host';
import { describe, expect, it } from 'vitest';
import { refreshed } from '../../packages/host/src/authorization/renewal.ts';
import { Browser } from '../connect/sign-in-flow.ts';
import { freePort } from '../fixtures/free-port.ts';
import { handClock } from '../host/clock.ts';
import { type AtSignIn, guarded, hostOf, signsIn } from './stage.ts';

const era = '2025-11-25';

interface Passing {
  readonly url: URL;
  /** The parameters of a token request; the JSON of a registration. */
  readonly body: string;
  send(body?: string): Promise<Response>;
}

/** A network in which requests to one origin are answered otherwise. */
const network =
  (origin: string, change: (request: Passing) => Promise<Response>): typeof fetch =>
  async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin) return fetch(input, init);
    const body = String(init?.body ?? '');
    return change({ url, body, send: (other = body) => fetch(url, { ...init, ...(other !== '' && { body: other }) }) });
  };

type Json = Record<string, unknown>;
const changed = async (response: Response, change: (answer: Json) => Json): Promise<Response> =>
  Response.json(change((await response.json()) as Json), { status: response.status });

const isMetadata = ({ url }: Passing): boolean => url.pathname.includes('/.well-known/');

describe('a sign-in', () => {
  it('a sign-in at an issuer that differs by its last slash takes the operator’s word that both are the same', async () => {
    const { url, logins } = await guarded();
    const issuer = `${logins.issuer}/`;
    const slashed = network(logins.issuer, async request => {
      const response = await request.send();
      return isMetadata(request) ? changed(response, rest => ({ ...rest, issuer })) : response;
    });
    const person: AtSignIn = async ({ url: page }) => {
      const back = new URL(page.href).searchParams.get('redirect_uri')!;
      const { url: callback } = await new Browser().follow(page.href, back);
      callback.searchParams.set('iss', issuer);
      await (await fetch(callback)).text();
    };
    const without = hostOf(url, { era, vault: memoryVault(), fetch: slashed, person });
    expect(await without.refusal()).toContain(
      `they differ by the last slash. If both are the same, write 'issuer': '${issuer}' in 'auth'.`,
    );
    expect(without.asked).toEqual([]);
    const host = hostOf(url, { era, vault: memoryVault(), fetch: slashed, person, auth: { issuer } });
    await host.connection.start();
    expect(await host.call('whoami')).toBe('alice');
  });

  it('a sign-in where the metadata says nothing of PKCE takes the operator’s word that it is checked', async () => {
    const { url, logins } = await guarded();
    const silent = network(logins.issuer, async request => {
      const response = await request.send();
      return isMetadata(request)
        ? changed(response, ({ code_challenge_methods_supported: _, ...rest }) => rest)
        : response;
    });
    const without = hostOf(url, { era, vault: memoryVault(), fetch: silent });
    expect(await without.refusal()).toContain("If you know that it does, write 'assumePkce': true in 'auth'.");
    const host = hostOf(url, { era, vault: memoryVault(), fetch: silent, auth: { assumePkce: true } });
    await host.connection.start();
    expect(await host.call('whoami')).toBe('alice');
    expect(host.asked[0]!.url.href).toContain('code_challenge_method=S256');
    const plain = network(logins.issuer, async request => {
      const response = await request.send();
      const code_challenge_methods_supported = ['plain'];
      return isMetadata(request)
        ? changed(response, rest => ({ ...rest, code_challenge_methods_supported }))
        : response;
    });
    const refused = hostOf(url, { era, vault: memoryVault(), fetch: plain, auth: { assumePkce: true } });
    expect(await refused.refusal()).toContain('does not say that it supports PKCE (S256)');
  });

  it('a sign-in leaves resource out of the page and of token requests if the entry says so', async () => {
    const { url, logins } = await guarded();
    const forms: string[] = [];
    const entra = network(logins.issuer, async request => {
      const form = new URLSearchParams(request.body);
      if (!form.has('grant_type')) return request.send();
      forms.push(request.body);
      if (form.has('resource')) return Response.json({ error: 'invalid_target' }, { status: 400 });
      // Its tokens are for the server by their scopes alone.
      form.set('resource', url.href);
      return request.send(form.toString());
    });
    const person: AtSignIn = async ({ url: page }) => {
      const asked = new URL(page.href);
      if (asked.searchParams.has('resource')) return signsIn({ url: page } as never, undefined as never);
      asked.searchParams.set('resource', url.href);
      await (await new Browser().follow(asked.href)).response?.text();
    };
    const without = hostOf(url, { era, vault: memoryVault(), fetch: entra, person });
    expect(await without.refusal()).toContain('the authorization server says invalid_target');
    const host = hostOf(url, { era, vault: memoryVault(), fetch: entra, person, auth: { resource: false } });
    await host.connection.start();
    expect(await host.call('whoami')).toBe('alice');
    expect(host.asked[0]!.url.href).not.toContain('resource=');
    expect(forms.at(-1)).not.toContain('resource=');
  });

  it('a sign-in by the entry that a chat service documents comes back to localhost at the port it names', async () => {
    const { url } = await guarded();
    const port = await freePort();
    const text = JSON.stringify({
      mcpServers: { chat: { type: 'http', url: url.href, oauth: { clientId: 'chat', callbackPort: port } } },
    });
    const [entry] = readServerEntries(text);
    const { target } = entry!;
    if (target.kind !== 'url') throw new Error('no URL');
    const host = hostOf(url, { era, vault: memoryVault(), auth: target.auth! });
    await host.connection.start();
    expect(await host.call('whoami')).toBe('alice');
    expect(host.asked[0]!.url.href).toContain(encodeURIComponent(`http://localhost:${port}/callback`));
  });

  it('a sign-in takes members that are null or empty for absent ones, in metadata, registration and tokens', async () => {
    const { url, logins } = await guarded();
    const null_ = network(logins.issuer, async request => {
      const response = await request.send();
      if (!/json/.test(response.headers.get('content-type') ?? '')) return response;
      const empty = isMetadata(request)
        ? { service_documentation: null, op_policy_uri: '', revocation_endpoint: null }
        : request.body.startsWith('{')
          ? { client_secret: '', client_uri: null, contacts: null, software_id: null }
          : { scope: null, id_token: null };
      return changed(response, answer => ({ ...answer, ...empty }));
    });
    const host = hostOf(url, { era, vault: memoryVault(), fetch: null_ });
    await host.connection.start();
    expect(await host.call('whoami')).toBe('alice');
  });

  it('a sign-in tries the authorization servers in the server’s order, and says of each why it cannot be used', async () => {
    const gone = `http://127.0.0.1:${await freePort()}/gone`;
    const list = { own: '', all: [gone] };
    const { url } = await guarded({
      metadata: own => {
        [list.own] = own['authorization_servers'] as [string];
        return { ...own, authorization_servers: [...list.all] };
      },
    });
    list.all = [gone, `${gone}/too`];
    const without = hostOf(url, { era, vault: memoryVault() });
    const refusal = await without.refusal();
    expect(refusal).toContain('None of the 2 authorization servers of this server can be used.');
    for (const each of list.all) expect(refusal).toContain(`The metadata of the authorization server ${each}`);
    list.all = [gone, list.own];
    const host = hostOf(url, { era, vault: memoryVault() });
    await host.connection.start();
    expect(await host.call('whoami')).toBe('alice');
  });

  it('a sign-in quotes the authorization server where it refuses to register the host', async () => {
    const { url, logins } = await guarded();
    const closed = network(logins.issuer, async request =>
      request.body.startsWith('{')
        ? Response.json({ error: 'access_denied', error_description: 'Ask IT first.' }, { status: 403 })
        : request.send(),
    );
    const host = hostOf(url, { era, vault: memoryVault(), fetch: closed });
    expect(await host.refusal()).toMatch(
      /it refuses to register this host \(HTTP 403, “access_denied: Ask IT first\.”\)\. Register one there by hand/,
    );
  });

  it('a sign-in names the member of an answer that OAuth does not allow', async () => {
    const { url, logins } = await guarded();
    const odd = network(logins.issuer, async request => {
      const response = await request.send();
      return request.body.includes('grant_type')
        ? changed(response, answer => ({ ...answer, token_type: 7 }))
        : response;
    });
    const host = hostOf(url, { era, vault: memoryVault(), fetch: odd });
    expect(await host.refusal()).toContain('sent an answer that OAuth does not allow (token_type).');
  });
});

describe('a renewal', () => {
  const issuer = 'https://login.example';
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ['code'],
  };
  const grant = {
    issuer,
    scope: 'notes admin',
    tokens: { access_token: 'old', token_type: 'Bearer', refresh_token: 'again' },
  };
  const sent = async (auth: object): Promise<URLSearchParams> => {
    let form = new URLSearchParams();
    const fetch: typeof globalThis.fetch = async (_, init) => {
      form = new URLSearchParams(String(init?.body));
      return Response.json({ access_token: 'new', token_type: 'Bearer' });
    };
    const discovered = { issuer, metadata };
    const renewed = await refreshed(grant, {
      discovered,
      auth: { clientId: 'x', ...auth },
      fetch,
      clock: handClock(),
    } as never);
    expect(renewed.tokens).toMatchObject({ access_token: 'new', refresh_token: 'again' });
    return form;
  };

  it('a renewal names the scopes where the entry says that the authorization server does not remember them', async () => {
    expect((await sent({})).get('scope')).toBeNull();
    const form = await sent({ scopeAtRefresh: true });
    expect(Object.fromEntries(form)).toMatchObject({
      grant_type: 'refresh_token',
      refresh_token: 'again',
      scope: 'notes admin',
      client_id: 'x',
    });
    expect(form.has('resource')).toBe(false);
  });
});
