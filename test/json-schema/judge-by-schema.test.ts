import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeBySchema } from '../../packages/core/src/json-schema/index.ts';

const verdict = (schema: unknown, value: unknown, steps?: number) =>
  judgeBySchema(schema, value, steps === undefined ? {} : { steps }).verdict;

describe('what a schema says', () => {
  it.each<[string, unknown, unknown, unknown]>([
    ['true', true, 1, undefined],
    ['false', {}, 1, undefined],
    ['type', { type: 'string' }, 'a', 1],
    ['several types', { type: ['string', 'null'] }, null, 1],
    ['integer', { type: 'integer' }, 1, 1.5],
    ['object', { type: 'object' }, {}, []],
    ['nullable', { type: 'string', nullable: true }, null, 1],
    ['enum', { enum: [1, { a: [1] }] }, { a: [1] }, { a: [2] }],
    ['const', { const: { a: 1, b: 2 } }, { b: 2, a: 1 }, { a: 1 }],
    ['minimum', { minimum: 1 }, 1, 0],
    ['exclusiveMaximum', { exclusiveMaximum: 1 }, 0.9, 1],
    ['multipleOf', { multipleOf: 0.1 }, 0.3, 0.35],
    ['minLength in code points', { minLength: 2 }, '😀😀', '😀'],
    ['maxItems', { maxItems: 1 }, [1], [1, 2]],
    ['minProperties', { minProperties: 1 }, { a: 1 }, {}],
    [
      'uniqueItems',
      { uniqueItems: true },
      [{ a: 1, b: 2 }, { a: 1 }],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
    ['required', { required: ['__proto__'] }, JSON.parse('{"__proto__":1}'), {}],
    ['pattern', { pattern: '^a+$' }, 'aa', 'ab'],
    ['properties', { properties: { a: { type: 'string' } } }, { a: 'x', b: 1 }, { a: 1 }],
    ['additionalProperties', { properties: { a: {} }, additionalProperties: false }, { a: 1 }, { b: 1 }],
    [
      'patternProperties',
      { patternProperties: { '^x': { type: 'string' } }, additionalProperties: false },
      { xa: '1' },
      { xa: 1 },
    ],
    ['propertyNames', { propertyNames: { maxLength: 1 } }, { a: 1 }, { ab: 1 }],
    ['prefixItems and items', { prefixItems: [{ type: 'string' }], items: { type: 'number' } }, ['a', 1], ['a', 'b']],
    ['items and additionalItems of old', { items: [{}], additionalItems: false }, [1], [1, 2]],
    ['contains', { contains: { const: 1 }, maxContains: 1 }, [1, 2], [1, 1]],
    ['dependentRequired', { dependentRequired: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }],
    ['dependencies', { dependencies: { a: ['b'], c: { minProperties: 2 } } }, { c: 1, d: 1 }, { c: 1 }],
    ['anyOf', { anyOf: [{ type: 'string' }, { minimum: 2 }] }, 'a', 1],
    ['oneOf', { oneOf: [{ minimum: 2 }, { multipleOf: 2 }] }, 3, 4],
    ['not', { not: { type: 'string' } }, 1, 'a'],
    ['if', JSON.parse('{"if":{"minimum":10},"then":{"multipleOf":10},"else":{"multipleOf":2}}'), 20, 3],
    ['a reference', { $defs: { a: { type: 'string' } }, $ref: '#/$defs/a' }, 'a', 1],
    ['an anchor', { $defs: { a: { $anchor: 'x', type: 'string' } }, $ref: '#x' }, 'a', 1],
    [
      'a tree',
      { type: 'object', properties: { child: { $ref: '#' } } },
      { child: { child: {} } },
      { child: { child: 1 } },
    ],
    [
      'draft-07, where a reference stands alone',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        allOf: [{ $ref: '#/definitions/a', type: 'string' }],
        definitions: { a: { minimum: 1 } },
      },
      1,
      0,
    ],
  ])('a schema tells what fits from what differs: %s', (_, schema, good, bad) => {
    expect(verdict(schema, good)).toBe('fits');
    if (bad !== undefined) expect(verdict(schema, bad)).toBe('differs');
  });

  it('a judgement says where and why a value does not fit, and blames nothing that was only tried', () => {
    const schema = {
      properties: { rows: { items: { properties: { id: { anyOf: [{ type: 'string' }, { type: 'null' }] } } } } },
    };
    expect(judgeBySchema(schema, { rows: [{ id: 'a' }, { id: 1 }] })).toEqual({
      verdict: 'differs',
      at: ['rows', '1', 'id'],
      says: 'fits none of the alternatives',
    });
    expect(judgeBySchema({ type: 'string' }, 1)).toEqual({ verdict: 'differs', at: [], says: 'must be string' });
  });
});

describe('schema-J3: what is not understood is not taken as kept', () => {
  it.each<[string, unknown, unknown, RegExp]>([
    ['a pattern with lookahead', { pattern: '^(?=a)' }, 'b', /pattern/],
    ['unevaluatedProperties', { unevaluatedProperties: false }, {}, /unevaluatedProperties/],
    ['a dynamic reference', { $dynamicRef: '#x' }, {}, /\$dynamicRef/],
    ['a reference outside', { $ref: 'https://example.com/s.json' }, {}, /outside itself/],
    ['a reference to a file', { $ref: 'file:///etc/passwd' }, {}, /outside itself/],
    ['another dialect', { $schema: 'https://example.com/mine', type: 'string' }, 1, /dialect/],
    ['a keyword that is wrong', { minLength: 'three' }, 'a', /'minLength' has a value that is not allowed/],
    ['a part that is not a schema', { properties: { a: 7 } }, { a: 1 }, /not a schema/],
    ['alternatives of which one is open', { anyOf: [{ type: 'null' }, { pattern: '^(?=a)' }] }, 'b', /pattern/],
    ['what must not hold, and is open', { not: { pattern: '^(?=a)' } }, 'b', /pattern/],
    ['a condition that is open', JSON.parse('{"if":{"pattern":"^(?=a)"},"then":false}'), 'b', /pattern/],
  ])('what is not understood is not taken as kept: %s', (_, schema, value, why) => {
    expect(judgeBySchema(schema, value)).toEqual({ verdict: 'unchecked', why: expect.stringMatching(why) });
  });

  it('a value that fails what is understood fails all the same', () => {
    expect(verdict({ pattern: '^(?=a)', maxLength: 1 }, 'bb')).toBe('differs');
    expect(verdict({ anyOf: [{ type: 'string' }, { pattern: '^(?=a)' }] }, 'b')).toBe('fits');
  });
});

describe('schema-J2: a judgement ends within its steps', () => {
  const doubling = (depth: number) => ({
    $ref: '#/$defs/d0',
    $defs: Object.fromEntries(
      Array.from({ length: depth }, (_, at) => {
        const next = { $ref: `#/$defs/d${at + 1}` };
        return [`d${at}`, at + 1 < depth ? { allOf: [next, next] } : { type: 'object' }];
      }),
    ),
  });
  const nested = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);

  it.each<[string, unknown, unknown, RegExp]>([
    ['references that double', doubling(60), {}, /too long/],
    ['a reference to itself', { $ref: '#' }, 1, /too deeply/],
    ['a deep value', { properties: { a: { $ref: '#' } } }, nested(20_000), /too deeply/],
    ['deep alternatives', JSON.parse(`${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}`), 1, /too deeply/],
    ['a deep item among unique ones', { uniqueItems: true }, [nested(20_000), 1], /too deeply/],
    ['a deep constant', { const: nested(20_000) }, nested(20_000), /too deeply/],
    [
      'many names by many patterns',
      { patternProperties: Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`^(a+)+${at}$`, {}])) },
      Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`aaaaaaaa${at}`, 1])),
      /too long/,
    ],
    [
      'a long text counted often',
      { allOf: Array(5_000).fill({ minLength: 1e6, maxLength: 1e6 }) },
      'é'.repeat(1e6),
      /too long/,
    ],
    [
      'a long list listed often',
      { anyOf: Array(5_000).fill({ uniqueItems: true, minItems: 1e9 }) },
      Array.from({ length: 5_000 }, (_, x) => x),
      /too long/,
    ],
    [
      'many values compared with many',
      { items: { enum: Array.from({ length: 3_000 }, (_, x) => ({ x: { x } })) } },
      Array(3_000).fill({ x: { x: -1 } }),
      /too long|must be/,
    ],
  ])('a judgement ends within its steps: %s', (_, schema, value, why) => {
    const judged = judgeBySchema(schema, value);
    expect(judged).toMatchObject(
      judged.verdict === 'differs'
        ? { says: expect.stringMatching(why) }
        : { verdict: 'unchecked', why: expect.stringMatching(why) },
    );
  });

  it('a schema whose cost is its own size elsewhere costs no more here', () => {
    const distinct = Array.from({ length: 20_000 }, (_, x) => ({ x }));
    expect(verdict({ uniqueItems: true }, distinct, 10 * distinct.length)).toBe('fits');
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`p${at}`, { type: 'string' }]));
    expect(verdict({ properties: many }, {}, 100)).toBe('fits');
    expect(verdict({ pattern: '^(a+)+$' }, `${'a'.repeat(1_000)}!`, 50_000)).toBe('differs');
  });

  it('a large honest result is judged', () => {
    const row = {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        name: { type: 'string', minLength: 1 },
        tags: { items: { type: 'string' } },
      },
      required: ['id', 'name'],
      additionalProperties: false,
    };
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `row ${id}`, tags: ['x', 'y'] }));
    expect(verdict({ type: 'array', items: row }, rows)).toBe('fits');
    expect(verdict({ type: 'array', items: row }, [...rows, { id: 'x', name: 'last' }])).toBe('differs');
  });
});

describe('schema-J1: agrees with the validator of the SDK', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const json = fc.letrec<{ value: unknown }>(tie => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, false, 0, 1, 2, 1.5, -1, '', 'a', 'ab', 'abc'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).value;
  const small = fc.nat(3);
  const schema = fc.letrec<{ schema: unknown; object: Record<string, unknown> }>(tie => {
    const one = tie('schema');
    const list = fc.array(one, { minLength: 1, maxLength: 3 });
    const keywords: readonly (readonly [string, fc.Arbitrary<unknown>])[] = [
      ['type', fc.constantFrom('string', 'number', 'integer', 'object', 'array', 'null', ['string', 'null'])],
      ['enum', fc.array(json, { minLength: 1, maxLength: 3 })],
      ['const', json],
      ['minimum', small],
      ['exclusiveMaximum', small],
      ['multipleOf', fc.constantFrom(1, 2, 0.5)],
      ['minLength', small],
      ['maxLength', small],
      ['pattern', fc.constantFrom('^a', 'b$', '^(a|b)+$')],
      ['minItems', small],
      ['maxItems', small],
      ['uniqueItems', fc.boolean()],
      ['items', one],
      ['prefixItems', list],
      ['contains', one],
      ['required', fc.uniqueArray(name, { maxLength: 2 })],
      ['properties', fc.dictionary(name, one, { maxKeys: 2 })],
      ['patternProperties', fc.dictionary(fc.constantFrom('^a', 'b|c'), one, { maxKeys: 2 })],
      ['additionalProperties', one],
      ['propertyNames', one],
      ['maxProperties', small],
      ['dependentRequired', fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2 })],
      ['allOf', list],
      ['anyOf', list],
      ['oneOf', list],
      ['not', one],
      ['if', one],
      ['then', one],
      ['else', one],
      ['$ref', fc.constantFrom('#/$defs/a', '#/$defs/b')],
    ];
    const member = fc.oneof(...keywords.map(([keyword, each]) => each.map(value => [keyword, value] as const)));
    return {
      schema: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.boolean(), tie('object')),
      object: fc.array(member, { maxLength: 4 }).map(members => Object.fromEntries(members)),
    };
  }).object;
  const document = fc.record({
    main: schema,
    a: schema,
    b: fc.constantFrom({ type: 'object' }, { minLength: 1 }, true),
  });
  /** A reference within `a` would lead round in circles. */
  const flat = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll('#/$defs/a', '#/$defs/b'));

  /** What it makes of some schemas is code that throws; it is no witness there. */
  const theirVerdict = (whole: Record<string, unknown>, value: unknown): 'fits' | 'differs' | undefined => {
    try {
      return new AjvJsonSchemaValidator().getValidator(whole)(value).valid ? 'fits' : 'differs';
    } catch {
      return undefined;
    }
  };

  it('the judge agrees with the validator of the SDK on random schemas and values', { tags: 'thorough' }, () => {
    let compared = 0;
    fc.assert(
      fc.property(document, fc.array(json, { minLength: 2, maxLength: 2 }), ({ main, a, b }, values) => {
        const whole = { ...main, $defs: { a: flat(a), b } } as Record<string, unknown>;
        for (const value of values) {
          const theirs = theirVerdict(whole, value);
          if (theirs === undefined) continue;
          compared += 1;
          expect(verdict(whole, value)).toBe(theirs);
        }
      }),
      { numRuns: 100 },
    );
    expect(compared).toBeGreaterThan(150);
  });

  it('the judge gives an answer whatever schema and value there are', () => {
    const odd = fc.dictionary(
      fc.constantFrom(
        ...'type enum const items contains required properties patternProperties $ref $id $anchor $schema not if then allOf anyOf oneOf dependencies minContains pattern multipleOf propertyNames'.split(
          ' ',
        ),
      ),
      fc.oneof(json, schema, fc.constantFrom('#', '#/', '#/%', '#a', 'x:y', '//', '(')),
      { maxKeys: 5 },
    );
    fc.assert(
      fc.property(fc.oneof(odd, json, schema), json, (any, value) => {
        expect(['fits', 'differs', 'unchecked']).toContain(verdict(any, value, 20_000));
      }),
      { numRuns: 2_000 },
    );
  });
});
