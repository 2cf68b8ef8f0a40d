/** Which hosts exist only on this machine or in its network, by their name or number. */
import { BlockList, isIP } from 'node:net';
import { isLoopback } from '../url/index.ts';

/**
 * True for this machine, and for addresses that exist only in its network. A name is judged as it is written: what it resolves to is
 * judged by whoever connects.
 * @param hostname - of a URL; an address of IPv6 with or without brackets
 */
export function isInternalHost(hostname: string): boolean {
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
