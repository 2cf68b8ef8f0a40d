/** The requests of an OAuth client: one per function. */
import type { Clock } from '@midcall/core/time';
import { isConfidential } from '@midcall/core/url';
import type { ClientIdentity, ClientOffer } from './identity.ts';
import type { OAuthTokens } from './tokens.ts';

/** What a provider publishes, or an operator gives in its place; the names of RFC 8414. */
export interface ProviderMetadata {
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly revocation_endpoint?: string;
  readonly jwks_uri?: string;
  readonly registration_endpoint?: string;
  readonly client_id_metadata_document_supported?: boolean;
  readonly code_challenge_methods_supported?: readonly string[];
  readonly authorization_response_iss_parameter_supported?: boolean;
}

/** A provider, and our identity there. */
export interface OAuthClientOptions {
  readonly name: string;
  readonly issuer: URL;
  /** The issuer, exactly as the provider writes it. */
  readonly issuerName: string;
  /** Who the operator registered this server as; undefined if nobody did. */
  readonly registered: ClientIdentity | undefined;
  /** Endpoints and abilities, where the provider publishes none. */
  readonly metadata: ({ readonly issuer: string } & ProviderMetadata) | undefined;
  readonly resource: string | undefined;
  readonly fetch: typeof fetch | undefined;
  /** Milliseconds one request may take. */
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, 'now'>;
}

/** What an authorization request carries. */
export interface AuthorizationRequest {
  /** The client's identity; as registered if absent. */
  readonly client?: ClientIdentity | undefined;
  readonly redirectUri: string;
  readonly state: string;
  readonly verifier: string;
  readonly scopes: readonly string[];
  /** The nonce of OpenID Connect. */
  readonly nonce?: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** What a callback must match. */
export interface ExpectedCallback {
  /** The identity of the client that asked; as registered if absent. */
  readonly client?: ClientIdentity | undefined;
  readonly state: string;
  readonly verifier: string;
  readonly scopes: readonly string[];
  readonly nonce?: string;
}

/** The result of a callback. */
export interface Granted {
  readonly tokens: OAuthTokens;
  /** Who signed in, from a verified ID token; only with `nonce`. */
  readonly subject?: { readonly issuer: string; readonly subject: string };
  /** What the ID token calls them, to be shown; untrusted. */
  readonly name?: string;
  /** All that the verified ID token says; only with `nonce`. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

export interface OAuthClient {
  /** Loads what the requests need. @throws MidcallError `server/setup` if a package is missing, as all others do */
  ready(): Promise<void>;
  /** Whether the operator registered this server; if so, it is that client unless another is named. */
  readonly registered: boolean;
  /** Which kinds of unregistered servers the provider accepts. @throws ProviderError */
  takes(): Promise<{ readonly document: boolean; readonly registration: boolean }>;
  /**
   * Registers this server (RFC 7591).
   * @returns its new identity, and for how many milliseconds if that is limited
   * @throws ProviderError
   */
  register(offer: ClientOffer): Promise<{ readonly identity: ClientIdentity; readonly lifeMs?: number }>;
  /** @throws ProviderError if the provider cannot be used safely, or cannot be reached */
  authorizationUrl(request: AuthorizationRequest): Promise<URL>;
  /** @param callback - the whole address the browser came back to @throws ProviderError */
  exchange(callback: URL, expected: ExpectedCallback): Promise<Granted>;
  /** @throws ProviderError with `failure` saying what it means for the refresh token */
  refresh(refreshToken: string, scopes: readonly string[], client?: ClientIdentity): Promise<OAuthTokens>;
  /** @returns false if the provider offers no revocation @throws ProviderError */
  revoke(tokens: OAuthTokens): Promise<boolean>;
  /**
   * The claims of an access token presented to us: from the provider if it offers introspection (RFC 7662), otherwise from the
   * token if it is signed (RFC 9068).
   * @param audience - the audience it must be meant for
   * @returns undefined for a token that is invalid, not meant for us, or without a subject
   * @throws ProviderError if the provider cannot be asked now
   */
  inspect(token: string, audience: string): Promise<PresentedToken | undefined>;
}

/** The part of an {@link OAuthClient} that a library implements. */
export type Requests = Omit<OAuthClient, 'ready' | 'registered'>;

/** An access token that somebody presented, as its issuer vouches for it. */
export interface PresentedToken {
  readonly subject: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

/** https, or http on this machine; a name below `localhost` is this machine's too (RFC 6761, section 6.3). */
export const isSafeEndpoint = (url: URL): boolean =>
  isConfidential(url) || (url.protocol === 'http:' && url.hostname.endsWith('.localhost'));
