/**
 * What holds for every form: the two sides read the same, and the judge says exactly what is wrong.
 *
 * @module-tag thorough
 */

import {
  type Content,
  checkContent,
  checkValue,
  type Field,
  type Form,
  form,
  parseTextual,
  readForm,
  secretIn,
  type WireValue,
} from '@midcall/core/form';
import { specTypeSchemas } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toFirstForm } from '../../packages/core/src/form/first-form.ts';
import { emit } from '../../packages/core/src/form/wire.ts';

const reserved = new Set(['__proto__', 'constructor', 'prototype']);
// Objects list names that look like an index before all others, so such names have no place of their own in a schema.
const name = fc.string({ minLength: 1, maxLength: 20 }).filter(each => !reserved.has(each) && !/^\d+$/.test(each));
const said = fc.string({ maxLength: 40 });
const named = { name, title: said, description: said, required: fc.boolean() };
const keys = { requiredKeys: ['kind', 'name', 'required'] as const };

const bounds = (low: string, high: string, most: number) =>
  fc.tuple(fc.option(fc.nat(most)), fc.option(fc.nat(most))).map(([a, b]) => ({
    ...(a !== null && { [low]: b === null ? a : Math.min(a, b) }),
    ...(b !== null && { [high]: a === null ? b : Math.max(a, b) }),
  }));

const text = fc
  .tuple(
    fc.record({ kind: fc.constant('text' as const), ...named }, { requiredKeys: [...keys.requiredKeys] }),
    bounds('minLength', 'maxLength', 20),
  )
  .map(([one, more]) => ({ ...one, ...more }));
const formatted = fc.record(
  { kind: fc.constant('text' as const), ...named, format: fc.constantFrom('email', 'uri', 'date', 'date-time') },
  { requiredKeys: [...keys.requiredKeys, 'format'] },
);
const number = fc
  .tuple(
    fc.record(
      { kind: fc.constant('number' as const), ...named, integer: fc.boolean() },
      { requiredKeys: [...keys.requiredKeys, 'integer'] },
    ),
    fc.option(fc.tuple(fc.integer(), fc.nat(1_000))),
  )
  .map(([one, range]) => ({ ...one, ...(range && { minimum: range[0], maximum: range[0] + range[1] }) }));
const boolean = fc.record(
  { kind: fc.constant('boolean' as const), ...named, default: fc.boolean() },
  { requiredKeys: [...keys.requiredKeys] },
);
const choices = fc
  .uniqueArray(fc.string({ maxLength: 10 }), { minLength: 1, maxLength: 6 })
  .chain(values =>
    fc.tuple(
      ...values.map(value => fc.option(fc.string({ minLength: 1 })).map(title => ({ value, title: title ?? value }))),
    ),
  );
const select = fc.record(
  { kind: fc.constant('select' as const), ...named, choices },
  { requiredKeys: [...keys.requiredKeys, 'choices'] },
);
const many = fc
  .tuple(
    fc.record(
      { kind: fc.constant('multi-select' as const), ...named, choices },
      { requiredKeys: [...keys.requiredKeys, 'choices'] },
    ),
    fc.nat(5),
    fc.boolean(),
  )
  .map(([one, count, bounded]) => ({
    ...one,
    ...(bounded && { minItems: Math.min(count, one.choices.length), maxItems: Math.max(count, 1) }),
  }));

const field = fc.oneof(text, formatted, number, boolean, select, many) as fc.Arbitrary<Field>;
const fields = fc.uniqueArray(field, { maxLength: 8, selector: each => each.name });

const email = fc
  .emailAddress()
  .filter(each => checkValue({ kind: 'text', name: 'x', required: true, format: 'email' }, each) === undefined);
const stamp = fc
  .date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9998-12-31') })
  .map(each => each.toISOString());
const valueFor = (one: Field): fc.Arbitrary<WireValue> => {
  switch (one.kind) {
    case 'text':
      if (one.format === 'email') return email;
      if (one.format === 'uri') return fc.webUrl();
      if (one.format === 'date') return stamp.map(each => each.slice(0, 10));
      if (one.format === 'date-time') return stamp;
      return fc.string({ unit: 'grapheme-composite', minLength: 0, maxLength: 20 }).map(each => {
        const points = [...each];
        while (points.length < (one.minLength ?? 0)) points.push('😀');
        return points.slice(0, one.maxLength).join('');
      });
    case 'number': {
      const [min, max] = [one.minimum ?? -1_000, one.maximum ?? 1_000];
      return one.integer ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true });
    }
    case 'boolean':
      return fc.boolean();
    case 'select':
      return fc.constantFrom(...one.choices.map(choice => choice.value));
    case 'multi-select':
      return fc.shuffledSubarray(
        one.choices.map(choice => choice.value),
        { minLength: one.minItems ?? 0, maxLength: Math.min(one.maxItems ?? one.choices.length, one.choices.length) },
      );
  }
};
const answered = fields.chain(list =>
  fc
    .tuple(...list.map(one => (one.required ? valueFor(one) : fc.option(valueFor(one), { nil: undefined }))))
    .map(values => ({
      list,
      content: Object.fromEntries(list.flatMap((one, i) => (values[i] === undefined ? [] : [[one.name, values[i]]]))),
    })),
);

describe('every form', () => {
  it('elicit-form-10: every form is emitted as the restricted schema and read back as the same fields', () => {
    fc.assert(
      fc.property(fields, list => {
        const schema = emit(list);
        const sdk = specTypeSchemas.ElicitRequestFormParams['~standard'].validate({
          message: '',
          requestedSchema: schema,
        });
        if (sdk instanceof Promise || sdk.issues) throw new Error(JSON.stringify(sdk));
        expect(sdk.value.requestedSchema).toEqual(schema);
        expect(readForm(JSON.parse(JSON.stringify(schema)))).toEqual({ ok: true, fields: list, notes: [] });
      }),
      { numRuns: 500 },
    );
  });

  it('every form takes content that fits, unchanged', () => {
    fc.assert(
      fc.property(answered, ({ list, content }) => {
        expect(checkContent(list, content)).toEqual({ ok: true, content });
        expect(checkContent(list, JSON.parse(JSON.stringify(content))).ok).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('every form names the field and the rule of every single fault', () => {
    const faults = (one: Field): readonly (readonly [unknown, string])[] => [
      ...(one.required ? [[undefined, 'required'] as const, [null, 'required'] as const] : []),
      [{ length: 1 }, 'type'],
      ...(one.kind === 'text' && one.required && (one.minLength ?? 0) > 0 ? [['', 'minLength'] as const] : []),
      ...(one.kind === 'text' && one.maxLength !== undefined
        ? [['x'.repeat(one.maxLength + 1), 'maxLength'] as const]
        : []),
      ...(one.kind === 'text' && one.format !== undefined ? [['no such thing', 'format'] as const] : []),
      ...(one.kind === 'number' && one.minimum !== undefined ? [[one.minimum - 1, 'minimum'] as const] : []),
      ...(one.kind === 'number' && one.maximum !== undefined ? [[one.maximum + 1, 'maximum'] as const] : []),
      ...(one.kind === 'number' ? [['1,000', 'type'] as const] : []),
      ...(one.kind === 'boolean' ? [['yes', 'type'] as const] : []),
      ...(one.kind === 'number' && one.integer ? [[0.5, 'type'] as const] : []),
      ...(one.kind === 'select' ? [[`${one.choices.map(each => each.value).join('')}\n`, 'enum'] as const] : []),
      ...(one.kind === 'multi-select' ? [[['\n\n'], 'enum'] as const] : []),
      ...(one.kind === 'multi-select'
        ? [[[one.choices[0]!.value, one.choices[0]!.value], 'uniqueItems'] as const]
        : []),
    ];
    fc.assert(
      fc.property(
        answered.filter(({ list }) => list.length > 0),
        fc.nat(),
        fc.nat(),
        ({ list, content }, which, fault) => {
          const one = list[which % list.length]!;
          const possible = faults(one);
          const [value, rule] = possible[fault % possible.length]!;
          const checked = checkContent(list, { ...content, [one.name]: value });
          if (checked.ok) throw new Error(`accepted ${JSON.stringify(value)}`);
          expect(checked.issues.map(({ field, rule }) => ({ field, rule }))).toEqual([{ field: one.name, rule }]);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('content-C2: every form takes null as not filled in, and what else can be read in one way as what it means', () => {
    const meant = (one: Field, value: WireValue | undefined): unknown => {
      if (value === undefined) return null;
      if (one.kind === 'number' || one.kind === 'boolean') return String(value);
      return one.kind === 'multi-select' && Array.isArray(value) && value.length === 1 ? value[0] : value;
    };
    fc.assert(
      fc.property(answered, ({ list, content }) => {
        const sent = Object.fromEntries(
          list.map(one => [one.name, meant(one, Object.hasOwn(content, one.name) ? content[one.name] : undefined)]),
        );
        const checked = checkContent(list, sent);
        if (!checked.ok) throw new Error(JSON.stringify(checked.issues));
        // As text, -0 is 0.
        const plain = Object.entries(content).map(([key, value]) => [key, Object.is(value, -0) ? 0 : value]);
        expect(checked).toEqual({ ok: true, content: Object.fromEntries(plain) });
      }),
      { numRuns: 300 },
    );
  });

  it('every form reads an answer typed as text as the value it is', () => {
    fc.assert(
      fc.property(
        field.chain(one => fc.tuple(fc.constant(one), valueFor(one))),
        ([one, value]) => {
          fc.pre(
            value !== '' &&
              !(typeof value === 'string' && /\r/.test(value)) &&
              !(Array.isArray(value) && value.includes('')),
          );
          fc.pre(!Array.isArray(value) || value.length > 0);
          const raw = Array.isArray(value) ? (value as string[]) : String(value);
          expect(parseTextual(one, raw)).toEqual({ ok: true, value: Object.is(value, -0) ? 0 : value });
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('every Zod object of what the wire can say', () => {
  const optional = (schema: z.ZodType): fc.Arbitrary<z.ZodType> =>
    fc.constantFrom(schema, schema.optional(), schema.nullable(), schema.nullish());
  const leaf: fc.Arbitrary<z.ZodType> = fc
    .oneof(
      fc.tuple(fc.nat(5), fc.nat(5)).map(([min, more]) =>
        z
          .string()
          .min(min)
          .max(min + more),
      ),
      // No e-mail here: Zod takes fewer addresses than mail servers do.
      fc.constantFrom(z.iso.date(), z.boolean(), z.string().trim(), z.literal('only')),
      fc.tuple(fc.integer({ min: -50, max: 50 }), fc.nat(50)).map(([min, more]) =>
        z
          .int()
          .min(min)
          .lt(min + more + 1),
      ),
      fc.uniqueArray(fc.string({ maxLength: 5 }), { minLength: 1, maxLength: 4 }).map(values => z.enum(values)),
      fc
        .uniqueArray(fc.string({ maxLength: 5 }), { minLength: 1, maxLength: 4 })
        .map(values => z.array(z.enum(values)).max(2)),
    )
    .chain(optional);
  const object = fc
    .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 5 })
    .chain(names => fc.tuple(...names.map(each => leaf.map(schema => [each, schema] as const))))
    .map(entries => z.object(Object.fromEntries(entries)));

  it('content that fits the emitted schema fits the library, and comes back as the library has it', async () => {
    await fc.assert(
      fc.asyncProperty(
        object.chain(schema => {
          const { fields } = form(schema);
          const values = fields.map(one =>
            one.required ? valueFor(one) : fc.option(valueFor(one), { nil: undefined }),
          );
          return fc.tuple(fc.constant(schema), fc.constant(fields), fc.tuple(...values));
        }),
        async ([schema, fields, values]) => {
          const content = Object.fromEntries(
            fields.flatMap((one, i) => (values[i] === undefined ? [] : [[one.name, values[i]]])),
          );
          const checked = await form(schema).check(content);
          if (!checked.ok) throw new Error(JSON.stringify(checked.issues));
          // Fed back, nulls included, the library takes its own output.
          expect(schema.parse(checked.value)).toEqual(checked.value);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('every form, as the first revision with elicitation can say it', () => {
  /** The form of these fields, without a library. */
  const formOf = (list: readonly Field[]): Form<Content> => ({
    schema: emit(list),
    fields: list,
    library: false,
    async check(content) {
      const checked = checkContent(list, content);
      return checked.ok ? { ok: true, value: checked.content } : checked;
    },
  });

  it('every form for the first revision has no list and no titled option, and comes back as the content of the form', async () => {
    await fc.assert(
      fc.asyncProperty(answered, fc.boolean(), async ({ list, content }, onlyTicked) => {
        const { schema, check } = toFirstForm(formOf(list));
        const read = readForm(JSON.parse(JSON.stringify(schema)));
        if (!read.ok) throw new Error(JSON.stringify(read));
        expect(JSON.stringify(schema)).not.toMatch(/"(oneOf|anyOf|items)":/);
        const sent: Record<string, unknown> = {};
        const expected: Record<string, unknown> = {};
        const boxes = [...read.fields];
        for (const one of list) {
          const value = Object.hasOwn(content, one.name) ? content[one.name] : undefined;
          if (one.kind !== 'multi-select') {
            expect(boxes.shift()).toEqual(one);
            if (value !== undefined) sent[one.name] = expected[one.name] = value;
            continue;
          }
          const picked = one.choices.filter(choice => (value as string[] | undefined)?.includes(choice.value));
          for (const choice of one.choices) {
            const box = boxes.shift()!;
            expect(box).toMatchObject({ kind: 'boolean', required: false });
            expect(box.title).toContain(choice.title);
            if (picked.includes(choice)) sent[box.name] = true;
            else if (!onlyTicked) sent[box.name] = false;
          }
          if (picked.length > 0 || one.required) expected[one.name] = picked.map(choice => choice.value);
        }
        expect(await check(sent)).toEqual({ ok: true, value: expected });
      }),
      { numRuns: 500 },
    );
  });
});

describe('any input at all', () => {
  it('any input at all is read or refused, never thrown at', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), fields, (anything, list) => {
        expect(typeof readForm(anything).ok).toBe('boolean');
        expect(
          typeof readForm({ type: 'object', properties: { a: anything, b: { type: 'string', default: anything } } }).ok,
        ).toBe('boolean');
        expect(typeof checkContent(list, anything).ok).toBe('boolean');
      }),
      { numRuns: 500 },
    );
  });

  it('any input at all is searched for secrets without fault', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, description) => {
        secretIn({ name, title: description, description });
      }),
    );
  });
});
