/** Dates and times in an answer, as people read them before it is sent. */
import { expect, it } from 'vitest';
import { answerText } from '../../../packages/host/src/terminal/field-lines.ts';
import { spelledMoment, writtenMoment } from '../../../packages/host/src/views/written-values.ts';

const field = (format: 'date' | 'date-time' | 'email') =>
  ({ kind: 'text', name: 'when', format, required: true }) as const;
const read = (format: 'date' | 'date-time' | 'email', value: unknown): string | undefined => {
  const moment = writtenMoment(field(format), value);
  return moment && spelledMoment(moment);
};

it('a date or a time is read as it says, in its own zone, to the second where it has seconds', () => {
  expect(read('date', '2026-02-28')).toBe('28 Feb 2026');
  expect(read('date-time', '2026-07-01T12:00:00+02:00')).toBe('1 Jul 2026, 12:00');
  expect(read('date-time', '2026-12-31T23:59:07.25Z')).toBe('31 Dec 2026, 23:59:07');
});

it('nothing else is taken for a date, nor a day that there is not', () => {
  for (const value of ['2026-02-30', '2026-13-01', 'tomorrow', '2026-02-28T12:00:00Z', 7, undefined])
    expect({ value, read: read('date', value) }).toEqual({ value, read: undefined });
  for (const value of ['2026-02-28', '2026-02-30T12:00:00Z', '2026-02-28T25:00:00Z', '2026-02-28T12:00:00'])
    expect({ value, read: read('date-time', value) }).toEqual({ value, read: undefined });
  expect(read('email', '2026-02-28')).toBe(undefined);
});

it('a written moment is beside what is sent in a terminal, and not where that is masked', () => {
  const sent = '2026-07-01T12:00:00+02:00';
  expect(answerText(field('date-time'), sent, new Set())).toBe(`${sent} (1 Jul 2026, 12:00)`);
  expect(answerText(field('date-time'), sent, new Set(['when']))).not.toContain('2026');
});
