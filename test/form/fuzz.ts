/** What holds for whatever a stranger sends as a form or a pattern; a fixed number of cases in `npm test`, many in the soak. */

import { checkContent, type Field, formLimits, readForm } from '@midcall/core/form';
import fc from 'fast-check';
import { expect } from 'vitest';
import { emit } from '../../packages/core/src/form/wire.ts';
import { judgePattern, matchesPattern, Work } from '../../packages/core/src/patterns/index.ts';

/** Counts, and notices who goes on after the last step. */
class Counting extends Work {
  calls = 0;
  late = 0;
  override spend(steps: number): boolean {
    this.calls += 1;
    if (this.usedUp || !(steps >= 0)) this.late += 1;
    return super.spend(steps);
  }
}

const token = fc.constantFrom(
  ...'a b c 1 - _ . ^ $ | ( ) [ ] { } * + ? , : = ! < > \\ / 😀 é'.split(' '),
  ...'(?: (?= (?! (?<= (?<n> [^ [a-c] [^a] [] [^] {2} {1,2} {0} {,2} {999999} {0,290} *? +? ?? ** a{2,1}'.split(' '),
  ...'\\d \\D \\w \\W \\s \\S \\b \\B \\n \\0 \\1 \\x61 \\u0061 \\u{61} \\p{L} \\P{Lu} \\p{No} \\p{X} \\- \\_ \\k<n> \\c'.split(
    ' ',
  ),
  '\ud83d',
  ' ',
  '\n',
);
const pattern = fc.array(token, { maxLength: 12 }).map(tokens => tokens.join(''));
const plain = fc.string({ unit: fc.constantFrom('a', 'b', '1', '-', ' ', 'é', '\n'), maxLength: 6 });

const native = (source: string): RegExp | undefined => {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {
      // The next.
    }
  }
  return undefined;
};
/**
 * Where the native engine itself could take long, it is not asked; nor where it counts in halves of a character, as it does
 * without the flag `u`.
 */
const comparable = (is: RegExp): boolean =>
  !/\{\d{3,}|\{0,290/.test(is.source) && (is.flags === 'u' || !/[\ud800-\udfff]/.test(is.source));

/** @param numRuns - how many patterns */
export function fuzzPatterns(numRuns: number): void {
  fc.assert(
    fc.property(pattern, fc.array(plain, { minLength: 3, maxLength: 3 }), fc.string(), (source, texts, any) => {
      const is = native(source);
      const { verdict } = judgePattern(source, new Work(Number.POSITIVE_INFINITY));
      expect(verdict === 'broken').toBe(is === undefined);
      for (const text of texts) {
        const ours = matchesPattern(source, text, new Counting(100_000));
        if (verdict !== 'linear') expect(ours).toBe(undefined);
        else if (comparable(is!)) expect(ours).toBe(is!.test(text));
      }
      // Long texts of any kind end within the steps there are.
      const work = new Counting(20_000);
      matchesPattern(source, `${any}${'ab😀'.repeat(5_000)}`, work);
      expect(work.calls).toBeLessThanOrEqual(20_001);
      expect(work.late).toBe(0);
    }),
    { numRuns },
  );
}

const keyword = fc.constantFrom(
  ...'type title description enum enumNames oneOf anyOf allOf not const format pattern minLength maxLength minimum'.split(
    ' ',
  ),
  ...'maximum minItems maxItems uniqueItems items default required properties $ref nullable __proto__ toString'.split(
    ' ',
  ),
);
const scalar = fc.oneof(
  fc.constantFrom(
    'string',
    'number',
    'integer',
    'boolean',
    'array',
    'object',
    'email',
    'date',
    'date-time',
    'uri',
    'a',
  ),
  fc.integer({ min: -2, max: 12 }),
  fc.constantFrom(true, false, null, 1e308, -0, 0.5, 2 ** 53),
  fc.string({ maxLength: 8 }),
  pattern,
);
const { value } = fc.letrec<{ value: unknown; record: unknown }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    tie('record'),
  ),
  record: fc.array(fc.tuple(keyword, tie('value')), { maxLength: 5 }).map(own),
}));

/** As JSON has it: `__proto__` is a member like any other. */
function own(entries: readonly (readonly [string, unknown])[]): unknown {
  return JSON.parse(`{${entries.map(([key, each]) => `${JSON.stringify(key)}:${JSON.stringify(each)}`).join(',')}}`);
}

/** A property that is nearly right, so that more than the first check is reached. */
const property = fc
  .tuple(
    fc.constantFrom<readonly (readonly [string, unknown])[]>(
      [['type', 'string']],
      [['type', 'number']],
      [['type', 'integer']],
      [['type', 'boolean']],
      [
        ['type', 'string'],
        ['enum', ['a', 'b']],
      ],
      [
        ['type', 'array'],
        ['items', { type: 'string', enum: ['a', 'b', 'c'] }],
      ],
      [],
    ),
    fc.array(fc.tuple(keyword, value), { maxLength: 3 }),
    fc.option(pattern, { nil: undefined }),
  )
  .map(([entries, more, source]) =>
    own([...entries, ...more, ...(source !== undefined && entries.length === 1 ? [['pattern', source] as const] : [])]),
  );
const name = fc.oneof(
  fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', '', 'x'.repeat(201), '0'),
  fc.string({ maxLength: 5 }),
);
const schema = fc
  .tuple(fc.array(fc.tuple(name, property), { maxLength: 6 }), fc.array(fc.tuple(keyword, value), { maxLength: 2 }))
  .map(([properties, more]) => own([['type', 'object'], ['properties', own(properties)], ...more]));

/** @param numRuns - how many schemas */
export function fuzzReadForm(numRuns: number): void {
  const clean = Object.keys(Object.prototype).length;
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: schema }, { weight: 1, arbitrary: value }), value, (given, answer) => {
      const sent = JSON.stringify(given);
      const read = readForm(given);
      expect(JSON.stringify(given)).toBe(sent);
      expect(readForm(given)).toEqual(read);
      expect(Object.keys(Object.prototype)).toHaveLength(clean);
      if (!read.ok) {
        expect(read.problems.length).toBeGreaterThan(0);
        return;
      }
      expect(new Set(read.fields.map(field => field.name)).size).toBe(read.fields.length);
      expect(read.fields.length).toBeLessThanOrEqual(formLimits.fields);
      // What a receiver made of it can be asked by us, patterns apart, and reads the same.
      const again = readForm(JSON.parse(JSON.stringify(emit(read.fields))));
      expect(again).toEqual({ ok: true, fields: read.fields.map(withoutPattern), notes: [] });
      for (const field of read.fields)
        if (field.default !== undefined && !('uncheckedPattern' in field))
          expect(checkContent([field], { [field.name]: field.default })).toMatchObject({ ok: true });
      expect(typeof checkContent(read.fields, answer).ok).toBe('boolean');
    }),
    { numRuns },
  );
}

function withoutPattern(field: Field): Field {
  if (field.kind !== 'text') return field;
  const { pattern: _, uncheckedPattern: __, ...rest } = field;
  return rest;
}
