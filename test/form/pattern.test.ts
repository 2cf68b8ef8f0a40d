import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgePattern, matchesPattern } from '../../src/form/pattern.ts';

describe('patterns from strangers', () => {
  it.each([
    ['^[a-z]+(?:-[a-z]+)*$', 'one-two', 'one--two'],
    ['^\\d{3,5}$', '1234', '12'],
    ['b', 'abc', 'xyz'],
    ['^(?:cat|dog)s?$', 'dogs', 'cow'],
    ['^[^\\s@]+@[^\\s@]+$', 'a@b', 'a b@c'],
    ['\\bfoo\\b', 'a foo b', 'afoob'],
    ['^\\p{Lu}\\p{Ll}+(?: \\p{Lu}\\p{Ll}+)*$', 'Élan Vital', 'élan'],
    ['^.$', '𝒳', 'ab'],
    ['^[\\u{1F600}-\\u{1F64F}]$', '😀', 'x'],
    ['^[\\x41-\\x5A\\-_]+$', 'A-B_C', 'abc'],
    ['^(?<year>\\d{4})\\/\\d\\d$', '2026/11', '26/11'],
    ['^$', '', 'a'],
    ['^a{0}b$', 'b', 'ab'],
    ['^(|a)c$', 'ac', 'bc'],
    ['^[\\w.-]+$', 'a.b-c_d', 'a b'],
    ['^\\$\\d+\\.\\d{2}$', '$12.50', '12.50'],
  ])('%s takes %j and refuses %j', (pattern, good, bad) => {
    expect(judgePattern(pattern).verdict).toBe('linear');
    expect(matchesPattern(pattern, good)).toBe(true);
    expect(matchesPattern(pattern, bad)).toBe(false);
  });

  it.each([
    '(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '(a*)*b',
    '^(\\w+\\s?)*$',
    '(x+x+)+y',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
    '^(\\p{L}|[a-z])*$',
    '(?:.*,)*x',
  ])('%s is refused as explosive', pattern => {
    expect(judgePattern(pattern).verdict).toBe('explosive');
  });

  it.each(['^(?!x)a$', '(?<=a)b', '(a)\\1', '(?<n>a)\\k<n>', '^a{5000}$', '(?i:a)'])(
    '%s is not checked, and said so',
    pattern => {
      expect(['unchecked', 'broken']).toContain(judgePattern(pattern).verdict);
      expect(matchesPattern(pattern, 'anything')).toBe(true);
    },
  );

  it.each(['(', '[b-a]', 'a{2,1}', '*'])('%s is broken', pattern => {
    expect(judgePattern(pattern).verdict).toBe('broken');
  });

  it('P1: agrees with the native engine on random patterns', () => {
    const piece: fc.Arbitrary<string> = fc.letrec(tie => ({
      atom: fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\b', '^', '$', '-'),
      quantified: fc
        .tuple(tie('group') as fc.Arbitrary<string>, fc.constantFrom('', '*', '+', '?', '{2}', '{1,2}', '+?'))
        .map(([one, quantifier]) => `${one}${quantifier}`),
      group: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom('a', 'b', '[ab]', '.', '\\w'),
        (tie('sequence') as fc.Arbitrary<string>).map(one => `(?:${one})`),
      ),
      sequence: fc
        .array(fc.oneof(tie('atom') as fc.Arbitrary<string>, tie('quantified') as fc.Arbitrary<string>), {
          maxLength: 4,
        })
        .map(parts => parts.join('')),
      either: fc
        .array(tie('sequence') as fc.Arbitrary<string>, { minLength: 1, maxLength: 3 })
        .map(parts => parts.join('|')),
    })).either as fc.Arbitrary<string>;
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', '-', ' '), maxLength: 8 });
    let compared = 0;
    fc.assert(
      fc.property(piece, fc.array(text, { minLength: 5, maxLength: 5 }), (pattern, texts) => {
        if (judgePattern(pattern).verdict !== 'linear') return;
        for (const each of texts) {
          compared += 1;
          expect(matchesPattern(pattern, each)).toBe(new RegExp(pattern, 'u').test(each));
        }
      }),
      { numRuns: 2_000 },
    );
    expect(compared).toBeGreaterThan(1_000);
  });

  it('P1: a text of any length is judged in one pass, and too long a text fails', () => {
    expect(matchesPattern('^(?:.*a){20}$', 'a'.repeat(4_000))).toBe(true);
    expect(matchesPattern('^a*$', 'a'.repeat(4_001))).toBe(false);
  });

  it('P2: the search for explosive patterns is bounded; past the bound a pattern is still matched in linear time', () => {
    expect(judgePattern(`${'(a|b|ab)*'.repeat(40)}c`).verdict).toBe('explosive');
    const large = `^(?:${Array.from({ length: 90 }, (_, i) => `${i}x`).join('|')})*$`;
    expect(judgePattern(large).verdict).toBe('linear');
    expect(matchesPattern(large, '1x22x7x'.repeat(500))).toBe(true);
    expect(matchesPattern(large, `${'1x22x7x'.repeat(500)}!`)).toBe(false);
    expect(matchesPattern(`^(?:${'a?'.repeat(290)})*b$`, 'a'.repeat(2_000))).toBe(false);
  });
});
