/**
 * Requests for tokens that the SDK has no function for, and why an authorization server issued none. That is said in words without
 * secrets: a response that is not an OAuth error may quote anything, so it is not repeated.
 */

import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { fromJson, own } from '@midcall/core/json';
import { invalidResultIssue } from '@midcall/core/sdk-seam';
import { visible } from '@midcall/core/text';
import {
  fetchToken,
  InsecureTokenEndpointError,
  IssuerMismatchError,
  type OAuthClientProvider,
  OAuthError,
  type OAuthTokens,
  RegistrationRejectedError,
  type StoredOAuthClientInformation,
  selectClientAuthMethod,
} from '@modelcontextprotocol/client';
import { isUnreadableOAuthAnswer } from '../sdk-seam/index.ts';
import type { Discovered } from './discovery.ts';
import type { RegisteredClient } from './vault.ts';

/**
 * Requests tokens, of any grant type.
 * @param form - the parameters, with `grant_type`; the client and the resource are added
 * @throws what the SDK throws: an OAuthError if the authorization server refuses
 */
export function fetchTokens(
  { issuer, metadata, resource }: Discovered,
  client: StoredOAuthClientInformation,
  form: Readonly<Record<string, string>>,
  fetch: typeof globalThis.fetch,
): Promise<OAuthTokens> {
  const provider = {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [] },
    clientInformation: () => client,
    prepareTokenRequest: () => new URLSearchParams(form),
  };
  return fetchToken(provider as unknown as OAuthClientProvider, issuer, {
    metadata,
    fetchFn: fetch,
    ...(resource !== undefined && { resource }),
  });
}

/**
 * A request in which this host authenticates (RFC 6749, 2.3).
 * @param form - the request's own parameters
 * @returns the request, to be sent to an endpoint that was judged; it follows no redirect
 */
export function authenticatedRequest(
  { metadata }: Discovered,
  { information }: RegisteredClient,
  form: Readonly<Record<string, string | undefined>>,
): RequestInit {
  const { client_id: id, client_secret: secret } = information;
  const body = new URLSearchParams({ client_id: id });
  for (const [name, value] of Object.entries(form)) if (value !== undefined) body.set(name, value);
  const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' });
  const method = selectClientAuthMethod(information, metadata.token_endpoint_auth_methods_supported ?? []);
  if (secret !== undefined && method === 'client_secret_post') body.set('client_secret', secret);
  if (secret !== undefined && method === 'client_secret_basic')
    headers.set('authorization', `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`);
  return { method: 'POST', headers, body, redirect: 'error' };
}

/** The `error` of an OAuth answer (RFC 6749, section 5.2); undefined if there was none. */
export function oauthCode(error: unknown): string | undefined {
  if (!OAuthError.isInstance(error)) return undefined;
  return isUnreadableOAuthAnswer(error.code, error.message) ? undefined : error.code;
}

/**
 * @param what - what was tried, such as `The sign-in at https://login.example.com`
 * @param secrets - what was sent; a message that repeats one of them is not shown
 */
export function tokenProblem(what: string, error: unknown, secrets: readonly string[] = []): MidcallError {
  if (isMidcallError(error)) return error;
  const problem = (why: string): MidcallError =>
    new MidcallError('host/unauthorized', `${what} did not succeed: ${why}`, { cause: withoutSecrets(error) });
  if (IssuerMismatchError.isInstance(error))
    return problem(
      'the answer does not say that it comes from this authorization server (iss, RFC 9207). It was not used, since it may be meant to steal the sign-in.',
    );
  if (InsecureTokenEndpointError.isInstance(error)) return problem('its token endpoint is not encrypted (https).');
  if (RegistrationRejectedError.isInstance(error))
    return problem(
      `it refuses to register this host (HTTP ${error.status}${itsWords(error.body)}). Register one there by hand, and give its id as 'clientId' in 'auth'.`,
    );
  const code = oauthCode(error);
  if (code === undefined) {
    if (error instanceof TypeError || (error as Error)?.name === 'TimeoutError')
      return problem('the authorization server cannot be reached.');
    const issue = invalidResultIssue(String((error as Error | null)?.message));
    return problem(
      `the authorization server sent an answer that OAuth does not allow${issue?.path ? ` (${visible(issue.path, { max: 100 })})` : ''}.`,
    );
  }
  const message = (error as Error).message;
  const repeats = secrets.some(secret => secret.length > 5 && message.includes(secret));
  const quote = message === '' || message === code || repeats ? '' : `: “${visible(message, { max: 300 })}”`;
  return problem(`the authorization server says ${visible(code, { max: 100 })}${quote}.`);
}

/** What a refusal of a registration says (RFC 7591, 3.2.2), to follow its status. Nothing secret was sent. */
function itsWords(body: string): string {
  const answer = fromJson(body);
  const said = [own(answer, 'error'), own(answer, 'error_description')].filter(each => typeof each === 'string');
  return said.length === 0 ? '' : `, “${visible(said.join(': '), { max: 300 })}”`;
}

/** The kind of an error without its text, which may quote a response. */
function withoutSecrets(error: unknown): Error {
  const name = error instanceof Error ? error.name : typeof error;
  return new Error(name);
}
