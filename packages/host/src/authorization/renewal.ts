/** Tokens got without a person: by a refresh token, or by this host's own credentials. */
import { visible } from '@midcall/core/text';
import { refreshAuthorization } from '@modelcontextprotocol/client';
import type { Discovered } from './discovery.ts';
import { fetchTokens } from './fetch-tokens.ts';
import { type Grant, withoutTokens, withTokens } from './grant.ts';
import { knownClient } from './registration.ts';
import type { ServerAuth } from './server-auth.ts';
import { oauthCode, tokenProblem } from './token-problem.ts';

/** How an authorization server is asked. */
export interface RenewalParts {
  /** Undefined if the server leads to none; then nothing changes. */
  readonly found: Discovered | undefined;
  readonly auth: ServerAuth;
  /** The scopes the server has said that it wants, separated by spaces. */
  readonly scope: string | undefined;
  readonly fetch: typeof fetch;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const shown = (text: string): string => visible(text, { max: 300 });

/**
 * Client credentials (RFC 6749, 4.4).
 * @throws MidcallError `host/unauthorized` if there are no tokens
 */
export async function ownTokens(
  grant: Grant | undefined,
  { found, auth, scope: wanted, fetch, now }: RenewalParts,
): Promise<Grant | undefined> {
  if (!found) return grant;
  const client = knownClient(found, auth, undefined, now())!;
  const scope = wanted ?? auth.scopes?.join(' ') ?? found.scopesSupported;
  try {
    const form = { grant_type: 'client_credentials', ...(scope !== undefined && { scope }) };
    const tokens = await fetchTokens(found, client.information, form, fetch);
    return withTokens({ issuer: found.issuer }, tokens, now());
  } catch (error) {
    throw tokenProblem(`The request for a token at ${shown(found.issuer)}`, error, [auth.clientSecret ?? '']);
  }
}

/**
 * Presents a refresh token (RFC 6749, 6), to its own issuer alone.
 * @returns the grant with new tokens; without any where the authorization server takes the refresh token no more
 * @throws MidcallError `host/unauthorized` if it cannot be asked
 */
export async function refreshed(
  grant: Grant,
  { found, auth, fetch, now }: Omit<RenewalParts, 'scope'>,
): Promise<Grant> {
  if (found?.issuer !== grant.issuer) return grant;
  const client = knownClient(found, auth, grant.client, now());
  if (!client) return withoutTokens(grant);
  const refreshToken = grant.tokens!.refresh_token!;
  try {
    const tokens = await refreshAuthorization(found.issuer, {
      metadata: found.metadata,
      clientInformation: client.information,
      refreshToken,
      fetchFn: fetch,
      ...(found.resource !== undefined && { resource: found.resource }),
    });
    const { scope = grant.tokens!.scope } = tokens;
    return withTokens(grant, { ...tokens, ...(scope !== undefined && { scope }) }, now());
  } catch (error) {
    const code = oauthCode(error);
    if (code === undefined || code === 'server_error' || code === 'temporarily_unavailable')
      throw tokenProblem(`The renewal of the sign-in at ${shown(found.issuer)}`, error, [refreshToken]);
    const { client: _, ...rest } = withoutTokens(grant);
    return code === 'invalid_client' ? rest : withoutTokens(grant);
  }
}
