/** Who this server is at a provider, and how it describes itself to one that does not know it yet. Pure. */
import { isLoopback } from '@midcall/core/url';

/** A client id, and the secret if there is one. */
export interface ClientIdentity {
  readonly id: string;
  readonly secret?: string;
  /** How the secret is sent; `basic` if absent. */
  readonly auth?: 'basic' | 'post';
}

/** What a provider is told about a server that nobody registered there. */
export interface ClientOffer {
  /** The server's name, as people should know it. */
  readonly name: string;
  readonly redirectUri: URL;
  /** Where {@link clientDocument} is served; its address is the client id of a server that describes itself. */
  readonly document: URL;
}

/** Whether any provider can read the document: those on other machines can only reach https. */
export const isReadable = ({ document }: ClientOffer): boolean =>
  document.protocol === 'https:' && !isLoopback(document.hostname);

/**
 * The callback as it is registered. A loopback address stands for any port (RFC 8252, section 7.3), and ours is another one
 * each time.
 */
export function registeredRedirect(redirectUri: URL): string {
  const registered = new URL(redirectUri);
  if (isLoopback(registered.hostname)) registered.port = '';
  return registered.href;
}

/** What describes the server, in a registration (RFC 7591) and in a client id metadata document alike. */
export const clientMetadata = ({ name, redirectUri }: ClientOffer) => ({
  client_name: name,
  application_type: isLoopback(redirectUri.hostname) ? 'native' : 'web',
  redirect_uris: [registeredRedirect(redirectUri)],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
});

/** The client id metadata document: its own address is the client id. */
export const clientDocument = (offer: ClientOffer) => ({
  client_id: offer.document.href,
  ...clientMetadata(offer),
  redirect_uris: [offer.redirectUri.href],
});
