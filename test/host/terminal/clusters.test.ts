/** A word as clusters, of any length: 100 KB of Base64 in a result are one word. */
import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { clusters, wrapped } from '../../../packages/host/src/terminal/wrap.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
afterEach(() => vi.restoreAllMocks());

it('the segmenter never gets more than 200 code points, since it copies all of them for each cluster', () => {
  const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment');
  const word = 'é👨‍👩‍👧'.repeat(2_000);
  expect(clusters(word)).toHaveLength(4_000);
  const sizes = segment.mock.calls.map(([text]) => [...text].length);
  expect(Math.max(...sizes)).toBe(200);
  expect(sizes.length).toBeLessThan(100);
});

it('a word needs no segmenter for ASCII, also where a word is wrapped', () => {
  const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment');
  expect(clusters('x'.repeat(5_000))).toHaveLength(5_000);
  expect(wrapped('x'.repeat(5_000), 50, '')).toHaveLength(100);
  expect(segment).not.toHaveBeenCalled();
});

it('the clusters are those of the whole word, wherever a slice ends', () => {
  const unit = fc.constantFrom(
    'a',
    'e\u0301',
    '\u0302',
    '👨‍👩‍👧',
    '👨',
    '\u200D',
    '🇩🇪',
    '🇩',
    'क्षि',
    'का',
    '각',
    'ᄀ',
    '\u{1D165}',
    '\uD83D',
  );
  fc.assert(
    fc.property(fc.string({ unit, minLength: 150, maxLength: 260 }), word => {
      expect(clusters(word)).toEqual(Array.from(segmenter.segment(word), ({ segment }) => segment));
    }),
  );
});

it('a letter with hundreds of marks, which no script has, is divided', () => {
  expect(clusters(`a${'\u0301'.repeat(999)}b`).map(({ length }) => length)).toEqual([200, 200, 200, 200, 200, 1]);
});
