/** What the compiler must infer from a form, and what it must refuse. Checked by tsc; nothing here runs. */

import { type Answer, type Form, type FormInput, type FormValue, form } from '@midcall/core/form';
import type { Call } from '@midcall/server';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type ValueOf<F> = F extends Form<infer T> ? T : never;
const same = <A, B>(_: Same<A, B>): void => {};

// Shorthands.
const text = form(String);
same<ValueOf<typeof text>, string>(true);
const number = form(Number);
same<ValueOf<typeof number>, number>(true);
const yes = form(Boolean);
same<ValueOf<typeof yes>, boolean>(true);
const color = form(['red', 'green', 'blue']);
same<ValueOf<typeof color>, 'red' | 'green' | 'blue'>(true);
const colors = form([['red', 'green']]);
same<ValueOf<typeof colors>, ('red' | 'green')[]>(true);
const priority = form({ low: { title: 'Low' }, high: { title: 'High' } });
same<ValueOf<typeof priority>, 'low' | 'high'>(true);
const priorities = form([{ low: { title: 'Low' }, high: { title: 'High' } }]);
same<ValueOf<typeof priorities>, ('low' | 'high')[]>(true);
const contact = form({
  name: String,
  age: Number,
  news: Boolean,
  plan: ['basic', 'pro'],
  topics: [['a', 'b']],
  level: { low: { title: 'Low' } },
  mail: { type: 'string', format: 'email' },
});
same<
  ValueOf<typeof contact>,
  {
    name: string;
    age: number;
    news: boolean;
    plan: 'basic' | 'pro';
    topics: ('a' | 'b')[];
    level: 'low';
    mail: string;
  }
>(true);
const titled = form({ name: { type: 'string', title: 'Name' }, news: { type: 'boolean', title: 'Newsletter' } });
same<ValueOf<typeof titled>, { name: string; news: boolean }>(true);

// Choices known only when the handler runs.
declare const ids: string[];
const pick = form(ids);
same<ValueOf<typeof pick>, string>(true);
declare const titles: Record<string, { title: string }>;
const pickTitled = form(titles);
same<ValueOf<typeof pickTitled>, string>(true);

// Raw schema.
const raw = form({
  type: 'object',
  properties: {
    email: { type: 'string', format: 'email' },
    pages: { type: 'integer', minimum: 1 },
    agree: { type: 'boolean' },
    plan: { type: 'string', enum: ['basic', 'pro'] },
    tone: { type: 'string', oneOf: [{ const: 'warm', title: 'Warm' }] },
    tags: { type: 'array', items: { type: 'string', enum: ['x', 'y'] } },
    teams: { type: 'array', items: { anyOf: [{ const: 't1', title: 'One' }] } },
  },
  required: ['email', 'plan', 'tags'],
});
same<
  ValueOf<typeof raw>,
  {
    email: string;
    plan: 'basic' | 'pro';
    tags: ('x' | 'y')[];
    pages?: number;
    agree?: boolean;
    tone?: 'warm';
    teams?: 't1'[];
  }
>(true);
const rawAsConst = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } as const;
same<FormValue<typeof rawAsConst>, { a: string }>(true);
const single = form({ type: 'string', enum: ['a', 'b'] });
same<ValueOf<typeof single>, 'a' | 'b'>(true);

// Libraries: the output type, transforms included.
const zod = form(z.object({ day: z.iso.date().transform(text => new Date(text)), note: z.string().optional() }));
same<ValueOf<typeof zod>, { day: Date; note?: string | undefined }>(true);
const zodScalar = form(z.enum(['a', 'b']));
same<ValueOf<typeof zodScalar>, 'a' | 'b'>(true);
const ark = form(type({ name: 'string', 'age?': 'number.integer' }));
same<ValueOf<typeof ark>, { name: string; age?: number }>(true);
const valibot = form(toStandardJsonSchema(v.object({ name: v.string(), plan: v.picklist(['a', 'b']) })));
same<ValueOf<typeof valibot>, { name: string; plan: 'a' | 'b' }>(true);

// A compiled form is an input too.
const again = form(contact);
same<ValueOf<typeof again>, ValueOf<typeof contact>>(true);

// In an ask.
export async function asks(call: Call): Promise<void> {
  const one = await call.elicit({ message: 'Pick a color', form: ['red', 'green'] });
  same<typeof one, Answer<'red' | 'green'>>(true);
  const two = await call.elicit({ message: 'Who?', form: { name: String, plan: ['basic', 'pro'] } });
  if (two.action === 'accept') same<typeof two.content, { name: string; plan: 'basic' | 'pro' }>(true);
  const three = await call.elicit({ message: 'When?', form: z.object({ n: z.int() }) });
  if (three.action === 'accept') same<typeof three.content, { n: number }>(true);
  const four = await call.elicit({ message: 'Which?', form: pick });
  if (four.action === 'accept') same<typeof four.content, string>(true);
  await call.elicit({ message: 'Sure?', form: Boolean, fallback: false });
  // @ts-expect-error the fallback is of the answer's type
  await call.elicit({ message: 'Sure?', form: Boolean, fallback: 'no' });
  // @ts-expect-error content is there after an accept only
  two.content;
}

const checked = await contact.check({});
// @ts-expect-error the value is there only where the content fits
checked.value;

// What is no form.
// @ts-expect-error a number is no form
form(7);
// @ts-expect-error nested records are not flat
form({ address: { street: String } });
// @ts-expect-error a list of lists of numbers
form([[1, 2]]);
// @ts-expect-error nested objects are not in the restricted schema
form({ type: 'object', properties: { a: { type: 'object', properties: {} } } });
// @ts-expect-error the wire has four formats
form({ type: 'string', format: 'uuid' });
// @ts-expect-error Valibot needs its adapter
form(v.object({ name: v.string() }));
// @ts-expect-error missing
form(undefined);
// @ts-expect-error a title is text
form({ low: { title: 7 } });

export function generic<const I extends FormInput>(input: I): Promise<FormValue<I>> {
  return form(input)
    .check({})
    .then(result => {
      if (!result.ok) throw new Error('no');
      return result.value;
    });
}
