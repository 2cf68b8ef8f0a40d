/**
 * This host as a client of an authorization server: registered by hand, described by a metadata document, or registered now
 * (RFC 7591), in the order of basic/authorization, "Client Registration Approaches".
 */
import { MidcallError } from '@midcall/core/errors';
import { type OAuthClientMetadata, registerClient } from '@modelcontextprotocol/client';
import { type Discovered, printable } from './discovery.ts';
import type { ServerAuth } from './server-auth.ts';
import { tokenProblem } from './token-requests.ts';
import { endOf, type RegisteredClient } from './vault.ts';

/** The grant type of a sign-in by device code (RFC 8628). */
export const deviceGrantType = 'urn:ietf:params:oauth:grant-type:device_code';

/** What a registration says about this host. */
export interface RegistrationOptions {
  readonly discovered: Discovered;
  readonly auth: ServerAuth;
  readonly name: string;
  /** Absent if no browser returns. */
  readonly redirectUri?: string;
  readonly fetch: typeof fetch;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * The client that needs no registration now; undefined if a registration is needed.
 * @param scope - the scope to request; a client registered for less cannot be used
 */
export function registeredClient(
  { metadata, issuer }: Discovered,
  { clientId, clientSecret, clientMetadataUrl }: ServerAuth,
  stored: RegisteredClient | undefined,
  now: number,
  scope?: string,
): RegisteredClient | undefined {
  if (clientId !== undefined) {
    const secret = clientSecret === undefined ? {} : { client_secret: clientSecret };
    return { from: 'hand', information: { client_id: clientId, ...secret, issuer } };
  }
  if (clientMetadataUrl !== undefined && metadata.client_id_metadata_document_supported === true)
    return { from: 'document', information: { client_id: clientMetadataUrl, issuer } };
  const lives = (stored?.secretEndsAt ?? Number.POSITIVE_INFINITY) > now;
  return stored?.from === 'registration' && lives && mayAsk(stored, scope) ? stored : undefined;
}

/**
 * Registers this host.
 * @throws MidcallError `host/unauthorized` if the authorization server accepts no new clients
 */
export async function register(options: RegistrationOptions): Promise<RegisteredClient> {
  const { discovered, auth, name, redirectUri, fetch } = options;
  const { metadata, issuer } = discovered;
  const where = printable(issuer);
  if (metadata.registration_endpoint === undefined)
    throw new MidcallError(
      'host/unauthorized',
      `The authorization server ${where} does not register clients by itself. Register one there by hand${
        redirectUri === undefined ? '' : ', with the redirect URI http://127.0.0.1/callback (any port)'
      }, and give its id as 'clientId' in 'auth'.`,
    );
  const method = methodFor(metadata.token_endpoint_auth_methods_supported);
  const clientMetadata: OAuthClientMetadata = {
    client_name: name,
    application_type: 'native',
    redirect_uris: redirectUri === undefined ? [] : [redirectUri],
    grant_types:
      auth.flow === 'device-code' ? [deviceGrantType, 'refresh_token'] : ['authorization_code', 'refresh_token'],
    response_types: auth.flow === 'device-code' ? [] : ['code'],
    ...(method !== undefined && { token_endpoint_auth_method: method }),
  };
  try {
    // No scope is named: a client that is registered for some can never ask for more.
    const information = await registerClient(issuer, { metadata, clientMetadata, fetchFn: fetch });
    const { client_secret_expires_at: endsAt } = information;
    return {
      from: 'registration',
      information: { ...information, issuer },
      ...(redirectUri !== undefined && { redirectUri }),
      ...(endsAt !== undefined && endsAt > 0 && { secretEndsAt: endOf(0, endsAt) }),
    };
  } catch (error) {
    throw tokenProblem(`The registration at ${where}`, error);
  }
}

/** How this host authenticates: not at all if that is allowed, since a desktop program cannot keep a secret (RFC 8252, 8.4). */
function methodFor(supported: readonly string[] | undefined): string | undefined {
  return ['none', 'client_secret_basic', 'client_secret_post'].find(method => supported?.includes(method));
}

function mayAsk({ information }: RegisteredClient, scope: string | undefined): boolean {
  const { scope: registered } = information as { readonly scope?: string };
  if (registered === undefined || scope === undefined) return true;
  const all = registered.split(' ');
  return scope.split(' ').every(each => all.includes(each));
}
