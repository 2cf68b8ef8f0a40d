/** Requests to an authorization server that the SDK has no function for. */
import {
  fetchToken,
  type OAuthClientProvider,
  type OAuthTokens,
  type StoredOAuthClientInformation,
  selectClientAuthMethod,
} from '@modelcontextprotocol/client';
import type { Discovered } from './discovery.ts';
import type { KnownClient } from './grant.ts';

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
  { information }: KnownClient,
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
