/**
 * What a host stores of its sign-ins, and where: each is for one principal and one server. Secrets stay in the vault and in token
 * requests. A change excludes every other process, so that a refresh token that rotates is presented once.
 */

import { MidcallError } from '@midcall/core/errors';
import { isRecord } from '@midcall/core/json';
import { visible } from '@midcall/core/text';
import { MAX_DATE_MS } from '@midcall/core/time';
import type { OAuthTokens, StoredOAuthClientInformation } from '@modelcontextprotocol/client';

/** This host, as one authorization server knows it. */
export interface RegisteredClient {
  /** As the SDK has it: the id, possibly a secret, and how it authenticates. */
  readonly information: StoredOAuthClientInformation;
  /** Where it comes from: the person (by hand), a client metadata document, or a registration at the authorization server. */
  readonly from: 'hand' | 'document' | 'registration';
  /** The redirect URI it was registered with. */
  readonly redirectUri?: string;
  /** Milliseconds since the epoch; forever if absent. */
  readonly secretEndsAt?: number;
}

/** A sign-in to one server, or what is left of it. */
export interface Grant {
  /** The authorization server that all of this belongs to; none of it is ever sent to another. */
  readonly issuer: string;
  readonly client?: RegisteredClient;
  /** The scopes asked for so far, so that a later sign-in does not lose what an earlier one had. */
  readonly scope?: string;
  readonly tokens?: OAuthTokens;
  /** When the access token expires, in milliseconds since the epoch; unknown if absent. */
  readonly endsAt?: number;
}

/** How many milliseconds before its expiry a token is no longer sent. */
const marginMs = 20_000;

/** The moment so many seconds from now, which a server named; a later one than a `Date` can hold, such as Infinity, has no JSON. */
export const endOf = (now: number, seconds: number): number => Math.min(now + seconds * 1_000, MAX_DATE_MS);

/** True for a token that can be sent in a header (RFC 6749, A.12). The error of `fetch` about any other quotes it. */
export const isSendable = (token: string): boolean => /^[\x20-\x7e]+$/.test(token);

/**
 * Tokens as received, with the time at which they expire.
 * @throws MidcallError `host/unauthorized` for a token that cannot be sent
 */
export function withTokens(grant: Grant, tokens: OAuthTokens, now: number): Grant {
  if (!isSendable(tokens.access_token))
    throw new MidcallError(
      'host/unauthorized',
      `The authorization server ${visible(grant.issuer, { max: 300 })} gave a token with a character that no token may have.`,
    );
  const { endsAt: _, ...rest } = grant;
  const { expires_in: seconds } = tokens;
  return { ...rest, tokens, ...(seconds !== undefined && { endsAt: endOf(now, seconds) }) };
}

/** A sign-in whose tokens are no longer usable. */
export function withoutTokens({ tokens: _, endsAt: __, ...rest }: Grant): Grant {
  return rest;
}

/** True if the access token can be sent. */
export const isFresh = ({ tokens, endsAt }: Grant, now: number): boolean =>
  tokens !== undefined && isSendable(tokens.access_token) && (endsAt === undefined || now < endsAt - marginMs);

/** Whose sign-in, and for which server. */
export interface VaultKey {
  /** The person, or another principal that the server is reached for; one string for each. */
  readonly principal: string;
  /** The server's address. */
  readonly server: string;
}

/** Sign-ins of a host; see {@link vaultFolder}. */
export interface GrantVault {
  /**
   * @returns undefined if there is none
   * @throws MidcallError `host/refused` for one that cannot be read
   */
  read(key: VaultKey): Promise<Grant | undefined>;
  /**
   * Changes a sign-in while nobody else does, in this process or another.
   * @param make - given the present value; returns the new one, or undefined to remove it
   * @returns the new value
   * @throws what `make` throws; nothing is changed then
   */
  change(key: VaultKey, make: (grant: Grant | undefined) => Promise<Grant | undefined>): Promise<Grant | undefined>;
}

/**
 * A vault in memory, lost when the process ends.
 * @example
 * ```ts
 * const connection = new Connection(entry, { client: about, inbox, authorization: { vault: memoryVault() } });
 * ```
 */
export function memoryVault(): GrantVault {
  const grants = new Map<string, Grant>();
  const tails = new Map<string, Promise<unknown>>();
  const nameOf = ({ principal, server }: VaultKey): string => JSON.stringify([principal, server]);
  return {
    read: async key => grants.get(nameOf(key)),
    change(key, make) {
      const name = nameOf(key);
      const changed = (tails.get(name) ?? Promise.resolve())
        .catch(() => {})
        .then(async () => {
          const grant = await make(grants.get(name));
          if (grant) grants.set(name, grant);
          else grants.delete(name);
          return grant;
        });
      tails.set(name, changed);
      return changed;
    },
  };
}

/** True for a value with the shape of a sign-in. Its members were sealed by us, so only the shape is checked. */
export const isGrant = (value: unknown): value is Grant => isRecord(value) && typeof value['issuer'] === 'string';
