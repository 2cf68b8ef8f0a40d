/**
 * Which addresses a server may send this host to while it signs in. A server names its authorization server, which names its
 * endpoints. Unchecked, either could make this machine call services that only it can reach. Pure.
 *
 * - endpoint-E1 A request with a secret uses https, or stays on this machine.
 * - endpoint-E2 A server elsewhere may not name an address of this machine or its network.
 */
import { MidcallError } from '@midcall/core/errors';
import { isInternalHost } from '@midcall/core/node';
import { visible } from '@midcall/core/text';
import { isConfidential } from '@midcall/core/url';
import { judgeUrl } from '../url/index.ts';

/**
 * @param what - in words, such as `the token endpoint`
 * @param serverUrl - the MCP server's, which the person named
 * @throws MidcallError `host/unauthorized`
 */
export function judgeEndpoint(what: string, address: string, serverUrl: URL): URL {
  const refused = (why: string): MidcallError =>
    new MidcallError(
      'host/unauthorized',
      `${what} that the server names is refused: ${visible(address, { max: 300 })} ${why}`,
    );
  if (!judgeUrl(address).openable) throw refused('is not a web address that can be opened.');
  if (address.length > longestAddress) throw refused(`is longer than ${longestAddress} characters.`);
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') throw refused('has a name or password in it.');
  if (isInternalHost(url.hostname) && !isInternalHost(serverUrl.hostname))
    throw refused('is on this machine or its network, and the server is elsewhere.');
  if (!isConfidential(url)) throw refused('is not encrypted (https).');
  return url;
}

/** A server names each of them, and the person has to read the one of the sign-in page. */
export const longestAddress = 2_000;
