/** The table of formats: every entry is complete, and every reader of it takes what it says. */
import { checkValue, form, parseTextual, textFormats } from '@midcall/core/form';
import { expect, it } from 'vitest';

it.each(Object.entries(textFormats))(
  'a field of the format %s takes its example, and says what else is wrong',
  (format, entry) => {
    const { fields } = form({ type: 'object', properties: { it: { type: 'string', format } } } as never);
    const field = fields[0]!;
    expect(field).toMatchObject({ kind: 'text', format });
    expect(checkValue(field, entry.example)).toBeUndefined();
    expect(parseTextual(field, ` ${entry.example} `)).toEqual({ ok: true, value: entry.example });
    expect(checkValue(field, 'none of it')?.message).toBe(`It ${entry.says}.`);
  },
);

it.each(Object.entries(textFormats).flatMap(([format, { aliases = [] }]) => aliases.map(alias => [alias, format])))(
  'the name %s stands for the format %s',
  (alias, format) => {
    const { fields } = form({ type: 'object', properties: { it: { type: 'string', format: alias } } } as never);
    expect(fields[0]).toMatchObject({ format });
  },
);
