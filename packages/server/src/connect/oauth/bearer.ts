/**
 * Who sends a request to an MCP endpoint: the person of an access token, from the authorization server that also signs
 * people in on the pages, so that a call and a page mean the same person.
 *
 * - bearer-B1 Only tokens meant for this server are accepted (`aud`, RFC 8707): one that was issued for another service and
 *   passed on to us is refused.
 * - bearer-B2 A token is read and forgotten: it is neither stored nor passed on.
 */

import { checkKind, checkOptions, listOf, required, text } from '@midcall/core/options';
import {
  type AuthInfo,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  requireBearerAuth,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Principal } from '../../base/index.ts';
import { type Provider, providerKind } from './provider.ts';

/** The options for checking tokens. */
export interface BearerOptions {
  /** The endpoint as clients name it, such as `https://notes.example.com/mcp`: the audience of its tokens. */
  readonly resource: URL;
  /** The scopes a token needs; none if absent. */
  readonly scopes?: readonly string[];
}

/** The guard of an endpoint. */
export interface Bearer {
  /** For `serveHttp({ authenticate })`. */
  authenticate(request: Request): Promise<AuthInfo | Response>;
  /** For `midcall({ principal })`. */
  principal(ctx: ServerContext): Principal | undefined;
  /** The document that tells clients where to get a token (RFC 9728), for its address; undefined for any other. */
  metadata(request: Request): Response | undefined;
}

/**
 * Guards an MCP endpoint by the access tokens of an authorization server.
 *
 * @param server - the authorization server, as a provider. With its client secret it is asked about every token, if it offers
 *   introspection (RFC 7662): the answer must name the audience, a subject and an expiry, and a `token_type`, if it gives one,
 *   must be `Bearer`. Otherwise its tokens must be signed (RFC 9068)
 * @example
 * ```ts
 * const guard = bearer(company, { resource: new URL('https://notes.example.com/mcp'), scopes: ['notes'] });
 * const mid = midcall({ key, store, principal: guard.principal });
 * await serveHttp(() => notesServer(mid), { authenticate: guard.authenticate });
 * ```
 */
export function bearer(server: Provider, options: BearerOptions): Bearer {
  checkKind('bearer', 'the first argument', server, providerKind);
  checkOptions('bearer', options, {
    resource: required({ words: 'a URL: new URL(…)', fits: value => value instanceof URL }),
    scopes: listOf(text),
  });
  const { resource, scopes = [] } = options;
  const metadataUrl = getOAuthProtectedResourceMetadataUrl(resource);
  const guard = requireBearerAuth({
    expectedResource: resource,
    requiredScopes: [...scopes],
    resourceMetadataUrl: metadataUrl,
    verifier: {
      async verifyAccessToken(token) {
        const inspected = await server.client.inspect(token, resource.href);
        if (!inspected) throw new OAuthError(OAuthErrorCode.InvalidToken, 'This token is not valid here.');
        const { subject, clientId, expiresAt } = inspected;
        return {
          token,
          clientId,
          scopes: [...inspected.scopes],
          expiresAt,
          resource,
          extra: { iss: server.issuer, sub: subject },
        };
      },
    },
  });
  const document = JSON.stringify({
    resource: resource.href,
    authorization_servers: [server.issuer],
    bearer_methods_supported: ['header'],
    ...(scopes.length > 0 && { scopes_supported: scopes }),
  });
  return {
    async authenticate(request) {
      // The guard answers any failure with a bare 500, from which nobody would learn what to install.
      await server.client.ready();
      return await guard(request);
    },
    principal(ctx) {
      const { iss, sub } = ctx.http?.authInfo?.extra ?? {};
      return typeof iss === 'string' && typeof sub === 'string' ? { issuer: iss, subject: sub } : undefined;
    },
    metadata(request) {
      if (new URL(request.url).pathname !== new URL(metadataUrl).pathname) return undefined;
      const headers = { 'access-control-allow-origin': '*', 'content-type': 'application/json' };
      if (request.method === 'GET') return new Response(document, { headers });
      return new Response(null, { status: 405, headers: { ...headers, allow: 'GET' } });
    },
  };
}
