import { type Field, parseTextual } from '@midcall/core/form';
import { describe, expect, it } from 'vitest';
import { zonedDateTime } from '../../packages/core/src/form/parse-textual.ts';

const choices = ['a', 'b', ''].map(value => ({ value, title: value }));
const field = (kind: Field['kind'], rest: object = {}): Field =>
  ({ kind, name: 'here', required: false, ...(kind === 'number' && { integer: false }), ...rest }) as Field;
const some = { choices: choices.slice(0, 2) };

describe('text from a form or a terminal', () => {
  it.each<[string, Field, string | string[] | undefined, unknown]>([
    ['empty text is no answer', field('text'), '', undefined],
    ['missing text is no answer', field('text'), undefined, undefined],
    ['text as it is', field('text'), ' x ', ' x '],
    ['line ends become one kind', field('text'), 'a\r\nb\rc', 'a\nb\nc'],
    ['an address without its blanks', field('text', { format: 'email' }), ' a@b.co ', 'a@b.co'],
    ['a web address in ASCII', field('text', { format: 'uri' }), 'https://例え.jp/é', 'https://xn--r8jz45g.jp/%C3%A9'],
    ['a date', field('text', { format: 'date' }), '2026-02-28', '2026-02-28'],
    ['a date-time as it is', field('text', { format: 'date-time' }), '2026-02-28T18:30:00Z', '2026-02-28T18:30:00Z'],
    [
      'a date-time and its zone',
      field('text', { format: 'date-time' }),
      ['2026-02-28T18:30', '+02:00'],
      '2026-02-28T18:30:00+02:00',
    ],
    ['a whole number', field('number', { integer: true }), ' 3 ', 3],
    ['a number', field('number'), '-2.5e1', -25],
    ['no number', field('number'), '', undefined],
    ['a tick', field('boolean'), 'on', true],
    ['a word', field('boolean'), 'No', false],
    ['an unticked box with a false beside it', field('boolean'), ['false'], false],
    ['a ticked box with a false beside it', field('boolean'), ['false', 'true'], true],
    ['nothing said', field('boolean', { default: true }), undefined, undefined],
    ['a choice', field('select', some), 'a', 'a'],
    ['no choice', field('select', some), '', undefined],
    ['an empty choice that is offered', field('select', { choices }), '', ''],
    ['several', field('multi-select', some), ['b', 'a'], ['b', 'a']],
    ['one', field('multi-select', some), 'b', ['b']],
    ['none of several', field('multi-select', some), undefined, undefined],
    ['none of several, where an answer is required', field('multi-select', { ...some, required: true }), undefined, []],
    ['a marker beside several', field('multi-select', some), ['', 'a'], ['a']],
  ])('an answer in text is read: %s', (_, one, raw, value) => {
    expect(parseTextual(one, raw)).toEqual({ ok: true, value });
  });

  it.each<[string, Field, string | string[] | undefined, string]>([
    ['required and empty', field('text', { required: true }), '', 'required'],
    ['required and missing', field('boolean', { required: true }), undefined, 'required'],
    ['hexadecimal', field('number'), '0x10', 'type'],
    ['a comma', field('number'), '1,5', 'type'],
    ['too large to be', field('number'), '1e999', 'type'],
    ['two numbers', field('number'), '1 2', 'type'],
    ['half of a whole number', field('number', { integer: true }), '1.5', 'type'],
    ['below the least', field('number', { minimum: 1 }), '0', 'minimum'],
    ['neither yes nor no', field('boolean'), 'maybe', 'type'],
    ['no such choice', field('select', some), 'c', 'enum'],
    ['the same twice', field('multi-select', some), ['a', 'a'], 'uniqueItems'],
    [
      'none where one is needed',
      field('multi-select', { ...some, required: true, minItems: 1 }),
      undefined,
      'minItems',
    ],
    ['no date', field('text', { format: 'date' }), '2026-02-30', 'format'],
    ['too short', field('text', { minLength: 2 }), 'x', 'minLength'],
  ])('an answer in text is refused: %s', (_, one, raw, rule) => {
    expect(parseTextual(one, raw)).toMatchObject({ ok: false, issue: { field: 'here', rule } });
  });

  it.each<[Field, string, string]>([
    [field('text', { required: true }), '', 'Here is required.'],
    [field('boolean'), 'maybe', 'Here must be yes or no.'],
    [field('number', { integer: true }), 'three', 'Here must be a whole number, such as 3.'],
    [field('number'), `${'0'.repeat(400)}1`, 'Here must be a number, such as 2.5.'],
  ])('the refusal of an answer in text says what to write instead (%#)', (one, raw, says) => {
    expect(parseTextual(one, raw)).toMatchObject({ ok: false, issue: { message: says } });
  });

  it('an empty choice that is offered counts where several are asked for, and no answer does not where one is required', () => {
    expect(parseTextual(field('multi-select', { choices }), ['', 'a'])).toEqual({ ok: true, value: ['', 'a'] });
    expect(parseTextual(field('text', { format: 'date', required: true }), ' ')).toMatchObject({
      ok: false,
      issue: { rule: 'required' },
    });
    expect(parseTextual(field('text', { format: 'date-time' }), ' ')).toEqual({ ok: true, value: undefined });
    expect(parseTextual(field('text', { format: 'date-time' }), ['2026-02-28T18:30', ' +02:00 '])).toEqual({
      ok: true,
      value: '2026-02-28T18:30:00+02:00',
    });
    expect(parseTextual(field('text', { format: 'uri' }), 'ftp://例え.jp/')).toMatchObject({ ok: false });
  });

  it('a date and time without a zone takes the one shown, and asks for one where none is', () => {
    const when = field('text', { format: 'date-time' });
    expect(parseTextual(when, '2026-07-01 18:30', { timeZone: 'Europe/Berlin' })).toEqual({
      ok: true,
      value: '2026-07-01T18:30:00+02:00',
    });
    const asked = parseTextual(when, '2026-07-01T18:30');
    expect(!asked.ok && asked.issue.message).toBe('Here needs a time zone, such as Z, +02:00 or Europe/Berlin.');
    const wrong = parseTextual(when, '2026-07-32T18:30', { timeZone: 'Z' });
    expect(!wrong.ok && wrong.issue.message).toMatch(/must be a date and time that exist/);
  });
});

describe('local times', () => {
  it.each([
    ['2026-01-15T12:00', 'Europe/Berlin', '2026-01-15T12:00:00+01:00'],
    ['2026-07-15 12:00:30.5', 'Europe/Berlin', '2026-07-15T12:00:30.5+02:00'],
    ['2026-07-15 12:00', 'America/New_York', '2026-07-15T12:00:00-04:00'],
    ['2026-07-15 12:00', 'Asia/Kolkata', '2026-07-15T12:00:00+05:30'],
    ['2026-07-15 12:00', 'UTC', '2026-07-15T12:00:00+00:00'],
    ['2026-07-15 12:00 Asia/Tokyo', 'Europe/Berlin', '2026-07-15T12:00:00+09:00'],
    ['2026-07-15 12:00 z', undefined, '2026-07-15T12:00:00Z'],
    ['2026-07-15T12:00-03:30', undefined, '2026-07-15T12:00:00-03:30'],
    // Twice on that night: the earlier one.
    ['2026-10-25 02:30', 'Europe/Berlin', '2026-10-25T02:30:00+02:00'],
    // Skipped on that night.
    ['2026-03-29 02:30', 'Europe/Berlin', undefined],
    ['2026-07-15 12:00', 'Mars/Olympus', undefined],
    ['2026-07-15 12:00', undefined, undefined],
    ['2026-02-30 12:00', 'Z', undefined],
    ['2026-07-15', 'Z', undefined],
    ['soon', 'Z', undefined],
  ])('%s in %s is %s', (text, zone, expected) => {
    expect(zonedDateTime(text, zone)).toBe(expected);
  });
});
