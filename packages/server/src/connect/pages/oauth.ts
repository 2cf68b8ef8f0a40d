/**
 * The page that connects a person to a provider: it says what will be requested, leads there, takes the callback and stores
 * what was granted in the vault. The handler learns that it is done, but never a token.
 *
 * - connect-C1 The link is ours. Only the person who was asked can get to the provider, and only from our own page.
 * - connect-C2 A callback counts only in that person's browser: whoever returns is checked like whoever left. So passing a
 *   provider's address on to somebody else connects nobody to anything.
 * - connect-C3 Each provider has a callback address of its own, and a flow begun for one is not taken for another (mix-up, RFC
 *   9700 section 4.4, in addition to the check of `iss`).
 * - connect-C4 If less was granted than requested, the page names what is missing, and is finished only when the person
 *   continues without it.
 * - connect-C5 If the operator has not registered this server with a provider, it is known there by the address of a document
 *   served next to the callback, or by a dynamic registration (identities.ts).
 */

import { MidcallError } from '@midcall/core/errors';
import { checkKind, checkOptions, listOf, text } from '@midcall/core/options';
import { type Html, html } from '@midcall/core/page';
import type { Page } from '../../request/index.ts';
import { randomToken, single } from '../oauth/flows.ts';
import { type ClientIdentity, type ClientOffer, clientDocument, isReadable } from '../oauth/identity.ts';
import { type Provider, providerKind } from '../oauth/provider.ts';
import { ProviderError } from '../oauth/provider-error.ts';
import { lacking } from '../oauth/tokens.ts';
import type { Vault } from '../vault/vault.ts';
import type { PageKind, PageView, Visit, VisitDesk } from './page.ts';
import { safeText } from './view.ts';

/** How the pages of providers are served. */
export interface OAuthPageOptions {
  /** The scopes the call needs; the provider's own scopes if absent. */
  readonly scopes?: readonly string[];
}

/** What a handler learns about a completed sign-in. */
export interface Connected {
  readonly provider: string;
  /** The scopes that the person granted. */
  readonly scopes: readonly string[];
  /** The scopes that were requested and not granted; the person chose to continue without them. */
  readonly missing: readonly string[];
}

interface Data {
  readonly provider: string;
  readonly scopes: readonly string[];
}

const KIND = 'oauth';
/** The longest a person may take at the provider. */
const AWAY_MS = 15 * 60_000;

/**
 * A page where a person connects their account at a provider. The provider is made known to the pages by `connect({ kinds:
 * [oauthPages(vault, [provider])] })`. Afterwards `vault.token(call.principal, provider)` gives the access token for the
 * server's own calls.
 * @example
 * ```ts
 * const answer = await call.elicitUrl({ message: 'Connect your notes at Quill.', page: oauth(quill) });
 * ```
 */
export function oauth(provider: Provider, options: OAuthPageOptions = {}): Page<Connected> {
  checkKind('oauth', 'the first argument', provider, providerKind);
  checkOptions('oauth', options, { scopes: listOf(text) });
  const { scopes = provider.scopes } = options;
  return { kind: KIND, data: { provider: provider.id, scopes }, assurance: 'out-of-band' };
}

const view = ({ name, issuer }: Provider, scopes: readonly string[], problem?: string): PageView => ({
  title: `Connect ${name}`,
  send: `Continue to ${name}`,
  body: html`<p>You will sign in at <strong>${new URL(issuer).host}</strong> and come back here.</p>
${
  scopes.length > 0 &&
  html`<p>You will be asked to allow:</p>
${list(scopes)}`
}<p class="help">What you allow is kept encrypted on this server, for you alone. Your assistant and its model do not see it.</p>`,
  ...(problem === undefined ? {} : { problem }),
});

const list = (scopes: readonly string[]): Html =>
  html`<ul>${scopes.map(scope => html`<li><code>${safeText(scope, 200)}</code></li>`)}</ul>`;

/** What the page shows if the person has come back but something was not granted. */
const lesserView = ({ name }: Provider, missing: readonly string[], problem?: string): PageView => ({
  title: `${name} did not allow everything`,
  send: 'Continue',
  body: html`<p>You are connected, but ${name} did not allow:</p>
${list(missing)}
<p>What needs it will not work.</p>
<fieldset class="field"><legend>How do you want to go on?</legend><div class="options"><label class="option"><input type="radio" name="next" value="without" required><span>Go on without it</span></label><label class="option"><input type="radio" name="next" value="again" required><span>Ask ${name} again</span></label></div></fieldset>`,
  ...(problem === undefined ? {} : { problem }),
});

/**
 * The kind behind {@link oauth}.
 * @throws MidcallError `server/setup` for two providers with the same id
 * @example
 * ```ts
 * const keeper = vault({ store, key });
 * const pages = connect({ name: 'Library', vault: keeper, kinds: [oauthPages(keeper, [quill])] });
 * ```
 */
export function oauthPages(vault: Vault, providers: readonly Provider[]): PageKind {
  const byId = new Map(providers.map(each => [each.id, each]));
  if (byId.size !== providers.length) {
    throw new MidcallError('server/setup', 'Two providers have one id: each needs its own.');
  }
  let desk: VisitDesk | undefined;
  const providerOf = (id: string): Provider => {
    const provider = byId.get(id);
    if (provider) return provider;
    throw new MidcallError(
      'server/setup',
      `The provider '${id}' is not known here: give it to oauthPages(vault, [...]).`,
    );
  };
  const warn = (message: string): void => desk?.warn(message);
  const offer = async (at: VisitDesk, { id }: Provider): Promise<ClientOffer> => ({
    name: at.name,
    redirectUri: await at.address(`callback/${id}`),
    document: await at.address(`client/${id}`),
  });

  /** What this page requested: the missing scopes (connect-C4), and the granted ones. */
  const lesser = async (visit: Visit, provider: Provider, scopes: readonly string[]) => {
    const signedIn = mayConnect(visit) ? await vault.signedIn(visit.principal, provider) : undefined;
    const missing = scopes.filter(scope => signedIn?.refused.includes(scope));
    return signedIn && missing.length > 0 ? { granted: signedIn.scopes, missing } : undefined;
  };

  return {
    name: KIND,
    async show(visit) {
      const { provider: id, scopes } = visit.data as unknown as Data;
      const provider = providerOf(id);
      const less = await lesser(visit, provider, scopes);
      return less ? lesserView(provider, less.missing) : view(provider, scopes);
    },
    async submit(visit, sent) {
      const { provider: id, scopes } = visit.data as unknown as Data;
      const provider = providerOf(id);
      const less = await lesser(visit, provider, scopes);
      const next = sent.get('next')?.[0];
      if (less && next === 'without') {
        return { finish: () => ({ provider: id, scopes: less.granted, missing: less.missing }) satisfies Connected };
      }
      if (less && next !== 'again') return { again: lesserView(provider, less.missing, 'Choose how to go on.') };
      if (!desk || !mayConnect(visit)) {
        return {
          again: view(provider, scopes, 'This server cannot tell who you are, so nothing can be connected for you.'),
        };
      }
      const [state, verifier] = [randomToken(), randomToken()];
      const offered = await offer(desk, provider);
      const redirectUri = offered.redirectUri.href;
      try {
        const { parameters } = provider;
        const client = await vault.identities.at(provider, offered, warn);
        const request = { client, redirectUri, state, verifier, scopes, parameters };
        const to = await provider.client.authorizationUrl(request);
        const flow = { redirectUri, verifier, scopes, client: JSON.stringify(client ?? null) };
        await vault.flows.begin(state, { pageId: visit.pageId, provider: id, ...flow }, AWAY_MS);
        return { leave: { to, says: `Going to ${provider.name}` } };
      } catch (error) {
        if (error instanceof ProviderError) return { again: view(provider, scopes, error.message) };
        throw error;
      }
    },
    mount(app, pageDesk) {
      desk = pageDesk;
      // Public: whoever reads it learns what every authorization request says.
      app.get('/client/:provider', async context => {
        const provider = byId.get(context.req.param('provider'));
        if (!provider || provider.client.registered) return context.notFound();
        const offered = await offer(pageDesk, provider);
        if (!isReadable(offered)) return context.notFound();
        return context.json(clientDocument(offered), 200, { 'cache-control': 'public, max-age=3600' });
      });
      app.get('/callback/:provider', async context => {
        const callback = new URL(context.req.url).searchParams;
        const state = single(callback, 'state');
        const flow = state === undefined ? undefined : await vault.flows.look(state, warn);
        const provider = byId.get(context.req.param('provider'));
        if (state !== undefined && !flow) {
          const left = await vault.flows.left(state, warn);
          if (!left) return pageDesk.trouble(unknownFlow);
          // Checked like whoever came first, so that the page is shown to nobody else.
          const again = await pageDesk.enter(context.req.raw, left.pageId);
          return again instanceof Response ? again : pageDesk.trouble(cameBefore, again);
        }
        if (state === undefined || !flow || !provider || flow.provider !== provider.id)
          return pageDesk.trouble(unknownFlow);
        const visit = await pageDesk.enter(context.req.raw, flow.pageId);
        if (visit instanceof Response) return visit;
        if (!mayConnect(visit)) return pageDesk.trouble(unknownFlow);
        if (!(await vault.flows.take(state, warn, { pageId: visit.pageId })))
          return pageDesk.trouble(cameBefore, visit);
        // The address as we sent it, not the one in the request's Host.
        const returned = new URL(flow.redirectUri);
        returned.search = callback.toString();
        try {
          const client = (JSON.parse(flow.client) as ClientIdentity | null) ?? undefined;
          const { tokens } = await provider.client.exchange(returned, { ...flow, state, client });
          let stored = false;
          const keep = async (): Promise<void> => {
            await vault.keepSignIn(visit.principal, provider, tokens, flow.scopes);
            stored = true;
          };
          const stayOpen = async (): Promise<Response> => {
            // The page may have ended while the provider was asked.
            const again = await pageDesk.enter(context.req.raw, visit.pageId);
            if (again instanceof Response) return again;
            await keep();
            return pageDesk.back(visit.pageId);
          };
          const isLess = lacking(tokens.scopes, flow.scopes).length > 0;
          const page = await (isLess
            ? stayOpen()
            : pageDesk.finish(visit, async () => {
                await keep();
                return { provider: provider.id, scopes: tokens.scopes, missing: [] } satisfies Connected;
              }));
          // If another tab was first, the provider may treat both as one grant, which revoking would end.
          if (!stored && !(await vault.signedIn(visit.principal, provider))) {
            await provider.client.revoke(tokens).catch(() => false);
          }
          return page;
        } catch (error) {
          if (!(error instanceof ProviderError)) throw error;
          if (error.reason === 'invalid_client')
            await vault.identities.forget(provider, await offer(pageDesk, provider));
          return pageDesk.trouble({ title: `${provider.name} is not connected`, lines: [error.message] }, visit);
        }
      });
    },
  };
}

/** Only a checked visitor may connect an account: otherwise it could be the attacker's, or connected for them. */
const mayConnect = ({ principal, assurance }: Visit): boolean =>
  principal !== undefined && (assurance === 'out-of-band' || assurance === 'verified');

const cameBefore = {
  title: 'You came back here before',
  lines: [
    'The answer of the provider arrived then. It is being dealt with, or that is over. Nothing was done a second time.',
    'Go back to the page in a minute. If it still asks you to connect, do it once more.',
  ],
  says: 'Back to the page',
};

const unknownFlow = {
  title: 'This sign-in is not known',
  lines: [
    'It was finished before, took too long, or was begun elsewhere. Nothing was connected now.',
    'Open the link your assistant showed, and start from there.',
  ],
};
