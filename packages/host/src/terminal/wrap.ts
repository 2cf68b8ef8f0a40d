/**
 * Lines no wider than the terminal. A terminal breaks a longer line wherever it ends and goes on at the left edge, where a
 * text from a server would stand like one of ours; so it is broken here, between words, and goes on behind its own bar. Pure.
 *
 * A line is measured as the least able terminal draws it: each code point by itself, by Unicode's table of widths, and none
 * as nothing. Libraries that wrap count a cluster as one, and vowel signs as nothing, as only some terminals do: on the
 * others a text in Hindi would still reach the left edge. They also normalise, so that it is no longer what was sent.
 */
import { eastAsianWidth } from 'get-east-asian-width';

/** A tab goes on to the next multiple of this; never further. */
const tab = 8;

/** Narrower than this, a terminal is left to break lines itself. */
const narrowest = 16;

const widthOf = (character: string): number => (character === '\t' ? tab : eastAsianWidth(character.codePointAt(0)!));

export const textWidth = (text: string): number => [...text].reduce((sum, character) => sum + widthOf(character), 0);

const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** What a word may be broken between: a mark that went to the next line would sit on its bar. */
const signs = (word: string, columns: number): readonly string[] =>
  [...clusters.segment(word)].flatMap(({ segment }) => (textWidth(segment) > columns ? [...segment] : [segment]));

/**
 * A line as lines.
 * @param columns - of the terminal; undefined if it has none, such as a pipe, and the line stays unchanged
 * @param lead - what every further line begins with
 */
export function wrapped(line: string, columns: number | undefined, lead: string): readonly string[] {
  if (columns === undefined || columns < narrowest || textWidth(line) <= columns) return [line];
  const all: string[] = [];
  let [now, width] = ['', 0];
  const flush = (): void => {
    all.push(now.trimEnd());
    [now, width] = [lead, textWidth(lead)];
  };
  for (const word of line.match(/\s+|\S+/g) ?? []) {
    const own = textWidth(word);
    const begun = now !== '' && now !== lead;
    if (/^\s/.test(word)) {
      if (width + own > columns) flush();
      else if (now !== lead || all.length === 0) [now, width] = [now + word, width + own];
      continue;
    }
    if (begun && width + own > columns && now.trim() !== lead.trim()) flush();
    for (const sign of signs(word, columns - textWidth(lead))) {
      if (width + textWidth(sign) > columns) flush();
      [now, width] = [now + sign, width + textWidth(sign)];
    }
  }
  if (now !== lead) all.push(now);
  return all;
}
