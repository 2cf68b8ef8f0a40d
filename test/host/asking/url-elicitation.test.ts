/** Pages a server wants opened, seen from the wire: consent first, then the browser, then `accept`, and what follows it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { type AttachEvent, Audit, type Era, Inbox, Policy, type Question, type Reply } from '@midcall/host';
import { Terminal } from '@midcall/host/terminal';
import { eras } from '@midcall/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { grown } from '../../fixtures/grown.ts';
import { handClock } from '../clock.ts';
import { nextQuestion } from '../person.ts';
import { type Params, WireError, wired } from '../wire-server.ts';

const page = (era: Era, url = 'https://example.com/connect/1', elicitationId = 'e-1'): Params => ({
  mode: 'url',
  message: 'Sign in to go on',
  url,
  ...(era === '2025-11-25' && { elicitationId }),
});
const turns = async () => {
  for (let n = 0; n < 10; n += 1) await new Promise(resolve => setImmediate(resolve));
};
const completed = 'notifications/elicitation/complete';

/** A terminal through which a person types; what it opened is noted in `log`. */
function terminal(log: string[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const said: string[] = [];
  output.on('data', part => said.push(String(part)));
  const text = () => said.join('');
  const opened: string[] = [];
  const view = new Terminal({
    input,
    output,
    plain: true,
    openUrl: async href => {
      log.push('open');
      opened.push(href);
      return true;
    },
  });
  onTestFinished(() => view.close());
  const says = (words: RegExp) => grown(said, () => words.test(text()));
  return { view, opened, type: (line: string) => input.write(`${line}\n`), text, says };
}

describe.each(eras)('%s', era => {
  it('elicit-url-03, elicit-url-08, elicit-url-35, elicit-url-61, 000-10: a page takes consent, then the browser opens that very address, then accept is sent', async () => {
    const log: string[] = [];
    const href = 'https://example.com/connect/1?x=%7e&y=a+b#z';
    const me = terminal(log);
    const made = await wired(era, {
      present: [me.view],
      tool: async wire => {
        const answer = await wire.ask(page(era, href));
        log.push('accept');
        return answer;
      },
    });
    const outcome = made.call();
    await me.says(/Open it\?/);
    expect([me.opened, log, made.responses]).toEqual([[], [], []]);
    log.push('consent');
    me.type('1');
    expect(await outcome).toEqual({ action: 'accept' });
    expect(me.opened).toEqual([href]);
    expect(log).toEqual(['consent', 'open', 'accept']);
  });

  it.each<[string, string, Params]>([
    ['declines', '2', { action: 'decline' }],
    ['dismisses', '3', { action: 'cancel' }],
  ])('elicit-url-61: nothing is opened where the person %s', async (_, line, expected) => {
    const me = terminal([]);
    const made = await wired(era, { present: [me.view], tool: wire => wire.ask(page(era)) });
    const outcome = made.call();
    await me.says(/Open it\?/);
    me.type(line);
    expect(await outcome).toEqual(expected);
    expect(me.opened).toEqual([]);
  });

  it('elicit-url-60: nothing of the page is fetched, before consent or after', async () => {
    const visits: string[] = [];
    const site = createServer((request, response) => {
      visits.push(`${request.method} ${request.url}`);
      response.end();
    });
    site.on('connection', () => visits.push('connected'));
    await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void site.close());
    const href = `http://127.0.0.1:${(site.address() as AddressInfo).port}/connect/1`;
    const me = terminal([]);
    const made = await wired(era, { present: [me.view], tool: wire => wire.ask(page(era, href)) });
    const outcome = made.call();
    await me.says(/Open it\?/);
    await turns();
    expect(visits).toEqual([]);
    me.type('1');
    await outcome;
    await turns();
    expect([visits, me.opened]).toEqual([[], [href]]);
  });

  it('elicit-url-02, elicit-url-62, elicit-url-64, elicit-url-65: the person sees the whole address, its domain apart, and what is odd about it', async () => {
    const me = terminal([]);
    const href = `http://example.com.evil.test:8080/${'a'.repeat(2_000)}/end`;
    const made = await wired(era, { present: [me.view], tool: wire => wire.ask(page(era, href)) });
    const outcome = made.call();
    await me.says(/Open it\?/);
    expect(me.text()).toContain(`Address: ${href}\n`);
    expect(me.text()).toMatch(/Domain: +evil\.test\n/);
    expect(me.text()).toContain('unusual port 8080');
    me.type('2');
    await outcome;
  });

  it.each([
    ['a script', 'javascript:alert(1)', 'never opened'],
    ['data', 'data:text/html,<h1>x</h1>', 'never opened'],
    ['a file', 'file:///etc/passwd', 'never opened'],
    ['hidden characters', 'https://example.com/\u202Egpj.exe', 'hidden or blank'],
    ['another name before the @', 'https://paypal.com@evil.example/', 'it leads to evil.example'],
    ['Punycode', 'https://xn--80ak6aa92e.com/', 'letters other than a to z'],
    ['letters of two alphabets', 'https://g\u043E\u043Egle.com/', 'several alphabets'],
    ['a bare number', 'https://93.184.216.34/', 'a bare number'],
  ])('elicit-url-59, elicit-url-65: %s is blocked or warned about on screen', async (_, href, warning) => {
    const me = terminal([]);
    const made = await wired(era, { present: [me.view], tool: wire => wire.ask(page(era, href)) });
    const outcome = made.call();
    await me.says(/Open it\?|cannot be opened/);
    expect(me.text()).toContain(warning);
    const blocked = me.text().includes('This address cannot be opened');
    expect(blocked).toBe(warning === 'never opened' || warning === 'hidden or blank');
    if (blocked) expect(me.text()).not.toContain('Open this page');
    expect(await made.inbox.reply(made.shown[0]!.id, { action: 'accept' }, 'script')).toMatchObject({ ok: !blocked });
    if (blocked) me.type('1');
    expect(await outcome).toEqual({ action: blocked ? 'decline' : 'accept' });
    expect(me.opened).toEqual([]);
  });

  it('elicit-url-59: the person is warned of a page that looks like one opened before, and of no other', async () => {
    const hosts = ['example.com', 'exmaple.com', 'google.com', 'goog1e.com'];
    const made = await wired(era, {
      // The pages of Google are not opened.
      answer: asked => ({ action: asked.kind === 'url' && asked.message.includes('goog') ? 'decline' : 'accept' }),
      tool: async wire => {
        for (const host of hosts) await wire.ask({ ...page(era, `https://${host}/`), message: host });
        return 'done';
      },
    });
    expect(await made.call()).toBe('done');
    const warned = made.shown.map(question => question.kind === 'url' && question.url.warnings.map(({ rule }) => rule));
    expect(warned).toEqual([[], ['lookalike'], [], []]);
  });

  it('elicit-url-61: a page is not shown where the person refuses pages, and its refusal is no answer of theirs', async () => {
    const policy = new Policy();
    policy.add({ server: 'notes', subject: 'url', effect: 'refuse' });
    const made = await wired(era, { policy, answer: () => ({ action: 'accept' }), tool: wire => wire.ask(page(era)) });
    expect(await made.call()).not.toEqual({ action: 'accept' });
    expect(made.shown).toEqual([]);
  });

  it('elicit-url-04, elicit-url-13, 000-11: of a page the client learns and keeps nothing but its address', async () => {
    const audit = new Audit();
    const made = await wired(era, {
      audit,
      answer: () => ({ action: 'accept', content: { code: 'canary' } }),
      tool: wire => wire.ask(page(era)),
    });
    expect(await made.call()).toEqual({ action: 'accept' });
    expect(JSON.stringify([made.sent, audit.entries()])).not.toContain('canary');
    expect(made.sent.filter(frame => JSON.stringify(frame).includes('connect/1'))).toEqual([]);
  });
});

describe('2025-11-25: pages that are waited for', () => {
  const era = '2025-11-25';
  const required = (ids = ['p-1']) =>
    new WireError(-32042, {
      elicitations: ids.map(id => page(era, `https://example.com/${encodeURIComponent(id)}`, id)),
    });

  /** A tool that cannot go on before the page is done, and says so by an error. */
  const guarded = (state: { done: boolean }, ids?: string[]) => async () => {
    if (!state.done) throw required(ids);
    return 'went on';
  };
  const opens = (rest: (question: Question) => Reply | undefined) => (question: Question) =>
    question.kind === 'url' ? ({ action: 'accept' } as const) : rest(question);

  it('elicit-url-16, elicit-url-23, elicit-url-24: after accept the call stays open; a known completion is told once, others are ignored', async () => {
    let finish = (): void => {};
    const done = new Promise<void>(resolve => {
      finish = resolve;
    });
    const events: AttachEvent[] = [];
    let accept = (): void => {};
    const accepted = new Promise<void>(resolve => {
      accept = resolve;
    });
    const made = await wired(era, {
      answer: () => ({ action: 'accept' }),
      tool: async wire => {
        await wire.ask(page(era));
        accept();
        await done;
        return 'done';
      },
    });
    made.attachment.subscribe(event => events.push(event));
    const outcome = made.call();
    await accepted;
    const told = () => events.filter(event => event.type === 'page-completed');
    const before = made.sent.length;
    for (const id of ['e-2', '', 'constructor', '__proto__']) await made.wire.notify(completed, { elicitationId: id });
    await turns();
    expect([told(), events.filter(event => event.type === 'call-ended')]).toEqual([[], []]);
    await made.wire.notify(completed, { elicitationId: 'e-1' });
    await made.wire.notify(completed, { elicitationId: 'e-1' });
    await turns();
    expect(told()).toEqual([{ type: 'page-completed', elicitationId: 'e-1' }]);
    expect(made.sent).toHaveLength(before);
    finish();
    expect(await outcome).toBe('done');
  });

  it('elicit-url-24, elicit-url-25, elicit-url-36: an error that lists a page leads to consent, the page, its completion, and the same call once more', async () => {
    const state = { done: false };
    const made = await wired(era, { answer: opens(() => undefined), tool: guarded(state) });
    const outcome = made.call({ title: 'x' });
    await grown(made.shown, all => all.length === 2);
    expect(made.shown.map(question => question.kind)).toEqual(['url', 'url-finish']);
    await turns();
    expect(made.calls()).toHaveLength(1);
    state.done = true;
    for (let n = 0; n < 2; n += 1) await made.wire.notify(completed, { elicitationId: 'p-1' });
    expect(await outcome).toBe('went on');
    await made.wire.notify(completed, { elicitationId: 'p-1' });
    await turns();
    const [first, again, ...more] = made.calls();
    expect(more).toEqual([]);
    expect(again?.params).toMatchObject({ name: 'act', arguments: { title: 'x' } });
    expect(again?.id).not.toBe(first?.id);
    expect(made.responses).toEqual([]);
  });

  it('elicit-url-26: where no completion ever comes the person says that they have finished, or gives up', async () => {
    const state = { done: false };
    const finishing = await wired(era, {
      answer: opens(() => {
        state.done = true;
        return { action: 'accept' };
      }),
      tool: guarded(state),
    });
    expect(await finishing.call()).toBe('went on');
    const giving = await wired(era, { answer: opens(() => ({ action: 'decline' })), tool: guarded({ done: false }) });
    expect(await giving.call()).toMatchObject({ code: 'host/cancelled' });
    expect(giving.calls()).toHaveLength(1);
  });

  it('elicit-url-37: a call whose page the person does not open is not sent again', async () => {
    for (const action of ['decline', 'dismiss'] as const) {
      const made = await wired(era, { answer: () => ({ action }), tool: guarded({ done: false }) });
      const message = expect.stringContaining(
        'needs a page that was not opened. What the call did before it asked stays done.',
      );
      expect(await made.call()).toMatchObject({ code: 'host/abandoned', message });
      expect(made.calls()).toHaveLength(1);
    }
  });

  it.each([
    ['a name of objects', '__proto__'],
    ['another', 'constructor'],
    ['a path', '../../x'],
    ['a blank', ' '],
    ['letters of any kind', '日本👨‍👩‍👧'],
    ['JSON', '{"a":1}'],
    ['a long text', 'x'.repeat(3_000)],
  ])('elicit-url-74: an id that looks like %s is compared, and nothing else is made of it', async (_, id) => {
    const state = { done: false };
    const made = await wired(era, { answer: opens(() => undefined), tool: guarded(state, [id]) });
    const outcome = made.call();
    await grown(made.shown, all => all.length === 2);
    expect(made.shown[1]).toMatchObject({ kind: 'url-finish', elicitationId: id });
    await made.wire.notify(completed, { elicitationId: `${id}x` });
    await turns();
    expect(made.calls()).toHaveLength(1);
    state.done = true;
    await made.wire.notify(completed, { elicitationId: id });
    expect(await outcome).toBe('went on');
  });

  const pages = (count: number): Params => ({
    elicitations: Array.from({ length: count }, (_, n) => page(era, `https://example.com/${n}`, `e-${n}`)),
  });
  it.each<[string, unknown, number?]>([
    ['nothing at all', undefined],
    ['none', {}],
    ['a number', { elicitations: 5 }],
    ['an empty list', { elicitations: [] }],
    ['more than ten', pages(11)],
    ['pages under another code', pages(1), -32_000],
  ])(
    'elicit-url-31: an error that lists %s is the error of the server, and opens nothing',
    async (_, data, code = -32042) => {
      const made = await wired(era, {
        answer: () => ({ action: 'accept' }),
        tool: async () => {
          throw new WireError(code, data);
        },
      });
      expect(await made.call()).toMatchObject({ code, message: expect.stringContaining(`error ${code}`) });
      expect(made.shown).toEqual([]);
      expect(made.calls()).toHaveLength(1);
    },
  );

  it.each<[string, unknown, string]>([
    [
      'a page that is none',
      { mode: 'url', message: 'Sign in', url: 'nowhere', elicitationId: 'x' },
      'must be a complete web address',
    ],
    [
      'a page without an id',
      { mode: 'url', message: 'Sign in', url: 'https://example.com/' },
      'elicitationId is missing',
    ],
    ['a form', { mode: 'form', message: 'Which?', requestedSchema: { type: 'object', properties: {} } }, ''],
    ['null', null, ''],
    ['a text', 'https://example.com/', ''],
  ])('elicit-url-31: an error that lists %s opens nothing, and the call says why', async (_, listed, why) => {
    const audit = new Audit();
    const made = await wired(era, {
      audit,
      answer: () => ({ action: 'accept' }),
      tool: async () => {
        throw new WireError(-32042, { elicitations: [listed] });
      },
    });
    const message = expect.stringMatching(/^The server named a page that cannot be shown: .*\.$/);
    const error = await made.call();
    expect(error).toMatchObject({ code: 'host/invalid-request', message });
    expect((error as Error).message).toContain(why);
    const refusal = expect.objectContaining({ type: 'refused', kind: 'url', by: 'host' });
    expect(audit.entries().map(({ event }) => event)).toContainEqual(refusal);
    expect(made.shown).toEqual([]);
    expect(made.calls()).toHaveLength(1);
  });

  it('elicit-url-25: ten pages are each asked for, as they were named, before the call is made again', async () => {
    const state = { done: false };
    const made = await wired(era, {
      answer: () => ({ action: 'accept' }),
      tool: async () => {
        if (state.done) return 'went on';
        state.done = true;
        throw new WireError(-32042, pages(10));
      },
    });
    expect(await made.call()).toBe('went on');
    const [first, ...rest] = made.shown;
    expect(first).toMatchObject({
      kind: 'url',
      message: 'Sign in to go on',
      elicitationId: 'e-0',
      url: { href: 'https://example.com/0' },
      call: { name: 'act' },
    });
    expect(rest).toHaveLength(19);
    expect(rest.at(-1)).toMatchObject({
      kind: 'url-finish',
      message: 'Sign in to go on',
      elicitationId: 'e-9',
      url: { href: 'https://example.com/9', warnings: [] },
      call: { name: 'act' },
    });
  });

  it('elicit-url-24: a page that is done before the next one is opened is not asked about again', async () => {
    const state = { done: false };
    const made = await wired(era, { tool: guarded(state, ['p-1', 'p-2']) });
    const outcome = made.call();
    const accept = (at: number) => made.inbox.reply(made.shown[at]!.id, { action: 'accept' }, 'script');
    await grown(made.shown, all => all.length === 1);
    await accept(0);
    await grown(made.shown, all => all.length === 2);
    await made.wire.notify(completed, { elicitationId: 'p-1' });
    await turns();
    await accept(1);
    await grown(made.shown, all => all.length === 3);
    expect(made.shown[2]).toMatchObject({ kind: 'url-finish', elicitationId: 'p-2' });
    state.done = true;
    await accept(2);
    expect(await outcome).toBe('went on');
    expect(made.shown).toHaveLength(3);
  });

  it('a call that is cancelled takes back the question whether its page is opened, and whether it is finished', async () => {
    for (const count of [1, 2]) {
      const made = await wired(era, {
        answer: ({ kind }) => (count === 2 && kind === 'url' ? { action: 'accept' } : undefined),
        tool: guarded({ done: false }),
      });
      const outcome = made.call({}, { id: 'call-1' });
      await grown(made.shown, all => all.length === count);
      expect(made.attachment.cancel('call-1')).toBe(true);
      expect(await outcome).toMatchObject({ code: 'host/cancelled' });
      expect(made.inbox.list()).toEqual([]);
    }
  });

  it('elicit-url-26: a page that is not finished in time ends the call, which says that it needs it', async () => {
    const clock = handClock();
    const made = await wired(era, {
      clock,
      inbox: new Inbox({ clock }),
      answerTimeoutMs: 60_000,
      answer: opens(() => undefined),
      tool: guarded({ done: false }),
    });
    const outcome = made.call();
    await grown(made.shown, all => all.length === 2);
    expect(made.shown.map(each => each.openUntil)).toEqual([clock.now() + 60_000, clock.now() + 60_000]);
    clock.move(60_000);
    expect(await outcome).toMatchObject({
      code: 'host/abandoned',
      message: expect.stringContaining(
        'needs a page to be finished first. What the call did before it asked stays done.',
      ),
    });
  });
});

describe('2026-07-28', () => {
  it('elicit-url-27: an id that a server sends all the same is not known, and its completion means nothing', async () => {
    const events: AttachEvent[] = [];
    let complete = async (): Promise<void> => {};
    const made = await wired('2026-07-28', {
      tool: async wire => {
        complete = () => wire.notify(completed, { elicitationId: 'e-1' });
        return wire.ask({ ...page('2026-07-28'), elicitationId: 'e-1' });
      },
    });
    made.attachment.subscribe(event => events.push(event));
    const asked = nextQuestion(made.inbox);
    const outcome = made.call();
    const question = await asked;
    expect(question).not.toHaveProperty('elicitationId');
    await complete();
    await new Promise(setImmediate);
    expect(made.inbox.list()).toEqual([question]);
    await made.inbox.reply(question.id, { action: 'accept' }, 'script');
    expect(await outcome).toEqual({ action: 'accept' });
    // Also once it is open, and whatever the retry said of it.
    await complete();
    await new Promise(setImmediate);
    expect(events.filter(event => event.type === 'page-completed')).toEqual([]);
    expect(JSON.stringify(made.sent)).not.toMatch(/"e-1"|elicitationId/);
  });

  it('elicit-url-38: the call is retried with accept as soon as the page is open, and the server may hold that retry', async () => {
    let finish = (): void => {};
    const done = new Promise<void>(resolve => {
      finish = resolve;
    });
    const made = await wired('2026-07-28', {
      answer: () => ({ action: 'accept' }),
      tool: async wire => {
        await wire.ask(page('2026-07-28'));
        await done;
        return 'done';
      },
    });
    const outcome = made.call({}, { id: 'call-1' });
    await grown(made.sent, () => made.calls().length === 2);
    const retry = made.calls()[1]!.params!;
    expect([retry['inputResponses'], retry['requestState']]).toEqual([{ q: { action: 'accept' } }, 'state-0']);
    await turns();
    expect(made.calls()).toHaveLength(2);
    finish();
    expect(await outcome).toBe('done');
  });

  it('elicit-url-18: a call that waits for a page can be cancelled, and made again', async () => {
    const made = await wired('2026-07-28', {
      answer: () => ({ action: 'accept' }),
      tool: async wire => {
        await wire.ask(page('2026-07-28'));
        return new Promise(() => {});
      },
    });
    const outcome = made.call({ n: 1 }, { id: 'call-1' });
    await grown(made.sent, () => made.calls().length === 2);
    expect(made.attachment.cancel('call-1')).toBe(true);
    expect(await outcome).toMatchObject({ code: 'host/cancelled' });
    const cancelled = made.calls('notifications/cancelled');
    expect(cancelled.map(frame => frame.params?.['requestId'])).toContain(made.calls()[1]?.id);
    void made.call({ n: 1 }, { id: 'call-2' });
    await grown(made.shown, all => all.length === 2);
    expect(made.calls()[2]?.params).toMatchObject({ arguments: { n: 1 } });
  });
});
