/** A token request of a grant type that the SDK has no function for. */
import {
  fetchToken,
  type OAuthClientProvider,
  type OAuthTokens,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import type { Discovered } from './discovery.ts';

/**
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
