import { isMidcallError } from '@midcall/core/errors';
import { type FormInput, form, isForm, readForm, type WireSchema } from '@midcall/core/form';
import { specTypeSchemas } from '@modelcontextprotocol/server';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';

/** The SDK's own schema strips what it does not know: what comes back unchanged holds nothing but the restricted schema. */
function asTheSdkReadsIt(schema: WireSchema): unknown {
  const read = specTypeSchemas.ElicitRequestFormParams['~standard'].validate({ message: 'm', requestedSchema: schema });
  if (read instanceof Promise || read.issues) throw new Error(JSON.stringify('issues' in read && read.issues));
  return read.value.requestedSchema;
}

const wrapped = (property: unknown) => ({ type: 'object', properties: { value: property }, required: ['value'] });
const build = (input: unknown) => form(input as FormInput);
/** A library that describes itself so, and takes everything unless it is told otherwise. */
const library = (described: unknown, validate = (value: unknown): unknown => ({ value }), more: object = {}) =>
  build({ ...more, '~standard': { version: 1, vendor: 'own', validate, jsonSchema: { input: () => described } } });
const objectOf = (a: unknown, $defs?: unknown) => ({ type: 'object', properties: { a }, required: ['a'], $defs });
const std = (schema: v.GenericSchema) => toStandardJsonSchema(schema as never);

describe('004-12; D-25: shorthands', () => {
  it.each<[string, FormInput, unknown, unknown, unknown, unknown]>([
    ['a list of texts', ['red', 'green'], { type: 'string', enum: ['red', 'green'] }, 'red', 'red', 'blue'],
    ['String', String, { type: 'string' }, 'x', 'x', 1],
    ['Number', Number, { type: 'number' }, 2.5, 2.5, '2,5'],
    ['Boolean', Boolean, { type: 'boolean', title: 'Confirm' }, false, false, 'no'],
    [
      'a list in a list',
      [['a', 'b']],
      { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
      ['b'],
      ['b'],
      ['c'],
    ],
    [
      'titled choices',
      { low: { title: 'Low' }, high: { title: 'High' } },
      {
        type: 'string',
        oneOf: [
          { const: 'low', title: 'Low' },
          { const: 'high', title: 'High' },
        ],
      },
      'high',
      'high',
      'High',
    ],
    [
      'elicit-form-18: titled choices in a list',
      [{ low: { title: 'Low' } }],
      { type: 'array', items: { anyOf: [{ const: 'low', title: 'Low' }] } },
      ['low'],
      ['low'],
      ['low', 'low'],
    ],
    [
      'one raw property',
      { type: 'string', format: 'email' },
      { type: 'string', format: 'email' },
      'a@b.co',
      'a@b.co',
      'a',
    ],
  ])(
    'a shorthand is sent as its exact schema and gives the bare value back: %s',
    async (_, input, property, sent, value, wrong) => {
      const made = build(input);
      expect(made.schema).toEqual(wrapped(property));
      expect(asTheSdkReadsIt(made.schema)).toEqual(made.schema);
      expect(await made.check({ value: sent })).toEqual({ ok: true, value });
      expect(await made.check({ value: wrong })).toMatchObject({ ok: false, issues: [{ field: 'value' }] });
      expect(await made.check({})).toMatchObject({ ok: false, issues: [{ field: 'value', rule: 'required' }] });
      expect(await made.check(undefined)).toMatchObject({ ok: false, issues: [{ rule: 'required' }] });
    },
  );

  it.each<[string, FormInput, unknown, unknown]>([
    ['a number', Number, ' 2.5 ', 2.5],
    ['a yes or no', Boolean, 'False', false],
    ['one choice of several', [['a', 'b']], 'b', ['b']],
  ])('content-C2: %s as text is read as what it means', async (_, input, sent, value) => {
    expect(await build(input).check({ value: sent })).toEqual({ ok: true, value });
  });

  it('elicit-form-03: a flat record is a form, every field required', async () => {
    const contact = form({ name: String, email: { type: 'string', format: 'email' }, plan: ['a', 'b'] });
    expect(contact.schema).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string' },
        email: { type: 'string', format: 'email' },
        plan: { type: 'string', enum: ['a', 'b'] },
      },
      required: ['name', 'email', 'plan'],
    });
    expect(await contact.check({ name: 'Ada', email: 'ada@example.com', plan: 'a' })).toEqual({
      ok: true,
      value: { name: 'Ada', email: 'ada@example.com', plan: 'a' },
    });
  });

  it('a record may have fields called type, title and properties', () => {
    const made = form({ type: String, title: ['x'], properties: Boolean });
    expect(made.fields.map(field => [field.name, field.kind])).toEqual([
      ['type', 'text'],
      ['title', 'select'],
      ['properties', 'boolean'],
    ]);
    expect(form({ title: { title: 'Title' } }).fields).toMatchObject([
      { kind: 'select', choices: [{ value: 'title' }] },
    ]);
  });
});

describe('raw restricted schema', () => {
  it('002-07: the sample form is a form, and its optional fields may be left out', async () => {
    const made = form({
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Your full name' },
        age: { type: 'number', minimum: 0, maximum: 150 },
        agree_to_terms: { type: 'boolean' },
        plan: { type: 'string', enum: ['basic', 'pro'], default: 'basic' },
      },
      required: ['name', 'agree_to_terms'],
    });
    expect(asTheSdkReadsIt(made.schema)).toEqual(made.schema);
    expect(await made.check({ name: 'Ada', agree_to_terms: true })).toEqual({
      ok: true,
      value: { name: 'Ada', agree_to_terms: true },
    });
  });

  it('elicit-form-11, elicit-form-33; D-13: a pattern is enforced and not sent; enumNames are read and sent as oneOf', async () => {
    const made = form({
      type: 'object',
      properties: {
        id: { type: 'string', pattern: '^ACC-\\d+$' },
        tone: { type: 'string', enum: ['w', 'c'], enumNames: ['Warm', 'Cold'] },
      },
    });
    expect(made.schema.properties).toEqual({
      id: { type: 'string' },
      tone: {
        type: 'string',
        oneOf: [
          { const: 'w', title: 'Warm' },
          { const: 'c', title: 'Cold' },
        ],
      },
    });
    expect(await made.check({ id: 'ACC-1' })).toMatchObject({ ok: true });
    expect(await made.check({ id: 'ACC' })).toMatchObject({ ok: false, issues: [{ field: 'id', rule: 'pattern' }] });
  });

  it('what other schema builders write is read where nothing is lost', () => {
    const made = build({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      additionalProperties: false,
      properties: {
        n: { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 },
        u: {
          anyOf: [
            { const: 'a', type: 'string' },
            { const: 'b', title: 'Bee' },
          ],
        },
        one: { const: 'x' },
        list: { type: 'array', items: { anyOf: [{ const: 'p' }, { const: 'q' }] }, uniqueItems: true, minItems: 1 },
        site: { type: 'string', format: 'url' },
      },
    });
    expect(made.schema.properties).toEqual({
      n: { type: 'integer', minimum: 1, maximum: 9 },
      u: {
        type: 'string',
        oneOf: [
          { const: 'a', title: 'a' },
          { const: 'b', title: 'Bee' },
        ],
      },
      one: { type: 'string', enum: ['x'] },
      list: { type: 'array', items: { type: 'string', enum: ['p', 'q'] }, minItems: 1 },
      site: { type: 'string', format: 'uri' },
    });
    expect(asTheSdkReadsIt(made.schema)).toEqual(made.schema);
  });
});

describe('elicit-form-10: bounds, titles and defaults', () => {
  it('bounds, titles and defaults are sent as they were written, and nothing is sent that has no value', () => {
    const schema = {
      type: 'object',
      properties: {
        text: { type: 'string', title: 'Text', description: 'Said', minLength: 1, maxLength: 5, default: 'abc' },
        mail: { type: 'string', format: 'email', default: 'a@b.co' },
        amount: { type: 'number', title: 'Amount', minimum: 0, maximum: 5, default: 2 },
        sure: { type: 'boolean', description: 'Is it?', default: true },
        plan: { type: 'string', enum: ['a', 'b'], default: 'b' },
        tone: { type: 'string', oneOf: [{ const: 'w', title: 'Warm' }], default: 'w' },
        tags: { type: 'array', items: { type: 'string', enum: ['x', 'y'] }, minItems: 1, maxItems: 2, default: ['y'] },
        anyText: { type: 'string' },
        anyNumber: { type: 'integer' },
        anyAnswer: { type: 'boolean' },
        anyPlan: { type: 'string', enum: ['a'] },
        anyTags: { type: 'array', items: { anyOf: [{ const: 'x', title: 'Ex' }] } },
      },
    };
    expect(build(schema).schema).toStrictEqual(schema);
    expect(JSON.stringify(build(schema).schema)).toBe(JSON.stringify(schema));
  });
});

describe('libraries', () => {
  const named = { $ref: '#/$defs/Named' };
  const string = { type: 'string' };
  const chain = (length: number) =>
    Object.fromEntries(
      Array.from({ length }, (_, at) => [`n${at}`, at + 1 < length ? { $ref: `#/$defs/n${at + 1}` } : string]),
    );
  it.each<[string, unknown, unknown, boolean, unknown?]>([
    ['null among the choices', { enum: ['a', null, 'b'] }, { type: 'string', enum: ['a', 'b'] }, false],
    ['null among the types', { type: ['null', 'string'] }, string, false],
    ['null as a constant', { anyOf: [string, { const: null }] }, string, false],
    ['null as the default', { type: ['string', 'null'], default: null }, string, false],
    [
      'null possible, and another default',
      { type: ['string', 'null'], default: 'x' },
      { ...string, default: 'x' },
      false,
    ],
    ['one branch, described outside', { anyOf: [string], title: 'T' }, { type: 'string', title: 'T' }, true],
    ['steps of one', { type: 'number', multipleOf: 1 }, { type: 'integer' }, true],
    ['whole steps of one', { type: 'integer', multipleOf: 1 }, { type: 'integer' }, true],
    [
      'a bound above the open one',
      { type: 'integer', minimum: 5, exclusiveMinimum: 1 },
      { type: 'integer', minimum: 5 },
      true,
    ],
    [
      'a bound below the open one',
      { type: 'integer', maximum: 3, exclusiveMaximum: 9 },
      { type: 'integer', maximum: 3 },
      true,
    ],
    [
      'choices under one title',
      { anyOf: [{ enum: ['a', 'b'], title: 'Both' }, { const: 'c' }] },
      { type: 'string', enum: ['a', 'b', 'c'] },
      true,
    ],
    [
      'titled choices in a list',
      {
        type: 'array',
        items: {
          type: 'string',
          anyOf: [
            { ...string, const: 'p', title: 'Pea' },
            { ...string, const: 'q' },
          ],
        },
      },
      {
        type: 'array',
        items: {
          anyOf: [
            { const: 'p', title: 'Pea' },
            { const: 'q', title: 'q' },
          ],
        },
      },
      true,
    ],
    [
      'choices of a list by reference',
      { type: 'array', items: named },
      { type: 'array', items: { type: 'string', enum: ['x', 'y'] } },
      true,
      { Named: { enum: ['x', 'y'] } },
    ],
    [
      'a reference with a title beside it',
      { ...named, title: 'T' },
      { type: 'string', title: 'T' },
      true,
      { Named: string },
    ],
    ['ten references in a row', { $ref: '#/$defs/n0' }, string, true, chain(10)],
  ])('a schema with %s is asked for as it is meant', (_, property, wire, required, $defs) => {
    const { schema } = library(objectOf(property, $defs));
    expect(schema).toStrictEqual({ type: 'object', properties: { a: wire }, ...(required && { required: ['a'] }) });
  });

  it.each<[string, unknown, string, unknown?]>([
    ['a reference to itself', named, '$ref', { Named: named }],
    ['a reference to nothing', named, '$ref', {}],
    ['eleven references in a row', { $ref: '#/$defs/n0' }, '$ref', chain(11)],
    ['a reference to another document', { $ref: 'other#/$defs/Named' }, '$ref', { Named: string }],
    ['a reference to a part', { $ref: '#/$defs/Named/items' }, '$ref', { Named: string }],
    ['no schema', true, 'type'],
    ['a choice with a rule of its own', { oneOf: [{ const: 'a', minLength: 2 }, { const: 'b' }] }, 'oneOf'],
    ['a choice that is a number', { oneOf: [{ const: 'a' }, { const: 1 }] }, 'oneOf'],
    ['a choice that is no schema', { type: 'string', oneOf: [{ const: 'a' }, 'b'] }, 'oneOf'],
    ['texts to choose from as a number', { type: 'integer', enum: ['a'] }, 'enum'],
    ['a text as the constant of a number', { type: 'integer', const: 'a' }, 'enum'],
    ['several types and null', { type: ['string', 'number', 'null'] }, 'type'],
    ['steps of two', { type: 'integer', multipleOf: 2 }, 'multipleOf'],
    ['steps of a half', { type: 'number', multipleOf: 0.5 }, 'multipleOf'],
    ['a default of null where null is no answer', { type: 'string', default: null }, 'default'],
  ])('a schema with %s is refused', (_, property, rule, $defs) => {
    expect(() => library(objectOf(property, $defs))).toThrow(`[${rule}]`);
  });

  it('a form is one of a library if that judges, and follows its references where one question is a whole form', () => {
    expect([form(z.string()).library, form(String).library]).toEqual([true, false]);
    const { schema } = library({ type: 'array', items: named, $defs: { Named: { enum: ['x'] } } });
    expect(schema).toEqual(wrapped({ type: 'array', items: { type: 'string', enum: ['x'] } }));
  });

  it('a form hears at most twenty of a library’s findings, and of each what a person can read', async () => {
    const found = [
      { message: 'x'.repeat(501), path: [{ key: 'a' }] },
      { message: 'x'.repeat(500), path: ['a'] },
      { message: 'all of it' },
      { message: 'elsewhere', path: ['b'] },
      ...Array.from({ length: 100 }, () => ({ message: 'more' })),
    ];
    const checked = await library(objectOf(string), () => ({ issues: found })).check({ a: 'x' });
    if (checked.ok) throw new Error('accepted');
    expect(checked.issues).toHaveLength(20);
    expect(checked.issues.slice(0, 4)).toEqual([
      { field: 'a', rule: 'validate', message: `A: ${'x'.repeat(499)}…` },
      { field: 'a', rule: 'validate', message: `A: ${'x'.repeat(500)}` },
      { rule: 'validate', message: 'all of it' },
      { rule: 'validate', message: 'elsewhere' },
    ]);
  });

  it('a library is asked once for each answer, by its own asynchronous way only if it is Zod', async () => {
    let asked = 0;
    const counted = z.string().refine(async () => {
      asked += 1;
      return true;
    });
    expect(await form(counted).check({ value: 'x' })).toEqual({ ok: true, value: 'x' });
    expect(asked).toBe(1);
    const other = library(string, undefined, { safeParseAsync: () => Promise.reject(new Error('not mine')) });
    expect(await other.check({ value: 'x' })).toEqual({ ok: true, value: 'x' });
    const zodWithout = build({
      '~standard': {
        version: 1,
        vendor: 'zod',
        validate: () => ({ value: 'its own' }),
        jsonSchema: { input: () => string },
      },
    });
    expect(await zodWithout.check({ value: 'x' })).toEqual({ ok: true, value: 'its own' });
  });

  it('a field that may be null is given what was answered, and null only where nothing was', async () => {
    const made = form(z.object({ a: z.string().nullable(), b: z.string().nullable() }));
    expect(await made.check({ a: 'x' })).toEqual({ ok: true, value: { a: 'x', b: null } });
  });

  it('a pattern is left to the library, and enforced where a raw schema has the same', async () => {
    const schema = objectOf({ type: 'string', pattern: '^a' });
    expect(await library(schema).check({ a: 'b' })).toEqual({ ok: true, value: { a: 'b' } });
    expect(await build(schema).check({ a: 'b' })).toMatchObject({ ok: false, issues: [{ rule: 'pattern' }] });
  });

  const day = '2026-02-28';
  it.each<[string, unknown, unknown, unknown?, unknown?]>([
    ['zod string', z.string().min(1).max(5), { type: 'string', minLength: 1, maxLength: 5 }],
    ['zod email', z.email(), { type: 'string', format: 'email' }],
    ['zod url', z.url(), { type: 'string', format: 'uri' }],
    ['zod date', z.iso.date(), { type: 'string', format: 'date' }],
    ['zod datetime', z.iso.datetime({ offset: true }), { type: 'string', format: 'date-time' }],
    ['zod transform', z.iso.date().transform(text => text.length), { type: 'string', format: 'date' }, day, 10],
    ['zod trim', z.string().trim(), { type: 'string' }, ' a ', 'a'],
    ['zod regex', z.string().regex(/^a/), { type: 'string' }, 'abc', 'abc'],
    ['zod startsWith', z.string().startsWith('a'), { type: 'string' }, 'abc', 'abc'],
    ['zod int', z.int(), { type: 'integer' }, 3, 3],
    ['zod positive int', z.int().positive().lt(10), { type: 'integer', minimum: 1, maximum: 9 }],
    ['zod int32', z.int32(), { type: 'integer', minimum: -2147483648, maximum: 2147483647 }],
    ['zod number', z.number().min(0.5), { type: 'number', minimum: 0.5 }],
    ['zod coerced number', z.coerce.number(), { type: 'number' }, 3, 3],
    ['zod boolean', z.boolean().default(true), { type: 'boolean', default: true }, false, false],
    ['zod enum', z.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }, 'a', 'a'],
    ['zod literal', z.literal('x'), { type: 'string', enum: ['x'] }, 'x', 'x'],
    ['zod literals', z.literal(['x', 'y']), { type: 'string', enum: ['x', 'y'] }, 'y', 'y'],
    [
      'zod titled union',
      z.union([z.literal('a').meta({ title: 'Aye' }), z.literal('b')]),
      {
        type: 'string',
        oneOf: [
          { const: 'a', title: 'Aye' },
          { const: 'b', title: 'b' },
        ],
      },
      'a',
      'a',
    ],
    [
      'zod multi',
      z
        .array(z.enum(['a', 'b']))
        .min(1)
        .max(2),
      { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1, maxItems: 2 },
      ['a'],
      ['a'],
    ],
    ['zod meta', z.string().meta({ title: 'T', description: 'D' }), { type: 'string', title: 'T', description: 'D' }],
    ['arktype text', type('1<=string<=5'), { type: 'string', minLength: 1, maxLength: 5 }],
    ['arktype email', type('string.email'), { type: 'string', format: 'email' }, 'a@b.co', 'a@b.co'],
    ['arktype url', type('string.url'), { type: 'string', format: 'uri' }],
    ['arktype integer', type('number.integer > 0'), { type: 'integer', minimum: 1 }],
    ['arktype boolean', type('boolean'), { type: 'boolean' }, true, true],
    ['arktype union', type("'x' | 'y'"), { type: 'string', enum: ['x', 'y'] }, 'x', 'x'],
    ['arktype unit', type("'x'"), { type: 'string', enum: ['x'] }],
    [
      'arktype list',
      type("('x' | 'y')[] > 0"),
      { type: 'array', items: { type: 'string', enum: ['x', 'y'] }, minItems: 1 },
    ],
    ['arktype described', type('string').describe('a name'), { type: 'string', description: 'a name' }],
    ['arktype narrowed', type('string').narrow(text => text !== 'no'), { type: 'string' }, 'yes', 'yes'],
    [
      'valibot text',
      std(v.pipe(v.string(), v.minLength(1), v.maxLength(4))),
      { type: 'string', minLength: 1, maxLength: 4 },
    ],
    ['valibot email', std(v.pipe(v.string(), v.email())), { type: 'string', format: 'email' }],
    ['valibot date', std(v.pipe(v.string(), v.isoDate())), { type: 'string', format: 'date' }, day, day],
    ['valibot integer', std(v.pipe(v.number(), v.integer(), v.minValue(1))), { type: 'integer', minimum: 1 }],
    ['valibot picklist', std(v.picklist(['a', 'b'])), { type: 'string', enum: ['a', 'b'] }, 'b', 'b'],
    ['valibot union', std(v.union([v.literal('a'), v.literal('b')])), { type: 'string', enum: ['a', 'b'] }],
    ['valibot multi', std(v.array(v.picklist(['a']))), { type: 'array', items: { type: 'string', enum: ['a'] } }],
    ['valibot titled', std(v.pipe(v.string(), v.title('T'))), { type: 'string', title: 'T' }],
    [
      'valibot trim and check',
      std(
        v.pipe(
          v.string(),
          v.trim(),
          v.check(text => text !== 'no'),
        ),
      ),
      { type: 'string' },
      ' a',
      'a',
    ],
  ])('a form asks for a value as its library has it: %s', async (_, schema, property, sent, value) => {
    const made = build(schema);
    expect(made.schema).toEqual(wrapped(property));
    expect(asTheSdkReadsIt(made.schema)).toEqual(made.schema);
    if (sent !== undefined) expect(await made.check({ value: sent })).toEqual({ ok: true, value });
  });

  it.each<[string, unknown]>([
    ['zod', z.object({ a: z.string(), b: z.int().optional(), c: z.boolean().default(true) })],
    ['zod strict', z.strictObject({ a: z.string(), b: z.int().optional(), c: z.boolean().default(true) })],
    ['zod loose', z.looseObject({ a: z.string(), b: z.int().optional(), c: z.boolean().default(true) })],
    [
      'valibot',
      std(
        v.object({ a: v.string(), b: v.optional(v.pipe(v.number(), v.integer())), c: v.optional(v.boolean(), true) }),
      ),
    ],
  ])(
    '%s objects: optional and defaulted fields are not required, the default is filled by the library',
    async (_, schema) => {
      const made = build(schema);
      expect(made.schema).toEqual({
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'integer' }, c: { type: 'boolean', default: true } },
        required: ['a'],
      });
      expect(await made.check({ a: 'x' })).toEqual({ ok: true, value: { a: 'x', c: true } });
      expect(await made.check({ a: 'x', b: null, c: '' })).toEqual({ ok: true, value: { a: 'x', c: true } });
      expect(await made.check({ a: 'x', d: 1 })).toEqual({ ok: true, value: { a: 'x', c: true }, leftOut: ['d'] });
    },
  );

  it('a field that may be null is optional on the wire, and absent means null', async () => {
    const made = form(z.object({ a: z.string().nullable(), b: z.enum(['x']).nullable(), c: z.string().nullish() }));
    expect(made.schema).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string', enum: ['x'] }, c: { type: 'string' } },
    });
    expect(await made.check(undefined)).toEqual({ ok: true, value: { a: null, b: null } });
    expect(await form(z.string().nullable()).check({})).toEqual({ ok: true, value: null });
  });

  it('a schema used twice under a name is written in place', () => {
    const name = z.string().meta({ id: 'FormTestName', title: 'Name' });
    expect(form(z.object({ a: name, b: name })).schema.properties).toEqual({
      a: { type: 'string', title: 'Name' },
      b: { type: 'string', title: 'Name' },
    });
  });

  it("the library's own rules are heard after the wire's, sync or async, each with its field", async () => {
    const sync = form(
      z
        .object({ from: z.iso.date(), to: z.iso.date() })
        .refine(value => value.from <= value.to, { path: ['to'], message: 'must not be before the start' }),
    );
    expect(await sync.check({ from: '2026-02-02', to: '2026-02-01' })).toEqual({
      ok: false,
      issues: [{ field: 'to', rule: 'validate', message: 'To: must not be before the start' }],
    });
    const async = form(z.string().refine(async value => value !== 'taken', 'is taken'));
    expect(await async.check({ value: 'taken' })).toEqual({
      ok: false,
      issues: [{ field: 'value', rule: 'validate', message: 'is taken' }],
    });
    expect(await async.check({ value: 'free' })).toEqual({ ok: true, value: 'free' });
  });
});

describe('form-F1: what the wire cannot say fails when built, with the field, the rule and a way out', () => {
  const raw = (property: unknown) => ({ type: 'object', properties: { here: property } });
  it.each<[string, unknown, string]>([
    ['nested object', z.object({ here: z.object({ a: z.string() }) }), 'type'],
    ['list of texts', z.object({ here: z.array(z.string()) }), 'items'],
    ['list of objects', z.object({ here: z.array(z.object({ a: z.string() })) }), 'items'],
    ['tuple', z.object({ here: z.tuple([z.string()]) }), 'prefixItems'],
    ['union of types', z.object({ here: z.union([z.string(), z.number()]) }), 'type'],
    ['union of shapes', z.object({ here: z.union([z.string().min(2), z.enum(['a'])]) }), 'anyOf'],
    ['intersection', z.object({ here: z.intersection(z.string().min(1), z.string().max(2)) }), 'allOf'],
    ['date object', z.object({ here: z.date() }), 'type'],
    ['bigint', z.object({ here: z.bigint() }), 'type'],
    ['anything', z.object({ here: z.unknown() }), 'type'],
    ['numeric enum', z.object({ here: z.enum({ A: 1, B: 2 }) }), 'enum'],
    ['literal true', z.object({ here: z.literal(true) }), 'const'],
    ['uuid', z.object({ here: z.uuid() }), 'format'],
    ['positive number', z.object({ here: z.number().positive() }), 'exclusiveMinimum'],
    ['step', z.object({ here: z.number().multipleOf(0.5) }), 'multipleOf'],
    ['record', z.object({ here: z.record(z.string(), z.string()) }), 'type'],
    ['valibot date', std(v.object({ here: v.date() })), 'type'],
    ['valibot nested', std(v.object({ here: v.object({ a: v.string() }) })), 'type'],
    ['arktype nested', type({ here: { a: 'string' } }), 'type'],
    ['arktype union', type({ here: 'string | number' }), 'anyOf'],
    ['arktype Date', type({ here: 'Date' }), 'type'],
    ['raw $ref', raw({ $ref: '#/$defs/x' }), '$ref'],
    ['raw nullable', raw({ type: ['string', 'null'] }), 'type'],
    ['raw not', raw({ type: 'string', not: { const: 'x' } }), 'not'],
    ['raw bounds crossed', raw({ type: 'number', minimum: 3, maximum: 2 }), 'minimum'],
    ['raw lengths crossed', raw({ type: 'string', minLength: 3, maxLength: 2 }), 'minLength'],
    ['raw no whole number fits', raw({ type: 'integer', minimum: 1.2, maximum: 1.8 }), 'minimum'],
    ['raw too many to pick', raw({ type: 'array', items: { enum: ['a'] }, minItems: 2 }), 'minItems'],
    ['raw default outside', raw({ type: 'string', enum: ['a'], default: 'b' }), 'default'],
    ['raw twice the same choice', raw({ type: 'string', enum: ['a', 'a'] }), 'enum'],
    ['raw no choices', raw({ type: 'string', enum: [] }), 'enum'],
    ['raw pattern with lookahead', raw({ type: 'string', pattern: '^(?!a)' }), 'pattern'],
    ['raw pattern too large', raw({ type: 'string', pattern: '^a{5000}$' }), 'pattern'],
    ['raw title that is no text', raw({ type: 'string', title: 3 }), 'title'],
    ['record with a nested record', { here: { street: String } }, 'type'],
    ['record with an empty list', { here: [] }, 'enum'],
    ['record with nothing', { here: undefined }, 'shorthand'],
  ])('a form that the wire cannot say fails when built, with the field and the rule: %s', (_, input, rule) => {
    let thrown: unknown;
    try {
      build(input);
    } catch (error) {
      thrown = error;
    }
    expect(isMidcallError(thrown, 'form/unsupported')).toBe(true);
    const { message } = thrown as Error;
    expect(message).toContain("'here'");
    expect(message).toContain(`[${rule}]`);
    expect(message.length).toBeGreaterThan(message.indexOf(`[${rule}]`) + rule.length + 12);
  });

  it.each<[string, unknown, RegExp]>([
    ['a record at the top', z.record(z.string(), z.string()), /properties/],
    ['a catchall', z.object({ a: z.string() }).catchall(z.string()), /additionalProperties/],
    ['a discriminated union', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), /anyOf/],
    ['nothing', undefined, /shorthand/],
    ['null', null, /shorthand/],
    ['a number', 7, /shorthand/],
    ['an empty object', {}, /shorthand/],
    ['a list of numbers', [1, 2], /shorthand/],
    ['a reserved name', JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'), /name/],
    ['constructor as a name', { constructor: String }, /name/],
    ['a required field that is not there', { type: 'object', properties: {}, required: ['x'] }, /required/],
    ['201 fields', Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`f${i}`, String])), /size/],
    ['6,000 choices', Array.from({ length: 6_000 }, (_, i) => `c${i}`), /size/],
    ['300 KB', Array.from({ length: 4_000 }, (_, i) => `${'x'.repeat(80)}${i}`), /size/],
  ])('a form that the wire cannot say fails when built, as a whole: %s', (_, input, words) => {
    expect(() => build(input)).toThrow(words);
    expect(() => build(input)).toThrow(expect.objectContaining({ code: 'form/unsupported' }));
  });

  it('a library without Standard JSON Schema is told the adapter', () => {
    expect(() => build(v.object({ a: v.string() }))).toThrow(/toStandardJsonSchema.*@valibot\/to-json-schema/);
    const other = { '~standard': { version: 1, vendor: 'other', validate: (value: unknown) => ({ value }) } };
    expect(() => build(other)).toThrow(
      /other schema cannot describe itself as JSON Schema; use a library or adapter that has '~standard.jsonSchema'/,
    );
    expect(() => build(other)).toThrow(expect.objectContaining({ code: 'form/unsupported' }));
    const broken = {
      '~standard': {
        ...other['~standard'],
        jsonSchema: {
          input: () => {
            throw new Error('no idea');
          },
        },
      },
    };
    expect(() => build(broken)).toThrow(/no idea/);
    expect(() => build(broken)).toThrow(
      expect.objectContaining({ code: 'form/unsupported', cause: expect.objectContaining({ message: 'no idea' }) }),
    );
  });

  it('a cycle is not JSON, and the error says where it is', () => {
    const cycle: Record<string, unknown> = { type: 'object', properties: {} };
    cycle['properties'] = { a: cycle };
    expect(() => build(cycle)).toThrow(/not JSON/);
    expect(() => build(cycle)).toThrow(
      expect.objectContaining({ code: 'form/unsupported', cause: expect.any(TypeError) }),
    );
  });

  it('an error says how many more faults there are, and how long a form that is too long is', () => {
    expect(() => build(raw({ type: 'string', format: 'uuid' }))).not.toThrow(/more\)/);
    const two = { type: 'object', properties: { a: { type: 'null' }, b: { type: 'null' } } };
    expect(() => build(two)).toThrow(/\[type\] \(and 1 more\) /);
    expect(() => build(raw({ type: 'string', description: 'x'.repeat(300_000) }))).toThrow(
      /is 300\d{3} characters long/,
    );
  });
});

describe('form-F2: secrets', () => {
  it.each<[string, unknown]>([
    ['zod', z.object({ api_key: z.string() })],
    ['arktype', type({ login: 'string', password: 'string' })],
    ['raw', { type: 'object', properties: { cvv: { type: 'integer' } } }],
    ['record', { accessToken: String }],
    ['title', { type: 'string', title: 'Your GitHub token' }],
    ['description', { type: 'string', description: 'Enter the PIN of your card.' }],
  ])('%s: a secret is refused with the field, what it says and URL mode as the way out', (_, input) => {
    expect(() => build(input)).toThrow(expect.objectContaining({ code: 'form/secret' }));
    expect(() => build(input)).toThrow(/Field '\w+' asks for a secret.*(?:name|title|description) says.*URL mode/);
  });

  it('choosing among known ones, or saying yes, tells no secret (D-10)', () => {
    const made = form({ api_key: ['production', 'test'], reset_password: Boolean, card: [['ending 1234']] });
    expect(made.fields).toHaveLength(3);
  });
});

describe('a compiled form', () => {
  it('a compiled form is frozen, recognised and returned as it is', () => {
    const made = form({
      type: 'object',
      properties: { a: { type: 'array', items: { enum: ['x', 'y'] }, default: ['x'] }, b: { type: 'string' } },
      required: ['b'],
    });
    expect(isForm(made)).toBe(true);
    expect(form(made)).toBe(made);
    expect([isForm({}), isForm(null), isForm('x')]).toEqual([false, false, false]);
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      expect(Object.isFrozen(value)).toBe(true);
      for (const each of Object.values(value)) walk(each);
    };
    walk(made.schema);
    walk(made.fields);
    walk(made);
  });

  it('a compiled form does not change with what it was made from', async () => {
    const choices = ['a', 'b'];
    const made = form(choices);
    choices.push('c');
    expect(await made.check({ value: 'c' })).toMatchObject({ ok: false });
    expect(await form(choices).check({ value: 'c' })).toEqual({ ok: true, value: 'c' });
  });

  it('form-F4: a compiled form is made once per library schema and once per content', () => {
    const schema = z.object({ a: z.string() });
    expect(form(schema)).toBe(form(schema));
    expect(form({ a: String, b: ['x'] }).fields).toBe(form({ a: String, b: ['x'] }).fields);
    expect(form({ a: String, b: ['x'] }).fields).not.toBe(form({ b: ['x'], a: String }).fields);
    // The library's rules differ where the shape is the same.
    expect(form(z.string().regex(/a/))).not.toBe(form(z.string().regex(/b/)));
  });

  it('a compiled form is sent as the same schema where it asks the same, and as another where it does not', () => {
    const sent = (made: { readonly schema: unknown }) => JSON.stringify(made.schema);
    const one = sent(form({ a: String, b: ['x', 'y'] }));
    expect(sent(form({ a: { type: 'string' }, b: { type: 'string', enum: ['x', 'y'] } }))).toBe(one);
    expect(sent(form({ a: String, b: ['x', 'z'] }))).not.toBe(one);
  });

  it('a compiled form is read by the other side as the same fields', () => {
    const made = form(z.object({ a: z.email(), b: z.array(z.enum(['x', 'y'])).max(1), c: z.int().min(2).optional() }));
    expect(readForm(JSON.parse(JSON.stringify(made.schema)))).toEqual({ ok: true, fields: made.fields, notes: [] });
  });
});

describe('what is no form', () => {
  it.each<[string, unknown, string]>([
    ['nothing', undefined, "Ask with String, Number, Boolean, ['red', 'green'], { name: String }"],
    ['an empty record', {}, 'Ask with String, Number, Boolean'],
    ['the name of a type', { when: 'string' }, "'when' must be String, Number, Boolean, a list of choices"],
    ['a date', { when: Date }, "A date is { type: 'string', format: 'date' }"],
    ['numbers to choose from', { pick: [1, 2] }, "'pick' must be String, Number"],
    [
      'a text, as if it were a title',
      { x: 'X' },
      "or a JSON Schema, not a text. [shorthand] A label is a title: { type: 'string'",
    ],
    ['a field that is undefined', { note: undefined }, "'note' must be String, Number"],
    [
      'properties without a type',
      { properties: { a: { type: 'string' } } },
      "Write type: 'object' beside 'properties'.",
    ],
    ['a required stranger', { type: 'object', properties: {}, required: ['b'] }, "Name fields of 'properties' only."],
    [
      'bounds nothing fits',
      { type: 'object', properties: { a: { type: 'string', minLength: 5, maxLength: 2 } } },
      'Give bounds that some value can meet.',
    ],
    ['Zod Mini', mini.object({ a: mini.string() }), "and 'zod' instead of 'zod/mini'"],
  ])('%s is no form, and the error says what to write', (_, input, says) => {
    expect(() => form(input as never)).toThrow(says);
  });
});

describe("form-F5: the patterns of a library's form", () => {
  const slow = 'A takes too long to check against its pattern: give a shorter text.';
  const text = `${'a'.repeat(40)}!`;

  it.each<[string, FormInput]>([
    ['Zod', z.object({ a: z.string().regex(/^(a+)+$/) })],
    ['Zod, with a flag', z.object({ a: z.string().regex(/^(A+)+$/i) })],
    [
      'Zod, with several',
      z.object({
        a: z
          .string()
          .regex(/./)
          .regex(/^(a+)+$/),
      }),
    ],
    [
      'Zod, optional and nullable',
      z.object({
        a: z
          .string()
          .regex(/^(a+)+$/)
          .nullable()
          .optional(),
      }),
    ],
    [
      'Zod, trimmed',
      z.object({
        a: z
          .string()
          .trim()
          .regex(/^(a+)+$/),
      }),
    ],
    ['Valibot', std(v.object({ a: v.pipe(v.string(), v.regex(/^(a+)+$/)) }))],
    ['ArkType', type({ a: '/^(a+)+$/' })],
  ])('%s is not given a text that would keep its engine busy', async (_, input) => {
    const checked = await form(input).check({ a: text });
    expect(checked).toEqual({ ok: false, issues: [{ field: 'a', rule: 'pattern', message: slow }] });
  });

  it('a form of one value is guarded as well', async () => {
    const checked = await form(z.string().regex(/^(a+)+$/)).check({ value: text });
    expect(checked).toMatchObject({ ok: false, issues: [{ field: 'value', rule: 'pattern' }] });
  });

  it('a library says itself whether other texts match, since it knows its flags and its words', async () => {
    const seat = form(
      z.object({
        a: z
          .string()
          .trim()
          .regex(/^\d[a-f]$/i, 'A row and a letter.'),
      }),
    );
    expect(await seat.check({ a: ' 1C ' })).toEqual({ ok: true, value: { a: '1C' } });
    expect(await seat.check({ a: 'C1' })).toEqual({
      ok: false,
      issues: [{ field: 'a', rule: 'validate', message: 'A: A row and a letter.' }],
    });
  });

  it.each<[string, FormInput]>([
    ['a lookbehind', z.object({ a: z.string().regex(/(?<!a)b/) })],
    ['a backreference', z.object({ a: z.string().regex(/(a)\1/) })],
  ])('%s is refused when the form is built', (_, input) => {
    expect(() => form(input)).toThrow(/'a' has a pattern with a lookbehind or a backreference.*refinement/);
  });

  it('a lookahead is taken when the form is built', async () => {
    const word = form(z.object({ a: z.string().regex(/^(?!-)[a-z-]+$/) }));
    expect(await word.check({ a: 'a-b' })).toMatchObject({ ok: true });
    expect(await word.check({ a: '-b' })).toMatchObject({ ok: false, issues: [{ rule: 'validate' }] });
  });
});
