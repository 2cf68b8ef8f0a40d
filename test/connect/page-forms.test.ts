/** Forms richer than the flat schema, apart from any page: what a definition may be, how it is shown, and how a posting is read. */
import { formKindOf, formPage } from '@midcall/server/connect';
import { describe, expect, it } from 'vitest';
import { fieldOf, type Items, itemOf } from '../../packages/server/src/connect/forms/item.ts';
import { defaults, readItems } from '../../packages/server/src/connect/forms/read.ts';
import { formStep, formView } from '../../packages/server/src/connect/forms/step.ts';
import { itemFields } from '../../packages/server/src/connect/forms/view.ts';

const text = { kind: 'text', label: 'Name' } as const;
const sent = (values: Readonly<Record<string, string | readonly string[]>>) =>
  new Map(Object.entries(values).map(([name, value]) => [name, [value].flat()]));
const drawn = (items: Items, values = {}, issues: Readonly<Record<string, string>> = {}) =>
  String(itemFields(items, sent(values), new Map(Object.entries(issues))));

describe('a definition', () => {
  const nested = (depth: number): Items =>
    depth === 0 ? { name: text } : { in: { kind: 'group', label: 'In', items: nested(depth - 1) } };

  it.each<[string, unknown, string]>([
    ['no question', {}, 'Form: it asks nothing.'],
    ['a group without questions', { who: { kind: 'group', label: 'Who', items: {} } }, "Form: 'who' asks nothing."],
    ['a name with a space', { 'a b': text }, "Form: 'a b' is not a valid name: use letters, digits, - and _."],
    ['a name that means something to objects', { constructor: text }, "Form: 'constructor' is not a valid name"],
    [
      'a wrong name in a list',
      { who: { kind: 'list', label: 'Who', items: { '1': text } } },
      "Form: 'who.1' is not a valid name",
    ],
    ['no label', { name: { kind: 'text', label: '' } }, "Form: 'name' has no label."],
    ['a label that is no text', { name: { kind: 'text', label: 4 } }, "Form: 'name' has no label."],
    ['no such kind', { name: { kind: 'colour', label: 'Colour' } }, "Form: 'name' has no known kind."],
    ['no choice', { way: { kind: 'select', label: 'Way', choices: [] } }, "Form: 'way' needs 1 to "],
    [
      'a condition on a later question',
      { name: { ...text, when: { field: 'sure', is: true } }, sure: { kind: 'boolean', label: 'Sure' } },
      "Form: 'name' depends on a question that is not a select or boolean before it in the same group.",
    ],
    ['a condition on a text', { a: text, b: { ...text, when: { field: 'a', is: 'x' } } }, "Form: 'b' depends on"],
    ['five groups in each other', nested(5), "Form: 'in.in.in.in.in' lies deeper than 4 groups."],
    ['a label of a megabyte', { name: { kind: 'text', label: 'x'.repeat(1_048_576) } }, 'Form: it is larger than'],
  ])('a definition is refused where it has %s', (_, items, says) => {
    expect(() => formPage({ title: 'Form', items: items as Items })).toThrow(says);
  });

  it('a definition may have four groups in each other, and questions that depend on a choice or a yes', () => {
    const items: Items = {
      ...nested(4),
      way: { kind: 'select', label: 'Way', choices: ['train'] },
      sure: { kind: 'boolean', label: 'Sure' },
      a: { ...text, when: { field: 'way', is: 'train' } },
      b: { ...text, when: { field: 'sure', is: true } },
    };
    expect(() => formPage({ title: 'Form', items })).not.toThrow();
  });

  it('a definition is an object of questions, for a page and for a kind', () => {
    expect(() => formPage({ title: 'Form', items: [text] as never })).toThrow('items must be an object of questions');
    expect(() => formKindOf({ name: 'own', title: 'Form', items: null as never })).toThrow('items must be an object');
    expect(() => formKindOf({ name: 'own', title: 'Form', items: { name: text }, assurance: 'high' as never })).toThrow(
      "assurance must be 'relayed', 'in-band', 'out-of-band' or 'verified'",
    );
  });

  it.each<[string, Parameters<typeof itemOf>[0], object]>([
    [
      'a text',
      { name: 'it', kind: 'text', required: true, title: 'It', format: 'email', minLength: 2, default: 'a@b.example' },
      { kind: 'text', label: 'It', required: true, format: 'email', minLength: 2, default: 'a@b.example' },
    ],
    [
      'a time, which no input of a page takes as the form does',
      { name: 'it', kind: 'text', required: false, description: 'When', format: 'date-time' },
      { kind: 'text', label: 'It', required: false, help: 'When' },
    ],
    [
      'a number',
      { name: 'it', kind: 'number', required: true, integer: true, minimum: 1, maximum: 9, default: 3 },
      { kind: 'number', label: 'It', required: true, integer: true, minimum: 1, maximum: 9, default: 3 },
    ],
    [
      'yes or no',
      { name: 'it', kind: 'boolean', required: true, default: false },
      { kind: 'boolean', label: 'It', required: true, default: false },
    ],
  ])('a definition is made of a field of a flat form, and judged as that field: %s', (_, field, item) => {
    expect(itemOf(field)).toEqual(item);
    const { default: _default, format, title: _title, ...rest } = { ...field } as Record<string, unknown>;
    expect(fieldOf('it', itemOf(field))).toEqual({
      ...rest,
      title: 'It',
      ...(format !== undefined && format !== 'date-time' && { format }),
    });
  });
});

const party: Items = {
  sure: { kind: 'boolean', label: 'Sure', default: true },
  why: { kind: 'text', label: 'Why', when: { field: 'sure', is: false } },
  people: {
    kind: 'list',
    label: 'Person',
    min: 1,
    max: 3,
    items: {
      name: { kind: 'text', label: 'Name', default: 'Ada' },
      age: { kind: 'number', label: 'Age', required: false },
    },
  },
  way: { kind: 'group', label: 'Way', items: { by: { kind: 'select', label: 'By', choices: ['train', 'ship'] } } },
};

describe('a posting', () => {
  it('a posting is read question by question, groups and lists with what is in them', () => {
    const { value, issues, applied } = readItems(
      party,
      sent({
        sure: 'true',
        'people.count': '2',
        'people.0.name': 'Ada',
        'people.1.name': 'Bob',
        'people.1.age': '7',
        'way.by': 'ship',
        other: 'x',
      }),
    );
    expect(value).toEqual({ sure: true, people: [{ name: 'Ada' }, { name: 'Bob', age: 7 }], way: { by: 'ship' } });
    expect([...issues]).toEqual([]);
    expect(applied).toEqual([
      'sure',
      'people',
      'people.0.name',
      'people.0.age',
      'people.1.name',
      'people.1.age',
      'way',
      'way.by',
    ]);
  });

  it('a posting has what is wrong by the path of its question, and reads no question that does not apply', () => {
    const wrong = readItems(party, sent({ sure: 'false', 'people.count': '0', 'way.by': 'plane' }));
    expect([...wrong.issues.keys()]).toEqual(['why', 'people', 'way.by']);
    expect(wrong.issues.get('people')).toBe('Person needs at least 1 entry.');
    expect(readItems(party, sent({ sure: 'true', why: 'because' })).value).not.toHaveProperty('why');
  });

  it.each([
    ['9', 3],
    ['-1', 0],
    ['1.5', 1],
    ['many', 1],
  ])('a posting has as many entries as a list may have, whatever it says: %s', (count, entries) => {
    expect(readItems(party, sent({ 'people.count': count })).value['people']).toHaveLength(entries);
  });

  it('a posting begins with the defaults, in groups and in the entries that a list must have', () => {
    const items: Items = {
      ...party,
      many: { kind: 'multi-select', label: 'Many', choices: ['a', 'b', 'c'], default: ['a', 'c'] },
      in: { kind: 'group', label: 'In', items: { count: { kind: 'number', label: 'Count', default: 4 } } },
    };
    expect(defaults(items)).toEqual(sent({ sure: 'true', 'people.0.name': 'Ada', many: ['a', 'c'], 'in.count': '4' }));
  });
});

describe('a sent form', () => {
  const words = { title: 'Party', send: 'Send' };
  const full = { sure: 'true', 'people.count': '2', 'people.0.name': 'Ada', 'people.1.name': 'Bob', 'way.by': 'ship' };
  const shown = (values: object) =>
    /name="items-shown" value="([^"]+)"/.exec(String(formView(party, words, sent({ ...values })).body))![1]!;
  const step = (values: Readonly<Record<string, string>>) => {
    const after = formStep(party, words, sent({ 'items-shown': shown(values), ...values }));
    return 'again' in after ? { problem: after.again.problem, body: String(after.again.body) } : { value: after.value };
  };

  it('a sent form is its value where everything fits what was shown', () => {
    expect(step(full)).toEqual({
      value: { sure: true, people: [{ name: 'Ada' }, { name: 'Bob' }], way: { by: 'ship' } },
    });
  });

  it('a sent form is shown again with how many answers do not fit', () => {
    expect(step({ ...full, 'way.by': 'plane' }).problem).toBe('One answer does not fit yet.');
    expect(step({ ...full, 'way.by': 'plane', 'people.0.name': '' }).problem).toBe('2 answers do not fit yet.');
  });

  it('a sent form is shown again where an answer changes what is asked', () => {
    const changed = step({ ...full, sure: 'false', 'items-shown': shown(full) });
    expect(changed.problem).toBe('Your answers change what is asked. Please look again and send.');
    expect(changed.body).toContain('name="why"');
  });

  it('a sent form has an entry more or less where the person asked for it, and is not judged then', () => {
    const more = step({ ...full, do: 'add:people' });
    expect(more.problem).toBeUndefined();
    expect(more.body).toContain('name="people.count" value="3"');
    const less = step({ ...full, do: 'remove:people:0' });
    expect(less.body).toContain('name="people.count" value="1"');
    expect(less.body).toContain('value="Bob"');
    expect(less.body).not.toContain('value="Ada"');
  });

  it.each(['add:sure', 'add:way', 'add:other', 'add:people.0', 'remove', 'add'])(
    'a sent form changes no list where there is none: %s',
    action => {
      expect(step({ ...full, do: action })).toHaveProperty('value');
    },
  );

  it('a sent form reaches a list in an entry of another', () => {
    const inner = { kind: 'list', label: 'Bag', items: { weight: { kind: 'number', label: 'Weight' } } } as const;
    const items: Items = { people: { kind: 'list', label: 'Person', items: { bags: inner } } };
    const after = formStep(items, words, sent({ 'people.count': '2', do: 'add:people.1.bags' }));
    expect('again' in after && String(after.again.body)).toContain('name="people.1.bags.count" value="1"');
  });
});

describe('a form on a page', () => {
  it('a form on a page lets entries be added up to the most, and removed down to the least', () => {
    expect(drawn(party, { 'people.count': '1' })).toMatch(/^(?!.*remove:people)(?=.*add:people)/s);
    expect(drawn(party, { 'people.count': '2' })).toMatch(
      /(?=.*remove:people:0)(?=.*remove:people:1)(?=.*add:people)/s,
    );
    expect(drawn(party, { 'people.count': '3' })).toMatch(/^(?!.*add:people)(?=.*remove:people:2)/s);
  });

  it('a form on a page says of each question which are optional, what helps, and what is wrong with it', () => {
    const items: Items = {
      name: { ...text, help: 'As in the passport.' },
      nick: { ...text, required: false },
      sure: { kind: 'boolean', label: 'Sure', required: false },
      many: { kind: 'multi-select', label: 'Many', choices: ['a'] },
      way: { kind: 'select', label: 'Way', choices: ['train', 'ship'] },
    };
    const page = drawn(items, { way: 'ship' }, { name: 'Too short.', sure: 'Say it.' });
    const line = (name: string) => new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(page)![0];
    expect(line('name')).toMatch(/(?=.* required)(?=.*aria-describedby="h-name e-name")(?=.*aria-invalid="true")/);
    expect(line('nick')).toMatch(/^(?!.* required)(?!.*aria-)/);
    expect(page).toContain('id="h-name">As in the passport.<');
    expect(page).toContain('id="e-name">Too short.<');
    expect(page.match(/class="need">optional</g)).toHaveLength(2);
    expect(page).toContain('<fieldset class="field" aria-describedby="e-sure">');
    expect(page).toContain('<fieldset class="field"><legend>Many');
    expect(line('sure')).not.toContain(' required');
    expect(line('many')).not.toContain(' required');
    expect(
      page.match(/<input[^>]*name="way"[^>]*>/g)!.map(each => [/ required/.test(each), / checked/.test(each)]),
    ).toEqual([
      [true, false],
      [true, true],
    ]);
  });
});
