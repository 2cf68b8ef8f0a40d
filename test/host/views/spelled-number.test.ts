/** Numbers in an answer, as people read them before it is sent. */
import { expect, it } from 'vitest';
import { answerText } from '../../../packages/host/src/terminal/field-lines.ts';
import { spelledNumber } from '../../../packages/host/src/views/written-values.ts';

it('a number is spelled with all its digits, in groups', () => {
  expect([0, 12, 4000, 1234567.25, 0.1, 1e-7, -1e21].map(spelledNumber)).toEqual([
    '0',
    '12',
    '4,000',
    '1,234,567.25',
    '0.1',
    '0.0000001',
    '-1,000,000,000,000,000,000,000',
  ]);
});

it('a spelled number stands in the terminal behind the number that is sent, where it differs', () => {
  const field = { kind: 'number', name: 'price', integer: false, required: true } as const;
  expect(answerText(field, 4000.5, new Set())).toBe('4000.5 (4,000.5)');
  expect(answerText(field, 12, new Set())).toBe('12');
});
