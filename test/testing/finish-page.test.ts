/** A scripted person finishes the pages of a server: every kind of page of ours, by what its form says. */
import { type Call, midcall } from '@midcall/server';
import { confirm, connect, formPage, type Keeper, pageOf, secret } from '@midcall/server/connect';
import {
  connectPair,
  eras,
  type FinishPageOptions,
  finishPage,
  type PersonRequest,
  scriptedPerson,
} from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const entered = new Map<string, string>();
const vault: Keeper = {
  put: async (_owner, name, value) => void entered.set(name, value),
  get: async (_owner, name) => entered.get(name),
  forget: async (_owner, name) => void entered.delete(name),
};

const trip = formPage({
  title: 'The trip',
  items: {
    kind: { kind: 'select', label: 'Kind', choices: ['private', 'business'] },
    people: { kind: 'list', label: 'Traveller', min: 1, items: { name: { kind: 'text', label: 'Name' } } },
    mail: { kind: 'text', label: 'E-mail', format: 'email' },
    seats: { kind: 'number', label: 'Seats', minimum: 2 },
    extras: { kind: 'multi-select', label: 'Extras', choices: ['meal', 'lounge'] },
    flexible: { kind: 'boolean', label: 'Flexible?' },
    notes: { kind: 'text', label: 'Notes', long: true, required: false },
  },
});

const leading = {
  name: 'leading',
  show: () => ({ title: 'Go there', send: 'Go', body: '' }),
  submit: () => ({ leave: { to: new URL('https://example.com'), says: 'Going' } }),
};

const asks: Record<string, (call: Call) => Promise<unknown>> = {
  confirm: call => call.elicitUrl({ message: 'Sure?', page: confirm() }),
  secret: call => call.elicitUrl({ message: 'The key?', page: secret({ name: 'weather', label: 'Key' }) }),
  form: call => call.elicitUrl({ message: 'The trip?', page: trip }),
  leave: call => call.elicitUrl({ message: 'There?', page: pageOf(leading as never, null) }),
  question: call =>
    call.elicit({
      message: 'Which?',
      form: z.object({ day: z.iso.date(), sure: z.boolean() }),
      assurance: 'out-of-band',
    }),
  wizard: call =>
    call.wizard({
      message: 'Two things.',
      assurance: 'out-of-band',
      forms: {
        a: { title: 'First', form: { colours: [['red', 'green']] } },
        b: { title: 'Second', form: String },
      },
    } as never),
};

/** The answer to one ask, whose page the person finishes. */
async function answered(name: string, options: FinishPageOptions = {}, era: (typeof eras)[number] = '2026-07-28') {
  const pages = connect({ name: 'Pages', vault, kinds: [leading as never], reach: { kind: 'here', browser: false } });
  onTestFinished(() => pages.close());
  const mid = midcall({ pages, askTimeoutMs: 60_000, suspectBelowMs: 0 });
  const person = scriptedPerson([
    async (asked: PersonRequest) => {
      await finishPage(asked, options);
      return { action: 'accept' };
    },
  ]);
  await using pair = await connectPair(
    () => {
      const server = new McpServer({ name: 'pages', version: '1.0.0' });
      mid.tool(server, 'ask', {}, async (_args, call) => {
        const { action, content } = (await asks[name]!(call)) as { action: string; content?: unknown };
        return { content: [{ type: 'text', text: JSON.stringify({ action, content }) }] };
      });
      return server;
    },
    { era, person, capabilities: { elicitation: { url: {} } } },
  );
  const { content } = await pair.client.callTool({ name: 'ask', arguments: {} });
  return JSON.parse((content as { text: string }[])[0]!.text);
}

describe.each(eras)('%s: a scripted visitor', era => {
  it.each([
    ['confirm', { approved: true }],
    ['secret', { secret: 'weather' }],
    [
      'form',
      {
        kind: 'private',
        people: [{ name: 'Some words' }],
        mail: 'ada@example.com',
        seats: 2,
        extras: ['meal'],
        flexible: true,
        notes: 'Some words',
      },
    ],
    ['question', { day: '2026-08-01', sure: true }],
    ['wizard', { a: { colours: ['red'] }, b: 'Some words' }],
  ] as const)('a scripted visitor fills in a page of kind %s', async (name, content) => {
    // What is entered as a secret must be recognisable.
    const options = name === 'secret' ? { input: { secret: 'sk-canary-7714' } } : {};
    expect(await answered(name, options, era)).toEqual({ action: 'accept', content });
  });
});

it('a scripted visitor enters what the test says, by the names of the inputs', async () => {
  await answered('secret', { input: { secret: 'sk-canary-123' } });
  expect(entered.get('weather')).toBe('sk-canary-123');
  const { content } = await answered('form', { input: { 'people.0.name': 'Ada', extras: ['meal', 'lounge'] } });
  expect(content).toMatchObject({ people: [{ name: 'Ada' }], extras: ['meal', 'lounge'] });
});

it('a scripted visitor declines on the page', async () => {
  expect(await answered('confirm', { decline: true })).toEqual({ action: 'decline' });
});

describe('finishPage says what is wrong:', () => {
  it.each([
    ['a value that the page refuses', 'form', { seats: '1' }, /The page 'The trip' did not take what was entered: /],
    ['an input that no page has', 'confirm', { seat: '1A' }, /The page was finished, but has no input 'seat'\./],
    ['a page that leads elsewhere', 'leave', {}, /The page was not finished: it says 'Going'\./],
  ] as const)('finishPage says what is wrong with %s', async (_, name, input, words) => {
    let problem: unknown;
    const pages = connect({ name: 'Pages', kinds: [leading as never], reach: { kind: 'here', browser: false } });
    onTestFinished(() => pages.close());
    const mid = midcall({ pages });
    const person = scriptedPerson([
      async (asked: PersonRequest) => {
        problem = await finishPage(asked, { input }).catch((error: unknown) => error);
        return { action: 'decline' };
      },
    ]);
    const make = () => {
      const server = new McpServer({ name: 'pages', version: '1.0.0' });
      mid.tool(server, 'ask', {}, async (_args, call) => String(await asks[name]!(call)));
      return server;
    };
    await using pair = await connectPair(make, {
      era: '2026-07-28',
      person,
      capabilities: { elicitation: { url: {} } },
    });
    await pair.client.callTool({ name: 'ask', arguments: {} });
    expect(String(problem)).toMatch(words);
  });

  it('finishPage says what is wrong with a question without a page', async () => {
    await expect(finishPage({ method: 'elicitation/create', params: { message: 'Sure?' } })).rejects.toThrow(
      'finishPage: the first argument must be a question in URL mode; got an object',
    );
  });
});
