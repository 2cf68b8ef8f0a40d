/**
 * Splits a command line into words as a shell would, with quotes and backslashes, and does nothing else that a shell does.
 *
 * Not string-argv 0.4: it treats a backslash like any other character (`a\ b` is two words, and `"b\"c"` is `b\c`), and accepts
 * a quote that is not closed. Not shell-quote: it expands variables and makes operators of what is a word here.
 */
import { MidcallError } from '@midcall/core/errors';

/** @throws MidcallError `cli/usage` if a quote is not closed */
export function commandWords(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at]!;
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else if (character === '\\' && quote === '"' && /["\\]/.test(line[at + 1] ?? '')) word += line[++at]!;
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === '\\' && /[\s"'\\]/.test(line[at + 1] ?? '')) {
      word = `${word ?? ''}${line[++at]!}`;
    } else {
      word = `${word ?? ''}${character}`;
    }
  }
  if (quote !== undefined) throw new MidcallError('cli/usage', 'A quote in the command is not closed.');
  if (word !== undefined) words.push(word);
  return words;
}
