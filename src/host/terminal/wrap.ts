/**
 * Lines no wider than the terminal. A terminal breaks a longer line wherever it ends and goes on at the left edge, where a
 * text from a server would stand like one of ours; so it is broken here, between words, and goes on behind its own bar. Pure.
 */

/** Drawn over two columns by a terminal: CJK, full-width forms, and pictographs. */
const wide =
  /\p{Emoji_Presentation}|\p{Extended_Pictographic}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

/** Narrower than this, a terminal is left to break lines itself. */
const narrowest = 16;

const widthOf = (character: string): number => (wide.test(character) ? 2 : 1);

const textWidth = (text: string): number => [...text].reduce((sum, character) => sum + widthOf(character), 0);

/**
 * A line as lines.
 * @param columns - of the terminal; undefined where it has none, such as a pipe, and the line stays as it is
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
    for (const character of word) {
      if (width + widthOf(character) > columns) flush();
      [now, width] = [now + character, width + widthOf(character)];
    }
  }
  if (now !== lead) all.push(now);
  return all;
}
