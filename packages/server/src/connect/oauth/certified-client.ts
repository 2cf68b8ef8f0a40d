/**
 * OAuth as a client of a third party, and OpenID Connect: the authorization code flow over a certified library, one request per
 * function. Which requests are made, when and how often, is decided elsewhere.
 *
 * - oauth-O1 PKCE with S256 always; a provider whose metadata offers only weaker methods is refused.
 * - oauth-O2 Every endpoint is https, or http on loopback for development.
 * - oauth-O3 `state` is always checked; `iss` is checked if present, and required if the metadata promises it (RFC 9207).
 * - oauth-O4 Failures are reported as a {@link ProviderError}: without tokens, the provider's response, or a cause.
 * - oauth-O5 An answer of more than {@link mostBytes} is not read to its end.
 */

import { limitedFetch } from '@midcall/core/fetch';
import { MAX_DATE_MS } from '@midcall/core/time';
import * as jwt from 'oauth4webapi';
import * as oidc from 'openid-client';
import { type ClientIdentity, clientMetadata } from './identity.ts';
import { isSafeEndpoint, type OAuthClientOptions, type PresentedToken, type Requests } from './oauth-client.ts';
import { ProviderError, providerError } from './provider-error.ts';
import type { OAuthTokens } from './tokens.ts';

/** A `fetch` for the library's requests, whatever their type. */
type AnyFetch = (url: string, options: unknown) => Promise<Response>;

const METADATA_LIFE = 60 * 60_000;
/** The largest answer of a provider, in bytes. */
const mostBytes = 1024 * 1024;

/** How an ID token calls its person (OpenID Connect Core 5.1). */
function nameIn(claims: Readonly<Record<string, unknown>>): { readonly name?: string } {
  const name = [claims['name'], claims['preferred_username'], claims['email']].find(
    each => typeof each === 'string' && each.trim() !== '',
  );
  return name === undefined ? {} : { name: String(name).slice(0, 200) };
}

/** The requests, made with the certified library, which takes long to load. */
export function certifiedClient(options: OAuthClientOptions): Requests {
  const { name, issuer, issuerName, registered, timeoutMs, clock } = options;
  const fetch = limitedFetch(options.fetch ?? globalThis.fetch, { mostBytes });
  const keys: jwt.JWKSCacheInput = {};
  let cached: { readonly config: Promise<oidc.Configuration>; readonly until: number } | undefined;

  const resource = options.resource === undefined ? undefined : { resource: options.resource };
  const nobody: ClientIdentity = { id: 'not-registered' };
  const { id: clientId } = registered ?? nobody;
  const clientAuth = authOf(registered ?? nobody);
  // What the library checks by the clock (ID tokens) is checked by ours.
  const skew = (): Partial<oidc.ClientMetadata> => ({
    [oidc.clockSkew]: Math.round((clock.now() - Date.now()) / 1000),
  });

  const prepare = (config: oidc.Configuration): oidc.Configuration => {
    config.timeout = timeoutMs / 1000;
    config[oidc.customFetch] = fetch as oidc.CustomFetch;
    if (issuer.protocol === 'http:') oidc.allowInsecureRequests(config);
    if (config.serverMetadata().jwks_uri) oidc.enableNonRepudiationChecks(config);
    return config;
  };

  const discover = async (): Promise<oidc.Configuration> => {
    if (options.metadata) {
      const metadata = structuredClone(options.metadata) as unknown as oidc.ServerMetadata;
      return prepare(new oidc.Configuration(metadata, clientId, skew(), clientAuth));
    }
    const find = (algorithm: 'oidc' | 'oauth2') =>
      oidc.discovery(issuer, clientId, skew(), clientAuth, {
        algorithm,
        timeout: timeoutMs / 1000,
        [oidc.customFetch]: fetch as oidc.CustomFetch,
        ...(issuer.protocol === 'http:' && { execute: [oidc.allowInsecureRequests] }),
      });
    // A provider without OpenID Connect publishes under the name of RFC 8414 only.
    return prepare(await find('oidc').catch(error => find('oauth2').catch(() => Promise.reject(error))));
  };

  const configuration = (): Promise<oidc.Configuration> => {
    if (cached && cached.until > clock.now()) return cached.config;
    const discovery = discover().then(config => {
      judge(name, config.serverMetadata());
      return config;
    });
    const entry = { config: discovery, until: clock.now() + METADATA_LIFE };
    cached = entry;
    discovery.catch(() => {
      if (cached === entry) cached = undefined;
    });
    return discovery;
  };

  /** The provider's configuration for requests of this client. */
  const as = (discovered: oidc.Configuration, client: ClientIdentity | undefined): oidc.Configuration => {
    if (client === undefined || client.id === clientId) return discovered;
    const metadata = JSON.parse(JSON.stringify(discovered.serverMetadata())) as oidc.ServerMetadata;
    return prepare(new oidc.Configuration(metadata, client.id, skew(), authOf(client)));
  };

  const attempt = async <T>(
    run: (config: oidc.Configuration) => Promise<T> | T,
    client?: ClientIdentity,
  ): Promise<T> => {
    const discovered = await configuration().catch(error => {
      const { message, reason } = providerError(name, error);
      throw new ProviderError(message, 'unsent', reason);
    });
    try {
      return await run(as(discovered, client));
    } catch (error) {
      throw providerError(name, error);
    }
  };

  const read = (
    response: oidc.TokenEndpointResponse,
    requestedScopes: readonly string[],
    client: ClientIdentity | undefined,
  ): OAuthTokens => {
    if (response.token_type.toLowerCase() !== 'bearer') {
      throw new ProviderError(`${name} gave a kind of token that this server cannot use.`, 'refused');
    }
    // The error of `fetch` about such a header would quote it.
    if (!/^[\x20-\x7e]+$/.test(response.access_token)) {
      throw new ProviderError(`${name} gave a token with a character that no token may have.`, 'refused');
    }
    return {
      accessToken: response.access_token,
      // If absent, as requested (RFC 6749, section 5.1). Some providers separate them with commas.
      scopes: response.scope === undefined ? requestedScopes : response.scope.split(/[ ,]+/u).filter(Boolean),
      ...(response.refresh_token !== undefined && { refreshToken: response.refresh_token }),
      ...(response.expires_in !== undefined && {
        expiresAt: Math.min(clock.now() + response.expires_in * 1000, MAX_DATE_MS),
      }),
      ...(client !== undefined && client.id !== registered?.id && { client }),
    };
  };

  // The context of one request for the second library.
  const direct = () => ({
    signal: AbortSignal.timeout(timeoutMs),
    [jwt.customFetch]: fetch as unknown as AnyFetch,
    ...(issuer.protocol === 'http:' && { [jwt.allowInsecureRequests]: true }),
  });

  return {
    takes: () =>
      attempt(config => {
        const { client_id_metadata_document_supported: document, registration_endpoint } = config.serverMetadata();
        return { document: document === true, registration: registration_endpoint !== undefined };
      }),
    register: offer =>
      attempt(async config => {
        const server = config.serverMetadata();
        const answer = await jwt.dynamicClientRegistrationRequest(server, clientMetadata(offer), direct());
        const registration = await jwt.processDynamicClientRegistrationResponse(answer);
        const until = registration.client_secret_expires_at;
        const lifeMs = typeof until === 'number' && until > 0 ? until * 1000 - clock.now() : undefined;
        const post = registration.token_endpoint_auth_method === 'client_secret_post';
        const secret = typeof registration.client_secret === 'string' ? registration.client_secret : undefined;
        return {
          identity: {
            id: registration.client_id,
            ...(secret !== undefined && { secret, auth: post ? 'post' : 'basic' }),
          },
          ...(lifeMs !== undefined && { lifeMs }),
        };
      }),
    authorizationUrl: ({ client, redirectUri, state, verifier, scopes, nonce, parameters }) =>
      attempt(
        async config =>
          oidc.buildAuthorizationUrl(config, {
            ...parameters,
            ...resource,
            response_type: 'code',
            redirect_uri: redirectUri,
            state,
            code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
            code_challenge_method: 'S256',
            ...(scopes.length > 0 && { scope: scopes.join(' ') }),
            ...(nonce !== undefined && { nonce }),
          }),
        client,
      ),
    exchange: (callback, { client, state, verifier, scopes, nonce }) =>
      attempt(async config => {
        const response = await oidc.authorizationCodeGrant(
          config,
          callback,
          {
            expectedState: state,
            pkceCodeVerifier: verifier,
            ...(nonce !== undefined && { expectedNonce: nonce, idTokenExpected: true }),
          },
          resource,
        );
        const claims = nonce === undefined ? undefined : response.claims();
        return {
          tokens: read(response, scopes, client),
          ...(claims && { subject: { issuer: claims.iss, subject: claims.sub }, ...nameIn(claims), claims }),
        };
      }, client),
    refresh: (refreshToken, scopes, client) =>
      attempt(
        async config => read(await oidc.refreshTokenGrant(config, refreshToken, resource), scopes, client),
        client,
      ),
    revoke: tokens =>
      attempt(async config => {
        if (!config.serverMetadata().revocation_endpoint) return false;
        // The refresh token first: with it the grant ends at most providers.
        if (tokens.refreshToken !== undefined) {
          await oidc.tokenRevocation(config, tokens.refreshToken, { token_type_hint: 'refresh_token' });
        }
        await oidc.tokenRevocation(config, tokens.accessToken, { token_type_hint: 'access_token' });
        return true;
      }, tokens.client),
    inspect: (token, audience) =>
      attempt(async config => {
        const server = config.serverMetadata();
        if (server.introspection_endpoint !== undefined && registered?.secret !== undefined) {
          const introspection = await oidc.tokenIntrospection(config, token, { token_type_hint: 'access_token' });
          const isOurs = introspection.iss === undefined || introspection.iss === issuerName;
          return introspection.active && isOurs && isAccessTokenNow(introspection, clock.now())
            ? presented(introspection, audience)
            : undefined;
        }
        // The library takes other text for a mistake of the program.
        if (!isCompact(token)) return undefined;
        const request = new Request(audience, { headers: { authorization: `Bearer ${token}` } });
        try {
          const claims = await jwt.validateJwtAccessToken(server, request, audience, {
            [jwt.clockSkew]: Math.round((clock.now() - Date.now()) / 1000),
            [jwt.jwksCache]: keys,
            ...direct(),
          });
          return presented(claims, audience);
        } catch (error) {
          // The token is at fault, as opposed to a provider that could not be asked for its keys.
          if (unfit.has((error as { code?: unknown } | undefined)?.code)) return undefined;
          throw error;
        }
      }),
  };
}

function authOf({ secret, auth }: ClientIdentity): oidc.ClientAuth {
  if (secret === undefined) return oidc.None();
  return auth === 'post' ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret);
}

const unfit: ReadonlySet<unknown> = new Set([
  jwt.INVALID_REQUEST,
  jwt.INVALID_RESPONSE,
  jwt.PARSE_ERROR,
  jwt.JWT_TIMESTAMP_CHECK,
  jwt.JWT_CLAIM_COMPARISON,
  jwt.KEY_SELECTION,
  jwt.UNSUPPORTED_OPERATION,
]);

/** Seconds by which the clocks of the two machines may differ. */
const skewSeconds = 30;

/**
 * Whether what introspection describes may be presented now (RFC 7662, 2.2). The type is optional there; what has none counts as an
 * access token, because the audience, which is required here, is of access tokens only.
 */
function isAccessTokenNow({ token_type: type, nbf }: oidc.IntrospectionResponse, now: number): boolean {
  if ((type ?? undefined) !== undefined && String(type).toLowerCase() !== 'bearer') return false;
  return nbf === undefined || (typeof nbf === 'number' && nbf <= now / 1_000 + skewSeconds);
}

/** True for the compact form of a signed JWT (RFC 7515, 7.1): three parts in base64url. */
const isCompact = (token: string): boolean => {
  const parts = token.split('.');
  return parts.length === 3 && parts.every(part => Buffer.from(part, 'base64url').toString('base64url') === part);
};

/** The claims of a valid token; undefined if required ones are missing, or it is meant for others. */
function presented(claims: Readonly<Record<string, unknown>>, audience: string): PresentedToken | undefined {
  const { sub, client_id: clientId, scope, exp, aud } = claims;
  const meantFor = (Array.isArray(aud) ? aud : [aud]).some(each => each === audience);
  if (!meantFor || typeof sub !== 'string' || sub === '' || typeof exp !== 'number') return undefined;
  return {
    subject: sub,
    clientId: typeof clientId === 'string' ? clientId : '',
    scopes: typeof scope === 'string' ? scope.split(' ').filter(Boolean) : [],
    expiresAt: exp,
  };
}

/** Refuses a provider that cannot be used safely (oauth-O1, oauth-O2). */
function judge(name: string, metadata: oidc.ServerMetadata): void {
  const methods = metadata.code_challenge_methods_supported;
  if (Array.isArray(methods) && !methods.includes('S256')) {
    throw new ProviderError(`${name} does not offer PKCE with S256, so signing in there would not be safe.`, 'unsent');
  }
  const endpoints = {
    authorization_endpoint: metadata.authorization_endpoint,
    token_endpoint: metadata.token_endpoint,
    ...(metadata.revocation_endpoint !== undefined && { revocation_endpoint: metadata.revocation_endpoint }),
    ...(metadata.registration_endpoint !== undefined && { registration_endpoint: metadata.registration_endpoint }),
  };
  for (const [field, endpoint] of Object.entries(endpoints)) {
    if (typeof endpoint !== 'string' || !URL.canParse(endpoint) || !isSafeEndpoint(new URL(endpoint))) {
      throw new ProviderError(
        `${name} publishes no ${field} that can be used: it has to be an https address.`,
        'unsent',
      );
    }
  }
}
