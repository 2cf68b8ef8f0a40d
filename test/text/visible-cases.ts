/** Texts that try to hide something, and what may be drawn of any text: the fuzzing target of `visible`. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { visible, visibleJson } from '../../packages/core/src/text/visible.ts';

/** Whatever draws nothing, by Unicode's own tables. */
const drawsNothing = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Where such a character may stand all the same: as part of something that is seen. */
const seen = [
  // biome-ignore lint/complexity/useRegexLiterals: the compiler's target does not know the flag v, which Node has.
  new RegExp('\\p{Extended_Pictographic}[\\uFE0E\\uFE0F](?!\\u200D)|\\p{RGI_Emoji}', 'gv'),
  /(?<=[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Adlam}]\p{M}{0,5})\u200C(?=\p{L})/gu,
  /(?<=\p{M})[\u200C\u200D]/gu,
  /(?<=\p{Script=Bengali})\u200D(?=\u09CD)/gu,
];

const sign = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 0x10ffff }).map(point => String.fromCodePoint(point)) },
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      ...[
        'a',
        ' ',
        '1',
        '#',
        '\n',
        '\t',
        '"',
        '\\',
        '\u200B',
        '\u200C',
        '\u200D',
        '\uFE0E',
        '\uFE0F',
        '\u20E3',
        '\u0301',
      ],
      ...[
        '\u202E',
        '\u2800',
        '\u180B',
        '\u{E0100}',
        '\u{E0067}',
        '\u{E007F}',
        '\u{1F3F4}',
        '❤',
        '😀',
        '👩',
        '🏽',
        '\u{1F1E9}',
      ],
      ...[
        'می',
        'ب',
        'क',
        '\u094D',
        'র',
        '\u09CD',
        '\uD83D',
        '\uDE00',
        '⟦',
        '⟧',
        '👩‍👩‍👧',
        '1️⃣',
        'é',
        '\u3164',
        '\u00AD',
      ],
    ),
  },
);

const text = fc.array(sign, { maxLength: 60 }).map(signs => signs.join(''));

/** @param runs - texts to try */
export function nothingHides(runs: number): void {
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 80 }), fc.boolean(), (given, max, lines) => {
      const whole = visible(given, { lines });
      const bare = seen.reduce((left, kind) => left.replaceAll(kind, ''), lines ? whole.replace(/[\n\t]/g, '') : whole);
      expect(drawsNothing.test(bare)).toBe(false);
      expect(/\p{M}{6}|(?:^|\s|⟧)\p{M}/u.test(whole)).toBe(false);
      // Nothing is lost, and what is safe already stays as it is.
      const back = whole.replace(/⟦U\+([0-9A-F]{4,6})⟧/g, (_, point) =>
        String.fromCodePoint(Number.parseInt(point, 16)),
      );
      if (!/[⟦⟧]/.test(given)) expect(back).toBe(given);
      expect(visible(whole, { lines, max: 10_000 })).toBe(whole);
      // A text that is cut says how much is missing.
      const short = visible(given, { lines, max });
      const missing = Number(/… \(([\d,]+) more characters\)$/.exec(short)?.[1] ?? 0);
      const kept = short.replace(/… \([\d,]+ more characters\)$/, '');
      if (missing > 0) expect(missing).toBeGreaterThanOrEqual([...given].length - max);
      else expect(kept).toBe(whole);
      expect(whole.startsWith(kept)).toBe(true);
      const json = visibleJson({ [given]: [given] });
      expect(JSON.parse(json)).toEqual({ [given]: [given] });
      expect(drawsNothing.test(json)).toBe(false);
    }),
    { numRuns: runs },
  );
}
