/** Revokes tokens at the authorization server that issued them (RFC 7009). */
import { own } from '@midcall/core/json';
import type { Grant } from './grant.ts';
import { knownClient } from './registration.ts';
import type { RenewalParts } from './renewal.ts';
import { authenticatedRequest } from './token-requests.ts';

/**
 * Revokes the refresh token, upon which a good authorization server also revokes the access tokens; without one, the access
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
  const client = knownClient(discovered, auth, registered, clock.now());
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
