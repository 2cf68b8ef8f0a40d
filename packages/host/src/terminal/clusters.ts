/** A word as the clusters that a reader takes for one character each: a letter with its marks, an emoji of several. Pure. */

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

const ascii = /^[\x21-\x7E]*$/;

/** Code points segmented at once: the segmenter copies its whole input for each cluster. No script has a longer cluster. */
const mostAtOnce = 200;

/** @param word - without white space; a cluster that is longer than any script has may be divided */
export function clusters(word: string): readonly string[] {
  if (ascii.test(word)) return [...word];
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
