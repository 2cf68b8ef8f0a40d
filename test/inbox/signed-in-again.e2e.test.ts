/** Signing in again, where a change needs a person who was asked just now: at a real OpenID Connect server, without a screen. */
import { getRequestListener } from '@hono/node-server';
import { type InboxService, openInbox } from '@midcall/inbox';
import { provider } from '@midcall/server/connect';
import { afterEach, expect, it, vi } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from '../../examples/import/authorization-server.ts';
import { listenHttp } from '../../packages/core/src/node/index.ts';
import { Browser } from '../connect/sign-in-flow.ts';
import { clientSecret, registeredClient } from '../notes/registered-client.ts';
import { key } from './stage.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing.splice(0).toReversed()) await close();
});

/** An inbox, and the browser of somebody who is signed in at its issuer for a while. */
async function stage() {
  let inbox: InboxService | undefined;
  const answer = async (request: Request): Promise<Response> =>
    (await inbox?.pages(request)) ?? new Response('Not found.', { status: 404 });
  const { server, port } = await listenHttp(getRequestListener(answer, { overrideGlobalObjects: false }), {
    port: 0,
    onError: error => expect(error).toBeUndefined(),
  });
  const publicUrl = new URL(`http://localhost:${port}`);
  const redirect = new URL('/inbox/signed-in', publicUrl);
  const login = await startAuthorizationServer({
    // One of a native application would be asked each time.
    clients: [registeredClient('inbox', [], { redirect_uris: [redirect.href], application_type: 'web' })],
    host: 'localhost',
    tokens: 'opaque',
  });
  const issuer = provider({ id: 'login', issuer: login.issuer, clientId: 'inbox', clientSecret, scopes: ['openid'] });
  inbox = await openInbox({ where: ':memory:', key, publicUrl, issuer });
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
    () => login.close(),
    () => inbox!.stop(),
  );
  login.state.person = 'ada';
  const signIn = new URL('/inbox/sign-in?passkeys', publicUrl);
  return { login, publicUrl, signIn, again: new URL('/inbox/sign-in?again&passkeys', publicUrl) };
}

/** Signs in ten minutes ago. */
async function signInBefore(browser: Browser, signIn: URL): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 600_000 });
  expect((await browser.follow(signIn)).response?.status).toBe(200);
  vi.useRealTimers();
}

/** How often the issuer asks. */
function countAsked(login: AuthorizationServer): () => number {
  let asked = 0;
  login.state.intercept = ({ url }) => {
    if (url!.startsWith('/interaction/')) asked += 1;
    return false;
  };
  return () => asked;
}

/** The page of passkeys behind a sign-in; undefined if nobody was signed in. */
async function passkeysPage(browser: Browser, page: Response | undefined, at: URL): Promise<string | undefined> {
  const path = /url=(\/inbox\/s\/[\w-]+\/passkeys)/.exec((await page?.text()) ?? '')?.[1];
  return path === undefined ? undefined : (await browser.send(new URL(path, at).href)).text();
}

/** Whether its form can be used. */
const isFresh = (page: string | undefined): boolean =>
  / hidden[ >]/.exec(/<form[^>]*id="add-passkey"[^>]*>/.exec(page!)![0]) === null;

it('a sign-in again asks the person anew, though they are signed in at the issuer, and lets them change passkeys', async () => {
  const { login, signIn, again, publicUrl } = await stage();
  const asked = countAsked(login);
  const browser = new Browser();
  await signInBefore(browser, signIn);
  expect(asked()).toBe(1);
  // A session that begins with the one at the issuer is enough to answer, and not to change passkeys.
  const before = await passkeysPage(browser, (await browser.follow(signIn)).response, publicUrl);
  expect([asked(), isFresh(before)]).toEqual([1, false]);
  expect(before).toContain('Sign in again to add a passkey');
  const page = await passkeysPage(browser, (await browser.follow(again)).response, publicUrl);
  expect([asked(), isFresh(page)]).toEqual([2, true]);
});

it('a first sign-in, at which the person is asked, lets them add a passkey', async () => {
  const { signIn, publicUrl } = await stage();
  const browser = new Browser();
  expect(isFresh(await passkeysPage(browser, (await browser.follow(signIn)).response, publicUrl))).toBe(true);
});

it.each([
  ['as from an issuer that does not say when it asked', {}],
  ['as from an issuer that asked long ago', { max_age: '1000000' }],
])('a sign-in again is refused if the browser leaves out that the person is to be asked: %s', async (_, instead) => {
  const { login, signIn, again } = await stage();
  const browser = new Browser();
  await signInBefore(browser, signIn);
  const asked = countAsked(login);
  const { url } = await browser.follow(again, login.issuer);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({ prompt: 'login', max_age: '0' });
  for (const name of ['prompt', 'max_age']) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(instead)) url.searchParams.set(name, value);
  const { response } = await browser.follow(url);
  const text = await response!.text();
  expect([asked(), response!.status]).toEqual([0, 403]);
  expect(text).toContain('did not confirm that it asked you to sign in just now');
  expect(text).not.toContain('/inbox/s/');
});

it('a sign-in that the issuer ends with an error leads to the same place when it is begun again', async () => {
  const { login, publicUrl, again } = await stage();
  const browser = new Browser();
  const { url } = await browser.follow(new URL(`${again.href}&question=q1`), login.issuer);
  const back = new URL('/inbox/signed-in', publicUrl);
  const state = url.searchParams.get('state')!;
  back.search = new URLSearchParams({ error: 'access_denied', state, iss: login.issuer }).toString();
  const page = await browser.send(back.href);
  expect(page.status).toBe(401);
  expect(await page.text()).toContain('href="/inbox/sign-in?question=q1&amp;passkeys=&amp;again"');
  // Another browser is told nothing of it.
  const other = await new Browser().send(back.href);
  expect(other.status).toBe(400);
  expect(await other.text()).toContain('href="/inbox/sign-in"');
});
