/** One argument of a tool, judged before it is sent. */
import { checkArgument, newReading, readProperty } from '@midcall/core/json-schema';
import { describe, expect, it } from 'vitest';

const wrong = (schema: unknown, value: unknown, { required = true, root = schema } = {}): string | undefined =>
  checkArgument({ name: 'due_on', required, schema, root }, value)?.message;

const kindOf = (schema: object): string => readProperty('size', schema, true, newReading(schema)).field.kind;

describe('an argument', () => {
  it.each([
    [{ type: 'string', minLength: 1 }, '', 'Due on must have at least 1 character.'],
    [{ type: 'string', maxLength: 2 }, 'abc', 'Due on must have at most 2 characters.'],
    [{ type: 'string', format: 'date' }, 'tomorrow', 'Due on must be a date that exists, written as 2026-12-31.'],
    [{ type: 'string', format: 'email' }, 'notmail', 'Due on must be an e-mail address, such as ada@example.com.'],
    [{ type: 'string', pattern: '^[a-z]+$' }, 'A1', 'Due on must match the pattern ^[a-z]+$.'],
    [{ type: ['string', 'null'], format: 'date' }, 'soon', 'Due on must be a date that exists, written as 2026-12-31.'],
    [{ type: 'string', enum: ['a', 'b'] }, 'c', 'Due on must be one of the choices.'],
    [{ enum: [1, 2] }, 3, 'Due on must be one of the choices.'],
    [{ type: 'integer', minimum: 1 }, 0, 'Due on must be at least 1.'],
    [{ type: 'integer', maximum: 9 }, 10, 'Due on must be at most 9.'],
    [{ type: 'number', exclusiveMinimum: 0 }, 0, 'Due on must be more than 0.'],
    [{ type: 'array', items: { type: 'number' } }, [1, 'x'], 'At 1: must be number'],
    [{ type: 'object', properties: { n: { type: 'number' } } }, { n: 'one' }, 'At n: must be number'],
    [{ title: 'Day', type: 'string', minLength: 1 }, '', 'Day must have at least 1 character.'],
  ])('an argument that does not fit %j: %j', (schema, value, says) => expect(wrong(schema, value)).toBe(says));

  it.each([
    [{ type: 'string' }, ''],
    [{ type: ['string', 'null'], format: 'date' }, null],
    [{ type: 'string', format: 'hostname' }, '?'],
    [{ type: 'object', properties: { n: { type: 'number' } } }, { n: 1 }],
    [null, 'anything'],
  ])('an argument that fits %j: %j', (schema, value) => expect(wrong(schema, value)).toBeUndefined());

  it.each<[string, (values: readonly string[]) => object]>([
    ['enum', values => ({ type: 'string', enum: values })],
    ['oneOf', values => ({ type: 'string', oneOf: values.map(value => ({ const: value, title: value })) })],
  ])(
    'an argument of more choices than anybody could look through (%s) is typed, and checked all the same',
    (_, schemaOf) => {
      const values = Array.from({ length: 5_001 }, (_, at) => `v${at}`);
      expect(kindOf(schemaOf(values.slice(1)))).toBe('select');
      expect(kindOf(schemaOf(values))).toBe('text');
      expect(wrong(schemaOf(values), 'v5000')).toBeUndefined();
      expect(wrong(schemaOf(values), 'w')).toBeDefined();
    },
  );

  it('an argument may be left out only if it is not required', () => {
    expect(wrong({ type: 'object' }, undefined)).toBe('Due on is required.');
    expect(wrong({ type: 'object' }, undefined, { required: false })).toBeUndefined();
  });

  it('an argument is checked against patterns in one pass, and not against what cannot be judged', () => {
    const explosive = { type: 'string', pattern: '^(a+)+$' };
    expect(wrong(explosive, `${'a'.repeat(5_000)}!`)).toBe('Due on must match the pattern ^(a+)+$.');
    expect(wrong({ not: explosive }, 'b')).toBeUndefined();
    expect(wrong({ pattern: '^(?=a)' }, 'b')).toBeUndefined();
  });

  it('an argument is checked against what its schema refers to', () => {
    const root = { $defs: { size: { type: 'object', properties: { width: { type: 'number' } } } } };
    expect(wrong({ $ref: '#/$defs/size' }, { width: 'wide' }, { root })).toBe('At width: must be number');
    expect(wrong({ $ref: '#/$defs/size' }, { width: 1 }, { root })).toBeUndefined();
  });
});
