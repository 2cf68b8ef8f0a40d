import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backtrackingOf, Work } from '../../packages/core/src/patterns/index.ts';

const plenty = () => new Work(Number.POSITIVE_INFINITY);
const within = (pattern: string, text: string, most = 20_000_000) =>
  backtrackingOf(pattern)!.isWithin(most, text, plenty());

describe('what a backtracking engine may do with a text', () => {
  it.each([
    ['(a+)+$', 'a'],
    ['^(a|a)*$', 'a'],
    ['^(a|aa)+$', 'a'],
    ['(a*)*b', 'a'],
    ['^(?:a?){40}b', 'a'],
    ['^(\\w+\\s?)*$', 'a'],
    ['^([a-z]|\\p{L})*$', 'a'],
    ['^(?=(a+)+!)', 'a'],
    ['^(?!(a+)+!)', 'a'],
    // What matches is tried last.
    ['^(?:(a+)+b|a+)$', 'a'],
    // With the flags i, s and m, each of which a description omits.
    ['^(?:a|A)+$', 'a'],
    ['^(a+)+$', 'A'],
    ['^(?:.|\\n)+!$', '\n'],
    ['(?:^a|^a|\\n)+!', '\na'],
    ['(?:a$|a$|\\n)+!', 'a\n'],
    ['^(?:É|é)+$', 'é'],
    // Without the flag u, a character may be two.
    ['^(?:[^a][^a]|[^a])+$', '😀'],
  ])('the pattern %s explodes', (pattern, repeated) => {
    expect(within(pattern, repeated.repeat(64))).toBe(false);
    expect(within(pattern, repeated)).toBe(true);
  });

  it.each(['^(a+)+$', '^(?:a|a)+$'])('the pattern %s explodes once the text is trimmed', pattern => {
    expect(within(pattern, ` \n${'a'.repeat(64)}! `)).toBe(false);
  });

  it.each([
    ['^[^<>]*$', 'some text '],
    ['^(?:[a-z0-9]+-)*[a-z0-9]+$', 'a1b2-'],
    [
      "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
      'ada.',
    ],
    ['^(?:ab?)*$', 'ab'],
    ['^(?:a?b)*$', 'ab'],
    ['^(?:(?:a*)?b)+$', 'ab'],
    ['^(?:a?)*$', 'a'],
    ['^(?!-)(?:[a-z]+)$', 'word'],
    ['foo|bar', 'fob'],
  ])('the pattern %s takes time in proportion to the text', (pattern, repeated) => {
    const text = repeated.repeat(4_000);
    expect(within(pattern, text, 20 * text.length)).toBe(true);
  });

  it.each<[string, string]>([
    ['^[a-z]*$', 'a'],
    ['^$|^(?:[0-9a-zA-Z+/]{4})*(?:[0-9a-zA-Z+/]{2}==)?$', 'QUJD'],
    ['^data:[a-z]{1,20};(?:[a-z]{2})*', 'data:a;bc'],
    ['foo|ba?r', 'foo'],
  ])('the pattern %s is known to be linear without a count, and it is', (pattern, repeated) => {
    const linear = backtrackingOf(pattern)!;
    expect(linear.isLinearWithin(20_000_000, 100_000)).toBe(true);
    expect(linear.isLinearWithin(20_000_000, 1_000_000_000)).toBe(false);
    const text = repeated.repeat(2_000);
    expect(within(pattern, text, 100 * text.length)).toBe(true);
  });

  it.each([
    ...[
      '^(a+)+$',
      '^(a|a)*$',
      '(?:a?){40}b',
      '^a*a*$',
      'a*$',
      '^(?:a|b)*$',
      '^(?:ab?)*$',
      '^(?:a*){2}$',
      '^[^x]*$',
      '^.*$',
    ],
    ...['^a*|b*', '^(?:a?){3,40}$', '^(?=a*)a*$', '^(?:)*$'],
  ])('the pattern %s is not known to be linear', pattern => {
    expect(backtrackingOf(pattern)!.isLinearWithin(20_000_000, 10_000)).toBe(false);
  });

  it('a quadratic pattern takes some thousand characters, and no hundred thousand', () => {
    expect(within('\\s+$', `${' '.repeat(3_000)}x`)).toBe(true);
    expect(within('\\s+$', `${' '.repeat(100_000)}x`)).toBe(false);
  });

  it('pattern-P2: the counting is paid for', () => {
    const counts = (steps: number) =>
      backtrackingOf('^[a-z]*$')!.isWithin(20_000_000, 'a'.repeat(1_000), new Work(steps));
    expect(counts(1_000)).toBe(false);
    expect(counts(100_000)).toBe(true);
  });

  it.each(['(?<=a)b', '(?<!a)b', '(a)\\1', '(?<x>a)\\k<x>', 'a{3000}', '(?:){5000}', '('])(
    'the pattern %s cannot be counted',
    source => {
      expect(backtrackingOf(source)).toBeUndefined();
    },
  );

  it('pattern-P4: no engine tests more characters than were counted', { tags: 'thorough' }, () => {
    fc.assert(
      fc.property(tree, fc.stringMatching(/^[ab]{0,8}$/), (node, text) => {
        const tests = testsOf(node, text);
        expect(within(sourceOf(node), text, tests - 1)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});

/** A pattern as a tree, for an engine that follows every path. */
type Tree =
  | { readonly is: 'point'; readonly points: string }
  | { readonly is: 'sequence' | 'either'; readonly parts: readonly Tree[] }
  | { readonly is: 'repeat'; readonly part: Tree; readonly min: number; readonly max: number }
  | { readonly is: 'ahead'; readonly part: Tree };

const { tree } = fc.letrec<{ tree: Tree }>(tie => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.record({ is: fc.constant('point' as const), points: fc.constantFrom('a', 'b', 'ab') }),
    fc.record({
      is: fc.constantFrom('sequence' as const, 'either' as const),
      parts: fc.array(tie('tree'), { minLength: 0, maxLength: 3 }),
    }),
    fc
      .tuple(tie('tree'), fc.constantFrom([0, 1], [0, Infinity], [1, Infinity], [1, 2], [0, 2], [2, 2]))
      .map(([part, [min, max]]) => ({ is: 'repeat' as const, part, min: min!, max: max! })),
    fc.record({ is: fc.constant('ahead' as const), part: tie('tree') }),
  ),
}));

function sourceOf(node: Tree): string {
  switch (node.is) {
    case 'point':
      return `[${node.points}]`;
    case 'sequence':
      return `(?:${node.parts.map(sourceOf).join('')})`;
    case 'either':
      return `(?:${node.parts.map(sourceOf).join('|')})`;
    case 'repeat':
      return `(?:${sourceOf(node.part)}){${node.min},${node.max === Infinity ? '' : node.max}}`;
    case 'ahead':
      return `(?=${sourceOf(node.part)})`;
  }
}

const mostTests = 20_000;

/** How many characters a backtracking engine tests to find no match, as ECMAScript specifies it. */
function testsOf(pattern: Tree, text: string): number {
  let tests = 0;
  type Rest = (at: number) => boolean;
  const match = (node: Tree, at: number, rest: Rest): boolean => {
    switch (node.is) {
      case 'point':
        tests += at < text.length ? 1 : 0;
        if (tests > mostTests) return true;
        return at < text.length && node.points.includes(text[at]!) && rest(at + 1);
      case 'sequence': {
        const from = (index: number, here: number): boolean =>
          index === node.parts.length ? rest(here) : match(node.parts[index]!, here, next => from(index + 1, next));
        return from(0, at);
      }
      case 'either':
        return node.parts.length === 0 ? rest(at) : node.parts.some(part => match(part, at, rest));
      case 'repeat': {
        const again = (times: number, here: number): boolean => {
          if (times >= node.max) return rest(here);
          const once = match(node.part, here, next =>
            times >= node.min && next === here ? false : again(times + 1, next),
          );
          return once || (times >= node.min && rest(here));
        };
        return again(0, at);
      }
      case 'ahead':
        return match(node.part, at, () => true) && rest(at);
    }
  };
  for (let at = 0; at <= text.length; at += 1) match(pattern, at, () => false);
  return Math.min(tests, mostTests);
}
