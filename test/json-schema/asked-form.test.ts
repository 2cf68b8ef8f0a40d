/** Forms as the servers of others write them, and what becomes of them. */
import { type AskedField, formLimits } from '@midcall/core/form';
import { checkAsked, readAskedForm } from '@midcall/core/json-schema';
import { describe, expect, it } from 'vitest';

const params = (requestedSchema: unknown) => ({ message: 'What?', requestedSchema });
const formOf = (here: unknown, { required = false, rest = {} }: { required?: boolean; rest?: object } = {}) =>
  params({ type: 'object', properties: { here }, ...(required && { required: ['here'] }), ...rest });

function read(asked: object) {
  const form = readAskedForm(asked);
  if (!form.ok) throw new Error(form.why);
  return form;
}
const fieldOf = (...given: Parameters<typeof formOf>): AskedField => read(formOf(...given)).fields[0]!;
/** The content that is sent, or the first issue. */
function sent(asked: object, content: unknown): unknown {
  const { fields, schema } = read(asked);
  const checked = checkAsked(fields, content, schema);
  return checked.ok ? checked.content : checked.issues[0]!.message;
}

const $defs = {
  Name: { type: 'string', title: 'Name', maxLength: 3 },
  Colour: { enum: ['red', 'green'], title: 'Colour', type: 'string' },
  Loop: { $ref: '#/$defs/Loop' },
  Tree: { type: 'object', properties: { child: { $ref: '#/$defs/Tree' }, size: { type: 'integer' } } },
};

describe('asked-form-Q1: what a generator writes for a simple field gets the control of that field', () => {
  it.each<[string, unknown, object]>([
    [
      'a whole number with fixed values',
      { type: 'integer', enum: [1, 2] },
      {
        kind: 'select',
        choices: [
          { value: 1, title: '1' },
          { value: 2, title: '2' },
        ],
      },
    ],
    [
      'fixed values without a type',
      { enum: [true, 1, 'a'] },
      { kind: 'select', choices: [{ value: true }, { value: 1 }, { value: 'a' }] },
    ],
    ['a yes or no with fixed values', { type: 'boolean', enum: [true] }, { kind: 'boolean' }],
    ['one value', { const: 'x', title: 'X' }, { kind: 'select', title: 'X', choices: [{ value: 'x' }] }],
    ['nullable', { type: 'string', nullable: true }, { kind: 'text' }],
    [
      'a format of numbers',
      { type: 'integer', format: 'int32' },
      { kind: 'number', integer: true, unchecked: ["format 'int32'"] },
    ],
    [
      'a format of texts that the wire lacks',
      { type: 'string', format: 'uuid' },
      { kind: 'text', unchecked: ["format 'uuid'"] },
    ],
    ['an exclusive bound', { type: 'number', exclusiveMinimum: 0 }, { kind: 'number' }],
    [
      'Pydantic: optional text',
      { anyOf: [{ type: 'string' }, { type: 'null' }], title: 'Nick', default: null },
      { kind: 'text', title: 'Nick' },
    ],
    [
      'a list of types with null',
      { type: ['integer', 'null'], minimum: 1 },
      { kind: 'number', integer: true, minimum: 1 },
    ],
    [
      'schemars: titled values without a type',
      { oneOf: [{ const: 'a', title: 'Aye' }, { const: 'b' }] },
      {
        kind: 'select',
        choices: [
          { value: 'a', title: 'Aye' },
          { value: 'b', title: 'b' },
        ],
      },
    ],
    ['a reference', { $ref: '#/$defs/Colour' }, { kind: 'select', title: 'Colour' }],
    ['an optional reference', { anyOf: [{ $ref: '#/$defs/Colour' }, { type: 'null' }] }, { kind: 'select' }],
    [
      'allOf of one, with words beside it',
      { allOf: [{ $ref: '#/$defs/Name' }], description: 'Yours' },
      { kind: 'text', maxLength: 3, description: 'Yours' },
    ],
    [
      'C#: members that are null',
      { type: 'string', title: null, description: null, enum: null, minLength: null },
      { kind: 'text' },
    ],
    ['a list of references to values', { type: 'array', items: { $ref: '#/$defs/Colour' } }, { kind: 'multi-select' }],
    [
      'a list of numbers to choose from',
      { type: 'array', items: { enum: [1, 2] } },
      { kind: 'multi-select', choices: [{ value: 1 }, { value: 2 }] },
    ],
    ['no type, with a length', { maxLength: 5 }, { kind: 'text', maxLength: 5 }],
    ['bounds that no value can meet', { type: 'number', minimum: 2, maximum: 1 }, { kind: 'number' }],
    ['a pattern that is none', { type: 'string', pattern: '(' }, { kind: 'text', uncheckedPattern: '(' }],
    ['a title without end', { type: 'string', title: 'x'.repeat(600) }, { title: `${'x'.repeat(499)}…` }],
  ])('a simple field gets its own control: %s', (_, property, field) => {
    expect(fieldOf(property, { rest: { $defs } })).toMatchObject(field);
    expect(fieldOf(property, { rest: { $defs } }).kind).not.toBe('json');
  });

  it.each<[string, unknown, string]>([
    [
      'an object',
      { type: 'object', properties: { a: { type: 'string' } } },
      '{"type":"object","properties":{"a":{"type":"string"}}}',
    ],
    ['a list of texts', { type: 'array', items: { type: 'string' } }, '{"type":"array","items":{"type":"string"}}'],
    ['two types', { type: ['string', 'number'] }, '{"type":["string","number"]}'],
    [
      'a choice between shapes',
      { anyOf: [{ type: 'string' }, { type: 'object' }] },
      '{"anyOf":[{"type":"string"},{"type":"object"}]}',
    ],
    ['a reference in a circle', { $ref: '#/$defs/Loop' }, '{"$ref":"#/$defs/Loop"}'],
    ['anything', {}, ''],
    ['true', true, ''],
    ['null', null, ''],
  ])(
    'a field without a control of its own is answered in JSON, with the schema beside it: %s',
    (_, property, shape) => {
      expect(fieldOf(property, { rest: { $defs } })).toEqual({ kind: 'json', name: 'here', required: false, shape });
    },
  );

  it.each<[string, unknown]>([
    ['no schema', undefined],
    ['null', null],
    ['an empty schema', {}],
    ['an object without properties', { type: 'object' }],
    ['properties that are null', { type: 'object', properties: null, required: null }],
  ])('a form without fields is a yes or a no: %s', (_, schema) => {
    expect(read(params(schema))).toMatchObject({ fields: [] });
    expect(sent(params(schema), {})).toEqual({});
    expect(sent(params(schema), undefined)).toEqual({});
  });

  it('a form that is a reference or has alternatives shows the fields of all of them', () => {
    const Person = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const referred = params({ $ref: '#/$defs/Person', $defs: { Person } });
    expect(read(referred).fields).toMatchObject([{ kind: 'text', name: 'name', required: true }]);
    const company = { properties: { firm: { type: 'string' } }, required: ['firm'] };
    const either = params({ type: 'object', anyOf: [Person, company] });
    expect(read(either).fields).toMatchObject([
      { name: 'name', required: false },
      { name: 'firm', required: false },
    ]);
    expect(sent(either, { firm: 'Acme' })).toEqual({ firm: 'Acme' });
    expect(sent(either, {})).toBe('The answer fits none of the alternatives.');
  });

  it('fields that a form lacks but requires, and names that no field can have, are passed over and named', () => {
    const form = read(
      params(JSON.parse('{"type":"object","properties":{"a":{"type":"string"},"__proto__":{}},"required":["b"]}')),
    );
    expect(form.fields).toMatchObject([{ name: 'a' }]);
    expect(form.notes.map(({ message }) => message)).toEqual([
      "'__proto__' cannot be the name of a field and is not shown.",
      "'b' is required, but the form has no such field.",
    ]);
    expect(
      sent(params({ type: 'object', properties: { a: { type: 'string' } }, required: ['b'] }), { a: 'x' }),
    ).toEqual({ a: 'x' });
  });
});

describe('asked-form-Q2: the schema judges what the control does not express', () => {
  it.each<[string, unknown, unknown, string]>([
    ['an exclusive bound', { type: 'number', exclusiveMinimum: 0 }, 0, 'Here must be more than 0.'],
    ['steps', { type: 'integer', multipleOf: 5 }, 7, 'Here must be a multiple of 5.'],
    ['a yes that must be one', { type: 'boolean', const: true }, false, 'Here must be the one value the schema names.'],
    ['a value that is not offered', { type: 'integer', enum: [1, 2] }, 3, 'Here must be one of the choices.'],
    [
      'a part of an object',
      { type: 'object', properties: { n: { type: 'integer' } } },
      { n: 'x' },
      'Here, at n, must be integer.',
    ],
    [
      'a part that is a reference',
      { $ref: '#/$defs/Tree' },
      { child: { size: 'x' } },
      'Here, at child.size, must be integer.',
    ],
    ['a list of texts', { type: 'array', items: { type: 'string' } }, [1], 'Here, at 0, must be string.'],
  ])('the schema refuses what the control does not express: %s', (_, property, value, says) => {
    expect(sent(formOf(property, { rest: { $defs } }), { here: value })).toBe(says);
  });

  it.each<[string, unknown, unknown]>([
    ['a number that is offered', { type: 'integer', enum: [1, 2] }, 2],
    ['the same, as text', { type: 'integer', enum: [1, 2] }, '2'],
    ['an object that fits', { $ref: '#/$defs/Tree' }, { child: { size: 1 } }],
    ['what cannot be judged', { type: 'string', unevaluatedProperties: false }, 'x'],
    ['a reference to elsewhere', { $ref: 'https://example.com/schema' }, 'x'],
    ['keywords with broken values', { type: 'string', minLength: -1, not: 7 }, 'x'],
  ])('an answer passes the schema: %s', (_, property, value) => {
    const content = sent(formOf(property, { rest: { $defs } }), { here: value });
    expect(content).toEqual({ here: value === '2' ? 2 : value });
  });

  it.each<[unknown, readonly string[]]>([
    [{ type: 'object', unevaluatedProperties: false }, ["'unevaluatedProperties'"]],
    [{ $ref: 'https://example.com/schema' }, ["a '$ref' to another document"]],
    [{ type: 'string', format: 'password' }, ["format 'password'"]],
  ])('a part that cannot be judged is said to be unchecked: %j', (property, unchecked) => {
    expect(fieldOf(property)).toMatchObject({ unchecked });
  });

  it('a required field that may be null is sent as null if it is left empty, and a choice of null as null', () => {
    const nick = { anyOf: [{ type: 'string' }, { type: 'null' }] };
    expect(fieldOf(nick, { required: true })).toMatchObject({ required: false, nullable: true });
    expect(sent(formOf(nick, { required: true }), {})).toEqual({ here: null });
    expect(sent(formOf(nick), {})).toEqual({});
    expect(sent(formOf({ const: null }), { here: null })).toEqual({ here: null });
  });
});

describe('asked-form-Q3: nothing costs more than its size', () => {
  it('many fields that refer to the same large part do not multiply it', () => {
    const values = Array.from({ length: 5_000 }, (_, at) => `value number ${at}`);
    const properties = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`f${at}`, { $ref: '#/$defs/Large' }]),
    );
    const large = { enum: values, default: values[0] };
    const form = read(params({ type: 'object', properties, $defs: { Large: large } }));
    expect(form.fields).toHaveLength(200);
    expect(JSON.stringify(form.fields).length).toBeLessThan(3 * formLimits.schema);
    const deep = { properties: Object.fromEntries(values.map(value => [value, { type: 'string' }])) };
    const nested = read(params({ type: 'object', properties, $defs: { Large: deep } }));
    expect(JSON.stringify(nested.fields).length).toBeLessThan(3 * formLimits.schema);
  });

  it('a form with circles or great depth is read to an end', () => {
    const circle = { allOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }], properties: { a: { $ref: '#/$defs/A' } } };
    const form = readAskedForm(params({ type: 'object', $defs: { A: circle, B: circle }, ...circle }));
    expect(form.ok).toBe(true);
    if (form.ok) expect(checkAsked(form.fields, { a: {} }, form.schema).ok).toBe(true);
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level += 1) deep = { a: deep };
    expect(readAskedForm(formOf({ deep }))).toMatchObject({ ok: false, why: 'The form is not JSON.' });
  });

  it.each<[string, unknown, string]>([
    ['a form of more than 262,144 characters', { type: 'object', x: 'x'.repeat(300_000) }, 'The form is 3'],
    [
      'more than 200 fields',
      { type: 'object', properties: Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`f${at}`, {}])) },
      'The form has 201 fields; at most 200 are shown.',
    ],
    ['a form that is no schema', 'object', 'The form must be a JSON Schema.'],
    ['a form for what is no object', { type: 'string' }, 'The form asks for "string"; an answer is always an object.'],
  ])('%s is refused', (_, schema, why) => {
    const form = readAskedForm(params(schema));
    expect(!form.ok && form.why.startsWith(why)).toBe(true);
  });
});
