/**
 * Which addresses a server may send this host to while it signs in. A server names its authorization server, which names its
 * endpoints. Unchecked, either could make this machine call services that only it can reach. Pure.
 *
 * - endpoint-E1 A request with a secret uses https, or stays on this machine.
 * - endpoint-E2 A server elsewhere may not name an address of this machine or its network.
 */
import { BlockList, isIP } from 'node:net';
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
  if (address.length > longestAddress) throw refused(`is longer than ${longestAddress} characters.`);
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') throw refused('has a name or password in it.');
  if (isLocal(url.hostname) && !isLocal(serverUrl.hostname))
    throw refused('is on this machine or its network, and the server is elsewhere.');
  if (!isConfidential(url)) throw refused('is not encrypted (https).');
  return url;
}

/** A server names each of them, and the person has to read the one of the sign-in page. */
export const longestAddress = 2_000;

/** True for this machine, and for addresses that exist only in its network. */
function isLocal(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
  if (isLoopback(host) || /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/.test(host)) return true;
  const version = isIP(host);
  if (version === 0) return !host.includes('.');
  return version === 4 ? notPublic.check(host) : !allocated.check(host, 'ipv6') || notPublic.check(host, 'ipv6');
}

/** Everything else of IPv6 belongs to a network, or contains an address of IPv4. */
const allocated = new BlockList();
allocated.addSubnet('2000::', 3, 'ipv6');

/**
 * What the registries of special-purpose addresses (RFC 6890) say is not on the internet, and what carries an address of IPv4
 * within one of IPv6, which may lead into the network: Teredo, 6to4.
 */
const notPublic = new BlockList();
for (const [network, length] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  notPublic.addSubnet(network, length, 'ipv4');
for (const [network, length] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  notPublic.addSubnet(network, length, 'ipv6');
