/**
 * How a host signs in to one server, as the person or an operator specifies it: in the member `auth` of an entry, or in a file.
 * What an entry leaves out, the server is asked for. Pure.
 */
import { MidcallError } from '@midcall/core/errors';
import { isRecord } from '@midcall/core/json';
import { isConfidential } from '@midcall/core/url';

const flows = ['authorization-code', 'device-code', 'client-credentials'] as const;

/** How a host signs in to a server that requires OAuth tokens; see {@link readServerEntries}. */
export interface ServerAuth {
  /**
   * `authorization-code` (default): the person signs in in a browser on this machine; `device-code`: in a browser anywhere, with
   * a code (RFC 8628); `client-credentials`: no person, this host's own `clientId` and `clientSecret`.
   */
  readonly flow?: (typeof flows)[number];
  /**
   * The authorization server's issuer, such as `https://login.example.com`. Another one is refused. Required with
   * `clientSecret` if it is not at the server's own origin, so that no server can ask for a secret meant for another.
   */
  readonly issuer?: string;
  /** The client id, if the host was registered by hand. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The https address of a client metadata document, used if the authorization server supports them. */
  readonly clientMetadataUrl?: string;
  /** Asked for if the server does not say which scopes it needs. */
  readonly scopes?: readonly string[];
  /** The port of `http://127.0.0.1:<port>/callback`, if the redirect URI was registered by hand with a port. */
  readonly redirectPort?: number;
  /** `localhost` if the redirect URI was registered by hand with this name instead of 127.0.0.1. */
  readonly redirectHost?: '127.0.0.1' | 'localhost';
  /**
   * `false` leaves the resource indicator (RFC 8707) out of every request, for authorization servers that refuse it, such as
   * Entra. A token is then bound to the server by its scopes alone.
   */
  readonly resource?: false;
  /**
   * `true` is the operator's word that the authorization server checks PKCE (S256) although its metadata does not say so, as with
   * Entra and Cognito. Without that check, whoever sees the code could sign in.
   */
  readonly assumePkce?: true;
  /** `true` names the scopes at each renewal, for authorization servers that do not remember them. */
  readonly scopeAtRefresh?: true;
}

const members = new Set([
  ...['flow', 'issuer', 'clientId', 'clientSecret', 'clientMetadataUrl', 'scopes', 'redirectPort', 'redirectHost'],
  ...['resource', 'assumePkce', 'scopeAtRefresh'],
]);

/**
 * Reads the member `auth`.
 * @param what - how an error names it, such as `'auth' of the server 'notes'`
 * @param fill - puts values of the environment into a text
 * @throws MidcallError `cli/usage`, naming the member; never a value of a secret
 */
export function readServerAuth(what: string, value: unknown, fill: (text: string) => string): ServerAuth {
  const bad = (text: string): MidcallError => new MidcallError('cli/usage', `${what} ${text}`);
  if (!isRecord(value)) throw bad('must be an object.');
  const unknown = Object.keys(value).find(name => !members.has(name));
  if (unknown !== undefined)
    throw bad(`has a member '${unknown.slice(0, 100)}', which is not one of ${[...members].join(', ')}.`);
  const text = (name: string): string | undefined => {
    const member = value[name];
    if (member === undefined) return undefined;
    if (typeof member !== 'string' || member === '') throw bad(`has a '${name}' that is not text.`);
    return fill(member);
  };
  const { flow, scopes, redirectPort, redirectHost, resource, assumePkce, scopeAtRefresh } = value;
  if (flow !== undefined && !flows.includes(flow as never))
    throw bad(`has a 'flow' that is not one of ${flows.join(', ')}.`);
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every(each => /^[!#-[\]-~]+$/.test(String(each)))))
    throw bad("has 'scopes' that are not a list of scope names.");
  if (redirectPort !== undefined && !(Number.isInteger(redirectPort) && inPorts(redirectPort as number)))
    throw bad("has a 'redirectPort' that is not a number from 1 to 65535.");
  if (redirectHost !== undefined && redirectHost !== '127.0.0.1' && redirectHost !== 'localhost')
    throw bad("has a 'redirectHost' that is neither 127.0.0.1 nor localhost.");
  if (resource !== undefined && resource !== false)
    throw bad("has a 'resource' that is not false, which leaves the resource indicator out of every request.");
  for (const [name, flag] of Object.entries({ assumePkce, scopeAtRefresh }))
    if (flag !== undefined && flag !== true) throw bad(`has a '${name}' that is not true. Leave it out.`);
  const [issuer, clientMetadataUrl] = [text('issuer'), text('clientMetadataUrl')];
  if (issuer !== undefined && !(URL.canParse(issuer) && isConfidential(new URL(issuer))))
    throw bad("has an 'issuer' that is not an https address.");
  if (clientMetadataUrl !== undefined && !isDocumentAddress(clientMetadataUrl))
    throw bad("has a 'clientMetadataUrl' that is not an https address with a path.");
  const [clientId, clientSecret] = [text('clientId'), text('clientSecret')];
  if (clientSecret !== undefined && clientId === undefined) throw bad("has a 'clientSecret' and no 'clientId'.");
  if (flow === 'client-credentials' && clientSecret === undefined)
    throw bad("names the flow client-credentials, which needs 'clientId' and 'clientSecret'.");
  return {
    ...(flow !== undefined && { flow: flow as (typeof flows)[number] }),
    ...(issuer !== undefined && { issuer }),
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    ...(scopes !== undefined && { scopes: scopes as readonly string[] }),
    ...(redirectPort !== undefined && { redirectPort: redirectPort as number }),
    ...(redirectHost !== undefined && { redirectHost: redirectHost as 'localhost' }),
    ...(resource === false && { resource: false as const }),
    ...(assumePkce === true && { assumePkce: true as const }),
    ...(scopeAtRefresh === true && { scopeAtRefresh: true as const }),
  };
}

const inPorts = (port: number): boolean => port >= 1 && port <= 65_535;

const isDocumentAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname } = new URL(text);
  return protocol === 'https:' && pathname !== '/';
};
