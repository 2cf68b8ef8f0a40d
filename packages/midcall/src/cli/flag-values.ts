/** Reads the values of options on the command line. */
import { isConfidential } from '@midcall/core/url';
import { InvalidArgumentError } from 'commander';
import { usage } from './usage.ts';

/** A port on the command line; 0 for any free one. */
export function portNumber(text: string): number {
  const number = Number(text);
  if (/^\d+$/u.test(text) && number <= 65_535) return number;
  throw new InvalidArgumentError('A port must be a whole number from 0 to 65535.');
}

/** An address on the command line at which people and clients reach a server: a scheme, a host and optionally a port. */
export function origin(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && isConfidential(url) && url.href === `${url.origin}/`) return url;
  throw new InvalidArgumentError('An origin is https://, a host and perhaps a port; http:// only on this machine.');
}

/** An address of the web on the command line. It may contain a secret, so no error repeats it. */
export function webAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/u.test(url.protocol)) return url;
  throw usage('The address must begin with https:// or http://.');
}

/** An option that may be given several times: every value, in order. */
export const repeatable = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

const day = 86_400;

/**
 * A duration on the command line, given in seconds.
 * @param flag - as it is written
 * @returns milliseconds
 * @throws MidcallError `cli/usage`
 */
export function readSeconds(flag: string, text: string): number {
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= day) return seconds * 1_000;
  throw usage(`${flag} must be a number of seconds above 0, and at most a day.`);
}
