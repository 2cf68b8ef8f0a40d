/** The canonical server's rows of SYSTEMS.md (004-01 to 004-14), in both eras; what needs pages or the designer is shown there. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Answer, type FormInput, form } from '@midcall/core/form';
import { type Call, midcall } from '@midcall/server';
import { connectPair, eras, type Scripted, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { samples } from '../../examples/canonical/items.ts';
import { canonicalServer } from '../../examples/canonical/server.ts';
import { paymentsServer } from '../../examples/payments/server.ts';
import { tasksServer } from '../../examples/tasks/server.ts';
import { accept, act, decline, dismiss, questions, type Stage, type StageOptions, stage } from './stage.ts';

const canonical = { serve: canonicalServer, samples };
const all = samples['items.json'].items;
const itemsOf = async (at: Stage) => (JSON.parse(await at.file('items.json')) as { items: string[] }).items;

describe.each(eras)('%s', era => {
  const on = (answers: readonly Scripted[] = [], more: Partial<StageOptions> = {}) =>
    stage(canonical, { era, answers, ...more });
  const unable = { capabilities: {} };

  it('004-01: the call pauses, the client is given a form to draw, and the call goes on with the answer', async () => {
    let during: string[] = [];
    await using at = await on([
      async () => {
        during = await itemsOf(at);
        return accept({ confirm: true });
      },
    ]);
    expect((await at.call('delete_all')).text).toBe('Deleted.');
    expect(during).toEqual(all);
    expect(JSON.stringify(questions(at))).not.toMatch(/<[a-z]+>|iframe/);
  });

  it('004-04: nothing degrades by itself: the handler is told, and its own words are the result', async () => {
    const mid = midcall({ warn: () => {} });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      const text = (text: string) => ({ content: [{ type: 'text' as const, text }] });
      mid.tool(server, 'fallback', {}, async (_, call) => {
        const answer = await call.elicit({ message: 'Go on?', form: Boolean });
        return text(answer.action === 'cancel' ? `fell back: ${answer.reason}` : 'asked');
      });
      mid.tool(server, 'required', {}, async (_, call) => {
        await call.elicit({ message: 'Go on?', form: Boolean, required: true });
        return text('asked');
      });
      return server;
    };
    await using pair = await connectPair(factory, { era, capabilities: {}, person: scriptedPerson([]) });
    const result = await pair.client.callTool({ name: 'fallback' });
    expect(result).toMatchObject({ content: [{ text: 'fell back: unavailable' }] });
    expect(result.isError ?? false).toBe(false);
    const refused = pair.client.callTool({ name: 'required' });
    if (era === '2025-11-25') expect((await refused).isError).toBe(true);
    else await expect(refused).rejects.toMatchObject({ code: -32021 });
  });

  describe('004-05: delete_all', () => {
    it('004-05: delete_all asks with the exact parameters', async () => {
      await using at = await on([decline]);
      await at.call('delete_all', { confirm: true });
      const [{ message, schema }] = questions(at) as [{ message: string; schema: unknown }];
      expect(message).toBe('Delete all items? This cannot be undone.');
      expect(schema).toMatchObject({
        type: 'object',
        properties: { confirm: { type: 'boolean', title: 'Confirm deletion' } },
        required: ['confirm'],
      });
      const { tools } = await at.pair.client.listTools();
      const tool = tools.find(each => each.name === 'delete_all')!;
      expect(tool.description).toBe('Delete all items after confirmation');
      expect(tool.inputSchema.required ?? []).toEqual([]);
    });

    it('004-05: delete_all deletes on a confirmed accept', async () => {
      await using at = await on([accept({ confirm: true })]);
      expect(await at.call('delete_all')).toMatchObject({ text: 'Deleted.', data: { outcome: 'deleted', deleted: 5 } });
      expect(await itemsOf(at)).toEqual([]);
    });

    it.each([
      ['accept false', [accept({ confirm: false })]],
      ['accept without content', [accept(), accept(), accept()]],
      ['decline', [decline]],
      ['cancel', [dismiss]],
    ])('004-05: delete_all deletes nothing on %s, whatever the argument says', async (_name, answers) => {
      await using at = await on(answers);
      expect((await at.call('delete_all', { confirm: true })).text).toBe('Cancelled.');
      expect(await itemsOf(at)).toEqual(all);
      expect(at.person.asked).toHaveLength(answers.length);
    });
  });

  it('004-06: where the client cannot ask, the text says what to do, and a second call brings the answer', async () => {
    await using at = await on([], unable);
    const { text, isError } = await at.call('delete_all');
    expect(text).toBe(
      "Confirmation required. Please ask the user: 'Delete all items? This cannot be undone.' Then call this tool again with their answer.",
    );
    expect(isError).toBe(false);
    expect((await at.call('delete_all', { confirm: false })).text).toBe('Cancelled.');
    expect((await at.call('delete_all', { confirm: 'yes' })).isError).toBe(true);
    expect(await itemsOf(at)).toEqual(all);
    expect((await at.call('delete_all', { confirm: true })).text).toBe('Deleted.');
    expect(await itemsOf(at)).toEqual([]);
    expect(at.person.asked).toEqual([]);
  });

  it.each([
    ['accept true', accept({ value: true }), 'Deleted.', 0],
    ['accept false', accept({ value: false }), 'Cancelled.', 5],
    ['decline', decline, 'Cancelled.', 5],
    ['cancel', dismiss, 'Cancelled.', 5],
    ['unable', undefined, 'Confirmation required. Ask the user to confirm deletion, then retry.', 5],
  ])('004-07: the brief form has the same outcomes: %s', async (_name, answer, text, left) => {
    await using at = await on(answer ? [answer] : [], answer ? {} : unable);
    expect((await at.call('delete_all_brief')).text).toBe(text);
    expect(await itemsOf(at)).toHaveLength(left);
  });

  it('004-09, elicit-23: content of a decline or a cancel is ignored', async () => {
    for (const answer of [decline, dismiss]) {
      await using at = await on([{ ...answer, content: { confirm: true } }]);
      expect((await at.call('delete_all')).text).toBe('Cancelled.');
      expect(await itemsOf(at)).toEqual(all);
    }
  });

  it('004-09, elicit-27: a cancel may be asked again, a decline may not', async () => {
    const twice = async (call: Call) => {
      const ask = () => call.elicit({ message: 'Go on?', form: Boolean });
      return `${(await ask()).action} ${(await ask()).action}`;
    };
    const yes = accept({ value: true });
    expect(await act({ era, answers: [dismiss, yes] }, twice)).toMatchObject({
      text: 'cancel accept',
      asked: { length: 2 },
    });
    expect(await act({ era, answers: [decline, yes] }, twice)).toMatchObject({
      text: 'decline decline',
      asked: { length: 1 },
    });
  });

  it('004-10, elicit-form-25, elicit-form-30: content that does not fit never reaches the handler as an accept, and neither does a bare accept', async () => {
    const ask = async (call: Call) => {
      const answer = await call.elicit({ message: 'How many?', form: { count: { type: 'integer', minimum: 1 } } });
      return answer.action === 'accept'
        ? `${answer.content.count}`
        : `${answer.action} ${'reason' in answer && answer.reason}`;
    };
    const bad = [accept({ count: 0 }), accept({ count: 'three' }), accept()];
    expect(await act({ era, answers: bad }, ask)).toMatchObject({ text: 'cancel invalid', asked: { length: 3 } });
    expect(await act({ era, answers: [accept(), accept({ count: 2 })] }, ask)).toMatchObject({
      text: '2',
      asked: { length: 2 },
    });
  });

  it('004-12, elicit-form-03: every shorthand is asked as its schema and comes back as its value', async () => {
    await using at = await on([
      accept({ value: 'green' }),
      accept({ value: 'ada@example.com' }),
      accept({ value: true }),
      accept({ name: 'Ada', email: 'ada@example.com' }),
    ]);
    const { data } = await at.call('shorthands');
    expect(data['answers']).toEqual({
      color: 'green',
      email: 'ada@example.com',
      sure: true,
      contact: { name: 'Ada', email: 'ada@example.com' },
    });
    expect(questions(at).map(each => each.message)).toEqual([
      'Pick a color',
      'Enter email',
      'Confirm?',
      'Contact details',
    ]);
    expect(questions(at).map(each => (each.schema as { properties: object }).properties)).toEqual([
      { value: { type: 'string', enum: ['red', 'green', 'blue'] } },
      { value: { type: 'string' } },
      { value: { type: 'boolean', title: 'Confirm' } },
      { name: { type: 'string' }, email: { type: 'string' } },
    ]);
  });

  it('004-13, elicit-form-01, elicit-form-28, elicit-url-01: a form never asks for a secret', async () => {
    for (const name of ['password', 'api_key', 'access_token']) {
      const ask = async (call: Call) => (await call.elicit({ message: 'Sign in', form: { [name]: String } })).action;
      const { text, isError, asked } = await act({ era, answers: [accept({ [name]: 'hunter2' })] }, ask);
      expect(isError).toBe(true);
      expect(text).toContain(name);
      expect(asked).toEqual([]);
    }
  });

  it('004-14: tools of every example carry annotations, and none is listed without a title and a description', async () => {
    await using at = await on();
    for (const make of [canonicalServer, tasksServer, paymentsServer]) {
      const { factory } = make(at.directory);
      await using pair = await connectPair(factory, { era, person: scriptedPerson([]) });
      for (const tool of (await pair.client.listTools()).tools) {
        expect([tool.name, tool.annotations?.readOnlyHint, tool.title, tool.description]).toEqual([
          tool.name,
          expect.any(Boolean),
          expect.any(String),
          expect.any(String),
        ]);
      }
    }
  });
});

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = ['core', 'server', 'host', 'testing', 'midcall']
  .map(name => `packages/${name}/src`)
  .concat('examples')
  .flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map(path => join(root, folder, path))
      .filter(path => path.endsWith('.ts') && statSync(path).isFile()),
  );

it('004-03: no code decides by the name of a host', () => {
  // An example of a framework has the framework's own names, and a person chooses between the lists of their hosts by name.
  const deciding = sources.filter(
    path => !path.includes('/examples/agents/') && !path.endsWith('/servers/host-configs.ts'),
  );
  const naming = deciding.filter(path =>
    /claude[ ._-]?(code|desktop|ai)|clientInfo\.name|getClientVersion\(\)\??\.name/i.test(readFileSync(path, 'utf8')),
  );
  expect(naming).toEqual([]);
});

it('004-14: no tool is registered the old way', () => {
  const old = sources.filter(path =>
    /\bserver\.tool\(/.test(readFileSync(path, 'utf8').replaceAll('mid.tool(server', '')),
  );
  expect(old).toEqual([]);
});

it.each([
  ['an object in an object', { a: { type: 'object', properties: {} } }],
  ['an array of objects', { a: { type: 'array', items: { type: 'object' } } }],
  ['an array of numbers', { a: { type: 'array', items: { type: 'number' } } }],
  ['null', { a: { type: 'null' } }],
  ['another format', { a: { type: 'string', format: 'ipv4' } }],
  ['a reference', { a: { $ref: '#/$defs/a' } }],
])('004-08, 000-09, elicit-form-08, elicit-form-09: a form cannot hold %s', (_name, properties) => {
  expect(() => form({ type: 'object', properties } as never)).toThrow(/a/);
});

it.each<[string, object]>([
  ['string', { type: 'string' }],
  ['number', { type: 'number' }],
  ['integer', { type: 'integer' }],
  ['boolean', { type: 'boolean' }],
  ['enum', { type: 'string', enum: ['x', 'y'] }],
  ...(['email', 'uri', 'date', 'date-time'] as const).map((format): [string, object] => [
    format,
    { type: 'string', format },
  ]),
])('004-08, elicit-form-10: a form can hold %s, with a title and a description as labels', (_name, field) => {
  const made = form({ type: 'object', properties: { a: { ...field, title: 'A', description: 'An a' } } } as never);
  expect(made.schema.properties['a']).toMatchObject({ ...field, title: 'A', description: 'An a' });
});

it('004-11: an answer is a union: a switch is complete with three cases, and the compiler says where one is missing', () => {
  const complete = (answer: Answer<boolean>): string => {
    switch (answer.action) {
      case 'accept':
        return `accepted ${answer.content}`;
      case 'decline':
        return 'declined';
      case 'cancel':
        return answer.reason;
    }
  };
  // @ts-expect-error a cancel is forgotten
  const forgetful = (answer: Answer<boolean>): string => {
    switch (answer.action) {
      case 'accept':
        return `accepted ${answer.content}`;
      case 'decline':
        return 'declined';
    }
  };
  const by = { channel: 'native', assurance: 'in-band', elapsedMs: 1 } as const;
  expect(complete({ action: 'accept', content: true, by })).toBe('accepted true');
  expect(forgetful({ action: 'cancel', reason: 'timeout', by })).toBeUndefined();
});

const one = (property: object) => ({ type: 'object', properties: { value: property }, required: ['value'] });
it.each<[string, FormInput, object, object, unknown]>([
  ['a list of strings', ['red', 'green'], one({ type: 'string', enum: ['red', 'green'] }), { value: 'red' }, 'red'],
  ['String', String, one({ type: 'string' }), { value: 'x' }, 'x'],
  ['Number', Number, one({ type: 'number' }), { value: 1.5 }, 1.5],
  ['Boolean', Boolean, one({ type: 'boolean' }), { value: false }, false],
  [
    'a list in a list',
    [['a', 'b']],
    one({ type: 'array', items: { type: 'string', enum: ['a', 'b'] } }),
    { value: ['b'] },
    ['b'],
  ],
  [
    'titles',
    { low: { title: 'Low' } },
    one({ type: 'string', oneOf: [{ const: 'low', title: 'Low' }] }),
    { value: 'low' },
    'low',
  ],
  [
    'titles in a list',
    [{ low: { title: 'Low' } }],
    one({ type: 'array', items: { anyOf: [{ const: 'low', title: 'Low' }] } }),
    { value: ['low'] },
    ['low'],
  ],
  [
    'a record',
    { name: String, email: String },
    {
      type: 'object',
      properties: { name: { type: 'string' }, email: { type: 'string' } },
      required: ['name', 'email'],
    },
    { name: 'Ada', email: 'a@b.example' },
    { name: 'Ada', email: 'a@b.example' },
  ],
  [
    'a Zod object',
    z.object({ name: z.string(), email: z.email() }),
    {
      type: 'object',
      properties: { name: { type: 'string' }, email: { type: 'string', format: 'email' } },
      required: ['name', 'email'],
    },
    { name: 'Ada', email: 'a@b.example' },
    { name: 'Ada', email: 'a@b.example' },
  ],
])('004-12: %s becomes its schema, and an answer becomes the value', async (_name, input, schema, content, value) => {
  const made = form(input);
  expect(made.schema).toMatchObject(schema);
  expect(await made.check(content)).toEqual({ ok: true, value });
});

it.each([
  ['no type', undefined],
  ['a nested record', { name: String, address: { street: String } }],
  ['a list of numbers', [1, 2]],
  ['an empty list', []],
  ['a nested Zod object', z.object({ a: z.object({ b: z.string() }) })],
])('004-12: a form of %s is an error', (_name, input) => {
  expect(() => form(input as never)).toThrow();
});
