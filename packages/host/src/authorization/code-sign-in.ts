/**
 * Signing in with an authorization code and PKCE (basic/authorization, "Authorization Code Protection"): the person opens the
 * authorization server's page in a browser on this machine, and returns to a listener of ours.
 */
import { randomBytes } from 'node:crypto';
import { MidcallError } from '@midcall/core/errors';
import {
  exchangeAuthorization,
  OAuthError,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import { type Callback, CallbackListener } from './callback-listener.ts';
import { printable } from './discovery.ts';
import { register, registeredClient } from './registration.ts';
import { notSignedIn, type SignInParts } from './sign-in.ts';
import { tokenProblem } from './token-requests.ts';
import type { RegisteredClient } from './vault.ts';

/** @throws MidcallError `host/unauthorized` if nobody is signed in then */
export async function signInByCode(parts: SignInParts): Promise<void> {
  const { discovered, ask, scope } = parts;
  const { issuer, metadata, resource } = discovered;
  const { listener, client } = await prepared(parts);
  const over = new AbortController();
  try {
    const state = randomBytes(32).toString('base64url');
    const started = await startAuthorization(issuer, {
      metadata,
      clientInformation: client.information,
      redirectUrl: listener.redirectUri,
      state,
      ...(scope !== undefined && { scope }),
      ...(resource !== undefined && { resource }),
    });
    const returned = listener.awaited(state);
    const ended = ask(
      { issuer, url: started.authorizationUrl.href, scopes: scope?.split(' ') ?? [], more: parts.more },
      over.signal,
    );
    const first = await Promise.race([returned, ended]);
    if ('how' in first) {
      if (first.how === 'completed') return;
      throw notSignedIn(issuer, first);
    }
    await finish(first, { ...parts, client, redirectUri: listener.redirectUri, verifier: started.codeVerifier });
    over.abort({ how: 'completed' });
  } finally {
    over.abort({ how: 'withdrawn' });
    listener.close();
  }
}

/** The listener, and the client whose redirect URI it is. */
async function prepared(
  parts: SignInParts,
): Promise<{ readonly listener: CallbackListener; readonly client: RegisteredClient }> {
  const { discovered, auth, scope, name, fetch, clock, keepClient } = parts;
  const stored = registeredClient(discovered, auth, parts.client, clock.now(), scope);
  const port = auth.redirectPort ?? (stored?.redirectUri === undefined ? 0 : Number(new URL(stored.redirectUri).port));
  const preferred = await CallbackListener.open(port, auth.redirectHost);
  if (!preferred && auth.redirectPort !== undefined)
    throw new MidcallError(
      'host/unauthorized',
      `Port ${auth.redirectPort} ('redirectPort' in 'auth') is taken. Stop the process that uses it, and try again.`,
    );
  const listener = preferred ?? (await CallbackListener.open(0, auth.redirectHost));
  if (!listener) throw new MidcallError('host/unauthorized', 'No port on this machine could be opened.');
  if (stored && (preferred || stored.from !== 'registration')) return { listener, client: stored };
  try {
    const { redirectUri } = listener;
    const client = await register({
      discovered,
      auth,
      name,
      redirectUri,
      fetch,
      now: clock.now(),
    });
    await keepClient(client);
    return { listener, client };
  } catch (error) {
    listener.close();
    throw error;
  }
}

interface Returning extends SignInParts {
  readonly client: RegisteredClient;
  readonly redirectUri: string;
  readonly verifier: string;
}

/** Redeems the code, and tells the browser how that went. */
async function finish({ parameters, answer }: Callback, parts: Returning): Promise<void> {
  const { discovered, client, redirectUri, verifier, fetch } = parts;
  const { issuer, metadata, resource } = discovered;
  const code = single(parameters, 'code');
  try {
    const iss = single(parameters, 'iss');
    // RFC 9207, 2.4: checked first, since an error from another server means nothing either.
    validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
    });
    const error = single(parameters, 'error');
    if (error !== undefined) throw new OAuthError(error, single(parameters, 'error_description') ?? '');
    if (code === undefined) throw new Error('no code');
    const tokens = await exchangeAuthorization(issuer, {
      metadata,
      clientInformation: client.information,
      authorizationCode: code,
      codeVerifier: verifier,
      redirectUri,
      fetchFn: fetch,
      ...(iss !== undefined && { iss }),
      ...(resource !== undefined && { resource }),
    });
    await parts.keepTokens(client, tokens);
    answer();
  } catch (error) {
    const problem = tokenProblem(`The sign-in at ${printable(issuer)}`, error, [code ?? '', verifier]);
    answer(problem.message);
    throw problem;
  }
}

/** A parameter that occurs once; a repeated one counts as absent (RFC 6749, 3.1). */
function single(parameters: URLSearchParams, name: string): string | undefined {
  const all = parameters.getAll(name);
  return all.length === 1 ? all[0] : undefined;
}
