/** The forms of a wizard, apart from any call: what is refused, which apply, and how an answer is told on one line. */
import { describe, expect, it } from 'vitest';
import { readWizard } from '../../../packages/server/src/questions/wizard.ts';
import {
  applying,
  contentsOf,
  type FormAnswers,
  summary,
} from '../../../packages/server/src/questions/wizard-forms.ts';
import type { WizardAsk, WizardForms } from '../../../packages/server/src/request/wizard-ask.ts';

const flag = { type: 'object', properties: { yes: { type: 'boolean', title: 'Sure' } } };
const loose = (ask: unknown) => readWizard(ask as WizardAsk<WizardForms>);
const trip = (over: object = {}) =>
  loose({
    message: 'Plan a trip',
    forms: {
      way: {
        title: 'How',
        form: {
          type: 'object',
          properties: {
            by: { type: 'string', title: 'By', enum: ['train', 'ship'] },
            back: { type: 'boolean', title: 'And back' },
            extras: { type: 'array', title: 'With', items: { type: 'string', enum: ['meal', 'bed', 'bike'] } },
          },
        },
      },
      cabin: { title: 'Cabin', form: flag, when: { form: 'way', field: 'by', is: 'ship' } },
      deck: { title: 'Deck', form: flag, when: { form: 'cabin', field: 'yes', is: true } },
      rest: { title: 'Rest', form: flag, when: { form: 'way', field: 'extras', is: ['bed', 'bike'] } },
      name: { title: 'Seat', form: flag, when: { form: 'way', field: 'by', is: ['train', 'bus'] } },
    },
    ...over,
  });
const given = (answers: Readonly<Record<string, object>>): FormAnswers =>
  new Map(Object.entries(answers).map(([name, typed]) => [name, { typed: { ...typed }, content: { of: name } }]));
const asked = (answers: Readonly<Record<string, object>>) => applying(trip(), given(answers)).map(({ name }) => name);

describe('the forms of a wizard', () => {
  it('the forms of a wizard are asked where their condition holds: a value, one of several, or a list with one of several', () => {
    expect(asked({})).toEqual(['way']);
    expect(asked({ way: { by: 'ship' } })).toEqual(['way', 'cabin']);
    expect(asked({ way: { by: 'train' } })).toEqual(['way', 'name']);
    expect(asked({ way: { extras: ['meal'] } })).toEqual(['way']);
    expect(asked({ way: { extras: ['meal', 'bike'] } })).toEqual(['way', 'rest']);
  });

  it('the forms of a wizard are not asked on a form that is not asked itself, whatever was answered there before', () => {
    expect(asked({ way: { by: 'ship' }, cabin: { yes: true } })).toEqual(['way', 'cabin', 'deck']);
    expect(asked({ way: { by: 'train' }, cabin: { yes: true } })).toEqual(['way', 'name']);
  });

  it('the forms of a wizard reach the handler where they were answered, and no others', () => {
    expect(contentsOf(trip(), given({ way: {}, rest: {} }))).toEqual({ way: { of: 'way' }, rest: { of: 'rest' } });
  });

  it.each([
    ['a message of blanks', { message: ' ' }, /message must be a text of 1 to 1000 characters/],
    ['a message too long', { message: 'm'.repeat(1_001) }, /message must be a text of 1 to 1000 characters/],
    ['no form', { forms: {} }, /forms must be an object of 1 to 50 forms/],
    ['a title too long', { forms: { a: { title: 't'.repeat(81), form: flag } } }, /a: title must be a text of 1 to 80/],
    ['no question in a form', { forms: { a: { title: 'A' } } }, /a: form is missing/],
    [
      'a check for no form',
      { validate: { other: () => undefined } },
      /validate has 'other', which is not a form of this wizard/,
    ],
    ['a check that is none', { validate: { way: 'yes' } }, /validate must be an object: \{ dates: /],
    [
      'a condition on a number',
      { forms: { a: { title: 'A', form: flag, when: { form: 'b', field: 'c', is: 4 } } } },
      /is must be a string, true or false, or a list of strings/,
    ],
    [
      'a condition on a list of numbers',
      { forms: { a: { title: 'A', form: flag, when: { form: 'b', field: 'c', is: [4] } } } },
      /is must be a string, true or false, or a list of strings/,
    ],
  ])('the forms of a wizard are refused as a slip of the author: %s', (_, over, says) => {
    const ask = { message: 'Plan', forms: { way: { title: 'Way', form: flag } }, ...over };
    expect(() => loose(ask)).toThrow(TypeError);
    expect(() => loose(ask)).toThrow(says);
  });

  it.each([
    ['1st', 'begins with a digit'],
    ['a b', 'has a space'],
    ['a'.repeat(33), 'is too long'],
  ])('the forms of a wizard have names that a field can have: not "%s", which %s', name => {
    expect(() => trip({ forms: { [name]: { title: 'A', form: flag } } })).toThrow(
      `The name of a form must be 1 to 32 letters, digits, dashes and underscores, beginning with a letter; got '${name}'.`,
    );
  });

  it('a form of a wizard may depend only on a field of a form before it', () => {
    for (const when of [
      { form: 'later', field: 'yes', is: true },
      { form: 'first', field: 'no', is: true },
    ]) {
      const first = { title: 'First', form: flag };
      const forms = { first, own: { title: 'Own', form: flag, when }, later: first };
      expect(() => trip({ forms })).toThrow(
        `'own' is asked when '${when.form}.${when.field}' has a value, but no form before it has that field.`,
      );
    }
  });
});

describe('an answer on one line', () => {
  const [way] = trip();
  const line = (typed: Readonly<Record<string, unknown>>, form = way!) => summary(form, { typed, content: undefined });

  it('an answer on one line names fields by their titles and what was chosen by its own', () => {
    expect(line({ by: 'ship', back: true, extras: ['meal', 'bed'] })).toBe(
      'By: ship, And back: yes, With: meal and bed',
    );
    expect(line({ back: false })).toBe('And back: no');
    expect(line({})).toBe('nothing');
    const [titled] = loose({
      message: 'Plan',
      forms: {
        a: {
          title: 'A',
          form: { type: 'object', properties: { seat: { type: 'string', oneOf: [{ const: 'w', title: 'Window' }] } } },
        },
      },
    });
    expect(line({ seat: 'w' }, titled)).toMatch(/: Window$/);
    expect(line({ seat: 'x' }, titled)).toMatch(/: x$/);
  });

  it('an answer on one line hides what looks like a card number, and cuts what is long', () => {
    expect(line({ by: '4111 1111 1111 1111' })).toBe('By: (hidden)');
    expect(line({ by: 'b'.repeat(80) })).toBe(`By: ${'b'.repeat(80)}`);
    expect(line({ by: 'b'.repeat(81) })).toBe(`By: ${'b'.repeat(79)}…`);
    expect(line({ by: 'on\n  two lines' })).toBe('By: on two lines');
  });
});
