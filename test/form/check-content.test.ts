import { type AskedField, checkContent, type Field, labelOf } from '@midcall/core/form';
import { describe, expect, it } from 'vitest';
import { isDate, isDateTime, isEmail, isUri } from '../../packages/core/src/form/format.ts';

const text = (rules: object = {}): Field => ({ kind: 'text', name: 'name', required: true, ...rules });
const number = (rules: object = {}): Field => ({
  kind: 'number',
  name: 'pages',
  integer: false,
  required: true,
  ...rules,
});
const choices = ['a', 'b', 'c'].map(value => ({ value, title: value.toUpperCase() }));
const many = (rules: object = {}): Field => ({ kind: 'multi-select', name: 'tags', choices, required: true, ...rules });

describe('one value against its field', () => {
  it.each<[string, Field, unknown, string | undefined, string?]>([
    ['text', text(), 'x', undefined],
    ['empty text', text(), '', undefined],
    ['no text', text(), 3, 'type', 'Name must be text.'],
    ['null', text(), null, 'required'],
    ['too short', text({ minLength: 2 }), 'x', 'minLength', 'Name must have at least 2 characters.'],
    ['too short in code points', text({ minLength: 2 }), '😀', 'minLength'],
    ['long enough in code points', text({ minLength: 2 }), '😀😀', undefined],
    ['short enough in code points', text({ maxLength: 2 }), '😀😀', undefined],
    ['too long in code points', text({ maxLength: 1 }), '😀😀', 'maxLength', 'Name must have at most 1 character.'],
    ['too long by one letter', text({ maxLength: 3 }), 'xxxx', 'maxLength'],
    ['much too long', text({ maxLength: 1 }), 'xxxx', 'maxLength'],
    ['format', text({ format: 'email' }), 'x', 'format', 'Name must be an e-mail address, such as ada@example.com.'],
    ['pattern', text({ pattern: '^a$' }), 'b', 'pattern', 'Name must match the pattern ^a$.'],
    ['elicit-form-13: number', number(), 2.5, undefined],
    ['elicit-form-13: no number as text', number(), 'two', 'type', 'Pages must be a number.'],
    ['a number of another base', number(), '0x10', 'type'],
    ['an amount with a comma', number(), '1,5', 'type'],
    ['NaN', number(), Number.NaN, 'type'],
    ['infinity', number(), Number.POSITIVE_INFINITY, 'type'],
    ['elicit-form-13: whole', number({ integer: true }), 3, undefined],
    ['elicit-form-13: not whole', number({ integer: true }), 3.5, 'type', 'Pages must be a whole number.'],
    ['past 2^53', number({ integer: true }), 2 ** 53, 'type'],
    ['elicit-form-13: too small', number({ minimum: 1 }), 0, 'minimum', 'Pages must be at least 1.'],
    ['elicit-form-13: just enough', number({ minimum: 1, maximum: 1 }), 1, undefined],
    ['elicit-form-13: too large', number({ maximum: 1 }), 2, 'maximum', 'Pages must be at most 1.'],
    ['elicit-form-14: yes', { kind: 'boolean', name: 'ok', required: true }, true, undefined],
    [
      'elicit-form-14: yes in other words',
      { kind: 'boolean', name: 'ok', required: true },
      'yes',
      'type',
      'Ok must be yes or no.',
    ],
    ['elicit-form-15: one choice', { kind: 'select', name: 'c', choices, required: true }, 'a', undefined],
    [
      'elicit-form-16: its title',
      { kind: 'select', name: 'c', choices, required: true },
      'A',
      'enum',
      'C must be one of the choices.',
    ],
    [
      'elicit-form-15: no choice',
      { kind: 'select', name: 'c', choices, required: true },
      ['a'],
      'type',
      'C must be one of the choices.',
    ],
    ['elicit-form-17: choices', many(), ['c', 'a'], undefined],
    ['none', many(), [], undefined],
    ['twice', many(), ['a', 'a'], 'uniqueItems', 'Tags must not contain a choice twice.'],
    ['an unknown one', many(), ['a', 'x'], 'enum', 'Tags must contain only the choices offered.'],
    ['one that is no text', many(), [1], 'enum'],
    ['more than there are', many(), ['a', 'b', 'c', 'x'], 'enum'],
    ['elicit-form-17: too few', many({ minItems: 1 }), [], 'minItems', 'Tags needs at least 1 choice.'],
    ['elicit-form-17: too many', many({ maxItems: 1 }), ['a', 'b'], 'maxItems', 'Tags takes at most 1 choice.'],
    ['no list', many(), 'x', 'type', 'Tags must be a list of choices.'],
  ])('a value is judged by its field: %s', (_, field, value, rule, message) => {
    const checked = checkContent([field], { [field.name]: value });
    if (rule === undefined) expect(checked).toEqual({ ok: true, content: { [field.name]: value } });
    else {
      expect(checked).toMatchObject({ ok: false, issues: [{ field: field.name, rule }] });
      if (message !== undefined && !checked.ok) expect(checked.issues[0]!.message).toBe(message);
    }
  });
});

describe('content as a whole', () => {
  const fields: readonly Field[] = [text(), { kind: 'boolean', name: 'ok', required: false }];

  it('an accept without content misses what is required, and is fine where nothing is', () => {
    expect(checkContent(fields, undefined)).toEqual({
      ok: false,
      issues: [{ field: 'name', rule: 'required', message: 'Name is required.' }],
    });
    for (const nothing of [undefined, null])
      expect(checkContent([fields[1]!], nothing)).toEqual({ ok: true, content: {} });
  });

  it.each([[[]], ['x'], [7], [true]])('%j is no content', content => {
    expect(checkContent(fields, content)).toMatchObject({ ok: false, issues: [{ rule: 'type' }] });
  });

  it('content-C1: only own properties count, and no name reaches the prototype', () => {
    const inherited = Object.create({ name: 'x' });
    expect(checkContent(fields, inherited)).toMatchObject({ ok: false, issues: [{ field: 'name', rule: 'required' }] });
    const hostile = JSON.parse('{"name":"x","__proto__":{"ok":true},"constructor":1}');
    expect(checkContent(fields, hostile)).toEqual({
      ok: true,
      content: { name: 'x' },
      leftOut: ['__proto__', 'constructor'],
    });
    expect(({} as { ok?: boolean }).ok).toBeUndefined();
    expect(checkContent([], { toString: 1 })).toEqual({ ok: true, content: {}, leftOut: ['toString'] });
  });

  it('a field left undefined is not answered, and a member that was not asked for is left out and named', () => {
    expect(checkContent(fields, { name: 'x', ok: undefined, other: 1 })).toEqual({
      ok: true,
      content: { name: 'x' },
      leftOut: ['other'],
    });
    expect(checkContent(fields, { name: undefined, other: 1 })).toEqual({
      ok: false,
      issues: [{ field: 'name', rule: 'required', message: 'Name is required.' }],
    });
  });

  it('content that is no object is told so, and a long pattern is shown in part', () => {
    expect(checkContent(fields, 'x')).toMatchObject({
      issues: [{ message: 'The answer must be an object with one value per field.' }],
    });
    expect(checkContent([text({ pattern: `^${'a'.repeat(300)}$` })], { name: 'b' })).toMatchObject({
      issues: [{ message: `Name must match the pattern ^${'a'.repeat(198)}….` }],
    });
  });

  it('names that were left out are listed, but not without end', () => {
    const content = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`${'x'.repeat(200)}${i}`, i]));
    const checked = checkContent([], content);
    if (!checked.ok) throw new Error('refused');
    expect(checked.leftOut).toHaveLength(20);
    expect(checked.leftOut![0]).toBe(`${'x'.repeat(80)}…`);
  });

  it('content-C3: every field is judged, in order', () => {
    const checked = checkContent([text({ minLength: 2 }), number({ minimum: 1 }), many()], {
      tags: ['x'],
      pages: 0,
      name: '',
    });
    expect(!checked.ok && checked.issues.map(issue => issue.rule)).toEqual(['minLength', 'minimum', 'enum']);
  });

  it('content-C4: content that comes back is new, and in the order of the fields', () => {
    const given = { tags: ['a'], name: 'x' };
    const checked = checkContent([text(), many()], given);
    if (!checked.ok) throw new Error('refused');
    expect(Object.keys(checked.content)).toEqual(['name', 'tags']);
    expect(checked.content['tags']).not.toBe(given.tags);
  });
});

describe('content-C2: an answer means what its sender means', () => {
  const optional = <F extends Field>(field: F): F => ({ ...field, required: false });
  const ok: Field = { kind: 'boolean', name: 'ok', required: true };
  const one: Field = { kind: 'select', name: 'c', choices, required: true };

  it.each<[string, Field, unknown, unknown]>([
    ['a number as text', number(), ' 2.5 ', 2.5],
    ['a whole number as text', number({ integer: true }), '42', 42],
    ['yes as text', ok, 'true', true],
    ['no as Python spells it', ok, 'False', false],
    ['one choice for a list', many(), 'b', ['b']],
    ['a number for a choice that is spelled like it', { ...one, choices: [{ value: '1', title: 'One' }] }, 1, '1'],
    ['an empty text where the schema allows it', optional(text()), '', ''],
    ['an empty choice where there is one', { ...one, choices: [{ value: '', title: 'None' }] }, '', ''],
  ])('%s is read as what it means', (_, field, value, meant) => {
    expect(checkContent([field], { [field.name]: value })).toEqual({ ok: true, content: { [field.name]: meant } });
  });

  it.each<[string, Field]>([
    ['a date', text({ format: 'date' })],
    ['a text with a least length', text({ minLength: 1 })],
    ['a text with a pattern', text({ pattern: '^a$' })],
    ['a number', number()],
    ['a yes or no', ok],
    ['a choice', one],
    ['a list', many()],
  ])('null and an empty text leave an optional field unanswered, and a required one lacking: %s', (_, field) => {
    for (const nothing of [null, '']) {
      expect(checkContent([optional(field)], { [field.name]: nothing })).toEqual({ ok: true, content: {} });
      expect(checkContent([field], { [field.name]: nothing }).ok).toBe(false);
    }
  });

  it('an answer with two readings is not read', () => {
    const twice = [
      { value: 1, title: 'One' },
      { value: '1', title: 'Eins' },
    ];
    const field: AskedField = { kind: 'select', name: 'c', required: true, choices: twice };
    expect(checkContent([field], { c: '1' })).toEqual({ ok: true, content: { c: '1' } });
    expect(checkContent([field], { c: 1 })).toEqual({ ok: true, content: { c: 1 } });
    expect(checkContent([{ ...field, choices: [...twice, { value: true, title: 'Yes' }] }], { c: 'yes' }).ok).toBe(
      false,
    );
  });
});

describe('elicit-form-12: formats', () => {
  const formats: readonly [is: (text: string) => boolean, text: string, expected: boolean, name?: string][] = [
    [isDate, '2026-02-28', true],
    [isDate, '2024-02-29', true],
    [isDate, '2000-02-29', true],
    [isDate, '1900-02-29', false],
    [isDate, '2025-02-29', false],
    [isDate, '2025-02-30', false],
    [isDate, '2025-04-31', false],
    [isDate, '2025-13-01', false],
    [isDate, '2025-00-01', false],
    [isDate, '2025-01-00', false],
    [isDate, '2025-1-1', false],
    [isDate, '2025-01-01\n', false],
    [isDate, '٢٠٢٥-٠١-٠١', false],
    [isDateTime, '2026-02-28T18:30:00Z', true],
    [isDateTime, '2026-02-28t18:30:00.123z', true],
    [isDateTime, '2026-02-28T18:30:00+02:00', true],
    [isDateTime, '2026-02-28T18:30:00', false],
    [isDateTime, '2026-02-28 18:30:00Z', false],
    [isDateTime, '2026-02-28T18:30Z', false],
    [isDateTime, '2026-02-30T18:30:00Z', false],
    [isDateTime, '2026-02-28T24:00:00Z', false],
    [isDateTime, '2026-02-28T18:60:00Z', false],
    [isDateTime, '2026-02-28T18:30:00+24:00', false],
    [isDateTime, '1998-12-31T23:59:60Z', true],
    [isDateTime, '1998-12-31T15:59:60-08:00', true],
    [isDateTime, '1998-12-31T22:59:60Z', false],
    [isDateTime, `2026-02-28T18:30:00.${'1'.repeat(200)}Z`, false, 'a second with 200 digits'],
    [isEmail, 'ada@example.com', true],
    [isEmail, 'ada.l+tag@mail.example.co.uk', true],
    [isEmail, "o'brien@example.ie", true],
    [isEmail, 'ada@例え.jp', true],
    [isEmail, 'ada@localhost', false],
    [isEmail, 'ada@@example.com', false],
    [isEmail, '.ada@example.com', false],
    [isEmail, 'ada..l@example.com', false],
    [isEmail, 'ada@example..com', false],
    [isEmail, 'ada@-example.com', false],
    [isEmail, 'ada @example.com', false],
    [isEmail, 'ada\u200b@example.com', false],
    [isEmail, 'ada@example.com\n', false],
    [isEmail, '@example.com', false],
    [isEmail, `${'a'.repeat(65)}@example.com`, false, '65 letters before the at sign'],
    [isEmail, `a@${'b.'.repeat(130)}com`, false, '130 labels after the at sign'],
    [isUri, 'https://example.com/a?b=c#d', true],
    [isUri, 'http://localhost:8080', true],
    [isUri, 'mailto:ada@example.com', true],
    [isUri, 'urn:isbn:0451450523', true],
    [isUri, 'https://[::1]/', true],
    [isUri, 'example.com', false],
    [isUri, '/path', false],
    [isUri, 'https:', false],
    [isUri, 'https://', false],
    [isUri, 'https:/example.com', false],
    [isUri, 'https://exa mple.com', false],
    [isUri, 'https://例え.jp/', false],
    [isUri, 'https://example.com/%zz', false],
    [isUri, 'https://example.com:99999/', false],
    [isUri, ' https://example.com', false],
  ];
  it.each(
    formats.map(([is, text, expected, name = JSON.stringify(text)]) => ({ format: is.name, is, text, expected, name })),
  )('$format of $name is $expected', ({ is, text, expected }) => {
    expect(is(text)).toBe(expected);
  });

  it('content-C3: hostile texts of a megabyte are judged at once', () => {
    for (const is of [isDate, isDateTime, isEmail, isUri]) {
      for (const unit of ['a', 'a.', 'a@', '%', '%2', 'http:', '-', '😀'])
        expect(typeof is(unit.repeat(500_000))).toBe('boolean');
    }
  });
});

describe('labels', () => {
  it.each([
    ['note_id', undefined, 'Note id'],
    ['maxPages', undefined, 'Max pages'],
    ['pages', undefined, 'Pages'],
    ['two-words.here', undefined, 'Two words here'],
    ['x', '  Title  ', 'Title'],
    ['x', '   ', 'X'],
    ['___', undefined, '___'],
  ])('%s, titled %s, is called %s', (name, title, label) => {
    expect(labelOf({ name, ...(title !== undefined && { title }) })).toBe(label);
  });

  it('a title of 100 letters is cut to 80', () => {
    expect(labelOf({ name: 'x', title: 'y'.repeat(100) })).toBe(`${'y'.repeat(79)}…`);
  });
});

describe('content-C3: patterns have a number of steps for the whole answer', () => {
  const costly = (name: string): Field => ({
    kind: 'text',
    name,
    required: true,
    pattern: `^(?:${'a?'.repeat(200)})*b$`,
  });
  const names = Array.from({ length: 20 }, (_, at) => `f${at}`);
  const answer = Object.fromEntries(names.map(name => [name, 'a'.repeat(1_000)]));

  it('what the steps of an answer do not suffice for is refused as unchecked, never taken as right', () => {
    const checked = checkContent(names.map(costly), answer);
    if (checked.ok) throw new Error('accepted');
    expect(checked.issues.map(({ rule }) => rule)).toEqual(Array(20).fill('pattern'));
    const said = checked.issues.map(({ message }) => message.includes('takes too long to check'));
    expect(said[0]).toBe(false);
    expect(said.at(-1)).toBe(true);
    expect(said).toEqual([...said].sort());
    expect(checked.issues.at(-1)!.message).toMatch(
      /^F19 takes too long to check against the pattern .*: give a shorter text\.$/,
    );
  });

  it('short answers to the same form are judged', () => {
    const checked = checkContent(names.map(costly), Object.fromEntries(names.map(name => [name, 'aab'])));
    expect(checked.ok).toBe(true);
  });
});
