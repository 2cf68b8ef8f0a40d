/** What is said of a property that a form may not have, and what is only noted. */
import { formLimits, readForm } from '@midcall/core/form';
import { describe, expect, it } from 'vitest';

const read = (here: unknown) => readForm({ type: 'object', properties: { here } });
const long = (length: number) => 'x'.repeat(length);
/** A pattern as long as may be, with few states. */
const longClass = `[${long(formLimits.pattern - 2)}]`;
const oneOf = [{ const: 'a', title: 'Aye' }];
const list = (items: object, rest: object = {}) => ({ type: 'array', items, ...rest });
const count = (length: number) => Array.from({ length }, (_, at) => `${at}`);

describe('a property is refused, by the keyword that is wrong, where it', () => {
  it.each<[string, unknown, string]>([
    ['must be described by an object', 'text', 'type'],
    ['is an object; a form is flat', { type: 'object' }, 'type'],
    ['must have type string, number, integer, boolean or array', { type: 'null' }, 'type'],
    ['must have type string, number, integer, boolean or array', { title: 'x' }, 'type'],
    ['must have type string, number, integer, boolean or array', { type: ['string'], minLength: 1 }, 'type'],
    ["cannot be described by 'enum' alone", { enum: ['a'] }, 'enum'],
    ["cannot have 'minLength'", { type: 'number', minLength: 1 }, 'minLength'],
    ["cannot have 'items'", { type: 'boolean', items: {} }, 'items'],
    ["cannot have 'pattern'", { type: 'string', enum: ['a'], pattern: 'a' }, 'pattern'],
    [
      "has the format 'ipv4'; a form knows email, uri, date and date-time",
      { type: 'string', format: 'ipv4' },
      'format',
    ],
    [
      `has the format '${long(40)}'; a form knows email, uri, date and date-time`,
      { type: 'string', format: long(50) },
      'format',
    ],
    [
      'has a format that is not text; a form knows email, uri, date and date-time',
      { type: 'string', format: 5 },
      'format',
    ],
    ['has a title that is not text', { type: 'string', title: 5 }, 'title'],
    ['has a description that is not text', { type: 'string', description: {} }, 'description'],
    [
      `has a title of more than ${formLimits.title} characters`,
      { type: 'string', title: long(formLimits.title + 1) },
      'size',
    ],
    ['has a pattern that is not text', { type: 'string', pattern: 5 }, 'pattern'],
    ['has a pattern that is not a regular expression', { type: 'string', pattern: '(' }, 'pattern'],
    [
      `has a pattern of more than ${formLimits.pattern} characters`,
      { type: 'string', pattern: long(formLimits.pattern + 1) },
      'size',
    ],
    ["has a 'minLength' that is not a count", { type: 'string', minLength: -1 }, 'minLength'],
    ["has a 'maxLength' that is not a count", { type: 'string', maxLength: 1.5 }, 'maxLength'],
    ["has a 'maxLength' that is not a count", { type: 'string', maxLength: '5' }, 'maxLength'],
    ["has 'minLength' above 'maxLength'", { type: 'string', minLength: 2, maxLength: 1 }, 'minLength'],
    ["has a 'minimum' that is not a number", { type: 'number', minimum: '1' }, 'minimum'],
    ["has a 'maximum' that is not a number", { type: 'number', maximum: null }, 'maximum'],
    ['has bounds that no number can meet', { type: 'number', minimum: 2, maximum: 1 }, 'minimum'],
    ['has bounds that no number can meet', { type: 'integer', minimum: 1.2, maximum: 1.8 }, 'minimum'],
    ["has both 'enum' and 'oneOf'", { type: 'string', enum: ['a'], oneOf }, 'oneOf'],
    ['has no choices', { type: 'string', enum: [] }, 'enum'],
    ['has no choices', { type: 'string', oneOf: {} }, 'oneOf'],
    ['has a choice that is not text', { type: 'string', enum: ['a', 5] }, 'enum'],
    ['has a choice that is not text', { type: 'string', oneOf: ['a'] }, 'oneOf'],
    ['has a choice with more than a value and a title', { type: 'string', oneOf: [{ const: 'a', not: {} }] }, 'oneOf'],
    [`has more than ${formLimits.choices} choices`, { type: 'string', enum: count(formLimits.choices + 1) }, 'size'],
    [
      `has a choice of more than ${formLimits.choice} characters`,
      { type: 'string', enum: [long(formLimits.choice + 1)] },
      'size',
    ],
    [
      `has a choice of more than ${formLimits.choice} characters`,
      { type: 'string', oneOf: [{ const: 'a', title: long(formLimits.choice + 1) }] },
      'size',
    ],
    ['is a list without choices; a form knows lists of fixed choices only', { type: 'array' }, 'items'],
    ['is a list without choices; a form knows lists of fixed choices only', { type: 'array', items: [] }, 'items'],
    ['is a list of something other than fixed choices', list({ type: 'string' }), 'items'],
    ['is a list of something other than fixed choices', list({ type: 'number', enum: ['a'] }), 'items'],
    ['is a list of something other than fixed choices', list({ enum: ['a'], minLength: 1 }), 'items'],
    ['is a list of something other than fixed choices', list({ anyOf: oneOf, oneOf }), 'items'],
    ["has a broken 'uniqueItems'", list({ enum: ['a'] }, { uniqueItems: 'yes' }), 'uniqueItems'],
    ['needs 2 of 1 choice', list({ enum: ['a'] }, { minItems: 2 }), 'minItems'],
    ["has 'minItems' above 'maxItems'", list({ enum: ['a', 'b'] }, { minItems: 2, maxItems: 1 }), 'minItems'],
  ])('a property is refused, since it %s', (words, property, rule) => {
    expect(read(property)).toEqual({
      ok: false,
      problems: [{ field: 'here', rule, message: `'here' ${words}.` }],
    });
  });
});

describe('a property is taken at the edge of what it may be:', () => {
  it.each<[string, object, object]>([
    ['a title', { type: 'string', title: long(formLimits.title) }, { title: long(formLimits.title) }],
    ['a pattern', { type: 'string', pattern: longClass }, { pattern: longClass }],
    ['bounds that meet', { type: 'string', minLength: 0, maxLength: 0 }, { minLength: 0, maxLength: 0 }],
    ['one number', { type: 'number', minimum: 1.5, maximum: 1.5 }, { integer: false, minimum: 1.5, maximum: 1.5 }],
    [
      'one whole number',
      { type: 'integer', minimum: 0.5, maximum: 1.5 },
      { integer: true, minimum: 0.5, maximum: 1.5 },
    ],
    ['as many choices as may be', { type: 'string', enum: count(formLimits.choices) }, { kind: 'select' }],
    [
      'a choice as long as may be',
      { type: 'string', enum: [long(formLimits.choice)] },
      { choices: [{ value: long(formLimits.choice), title: long(formLimits.choice) }] },
    ],
    [
      'a choice with an empty title',
      { type: 'string', oneOf: [{ const: 'a', title: '' }] },
      { choices: [{ value: 'a', title: 'a' }] },
    ],
    ['titled choices of a list', list({ oneOf }), { kind: 'multi-select', choices: [{ value: 'a', title: 'Aye' }] }],
    [
      'all choices of a list',
      list({ type: 'string', enum: ['a', 'b'] }, { minItems: 2, uniqueItems: true }),
      { minItems: 2 },
    ],
  ])('a property is taken at the edge of what it may be: %s', (_, property, expected) => {
    const result = read(property);
    expect(result).toMatchObject({ ok: true, notes: [], fields: [expected] });
    const [field] = result.ok ? result.fields : [];
    for (const key of ['title', 'description', 'format', 'default'])
      if (!Object.hasOwn(property, key)) expect(field).not.toHaveProperty(key);
  });
});

describe('a property is taken, and noted, where it', () => {
  it.each<[string, object, string, object]>([
    [
      'offers the same choice twice',
      { type: 'string', enum: ['a', 'a'] },
      'enum',
      { choices: [{ value: 'a', title: 'a' }] },
    ],
    [
      'has titles that do not match its choices',
      { type: 'string', enum: ['a'], enumNames: ['Aye', 'Bee'] },
      'enumNames',
      { choices: [{ value: 'a', title: 'Aye' }] },
    ],
    [
      'has titles that do not match its choices',
      { type: 'string', enum: ['a'], enumNames: 'Aye' },
      'enumNames',
      { choices: [{ value: 'a', title: 'a' }] },
    ],
    [
      'has a pattern with lookaround, backreferences or too many states, which is not checked here',
      { type: 'string', pattern: '(?=a)a' },
      'pattern',
      { uncheckedPattern: '(?=a)a' },
    ],
    [
      'has a default that does not fit: is too long',
      { type: 'string', default: long(formLimits.default + 1) },
      'default',
      { kind: 'text' },
    ],
  ])('a property is taken, and noted, where it %s', (words, property, rule, expected) => {
    const result = read(property);
    expect(result).toMatchObject({
      ok: true,
      fields: [expected],
      notes: [{ field: 'here', rule, message: `'here' ${words}.` }],
    });
    expect(result.ok && result.fields[0]).not.toHaveProperty('default');
  });

  it('a default that is as long as may be is taken without a note', () => {
    const text = long(formLimits.default);
    expect(read({ type: 'string', default: text })).toMatchObject({ ok: true, notes: [], fields: [{ default: text }] });
  });

  it('a default that is a list is copied', () => {
    const given = ['a'];
    const result = read(list({ enum: ['a', 'b'] }, { default: given }));
    expect(result).toMatchObject({ ok: true, fields: [{ default: ['a'] }] });
    given.push('b');
    expect(result).toMatchObject({ fields: [{ default: ['a'] }] });
  });
});
