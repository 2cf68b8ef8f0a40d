import { type Field, parseTextual } from '@midcall/core/form';
import { describe, expect, it } from 'vitest';
import { promptOf } from '../../../packages/host/src/terminal/field-lines.ts';

const timeZone = 'Europe/Berlin';

describe('the prompt of a field', () => {
  it.each([
    ['date', 'Departure (required, a date such as 2026-12-31)'],
    [
      'date-time',
      'Departure (required, a date and time such as 2026-12-31 18:30, in Europe/Berlin unless you write a zone)',
    ],
  ] as const)('the prompt of a field says how a %s is written, in a notation that is read', (format, prompt) => {
    const field: Extract<Field, { kind: 'text' }> = {
      kind: 'text',
      name: 'when',
      title: 'Departure',
      required: true,
      format,
    };
    expect(promptOf(field, { timeZone })).toBe(prompt);
    expect(parseTextual(field, /such as ([\d: -]+\d)/.exec(prompt)![1]!, { timeZone }).ok).toBe(true);
  });
});
