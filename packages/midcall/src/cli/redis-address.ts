import { usage } from './usage.ts';

/**
 * @throws MidcallError `cli/usage` if it is not the address of a Redis server. It may contain a password, so no error repeats
 *   it.
 */
export function redisAddress(text: string): string {
  if (text.startsWith('/') || (/^rediss?:\/\//iu.test(text) && URL.canParse(text))) return text;
  throw usage(
    '--redis must be an address such as redis://user:password@host:6379/0, one that begins with rediss://, or the path of a socket.',
  );
}
