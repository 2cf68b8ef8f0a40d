/** Who calls a bridge over HTTP: one principal each, known by what authenticated the request. */
import { createHash } from 'node:crypto';
import type { Bearer } from '@midcall/server/connect';
import { type AuthInfo, OAuthError, OAuthErrorCode, requireBearerAuth } from '@modelcontextprotocol/server';

/** One principal of a bridge. */
export interface Caller {
  /** The same for every request of this principal, and of nobody else; it is in the record. */
  readonly id: string;
  /** True for the person at this machine, who answers on the desk here. */
  readonly desk: boolean;
}

/** Finds out who calls. */
export interface CallerGuard {
  /** The verified caller, or the response that refuses the request. */
  authenticate(request: Request): Promise<AuthInfo | Response>;
  callerOf(auth: AuthInfo): Caller;
  /** The document that tells clients where to get a token, for its address; undefined for any other. */
  metadata(request: Request): Response | undefined;
}

/** Everybody who can reach the bridge is the person at this machine: for loopback alone. */
export const localCaller: Caller = { id: 'local', desk: true };

/** A bearer token of the operator's own. */
export interface CallerToken {
  readonly token: string;
  /** The name of who holds it. Several tokens may name the same principal. */
  readonly principal: string;
  readonly desk: boolean;
}

/** A guard that knows these tokens. It keeps their digests alone. */
export function tokenGuard(tokens: readonly CallerToken[]): CallerGuard {
  // A digest is looked up, not compared letter by letter, so how long that takes says nothing about a token.
  const holders = new Map(tokens.map(({ token, principal, desk }) => [digestOf(token), { principal, desk }]));
  const authenticate = requireBearerAuth({
    verifier: {
      async verifyAccessToken(token) {
        const holder = holders.get(digestOf(token));
        if (!holder) throw new OAuthError(OAuthErrorCode.InvalidToken, 'This token is not valid here.');
        const { principal, desk } = holder;
        const extra = { iss: issuer, sub: principal, desk };
        return { token: '', clientId: principal, scopes: [], expiresAt: Number.MAX_SAFE_INTEGER, extra };
      },
    },
  });
  return {
    authenticate,
    callerOf: ({ extra }) => ({ id: idOf(issuer, extra?.['sub']), desk: extra?.['desk'] === true }),
    metadata: () => undefined,
  };
}

/** A guard that takes the tokens of an authorization server. Its people sit elsewhere, and have no desk here. */
export function issuerGuard({ authenticate, metadata }: Bearer): CallerGuard {
  return {
    authenticate,
    callerOf: ({ extra }) => ({ id: idOf(extra?.['iss'], extra?.['sub']), desk: false }),
    metadata,
  };
}

const issuer = 'midcall-bridge';
/** An issuer has no parenthesis in it, so that no two make the same. */
const idOf = (iss: unknown, sub: unknown): string => `${sub} (${iss})`;
const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');
