/**
 * What an author of a server writes against our types, with every schema library alike. Checked by our own compiler here, and
 * by every other one in test/packages/compilers.e2e.test.ts; nothing here runs.
 */
import { type Call, form, midcall } from '@midcall/server';
import { McpServer } from '@modelcontextprotocol/server';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => {};

interface Seat {
  seat: string;
  window: boolean;
}

// One form and one input in four spellings: the types come out alike.
const zod = z.object({ seat: z.string(), window: z.boolean() });
const valibot = toStandardJsonSchema(v.object({ seat: v.string(), window: v.boolean() }));
const ark = type({ seat: 'string', window: 'boolean' });
declare const own: {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'own';
    readonly validate: (value: unknown) => { readonly value: Seat };
    readonly jsonSchema: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>;
      readonly output: (options: { readonly target: string }) => Record<string, unknown>;
    };
    readonly types?: { readonly input: Seat; readonly output: Seat };
  };
};

const mid = midcall();
const server = new McpServer({ name: 'flights', version: '1.0.0' });

mid.tool(server, 'zod', { inputSchema: zod }, async (args, call) => {
  same<typeof args, Seat>(true);
  const answer = await call.elicit({
    message: 'Which?',
    form: zod,
    validate: ({ seat }) => ({ seat: `${seat} is taken` }),
  });
  if (answer.action === 'accept') same<typeof answer.content, Seat>(true);
  return answer.action;
});
mid.tool(server, 'valibot', { inputSchema: valibot }, async (args, call) => {
  same<typeof args, Seat>(true);
  const answer = await call.elicit({ message: 'Which?', form: valibot });
  if (answer.action === 'accept') same<typeof answer.content, Seat>(true);
  return answer.action;
});
mid.tool(server, 'arktype', { inputSchema: ark }, async (args, call) => {
  same<typeof args, Seat>(true);
  const answer = await call.elicit({ message: 'Which?', form: ark });
  if (answer.action === 'accept') same<typeof answer.content, Seat>(true);
  return answer.action;
});
mid.tool(server, 'own', { inputSchema: own }, async (args, call) => {
  same<typeof args, Seat>(true);
  const answer = await call.elicit({ message: 'Which?', form: own });
  if (answer.action === 'accept') same<typeof answer.content, Seat>(true);
  return answer.action;
});
mid.prompt(server, 'prompt', { argsSchema: z.object({ to: z.string() }) }, ({ to }) => to);

export async function asks(call: Call): Promise<void> {
  const brief = await call.elicit({ message: 'Which?', form: { seat: String, window: Boolean } });
  if (brief.action === 'accept') same<typeof brief.content, Seat>(true);
  const titled = await call.elicit({
    message: 'Which?',
    form: { seat: { type: 'string', title: 'Seat' }, window: { type: 'boolean', title: 'At the window' } },
  });
  if (titled.action === 'accept') same<typeof titled.content, Seat>(true);

  // A misspelt option is no option.
  // @ts-expect-error it is timeoutMs
  await call.elicit({ message: 'Which?', form: String, timeout: 5 });
  // @ts-expect-error it is validate
  await call.elicit({ message: 'Which?', form: String, validator: () => undefined });
  // @ts-expect-error the form is missing
  await call.elicit({ message: 'Which?' });
  // @ts-expect-error a question takes a page, and its address is ours
  await call.elicitUrl({ message: 'Sign in.', url: 'https://quill.example' });
  // @ts-expect-error there is no such channel
  await call.elicit({ message: 'Which?', form: String, channels: ['pager'] });
  // @ts-expect-error 'seat' is the only field
  await call.elicit({ message: 'Which?', form: { seat: String }, validate: () => ({ row: 'No such row' }) });
  // @ts-expect-error it is idempotent
  await call.step('book', () => 1, { idempotant: true });

  // A form of a wizard depends on a form and a field that there are.
  const forms = { trip: { title: 'Trip', form: { back: Boolean, class: ['first', 'second'] } } } as const;
  const seat = { title: 'Seat', form: zod } as const;
  await call.wizard({
    message: 'A trip.',
    forms: { ...forms, seat, meal: { title: 'Meal', form: String, when: { form: 'seat', field: 'window', is: true } } },
  });
  await call.wizard({
    message: 'A trip.',
    // @ts-expect-error there is no form 'journey'
    forms: { ...forms, seat: { ...seat, when: { form: 'journey', field: 'back', is: true } } },
  });
  await call.wizard({
    message: 'A trip.',
    // @ts-expect-error 'return' is no field of 'trip'
    forms: { ...forms, seat: { ...seat, when: { form: 'trip', field: 'return', is: true } } },
  });

  // A text is no shorthand, and the error is at the field.
  // @ts-expect-error
  await call.elicit({ message: 'Which?', form: { seat: 'Seat' } });
  // @ts-expect-error
  form({ seat: 'Seat', window: Boolean });
}
