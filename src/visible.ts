/**
 * Text from a server as a person may see it. Whatever could move the cursor, reorder the line or hide a character is
 * written out (`⟦U+202E⟧`), and length is capped, so that no text can forge the interface around it. Pure; every view
 * passes every foreign string through here before its own escaping.
 */

/** How a text is made visible. */
export interface VisibleOptions {
  /** Characters kept (Unicode code points); the rest is counted. Default 2,000. */
  readonly max?: number;
  /** True keeps line breaks and tabs; false writes them out too. Default false. */
  readonly lines?: boolean;
}

/** Formatting, private-use and unassigned-looking code points that draw nothing or redraw what is around them. */
const hidden =
  /\p{Cc}|\p{Cf}|\p{Co}|\p{Cn}|\p{Cs}|\p{Zl}|\p{Zp}|\u034F|\u115F|\u1160|\u17B4|\u17B5|\u3164|\uFFA0|[\uFE00-\uFE0F]/u;

/** An emoji made of several is kept whole: a joiner or a variation selector after a pictograph hides nothing. */
const pictograph = /\p{Extended_Pictographic}/u;

function written(character: string): string {
  return `⟦U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟧`;
}

/**
 * Makes every character of a foreign text visible and caps its length.
 * @param text - as received
 * @returns text that is safe to draw, though still not markup: a view escapes it for its own medium
 */
export function visible(text: string, options: VisibleOptions = {}): string {
  const max = options.max ?? 2_000;
  const out: string[] = [];
  let count = 0;
  let previous = '';
  for (const character of text.slice(0, max * 2)) {
    if (count >= max) break;
    count += 1;
    if (options.lines === true && (character === '\n' || character === '\t')) out.push(character);
    else if ((character === '\u200D' || character === '\uFE0F') && pictograph.test(previous)) out.push(character);
    else out.push(hidden.test(character) ? written(character) : character);
    if (character !== '\uFE0F') previous = character;
  }
  const rest = codePoints(text, consumed(text, count));
  return rest > 0 ? `${out.join('')}… (${rest.toLocaleString('en')} more characters)` : out.join('');
}

/** How many code points follow from a place on; counted, not spelled out, since a text may have millions. */
function codePoints(text: string, from: number): number {
  let count = text.length - from;
  for (let at = from; at < text.length - 1; at += 1) {
    if (text.codePointAt(at)! <= 0xffff) continue;
    count -= 1;
    at += 1;
  }
  return count;
}

/** UTF-16 length of the first `count` code points. */
function consumed(text: string, count: number): number {
  let units = 0;
  for (const character of text) {
    if (count-- <= 0) break;
    units += character.length;
  }
  return units;
}

/** JSON in which every character that would have to be written out is an escape; the same value to whoever parses it. */
export function visibleJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? 'null';
  return text.replace(new RegExp(hidden, 'gu'), character => {
    if (character === '\n') return character;
    const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
    return units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}

/** True where a text holds a character that would have to be written out. */
export function hides(text: string): boolean {
  return hidden.test(text.replaceAll('\n', ''));
}
