/**
 * Tokens renewed without a person, with a refresh token or with this host's own credentials, and revoked.
 */

import { own } from '@midcall/core/json';
import type { Clock } from '@midcall/core/time';
import { refreshAuthorization } from '@modelcontextprotocol/client';
import { type Discovered, printable } from './discovery.ts';
import { registeredClient } from './registration.ts';
import type { ServerAuth } from './server-auth.ts';
import { authenticatedRequest, fetchTokens, oauthCode, tokenProblem } from './token-requests.ts';
import { type Grant, withoutTokens, withTokens } from './vault.ts';

/** How an authorization server is asked. */
export interface RenewalParts {
  /** Undefined if the server names none; then nothing changes. */
  readonly discovered: Discovered | undefined;
  readonly auth: ServerAuth;
  /** The scopes that the server has asked for, separated by spaces. */
  readonly scope: string | undefined;
  readonly fetch: typeof fetch;
  /** Milliseconds since the epoch. */
  readonly clock: Clock;
}

/**
 * Client credentials (RFC 6749, 4.4).
 * @throws MidcallError `host/unauthorized` if there are no tokens
 */
export async function ownTokens(
  grant: Grant | undefined,
  { discovered, auth, scope: requestedScope, fetch, clock }: RenewalParts,
): Promise<Grant | undefined> {
  if (!discovered) return grant;
  const client = registeredClient(discovered, auth, undefined, clock.now())!;
  const scope = requestedScope ?? auth.scopes?.join(' ') ?? discovered.scopesSupported;
  try {
    const form = { grant_type: 'client_credentials', ...(scope !== undefined && { scope }) };
    const tokens = await fetchTokens(discovered, client.information, form, fetch);
    return withTokens({ issuer: discovered.issuer }, tokens, clock.now());
  } catch (error) {
    throw tokenProblem(`The request for a token at ${printable(discovered.issuer)}`, error, [auth.clientSecret ?? '']);
  }
}

/**
 * Presents a refresh token (RFC 6749, 6) to its own issuer only.
 * @returns the grant with new tokens, or without any if the authorization server no longer accepts the refresh token
 * @throws MidcallError `host/unauthorized` if the authorization server cannot be reached
 */
export async function refreshed(
  grant: Grant,
  { discovered, auth, fetch, clock }: Omit<RenewalParts, 'scope'>,
): Promise<Grant> {
  if (discovered?.issuer !== grant.issuer) return grant;
  const client = registeredClient(discovered, auth, grant.client, clock.now());
  if (!client) return withoutTokens(grant);
  const refreshToken = grant.tokens!.refresh_token!;
  try {
    const scopes = auth.scopeAtRefresh ? (grant.tokens!.scope ?? grant.scope) : undefined;
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
    const tokens =
      scopes === undefined
        ? await refreshAuthorization(discovered.issuer, {
            metadata: discovered.metadata,
            clientInformation: client.information,
            refreshToken,
            fetchFn: fetch,
            ...(discovered.resource !== undefined && { resource: discovered.resource }),
          })
        : {
            refresh_token: refreshToken,
            ...(await fetchTokens(discovered, client.information, { ...form, scope: scopes }, fetch)),
          };
    const { scope = grant.tokens!.scope } = tokens;
    return withTokens(grant, { ...tokens, ...(scope !== undefined && { scope }) }, clock.now());
  } catch (error) {
    const code = oauthCode(error);
    if (code === undefined || code === 'server_error' || code === 'temporarily_unavailable')
      throw tokenProblem(`The renewal of the sign-in at ${printable(discovered.issuer)}`, error, [refreshToken]);
    const { client: _, ...rest } = withoutTokens(grant);
    return code === 'invalid_client' ? rest : withoutTokens(grant);
  }
}

/**
 * Revokes tokens at the authorization server that issued them (RFC 7009): the refresh token, upon which a good authorization server also revokes the access tokens; without one, the access
 * token.
 * @returns false if the authorization server revokes none, or is not the one that issued them
 * @throws if it cannot be reached
 */
export async function revoked(
  { issuer, client: registered, tokens }: Grant,
  { discovered, auth, fetch, clock }: Omit<RenewalParts, 'scope'>,
): Promise<boolean> {
  const endpoint = own(discovered?.metadata, 'revocation_endpoint');
  if (!tokens || discovered?.issuer !== issuer || typeof endpoint !== 'string') return false;
  const client = registeredClient(discovered, auth, registered, clock.now());
  if (!client) return false;
  const { refresh_token: refresh, access_token: access } = tokens;
  for (const [token, hint] of [
    [refresh, 'refresh_token'],
    [access, 'access_token'],
  ] as const) {
    if (token === undefined) continue;
    const response = await fetch(endpoint, authenticatedRequest(discovered, client, { token, token_type_hint: hint }));
    await response.body?.cancel();
    // Some do not revoke access tokens (unsupported_token_type): those expire soon and are no longer renewed.
    if (!response.ok) return hint === 'access_token' && refresh !== undefined;
  }
  return true;
}
