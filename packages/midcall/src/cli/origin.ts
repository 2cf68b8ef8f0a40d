import { isConfidential } from '@midcall/core/url';
import { InvalidArgumentError } from 'commander';

/** An address on the command line at which people and clients reach a server: a scheme, a host and optionally a port. */
export function origin(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && isConfidential(url) && url.href === `${url.origin}/`) return url;
  throw new InvalidArgumentError('An origin is https://, a host and perhaps a port; http:// only on this machine.');
}
