/**
 * Signing people in on the pages of an HTTP server: OpenID Connect against the authorization server that also issues the
 * MCP tokens, so that a page can tell whether its visitor is the person of the call.
 *
 * - sign-in-S1 The person's identity is read from an ID token whose signature, issuer, audience, nonce and time are valid; with
 *   PKCE, `state` and `iss` as for every provider.
 * - sign-in-S2 A sign-in ends in the browser that began it: the flow is tied to a cookie, so that a callback sent to somebody
 *   else signs nobody in.
 * - sign-in-S3 A session begins with a new random id; the browser's previous one is ended. Nothing that a browser brings
 *   becomes a session.
 * - sign-in-S4 The return address of a sign-in was sealed when it began; no parameter decides it.
 * - sign-in-S5 Cookies are HttpOnly and SameSite=Lax; over https also Secure and `__Host-`, so that no neighbouring host can
 *   plant one. Two with the same name count as none. A session cookie's name includes the location of its pages: another server
 *   on this host, at another port or path, has its own.
 */
import { hash } from 'node:crypto';
import { anything, checkKind, checkOptions, count, oneOf, required, storeKind } from '@midcall/core/options';
import { onlyCookie, seeOther } from '@midcall/core/page';
import { boundedStore, type Store } from '@midcall/core/store';
import { type Clock, clockKind } from '@midcall/core/time';
import type { Principal } from '../../base/index.ts';
import { createSealer, type KeySource, keyRing } from '../../state/index.ts';
import type { SignIn, VisitDesk } from '../pages/page.ts';
import { flows, randomToken, single } from './flows.ts';
import { type Provider, providerKind } from './provider.ts';
import { ProviderError } from './provider-error.ts';

/** The options for signing in. */
export interface SignInOptions {
  /** Where sessions live. */
  readonly store: Store;
  /** The keys that seal them; `MIDCALL_KEY` or `MIDCALL_KEY_FILE` if absent. */
  readonly key?: KeySource;
  /** The current time, and timers; this machine's clock if absent. */
  readonly clock?: Clock;
  /** Milliseconds a session lasts; 1 hour if absent. */
  readonly sessionMs?: number;
  /**
   * How the authorization server is told to let the person sign in as somebody else (`prompt` of OpenID Connect): `login` if
   * absent; use `select_account` if it supports only that.
   */
  readonly otherPerson?: 'login' | 'select_account';
}

interface SignInFlow {
  readonly verifier: string;
  readonly nonce: string;
  readonly back: string;
  readonly redirectUri: string;
  /** The digest of the cookie of the browser that began. */
  readonly browser: string;
  readonly [key: string]: string;
}

/** What of a sign-in that arrived is remembered: it leads the browser that began it back, and signs nobody in. */
type SignInLeft = Pick<SignInFlow, 'back' | 'browser'>;

/** The longest a person may take to sign in. */
const AWAY_MS = 10 * 60_000;

const sha256 = (text: string): string => hash('sha256', text, 'base64url');

/**
 * Signs people in on the pages of an HTTP server; give it to `connect({ signIn })`.
 *
 * @param server - the authorization server, as a provider; `openid` is asked for besides its scopes. Its subjects must be the
 *   ones in the MCP tokens: an OpenID provider that gives each client pairwise subjects does not fit
 * @example
 * ```ts
 * const pages = connect({ name: 'Notes', baseUrl: 'https://notes.example.com', signIn: signIn(company, { store, key }) });
 * ```
 */
export function signIn(server: Provider, options: SignInOptions): SignIn {
  checkKind('signIn', 'the first argument', server, providerKind);
  checkOptions('signIn', options, {
    store: required(storeKind),
    key: anything,
    clock: clockKind,
    sessionMs: count,
    otherPerson: oneOf('login', 'select_account'),
  });
  if (!server.client.registered) throw new TypeError(`signIn: the provider '${server.id}' needs a clientId.`);
  const { sessionMs = 60 * 60_000, otherPerson = 'login' } = options;
  const store = boundedStore(options.store, options.clock);
  const sealer = createSealer(keyRing(options.key));
  const under = flows<SignInFlow, SignInLeft>(store, sealer, 'sign-in', 'A sign-in in progress');
  const sessions = flows<{ issuer: string; subject: string }>(
    store,
    sealer,
    'session',
    'The session of a signed-in person',
  );
  const scopes = [...new Set(['openid', ...server.scopes])];
  let desk: VisitDesk | undefined;

  const mounted = (): VisitDesk => {
    if (desk) return desk;
    throw new TypeError('signIn: give it to connect({ signIn }) first.');
  };
  const warn = (message: string): void => mounted().warn(message);
  const callback = (at: VisitDesk): Promise<URL> => at.address('sign-in/callback');
  const secure = async (): Promise<boolean> => (await callback(mounted())).protocol === 'https:';
  const cookieName = (name: string, https: boolean): string => `${https ? '__Host-' : ''}midcall-${name}`;
  const setCookie = (name: string, value: string, https: boolean, ms: number): string =>
    `${cookieName(name, https)}=${value}; Path=/; Max-Age=${Math.floor(ms / 1000)}; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`;
  const sessionName = async (): Promise<string> => `session-${sha256((await callback(mounted())).href).slice(0, 12)}`;
  const sessionOf = async (request: Request): Promise<string | undefined> =>
    cookie(request, cookieName(await sessionName(), await secure()));

  return {
    issuer: server.issuer,
    async principal(request) {
      const id = await sessionOf(request);
      const session = id === undefined ? undefined : await sessions.look(id, warn);
      return session && ({ issuer: session.issuer, subject: session.subject } satisfies Principal);
    },
    async begin(_request, back, how) {
      const redirectUri = (await callback(mounted())).href;
      const [state, verifier, nonce, browser] = [randomToken(), randomToken(), randomToken(), randomToken()];
      let to: URL;
      try {
        const parameters = { ...server.parameters, ...(how?.other && { prompt: otherPerson }) };
        to = await server.client.authorizationUrl({ redirectUri, state, verifier, nonce, scopes, parameters });
      } catch (error) {
        if (error instanceof ProviderError) return mounted().trouble(notSignedIn(error, back.pathname));
        throw error;
      }
      const flow = { verifier, nonce, back: back.pathname, redirectUri, browser: sha256(browser) };
      await under.begin(state, flow, AWAY_MS);
      const https = await secure();
      return seeOther(to.href, [setCookie(`sign-in-${sha256(state).slice(0, 12)}`, browser, https, AWAY_MS)]);
    },
    mount(app, pageDesk) {
      desk = pageDesk;
      app.get('/sign-in/callback', async context => {
        const request = context.req.raw;
        const parameters = new URL(request.url).searchParams;
        const https = await secure();
        const state = single(parameters, 'state');
        if (state === undefined) return pageDesk.trouble(unknownSignIn);
        const flow = await under.look(state, warn);
        const begun = flow ?? (await under.left(state, warn));
        if (!begun) return pageDesk.trouble(unknownSignIn);
        const name = `sign-in-${sha256(state).slice(0, 12)}`;
        const browser = cookie(request, cookieName(name, https));
        if (flow && browser === undefined) return pageDesk.trouble(noCookie((await callback(pageDesk)).hostname));
        const { back } = begun;
        if (browser === undefined || sha256(browser) !== begun.browser) return pageDesk.trouble(unknownSignIn);
        // Whoever reloads this while it takes its time begins anew at the page, which tells whether they are signed in.
        if (!flow || !(await under.take(state, warn, { back, browser: flow.browser }))) return seeOther(back);
        const returned = new URL(flow.redirectUri);
        returned.search = parameters.toString();
        try {
          const { verifier, nonce } = flow;
          const { subject } = await server.client.exchange(returned, { state, verifier, nonce, scopes });
          if (!subject) throw new ProviderError(`${server.name} did not say who signed in.`, 'refused');
          const before = await sessionOf(request);
          if (before !== undefined) await sessions.take(before, warn);
          const id = randomToken();
          await sessions.begin(id, subject, sessionMs);
          return seeOther(back, [setCookie(await sessionName(), id, https, sessionMs), setCookie(name, '', https, 0)]);
        } catch (error) {
          if (error instanceof ProviderError) return pageDesk.trouble(notSignedIn(error, back));
          throw error;
        }
      });
    },
  };
}

const notSignedIn = (error: ProviderError, back: string) => ({
  title: 'You are not signed in',
  lines: [error.message],
  back,
});

const noCookie = (host: string) => ({
  title: 'This sign-in is not known',
  lines: [
    'It was begun in another browser, or this one refuses cookies. Nobody was signed in now.',
    `If it was this one, allow cookies for ${host}, or use a window that is not private.`,
    'Then open the link your assistant showed, and start from there.',
  ],
});

const unknownSignIn = {
  title: 'This sign-in is not known',
  lines: [
    'It was finished before, took too long, or was begun in another browser. Nobody was signed in now.',
    'Open the link your assistant showed, and start from there.',
  ],
};

/** The only value of a cookie (sign-in-S5). */
function cookie(request: Request, name: string): string | undefined {
  const value = onlyCookie(request, name);
  return value !== undefined && value.length <= 200 ? value : undefined;
}
