/** What a server says when it refuses a request for lack of a token (RFC 6750, RFC 9728). All of it is untrusted. Pure. */
import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client';

/** Why a request was refused, and what would be accepted. */
export interface Challenge {
  /** `token`: there was none, or none that is accepted (401); `scope`: the token lacks a scope (403 insufficient_scope). */
  readonly wants: 'token' | 'scope';
  /** The scopes that are needed, separated by spaces. */
  readonly scope?: string;
  /** Where the server's metadata is. */
  readonly metadataUrl?: URL;
}

/** @returns undefined for any other response */
export function challengeOf(response: Response): Challenge | undefined {
  if (response.status !== 401 && response.status !== 403) return undefined;
  const { scope, resourceMetadataUrl, error } = extractWWWAuthenticateParams(response);
  if (response.status === 403 && error !== 'insufficient_scope') return undefined;
  return {
    wants: response.status === 401 ? 'token' : 'scope',
    ...(scope !== undefined && { scope: withinScopes(scope) }),
    ...(resourceMetadataUrl && { metadataUrl: resourceMetadataUrl }),
  };
}

/** The most characters of a list of scopes; it becomes a part of the address of the sign-in page, and is shown to the person. */
const longestScopes = 4_000;

/**
 * As many whole scopes from the beginning of a list as fit; the rest is not asked for.
 * @param scopes - separated by spaces; untrusted
 */
export function withinScopes(scopes: string): string {
  if (scopes.length <= longestScopes) return scopes;
  const end = scopes.lastIndexOf(' ', longestScopes);
  return end < 0 ? '' : scopes.slice(0, end);
}
