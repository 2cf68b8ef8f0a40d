import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgePattern, matchesPattern, Work } from '../../packages/core/src/patterns/index.ts';

const plenty = () => new Work(Number.POSITIVE_INFINITY);
const verdict = (pattern: string) => judgePattern(pattern, plenty()).verdict;
const matches = (pattern: string, text: string) => matchesPattern(pattern, text, plenty());
/** Whether this many steps are enough to decide. */
const decides = (pattern: string, text: string, steps: number) =>
  matchesPattern(pattern, text, new Work(steps)) !== undefined;

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
  ])('the pattern %s takes %j and refuses %j', (pattern, good, bad) => {
    expect(verdict(pattern)).toBe('linear');
    expect(matches(pattern, good)).toBe(true);
    expect(matches(pattern, bad)).toBe(false);
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
  ])('pattern-P1: the pattern %s explodes in other engines, and is one pass here', pattern => {
    const text = `${'a'.repeat(2_000)}!`;
    expect(verdict(pattern)).toBe('linear');
    expect(decides(pattern, text, 250 * text.length)).toBe(true);
  });

  it.each([
    '^(?!x)a$',
    '(?<=a)b',
    '(a)\\1',
    '(?<n>a)\\k<n>',
    '^a{5000}$',
    '(?i:a)',
    '(?:){999999}',
    '(?:(?:){999999}){999999}',
    '\\_\\p{Nonsense}',
    '\\_\\u{61}',
  ])('the pattern %s is not checked, and said so', pattern => {
    expect(['unchecked', 'broken']).toContain(verdict(pattern));
    expect(matches(pattern, 'anything')).toBe(undefined);
  });

  it.each(['(', '[b-a]', 'a{2,1}', '*'])('the pattern %s is broken', pattern => {
    expect(verdict(pattern)).toBe('broken');
  });

  it('pattern-P1: a judgement agrees with the native engine on random patterns', { tags: 'thorough' }, () => {
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
        if (verdict(pattern) !== 'linear') return;
        for (const each of texts) {
          compared += 1;
          expect(matches(pattern, each)).toBe(new RegExp(pattern, 'u').test(each));
        }
      }),
      { numRuns: 2_000 },
    );
    expect(compared).toBeGreaterThan(1_000);
  });

  it('pattern-P1: a text of any length is judged in one pass', () => {
    expect(matches('^(?:.*a){20}$', 'a'.repeat(4_000))).toBe(true);
    expect(matches('^a*$', 'a'.repeat(100_000))).toBe(true);
    const large = `^(?:${Array.from({ length: 90 }, (_, i) => `${i}x`).join('|')})*$`;
    expect(matches(large, '1x22x7x'.repeat(500))).toBe(true);
    expect(matches(large, `${'1x22x7x'.repeat(500)}!`)).toBe(false);
    expect(matches(`^(?:${'a?'.repeat(290)})*b$`, 'a'.repeat(200))).toBe(false);
  });

  it('pattern-P2: a class costs what a search by halves costs, however many ranges it has', () => {
    const sparse = Array.from({ length: 880 }, (_, i) => String.fromCodePoint(0x4e00 + 2 * ((i * 7) % 880))).join('');
    const text = String.fromCodePoint(0x4e01).repeat(4_000);
    expect(decides(`[${sparse}]`, text, 4_000 * (3 + 1 + 11) + 22_000)).toBe(true);
    expect(matches(`[${sparse}]`, `${text}\u4e02`)).toBe(true);
    // Neighbours and doubles are one range.
    const dense = Array.from({ length: 880 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7) % 880))).join('');
    expect(decides(`[${dense}${dense.slice(0, 100)}]`, 'a'.repeat(4_000), 4_000 * (3 + 1 + 2) + 22_000)).toBe(true);
  });

  it('pattern-P2: what a pattern costs is the same the second time', () => {
    const cost = () => {
      let [low, high] = [0, 10_000];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (decides('^(?:ab|a)*c$', 'ab'.repeat(50), middle)) high = middle;
        else low = middle + 1;
      }
      return low;
    };
    const first = cost();
    expect(first).toBeGreaterThan(100);
    expect(cost()).toBe(first);
  });

  it('pattern-P3: nothing is said of a text where the work is used up', () => {
    const work = new Work(1_000);
    expect(matchesPattern('^a*$', 'a'.repeat(10_000), work)).toBe(undefined);
    expect(work.usedUp).toBe(true);
    expect(judgePattern('^b$', work).verdict).toBe('unchecked');
    expect(judgePattern('^b$', plenty()).verdict).toBe('linear');
  });
});
