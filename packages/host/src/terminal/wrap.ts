/**
 * Lines no wider than the terminal. A terminal wraps a longer line anywhere and continues it at the left edge, where a server's
 * text would look like ours; so it is wrapped here, between words, and continued beside its bar. Pure.
 *
 * A line is measured as the simplest terminal draws it: each code point separately, by Unicode's table of widths, and none as
 * zero. Libraries that wrap count a cluster as one, and vowel signs as nothing, as only some terminals do: on the others a text
 * in Hindi would still reach the left edge. They also normalise, so that it is no longer what was sent.
 */
import { eastAsianWidth } from 'get-east-asian-width';

/** A tab continues to the next multiple of this, at most. */
const tab = 8;

/** In a narrower terminal, lines are not wrapped here. */
const narrowest = 16;

const widthOf = (character: string): number => (character === '\t' ? tab : eastAsianWidth(character.codePointAt(0)!));

export const textWidth = (text: string): number => [...text].reduce((sum, character) => sum + widthOf(character), 0);

/** What a word may be split between: a combining mark must not begin the next line. */
const signs = (word: string, columns: number): readonly string[] =>
  clusters(word).flatMap(cluster => (textWidth(cluster) > columns ? [...cluster] : [cluster]));

/**
 * A line as lines.
 * @param columns - of the terminal; undefined, as for a pipe, leaves the line unchanged
 * @param lead - the beginning of every further line
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

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

const asciiWord = /^[\x21-\x7E]*$/;

/** Code points segmented at once: the segmenter copies its whole input for each cluster. No script has a longer cluster. */
const mostAtOnce = 200;

/**
 * A word as the clusters that a reader takes for one character each: a letter with its marks, an emoji of several.
 * @param word - without white space; a cluster that is longer than any script has may be divided
 */
export function clusters(word: string): readonly string[] {
  if (asciiWord.test(word)) return [...word];
  const characters = [...word];
  const all: string[] = [];
  for (let at = 0; at < characters.length; ) {
    const slice = characters.slice(at, at + mostAtOnce);
    const found = Array.from(segmenter.segment(slice.join('')), ({ segment }) => segment);
    const next = at + slice.length;
    // The last one may continue behind the slice, so the next slice begins with it.
    const last = next < characters.length && found.length > 1 ? found.pop()! : '';
    all.push(...found);
    at = next - [...last].length;
  }
  return all;
}
