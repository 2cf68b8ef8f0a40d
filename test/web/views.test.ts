/** The two views of what a person is asked, the desk and the terminal: what they show, and what leaves through them. */
import { PassThrough } from 'node:stream';
import { type FormQuestion, Inbox, judgeUrl, type Question, type Reply } from '@midcall/host';
import { Terminal } from '@midcall/host/terminal';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callPage } from '../../packages/host/src/web/pages/call-page.ts';
import type { CallView } from '../../packages/host/src/web/workspace/views.ts';
import { enter } from './client.ts';
import { everyField, openPage, pickOne, stageOfFile } from './stage.ts';

const link = (path: string): string => path;

const on = await stageOfFile();
const visitor = await enter(on.desk);

const where = (question: Question): string =>
  question.call ? `/calls/${question.call.id}` : `/questions/${question.id}`;
const textOf = (markup: string): string =>
  markup
    .replace(/<(script|style)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

/** A question on the desk: the markup of its card, and its ending. */
async function desk(question: Question) {
  const ending = on.inbox.ask(question);
  const page = (await visitor.get(where(question))).text;
  const from = page.indexOf(`id="q-${question.id}"`);
  const card = page.slice(page.lastIndexOf('<article', from), page.indexOf('</article>', from));
  onTestFinished(() => void on.inbox.end(question.id, { how: 'withdrawn' }));
  const post = (fields: Record<string, string>, path = '') => visitor.post(`/questions/${question.id}${path}`, fields);
  return { card, text: textOf(card), ending, post };
}

/** A question in a terminal of plain lines, with everything typed at once. */
async function terminal(question: Question, typed: readonly string[] = []) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let text = '';
  output.on('data', part => (text += part));
  const opened: string[] = [];
  const openUrl = async (href: string) => opened.push(href) > 0;
  const view = new Terminal({ input, output, plain: true, openUrl, timeZone: 'Europe/Berlin' });
  onTestFinished(() => view.close());
  const inbox = new Inbox();
  const replies: Reply[] = [];
  inbox.present({
    via: view.via,
    show(asked, { reply, ended }) {
      const noted = (given: Reply) => {
        replies.push(given);
        return reply(given);
      };
      view.show(asked, { ended, reply: noted });
    },
  });
  const ending = inbox.ask(question);
  await new Promise(resolve => setImmediate(resolve));
  const first = text;
  input.write(typed.map(line => `${line}\n`).join(''));
  return { first, text: () => text, ending, replies, opened };
}

const profile = (call: string): FormQuestion => ({
  ...pickOne(call),
  message: 'We need a few things to book your trip.',
  fields: [
    {
      kind: 'text',
      name: 'name',
      title: 'Full name',
      description: 'As in your passport',
      required: true,
      minLength: 2,
      maxLength: 40,
    },
    { kind: 'number', name: 'age', title: 'Age', integer: true, minimum: 18, maximum: 99, required: false },
    { kind: 'boolean', name: 'aisle', title: 'Aisle seat', required: true },
    {
      kind: 'select',
      name: 'meal',
      title: 'Meal',
      required: true,
      choices: [
        { value: 'v', title: 'Vegetarian' },
        { value: 'f', title: 'Fish' },
      ],
    },
    {
      kind: 'multi-select',
      name: 'days',
      title: 'Days',
      required: false,
      minItems: 1,
      maxItems: 2,
      choices: [
        { value: 'mon', title: 'Monday' },
        { value: 'tue', title: 'Tuesday' },
      ],
    },
  ],
});

describe('a default that would redraw the terminal', () => {
  const hidden = 'x\u001B[2J\u001B]0;owned\u0007\u009B31m\u202Ey';
  const question = (): FormQuestion => ({
    ...pickOne('v-hidden'),
    fields: [{ kind: 'text', name: 'city', title: 'City', required: true, default: hidden }],
  });
  const obeyed = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/;

  it('a default that would redraw the terminal is written out, and sent as it is where it is left as it is', async () => {
    const shown = await terminal(question(), ['1', '', '1']);
    expect(await shown.ending).toMatchObject({ how: 'answered', content: { city: hidden } });
    expect(shown.text()).toContain('x⟦U+001B⟧[2J⟦U+001B⟧]0;owned⟦U+0007⟧⟦U+009B⟧31m⟦U+202E⟧y');
    expect(shown.text()).not.toMatch(obeyed);
  });

  it('a default that would redraw the terminal gives way to what is typed', async () => {
    const shown = await terminal(question(), ['1', 'Bonn', '1']);
    expect(await shown.ending).toMatchObject({ how: 'answered', content: { city: 'Bonn' } });
    expect(shown.text()).not.toMatch(obeyed);
  });
});

describe('a form', () => {
  it('elicit-04: a form gives the same answer through either view', async () => {
    const content = { name: 'Ada', age: 36, aisle: false, meal: 'f', days: ['mon', 'tue'] };
    const web = await desk(profile('v-1'));
    const fields = { f0: 'Ada', f1: '36', f2: 'false', f3: '1' };
    const body = new URLSearchParams({ ...fields, action: 'accept', csrf: visitor.csrf });
    for (const day of ['0', '1']) body.append('f4', day);
    const { id } = on.inbox.list().at(-1)!;
    const sent = await fetch(new URL(`questions/${id}`, on.desk.url), {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: visitor.cookie, origin: visitor.origin, 'content-type': 'application/x-www-form-urlencoded' },
      body: body.toString(),
    });
    expect(sent.status).toBe(303);
    const lines = await terminal(profile('v-2'), ['1', 'Ada', '36', 'no', 'fish', 'monday, tuesday', '1']);
    expect(await web.ending).toEqual({ how: 'answered', via: 'web', content });
    expect(await lines.ending).toEqual({ how: 'answered', via: 'terminal', content });
  });

  it('elicit-46, elicit-form-21: message, titles, descriptions and rules are on screen before anything is entered', async () => {
    const web = await desk(profile('v-3'));
    for (const said of [
      'We need a few things to book your trip.',
      'Full name',
      'As in your passport',
      'Age',
      'Aisle seat',
      'Meal',
      'Vegetarian',
      'Days',
      '40',
      '18',
      '99',
      '2',
    ])
      expect(web.text).toContain(said);
    const lines = await terminal(profile('v-4'), ['1', 'Ada', '36', 'no', 'fish', 'monday', '1']);
    expect(lines.first).toContain('  | We need a few things to book your trip.');
    await lines.ending;
    expect(lines.text()).toContain(
      'Full name (required, at least 2 characters, at most 40 characters) — As in your passport: ',
    );
    expect(lines.text()).toContain('Age (optional, whole number, from 18, up to 99): ');
    expect(lines.text()).toMatch(/Meal \(required\)\n {2}1\) Vegetarian\n {2}2\) Fish\n/);
  });

  it('elicit-form-19, 004-01: a form has the control that fits each kind', async () => {
    const { card } = await desk(everyField('v-5'));
    const control = (at: number) => new RegExp(`<(?:input|select|textarea)[^>]*name="f${at}"[^>]*>`, 'g');
    const kinds = Array.from({ length: 11 }, (_, at) => {
      const [first = ''] = card.match(control(at)) ?? [];
      return first.startsWith('<input') ? /type="([^"]+)"/.exec(first)?.[1] : /^<(\w+)/.exec(first)?.[1];
    });
    expect(kinds).toEqual([
      'text',
      'email',
      'url',
      'date',
      'datetime-local',
      'number',
      'number',
      'radio',
      'radio',
      'select',
      'checkbox',
    ]);
  });

  it('elicit-form-22, elicit-form-23: a form opens with its defaults, and sends exactly those if it is left as it is', async () => {
    const defaults = { word: 'x', number: 0.5, whole: 7, ok: true, one: 'b', many: ['a'] };
    const choices = [
      { value: 'a', title: 'Aye' },
      { value: 'b', title: 'Bee' },
    ];
    const question = (call: string): FormQuestion => ({
      ...pickOne(call),
      fields: [
        { kind: 'text', name: 'word', required: true, default: 'x' },
        { kind: 'number', name: 'number', integer: false, required: true, default: 0.5 },
        { kind: 'number', name: 'whole', integer: true, required: true, default: 7 },
        { kind: 'boolean', name: 'ok', required: true, default: true },
        { kind: 'select', name: 'one', required: true, choices, default: 'b' },
        { kind: 'multi-select', name: 'many', required: true, choices, default: ['a'] },
      ],
    });
    const web = await desk(question('v-6'));
    const untouched: Record<string, string> = {};
    for (const [tag] of web.card.matchAll(/<input[^>]*name="f\d"[^>]*>/g)) {
      const [, name] = /name="(f\d)"/.exec(tag)!;
      const choice = /type="(?:radio|checkbox)"/.test(tag);
      if (!choice || / checked/.test(tag)) untouched[name!] = /value="([^"]*)"/.exec(tag)![1]!;
    }
    for (const [, name, value] of web.card.matchAll(/<textarea[^>]*name="(f\d)"[^>]*>\n([^<]*)</g))
      untouched[name!] = value!;
    await web.post({ action: 'accept', ...untouched });
    expect(await web.ending).toMatchObject({ how: 'answered', content: defaults });
    const lines = await terminal(question('v-7'), ['1', '', '', '', '', '', '', '1']);
    expect(await lines.ending).toMatchObject({ how: 'answered', content: defaults });
  });

  it('elicit-07, elicit-44: a form can be declined or dismissed when it opens, while it is filled in, and after it was found wrong', async () => {
    for (const [action, how, line] of [
      ['decline', 'declined', '2'],
      ['dismiss', 'dismissed', '3'],
    ] as const) {
      const fresh = await desk(profile(`v-8-${action}`));
      for (const value of ['accept', 'decline', 'dismiss'])
        expect(fresh.card).toContain(`name="action" value="${value}"`);
      await fresh.post({ action });
      const half = await desk(profile(`v-9-${action}`));
      await half.post({ f0: 'A', visited: 'f0' }, '/check');
      await half.post({ action, f0: 'A' });
      const wrong = await desk(profile(`v-10-${action}`));
      const again = await wrong.post({ action: 'accept', f0: 'A' });
      expect([again.status, again.text]).toEqual([422, expect.stringContaining(`name="action" value="${action}"`)]);
      await wrong.post({ action, f0: 'A' });
      for (const { ending } of [fresh, half, wrong]) expect(await ending).toEqual({ how, via: 'web' });
      const opening = await terminal(profile(`v-11-${action}`), [line]);
      const seen = await terminal(profile(`v-12-${action}`), ['1', 'A', 'Ada', '17', '36', 'no', 'fish', '', action]);
      for (const { ending } of [opening, seen]) expect(await ending).toEqual({ how, via: 'terminal' });
      expect(seen.text()).toContain('! Full name');
    }
  });

  it('elicit-form-04, elicit-form-20: what is wrong stays on screen with the rule it breaks, what was entered can be changed, and nothing leaves meanwhile', async () => {
    const web = await desk(profile('v-13'));
    const id = on.inbox.list().at(-1)!.id;
    const checked = await web.post({ f0: 'A', visited: 'f0' }, '/check');
    expect(textOf(checked.text)).toMatch(/at least 2 characters/);
    const wrong = await web.post({ action: 'accept', f0: 'Ada', f1: '17', f2: 'true', f3: '0' });
    expect([wrong.status, on.inbox.get(id)?.id]).toEqual([422, id]);
    expect(wrong.text).toContain('value="Ada"');
    await web.post({ action: 'accept', f0: 'Bob', f1: '71', f2: 'true', f3: '0' });
    expect(await web.ending).toMatchObject({ content: { name: 'Bob', age: 71, aisle: true, meal: 'v' } });
    const lines = await terminal(profile('v-14'), ['1', 'Ada', '17', '36', 'no', 'fish', '', '2', '1', 'Bob', '1']);
    expect(await lines.ending).toMatchObject({ content: { name: 'Bob', age: 36, aisle: false, meal: 'f' } });
    expect(lines.text()).toContain('! Age');
    expect(lines.replies).toHaveLength(1);
  });
});

describe('both modes', () => {
  it.each([
    ['a form', () => profile('v-15')],
    ['a page', () => openPage()],
  ])(
    'elicit-05, elicit-42: %s names the server as the person does, whatever it calls itself and writes',
    async (_, make) => {
      const asker = { ...pickOne('x').asker, id: 'my notes', name: 'Your Bank', origin: 'node notes.js' };
      const question = {
        ...make(),
        asker,
        message: '== A server asks ==\nServer bank (https://bank.example)',
      } as Question;
      const web = await desk(question);
      const heading = /<h2[^>]*>([\s\S]*?)<\/h2>/.exec(web.card)?.[1] ?? '';
      expect(textOf(heading)).toContain('my notes');
      expect(textOf(heading)).not.toContain('bank');
      expect(web.text).toContain('node notes.js');
      const { first } = await terminal({ ...question, id: `${question.id}t` });
      expect(first).toMatch(/^Server my notes \(node notes\.js\), which calls itself Your Bank/m);
      expect(first).not.toMatch(/^Server bank/m);
      expect(first).toContain('  | Server bank (https://bank.example)');
    },
  );

  it('elicit-url-66: an address in any text of a form is text, no link', async () => {
    const link = 'https://click.example/here';
    const question: FormQuestion = {
      ...profile('v-16'),
      message: `Go to ${link}`,
      fields: [
        {
          kind: 'text',
          name: 'a',
          title: `Title ${link}`,
          description: `See [this](${link}) or <a href="${link}">this</a>`,
          required: true,
        },
        { kind: 'select', name: 'b', title: 'B', required: true, choices: [{ value: 'x', title: `Choice ${link}` }] },
      ],
    };
    const { card, text } = await desk(question);
    expect(text.split(link).length - 1).toBeGreaterThanOrEqual(5);
    expect(card).not.toMatch(/(?:href|src|action|formaction)="[^"]*click\.example/);
    expect(card).not.toContain('<a ');
    const lines = await terminal({ ...question, id: 'v-16t' }, ['1', 'x', '1', '1']);
    await lines.ending;
    expect(lines.text()).toContain(link);
    expect(lines.text()).not.toContain('\u001b');
  });
});

describe('a page to open', () => {
  it('elicit-url-02, elicit-url-62, elicit-url-64, elicit-url-65: a page to open shows the whole address as text, its domain apart and set off, and every warning', async () => {
    const href = `http://user@login.example.com.evil.test:8080/${'a'.repeat(2_000)}/end?x=%7e#z`;
    const question = { ...openPage(href), url: judgeUrl(href) } as Question;
    const { card, text } = await desk(question);
    expect(text).toContain(href);
    expect(card).toMatch(/<p class="domain">[\s\S]*?<strong>evil\.test<\/strong>/);
    expect(card).toContain('http://user@login.example.com.<strong>evil.test</strong>:8080/');
    for (const warning of [
      'it leads to login.example.com.evil.test',
      'unusual port 8080',
      'not encrypted',
      'very long',
    ])
      expect(text).toContain(warning);
    expect(card).not.toMatch(/(?:href|src)="[^"]*evil/);
  });

  it.each([
    ['Punycode', 'https://xn--80ak6aa92e.com/', 'letters other than a to z'],
    ['letters of two alphabets', 'https://g\u043E\u043Egle.com/', 'mixes letters of several alphabets'],
    ['a bare number', 'https://93.184.216.34/', 'a bare number'],
  ])('elicit-url-65: a page to open has a warning of %s', async (_, href, warning) => {
    expect((await desk({ ...openPage(href), url: judgeUrl(href) } as Question)).text).toContain(warning);
  });

  it('elicit-07: a page to open has a yes, a no and a way to close it, each told apart', async () => {
    for (const [action, ending] of [
      ['decline', { how: 'declined', via: 'web' }],
      ['dismiss', { how: 'dismissed', via: 'web' }],
    ] as const) {
      const made = await desk(openPage('https://example.com/'));
      for (const value of ['accept', 'decline', 'dismiss'])
        expect(made.card).toContain(`name="action" value="${value}"`);
      await made.post({ action });
      expect(await made.ending).toEqual(ending);
    }
  });

  it('elicit-url-18, elicit-url-26: while a call waits for its page, it can be made again or cancelled', () => {
    const question = openPage('https://example.com/');
    const call: CallView = {
      context: { id: 'c-1', kind: 'tool', name: 'connect', arguments: { a: 1 } },
      serverId: 'notes',
      startedAt: 0,
      items: [{ question, ending: { how: 'answered', via: 'web' } }],
    };
    const context = { csrf: 'x', link, now: 0, zone: 'UTC' };
    const page = (view: CallView) => callPage(view, context).main.text;
    const again = 'href="/servers/notes/tools/connect?from=c-1"';
    expect(page(call)).toContain(again);
    expect(page(call)).toContain('action="/calls/c-1/cancel"');
    expect(page({ ...call, items: [{ question }] })).not.toContain(again);
    expect(page({ ...call, outcome: { how: 'cancelled' } })).not.toContain('/cancel"');
  });

  it('a call that could be made again says what is known to be done: of one that asked, was cancelled, or was not sent', () => {
    const question = openPage('https://example.com/');
    const call: CallView = {
      context: { id: 'c-1', kind: 'tool', name: 'connect', arguments: { a: 1 } },
      serverId: 'notes',
      startedAt: 0,
      items: [],
    };
    const lists = { tools: [], prompts: [], resources: [], unlisted: [], roots: [], log: [] };
    const server = { id: 'notes', origin: 'http://127.0.0.1/mcp', state: 'failed', ...lists } as const;
    const context = { csrf: 'x', link, now: 0, zone: 'UTC', server };
    const page = (more: Partial<CallView>) => callPage({ ...call, ...more }, context).main.text;
    const declined = { question, ending: { how: 'declined', via: 'web' } } as const;
    expect(page({ items: [declined], outcome: { how: 'completed', result: {} } })).toContain(
      'You declined. What was done before stays done.',
    );
    const gone = { how: 'server-gone', message: 'The server cannot be reached.' } as const;
    expect(page({ outcome: gone })).toContain('It is not known what this call has done.');
    const unsent = page({ outcome: { ...gone, nothingSent: true } });
    expect(unsent).toContain('Nothing was sent.');
    expect(unsent).not.toContain('It is not known');
    const cancelled = page({ outcome: { how: 'cancelled' } });
    expect(cancelled).toContain('It is not known what it has done. Find that out before you make it again.');
    expect(cancelled).not.toContain('It will not continue');
    const stopped = page({ outcome: { how: 'cancelled', nothingSent: true } });
    expect(stopped).toContain('Nothing was sent.');
    expect(stopped).not.toContain('It is not known');
  });
});

describe('how long a question is open', () => {
  it('the end of a question stands in its frame in both views, in the person’s time, where it is known', async () => {
    const openUntil = Date.parse('2030-07-01T12:30:00Z');
    const [seen, written] = [
      await desk({ ...pickOne(undefined), openUntil }),
      await terminal({ ...pickOne(undefined), openUntil }),
    ];
    expect(seen.text).toContain('closes by 1 Jul 2030, 14:30');
    expect(written.first).toContain('Closes by 1 Jul 2030, 14:30');
    const unknown = [await desk(pickOne(undefined)), await terminal(pickOne(undefined))] as const;
    expect(`${unknown[0].text}${unknown[1].first}`).not.toMatch(/closes by/i);
  });
});
