/** What `midcall call` asks for in the terminal is checked as it is typed, so that no call is lost to one wrong argument. */
import { PassThrough } from 'node:stream';
import { Terminal } from '@midcall/host/terminal';
import { expect, it } from 'vitest';
import { argumentsOf, askArguments } from '../../packages/midcall/src/cli/ask-arguments.ts';

const schema = {
  type: 'object',
  required: ['title', 'when', 'count', 'tags'],
  properties: {
    title: { type: 'string', minLength: 1 },
    when: { type: 'string', format: 'date' },
    email: { type: 'string', format: 'email' },
    count: { type: 'integer', maximum: 3 },
    tags: { type: 'array', items: { $ref: '#/$defs/tag' } },
  },
  $defs: { tag: { type: 'string', pattern: '^[a-z]+$' } },
};

/** What comes of these lines, and what the terminal says. */
async function typed(lines: readonly string[], { optional = false, schema: asked = schema as object } = {}) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const terminal = new Terminal({ input, output, plain: true });
  input.end(lines.map(line => `${line}\n`).join(''));
  const values = await askArguments(
    terminal,
    argumentsOf(asked),
    {},
    {
      optional,
      earlier: new Map(),
      over: new AbortController().signal,
    },
  );
  terminal.close();
  return { values, said: String(output.read()) };
}

it('midcall call says what is wrong with an argument, and asks for it again', async () => {
  const { values, said } = await typed(['', 'Fair', 'tomorrow', '2027-05-01', '4', '3', 'A1', 'a']);
  expect(values).toEqual({ title: 'Fair', when: '2027-05-01', count: 3, tags: ['a'] });
  for (const wrong of [
    'Title must have at least 1 character.',
    'When must be a date that exists, written as 2026-12-31.',
    'Count must be at most 3.',
    'At 0: must match the pattern ^[a-z]+$',
  ])
    expect(said).toContain(wrong);
});

it('midcall call says how a format is written', async () => {
  const { said } = await typed(['Fair', '2027-05-01', '3', 'a']);
  expect(said).toContain('when (required, a date such as 2026-12-31)');
});

it('an argument that may be left out may be empty, but not wrong', async () => {
  const given = ['Fair', '2027-05-01', '3', 'a'];
  const wrong = await typed([...given, '2', 'notmail', 'ada@example.com', '1'], { optional: true });
  expect(wrong.said).toContain('Email must be an e-mail address, such as ada@example.com.');
  expect(wrong.values).toMatchObject({ email: 'ada@example.com' });
  const empty = await typed([...given, '2', '', '1'], { optional: true });
  expect(Object.keys(empty.values ?? {})).not.toContain('email');
});

it('what was entered is written out where the person leaves, without what is secret', async () => {
  const secret = { required: ['title', 'password', 'when'], properties: { title: {}, password: {}, when: {} } };
  const { values, said } = await typed(['Fair', 'hunter2'], { schema: secret });
  expect(values).toBeUndefined();
  expect(said).toContain('Not sent. You had entered:\n  title: "Fair"\n  password: given\n');
  expect(said).not.toContain('hunter2');
});
