/** The pages of a person's inbox, by plain requests. */
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import type { CallQuestion, Question } from '@midcall/host';
import type { EndedQuestion, PersonQuestions, Visitor } from '@midcall/host/web';
import { afterEach, describe, expect, it } from 'vitest';
import { ask, personStage, personStageOfFile } from './person-stage.ts';
import { everyField, finishPage, openPage, pickOne, useModel, useReply } from './stage.ts';

const on = await personStageOfFile();
const { questions } = on;
const get = (path: string, headers: Record<string, string> = {}) => ask(on, path, undefined, headers);
const post = (path: string, fields: Record<string, string>) => ask(on, path, fields);
const pathOf = ({ id }: Question) => `/questions/${id}`;

afterEach(async () => {
  await questions.deliver();
  for (const { id } of questions.inbox.list()) questions.inbox.end(id, { how: 'withdrawn' });
});

const call = (more: Partial<CallQuestion> = {}): CallQuestion => ({
  kind: 'call',
  id: randomUUID(),
  asker: { id: 'files', name: 'files', origin: 'https://files.example/mcp', era: '2026-07-28' },
  askedAt: Date.now(),
  call: { id: randomUUID(), kind: 'tool', name: 'remove', arguments: { path: '/a', password: 'hunter2-of-the-inbox' } },
  why: 'rule 2 says ask',
  grants: { scopes: ['exact'], fields: ['path'], ends: ['hour'], recent: [] },
  ...more,
});

describe('the list of what waits', () => {
  it('the inbox says what it is for while nothing waits', async () => {
    const { status, text } = await get('/');
    expect(status).toBe(200);
    expect(text).toContain('Nothing is waiting for you.');
    expect(text).toContain('its question appears here');
    expect(text).toContain('<title>Inbox · Midcall</title>');
  });

  it('the list names the server, the call, the age, the deadline and the host that waits, the oldest question first', async () => {
    const old = { ...pickOne('l1'), openUntil: Date.UTC(2030, 0, 1, 12, 30) };
    const young = { ...openPage('https://pay.example.com/x'), askedAt: Date.now() };
    void questions.ask(old);
    void questions.ask(young);
    questions.wait(old.id, { host: 'Zed <b>', state: 'waits', until: Date.UTC(2030, 0, 1, 12, 20) });
    questions.wait(young.id, { host: 'Cursor', state: 'left' });
    const { text } = await get('/');
    expect(text).toContain('<title>(2) Inbox · Midcall</title>');
    expect(text).toContain('2 questions waiting');
    const [first, second] = text.split('<li><a').slice(-2) as [string, string];
    expect(first).toContain(`href="${pathOf(old)}"`);
    for (const part of ['<strong>notes</strong>', 'notes_delete', '12 s', 'Multiple notes match', 'closes by', '12:30'])
      expect(first).toContain(part);
    expect(first).toMatch(/Zed &lt;b&gt; waits until <.*12:20/);
    expect(second).toContain('example.com');
    expect(second).toContain('Cursor has stopped waiting');
  });

  it('the list has fifty questions on a page, and shows the last page where it has become shorter', async () => {
    for (let at = 0; at < 120; at += 1) void questions.ask({ ...pickOne(`p${at}`), message: `Question ${at}.` });
    const listed = async (path: string) =>
      [...(await get(path)).text.matchAll(/Question (\d+)\./g)].map(([, at]) => Number(at));
    expect((await listed('/')).length).toBe(50);
    expect((await listed('/?from=50'))[0]).toBe(50);
    expect(await listed('/?from=9999')).toEqual(Array.from({ length: 20 }, (_, at) => 100 + at));
    for (const from of ['-3', 'x', '', '0.5']) expect((await listed(`/?from=${from}`))[0]).toBe(0);
    expect((await get('/?from=50')).text).toContain('51 to 100 of 120');
    expect(questions.reads).toContain('open 50 50');
  });

  it('times are written in the zone that the browser has told, and in UTC where it has not', async () => {
    const question = { ...pickOne('z'), openUntil: Date.UTC(2030, 0, 1, 12, 30) };
    void questions.ask(question);
    const told = await get(pathOf(question), { cookie: 'a=b; midcall-zone=Asia%2FTokyo' });
    expect(told.text).toMatch(/closes by.*21:30/);
    expect(told.text).not.toContain('Times are in UTC');
    for (const cookie of ['midcall-zone=Nowhere', 'midcall-zone=%E0%A4%A', 'midcall-zone="><b>']) {
      const { text, status } = await get(pathOf(question), { cookie });
      expect(status).toBe(200);
      expect(text).toMatch(/closes by.*12:30/);
      expect(text).toContain('Times are in UTC');
    }
  });
});

describe('answering', () => {
  it('the answer of a form is sent, and leads to how it ended', async () => {
    const question = pickOne('a1');
    const ending = questions.ask(question);
    const answer = await post(pathOf(question), { action: 'accept', f0: '1', f1: 'true' });
    expect([answer.status, answer.headers['location']]).toEqual([303, `${pathOf(question)}#q-${question.id}-end`]);
    expect(await ending).toEqual({ how: 'answered', via: 'inbox', content: { note_id: 'note-2024', confirm: true } });
    const { text } = await get(pathOf(question));
    expect(text).toContain('You answered.');
    expect(text).toContain('TPS report · work/2024');
    expect(text).toContain('Nothing more waits for you.');
  });

  it('an answer leads to the next open question, and says what to do for a host that has stopped waiting', async () => {
    const [question, next] = [pickOne('n1'), pickOne('n2')];
    void questions.ask(question);
    void questions.ask(next);
    questions.wait(question.id, { host: 'Zed', state: 'left' });
    expect((await get(pathOf(question))).text).toContain('Zed has stopped waiting. Answer here; then go back to it');
    await post(pathOf(question), { action: 'decline' });
    const { text } = await get(pathOf(question));
    expect(text).toContain(`href="${pathOf(next)}"`);
    expect(text).toContain('Zed has stopped waiting: go back to it and say “continue”.');
    expect(text).toContain('You declined. The server was told no.');
  });

  it.each([
    ['dismiss', 'dismissed', pickOne('k1')],
    ['accept', 'answered', finishPage('k2')],
    ['accept', 'answered', call()],
    ['decline', 'declined', call()],
    ['accept', 'answered', useModel('k3')],
    ['accept', 'answered', useReply('k4')],
  ] as const)('a question ends by the button that is pressed: %s', async (action, how, question) => {
    const ending = questions.ask(question);
    expect((await get(pathOf(question))).text).toContain('value="decline"');
    expect((await post(pathOf(question), { action })).status).toBe(303);
    expect(await ending).toMatchObject({ how, via: 'inbox' });
  });

  it('a page opens only after the consent, as it was judged', async () => {
    const question = openPage('https://pay.example.com/x?a=b');
    const ending = questions.ask(question);
    expect((await get(pathOf(question))).text).not.toContain('href="https://pay');
    const { text, headers } = await post(pathOf(question), { action: 'accept' });
    expect(text).toContain('url=https://pay.example.com/x?a=b"');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(await ending).toMatchObject({ how: 'answered' });
  });

  it('an inbox makes no decisions for later, stores nothing that is typed, and takes no such button', async () => {
    const all = [pickOne('s1'), useModel('s2'), call()];
    for (const question of all) {
      void questions.ask(question);
      const { text } = await get(pathOf(question));
      expect(text).not.toMatch(/name="mute-for"|value="(?:mute|allow|grant|same)"|data-draft=|grant-scope/);
      for (const action of ['mute', 'allow', 'grant', 'same', 'nonsense', 'constructor']) {
        const answer = await post(pathOf(question), { action, 'mute-for': 'forever', 'grant-scope': 'exact', f0: '1' });
        expect(answer.status).toBe(422);
      }
      expect(questions.inbox.get(question.id)).toBeDefined();
    }
    expect((await post(`${pathOf(all[0]!)}/draft`, { f0: '1' })).status).toBe(404);
  });

  it('an answer that does not fit names field and rule at once, and what was typed stays', async () => {
    const question = everyField('w1');
    void questions.ask(question);
    questions.isSilent = true;
    const answer = await post(pathOf(question), { action: 'accept', f0: 'A', f1: 'nonsense', f5: '12' });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('value="nonsense"');
    for (const field of ['f0', 'f1', 'f5']) expect(answer.text).toContain(`id="q-${question.id}-${field}-error"`);
  });

  it('the fields that were visited are checked, and an answer is reviewed without client script', async () => {
    const question = everyField('c1');
    void questions.ask(question);
    const checked = await post(`${pathOf(question)}/check`, { f0: 'A', f1: 'nonsense', visited: 'f1' });
    expect(checked.status).toBe(200);
    expect(checked.text).toContain(`id="q-${question.id}-f1-error"`);
    expect(checked.text).not.toContain(`id="q-${question.id}-f0-error"`);
    const review = await post(pathOf(question), { action: 'review', f0: 'Ada', f8: '5' });
    expect(review.text).toMatch(/You will send[\s\S]*Ada/);
    expect(questions.inbox.get(question.id)).toBeDefined();
  });

  it('a late answer hears how and where the question ended, and what was typed is shown to be copied', async () => {
    const question = everyField('e1');
    void questions.ask(question);
    await questions.inbox.reply(question.id, { action: 'decline' }, 'host');
    const late = await post(pathOf(question), { action: 'accept', f0: 'Ada, typed in vain', f8: '5' });
    expect(late.status).toBe(409);
    expect(late.text).toContain('this question had already ended. You declined in the host. The server was told no.');
    expect(late.text).toMatch(/You typed this, and it was not sent[\s\S]*Ada, typed in vain/);
  });

  it('an answer that is sent once more, as nobody saw the first arrive, hears that the first was received', async () => {
    const question = pickOne('e3');
    void questions.ask(question);
    const answer = { action: 'accept', f0: '1', f1: 'true' };
    expect((await post(pathOf(question), answer)).status).toBe(303);
    const again = await post(pathOf(question), answer);
    expect(again.status).toBe(409);
    expect(again.text).toContain('Your earlier answer was received; this one was not. You answered.');
  });

  it('an answer that another one overtakes on its way hears how the question ended', async () => {
    const question = pickOne('e2');
    void questions.ask(question);
    const { reply } = questions;
    questions.reply = async (id, given) => {
      await questions.inbox.reply(id, { action: 'dismiss' }, 'terminal');
      return reply.call(questions, id, given);
    };
    const late = await post(pathOf(question), { action: 'decline' });
    questions.reply = reply;
    expect(late.status).toBe(409);
    expect(late.text).toContain('You dismissed it in the terminal.');
  });

  it('an answer is said to be on its way while the process that asks is silent, and how it ended afterwards', async () => {
    const question = pickOne('o1');
    void questions.ask(question);
    questions.isSilent = true;
    const sent = await post(pathOf(question), { action: 'accept', f0: '1', f1: 'true' });
    expect(sent.status).toBe(202);
    expect(sent.text).toContain('Your answer is on its way.');
    expect(sent.text).toContain(`url=${pathOf(question)}`);
    expect(sent.text).not.toContain('<form');
    expect((await get(pathOf(question))).text).toContain('Your answer is on its way.');
    expect((await get('/')).text).toContain('Answer on its way');
    await questions.deliver();
    expect((await get(pathOf(question))).text).toContain('You answered.');
  });
});

describe('what was asked before', () => {
  it('past questions are listed by their end, the latest first, with how and where they ended', async () => {
    const names = ['host', 'inbox', 'policy', 'terminal'] as const;
    for (const via of names) questions.past({ ...pickOne('h'), message: `Past by ${via}.` }, { how: 'declined', via });
    questions.past({ ...pickOne('h'), message: 'Past in doubt.' }, { how: 'in-doubt' });
    questions.past(
      { ...pickOne('h'), message: 'Past, refused.' },
      { how: 'refused-by-policy', decision: 'You were removed.' },
    );
    const { text } = await get('/past');
    const rows = text.split('<tr>').slice(2);
    expect(rows[0]).toMatch(/Past, refused[\s\S]*Refused/);
    expect(rows[1]).toMatch(/Past in doubt[\s\S]*In doubt/);
    expect(rows[2]).toMatch(/Past by terminal[\s\S]*in the terminal/);
    expect(rows[3]).toMatch(/Past by policy[\s\S]*by a decision/);
    expect(rows[4]).toMatch(/Past by inbox[\s\S]*>here</);
    expect(rows[5]).toMatch(/Past by host[\s\S]*in the host/);
  });

  it.each([
    [{ how: 'in-doubt' }, pickOne('d1'), 'Nobody knows whether the server got your answer, and it is not sent again.'],
    [{ how: 'in-doubt' }, call(), 'Nobody knows whether the call was made, and it is not made again by itself.'],
    [{ how: 'unshown' }, pickOne('d2'), 'The bridge stopped, so nobody waits for an answer.'],
    [{ how: 'unshown' }, call(), 'The bridge stopped, so nobody waits for an answer. The call was not made.'],
    [{ how: 'refused-by-policy', decision: 'You were <removed>.' }, pickOne('d3'), 'You were &lt;removed&gt;.'],
    [{ how: 'declined', via: 'terminal' }, pickOne('d4'), 'You declined in the terminal.'],
    [{ how: 'server-gone' }, pickOne('d5'), 'The server stopped'],
  ] as const)('a past question says in plain words how it ended: %j', async (ending, question, words) => {
    questions.past(question, ending);
    expect((await get(pathOf(question))).text).toContain(words);
  });

  it('a past question shows the arguments of the call with secrets masked', async () => {
    const question = call();
    questions.past(question, { how: 'declined', via: 'inbox' });
    const { text } = await get(pathOf(question));
    expect(text).toContain('path');
    expect(text).not.toContain('hunter2-of-the-inbox');
  });

  it('the list of past questions has fifty on a page', async () => {
    await using many = await personStage();
    for (let at = 0; at < 60; at += 1)
      many.questions.past({ ...pickOne('m'), message: `Past ${at}.` }, { how: 'timed-out' });
    expect((await ask(many, '/past')).text).toContain('1 to 50 of 60');
    expect((await ask(many, '/past?from=50')).text.match(/Past \d+\./g)).toHaveLength(10);
  });
});

describe('who may', () => {
  it('person-P2: nothing changes without the token of the session', async () => {
    const question = pickOne('t1');
    void questions.ask(question);
    for (const csrf of ['', 'x', on.csrf.slice(0, -1), `${on.csrf}x`])
      for (const path of [pathOf(question), `${pathOf(question)}/check`, '/sign-out', '/nowhere']) {
        const answer = await post(path, { csrf, action: 'decline', f0: '1' });
        expect(answer.status).toBe(403);
        expect(answer.text).toContain('nothing was done');
      }
    expect(questions.inbox.get(question.id)).toBeDefined();
    expect(on.signedOut).toBeUndefined();
  });

  it('person-P1: an id is looked up among the questions of the visitor, and nowhere else', async () => {
    await using other = await personStage();
    const theirs = pickOne('i1');
    void other.questions.ask(theirs);
    expect((await get(pathOf(theirs))).status).toBe(404);
    expect((await post(pathOf(theirs), { action: 'decline' })).status).toBe(404);
    expect((await post(`${pathOf(theirs)}/check`, { f0: '1' })).status).toBe(404);
    expect(questions.reads.filter(id => id === theirs.id)).toHaveLength(3);
    expect(other.questions.inbox.get(theirs.id)).toBeDefined();
    const odd = `a/../b?#${'é'.repeat(3)}`;
    await get(`/questions/${encodeURIComponent(odd)}`);
    expect(questions.reads.at(-1)).toBe(odd);
  });

  it('a page loads our own files only, is framed by nobody, stored nowhere, and names nobody where it came from', async () => {
    void questions.ask(pickOne('f1'));
    for (const path of ['/', '/past', '/sign-out', '/nowhere', '/events']) {
      const headers = path === '/events' ? (await firstOf('/events')).headers : (await get(path)).headers;
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
      });
    }
  });

  it('more than an answer can need is refused, and said to be too large', async () => {
    const question = pickOne('b1');
    void questions.ask(question);
    const body = new URLSearchParams({ csrf: 'c', action: 'decline', f0: 'x'.repeat(5_000_000) });
    const visitor = { questions, name: 'Ada', base: '/inbox/x', csrf: 'c', signOut: async () => new Response() };
    const url = `${on.origin}/inbox/x${pathOf(question)}`;
    const answer = await on.pages.handle(new Request(url, { method: 'POST', body }), visitor);
    expect(answer.status).toBe(413);
    expect(await answer.text()).toContain('too large');
    expect(questions.inbox.get(question.id)).toBeDefined();
  });

  it('markup, control characters and writing directions are shown as such, and of a long text no more than on the desk', async () => {
    await using hostile = await personStage({ name: `Eve <script>\u202E${'n'.repeat(1_000_000)}` });
    const nasty = `<img src=x onerror=alert(1)>\u202Eevil\u0007${'m'.repeat(1_000_000)}`;
    const question = {
      ...pickOne('x1'),
      message: nasty,
      asker: { ...pickOne('x').asker, id: nasty, origin: nasty, name: nasty },
      call: { id: 'x', kind: 'tool' as const, name: nasty, arguments: { [nasty]: nasty } },
    };
    void hostile.questions.ask(question);
    hostile.questions.wait(question.id, { host: nasty, state: 'waits' });
    for (const past of [pickOne('x2'), call()])
      hostile.questions.past({ ...past, asker: question.asker, message: nasty, call: question.call } as Question, {
        how: 'refused-by-policy',
        decision: nasty,
      });
    for (const path of ['/', '/past', pathOf(question)]) {
      const { text } = await ask(hostile, path);
      expect(text).not.toMatch(/<img|<script>|\u202E|\u0007/);
      expect(text).toContain('⟦U+202E⟧');
      expect(text.length).toBeLessThan(130_000);
    }
  });
});

/** The beginning of a stream. */
function firstOf(path: string): Promise<{ headers: Record<string, unknown>; text: string; end: () => Promise<void> }> {
  return new Promise(resolve => {
    const outgoing = request(`${on.url}${path}`, incoming => {
      incoming.once('data', chunk =>
        resolve({
          headers: incoming.headers,
          text: String(chunk),
          end: () => new Promise(ended => outgoing.once('close', () => ended()).destroy()),
        }),
      );
    });
    outgoing.on('error', () => {});
    outgoing.end();
  });
}

describe('the stream of events', () => {
  it('the stream of events says nothing of a question, and ends its listening when the page is closed', async () => {
    const before = questions.listeners;
    const heard: string[] = [];
    let had = (): void => {};
    const next = () => new Promise<void>(resolve => (had = resolve));
    const outgoing = request(`${on.url}/events?since=0&page=`, incoming => {
      incoming.on('data', chunk => {
        heard.push(String(chunk));
        had();
      });
      incoming.on('error', () => {});
    });
    outgoing.on('error', () => {});
    outgoing.end();
    while (!heard.join('').includes('event: changed')) await next();
    expect(questions.listeners).toBe(before + 1);
    heard.length = 0;
    void questions.ask({ ...pickOne('v1'), message: 'Not in the stream.' });
    while (!heard.join('').includes('event: changed')) await next();
    expect(heard.join('')).toMatch(/^id: \d+\nevent: changed\ndata: \{\}\n\n$/);
    outgoing.destroy();
    while (questions.listeners > before) await new Promise(resolve => setImmediate(resolve));
  });

  it('the stream of events ends when the pages are closed', async () => {
    await using own = await personStage();
    const ended = new Promise<void>(resolve => {
      request(`${own.url}/events`, incoming => {
        incoming.on('end', () => resolve());
        incoming.once('data', () => own.pages.close());
      }).end();
    });
    await ended;
    expect(own.questions.listeners).toBe(0);
  });
});

describe('signing out', () => {
  it.each([
    [{}, 'here'],
    [{ everywhere: 'true' }, 'everywhere'],
  ] as const)('signing out ends the session as the person chose: %j', async (fields, how) => {
    await using own = await personStage();
    expect((await ask(own, '/sign-out')).text).toContain('Sign out everywhere');
    const { status, headers } = await ask(own, '/sign-out', fields);
    expect([status, headers['location'], own.signedOut]).toEqual([303, '/inbox', how]);
    expect(headers['set-cookie']).toEqual(['session=; Max-Age=0']);
    expect(headers['cache-control']).toBe('no-store');
  });
});

describe('pages outside a session', () => {
  const textOf = async (what: Parameters<typeof on.pages.notice>[0]) => on.pages.notice(what).text();

  it('a page outside a session has one button: a link, or a form that is posted', async () => {
    const link = await textOf({
      title: 'Sign in',
      lines: ['One.', '<b>Two</b>'],
      action: { path: '/inbox/in', label: 'Go' },
    });
    expect(link).toContain('<a class="button primary" href="/inbox/in">Go</a>');
    expect(link).toContain('<p>&lt;b&gt;Two&lt;/b&gt;</p>');
    expect(link).not.toContain('<script');
    const form = await textOf({ title: 'T', lines: [], action: { path: '/p', label: 'Go', hidden: { a: '"b' } } });
    expect(form).toContain('<form method="post" action="/p"><input type="hidden" name="a" value="&quot;b">');
  });

  it('a page outside a session has the status it is given, leads where it is told, and finds the browser’s session', async () => {
    const answer = on.pages.notice({
      title: 'T',
      lines: [],
      status: 401,
      script: 'find-session',
      leadsTo: '/inbox/x/',
    });
    expect(answer.status).toBe(401);
    const text = await answer.text();
    expect(text).toContain('<meta http-equiv="refresh" content="0;url=/inbox/x/">');
    expect(text).toMatch(/src="\/inbox\/assets\/[\w-]{12}\/find-session\.js"/);
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  it('the files that pages name are served to anybody, and nothing else', async () => {
    const page = await textOf({ title: 'T', lines: [], script: 'find-session' });
    const paths = [...page.matchAll(/(?:href|src)="(\/inbox\/assets\/[^"]+)"/g)].map(([, path]) => path!);
    expect(paths).toHaveLength(5);
    const fetched = (path: string) => on.pages.asset(new Request(`${on.origin}${path}`));
    for (const path of paths) {
      const file = await fetched(path);
      expect(file?.headers.get('cache-control')).toContain('immutable');
      expect(file?.headers.get('x-content-type-options')).toBe('nosniff');
    }
    for (const path of ['/inbox/assets/', '/inbox/assets/x/desk.js', '/inbox/assets/../assets', '/assets/icon.svg'])
      expect(await fetched(path)).toBeUndefined();
  });
});

describe('when something fails', () => {
  const failing = (questions: Partial<PersonQuestions>): Visitor => ({
    questions: { ...on.questions, ...questions } as PersonQuestions,
    name: 'Ada',
    base: '/inbox/x',
    csrf: 'c',
    signOut: async () => new Response(),
  });

  it('a failure is said on a page that tells nothing of why, and is reported', async () => {
    const broken = failing({ get: () => Promise.reject(new Error('the secret of the database')) });
    const answer = await on.pages.handle(new Request(`${on.origin}/inbox/x/questions/1`), broken);
    expect(answer.status).toBe(500);
    const text = await answer.text();
    expect(text).toContain('Something went wrong');
    expect(text).not.toContain('secret');
    expect(on.errors.splice(0).map(String)).toEqual(['Error: the secret of the database']);
  });

  it('an answer that met a failure may have been received, which is said with the way back to its question', async () => {
    const question = pickOne('r0');
    const broken = failing({
      get: async () => ({ question }),
      reply: () => Promise.reject(new Error('the secret of the database')),
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const sent = { method: 'POST', headers, body: 'csrf=c&action=decline' };
    const answer = await on.pages.handle(new Request(`${on.origin}/inbox/x/questions/${question.id}`, sent), broken);
    expect(answer.status).toBe(500);
    const text = await answer.text();
    expect(text).toContain('What you sent may have been received: look before you send it again.');
    expect(text).toContain(`href="/inbox/x/questions/${question.id}">Look at the question again`);
    expect(on.errors.splice(0)).toHaveLength(1);
  });

  it('a question that has ended is shown by what the receipt says, where the list does not have it yet', async () => {
    const question = pickOne('r1');
    const late = failing({
      get: async () => ({ question }),
      open: async () => ({ questions: [], count: 0 }),
      reply: async () => ({
        ok: false,
        problem: 'ended',
        ending: { how: 'timed-out' } satisfies EndedQuestion['ending'],
      }),
    });
    const body = new URLSearchParams({ csrf: 'c', action: 'decline' });
    const answer = await on.pages.handle(
      new Request(`${on.origin}/inbox/x/questions/${question.id}`, { method: 'POST', body }),
      late,
    );
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain('The time to answer ran out.');
  });
});
