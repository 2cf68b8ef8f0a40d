/** The `oauth` page and the sign-in, over loopback HTTP with real authorization servers; browsers without a screen. */
import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { confirm, connect, provider, signIn } from '@midcall/server/connect';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { clientSecret, lend, type PagesUnderTest, startPages } from './oauth-pages.ts';
import { Browser } from './sign-in-flow.ts';

let under: PagesUnderTest;
let browser: Browser;

const textOf = async (response: Response | undefined): Promise<string> => (await response?.text()) ?? '';
const headingOf = (markup: string): string | undefined => /<h1[^>]*>([^<]*)/u.exec(markup)?.[1];
const heading = async (response: Response | undefined): Promise<string | undefined> =>
  headingOf(await textOf(response));

/** What the session's cookie of a server at this origin is called. */
const sessionName = (origin: string): string =>
  `midcall-session-${createHash('sha256').update(`${origin}/connect/sign-in/callback`).digest('base64url').slice(0, 12)}`;

/** Where a page sends the browser. */
async function leavesTo(response: Response): Promise<URL> {
  const link = /<a href="([^"]+)" rel="noreferrer">Continue/u.exec(await textOf(response))?.[1] ?? '';
  return new URL(link.replaceAll('&amp;', '&'));
}

/** From the link to the address the provider sends the browser back to. */
async function toCallback(link: string, who = browser): Promise<URL> {
  const provider = await leavesTo(await who.submit(link));
  return (await who.follow(provider, `${under.origin}/connect/callback/`)).url;
}

/** Where a form leads once the page is finished. */
async function finished(response: Response): Promise<URL> {
  expect(response.status).toBe(303);
  return new URL(response.headers.get('location') ?? '', response.url);
}

beforeAll(async () => {
  under = await startPages();
});
afterAll(() => under?.close());
beforeEach(() => {
  browser = new Browser();
  under.login.state.person = 'alice';
  under.thirdParty.state.person = 'alice';
});
afterEach(async () => {
  under.thirdParty.state.intercept = undefined;
  under.thirdParty.state.refused = [];
  await under.vault.forget(under.principal('alice'), under.notes);
});

describe('fewer scopes than asked for', () => {
  const both = ['notes.read', 'notes.write'];

  it('connect-C4: the page names the scopes that are missing, and ends with that when the person goes on without', async () => {
    under.thirdParty.state.refused = ['notes.write'];
    const alice = under.principal('alice');
    const { url, pageId } = await under.ask(alice, { scopes: both });
    const shown = await textOf((await browser.follow(await toCallback(url))).response);
    expect(headingOf(shown)).toBe('Notes Co did not allow everything');
    expect(shown).toContain('<code>notes.write</code>');
    expect(shown).not.toContain('<code>notes.read</code>');
    expect(await under.outcome(pageId)).toBeUndefined();
    expect(await textOf(await browser.submit(url))).toContain('Choose how to go on.');
    expect(
      await heading((await browser.follow(await finished(await browser.submit(url, { next: 'without' })))).response),
    ).toBe('This is done');
    expect(await under.outcome(pageId)).toMatchObject({
      action: 'accept',
      content: { provider: 'notes', scopes: ['notes.read'], missing: ['notes.write'] },
    });
    expect(await under.vault.signedIn(alice, under.notes)).toMatchObject({
      scopes: ['notes.read'],
      refused: ['notes.write'],
    });
    expect((await under.vault.token(alice, under.notes))?.scopes).toEqual(['notes.read']);
    await expect(under.vault.token(alice, under.notes, { scopes: both })).rejects.toMatchObject({
      code: 'connect/scopes',
      message: expect.stringContaining('‘notes.write’'),
    });
  });

  it('connect-C4: nothing is kept of a provider that allowed less than was asked for while the person declined on the page', async () => {
    const alice = under.principal('alice');
    const { url, pageId } = await under.ask(alice, { scopes: both });
    const callback = await toCallback(url);
    const revoked: string[] = [];
    under.thirdParty.state.intercept = async (req, res) => {
      if (req.url?.startsWith('/token/revocation')) revoked.push(req.url);
      if (req.url !== '/token') return false;
      await browser.submit(url, { do: 'decline' });
      const tokens = { access_token: 'access-canary', token_type: 'bearer', scope: 'notes.read' };
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(tokens));
      return true;
    };
    expect(await heading((await browser.follow(callback)).response)).toBe('You declined');
    expect(await under.outcome(pageId)).toMatchObject({ action: 'decline' });
    expect(await under.vault.signedIn(alice, under.notes)).toBeUndefined();
    expect(revoked).toEqual(['/token/revocation']);
  });

  it('connect-C4: a provider that is asked again may allow after all what it refused', async () => {
    under.thirdParty.state.refused = ['notes.write'];
    const alice = under.principal('alice');
    const { url, pageId } = await under.ask(alice, { scopes: both });
    await browser.follow(await toCallback(url));
    under.thirdParty.state.refused = [];
    const provider = await leavesTo(await browser.submit(url, { next: 'again' }));
    expect(await heading((await browser.follow(provider)).response)).toBe('This is done');
    expect(await under.outcome(pageId)).toMatchObject({ content: { scopes: both, missing: [] } });
    expect((await under.vault.token(alice, under.notes, { scopes: both }))?.scopes).toEqual(both);
  });

  it('vault-V5: a scope that was never asked for is still asked for', async () => {
    const alice = under.principal('alice');
    const { url } = await under.ask(alice);
    await browser.follow(await toCallback(url));
    expect(await under.vault.token(alice, under.notes, { scopes: both })).toBeUndefined();
  });

  it('vault-V5: a provider that leaves openid and offline_access out of what it granted has granted everything', async () => {
    const alice = under.principal('alice');
    const asked = ['openid', 'offline_access', 'notes.read'];
    await under.vault.keepSignIn(alice, under.notes, { accessToken: 'a', scopes: ['notes.read'] }, asked);
    expect(await under.vault.token(alice, under.notes, { scopes: asked })).toBeDefined();
  });
});

describe('connecting', () => {
  it('elicit-url-45, elicit-url-47, elicit-url-52, elicit-url-71: the page signs the person in, says what is asked for, leads there and back, and the token is in the vault only', async () => {
    const { url, pageId } = await under.ask(under.principal('alice'));
    const { response } = await browser.follow(url);
    const shown = await textOf(response);
    expect(headingOf(shown)).toBe('Connect Notes Co');
    expect(shown).toContain('notes.read');
    expect(await under.outcome(pageId)).toBeUndefined();
    const callback = await toCallback(url);
    expect(await heading((await browser.follow(callback)).response)).toBe('This is done');
    const outcome = await under.outcome(pageId);
    expect(outcome).toMatchObject({
      action: 'accept',
      assurance: 'verified',
      content: { provider: 'notes', scopes: ['notes.read'] },
    });
    const token = await under.vault.token(under.principal('alice'), under.notes);
    expect(token?.value).toMatch(/^[\w-]{20,}$/);
    expect(inspect(outcome, { depth: 9 })).not.toContain(token?.value);
  });

  it('elicit-url-54; connect-C3, F1: a callback that is replayed is told what became of the page, and changes nothing', async () => {
    const { url } = await under.ask(under.principal('alice'));
    const callback = await toCallback(url);
    await browser.follow(callback);
    const before = await under.vault.token(under.principal('alice'), under.notes);
    expect(await heading(await browser.send(callback))).toBe('This is done');
    expect((await under.vault.token(under.principal('alice'), under.notes))?.value).toBe(before?.value);
  });

  it('flows-F1: a callback that is reloaded while the provider takes its time leads the person back, and connects nothing', async () => {
    const { url, pageId } = await under.ask(under.principal('alice'));
    const callback = await toCallback(url);
    const exchanged: string[] = [];
    const reloaded: string[] = [];
    under.thirdParty.state.intercept = async req => {
      if (req.url !== '/token') return false;
      exchanged.push(req.url);
      under.login.state.person = 'bob';
      for (const who of [browser, new Browser()]) reloaded.push(await textOf((await who.follow(callback)).response));
      expect(await under.vault.signedIn(under.principal('alice'), under.notes)).toBeUndefined();
      return false;
    };
    expect(await heading((await browser.follow(callback)).response)).toBe('This is done');
    expect(reloaded.map(headingOf)).toEqual(['You came back here before', 'This link was made for somebody else']);
    expect(reloaded[0]).toContain('Nothing was done a second time.');
    expect(reloaded[0]).toContain(`<a href="/connect/${pageId}">Back to the page</a>`);
    expect(exchanged).toHaveLength(1);
    expect(await under.outcome(pageId)).toMatchObject({ action: 'accept', content: { provider: 'notes' } });
    expect(await under.vault.signedIn(under.principal('bob'), under.notes)).toBeUndefined();
  });

  it('flows-F1: a callback that has failed leads the person back when it is reloaded, as it says', async () => {
    under.thirdParty.state.refused = ['notes.write'];
    const { url, pageId } = await under.ask(under.principal('alice'), { scopes: ['notes.read', 'notes.write'] });
    const callback = await toCallback(url);
    vi.spyOn(under.vault, 'keepSignIn').mockRejectedValueOnce(new Error('It broke.'));
    const failed = await textOf((await browser.follow(callback)).response);
    expect(failed).toContain('Reload this page to try again.');
    const reloaded = await textOf((await browser.follow(callback)).response);
    expect(reloaded).toContain('If it still asks you to connect, do it once more.');
    expect(reloaded).toContain(`<a href="/connect/${pageId}">Back to the page</a>`);
    await browser.follow(await toCallback(url));
    expect(await under.vault.signedIn(under.principal('alice'), under.notes)).toMatchObject({ scopes: ['notes.read'] });
  });

  it('000-20, elicit-url-47, elicit-url-50, elicit-url-53, elicit-url-67; connect-C2: a callback in another browser connects nobody, and the asker goes on', async () => {
    const { url, pageId } = await under.ask(under.principal('alice'));
    const callback = await toCallback(url);
    under.login.state.person = 'bob';
    const bob = new Browser();
    expect(await heading((await bob.follow(callback)).response)).toBe('This link was made for somebody else');
    const again = await textOf((await bob.follow(callback)).response);
    expect(headingOf(again)).toBe('This link was made for somebody else');
    // A form without it would be sent to the address of the callback, which takes none.
    expect(again).toContain(`<form method="post" action="/connect/${pageId}">`);
    expect(await under.vault.signedIn(under.principal('bob'), under.notes)).toBeUndefined();
    expect(await under.outcome(pageId)).toBeUndefined();
    expect(await heading((await browser.follow(callback)).response)).toBe('This is done');
    expect(await under.vault.signedIn(under.principal('alice'), under.notes)).toBeDefined();
  });

  it('elicit-url-54; connect-C3: an answer of one provider at the address of another, or with another issuer, is not used', async () => {
    const { url, pageId } = await under.ask(under.principal('alice'));
    const callback = await toCallback(url);
    const elsewhere = new URL(callback);
    elsewhere.pathname = '/connect/callback/other';
    expect(await heading(await browser.send(elsewhere))).toBe('This sign-in is not known');
    const mixed = new URL(callback);
    mixed.searchParams.set('iss', under.login.issuer);
    expect(await heading(await browser.send(mixed))).toBe('Notes Co is not connected');
    expect(await under.outcome(pageId)).toBeUndefined();
    expect(await under.vault.signedIn(under.principal('alice'), under.notes)).toBeUndefined();
  });

  it('elicit-url-54, elicit-url-69: a stolen state with the attacker’s own code connects nobody', async () => {
    const mine = await under.ask(under.principal('alice'));
    const callback = await toCallback(mine.url);
    under.login.state.person = 'mallory';
    under.thirdParty.state.person = 'mallory';
    const mallory = new Browser();
    const theirs = await under.ask(under.principal('mallory'));
    const stolen = await toCallback(theirs.url, mallory);
    const forged = new URL(callback);
    forged.searchParams.set('code', stolen.searchParams.get('code') ?? '');
    expect(await heading((await mallory.follow(forged)).response)).toBe('This link was made for somebody else');
    const page = await textOf((await browser.follow(forged)).response);
    expect(headingOf(page)).toBe('Notes Co is not connected');
    expect(page).toContain('(invalid_grant)');
    expect(await under.vault.signedIn(under.principal('alice'), under.notes)).toBeUndefined();
    expect(await under.vault.signedIn(under.principal('mallory'), under.notes)).toBeUndefined();
  });

  it('elicit-url-73: a parameter sent twice, or a state that was never ours, finds nothing', async () => {
    const { url } = await under.ask(under.principal('alice'));
    const callback = await toCallback(url);
    const twice = new URL(callback);
    twice.searchParams.append('state', 'x');
    for (const each of [
      twice.href,
      `${under.origin}/connect/callback/notes?code=x&state=x`,
      `${under.origin}/connect/callback/notes`,
    ]) {
      expect(await heading(await browser.send(each))).toBe('This sign-in is not known');
    }
    expect(await heading((await browser.follow(callback)).response)).toBe('This is done');
  });

  it('a person who refuses at the provider can try again, and nothing is connected', async () => {
    const { url, pageId } = await under.ask(under.principal('alice'));
    const callback = await toCallback(url);
    callback.searchParams.delete('code');
    callback.searchParams.set('error', 'access_denied');
    callback.searchParams.set('error_description', '<script>canary</script>');
    const page = await textOf(await browser.send(callback));
    expect(headingOf(page)).toBe('Notes Co is not connected');
    expect(page).toContain('the sign-in was refused there (access_denied)');
    expect(page).not.toContain('canary');
    expect(page).toContain(`href="/connect/${pageId}"`);
    expect(await heading((await browser.follow(await toCallback(url))).response)).toBe('This is done');
  });

  it('a provider that cannot be reached is said on the page, and the link stays good', async () => {
    const { url } = await under.ask(under.principal('alice'));
    const callback = await toCallback(url);
    under.thirdParty.state.intercept = (_req, res) => {
      res.writeHead(503).end('canary');
      return true;
    };
    const page = await textOf(await browser.send(callback));
    expect(page).toContain('Notes Co answered with HTTP status 503');
    expect(page).not.toContain('canary');
    under.thirdParty.state.intercept = undefined;
    expect(await heading((await browser.follow(await toCallback(url))).response)).toBe('This is done');
  });

  it('asking again for more scopes (step-up) replaces the sign-in', async () => {
    await browser.follow(await toCallback((await under.ask(under.principal('alice'))).url));
    const both = ['notes.read', 'notes.write'];
    expect(await under.vault.token(under.principal('alice'), under.notes, { scopes: both })).toBeUndefined();
    await browser.follow(await toCallback((await under.ask(under.principal('alice'), { scopes: both })).url));
    expect(await under.vault.token(under.principal('alice'), under.notes, { scopes: both })).toBeDefined();
  });

  it('two tabs that come back at once connect once, and what was connected stays good', async () => {
    const { url, pageId } = await under.ask(under.principal('alice'));
    const callbacks = [await toCallback(url), await toCallback(url)];
    const waiting: (() => void)[] = [];
    const revoked: string[] = [];
    under.thirdParty.state.intercept = async (req, res) => {
      if (req.url?.startsWith('/token/revocation')) revoked.push(req.url);
      if (req.url !== '/token') return false;
      const n = waiting.length;
      await new Promise<void>(resolve => {
        waiting.push(resolve);
        if (waiting.length === 2) for (const each of waiting) each();
      });
      const tokens = { access_token: `access-canary-${n}`, refresh_token: `refresh-canary-${n}`, token_type: 'bearer' };
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(tokens));
      return true;
    };
    const pages = await Promise.all(callbacks.map(each => browser.follow(each)));
    for (const { response } of pages) expect(await heading(response)).toMatch(/^This (?:is done|was sent)$/u);
    expect(await under.outcome(pageId)).toMatchObject({ action: 'accept' });
    expect((await under.vault.token(under.principal('alice'), under.notes))?.value).toMatch(/^access-canary-[01]$/u);
    expect(revoked).toEqual([]);
  });

  it('a provider that answers with something else than the standards say connects nobody, and the link stays good', async () => {
    const { url, pageId } = await under.ask(under.principal('alice'));
    const none = `${btoa('{"alg":"none"}')}.${btoa('{"sub":"mallory"}')}.`.replaceAll('=', '');
    for (const [status, type, body] of [
      [200, 'text/html', '<script>canary-of-the-provider</script>'],
      [200, 'application/json', '{"access_token":"canary-of-the-provider"'],
      [200, 'application/json', '{"access_token":"canary-of-the-provider-2","token_type":"mac"}'],
      [200, 'application/json', '{"access_token":"canary-of-the-provider-4\\r\\n","token_type":"bearer"}'],
      [
        200,
        'application/json',
        `{"access_token":"canary-of-the-provider-3","token_type":"bearer","id_token":"${none}"}`,
      ],
      [307, 'text/plain', ''],
      [400, 'application/json', '{"error":"<script>","error_description":"<script>canary-of-the-provider</script>"}'],
    ] as const) {
      const callback = await toCallback(url);
      under.thirdParty.state.intercept = (req, res) => {
        if (req.url !== '/token') return false;
        res
          .writeHead(status, { 'content-type': type, location: 'http://127.0.0.1:9/canary-of-the-provider' })
          .end(body);
        return true;
      };
      const { response } = await browser.follow(callback);
      under.thirdParty.state.intercept = undefined;
      const page = await textOf(response);
      expect(headingOf(page)).toBe('Notes Co is not connected');
      expect(page).not.toMatch(/canary|<script/u);
      expect(await under.outcome(pageId)).toBeUndefined();
    }
    expect(await under.vault.signedIn(under.principal('alice'), under.notes)).toBeUndefined();
    await browser.follow(await toCallback(url));
    expect(await under.vault.signedIn(under.principal('alice'), under.notes)).toBeDefined();
  });

  it('markup and line breaks in what a provider sends back show nowhere', async () => {
    const { url } = await under.ask(under.principal('alice'));
    const bad = `"><script>alert(1)</script>\r\nset-cookie: a=b`;
    for (const name of ['code', 'iss', 'error', 'error_description', 'error_uri', 'response']) {
      const forged = new URL((await toCallback(url)).href);
      if (name.startsWith('error')) forged.searchParams.set('error', 'access_denied');
      forged.searchParams.set(name, bad);
      const { response } = await browser.follow(forged);
      expect(response?.headers.getSetCookie()).toEqual([]);
      expect(await textOf(response), name).not.toMatch(/alert|<script/u);
    }
    expect(await heading((await browser.follow(await toCallback(url))).response)).toBe('This is done');
  });

  it('nothing is connected where nobody can tell who visits', async () => {
    const { url } = await under.ask(under.principal('alice'), { check: 'none' });
    const response = await browser.submit(url);
    expect(response.status).toBe(422);
    expect(await textOf(response)).toContain('This server cannot tell who you are');
  });

  it('elicit-url-72: a page with a code that only the host showed works without a sign-in, in that browser only', async () => {
    const { url } = await under.ask(under.principal('alice'), { check: 'code', code: 'ABCD-2345' });
    expect((await browser.submit(url, { code: 'ABCD-2345' })).status).toBe(303);
    const callback = await toCallback(url);
    expect(await heading((await new Browser().follow(callback)).response)).toBe('Enter your code first');
    expect(await heading((await browser.follow(callback)).response)).toBe('This is done');
    expect(await under.vault.signedIn(under.principal('alice'), under.notes)).toBeDefined();
  });
});

describe('signing in', () => {
  const session = (of: Browser): string | undefined => of.cookies('127.0.0.1').get(sessionName(under.origin));

  it('elicit-url-68; sign-in-S2: a sign-in callback in another browser signs nobody in (login CSRF)', async () => {
    const { url } = await under.ask(under.principal('alice'));
    const { url: callback } = await browser.follow(url, `${under.origin}/connect/sign-in/callback`);
    const victim = new Browser();
    expect(await heading(await victim.send(callback))).toBe('This sign-in is not known');
    expect(session(victim)).toBeUndefined();
    expect(await heading((await browser.follow(callback)).response)).toBe('Connect Notes Co');
    expect(await heading(await browser.send(callback))).toBe('This sign-in is not known');
  });

  it('flows-F1; sign-in-S2: a sign-in that is reloaded while it takes its time begins anew at the page, in its own browser only', async () => {
    const { url, pageId } = await under.ask(under.principal('alice'));
    const { url: callback } = await browser.follow(url, `${under.origin}/connect/sign-in/callback`);
    const victim = new Browser();
    const begun = new Map(browser.cookies('127.0.0.1'));
    let reloaded: Response | undefined;
    let elsewhere: Response | undefined;
    under.login.state.intercept = async req => {
      if (req.url !== '/token' || reloaded) return false;
      reloaded = await browser.send(callback);
      elsewhere = await victim.send(callback);
      return false;
    };
    // What answers the request that was given up reaches no browser.
    const cookie = [...begun].map(each => each.join('=')).join('; ');
    await fetch(callback, { headers: { cookie }, redirect: 'manual' });
    under.login.state.intercept = undefined;
    expect([reloaded?.status, reloaded?.headers.get('location')]).toEqual([303, `/connect/${pageId}`]);
    expect(reloaded?.headers.getSetCookie()).toEqual([]);
    const refused = await textOf(elsewhere);
    expect(headingOf(refused)).toBe('This sign-in is not known');
    expect(refused).not.toContain(pageId);
    expect([session(browser), session(victim)]).toEqual([undefined, undefined]);
    expect(await heading((await browser.follow(callback)).response)).toBe('Connect Notes Co');
  });

  it('a person whose sign-in failed is led back to the page that they came for', async () => {
    const { url, pageId } = await under.ask(under.principal('alice'));
    under.login.state.intercept = (req, res) => {
      if (req.url !== '/token') return false;
      res.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
      return true;
    };
    const page = await textOf((await browser.follow(url)).response);
    under.login.state.intercept = undefined;
    expect(headingOf(page)).toBe('You are not signed in');
    expect(page).toContain(`<a href="/connect/${pageId}">Try again</a>`);
    expect(await heading((await browser.follow(url)).response)).toBe('Connect Notes Co');
  });

  it('a browser that refuses cookies is told so where its sign-in ends', async () => {
    const { url } = await under.ask(under.principal('alice'));
    const { url: callback } = await browser.follow(url, `${under.origin}/connect/sign-in/callback`);
    browser.cookies('127.0.0.1').clear();
    expect(await textOf(await browser.send(callback))).toContain('allow cookies for 127.0.0.1,');
  });

  it('elicit-url-53, elicit-url-57, elicit-url-68; sign-in-S3: a session that was planted is not the one that a sign-in makes, and ends with it (fixation)', async () => {
    browser.cookies('127.0.0.1').set(sessionName(under.origin), 'planted-by-an-attacker');
    const { url } = await under.ask(under.principal('alice'));
    expect(await heading((await browser.follow(url)).response)).toBe('Connect Notes Co');
    const first = session(browser);
    expect(first).toMatch(/^[\w-]{43}$/);
    const planted = new Browser();
    planted.cookies('127.0.0.1').set(sessionName(under.origin), 'planted-by-an-attacker');
    under.login.state.person = undefined;
    expect(await heading((await planted.follow(url)).response)).toBe('Sign in');
  });

  it('sign-in-S3: signing in again ends the session before', async () => {
    const { url } = await under.ask(under.principal('alice'));
    await browser.follow(url);
    const first = session(browser) ?? '';
    browser.cookies('127.0.0.1').delete(sessionName(under.origin));
    const { url: second } = await browser.follow(url, `${under.origin}/connect/sign-in/callback`);
    browser.cookies('127.0.0.1').set(sessionName(under.origin), first);
    await browser.follow(second);
    expect(session(browser)).not.toBe(first);
    const thief = new Browser();
    thief.cookies('127.0.0.1').set(sessionName(under.origin), first);
    under.login.state.person = undefined;
    expect(await heading((await thief.follow(url)).response)).toBe('Sign in');
  });

  it('sign-in-S4: no parameter decides where a sign-in leads back to (open redirect)', async () => {
    const { url, pageId } = await under.ask(under.principal('alice'));
    const { url: callback } = await browser.follow(
      `${url}?back=https://evil.example&return_to=//evil.example`,
      `${under.origin}/connect/sign-in/callback`,
    );
    for (const name of ['back', 'return_to', 'redirect', 'next', 'target_link_uri']) {
      callback.searchParams.set(name, 'https://evil.example/');
    }
    const response = await browser.send(callback);
    expect([response.status, response.headers.get('location')]).toEqual([303, `/connect/${pageId}`]);
  });

  it('visit-V1: a person who is called the same at another issuer is another person', async () => {
    const { url, pageId } = await under.ask({ issuer: 'https://login.example', subject: 'alice' });
    expect(await heading((await browser.follow(url)).response)).toBe('This link was made for somebody else');
    expect(await heading(await browser.submit(url))).toBe('This link was made for somebody else');
    expect(await under.outcome(pageId)).toBeUndefined();
  });

  it('visit-V1: a page that wants a code and has none lets nobody in', async () => {
    const { url, pageId } = await under.ask(under.principal('alice'), { check: 'code' });
    for (const code of ['', 'undefined', 'QUIET-HARBOR']) {
      expect(await textOf(await browser.submit(url, { do: 'code', code }))).toContain('That is not the code.');
    }
    expect(await under.outcome(pageId)).toBeUndefined();
  });

  it('the wrong person can sign in as somebody else, by our own form only, and goes on where the link led', async () => {
    under.login.state.person = 'bob';
    const { url, pageId } = await under.ask(under.principal('alice'));
    const refused = await browser.follow(url);
    expect(refused.response?.status).toBe(403);
    const bobs = session(browser);
    const forged = await browser.send(url, {
      method: 'POST',
      headers: { origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
      body: 'do=other-person',
    });
    expect(await heading(forged)).toBe('This form was not accepted');
    const to = await leavesTo(await browser.submit(url, { do: 'other-person' }));
    expect([to.origin, to.searchParams.get('prompt')]).toEqual([under.login.issuer, 'login']);
    expect(session(browser)).toBe(bobs);
    under.login.state.person = 'alice';
    // Bob's session there would have to be ended on a page that takes a script.
    browser.cookies('localhost').clear();
    expect(await heading((await browser.follow(to)).response)).toBe('Connect Notes Co');
    expect(session(browser)).not.toBe(bobs);
    expect(await under.outcome(pageId)).toBeUndefined();
  });

  it.each([
    ['send', 'Going to Notes Co'],
    ['decline', 'You declined'],
  ])(
    'visit-V1: a person whose session ended before their answer arrived is told, signs in beside it, and a reload sends it: %s',
    async (pressed, then) => {
      const { url, pageId } = await under.ask(under.principal('alice'));
      await browser.follow(url);
      const page = await (await browser.send(url)).text();
      const token = /name="form-token" value="([^"]*)"/u.exec(page)?.[1];
      const send = () =>
        browser.send(url, {
          method: 'POST',
          headers: { origin: under.origin, 'content-type': 'application/x-www-form-urlencoded' },
          body: `do=${pressed}&form-token=${token}`,
        });
      browser.cookies('127.0.0.1').delete(sessionName(under.origin));
      const refused = await send();
      expect(refused.status).toBe(403);
      const told = await textOf(refused);
      expect(told).toContain('Nothing was sent.');
      expect(told).not.toContain('http-equiv="refresh"');
      expect(told).toContain(`<a href="/connect/${pageId}" target="_blank">Sign in in a new tab</a>`);
      expect(await under.outcome(pageId)).toBeUndefined();
      // Somebody else who signs in there sends nothing by it.
      under.login.state.person = 'bob';
      browser.cookies('localhost').clear();
      await browser.follow(url);
      expect(await heading(await send())).toBe('This link was made for somebody else');
      browser.cookies('127.0.0.1').delete(sessionName(under.origin));
      browser.cookies('localhost').clear();
      under.login.state.person = 'alice';
      expect(await heading((await browser.follow(url)).response)).toBe('Connect Notes Co');
      const sent = await send();
      expect(await heading(sent.status === 303 ? await browser.send(await finished(sent)) : sent)).toBe(then);
    },
  );

  it('sign-in-S5: signing in to another server at another port of the same host leaves this session alone', async () => {
    const { url } = await under.ask(under.principal('alice'));
    expect(await heading((await browser.follow(url)).response)).toBe('Connect Notes Co');
    const other = await startPages();
    const { url: elsewhere } = await other.ask(other.principal('alice'));
    expect(await heading((await browser.follow(elsewhere)).response)).toBe('Connect Notes Co');
    for (const each of [under, other]) each.login.state.person = undefined;
    expect(await heading((await browser.follow(url)).response)).toBe('Connect Notes Co');
    expect(await heading((await browser.follow(elsewhere)).response)).toBe('Connect Notes Co');
    // What one of them is sent of the other's says nothing to it.
    const lone = new Browser();
    lone.cookies('127.0.0.1').set(sessionName(other.origin), session(browser)!);
    expect(await heading((await lone.follow(elsewhere)).response)).toBe('Sign in');
    await other.close();
  });

  it('elicit-url-68; sign-in-S5: cookies are HttpOnly and SameSite=Lax, and two of one name count as none', async () => {
    const { url } = await under.ask(under.principal('alice'));
    const begun = await browser.send(url);
    expect(begun.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^midcall-sign-in-[\w-]{12}=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/),
    ]);
    await browser.follow(url);
    const name = sessionName(under.origin);
    const cookie = `${name}=planted; ${name}=${session(browser)}`;
    const response = await fetch(url, { headers: { cookie }, redirect: 'manual' });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toContain(under.login.issuer);
  });
});

it('elicit-url-40; sign-in-S5: cookies over https are Secure and __Host-, and a session under the plain name counts for nothing', async () => {
  const key = new Uint8Array(32).map((_, index) => index * 11);
  const login = provider({ id: 'login', issuer: under.login.issuer, clientId: 'pages', clientSecret });
  const https = connect({
    name: 'Test notes',
    baseUrl: 'https://notes.example/connect',
    signIn: signIn(login, { store: under.store, key }),
  });
  const service = https.attach(lend(under.store, key, []));
  const pageId = service.newPageId();
  const page = confirm();
  const call = { method: 'tools/call', name: 'act', principal: under.principal('alice') } as never;
  const times = { askedAt: Date.now(), dueAt: Date.now() + 60_000 };
  await service.open({ pageId, ...page, message: 'Sure?', check: 'sign-in', call, arguments: {}, ...times } as never);
  const begun = await https.fetch(
    new Request(`https://notes.example/connect/${pageId}`, {
      headers: { cookie: `${sessionName('https://notes.example')}=anything` },
    }),
  );
  expect(begun.status).toBe(303);
  expect(begun.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-midcall-sign-in-[\w-]{12}=[\w-]{43}; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/),
  ]);
  const redirect = new URL(begun.headers.get('location') ?? '').searchParams.get('redirect_uri');
  expect(redirect).toBe('https://notes.example/connect/sign-in/callback');
  const other = service.newPageId();
  await service.open({
    pageId: other,
    ...page,
    message: 'Sure?',
    check: 'none',
    call,
    arguments: {},
    ...times,
  } as never);
  const shown = await https.fetch(new Request(`https://notes.example/connect/${other}`));
  expect(shown.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-midcall-[\w-]{12}=m1\.[\w-]+; Path=\/; Secure; Max-Age=60; HttpOnly; SameSite=Lax$/),
  ]);
  const cookie = (shown.headers.getSetCookie()[0] ?? '').split(';')[0]!.replace('__Host-', '');
  const again = await https.fetch(new Request(`https://notes.example/connect/${other}`, { headers: { cookie } }));
  expect(again.headers.getSetCookie()).toHaveLength(1);
  await https.close();
});

it('a person whose server of sign-ins cannot be reached is led back to the page that they came for', async () => {
  const key = new Uint8Array(32).map((_, index) => index * 13);
  const gone = provider({ id: 'login', issuer: 'http://127.0.0.1:9', clientId: 'pages', clientSecret });
  const pages = connect({
    name: 'Test notes',
    baseUrl: 'https://notes.example/connect',
    signIn: signIn(gone, { store: under.store, key }),
  });
  const service = pages.attach(lend(under.store, key, []));
  const pageId = service.newPageId();
  const call = { method: 'tools/call', name: 'act', principal: { issuer: gone.issuer, subject: 'alice' } } as never;
  const times = { askedAt: Date.now(), dueAt: Date.now() + 60_000 };
  await service.open({
    pageId,
    ...confirm(),
    message: 'Sure?',
    check: 'sign-in',
    call,
    arguments: {},
    ...times,
  } as never);
  const page = await textOf(await pages.fetch(new Request(`https://notes.example/connect/${pageId}`)));
  expect(headingOf(page)).toBe('You are not signed in');
  expect(page).toContain(`<a href="/connect/${pageId}">Try again</a>`);
  await pages.close();
});

it('no secret is in an address, a warning, an audit event or an outcome', () => {
  const said = inspect(under.said, { depth: 20 });
  expect(said).toContain('page-finished');
  expect(said).not.toContain(clientSecret);
});
