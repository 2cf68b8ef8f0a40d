/**
 * Text from a server made safe to show. Whatever could move the cursor, reorder the line or hide a character is
 * written out (`⟦U+202E⟧`), and length is capped, so that no text can forge the interface around it. Pure; every view
 * passes every foreign string through here before its own escaping.
 *
 * - visible-V1 A character that draws nothing, by Unicode's own property or by its glyph, is written out.
 * - visible-V2 It is kept where writing needs it: within an emoji that Unicode recommends, as an emoji's choice of presentation, and
 *   as the one joiner of Arabic or Indic letters. A joiner that joins nothing is written out.
 * - visible-V3 A base keeps at most five combining marks; a mark without a base would sit on the text around it.
 */

/** How a text is made visible. */
export interface VisibleOptions {
  /** Characters shown (Unicode code points); the rest is counted. Default 2,000. */
  readonly max?: number;
  /** True keeps line breaks and tabs; false writes them out too. Default false. */
  readonly lines?: boolean;
}

/** Characters that are assigned, not ignorable, and yet blank: Braille, a musical, a Khitan and two Egyptian fillers. */
const blank = String.raw`\u2800\u{1D159}\u{16FE4}\u{13441}\u{13442}`;

/** A pattern that is built when a text first needs it: building takes milliseconds, which would slow the start. */
function lazily(make: () => RegExp): () => RegExp {
  let pattern: RegExp | undefined;
  return () => {
    pattern ??= make();
    return pattern;
  };
}

/** visible-V1. Control, format, private-use and unassigned code points, and what Unicode says draws nothing. */
const hidden = lazily(
  () =>
    new RegExp(String.raw`[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}${blank}]`, 'u'),
);

/** visible-V3. Hebrew with vowels and cantillation, and Tibetan stacks, need no more. */
const mostMarks = 5;

const mark = /\p{M}/u;
const baseless = /[\s⟧]/u;

/** visible-V2. */
// biome-ignore lint/complexity/useRegexLiterals: the compiler's target does not know the flag v, which Node has.
const emojiPattern = lazily(() => new RegExp('\\p{RGI_Emoji}', 'vy'));
const chosenPresentation = /\p{Extended_Pictographic}[\uFE0E\uFE0F]/uy;

/** The most UTF-16 units that are read as one emoji; the longest emoji has fewer. */
const longestEmoji = 40;

/** visible-V2. What may precede and follow a joiner. Viramas are those of the scripts of South Asia and Burma. */
const virama =
  /[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D3B\u0D3C\u0D4D\u0DCA\u0F84\u1039\u103A\u17D2\u1B44\u1BAA\uA8C4\uA9C0]$/u;
const arabic = String.raw`[[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Adlam}]&&\p{L}]`;
const arabicBefore = lazily(() => new RegExp(String.raw`${arabic}\p{M}{0,${mostMarks}}$`, 'v'));
const arabicAfter = lazily(() => new RegExp(`^${arabic}`, 'v'));
const bengali = /\p{Script=Bengali}$/u;

function joins(before: string, joiner: string, after: string): boolean {
  if (joiner !== '\u200C' && joiner !== '\u200D') return false;
  if (virama.test(before)) return true;
  if (joiner === '\u200C') return arabicBefore().test(before) && arabicAfter().test(after);
  // The ya-phalaa is the one sign that has its joiner before the virama.
  return bengali.test(before) && after.startsWith('\u09CD');
}

function written(character: string): string {
  return `⟦U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟧`;
}

/** A piece of a text: shown as it is, or one character that must be written out. */
interface Piece {
  readonly text: string;
  readonly drawn: boolean;
}

const asciiRun = /[\x20-\x7E]+/y;

/** A text from its beginning; line breaks and tabs count as hidden. */
function* pieces(text: string): Generator<Piece> {
  let marks = 0;
  let base = false;
  for (let at = 0; at < text.length; ) {
    asciiRun.lastIndex = at;
    // A digit may begin a keycap, and the last sign may bear a mark.
    const ascii = asciiRun.exec(text)?.[0];
    const end = at + (ascii?.length ?? 0);
    if (ascii !== undefined && text[end] !== '\uFE0F') {
      yield { text: ascii, drawn: true };
      [marks, base, at] = [0, !ascii.endsWith(' '), end];
      continue;
    }
    if (ascii !== undefined && ascii.length > 1) {
      yield { text: ascii.slice(0, -1), drawn: true };
      at = end - 1;
    }
    const sequence = sequenceAt(text, at);
    if (sequence !== undefined) {
      yield { text: sequence, drawn: true };
      [marks, base, at] = [sequence.match(/\p{M}/gu)?.length ?? 0, true, at + sequence.length];
      continue;
    }
    const character = String.fromCodePoint(text.codePointAt(at)!);
    const next = at + character.length;
    if (hidden().test(character)) {
      // Only a base with its marks precedes it.
      const before = text.slice(Math.max(0, at - 2 * mostMarks - 2), at);
      const drawn = base && joins(before, character, text.slice(next, next + 2));
      yield { text: character, drawn };
      // What follows would combine with the bracket of what is written out.
      if (!drawn) base = false;
    } else if (mark.test(character)) {
      marks += 1;
      yield { text: character, drawn: base && marks <= mostMarks };
      if (marks > mostMarks) base = false;
    } else {
      [marks, base] = [0, !baseless.test(character)];
      yield { text: character, drawn: true };
    }
    at = next;
  }
}

/** An emoji at a position, possibly of several characters. */
function sequenceAt(text: string, at: number): string | undefined {
  const [whole, chosen] = [emojiPattern(), chosenPresentation].map(kind => {
    kind.lastIndex = at;
    return kind.exec(text)?.[0];
  });
  return (whole?.length ?? 0) < (chosen?.length ?? 0) ? chosen : whole;
}

/**
 * Makes every character of a foreign text visible and caps its length.
 * @param text - as received
 * @returns text that is safe to draw, though still not markup: a view escapes it for its own medium
 * @example
 * ```ts
 * visible('in\u202Evisible', { max: 200 }); // the control character is shown, not obeyed
 * ```
 */
export function visible(text: string, options: VisibleOptions = {}): string {
  const max = options.max ?? 2_000;
  const out: string[] = [];
  let left = max;
  let at = 0;
  for (const piece of pieces(text.slice(0, max * 2 + longestEmoji))) {
    if (left <= 0) break;
    const part = cut(piece.text, left);
    // Part of an emoji is a different one, or none.
    if (part !== piece.text && hidden().test(piece.text)) break;
    left -= codePoints(part);
    at += part.length;
    const asItIs = piece.drawn || (options.lines === true && (part === '\n' || part === '\t'));
    out.push(asItIs ? part : written(part));
  }
  const rest = codePoints(text, at);
  return rest > 0 ? `${out.join('')}… (${rest.toLocaleString('en')} more characters)` : out.join('');
}

/** The number of code points from a position on; counted without a list, since a text may have millions. */
function codePoints(text: string, from = 0): number {
  const pair = /[\uD800-\uDBFF][\uDC00-\uDFFF]/g;
  pair.lastIndex = from;
  let count = text.length - from;
  while (pair.test(text)) count -= 1;
  return count;
}

/** The first `count` code points. */
function cut(text: string, count: number): string {
  if (text.length <= count) return text;
  let units = 0;
  for (const character of text) {
    if (count-- <= 0) break;
    units += character.length;
  }
  return text.slice(0, units);
}

const suspect = lazily(() => new RegExp(String.raw`${hidden().source}|\p{M}`, 'u'));

/** JSON in which every character that would have to be written out is escaped; it parses to the same value. */
export function visibleJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? 'null';
  if (!suspect().test(text.replaceAll('\n', ''))) return text;
  const out: string[] = [];
  for (const { text: some, drawn } of pieces(text)) {
    if (some === '\n') out.push(some);
    else out.push(drawn ? some.replace(everyHidden(), escapes) : escapes(some));
  }
  return out.join('');
}

const everyHidden = lazily(() => new RegExp(hidden(), 'gu'));

function escapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** True if a text contains a character that draws nothing. */
export function hides(text: string): boolean {
  return hidden().test(text.replaceAll('\n', ''));
}
