/** The tokens that a provider grants, and how they are stored and read back. Pure. */
import type { ClientIdentity } from './identity.ts';

/** Tokens of one sign-in. They stay on the server: in the vault, and in calls to the provider's API. */
export interface OAuthTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Milliseconds since the epoch; absent if the provider does not say. */
  readonly expiresAt?: number;
  readonly scopes: readonly string[];
  /** The server's identity there, if the operator did not register it: the tokens are for that client only. */
  readonly client?: ClientIdentity;
}

/** A sign-in as stored in the vault; without tokens it has ended, and the person must sign in again. */
export interface StoredSignIn {
  readonly tokens?: OAuthTokens;
  /** The scopes that were requested and not granted. */
  readonly refused?: readonly string[];
  /** How often the tokens were renewed. */
  readonly renewed: number;
  /** True if a renewal gave a new refresh token; false if one kept the old token, which may then be used again. */
  readonly rotates?: boolean;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Reads back a stored sign-in; undefined for anything of another shape. */
export function readSignIn(value: unknown): StoredSignIn | undefined {
  const stored = value as Partial<StoredSignIn> | null | undefined;
  if (typeof stored !== 'object' || stored === null) return undefined;
  if (typeof stored.renewed !== 'number' || typeof stored.since !== 'number') return undefined;
  if (stored.tokens === undefined) return stored as StoredSignIn;
  const { accessToken, scopes } = stored.tokens;
  return typeof accessToken === 'string' && Array.isArray(scopes) ? (stored as StoredSignIn) : undefined;
}

/** These scopes request a kind of sign-in and allow nothing at the API; many providers omit them from the granted scopes. */
const noPermission: ReadonlySet<string> = new Set(['openid', 'offline_access']);

/** The wanted scopes that were not granted. */
export function lacking(granted: readonly string[], requested: readonly string[]): readonly string[] {
  return requested.filter(scope => !granted.includes(scope) && !noPermission.has(scope));
}

/** Tokens after a renewal: what the provider omitted stays unchanged (RFC 6749, section 6). */
export function renewedTokens(before: OAuthTokens, after: OAuthTokens): OAuthTokens {
  const refreshToken = after.refreshToken ?? before.refreshToken;
  return { ...after, ...(refreshToken !== undefined && { refreshToken }) };
}
