import { usage } from './usage.ts';

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
