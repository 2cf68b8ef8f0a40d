/** What the author says of an answer, apart from any call: what may be said, and what the person sees of it. */
import { describe, expect, it } from 'vitest';
import type { CallRun } from '../../../packages/server/src/questions/outgoing.ts';
import { typedIn, validated, withProblems } from '../../../packages/server/src/questions/validated.ts';

/** A run that keeps nothing. */
const run = {
  step: async (_name: string, work: (key: string) => { run(): unknown }) => work('key').run(),
} as unknown as Pick<CallRun, 'step'>;
const says = (problem: unknown) =>
  validated(run, { message: 'When?', validate: async () => problem as string }, { day: 'x' }, 'id');
const rule = 'validate';

describe('what an author says of an answer', () => {
  it('what an author says of an answer is nothing where the answer is right, or where nobody looks at it', async () => {
    expect(await says(undefined)).toBeUndefined();
    expect(await says(null)).toBeUndefined();
    expect(await says({})).toBeUndefined();
    expect(await says({ day: undefined })).toBeUndefined();
    expect(await validated(run, { message: 'When?' }, {}, 'id')).toBeUndefined();
  });

  it('what an author says of an answer is a text of the whole answer, or one for each field that is wrong', async () => {
    expect(await says('That day is taken.')).toEqual([{ rule, message: 'That day is taken.' }]);
    expect(await says({ day: 'Taken.', seat: undefined, meal: 'Sold out.' })).toEqual([
      { field: 'day', rule, message: 'Taken.' },
      { field: 'meal', rule, message: 'Sold out.' },
    ]);
  });

  it('what an author says of an answer is cut after five hundred characters', async () => {
    expect(await says('w'.repeat(500))).toEqual([{ rule, message: 'w'.repeat(500) }]);
    expect(await says('w'.repeat(501))).toEqual([{ rule, message: `${'w'.repeat(499)}…` }]);
    expect(await says({ day: 'w'.repeat(501) })).toEqual([{ field: 'day', rule, message: `${'w'.repeat(499)}…` }]);
  });

  it.each([[''], ['  '], [4], [true], [{ day: '' }], [{ day: 4 }], [{ day: 'Taken.', seat: 4 }]])(
    'what an author says of an answer is refused where it does not say whether anything is wrong: %j',
    async problem => {
      await expect(says(problem)).rejects.toThrow(
        new TypeError(
          'validate must return nothing, a string, or an object with a string for each field that is wrong.',
        ),
      );
    },
  );
});

describe('a form that is put again', () => {
  const schema = (properties: object) => ({ type: 'object', properties });
  const put = (properties: object, typed: object, issues: readonly { field?: string; message: string }[] = []) =>
    withProblems(schema(properties), {
      typed: { ...typed },
      issues: issues.map(each => ({ rule, ...each })),
    });

  it('a form that is put again says what is wrong at the field, above what the field says already', () => {
    const day = { type: 'string', description: 'The day of departure.' };
    const both = [
      { field: 'day', message: 'Taken.' },
      { field: 'day', message: 'And a Sunday.' },
      { message: 'Other.' },
    ];
    expect(put({ day, seat: { type: 'string' } }, {}, both)).toEqual(
      schema({ day: { ...day, description: 'Taken. And a Sunday. The day of departure.' }, seat: { type: 'string' } }),
    );
    expect(put({ day: { type: 'string' } }, {}, [{ field: 'day', message: 'Taken.' }])).toEqual(
      schema({ day: { type: 'string', description: 'Taken.' } }),
    );
    expect(put({ day }, {})).toEqual(schema({ day }));
  });

  it.each<[string, object, unknown]>([
    ['a text', { type: 'string' }, 'Monday'],
    ['a number', { type: 'number' }, 1.5],
    ['a whole number', { type: 'integer' }, 3],
    ['a choice of several', { type: 'array' }, ['a', 'b']],
    ['false', { type: 'boolean' }, false],
    ['yes to a question about a password', { type: 'boolean', title: 'Change the password?' }, true],
  ])('a form that is put again has what was typed there: %s', (_, property, value) => {
    expect(put({ it: property }, { it: value })).toEqual(schema({ it: { ...property, default: value } }));
  });

  it.each<[string, object, unknown]>([
    ['nothing', { type: 'string' }, undefined],
    ['a number as text', { type: 'number' }, '1.5'],
    ['part of a number', { type: 'integer' }, 1.5],
    ['a text for a list', { type: 'array' }, 'a'],
    ['numbers in a list of texts', { type: 'array' }, ['a', 4]],
    ['a card number', { type: 'string' }, '4111 1111 1111 1111'],
    ['a secret by its title', { type: 'string', title: 'Password' }, 'opened-by-nobody'],
    ['a secret by its description', { type: 'string', description: 'Your password' }, 'opened-by-nobody'],
  ])(
    'a form that is put again leaves out what its schema does not take or what is shown nowhere: %s',
    (_, property, value) => {
      expect(put({ it: property }, value === undefined ? {} : { it: value })).toEqual(schema({ it: property }));
    },
  );

  it('what was typed is taken from the content of an accept, and from nothing else', () => {
    expect(typedIn({ action: 'accept', content: { a: 1 } })).toEqual({ a: 1 });
    for (const got of [null, undefined, {}, { content: null }, { content: 'a' }]) expect(typedIn(got)).toEqual({});
  });
});
