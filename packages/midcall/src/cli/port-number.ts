import { InvalidArgumentError } from 'commander';

/** A port on the command line; 0 for any free one. */
export function portNumber(text: string): number {
  const number = Number(text);
  if (/^\d+$/u.test(text) && number <= 65_535) return number;
  throw new InvalidArgumentError('A port must be a whole number from 0 to 65535.');
}
