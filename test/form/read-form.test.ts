import { checkContent, form, formLimits, type RawForm, readForm } from '@midcall/core/form';
import { describe, expect, it } from 'vitest';

const schemaOf = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });
const read = (property: unknown) => readForm(schemaOf({ here: property }));

describe('received schemas', () => {
  it('elicit-form-22, elicit-form-33: every shape of the restricted schema becomes a field', () => {
    const result = readForm(
      schemaOf(
        {
          text: { type: 'string', title: 'T', description: 'D', minLength: 1, maxLength: 9, default: 'x' },
          mail: { type: 'string', format: 'email' },
          rate: { type: 'number', minimum: 0, maximum: 1, default: 0.5 },
          pages: { type: 'integer', minimum: 1 },
          ok: { type: 'boolean', default: false },
          plain: { type: 'string', enum: ['a', 'b'], default: 'a' },
          legacy: { type: 'string', enum: ['a', 'b'], enumNames: ['Aye', 'Bee'] },
          titled: { type: 'string', oneOf: [{ const: 'a', title: 'Aye' }] },
          many: {
            type: 'array',
            items: { type: 'string', enum: ['a', 'b'] },
            minItems: 1,
            maxItems: 2,
            default: ['a'],
          },
          manyTitled: { type: 'array', items: { anyOf: [{ const: 'a', title: 'Aye' }] } },
          coded: { type: 'string', pattern: '^[A-Z]{3}$' },
        },
        { required: ['text'], $schema: 'https://json-schema.org/draft/2020-12/schema', additionalProperties: false },
      ),
    );
    const choice = (value: string, title = value) => ({ value, title });
    expect(result).toEqual({
      ok: true,
      notes: [],
      fields: [
        {
          kind: 'text',
          name: 'text',
          required: true,
          title: 'T',
          description: 'D',
          minLength: 1,
          maxLength: 9,
          default: 'x',
        },
        { kind: 'text', name: 'mail', required: false, format: 'email' },
        { kind: 'number', name: 'rate', required: false, integer: false, minimum: 0, maximum: 1, default: 0.5 },
        { kind: 'number', name: 'pages', required: false, integer: true, minimum: 1 },
        { kind: 'boolean', name: 'ok', required: false, default: false },
        { kind: 'select', name: 'plain', required: false, choices: [choice('a'), choice('b')], default: 'a' },
        { kind: 'select', name: 'legacy', required: false, choices: [choice('a', 'Aye'), choice('b', 'Bee')] },
        { kind: 'select', name: 'titled', required: false, choices: [choice('a', 'Aye')] },
        {
          kind: 'multi-select',
          name: 'many',
          required: false,
          choices: [choice('a'), choice('b')],
          minItems: 1,
          maxItems: 2,
          default: ['a'],
        },
        { kind: 'multi-select', name: 'manyTitled', required: false, choices: [choice('a', 'Aye')] },
        { kind: 'text', name: 'coded', required: false, pattern: '^[A-Z]{3}$' },
      ],
    });
  });

  it('notes for readers of the schema are passed over', () => {
    expect(read({ type: 'string', examples: ['x'], deprecated: true, 'x-widget': {}, $comment: 'c' })).toMatchObject({
      ok: true,
      fields: [{ kind: 'text' }],
    });
  });
});

describe('a form from a published server', () => {
  it('all thirteen fields of the everything server are read, and may be asked by a server of ours', async () => {
    const path = '@modelcontextprotocol/server-everything/dist/tools/trigger-elicitation-request.js';
    const { registerTriggerElicitationRequestTool } = await import(/* @vite-ignore */ path);
    let run: ((args: object, extra: object) => Promise<unknown>) | undefined;
    registerTriggerElicitationRequestTool({
      server: { getClientCapabilities: () => ({ elicitation: {} }) },
      registerTool: (_name: string, _config: object, handler: typeof run) => {
        run = handler;
      },
    });
    let schema: unknown;
    await run?.(
      {},
      {
        sendRequest: async (request: { params: { requestedSchema: unknown } }) => {
          schema = request.params.requestedSchema;
          return { action: 'cancel' };
        },
      },
    );
    const received = readForm(schema);
    if (!received.ok) throw new Error(JSON.stringify(received.problems));
    expect(received.notes).toEqual([]);
    expect(received.fields).toHaveLength(13);
    expect(form(schema as RawForm).fields).toEqual(received.fields);
    expect(checkContent(received.fields, { name: 'Ada', integer: 42, titledMultipleSelectEnum: ['fish-1'] }).ok).toBe(
      true,
    );
  });
});

describe('read-form-R2: hostile and foreign schemas are refused with the field and the rule', () => {
  it.each<[string, unknown, string]>([
    ['000-09, elicit-form-09: nested object', { type: 'object', properties: { a: { type: 'string' } } }, 'type'],
    ['000-09, elicit-form-09: array of objects', { type: 'array', items: { type: 'object', properties: {} } }, 'items'],
    ['array of texts', { type: 'array', items: { type: 'string' } }, 'items'],
    ['array of arrays', { type: 'array', items: { type: 'array', items: { enum: ['a'] } } }, 'items'],
    ['choices that are shapes', { type: 'array', items: { anyOf: [{ type: 'string' }] } }, 'anyOf'],
    ['options with rules of their own', { type: 'string', oneOf: [{ const: 'a', title: 'A', minLength: 3 }] }, 'oneOf'],
    ['elicit-form-09: $ref', { $ref: '#/properties/here' }, '$ref'],
    ['$ref beside a type', { type: 'string', $ref: 'https://example.com/schema' }, '$ref'],
    ['elicit-form-09: allOf', { type: 'string', allOf: [{ minLength: 1 }] }, 'allOf'],
    ['not', { type: 'string', not: {} }, 'not'],
    ['const', { type: 'string', const: 'x' }, 'const'],
    ['null', { type: 'null' }, 'type'],
    ['two types', { type: ['string', 'number'] }, 'type'],
    ['no type', {}, 'type'],
    ['true', true, 'type'],
    ['null property', null, 'type'],
    ['a list', [], 'type'],
    ['elicit-form-12: unknown format', { type: 'string', format: 'uuid' }, 'format'],
    ['a format named like a property of objects', { type: 'string', format: 'constructor' }, 'format'],
    ['password', { type: 'string', format: 'password' }, 'format'],
    ['text bounds on a number', { type: 'number', minLength: 1 }, 'minLength'],
    ['both enum and oneOf', { type: 'string', enum: ['a'], oneOf: [{ const: 'a', title: 'A' }] }, 'oneOf'],
    ['numbers as choices', { type: 'string', enum: [1] }, 'enum'],
    ['no choices', { type: 'string', enum: [] }, 'enum'],
    ['choices that are no list', { type: 'string', enum: 'abc' }, 'enum'],
    ['negative length', { type: 'string', minLength: -1 }, 'minLength'],
    ['half a length', { type: 'string', maxLength: 1.5 }, 'maxLength'],
    ['length as text', { type: 'string', maxLength: '5' }, 'maxLength'],
    ['minimum above maximum', { type: 'number', minimum: 2, maximum: 1 }, 'minimum'],
    ['minimum as text', { type: 'number', minimum: '2' }, 'minimum'],
    ['minItems above maxItems', { type: 'array', items: { enum: ['a', 'b'] }, minItems: 2, maxItems: 1 }, 'minItems'],
    ['a broken pattern', { type: 'string', pattern: '(' }, 'pattern'],
    ['a long pattern', { type: 'string', pattern: 'a'.repeat(1_001) }, 'size'],
    ['a title that is no text', { type: 'string', title: {} }, 'title'],
    ['a long title', { type: 'string', title: 'x'.repeat(501) }, 'size'],
    ['a long description', { type: 'string', description: 'x'.repeat(4_001) }, 'size'],
    ['a long choice', { type: 'string', enum: ['x'.repeat(1_001)] }, 'size'],
    ['5,001 choices', { type: 'string', enum: Array.from({ length: 5_001 }, (_, i) => `${i}`) }, 'size'],
  ])('a foreign property is refused with the field and the rule: %s', (_, property, rule) => {
    const result = read(property);
    if (result.ok) throw new Error('accepted');
    expect(result.problems).toContainEqual(expect.objectContaining({ field: 'here', rule }));
    for (const problem of result.problems) expect(problem.message).toMatch(/^'here' .*\.$/);
  });

  it.each<[string, unknown, string]>([
    ['elicit-form-32: no schema', undefined, 'type'],
    ['null', null, 'type'],
    ['text', 'object', 'type'],
    ['a list', [], 'type'],
    ['elicit-form-32: another type', { type: 'string' }, 'type'],
    ['elicit-form-32: no properties', { type: 'object' }, 'properties'],
    ['properties as a list', { type: 'object', properties: [] }, 'properties'],
    ['required as text', schemaOf({}, { required: 'a' }), 'required'],
    ['required that is not there', schemaOf({}, { required: ['a'] }), 'required'],
    ['required inherited', schemaOf({}, { required: ['toString'] }), 'required'],
    ['required as a number', schemaOf({ 1: { type: 'string' } }, { required: [1] }), 'required'],
    ['required as a shape', schemaOf({}, { required: ['a', {}] }), 'required'],
    ['required without end', schemaOf({ a: { type: 'string' } }, { required: Array(201).fill('a') }), 'required'],
    ['patternProperties', schemaOf({}, { patternProperties: {} }), 'patternProperties'],
    [
      'elicit-form-09: typed further properties',
      schemaOf({}, { additionalProperties: { type: 'string' } }),
      'additionalProperties',
    ],
    ['elicit-form-09: allOf', schemaOf({}, { allOf: [] }), 'allOf'],
    ['elicit-form-09: $ref', schemaOf({}, { $ref: '#' }), '$ref'],
    ['__proto__', JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'), 'name'],
    ['constructor', schemaOf({ constructor: { type: 'string' } }), 'name'],
    ['an empty name', schemaOf({ '': { type: 'string' } }), 'name'],
    ['a long name', schemaOf({ ['x'.repeat(201)]: { type: 'string' } }), 'name'],
    [
      '10,000 fields',
      schemaOf(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`f${i}`, { type: 'string' }]))),
      'size',
    ],
    ['1 MB of text', schemaOf({ a: { type: 'string', 'x-note': 'x'.repeat(1_000_000) } }), 'size'],
    [
      '21 patterns',
      schemaOf(Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`f${i}`, { type: 'string', pattern: 'a' }]))),
      'size',
    ],
  ])('a foreign schema is refused with the rule: %s', (_, schema, rule) => {
    const result = readForm(schema);
    if (result.ok) throw new Error('accepted');
    expect(result.problems.map(problem => problem.rule)).toContain(rule);
  });

  it('read-form-R1: a schema that JSON cannot hold is refused, not walked', () => {
    const cycle: Record<string, unknown> = { type: 'object' };
    cycle['properties'] = cycle;
    expect(readForm(cycle)).toMatchObject({ ok: false });
    let deep: unknown = {};
    for (let i = 0; i < 100_000; i += 1) deep = { a: deep };
    expect(readForm(schemaOf({ a: { type: 'string', deep } }))).toMatchObject({ ok: false });
    expect(readForm(Object.create({ type: 'object', properties: {} }))).toMatchObject({ ok: false });
  });

  it.each<[unknown, string]>([
    [{ type: 'object', properties: { a: 1n } }, 'The form is not JSON.'],
    [schemaOf({ a: { type: 'string', 'x-note': 'x'.repeat(1_000_000) } }), 'The form is 10'],
    [{ type: 'string' }, "The form must have type 'object'."],
    [{ type: 'object' }, 'The form must list its properties.'],
    [schemaOf({}, { allOf: [] }), "A form cannot have 'allOf'."],
    [schemaOf({}, { additionalProperties: {} }), 'A form cannot allow additional properties.'],
    [schemaOf({}, { required: 'a' }), "'required' must be a list of field names."],
    [schemaOf({}, { required: ['b'.repeat(90)] }), `'${'b'.repeat(80)}' is required, but the form has no such field.`],
    [schemaOf({ ['x'.repeat(201)]: {} }), `'${'x'.repeat(80)}' cannot be the name of a field.`],
    [
      schemaOf(Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`f${i}`, { type: 'string' }]))),
      'The form has 201 fields; at most 200 are allowed.',
    ],
    [
      schemaOf(Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`f${i}`, { type: 'string', pattern: 'a' }]))),
      'The form has 21 patterns; at most 20 are allowed.',
    ],
  ])('a refusal says what is wrong with the whole form (%#)', (schema, says) => {
    const result = readForm(schema);
    expect(!result.ok && result.problems.some(({ message }) => message.startsWith(says))).toBe(true);
  });

  it('a form may have many fields where few of them have a pattern', () => {
    const one = ['p', { type: 'string', pattern: 'a' }] as const;
    const others = Array.from({ length: 199 }, (_, i) => [`f${i}`, { type: 'string' }] as const);
    expect(readForm(schemaOf(Object.fromEntries([one, ...others])))).toMatchObject({ ok: true });
  });

  it('read-form-R3: problems are listed, but not without end', () => {
    const result = readForm(
      schemaOf(Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`f${i}`, { type: 'x' }]))),
    );
    expect(!result.ok && result.problems.length).toBeLessThanOrEqual(21);
    expect(formLimits.fields).toBe(200);
  });
});

describe('elicit-form-22; read-form-R4: what harms nobody is left out and noted', () => {
  it.each<[string, object, string, object]>([
    ['a default outside the choices', { type: 'string', enum: ['a'], default: 'b' }, 'default', { kind: 'select' }],
    [
      'a default that breaks a bound',
      { type: 'integer', minimum: 2, default: 1 },
      'default',
      { kind: 'number', minimum: 2 },
    ],
    ['a default of another type', { type: 'boolean', default: 'yes' }, 'default', { kind: 'boolean' }],
    ['a default twice the same', { type: 'array', items: { enum: ['a'] }, default: ['a', 'a'] }, 'default', {}],
    [
      'a choice twice',
      { type: 'string', enum: ['a', 'a', 'b'] },
      'enum',
      { choices: [{ value: 'a' }, { value: 'b' }] },
    ],
    [
      'too many titles',
      { type: 'string', enum: ['a'], enumNames: ['A', 'B'] },
      'enumNames',
      { choices: [{ title: 'A' }] },
    ],
    [
      'titles that are no list',
      { type: 'string', enum: ['a'], enumNames: 'A' },
      'enumNames',
      { choices: [{ title: 'a' }] },
    ],
    [
      'a pattern with lookahead',
      { type: 'string', pattern: '^(?=a)' },
      'pattern',
      { kind: 'text', uncheckedPattern: '^(?=a)' },
    ],
  ])('a property that harms nobody is left out and noted: %s', (_, property, rule, field) => {
    const result = read(property);
    if (!result.ok) throw new Error(JSON.stringify(result.problems));
    expect(result.notes).toEqual([expect.objectContaining({ field: 'here', rule })]);
    expect(result.fields[0]).toMatchObject(field);
    expect(result.fields[0]).not.toHaveProperty('default');
    expect(result.fields[0]).not.toHaveProperty('pattern');
  });
});

describe('read-form-R5: reading the patterns of a form has a budget, counted in steps', () => {
  const costly = `[${Array.from({ length: 880 }, (_, i) => String.fromCodePoint(0x4e00 + 2 * i)).join('')}]{0,290}z`;
  const filled = String.fromCodePoint(0x4e00).repeat(4_000);
  const field = (at: number, more: object = {}) => [`f${at}`, { type: 'string', pattern: `${costly}${at}`, ...more }];
  const formOf = (count: number, more: object) =>
    schemaOf(Object.fromEntries(Array.from({ length: count }, (_, at) => field(at, more))));

  it('a pattern whose default cannot be checked within the budget is shown as one that is not checked', () => {
    const result = readForm(formOf(20, { default: filled }));
    if (!result.ok) throw new Error(JSON.stringify(result.problems));
    expect(result.fields).toHaveLength(20);
    for (const each of result.fields) {
      expect(each).toHaveProperty('uncheckedPattern');
      expect(each).not.toHaveProperty('pattern');
      expect(each.default).toBe(filled);
    }
    expect(result.notes.map(note => note.rule)).toEqual(Array(20).fill('pattern'));
    expect(result.notes[0]!.message).toBe(
      "'f0' has a pattern that is not checked here: reading the patterns of this form takes too long.",
    );
  });

  it('the budget is one for the whole form: a field alone is within it, and so are the first of many', () => {
    const default_ = filled.slice(0, 400);
    const checked = (count: number) => {
      const result = readForm(formOf(count, { default: default_ }));
      if (!result.ok) throw new Error(JSON.stringify(result.problems));
      // The default is wrong: where it was checked, it is left out.
      return result.fields.map(each => 'pattern' in each && !('default' in each));
    };
    expect(checked(1)).toEqual([true]);
    const all = checked(20);
    expect(all[0]).toBe(true);
    expect(all.at(-1)).toBe(false);
    expect(all).toEqual([...all].sort().reverse());
    // The same form reads the same, whatever was read before.
    expect(checked(20)).toEqual(all);
  });

  it('the budget does not touch forms as people write them', () => {
    const usual = {
      type: 'string',
      pattern: '^[\\w.+-]+(?: [\\w.+-]+)*$',
      default: 'one two three '.repeat(20).trim(),
    };
    const result = readForm(schemaOf(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f${at}`, usual]))));
    if (!result.ok) throw new Error(JSON.stringify(result.problems));
    expect(result.notes).toEqual([]);
    for (const each of result.fields) expect(each).toHaveProperty('pattern');
  });
});
