/**
 * Which addresses a server may send this host to while it signs in. A server names its authorization server, which names its
 * endpoints. Unchecked, either could make this machine call services that only it can reach. Pure.
 *
 * - endpoint-E1 A request with a secret uses https, or stays on this machine.
 * - endpoint-E2 A server elsewhere may not name an address of this machine or its network.
 */
import { MidcallError } from '@midcall/core/errors';
import { visible } from '@midcall/core/text';
import { isConfidential, isLoopback } from '@midcall/core/url';
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
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') throw refused('has a name or password in it.');
  if (isLocal(url.hostname) && !isLocal(serverUrl.hostname))
    throw refused('is on this machine or its network, and the server is elsewhere.');
  if (!isConfidential(url)) throw refused('is not encrypted (https).');
  return url;
}

/** True for this machine, and for addresses that exist only in its network. */
function isLocal(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
  if (isLoopback(host) || /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/.test(host)) return true;
  if (host.includes(':')) return /^(?:::|f[cd]|fe[89ab]|64:ff9b:)/.test(host);
  const parts = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(host);
  if (!parts) return !host.includes('.');
  const [a, b] = [Number(parts[1]), Number(parts[2])];
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 168)
  );
}
