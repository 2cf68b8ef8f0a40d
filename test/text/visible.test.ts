/** Foreign text as a person sees it: nothing is hidden in it, and what people write stays readable. */
import { describe, expect, it } from 'vitest';
import { hides, visible, visibleJson } from '../../packages/core/src/text/visible.ts';
import { nothingHides } from './visible-cases.ts';

const everyCodePoint = Array.from({ length: 0x110000 }, (_, point) => point).filter(
  point => point < 0xd800 || point > 0xdfff,
);

describe('what draws nothing', () => {
  it('what draws nothing is written out, whichever of the ignorable code points it is', () => {
    const ignorable = everyCodePoint.filter(point =>
      /\p{Default_Ignorable_Code_Point}/u.test(String.fromCodePoint(point)),
    );
    expect(ignorable.length).toBeGreaterThan(4_000);
    for (const point of ignorable) {
      const character = String.fromCodePoint(point);
      expect(visible(`a${character}b`)).toBe(`a⟦U+${point.toString(16).toUpperCase().padStart(4, '0')}⟧b`);
      expect(hides(character)).toBe(true);
      expect(visibleJson(`a${character}b`)).toMatch(/^"a(\\u[0-9a-f]{4})+b"$/);
    }
  });

  it('what draws nothing is written out where it is assigned and blank', () => {
    expect(visible('a\u2800b\u{1D159}c\u{16FE4}d\u{13441}')).toBe('a⟦U+2800⟧b⟦U+1D159⟧c⟦U+16FE4⟧d⟦U+13441⟧');
  });

  it('what draws nothing is written out where it stands in no emoji and joins no letters', () => {
    expect(visible('👍\u200Da')).toBe('👍⟦U+200D⟧a');
    expect(visible('❤️\uFE0F\uFE0F')).toBe('❤️⟦U+FE0F⟧⟦U+FE0F⟧');
    expect(visible('a\uFE0F 1\uFE0F')).toBe('a⟦U+FE0F⟧ 1⟦U+FE0F⟧');
    expect(visible('a\u200Cb')).toBe('a⟦U+200C⟧b');
    expect(visible('می\u200C\u200Cخ')).toBe('می⟦U+200C⟧⟦U+200C⟧خ');
    expect(visible('\u{1F3F4}\u{E0068}\u{E0069}\u{E007F}')).toBe('\u{1F3F4}⟦U+E0068⟧⟦U+E0069⟧⟦U+E007F⟧');
    expect(visible('葛\u{E0100}ᠠ\u180B')).toBe('葛⟦U+E0100⟧ᠠ⟦U+180B⟧');
  });
});

describe('what people write', () => {
  it.each([
    ['emoji of several signs', '👨‍👩‍👧 👍🏽 🇩🇪 1️⃣ #️⃣ 🏳️‍🌈 ❤️ ❤︎ ⌚︎ 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    ['Persian', 'می‌خواهم آن‌ها را ببینم'],
    ['Hindi', 'क्‍ष और क्‌ष'],
    ['Bengali', 'র‍্যাব'],
    ['Sinhala', 'ශ්‍රී ලංකා'],
    ['Hebrew with vowels and cantillation', 'בְּרֵאשִׁ֖ית בָּרָ֣א'],
    ['Tibetan', 'བསྒྲུབས་ཧཱུྃ'],
    ['Vietnamese, decomposed', 'Tiếng Việt'.normalize('NFD')],
    ['Thai', 'ที่นี่'],
    ['Chinese, Japanese and Korean', '你好、カタカナ、한국어'],
  ])('what people write stays as it is: %s', (_, text) => {
    expect(visible(text)).toBe(text);
  });
});

describe('combining marks', () => {
  it('combining marks are five on one base at most, and the rest is written out', () => {
    expect(visible(`a${'\u0301'.repeat(8)}b`)).toBe(`a${'\u0301'.repeat(5)}${'⟦U+0301⟧'.repeat(3)}b`);
  });

  it('combining marks count where they are part of an emoji, as in a keycap', () => {
    expect(visible(`1️⃣${'\u0301'.repeat(4)}`)).toBe(`1️⃣${'\u0301'.repeat(3)}⟦U+0301⟧`);
  });

  it('combining marks have a base of their own: none sits on the text around, nor on what is written out', () => {
    expect(visible('\u0338a')).toBe('⟦U+0338⟧a');
    expect(visible('a \u0338')).toBe('a ⟦U+0338⟧');
    expect(visible('a\u200B\u0338')).toBe('a⟦U+200B⟧⟦U+0338⟧');
  });

  it('combining marks count among the characters of a text that is cut', () => {
    expect(visible('abc', { max: 2 })).toBe('ab… (1 more characters)');
    expect(visible('a👨‍👩‍👧b', { max: 3 })).toBe('a… (6 more characters)');
  });
});

it('visible() shows its text whole, hides nothing of it, and counts what it leaves out: 1,000 texts', {
  tags: 'thorough',
}, () => {
  nothingHides(1_000);
});
