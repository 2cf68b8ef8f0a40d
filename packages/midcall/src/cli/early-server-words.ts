import { eraNames } from './era-names.ts';

/** Options of `midcall bridge` that take no value and exclude no other. */
const valuelessFlags: ReadonlySet<string> = new Set(['--trust-host', '--link']);

/**
 * The words of the server's command; undefined unless the command line is certain to be a bridge of that server over standard
 * input and output, which the parser cannot refuse. Pure.
 * @param argv - as the process was given it
 */
export function earlyServerWords(argv: readonly string[]): readonly string[] | undefined {
  const [name, ...rest] = argv.slice(2);
  const dashes = rest.indexOf('--');
  if (name !== 'bridge' || dashes < 0) return undefined;
  const words = rest.slice(dashes + 1);
  for (let at = 0; at < dashes; at += 1) {
    if (valuelessFlags.has(rest[at]!)) continue;
    if (rest[at] !== '--era' || at + 1 === dashes || !Object.hasOwn(eraNames, rest[at + 1]!)) return undefined;
    at += 1;
  }
  return words[0] === undefined || words[0] === '' ? undefined : words;
}
