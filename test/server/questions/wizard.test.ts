/** Several forms as one question, asked one after the other by the host; see packages/server/src/questions/wizard.ts. */
import { randomBytes } from 'node:crypto';
import { type Call, midcall } from '@midcall/server';
import { connectPair, explore, type pairings, type Scripted, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { addTrips } from '../../../examples/docs/wizard.ts';
import { corners } from '../../fixtures/corners.ts';

const key = randomBytes(32).toString('base64');
const textOf = ({ content }: { readonly content?: unknown }) => (content as { text: string }[])[0]!.text;
const accept = (content: object): Scripted => ({ action: 'accept', content: { ...content } });
const send = accept({ next: '.send' });
const change = (name: string) => accept({ next: name });
const out = accept({ day: '2027-03-01', return: false });
const outAndBack = accept({ day: '2027-03-01', return: true });

interface AskedForm {
  readonly message: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly requestedSchema: { readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
}

type Pairing = (typeof pairings)[number];

async function asks([era, carrier]: Pairing, answers: readonly Scripted[], add: (server: McpServer) => void) {
  const person = scriptedPerson(answers);
  const factory = () => {
    const server = new McpServer({ name: 'trips', version: '1.0.0' });
    add(server);
    return server;
  };
  await using pair = await connectPair(factory, { era, carrier, person });
  const [tool] = (await pair.client.listTools()).tools;
  const result = await pair.client.callTool({ name: tool!.name, arguments: {} });
  return { text: textOf(result), asked: person.asked.map(({ params }) => params as unknown as AskedForm) };
}

const plansTrip = (pairing: Pairing, answers: readonly Scripted[], isFree: (seat: string) => boolean = () => true) => {
  const mid = midcall({ key, suspectBelowMs: 0 });
  return asks(pairing, answers, server => addTrips(server, mid, isFree));
};

function calls(handler: (call: Call) => Promise<string>) {
  const mid = midcall({ key, suspectBelowMs: 0 });
  return (server: McpServer) => mid.tool(server, 'ask', {}, (_args, call) => handler(call));
}

describe.each(corners)('a wizard on %s over %s', (...pairing) => {
  it('a wizard asks the forms that apply, shows all answers, and gives the content of each', async () => {
    const { text, asked } = await plansTrip(pairing, [
      outAndBack,
      accept({ day: '2027-03-08' }),
      accept({ seat: '1A' }),
      send,
    ]);
    expect(text).toBe('Seat 1A, out on 2027-03-01, back on 2027-03-08.');
    expect(asked.map(({ message }) => message)).toEqual([
      'A trip to Porto.\n\nStep 1 of 2: Dates',
      'A trip to Porto.\n\nStep 2 of 3: Return',
      'A trip to Porto.\n\nStep 3 of 3: Seat',
      'A trip to Porto.\n\nCheck your answers.\nDates: Departure: 2027-03-01, With a return flight: yes\nReturn: Return: 2027-03-08\nSeat: Seat: 1A',
    ]);
  });

  it('a wizard leaves out a form whose condition does not hold', async () => {
    const { text, asked } = await plansTrip(pairing, [out, accept({ seat: '2B' }), send]);
    expect(text).toBe('Seat 2B, out on 2027-03-01, one way.');
    expect(asked[1]!.message).toBe('A trip to Porto.\n\nStep 2 of 2: Seat');
  });

  it('a wizard goes back to a form with what was typed there, asks a form that applies only now, and keeps the rest', async () => {
    const first = [out, accept({ seat: '2B' }), change('dates'), outAndBack, accept({ day: '2027-03-08' })];
    const { text, asked } = await plansTrip(pairing, [...first, change('back'), accept({ day: '2027-03-09' }), send]);
    expect(text).toBe('Seat 2B, out on 2027-03-01, back on 2027-03-09.');
    const defaults = (index: number) =>
      ['day', 'return'].map(name => asked[index]!.requestedSchema.properties[name]?.['default']);
    expect([3, 4, 6].map(defaults)).toEqual([
      ['2027-03-01', false],
      [undefined, undefined],
      ['2027-03-08', undefined],
    ]);
  });

  it('a wizard keeps what was typed in a form that does not apply meanwhile', async () => {
    const first = [outAndBack, accept({ day: '2027-03-08' }), accept({ seat: '2B' })];
    const { text, asked } = await plansTrip(pairing, [
      ...first,
      change('dates'),
      out,
      change('dates'),
      outAndBack,
      send,
    ]);
    expect(text).toBe('Seat 2B, out on 2027-03-01, back on 2027-03-08.');
    expect(asked[5]!.message).not.toContain('Return: Return');
  });

  it('a wizard says what is wrong at its field, and judges a form again where one before it was changed', async () => {
    const taken = new Set(['1A']);
    const late = accept({ day: '2027-03-20', return: true });
    const answers = [
      ...[outAndBack, accept({ day: '2027-02-01' }), accept({ day: '2027-03-08' })],
      ...[accept({ seat: '1A' }), accept({ seat: '1B' }), change('dates'), late, accept({ day: '2027-03-21' }), send],
    ];
    const { text, asked } = await plansTrip(pairing, answers, seat => !taken.has(seat));
    expect(text).toBe('Seat 1B, out on 2027-03-20, back on 2027-03-21.');
    const day = (index: number) => asked[index]!.requestedSchema.properties['day'];
    expect(day(2)).toMatchObject({ description: 'Choose a day after the departure.', default: '2027-02-01' });
    expect(asked[4]!.message).toContain('1A has just been taken.');
    expect(day(7)).toMatchObject({ description: 'Choose a day after the departure.', default: '2027-03-08' });
  });

  it('wizard-W4: a wizard offers the way back on each form but the first, also with empty fields, and comes back to what was typed', async () => {
    const { text, asked } = await plansTrip(pairing, [
      ...[outAndBack, accept({ change: 'dates' }), outAndBack, accept({ day: '2027-03-08' })],
      ...[accept({ seat: '2A', change: 'back' }), accept({ day: '2027-03-09' }), accept({ seat: '2A' }), send],
    ]);
    expect(text).toBe('Seat 2A, out on 2027-03-01, back on 2027-03-09.');
    const shown = asked.map(({ message, requestedSchema: { properties } }) => [
      message.split('\n\n')[1]!.split('\n')[0],
      properties['day']?.['default'] ?? properties['seat']?.['default'],
      (properties['change']?.['oneOf'] as { readonly const: string }[] | undefined)?.map(each => each.const),
    ]);
    expect(shown).toEqual([
      ['Step 1 of 2: Dates', undefined, undefined],
      ['Step 2 of 3: Return', undefined, ['dates']],
      ['Step 1 of 3: Dates', '2027-03-01', undefined],
      ['Step 2 of 3: Return', undefined, ['dates']],
      ['Step 3 of 3: Seat', undefined, ['dates', 'back']],
      ['Step 2 of 3: Return', '2027-03-08', ['dates']],
      ['Step 3 of 3: Seat', '2A', ['dates', 'back']],
      // In rounds, the last that is left is for this look.
      [expect.stringMatching(/^Check your answers\./), undefined, undefined],
    ]);
    expect(asked.map(({ _meta }) => _meta?.['io.github.midcall/way-back'])).toEqual(
      shown.map(([, , ways]) => ways && 'change'),
    );
  });

  it('wizard-W4: a wizard lets the person change an earlier form from one refused because of it, and keeps what they typed', async () => {
    const wrongStart = accept({ day: '2027-12-01', return: true });
    const { text, asked } = await plansTrip(pairing, [
      ...[wrongStart, accept({ day: '2027-03-08' }), accept({ day: '2027-03-08', change: 'nothing' })],
      ...[accept({ day: '2027-03-08', change: 'dates' }), outAndBack, accept({ seat: '1A' }), send],
    ]);
    expect(text).toBe('Seat 1A, out on 2027-03-01, back on 2027-03-08.');
    const change = (index: number) => asked[index]!.requestedSchema.properties['change'];
    expect(change(0)).toBeUndefined();
    expect(change(2)).toEqual({
      type: 'string',
      title: 'Or change an earlier answer',
      oneOf: [{ const: 'dates', title: 'Change: Dates' }],
    });
    expect(asked[3]!.message).toContain('must be one of the forms before this one.');
    expect(asked[4]!.requestedSchema.properties).toMatchObject({
      day: { default: '2027-12-01' },
      return: { default: true },
    });
    expect(asked[5]!.message).toBe('A trip to Porto.\n\nStep 3 of 3: Seat');
  });

  it('a wizard gives up a form that is refused three times, also where the person goes back in between', async () => {
    const wrong = accept({ day: '2027-02-01' });
    const { text, asked } = await plansTrip(pairing, [outAndBack, wrong, wrong, wrong]);
    expect([text, asked.length]).toEqual([expect.stringMatching(/^No trip was planned: /), 4]);
    const back = accept({ day: '2027-02-01', change: 'dates' });
    const circle = await plansTrip(pairing, [outAndBack, wrong, back, outAndBack, back, outAndBack]);
    expect([circle.text, circle.asked.length]).toEqual([text, 6]);
  });

  it.each([
    ['declined', { action: 'decline' }, 'decline'],
    ['closed', { action: 'cancel' }, 'cancel/dismissed'],
  ] as const)('a wizard ends where one form is %s, and where the look at all answers is', async (_, ending, said) => {
    const handler = calls(async call => {
      const answer = await call.wizard({
        message: 'Two things.',
        forms: { one: { title: 'One', form: Boolean }, two: { title: 'Two', form: String } },
      });
      return answer.action === 'cancel' ? `cancel/${answer.reason}` : answer.action;
    });
    expect((await asks(pairing, [accept({ value: true }), ending], handler)).text).toBe(said);
    const whole = [accept({ value: true }), accept({ value: 'b' }), ending];
    expect((await asks(pairing, whole, handler)).text).toBe(said);
  });

  it('a wizard of one form is asked as that form, and hides what looks like a card in the look at all answers', async () => {
    const single = calls(async call => {
      const answer = await call.wizard({ message: 'One thing.', forms: { one: { title: 'One', form: [['a', 'b']] } } });
      return JSON.stringify(answer.action === 'accept' && answer.content);
    });
    const alone = await asks(pairing, [accept({ value: ['b'] })], single);
    expect([alone.text, alone.asked[0]!.message]).toEqual(['{"one":["b"]}', 'One thing.\n\nOne']);
    const two = calls(async call => {
      const forms = { one: { title: 'One', form: String }, two: { title: 'Two', form: { low: { title: 'Low' } } } };
      const answer = await call.wizard({ message: 'Two things.', forms } as const);
      return JSON.stringify(answer.action === 'accept' && answer.content);
    });
    const { asked } = await asks(
      pairing,
      [accept({ value: '4111 1111 1111 1111' }), accept({ value: 'low' }), send],
      two,
    );
    expect(asked[2]!.message).toContain('One: Value: (hidden)\nTwo: Value: Low');
  });

  it('a wizard cuts a look at many answers, which go on nevertheless', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `f${index}`);
    const many = calls(async call => {
      const form = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`t${index}`, String]));
      const forms = Object.fromEntries(names.map(name => [name, { title: name, form }]));
      const answer = await call.wizard({ message: 'Much.', forms });
      return answer.action === 'accept' ? String(Object.keys(answer.content)) : answer.action;
    });
    const long = accept(Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`t${index}`, 'x'.repeat(500)])));
    const { text, asked } = await asks(pairing, [...names.map(() => long), send], many);
    expect(text).toBe(String(names));
    expect(asked.at(-1)!.message).toHaveLength(2_000);
  });
});

describe('a wizard that cannot be asked', () => {
  const one = { title: 'One', form: Boolean };
  it.each([
    ['without forms', { message: 'x', forms: {} }, /forms must be an object of 1 to 50 forms/],
    ['with a misspelt option', { message: 'x', form: { one } }, /Did you mean 'forms'\?|forms is missing/],
    ['with a misspelt option of a form', { message: 'x', forms: { one: { titel: 'One', form: Boolean } } }, /titel/],
    [
      'with a check for no form',
      { message: 'x', forms: { one }, validate: { on: () => {} } },
      /validate has 'on', which is not a form of this wizard/,
    ],
    ['with a bad name', { message: 'x', forms: { '1': one } }, /beginning with a letter; got '1'/],
    [
      'with a condition on what comes later',
      { message: 'x', forms: { one: { ...one, when: { form: 'two', field: 'value', is: true } }, two: one } },
      /no form before it has that field/,
    ],
    [
      'with a secret',
      { message: 'x', forms: { one: { title: 'Sign in', form: { password: String } } } },
      /asks for a secret/,
    ],
  ])('a wizard that cannot be asked fails before anybody is asked: %s', async (_, wizard, says) => {
    const { text, asked } = await asks(
      ['2026-07-28', 'memory'],
      [],
      calls(async call => {
        await call.wizard(wizard as never);
        return 'asked';
      }),
    );
    expect(text).toMatch(says);
    expect(asked).toEqual([]);
  });

  it('a wizard that cannot be asked is unavailable where the client has no forms, and ends the call where it is required', async () => {
    for (const required of [false, true]) {
      const factory = () => {
        const server = new McpServer({ name: 'trips', version: '1.0.0' });
        calls(async call => {
          const answer = await call.wizard({ message: 'x', forms: { one, two: one }, required });
          return answer.action === 'cancel' ? answer.reason : answer.action;
        })(server);
        return server;
      };
      await using pair = await connectPair(factory, { era: '2025-11-25', capabilities: {} });
      const result = await pair.client.callTool({ name: 'ask', arguments: {} });
      expect([textOf(result), result.isError ?? false]).toEqual(
        required ? [expect.stringContaining('cannot show a form'), true] : ['unavailable', false],
      );
    }
  });
});

it('a wizard comes to the same on both revisions and as a task, whatever the person answers', async () => {
  const report = await explore(
    {
      name: 'ask',
      server: options => {
        const mid = midcall(options);
        return () => {
          const server = new McpServer({ name: 'two', version: '1.0.0' });
          mid.tool(server, 'ask', {}, async (_args, call) => {
            const answer = await call.wizard({
              message: 'Two things.',
              forms: {
                one: { title: 'One', form: Boolean },
                two: { title: 'Two', form: ['a', 'b'], when: { form: 'one', field: 'value', is: true } },
              },
            });
            if (answer.action !== 'accept') return 'Nothing was done.';
            await call.step('do', () => answer.content.two ?? 'none', { effect: true });
            return 'Done.';
          });
          return server;
        };
      },
    },
    {},
    { depth: 1, budget: 12 },
  );
  expect(report.findings, report.text).toEqual([]);
});
