/** Who this server is at a provider that nobody registered it at: real authorization servers, pages under a public address. */
import { randomBytes } from 'node:crypto';
import { connect, oauth, oauthPages, type Provider, provider, vault } from '@midcall/server/connect';
import { memoryStore } from '@midcall/server/stores/memory';
import { afterEach, describe, expect, it } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from '../../examples/import/authorization-server.ts';
import type { Store } from '../../packages/core/src/store/store.ts';
import { lend } from './oauth-pages.ts';
import { Browser } from './sign-in-flow.ts';

const alice = { issuer: 'https://login.example', subject: 'alice' };
const code = 'QUIET-HARBOR';
const pagesAt = 'https://notes.example.com/connect';
const documentAt = `${pagesAt}/client/quill`;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Offers {
  readonly document?: boolean;
  readonly registration?: boolean;
}

/** A provider that takes such servers, and a server with pages at a public address. */
async function start(offers: Offers, { baseUrl = pagesAt, clientId }: { baseUrl?: string; clientId?: string } = {}) {
  const fetched: string[] = [];
  const asked: URL[] = [];
  const registered: string[] = [];
  const documents = async (to: string | URL | Request) => {
    fetched.push(String(to));
    return pages.fetch(new Request(String(to)));
  };
  const quillServer: AuthorizationServer = await startAuthorizationServer({
    clients:
      clientId === undefined
        ? []
        : [
            {
              client_id: clientId,
              redirect_uris: [`${baseUrl}/callback/quill`],
              token_endpoint_auth_method: 'none',
              grant_types: ['authorization_code', 'refresh_token'],
            },
          ],
    scopes: ['notes.read'],
    person: 'alice',
    registration: offers.registration ?? false,
    ...(offers.document && { documents: documents as typeof fetch }),
  });
  quillServer.state.intercept = req => {
    if (req.url?.startsWith('/auth?')) asked.push(new URL(req.url, quillServer.issuer));
    if (req.url === '/reg') registered.push(req.method ?? '');
    return false;
  };
  const quill = provider({
    id: 'quill',
    name: 'Quill',
    issuer: quillServer.issuer,
    scopes: ['notes.read'],
    ...(clientId !== undefined && { clientId }),
  });
  const key = randomBytes(32);
  const store = memoryStore();
  const server = (on: Store = store) => {
    const kept = vault({ store: on, key });
    const made = connect({ name: 'Library', baseUrl, vault: kept, kinds: [oauthPages(kept, [quill])] });
    return { kept, pages: made, service: made.attach(lend(on, key, [])) };
  };
  const { kept, pages, service } = server();
  const web = (url: URL, init: RequestInit): Promise<Response> =>
    url.href.startsWith(baseUrl) ? pages.fetch(new Request(url, init)) : fetch(url, init);
  closing.push(async () => {
    await pages.close();
    await quillServer.close();
  });

  /** Alice connects her account. @returns what the page said in the end */
  async function signIn(at: Provider = quill): Promise<string> {
    const page = oauth(at);
    const { url } = await service.open({
      pageId: service.newPageId(),
      kind: page.kind,
      data: page.data,
      message: 'Connect.',
      check: 'code',
      code,
      call: { method: 'tools/call', name: 'import', principal: alice } as never,
      arguments: {},
      askedAt: Date.now(),
      dueAt: Date.now() + 600_000,
    });
    const browser = new Browser(web);
    await browser.submit(url, { do: 'code', code });
    const leaving = await (await browser.submit(url)).text();
    const away = /<a href="([^"]+)" rel="noreferrer">Continue/u.exec(leaving)?.[1];
    if (away === undefined) return leaving;
    return (await (await browser.follow(away.replaceAll('&amp;', '&'))).response?.text()) ?? '';
  }
  return { signIn, kept, quill, quillServer, asked, fetched, registered, store, pages };
}

describe('a provider that reads client id metadata documents', () => {
  it('identities-I1: a provider knows this server by the address of its document, and is not asked to register it, though it would', async () => {
    const under = await start({ document: true, registration: true });
    expect(await under.signIn()).toContain('This is done');
    expect(under.asked.map(each => each.searchParams.get('client_id'))).toContain(documentAt);
    expect(under.fetched).toEqual([documentAt]);
    expect(under.registered).toEqual([]);
    expect(await under.kept.token(alice, under.quill)).toBeDefined();
  });

  it('this server renews and ends a sign-in as the same client', async () => {
    const under = await start({ document: true });
    under.quillServer.state.accessTokenSeconds = 30;
    await under.signIn();
    const first = await under.kept.token(alice, under.quill);
    const second = await under.kept.token(alice, under.quill);
    expect(second?.value).not.toBe(first?.value);
    expect(await under.kept.forget(alice, under.quill)).toBe('revoked');
  });

  it('connect-C5: the document names itself, the exact callback and no secret, and anybody may read it', async () => {
    const { pages } = await start({ document: true });
    const answer = await pages.fetch(new Request(documentAt));
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/u);
    expect(await answer.json()).toEqual({
      client_id: documentAt,
      client_name: 'Library',
      application_type: 'web',
      redirect_uris: [`${pagesAt}/callback/quill`],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    expect((await pages.fetch(new Request(`${pagesAt}/client/other`))).status).toBe(404);
  });

  it('connect-C5: a server that was registered, or that nobody outside can reach, has no document', async () => {
    const registered = await start({ document: true }, { clientId: 'library' });
    expect((await registered.pages.fetch(new Request(documentAt))).status).toBe(404);
    const baseUrl = 'http://127.0.0.1:9/connect';
    const loopback = await start({ document: true }, { baseUrl });
    expect((await loopback.pages.fetch(new Request(`${baseUrl}/client/quill`))).status).toBe(404);
  });
});

describe('who this server is', () => {
  it('identities-I1: a client that the operator registered comes first', async () => {
    const under = await start({ document: true, registration: true }, { clientId: 'library' });
    expect(await under.signIn()).toContain('This is done');
    expect(under.asked.map(each => each.searchParams.get('client_id'))).toContain('library');
    expect([under.fetched, under.registered]).toEqual([[], []]);
  });

  it.each([
    ['at a provider that reads no documents', { registration: true }, pagesAt],
    ['where nobody outside can reach it', { document: true, registration: true }, 'http://127.0.0.1:9/connect'],
  ])('identities-I1, identities-I2: this server registers itself once by request %s', async (_, offers, baseUrl) => {
    const under = await start(offers, { baseUrl });
    expect(await under.signIn()).toContain('This is done');
    await under.kept.forget(alice, under.quill);
    expect(await under.signIn()).toContain('This is done');
    expect(under.registered).toEqual(['POST']);
    expect(under.fetched).toEqual([]);
    expect(await under.kept.token(alice, under.quill)).toBeDefined();
  });

  it('identities-I2: two processes that ask at once are one client', async () => {
    const { kept, quill, store } = await start({ registration: true });
    const other = vault({ store, key: Buffer.alloc(32, 1) });
    const offer = {
      name: 'Library',
      redirectUri: new URL(`${pagesAt}/callback/quill`),
      document: new URL(documentAt),
    };
    const warned: string[] = [];
    const warn = (message: string) => void warned.push(message);
    const ids = (await Promise.all(Array.from({ length: 5 }, () => kept.identities.at(quill, offer, warn)))).map(
      each => each?.id,
    );
    expect(new Set(ids).size).toBe(1);
    expect(warned).toEqual([]);
    // Another key cannot read it, and makes a registration of its own.
    expect((await other.identities.at(quill, offer, warn))?.id).not.toBe(ids[0]);
    expect(warned[0]).toContain('is sealed with a key that is not in the ring');
    await other.identities.forget(quill, offer);
    expect((await kept.identities.at(quill, offer, warn))?.id).not.toBe(ids[0]);
  });

  it('a provider that takes nobody by itself is told of on the page, with what to do', async () => {
    const under = await start({});
    expect(await under.signIn()).toContain('the operator has to register it there and configure its clientId');
  });

  it('signing people in on pages needs a clientId', async () => {
    const { quill } = await start({});
    const { signIn } = await import('@midcall/server/connect');
    expect(() => signIn(quill, { store: memoryStore() })).toThrow('needs a clientId');
  });

  it('a secret without a clientId is refused', () => {
    expect(() => provider({ id: 'q', issuer: 'https://q.example', clientSecret: 'canary-secret' })).toThrow('clientId');
  });
});
