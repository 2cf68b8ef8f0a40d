/** Wizards on a client of 2026-07-28 that has nothing but its rounds; see packages/server/src/questions/wizard.ts. */
import { randomBytes } from 'node:crypto';
import { type Call, type MidcallOptions, midcall } from '@midcall/server';
import { connectPair, type Era, explore, type Scripted, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';

const key = randomBytes(32).toString('base64');
const accept = (content: object): Scripted => ({ action: 'accept', content: { ...content } });
const send = accept({ next: '.send' });
const change = (name: string) => accept({ next: name });

const forms = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, { title: `Form ${at}`, form: String }]));

/** Each form but the first is asked if the one before it was answered with yes. */
const chain = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `f${at}`,
      {
        title: `Form ${at}`,
        form: { on: Boolean },
        ...(at > 0 && { when: { form: `f${at - 1}`, field: 'on', is: true } }),
      },
    ]),
  );

const asking = (handler: (call: Call) => Promise<string>) => (options: MidcallOptions) => {
  const mid = midcall({ key, suspectBelowMs: 0, ...options });
  return () => {
    const server = new McpServer({ name: 'rounds', version: '1.0.0' });
    mid.tool(server, 'ask', {}, (_args, call) => handler(call));
    return server;
  };
};

const wizard = (all: Parameters<Call['wizard']>[0]['forms'], more: object = {}) =>
  asking(async call => {
    const answer = await call.wizard({ message: 'Many things.', forms: all, ...more });
    return answer.action === 'accept' ? JSON.stringify(answer.content) : JSON.stringify(answer);
  });

async function played(
  server: (options: MidcallOptions) => () => McpServer,
  answers: readonly Scripted[],
  { era = '2026-07-28', ...options }: MidcallOptions & { readonly era?: Era } = {},
) {
  const person = scriptedPerson(answers);
  await using pair = await connectPair(server(options), { era, person });
  const result = await pair.client.callTool({ name: 'ask', arguments: {} });
  const rounds = pair.frames.filter(
    ({ message }) => (message['result'] as { resultType?: string } | undefined)?.resultType === 'input_required',
  );
  return {
    text: (result.content as { text: string }[])[0]!.text,
    isError: result.isError ?? false,
    asked: person.asked.map(
      ({ params }) =>
        params as unknown as {
          message: string;
          requestedSchema: { properties: Record<string, { oneOf?: { const: string }[] }> };
        },
    ),
    rounds: rounds.length,
  };
}

describe('a wizard in the rounds of a client', () => {
  it('wizard-W6: a wizard asks nine forms in one round where one by one would not fit, and shows all answers in a second', async () => {
    const nine = Array.from({ length: 9 }, (_, at) => accept({ value: `answer ${at}` }));
    const { text, asked, rounds } = await played(wizard(forms(9)), [...nine, send]);
    expect(JSON.parse(text)).toEqual(Object.fromEntries(nine.map((_, at) => [`f${at}`, `answer ${at}`])));
    expect(asked.map(({ message }) => message.split('\n')[2])).toEqual([
      ...nine.map((_, at) => `Step ${at + 1} of 9: Form ${at}`),
      'Check your answers.',
    ]);
    expect(rounds).toBe(2);
  });

  it('wizard-W6: a wizard asks one form at a time by requests, which have no limit', async () => {
    const nine = Array.from({ length: 9 }, (_, at) => accept({ value: `answer ${at}` }));
    const { asked } = await played(wizard(forms(9)), [...nine, send], { era: '2025-11-25' });
    expect(asked[8]!.requestedSchema.properties['change']?.oneOf).toHaveLength(8);
  });

  it('wizard-W6: a wizard lets the person change their mind twice in five forms', async () => {
    const five = Array.from({ length: 5 }, (_, at) => accept({ value: `answer ${at}` }));
    const { text, rounds } = await played(wizard(forms(5)), [
      ...five,
      change('f1'),
      accept({ value: 'other' }),
      change('f3'),
      accept({ value: 'another' }),
      send,
    ]);
    expect(JSON.parse(text)).toMatchObject({ f0: 'answer 0', f1: 'other', f3: 'another' });
    expect(rounds).toBe(6);
  });

  it('wizard-W6: a wizard leaves the last round for the look at all answers, which then offers no changes', async () => {
    const { text, asked } = await played(
      wizard(forms(2)),
      [accept({ value: 'a' }), accept({ value: 'b' }), change('f0'), accept({ value: 'c' }), send],
      { maxRounds: 4 },
    );
    expect(JSON.parse(text)).toEqual({ f0: 'c', f1: 'b' });
    expect(asked[2]!.requestedSchema.properties['next']!.oneOf).toHaveLength(3);
    expect(asked[4]!.requestedSchema.properties['next']!.oneOf).toEqual([
      { const: '.send', title: 'Send these answers' },
    ]);
    expect(asked[4]!.message).toContain('They can no longer be changed here: send them, or decline.');
  });

  it('wizard-W6: a wizard ends as invalid where an answer is rejected and no round is left to ask again', async () => {
    const refused = wizard(forms(2), { validate: { f0: () => 'Not this one.' } });
    const { text, isError } = await played(refused, [accept({ value: 'a' }), accept({ value: 'b' })], { maxRounds: 2 });
    expect(isError).toBe(false);
    expect(JSON.parse(text)).toMatchObject({ action: 'cancel', reason: 'invalid' });
  });

  it('wizard-W6: a wizard validates the forms of one round in their order, each with the answers before it', async () => {
    const seen: unknown[] = [];
    const together = wizard(forms(6), {
      validate: { f5: (_value: string, earlier: unknown) => void seen.push(earlier) },
    });
    const six = Array.from({ length: 6 }, (_, at) => accept({ value: String(at) }));
    const { rounds } = await played(together, [...six, send]);
    expect(seen).toEqual([{ f0: '0', f1: '1', f2: '2', f3: '3', f4: '4' }]);
    expect(rounds).toBe(2);
  });

  it('wizard-W6: a wizard refuses forms that depend on each other in more steps than there are rounds, before the first question', async () => {
    const { text, isError, asked } = await played(wizard(chain(9)), []);
    expect({ isError, asked }).toEqual({ isError: true, asked: [] });
    expect(text).toContain(
      "'Many things.' needs at least 10 rounds of questions, and this client allows 9 more for this call",
    );
    expect(text).toContain('call outlive its rounds with pages or the relay');
    expect(
      (await played(wizard(chain(8)), Array.from({ length: 8 }, () => accept({ on: true })).concat(send))).isError,
    ).toBe(false);
  });

  it.each([
    ['finds one that cannot fit', chain(9), [['too-many-rounds', ['2026-07-28']]]],
    ['has nothing to say of one that fits if its forms share rounds', forms(9), []],
    ['has nothing to say of one that fits without changes', chain(7), []],
  ] as const)('explore looks at a wizard, and %s', { tags: 'thorough' }, async (_, all, found) => {
    // How long an answer took is the client's doing.
    const server = asking(async call => (await call.wizard({ message: 'Many things.', forms: all })).action);
    const report = await explore({ name: 'ask', server }, {}, { depth: 1, budget: 8 });
    expect(
      report.findings.map(({ kind, playedAs }) => [kind, playedAs]),
      report.text,
    ).toEqual(found);
    expect(report.outside, report.text).toEqual([]);
  });
});

it('a call that has used its rounds says on one line what is open, and what its author can do', async () => {
  const perRow = asking(async call => {
    for (let row = 1; row <= 12; row++) await call.elicit({ message: `Row ${row}?\n\nSay something.`, form: String });
    return 'done';
  });
  const { text, isError } = await played(
    perRow,
    Array.from({ length: 9 }, () => accept({ value: 'x' })),
  );
  expect(isError).toBe(true);
  expect(text).toContain(
    "This call has used its 9 rounds of questions and ends here. Still open: 'Row 10? Say something.'.",
  );
  expect(text).toContain('For its author: ask for more at once (several fields in one form,');
  expect(text).not.toMatch(/⟦|\n/);
});
