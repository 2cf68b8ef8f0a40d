/** What a host does with `elicitation/create`, seen from the wire: a server that is nothing but its frames, in both eras. */
import { type Era, Inbox, Policy, type Question, type Reply } from '@midcall/host';
import { eras } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { handClock } from '../clock.ts';
import { nextQuestion } from '../person.ts';
import { type Params, type Wired, type WiredOptions, wired } from '../wire-server.ts';

const colour = { type: 'object', properties: { colour: { type: 'string', enum: ['red', 'green'] } } };
const form = (requestedSchema: object = colour): Params => ({
  mode: 'form',
  message: 'Which colour?',
  requestedSchema,
});
const page = (era: Era, url = 'https://example.com/connect/1'): Params => ({
  mode: 'url',
  message: 'Sign in',
  url,
  ...(era === '2025-11-25' && { elicitationId: 'e-1' }),
});
const says =
  (...replies: (Reply | undefined)[]) =>
  (): Reply | undefined =>
    replies.length > 1 ? replies.shift() : replies[0];
const accept = (content?: Params): Reply => ({ action: 'accept', ...(content && { content }) });

/** Asks once with these params and gives what came back. */
const asking = (era: Era, params: Params, options: Omit<WiredOptions, 'tool'> = {}): Promise<Wired> =>
  wired(era, { ...options, tool: wire => wire.ask(params) });

/** Refused as the era has it: an error on the wire in 2025-11-25, a call that ended here in 2026-07-28; nobody was asked. */
async function expectRefused(era: Era, made: Wired, why: RegExp | string = /./): Promise<void> {
  const outcome = await made.call();
  expect(made.shown).toEqual([]);
  if (era === '2025-11-25') {
    expect(outcome).toEqual({ error: { code: -32602, message: expect.stringMatching(why) } });
    expect(made.responses).toEqual([expect.not.objectContaining({ result: expect.anything() })]);
  } else {
    expect(outcome).toMatchObject({ code: 'host/invalid-request', message: expect.stringMatching(why) });
    expect(made.calls()).toHaveLength(1);
  }
}

describe.each(eras)('%s', era => {
  it.each([['telepathy'], ['FORM'], [''], [7], [null], [{ form: {} }]])(
    'elicit-01, elicit-35: the mode %j, neither form nor url, is refused, and nobody is asked',
    async mode => expectRefused(era, await asking(era, { ...form(), mode }), 'mode must be form or url'),
  );

  it.each<[string, Params]>([
    ['a page without an id', { mode: 'url', message: 'Sign in', url: 'https://example.com/' }],
    ['a page whose id is a number', { mode: 'url', message: 'Sign in', url: 'https://example.com/', elicitationId: 7 }],
  ])('is shown %s, since the person can open it', async (_, params) => {
    const made = await asking(era, params);
    const outcome = made.call();
    const question = await nextQuestion(made.inbox);
    expect(question).not.toHaveProperty('elicitationId');
    await made.inbox.reply(question.id, { action: 'decline' }, 'script');
    expect(await outcome).toMatchObject({ action: 'decline' });
  });

  it('elicit-02, elicit-06: nothing leaves before the person acts, and then what was on screen alone', async () => {
    const made = await asking(
      era,
      form({ ...colour, properties: { ...colour.properties, size: { type: 'integer', default: 7 } } }),
    );
    const outcome = made.call();
    const question = await nextQuestion(made.inbox);
    const before = made.sent.length;
    await new Promise(resolve => setImmediate(resolve));
    expect(made.sent).toHaveLength(before);
    await made.inbox.reply(question.id, accept({ colour: 'red', email: 'me@example.com' }), 'script');
    expect(await outcome).toEqual({ action: 'accept', content: { colour: 'red' } });
  });

  it('elicit-05, elicit-42: the person is told which server asks, by the name they gave it, in both modes', async () => {
    const inbox = new Inbox();
    const tool: WiredOptions['tool'] = async wire => [await wire.ask(form()), await wire.ask(page(era))];
    const one = { id: 'work notes', origin: 'node work.js' };
    const two = { id: 'bank', origin: 'https://bank.example/mcp' };
    const first = await wired(era, {
      tool,
      inbox,
      server: one,
      serverName: 'Your Bank',
      answer: says({ action: 'decline' }),
    });
    const second = await wired(era, { tool, inbox, server: two, serverName: 'Your Bank' });
    await first.call();
    await second.call();
    const asked = first.shown.map(({ kind, asker }) => [kind, asker.id, asker.origin]);
    expect(asked).toEqual([
      ['form', one.id, one.origin],
      ['url', one.id, one.origin],
      ['form', two.id, two.origin],
      ['url', two.id, two.origin],
    ]);
  });

  it.each<[string, (question: Question, made: Wired) => unknown, Params]>([
    ['accept', ({ id }, { inbox }) => inbox.reply(id, accept(), 'script'), { action: 'accept' }],
    ['decline', ({ id }, { inbox }) => inbox.reply(id, { action: 'decline' }, 'script'), { action: 'decline' }],
    ['dismissal', ({ id }, { inbox }) => inbox.reply(id, { action: 'dismiss' }, 'script'), { action: 'cancel' }],
    ['no answer in time', ({ id }, { inbox }) => inbox.end(id, { how: 'timed-out' }), { action: 'cancel' }],
  ])(
    'elicit-07, elicit-21, elicit-22, elicit-23, elicit-24, elicit-url-39: a person’s %s is sent, and nothing more',
    async (_, act, expected) => {
      for (const params of [form(), page(era)]) {
        const made = await asking(era, params);
        const outcome = made.call();
        await act(await nextQuestion(made.inbox), made);
        const content = expected['action'] === 'accept' && params['mode'] === 'form' ? { content: {} } : {};
        expect(await outcome).toEqual({ ...expected, ...content });
      }
    },
  );

  it.each([[['form']], [['url']], [['form', 'url']]] as const)(
    'elicit-08, elicit-09, elicit-10, elicit-12, elicit-36, elicit-37: if %j is declared, it is answered, and no other mode is taken',
    async modes => {
      const replies = [accept(), { action: 'decline' }, { action: 'dismiss' }] as const;
      for (const mode of ['form', 'url'] as const) {
        const declared = modes.some(each => each === mode);
        const params = mode === 'form' ? form() : page(era);
        if (!declared) {
          await expectRefused(era, await asking(era, params, { modes }), `does not support ${mode} mode`);
          continue;
        }
        const made = await wired(era, {
          modes,
          answer: says(...replies),
          tool: async wire => [await wire.ask(params), await wire.ask(params), await wire.ask(params)],
        });
        expect(await made.call()).toMatchObject([{ action: 'accept' }, { action: 'decline' }, { action: 'cancel' }]);
        // An empty object is forms alone, in words that the first revision with elicitation has too.
        const elicitation = modes.join() === 'form' ? {} : Object.fromEntries(modes.map(each => [each, {}]));
        if (era === '2025-11-25') {
          expect(made.calls('initialize')[0]?.params).toMatchObject({ capabilities: { elicitation } });
          const { capabilities } = made.calls('initialize')[0]!.params as { capabilities: { elicitation: object } };
          expect(capabilities.elicitation).toEqual(elicitation);
        } else {
          const requests = made.sent.filter(frame => frame.method !== undefined && frame.id !== undefined);
          expect(requests.length).toBeGreaterThanOrEqual(5);
          for (const { params: sent } of requests) {
            const meta = sent?.['_meta'] as Record<string, { elicitation?: object }>;
            expect(meta['io.modelcontextprotocol/clientCapabilities']?.elicitation).toEqual(elicitation);
          }
        }
      }
    },
  );

  it('elicit-19, elicit-20: a request without a mode is a form, also where only pages are declared', async () => {
    const { mode: _, ...bare } = form();
    const made = await asking(era, bare, { answer: says(accept({ colour: 'green' })) });
    expect(await made.call()).toEqual({ action: 'accept', content: { colour: 'green' } });
    expect(made.shown).toMatchObject([{ kind: 'form', fields: [{ name: 'colour' }] }]);
    await expectRefused(era, await asking(era, bare, { modes: ['url'] }), 'does not support form mode');
  });

  it.each<[string, Params]>([
    ['no message', { mode: 'form', requestedSchema: colour }],
    ['a message that is no text', { ...form(), message: 7 }],
    ['a page without an address', { mode: 'url', message: 'Sign in', elicitationId: 'e-1' }],
    ['a page without a message', { mode: 'url', url: 'https://example.com/', elicitationId: 'e-1' }],
    ['an address that is none', { ...page(era), url: 'not a url' }],
  ])('elicit-16, elicit-url-06, elicit-url-07, elicit-url-10: %s is refused', async (_, params) =>
    expectRefused(era, await asking(era, params)),
  );

  it('elicit-43: a server the person refuses gets cancel without a dialog, and another is asked', async () => {
    const policy = new Policy();
    policy.add({ server: 'notes', subject: 'form', effect: 'refuse' });
    const answer = says(accept({ colour: 'red' }));
    const refused = await asking(era, form(), { policy, answer });
    expect([await refused.call(), refused.shown]).toEqual([{ action: 'cancel' }, []]);
    const other = await asking(era, form(), { policy, answer, server: { id: 'other', origin: 'x' } });
    expect(await other.call()).toMatchObject({ action: 'accept' });
  });

  it('elicit-45: one question more than the limit allows is not shown, until the window has passed', async () => {
    const clock = handClock();
    const policy = new Policy({ clock, limits: { perWindow: 3, windowMs: 60_000 } });
    const made = await asking(era, form(), { policy, clock, answer: says(accept({ colour: 'red' })) });
    const actions: unknown[] = [];
    for (let n = 0; n < 5; n += 1) actions.push(((await made.call()) as { action: string }).action);
    expect(actions).toEqual(['accept', 'accept', 'accept', 'cancel', 'cancel']);
    expect(made.shown).toHaveLength(3);
    clock.move(60_000);
    expect(await made.call()).toMatchObject({ action: 'accept' });
  });

  it('elicit-45: a server has no more questions open than it may, whoever else has; and may ask again when one ends', async () => {
    const policy = new Policy({ limits: { open: 2 } });
    const inbox = new Inbox();
    const other = await asking(era, form(), { inbox, server: { id: 'other', origin: 'node other.js' } });
    const made = await asking(era, form(), { policy, inbox });
    const open = () => inbox.list().filter(({ asker }) => asker.id === 'notes').length;
    for (let n = 0; n < 3; n += 1) {
      const asked = nextQuestion(inbox);
      void other.call();
      await asked;
    }
    const answers: Promise<unknown>[] = [];
    for (let n = 1; n <= 2; n += 1) {
      const asked = nextQuestion(inbox);
      answers.push(made.call());
      await asked;
      expect(open()).toBe(n);
    }
    expect(await made.call()).toMatchObject({ action: 'cancel' });
    expect(open()).toBe(2);
    const first = inbox.list().find(({ asker }) => asker.id === 'notes')!;
    await inbox.reply(first.id, accept({ colour: 'red' }), 'script');
    expect(await answers[0]).toMatchObject({ action: 'accept' });
    const asked = nextQuestion(inbox);
    void made.call();
    expect((await asked).asker.id).toBe('notes');
    expect(open()).toBe(2);
  });

  it('attach-H3: when the connection is gone its questions are too, and those of others stay', async () => {
    const inbox = new Inbox();
    const other = await asking(era, form(), { inbox, server: { id: 'other', origin: 'node other.js' } });
    const made = await asking(era, form(), { inbox });
    for (const { call } of [other, made]) {
      const asked = nextQuestion(inbox);
      void call();
      await asked;
    }
    await made.hangUp();
    expect(inbox.list().map(({ asker }) => asker.id)).toEqual(['other']);
  });

  it('elicit-49, elicit-form-25, elicit-form-29: only values of the form’s own kinds leave', async () => {
    const every = {
      type: 'object',
      required: ['text', 'whole'],
      properties: {
        text: { type: 'string' },
        whole: { type: 'integer' },
        ok: { type: 'boolean' },
        many: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
      },
    };
    const made = await asking(era, form(every));
    const outcome = made.call();
    const { id } = await nextQuestion(made.inbox);
    const good = { text: 'x', whole: 7, ok: false, many: ['a'] };
    const before = made.sent.length;
    for (const bad of [
      { text: { nested: 'x' } },
      { text: ['x'] },
      { whole: 'seven' },
      { whole: 7.5 },
      { ok: 'yes' },
      { many: [1, 2] },
      { many: 'c' },
      { many: [['a']] },
    ]) {
      expect(await made.inbox.reply(id, accept({ ...good, ...bad }), 'script')).toMatchObject({ problem: 'invalid' });
    }
    expect(made.sent).toHaveLength(before);
    await made.inbox.reply(id, accept(good), 'script');
    expect(await outcome).toEqual({ action: 'accept', content: good });
  });

  it.each<[string, object, unknown, unknown]>([
    [
      'elicit-form-08, elicit-form-09: a list of texts',
      { a: { type: 'array', items: { type: 'string' } } },
      ['x'],
      [1],
    ],
    ['allOf', { a: { type: 'string', allOf: [{ minLength: 2 }] } }, 'xy', 'x'],
    ['if and else', { a: { type: 'string', if: { minLength: 2 }, else: { const: 'x' } } }, 'x', 'y'],
    ['elicit-form-12: a fifth format', { a: { type: 'string', format: 'ipv4' } }, 'x', 7],
    ['whole numbers to choose from', { a: { type: 'integer', enum: [1, 2] } }, 2, 3],
    ['an optional text', { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, 'x', 7],
  ])(
    'a form that no author of ours may write is shown, and its answer is checked: %s',
    async (_, properties, fits, wrong) => {
      const made = await asking(era, form({ type: 'object', properties, required: ['a', 'not there'] }));
      const outcome = made.call();
      const question = await nextQuestion(made.inbox);
      expect(question).toMatchObject({
        fields: [{ name: 'a' }],
        notes: ["'not there' is required, but the form has no such field."],
      });
      expect(await made.inbox.reply(question.id, accept({ a: wrong }), 'script')).toMatchObject({ problem: 'invalid' });
      await made.inbox.reply(question.id, accept({ a: fits }), 'script');
      expect(await outcome).toEqual({ action: 'accept', content: { a: fits } });
    },
  );

  it.each<[string, object | undefined]>([
    ['no schema', undefined],
    ['an empty schema', {}],
    ['a schema without properties', { type: 'object' }],
  ])('a form with %s is a yes or a no', async (_, requestedSchema) => {
    const params = { mode: 'form', message: 'Go on?', ...(requestedSchema && { requestedSchema }) };
    const made = await asking(era, params, { answer: says(accept()) });
    expect(await made.call()).toEqual({ action: 'accept', content: {} });
    expect(made.shown).toMatchObject([{ fields: [] }]);
  });

  it('an answer means what its sender means, and what was not asked for is left out and recorded', async () => {
    const properties = { n: { type: 'integer' }, ok: { type: 'boolean' }, nick: { type: 'string', minLength: 1 } };
    const made = await asking(era, form({ type: 'object', properties }), {
      answer: says(accept({ n: '7', ok: 'True', nick: '', more: 1 })),
    });
    const endings: unknown[] = [];
    made.inbox.subscribe(event => {
      if (event.type === 'ended') endings.push(event.ending);
    });
    expect(await made.call()).toEqual({ action: 'accept', content: { n: 7, ok: true } });
    expect(endings).toMatchObject([{ how: 'answered', leftOut: ['more'] }]);
  });

  it('a message as long as a plan is shown', async () => {
    const message = 'Line of a plan.\n'.repeat(10_000);
    const made = await asking(era, { ...form(), message }, { answer: says(accept({})) });
    expect(await made.call()).toEqual({ action: 'accept', content: {} });
    expect(made.shown).toMatchObject([{ message }]);
  });

  it.each<[string, object]>([
    ['a text', { type: 'string' }],
    ['a list', { type: 'array', items: { type: 'string' } }],
  ])('elicit-form-07, elicit-form-32: a schema that is %s, which no answer fits, is refused', async (_, schema) =>
    expectRefused(era, await asking(era, form(schema))),
  );

  it('elicit-form-32: a schema may name its dialect', async () => {
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    const made = await asking(era, form({ ...colour, $schema }), { answer: says(accept({})) });
    expect(await made.call()).toEqual({ action: 'accept', content: {} });
  });

  it.each<[string, object, unknown, unknown]>([
    ['elicit-form-10: a text', { type: 'string', minLength: 2, maxLength: 3 }, 'ab', 'abcd'],
    ['elicit-form-10: a short text', { type: 'string', minLength: 2 }, 'ab', 'a'],
    ['elicit-form-11: a text with a pattern', { type: 'string', pattern: '^[a-z]{3}$' }, 'abc', 'ABC'],
    ['elicit-form-12: an e-mail address', { type: 'string', format: 'email' }, 'ada@example.com', 'ada'],
    ['elicit-form-12: a web address', { type: 'string', format: 'uri' }, 'https://example.com/', 'example'],
    ['elicit-form-12: a date', { type: 'string', format: 'date' }, '2026-02-28', '2026-02-30'],
    ['elicit-form-12: a time', { type: 'string', format: 'date-time' }, '2026-02-28T18:30:00Z', '18:30'],
    ['elicit-form-13: a number', { type: 'number', minimum: 0, maximum: 1 }, 1, -0.5],
    ['elicit-form-13: a large number', { type: 'number', maximum: 1 }, 1, 1.01],
    ['elicit-form-13: a whole number', { type: 'integer', minimum: 1, maximum: 3 }, 3, 2.5],
    ['elicit-form-13: a whole number, not in words', { type: 'integer' }, 3, 'three'],
    ['elicit-form-14: a yes or no', { type: 'boolean' }, false, 'no'],
    ['elicit-form-15: a choice', { type: 'string', enum: ['a', 'b'] }, 'b', 'c'],
    ['elicit-form-16: a choice with titles', { type: 'string', oneOf: [{ const: 'a', title: 'Aye' }] }, 'a', 'Aye'],
    [
      'elicit-form-17: choices',
      { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] }, minItems: 1, maxItems: 2 },
      ['a', 'b'],
      ['a', 'b', 'c'],
    ],
    [
      'elicit-form-17: too few choices',
      { type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 1 },
      ['a'],
      [],
    ],
    [
      'elicit-form-18: choices with titles',
      { type: 'array', items: { anyOf: [{ const: 'a', title: 'Aye' }] }, maxItems: 1 },
      ['a'],
      ['Aye'],
    ],
    ['elicit-form-33: a choice with names', { type: 'string', enum: ['a'], enumNames: ['Aye'] }, 'a', 'Aye'],
  ])('%s is taken where it fits, and nothing else leaves', async (_, property, fits, wrong) => {
    const made = await asking(
      era,
      form({
        type: 'object',
        properties: { here: { ...property, title: 'Here', description: 'Say it' } },
        required: ['here'],
      }),
    );
    const outcome = made.call();
    const question = await nextQuestion(made.inbox);
    expect(question).toMatchObject({ fields: [{ name: 'here', title: 'Here', description: 'Say it' }] });
    expect(await made.inbox.reply(question.id, accept({ here: wrong }), 'script')).toMatchObject({
      problem: 'invalid',
    });
    expect(await made.inbox.reply(question.id, accept({}), 'script')).toMatchObject({ issues: [{ rule: 'required' }] });
    await made.inbox.reply(question.id, accept({ here: fits }), 'script');
    expect(await outcome).toEqual({ action: 'accept', content: { here: fits } });
  });

  it('elicit-form-22, elicit-form-24: each kind has its default, and what is not required may be left out', async () => {
    const properties = {
      text: { type: 'string', default: 'x' },
      number: { type: 'number', default: 0.5 },
      whole: { type: 'integer', default: 7 },
      ok: { type: 'boolean', default: true },
      one: { type: 'string', enum: ['a', 'b'], default: 'b' },
      titled: { type: 'string', oneOf: [{ const: 'a', title: 'Aye' }], default: 'a' },
      many: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, default: ['a'] },
      titles: { type: 'array', items: { anyOf: [{ const: 'a', title: 'Aye' }] }, default: ['a'] },
      name: { type: 'string' },
    };
    const made = await asking(era, form({ type: 'object', properties, required: ['name'] }), {
      answer: says(accept({ name: 'Ada' })),
    });
    expect(await made.call()).toEqual({ action: 'accept', content: { name: 'Ada' } });
    const [question] = made.shown as { fields: { name: string; default?: unknown }[] }[] & Question[];
    expect(Object.fromEntries(question!.fields.map(field => [field.name, field.default]))).toEqual(
      Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, (each as { default?: unknown }).default]),
      ),
    );
  });

  it('elicit-form-26, elicit-form-27: the answer goes back in the era’s own way, and the result follows it', async () => {
    const made = await asking(era, form(), { answer: says(accept({ colour: 'red' })) });
    expect(await made.call()).toEqual({ action: 'accept', content: { colour: 'red' } });
    const [first, retry] = made.calls();
    const answer = { action: 'accept', content: { colour: 'red' } };
    if (era === '2025-11-25') {
      expect(retry).toBeUndefined();
      expect(made.responses).toEqual([{ jsonrpc: '2.0', id: 's0', result: answer }]);
    } else {
      expect(made.responses).toEqual([]);
      expect(retry?.id).not.toBe(first?.id);
      const { _meta: _, ...original } = first!.params!;
      expect(retry?.params).toMatchObject({ ...original, inputResponses: { q: answer }, requestState: 'state-0' });
    }
  });
});
