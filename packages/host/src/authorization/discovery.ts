/**
 * Finds the authorization server of an MCP server (RFC 9728, then RFC 8414 or OpenID Connect Discovery; basic/authorization),
 * and judges it before anything is sent there. A server names its authorization server, which names its endpoints. Unchecked,
 * either could make this machine call services that only it can reach.
 *
 * - endpoint-E1 A request with a secret uses https, or stays on this machine.
 * - endpoint-E2 A server elsewhere may not name an address of this machine or its network.
 */
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { own } from '@midcall/core/json';
import { isInternalHost } from '@midcall/core/node';
import { visible } from '@midcall/core/text';
import { isConfidential } from '@midcall/core/url';
import {
  type AuthorizationServerMetadata,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  IssuerMismatchError,
  type OAuthClientProvider,
  type OAuthProtectedResourceMetadata,
  selectResourceURL,
} from '@modelcontextprotocol/client';
import { judgeUrl } from '../url/index.ts';
import type { ServerAuth } from './server-auth.ts';

/** Why a server refused a request for lack of a token, and what it would accept (RFC 6750, RFC 9728). All of it is untrusted. */
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

/**
 * Judges one address that a server names.
 * @param what - in words, such as `the token endpoint`
 * @param serverUrl - the MCP server's, which the person named
 * @throws MidcallError `host/unauthorized`
 */
export function judgeEndpoint(what: string, address: string, serverUrl: URL): URL {
  const refused = (why: string): MidcallError =>
    new MidcallError('host/unauthorized', `${what} that the server names is refused: ${printable(address)} ${why}`);
  if (!judgeUrl(address).openable) throw refused('is not a web address that can be opened.');
  if (address.length > longestAddress) throw refused(`is longer than ${longestAddress} characters.`);
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') throw refused('has a name or password in it.');
  if (isInternalHost(url.hostname) && !isInternalHost(serverUrl.hostname))
    throw refused('is on this machine or its network, and the server is elsewhere.');
  if (!isConfidential(url)) throw refused('is not encrypted (https).');
  return url;
}

/** The most characters of an address: a server names it, and the person has to read the one of the sign-in page. */
const longestAddress = 2_000;

/** An authorization server, and what tokens are requested for. */
export interface Discovered {
  /** The issuer as its metadata names it. */
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** The resource indicator (RFC 8707); absent if the server has no metadata of its own. */
  readonly resource?: string;
  /** The scopes the server's metadata names, separated by spaces. */
  readonly scopesSupported?: string;
}

/** Where to look, and by which means. */
export interface DiscoveryOptions {
  readonly serverUrl: URL;
  readonly challenge: Challenge;
  readonly auth: ServerAuth;
  readonly fetch: typeof fetch;
}

const unauthorized = (text: string, cause?: unknown): MidcallError =>
  new MidcallError('host/unauthorized', text, { cause });

/**
 * @returns undefined if no authorization server could be found: the server accepts tokens of some other kind
 * @throws MidcallError `host/unauthorized` for an address that is refused, and if an authorization server cannot be reached
 */
export async function discover(options: DiscoveryOptions): Promise<Discovered | undefined> {
  const { serverUrl, auth } = options;
  const protectedResource = await resourceMetadata(options);
  const issuers = issuersFrom(protectedResource?.authorization_servers, serverUrl, auth);
  const resource = await resourceOf(serverUrl, protectedResource);
  const isNamed = Boolean(protectedResource?.authorization_servers?.length);
  const metadata = await firstUsable(issuers, isNamed, options);
  if (!metadata) return undefined;
  return {
    issuer: metadata.issuer,
    metadata,
    ...(resource !== undefined && auth.resource !== false && { resource }),
    ...(protectedResource?.scopes_supported && {
      scopesSupported: withinScopes(protectedResource.scopes_supported.join(' ')),
    }),
  };
}

/**
 * The metadata of the first authorization server that can be used; the server's order counts (RFC 9728, 7.6).
 * @param isNamed - true if the server names them, so that they must have metadata
 * @throws MidcallError `host/unauthorized`, which says of each why it cannot be used
 */
async function firstUsable(
  issuers: readonly string[],
  isNamed: boolean,
  options: DiscoveryOptions,
): Promise<AuthorizationServerMetadata | undefined> {
  const problems: MidcallError[] = [];
  for (const issuer of issuers) {
    try {
      const metadata = await metadataOf(issuer, options);
      if (metadata) return metadata;
      if (!isNamed) return undefined;
      throw unauthorized(
        `The server names the authorization server ${printable(issuer)}, which publishes no metadata.`,
      );
    } catch (error) {
      if (!isMidcallError(error)) throw error;
      problems.push(error);
    }
  }
  const [first, ...others] = problems as [MidcallError, ...MidcallError[]];
  if (others.length === 0) throw first;
  const all = problems.map(({ message }) => message).join(' ');
  throw unauthorized(`None of the ${problems.length} authorization servers of this server can be used. ${all}`, first);
}

/** @throws MidcallError `host/unauthorized` if it cannot be read, or is not safe to use */
async function metadataOf(
  issuer: string,
  { serverUrl, auth, fetch }: DiscoveryOptions,
): Promise<AuthorizationServerMetadata | undefined> {
  judgeEndpoint('The authorization server', issuer, serverUrl);
  let metadata: AuthorizationServerMetadata | undefined;
  try {
    metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
  } catch (cause) {
    // The operator has named the issuer as its metadata spells it.
    const isMeant =
      IssuerMismatchError.isInstance(cause) && cause.received === auth.issuer && isSame(issuer, auth.issuer!);
    if (!isMeant) throw whyNoMetadata(issuer, cause);
    metadata = await discoverAuthorizationServerMetadata(auth.issuer!, { fetchFn: fetch }).catch((cause: unknown) => {
      throw whyNoMetadata(issuer, cause);
    });
  }
  if (!metadata) return undefined;
  const { code_challenge_methods_supported: methods } = metadata;
  const isSafe = methods === undefined ? auth.assumePkce === true : methods.includes('S256');
  if (!isSafe && (auth.flow ?? 'authorization-code') === 'authorization-code')
    throw unauthorized(
      `The authorization server ${printable(issuer)} does not say that it supports PKCE (S256), so nobody can sign in safely.${
        methods === undefined ? " If you know that it does, write 'assumePkce': true in 'auth'." : ''
      }`,
    );
  for (const [what, address] of [
    ['The sign-in page', metadata.authorization_endpoint],
    ['The token endpoint', metadata.token_endpoint],
    ['The registration endpoint', metadata.registration_endpoint],
    ['The revocation endpoint', own(metadata, 'revocation_endpoint')],
    ['The device authorization endpoint', own(metadata, 'device_authorization_endpoint')],
  ] as const)
    if (address !== undefined) judgeEndpoint(what, String(address), serverUrl);
  return metadata;
}

async function resourceMetadata({
  serverUrl,
  challenge: { metadataUrl },
  fetch,
}: DiscoveryOptions): Promise<OAuthProtectedResourceMetadata | undefined> {
  if (metadataUrl && metadataUrl.origin !== serverUrl.origin)
    throw unauthorized(
      `The server says that its metadata is on another origin, ${printable(metadataUrl.origin)}. It has to be on its own, ${serverUrl.origin}.`,
    );
  try {
    return await discoverOAuthProtectedResourceMetadata(
      serverUrl,
      metadataUrl ? { resourceMetadataUrl: metadataUrl } : {},
      fetch,
    );
  } catch (cause) {
    // A server that does not answer may have metadata: its own origin is not asked for a token in its place.
    if (isTimeout(cause))
      throw unauthorized('The server was asked where to sign in, and did not answer in time. Try again later.', cause);
    if (cause instanceof TypeError || isMidcallError(cause))
      throw unauthorized('The server could not be asked where to sign in.', cause);
    // Servers older than RFC 9728 have none; their own origin is the authorization server then.
    return undefined;
  }
}

/** How many authorization servers of one server are tried. */
const mostIssuers = 5;

/** The authorization servers to try, in order. @throws MidcallError `host/unauthorized` if the entry allows none of them */
function issuersFrom(
  listedIssuers: readonly string[] | undefined,
  serverUrl: URL,
  { issuer, clientSecret }: ServerAuth,
): readonly string[] {
  const listed = listedIssuers?.length ? listedIssuers : [serverUrl.origin];
  if (issuer !== undefined) {
    const match = listed.find(each => isSame(each, issuer));
    if (match !== undefined) return [match];
    throw unauthorized(
      `The server wants a sign-in at ${printable(listed[0]!)}. Its entry allows ${printable(issuer)} alone ('issuer' in 'auth').`,
    );
  }
  if (clientSecret === undefined) return listed.slice(0, mostIssuers);
  const own = listed.filter(each => URL.canParse(each) && new URL(each).origin === serverUrl.origin);
  if (own.length > 0) return own.slice(0, mostIssuers);
  throw unauthorized(
    `The server wants the client secret sent to ${printable(listed[0]!)}, which is on another origin. If that is where the secret belongs, name it as 'issuer' in 'auth'.`,
  );
}

const isSame = (one: string, other: string): boolean => one.replace(/\/$/, '') === other.replace(/\/$/, '');

/** @throws MidcallError `host/unauthorized` if the token would be for another server (RFC 9728 section 3.3) */
async function resourceOf(
  serverUrl: URL,
  metadata: OAuthProtectedResourceMetadata | undefined,
): Promise<string | undefined> {
  try {
    await selectResourceURL(serverUrl, {} as OAuthClientProvider, metadata);
    if (metadata && metadata.resource.length > longestAddress) throw new Error('too long');
    // Exactly as written: a parser would add a slash.
    return metadata?.resource;
  } catch (cause) {
    throw unauthorized(
      `The server asks for a token that is meant for ${printable(metadata?.resource ?? 'another resource')}. One for ${serverUrl.origin}${serverUrl.pathname} is all it may ask for.`,
      cause,
    );
  }
}

function whyNoMetadata(issuer: string, cause: unknown): MidcallError {
  if (IssuerMismatchError.isInstance(cause) && cause.received !== undefined && isSame(cause.received, issuer))
    return unauthorized(
      `The server names the authorization server ${printable(issuer)}, whose metadata calls it ${printable(cause.received)}: they differ by the last slash. If both are the same, write 'issuer': '${printable(cause.received)}' in 'auth'.`,
      cause,
    );
  if (IssuerMismatchError.isInstance(cause))
    return unauthorized(
      `The metadata of the authorization server ${printable(issuer)} is that of another issuer, ${printable(cause.received ?? 'none')}. It is refused, since tokens could go to the wrong place.`,
      cause,
    );
  if (isTimeout(cause))
    return unauthorized(
      `The authorization server ${printable(issuer)} did not answer in time when it was asked for its metadata. Try again later.`,
      cause,
    );
  return unauthorized(`The metadata of the authorization server ${printable(issuer)} could not be read.`, cause);
}

/** True for the reason of `AbortSignal.timeout`. */
const isTimeout = (cause: unknown): boolean => cause instanceof Error && cause.name === 'TimeoutError';

/** What a server or an authorization server names, such as an issuer or scopes, safe to show. */
export const printable = (text: string): string => visible(text, { max: 300 });
