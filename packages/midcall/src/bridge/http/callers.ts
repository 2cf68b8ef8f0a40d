/** Who calls a bridge over HTTP: each caller is one principal, identified by the credentials of the request. */
import { createHash } from 'node:crypto';
import { principalId } from '@midcall/server';
import type { Bearer } from '@midcall/server/connect';
import { type AuthInfo, OAuthError, OAuthErrorCode, requireBearerAuth } from '@modelcontextprotocol/server';

/** One principal of a bridge. */
export interface Caller {
  /** Identifies this principal in every request, and no other; written to the audit log. */
  readonly id: string;
  /** True for the person at this machine, who answers at the desk here. */
  readonly desk: boolean;
}

/** Identifies callers. */
export interface CallerGuard {
  /** The verified caller, or a response that refuses the request. */
  authenticate(request: Request): Promise<AuthInfo | Response>;
  callerOf(auth: AuthInfo): Caller;
  /** The document that tells clients where to get a token, if this is its address; undefined for any other. */
  metadata(request: Request): Response | undefined;
}

/** Treats everybody who can reach the bridge as the person at this machine: for loopback only. */
export const localCaller: Caller = { id: 'local', desk: true };

/** One of the operator's own bearer tokens. */
export interface CallerToken {
  readonly token: string;
  /** The name of its holder. Several tokens may name the same principal. */
  readonly principal: string;
  readonly desk: boolean;
}

/** A guard that accepts these tokens. It keeps only their digests. */
export function tokenGuard(tokens: readonly CallerToken[]): CallerGuard {
  // A digest is looked up, not compared character by character, so the time that takes reveals nothing about a token.
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
    callerOf: ({ extra }) => ({
      id: principalId({ issuer, subject: String(extra?.['sub']) }),
      desk: extra?.['desk'] === true,
    }),
    metadata: () => undefined,
  };
}

/** A guard that accepts the tokens of an authorization server. Its callers are on other machines, and have no desk here. */
export function issuerGuard({ authenticate, metadata }: Bearer): CallerGuard {
  return {
    authenticate,
    callerOf: ({ extra }) => ({
      id: principalId({ issuer: String(extra?.['iss']), subject: String(extra?.['sub']) }),
      desk: false,
    }),
    metadata,
  };
}

const issuer = 'midcall-bridge';
const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');
