/**
 * Attacks on the inboxes of a real bridge, over HTTP: by other people, by other pages in a person's browser, by whoever sends requests
 * by hand, by servers and by hosts.
 */
import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { eras } from '@midcall/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser as NoScreen } from '../connect/sign-in-flow.ts';
import { eventually } from '../fixtures/grown.ts';
import { type HostOf, type InboxStage, inboxStage, type RunningBridge, type Session } from './inbox-stage.ts';

let stage: InboxStage;
let bridge: RunningBridge;
let ada: HostOf;
let adas: Session;
let bobs: Session;

beforeAll(async () => {
  stage = await inboxStage();
  bridge = await stage.bridge();
  ada = await stage.host(bridge, 'ada', '2026-07-28');
  adas = await stage.signIn(bridge, 'ada');
  bobs = await stage.signIn(bridge, 'bob');
});

afterAll(() => stage?.[Symbol.asyncDispose]());

let asked = 0;
/** A new question to Ada. */
async function ask(more: Record<string, unknown> = {}): Promise<{ readonly n: number; readonly id: string }> {
  asked += 1;
  return { n: asked, id: await ada.ask({ n: asked, ...more }) };
}

/** What the server got for a question. */
const got = (n: number): readonly unknown[] =>
  stage
    .noted()
    .filter(each => each['n'] === n)
    .map(({ answer }) => answer);

const isOpen = async (session: Session, id: string): Promise<boolean> =>
  (await session.text(`/questions/${id}`)).includes('name="action"');

interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const ignored = (): void => {};

/** A request whose path and headers are sent as they are. */
async function raw(
  path: string,
  headers: Record<string, string> = {},
  { method = 'GET', body }: { readonly method?: string; readonly body?: string | Buffer } = {},
): Promise<RawAnswer> {
  const { hostname, port } = bridge.address;
  const sent = httpRequest({ hostname, port, path, method, headers });
  // A server that refuses what is too large may end the connection while that is still being sent.
  sent.on('error', () => {});
  // What is still being sent then may fail once the response has come, when the request no longer listens.
  sent.on('socket', socket => socket.off('error', ignored).on('error', ignored));
  sent.end(body);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  return { status: response.statusCode, headers: response.headers, text };
}

const pathOf = (address: string): string => new URL(address).pathname;
const cookieOf = (session: Session): string => `midcall-inbox=${session.cookie}`;

describe('somebody else', () => {
  it('somebody else neither reads, checks nor answers a question by its id', async () => {
    const { n, id } = await ask();
    const page = await bobs.get(`/questions/${id}`);
    expect([page.status, (await page.text()).includes('colour')]).toEqual([404, false]);
    for (const path of [`/questions/${id}`, `/questions/${id}/check`]) {
      for (const action of ['accept', 'decline', 'dismiss', 'review']) {
        const answered = await bobs.post(path, { action, f0: 'stolen' });
        expect([path, action, answered.status]).toEqual([path, action, 404]);
        expect(await answered.text()).not.toContain('colour');
      }
    }
    expect(await bobs.text('/')).toContain('Nothing is waiting for you.');
    expect(await isOpen(adas, id)).toBe(true);
    expect((await adas.answer(id, 'green')).status).toBe(303);
    await ada.call('ask', { n });
    expect(got(n)).toMatchObject([{ action: 'accept', content: { colour: 'green' } }]);
  });

  it('the path of a session gives nothing without its cookie, nor the cookie without its path', async () => {
    const { id } = await ask();
    const page = (session: Session, cookie: string): Promise<RawAnswer> =>
      raw(`${pathOf(session.base)}/questions/${id}`, { cookie });
    expect((await page(adas, cookieOf(adas))).text).toContain('colour');
    for (const [session, cookie] of [
      [adas, cookieOf(bobs)],
      [bobs, cookieOf(adas)],
      [adas, ''],
      [adas, 'midcall-inbox='],
      [adas, `other=${adas.cookie}`],
      // The path itself, the cookie's first characters, and what is more than the cookie.
      [adas, `midcall-inbox=${adas.at}`],
      [adas, cookieOf(adas).slice(0, -1)],
      [adas, `${cookieOf(adas)}A`],
    ] as const) {
      const refused = await page(session, cookie);
      expect([cookie, refused.status, refused.text.includes('colour')]).toEqual([cookie, 401, false]);
    }
  });

  it('a cookie counts for nothing beside another of its name that somebody planted', async () => {
    const path = `${pathOf(adas.base)}/`;
    for (const cookie of [`${cookieOf(adas)}; ${cookieOf(bobs)}`, `${cookieOf(bobs)}; ${cookieOf(adas)}`])
      expect((await raw(path, { cookie })).status).toBe(401);
    expect((await raw(path, { cookie: `midcall-inbox-2=x; ${cookieOf(adas)}; midcall-zone=UTC` })).status).toBe(200);
  });
});

describe('a session', () => {
  it('a session is over after signing out, and others of the person after signing out everywhere', async () => {
    const [first, second, third] = [
      await stage.signIn(bridge, 'carol'),
      await stage.signIn(bridge, 'carol'),
      await stage.signIn(bridge, 'carol'),
    ];
    const before = { cookie: cookieOf(first), csrf: await first.csrf() };
    const left = await first.post('/sign-out');
    expect([left.status, left.headers.get('location')]).toEqual([303, '/inbox']);
    expect(left.headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await raw(`${pathOf(first.base)}/`, { cookie: before.cookie })).status).toBe(401);
    expect((await second.get('/')).status).toBe(200);
    const events = await second.get('/events');
    expect((await third.post('/sign-out', { everywhere: 'true' })).status).toBe(303);
    for (const session of [second, third])
      expect((await raw(`${pathOf(session.base)}/`, { cookie: cookieOf(session) })).status).toBe(401);
    const posted = await raw(
      `${pathOf(second.base)}/sign-out`,
      {
        cookie: cookieOf(second),
        origin: bridge.address.origin,
        'content-type': 'application/x-www-form-urlencoded',
      },
      { method: 'POST', body: `csrf=${before.csrf}` },
    );
    expect(posted.status).toBe(401);
    expect((await adas.get('/')).status).toBe(200);
    // What listened has nothing more to hear, so that nobody counts as looking.
    for await (const _ of events.body!);
  });

  it('a session ends when an administrator removes its person, with their questions, and they cannot sign in', async () => {
    await using dora = await stage.host(bridge, 'dora', '2025-11-25');
    const doras = await stage.signIn(bridge, 'dora');
    const id = await dora.ask({ n: 'dora' });
    const csrf = await doras.csrf();
    expect((await doras.get(`/questions/${id}`)).status).toBe(200);
    const removed = await stage.midcall(['inboxes', 'remove', stage.principal('dora'), '--inbox', stage.file]);
    expect([removed.code, removed.out]).toEqual([0, 'Removed.\n']);
    expect((await doras.get(`/questions/${id}`)).status).toBe(401);
    expect((await doras.post(`/questions/${id}`, { csrf, action: 'accept', f0: 'late' })).status).toBe(401);
    // The bridge looks every so often whether somebody was removed.
    let told = '';
    await eventually(async () => {
      told = await dora.call('ask', { n: 'dora' });
      return !told.includes('/inbox?question=');
    });
    expect(told).toContain('cancel');
    expect(stage.noted().filter(each => each['n'] === 'dora')).toMatchObject([{ answer: { action: 'cancel' } }]);
    await expect(stage.signIn(bridge, 'dora')).rejects.toThrow('An administrator of this bridge has removed you.');
    const record = await stage.midcall([
      ...['inboxes', 'record', '--principal', stage.principal('dora'), '--inbox', stage.file],
    ]);
    const lines = record.out
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as { event: string; how?: string });
    expect(lines.map(({ event, how }) => how ?? event)).toEqual(['asked', 'removed', 'refused-by-policy']);
    // What is asked from now on is nowhere to be answered.
    expect(await dora.call('ask', { n: 'dora again' })).not.toContain('/inbox?question=');
  });
});

describe('another page in the browser', () => {
  const origin = () => bridge.address.origin;
  it.each([
    ['of another origin', () => ({ origin: 'https://evil.example' })],
    ['of another port of the same host', () => ({ origin: 'http://127.0.0.1:1' })],
    ['of an origin that is withheld', () => ({ origin: 'null' })],
    ['of a site that the browser calls another', () => ({ origin: origin(), 'sec-fetch-site': 'cross-site' })],
    ['of the same site and another origin', () => ({ origin: origin(), 'sec-fetch-site': 'same-site' })],
  ])('a request %s changes nothing', async (_, headers) => {
    const { n, id } = await ask();
    const answered = await adas.post(`/questions/${id}`, { action: 'accept', f0: 'forged' }, headers());
    expect(answered.status).toBe(403);
    expect((await adas.post('/sign-out', { everywhere: 'true' }, headers())).status).toBe(403);
    expect(await isOpen(adas, id)).toBe(true);
    expect(got(n)).toEqual([]);
  });

  it('a request without an Origin, or without the token of this very session, changes nothing', async () => {
    const { n, id } = await ask();
    const second = await stage.signIn(bridge, 'ada');
    const form = (csrf: string): string => new URLSearchParams({ csrf, action: 'accept', f0: 'forged' }).toString();
    const headers = { cookie: cookieOf(adas), 'content-type': 'application/x-www-form-urlencoded' };
    const path = `${pathOf(adas.base)}/questions/${id}`;
    const own = await adas.csrf();
    const post = async (csrf: string, more: Record<string, string>): Promise<number> =>
      (await raw(path, { ...headers, ...more }, { method: 'POST', body: form(csrf) })).status;
    expect(await post(own, {})).toBe(403);
    for (const csrf of ['', 'x', own.slice(0, -1), `${own}x`, await second.csrf(), await bobs.csrf(), adas.cookie])
      expect(await post(csrf, { origin: origin() })).toBe(403);
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      expect((await raw(path, { ...headers, origin: origin() }, { method })).status).toBe(404);
    expect(await isOpen(adas, id)).toBe(true);
    expect(got(n)).toEqual([]);
  });

  it('a sign-in whose cookie did not come back is refused, and says what may keep it away', async () => {
    const answer = await bobs.browser.send(new URL('/inbox/signed-in?state=x', bridge.address));
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(
      'begun in another browser or in one that refuses cookies. Nobody was signed in',
    );
  });

  it('no page is shown in a frame, runs scripts, or loads or sends anything elsewhere', async () => {
    const { id } = await ask();
    const answers = [
      await bobs.browser.send(new URL('/inbox', bridge.address)),
      await bobs.browser.send(new URL('/inbox/nowhere', bridge.address)),
      await bobs.browser.send(new URL('/inbox/signed-in?state=x', bridge.address)),
      ...(await Promise.all(['/', '/past', `/questions/${id}`, '/sign-out', '/nowhere'].map(path => adas.get(path)))),
      await adas.post('/sign-out', {}, { origin: 'https://evil.example' }),
      await bobs.get(`/questions/${id}`),
    ];
    for (const { headers, url } of answers) {
      const policy = headers.get('content-security-policy') ?? '';
      expect([url, policy]).toEqual([url, expect.stringContaining("frame-ancestors 'none'")]);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("form-action 'self'");
      expect(policy).toContain("base-uri 'none'");
      expect(policy).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
    for (const response of answers) await response.body?.cancel();
  });

  it('another name of the machine, or an address in the request line, gets nothing of the inbox', async () => {
    const path = `${pathOf(adas.base)}/`;
    const cookie = cookieOf(adas);
    const { port, host } = bridge.address;
    const csrf = await adas.csrf();
    for (const other of ['evil.example', `evil.example:${port}`, `localhost:${port}`, '127.0.0.1', `[::1]:${port}`]) {
      const page = await raw(path, { cookie, host: other });
      expect([other, page.text.includes('Signed in as')]).toEqual([other, false]);
      expect([303, 400, 403]).toContain(page.status);
      if (page.status === 303) expect(page.headers.location).toBe(`${bridge.address.origin}/inbox`);
      const posted = await raw(
        `${path}sign-out`,
        {
          ...{ cookie, host: other, origin: `http://${other}` },
          'content-type': 'application/x-www-form-urlencoded',
          'x-forwarded-host': host,
        },
        { method: 'POST', body: `csrf=${csrf}&everywhere=true` },
      );
      expect(posted.status).toBe(403);
    }
    const byLine = await raw(`http://evil.example${path}`, { cookie, host });
    expect([byLine.status, byLine.text.includes('Signed in as')]).toEqual([400, false]);
    const twice = connect(Number(port), bridge.address.hostname);
    twice.end(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\nCookie: ${cookie}\r\n\r\n`);
    let text = '';
    for await (const part of twice.setEncoding('utf8')) text += part;
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect((await adas.get('/')).status).toBe(200);
  });
});

describe('a sign-in', () => {
  /** Begins one. @returns its cookie, and where the authorization server sends the browser back to */
  async function begun(browser: NoScreen, who = 'mallory') {
    stage.login.state.person = who;
    try {
      const { url } = await browser.follow(
        new URL('/inbox/sign-in', bridge.address),
        `${bridge.address.origin}/inbox/signed-in`,
      );
      const [name, sealed] = [...browser.cookies(bridge.address.hostname)].find(([each]) =>
        each.startsWith('midcall-sign-in-'),
      )!;
      return { name, sealed, callback: `${url.pathname}${url.search}` };
    } finally {
      stage.login.state.person = undefined;
    }
  }
  const hasSession = ({ headers }: RawAnswer): boolean =>
    (headers['set-cookie'] ?? []).some(each => /^midcall-inbox=[^;]/.test(each));

  it('a sign-in ends only in the browser that began it, once, with the cookie and the state that belong together', async () => {
    const mallory = await begun(new NoScreen());
    const other = await begun(new NoScreen(), 'oscar');
    const cookie = `${mallory.name}=${mallory.sealed}`;
    const state = (callback: string): string => new URL(callback, bridge.address).searchParams.get('state')!;
    const refused: readonly (readonly [string, Record<string, string>])[] = [
      // A person who is sent the callback of somebody else's sign-in has another cookie, or none.
      [mallory.callback, {}],
      [mallory.callback, { cookie: `${other.name}=${other.sealed}` }],
      [mallory.callback, { cookie: cookieOf(adas) }],
      [mallory.callback, { cookie: `${mallory.name}=${other.sealed}` }],
      [mallory.callback, { cookie: `${cookie}; ${mallory.name}=${other.sealed}` }],
      [mallory.callback, { cookie: `${mallory.name}=${mallory.sealed.slice(0, -4)}AAAA` }],
      [mallory.callback, { cookie: `${mallory.name}=` }],
      [mallory.callback.replace(state(mallory.callback), state(other.callback)), { cookie }],
      [`${mallory.callback}&state=${state(mallory.callback)}`, { cookie }],
      [mallory.callback.replace(/state=[^&]*/, ''), { cookie }],
    ];
    for (const [callback, headers] of refused) {
      const answer = await raw(callback, headers);
      expect([headers, answer.status, hasSession(answer)]).toEqual([headers, 400, false]);
    }
    const signedIn = await raw(mallory.callback, { cookie });
    expect([signedIn.status, hasSession(signedIn)]).toEqual([200, true]);
    expect(signedIn.headers['set-cookie']).toContainEqual(expect.stringMatching(`^${mallory.name}=; .*Max-Age=0`));
    for (const name of ['HttpOnly', 'SameSite=Strict', 'Path=/inbox/s/'])
      expect(signedIn.headers['set-cookie']).toContainEqual(expect.stringContaining(name));
    const replayed = await raw(mallory.callback, { cookie });
    expect([replayed.status, hasSession(replayed)]).toEqual([401, false]);
  });

  it('a sign-in does not take the code of another, nor what another issuer seems to say', async () => {
    const [mallory, other] = [await begun(new NoScreen()), await begun(new NoScreen(), 'oscar')];
    const codeOf = ({ callback }: { callback: string }): string => /code=([^&]+)/.exec(callback)![1]!;
    for (const callback of [
      mallory.callback.replace(codeOf(mallory), codeOf(other)),
      mallory.callback.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fevil.example'),
      mallory.callback.replace(/&?iss=[^&]+/, ''),
    ]) {
      const answer = await raw(callback, { cookie: `${mallory.name}=${mallory.sealed}` });
      expect([callback === mallory.callback, answer.status, hasSession(answer)]).toEqual([false, 401, false]);
    }
  });
});

describe('an odd request', () => {
  it('a path that leads out of a session, hides a slash or never ends finds nothing', async () => {
    const { id } = await ask();
    const cookie = cookieOf(bobs);
    const [own, others] = [pathOf(bobs.base), pathOf(adas.base)];
    for (const path of [
      `${own}/../${adas.at}/questions/${id}`,
      `${own}/%2e%2e/${adas.at}/questions/${id}`,
      `${own}/..%2f${adas.at}/questions/${id}`,
      `${own}%2f..%2f${adas.at}%2fquestions%2f${id}`,
      `${own}/questions/..%2f..%2f..%2f${adas.at}%2fquestions%2f${id}`,
      `${own}\\..\\${adas.at}\\questions\\${id}`,
      `${own}//questions/${id}`,
      `/inbox/s/${bobs.at}${adas.at}/questions/${id}`,
      `/inbox/s//${adas.at}/questions/${id}`,
      `/inbox//s/${adas.at}/questions/${id}`,
      `/INBOX/s/${adas.at}/questions/${id}`,
      `${others}/questions/${id}`,
      `${own}/questions/${'x'.repeat(10_000)}`,
      `${own}/questions/%00`,
      `${own}/questions/%ff%fe`,
      `${own}/questions/__proto__`,
      `${own}/?from=1e309`,
      `${own}/?from=-1&from=x`,
      `${own}/past?from=99999999999999999999`,
      `/inbox/s/${'x'.repeat(10_000)}/`,
      '/inbox/s/',
      '/inbox/assets/../s/',
      '/inbox/assets/%2e%2e%2f%2e%2e%2fpackage.json',
    ]) {
      const answer = await raw(path, { cookie });
      expect([path, answer.text.includes('Which colour?')]).toEqual([path, false]);
      expect([200, 400, 401, 404]).toContain(answer.status);
    }
    expect((await raw(`${own}/questions/${'x'.repeat(60_000)}`, { cookie })).status).toBe(431);
    expect((await bobs.get('/')).status).toBe(200);
  });

  it('a request that is larger than any answer is refused, whoever sends it, and the inbox goes on', async () => {
    const { n, id } = await ask();
    const csrf = await adas.csrf();
    const path = `${pathOf(adas.base)}/questions/${id}`;
    const body = Buffer.from(`csrf=${csrf}&action=accept&f0=${'x'.repeat(20 * 1024 * 1024)}`);
    const headers = {
      origin: bridge.address.origin,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const own = await raw(path, { ...headers, cookie: cookieOf(adas) }, { method: 'POST', body });
    expect([own.status, own.text.includes('too large')]).toEqual([413, true]);
    const anonymous = await raw(path, headers, { method: 'POST', body });
    expect([401, 413]).toContain(anonymous.status);
    const chunked = await raw(
      path,
      { ...headers, cookie: cookieOf(adas), 'transfer-encoding': 'chunked' },
      { method: 'POST', body },
    );
    expect(chunked.status).toBe(413);
    expect((await adas.answer(id, 'x'.repeat(1024 * 1024))).status).toBe(303);
    await ada.call('ask', { n });
    expect(got(n)).toHaveLength(1);
  });
});

describe('a server', () => {
  it('a server that asks one person as much and as fast as it can lets nobody else wait', async () => {
    await using bob = await stage.host(bridge, 'bob', '2025-11-25');
    await using flooded = await stage.host(bridge, 'flora', '2026-07-28');
    const floras = await stage.signIn(bridge, 'flora');
    let flooding = 0;
    let waiting = 0;
    let isServed = false;
    const flood = Promise.all(
      Array.from({ length: 12 }, async () => {
        while (!isServed && flooding < 900) {
          flooding += 1;
          await flooded.ask({ n: `flood ${flooding}` });
          waiting += 1;
        }
      }),
    );
    await Promise.race([flood, eventually(() => waiting > 0)]);
    const id = await bob.ask({ n: 'bob' });
    expect((await bobs.answer(id, 'blue')).status).toBe(303);
    expect(await bob.call('ask', { n: 'bob' })).toContain('blue');
    isServed = true;
    // He was asked and has answered while the flood went on.
    expect(flooding).toBeLessThan(900);
    await flood;
    const text = await floras.text('/');
    expect(text).toContain(`${waiting} questions waiting`);
    expect(text.length).toBeLessThan(200_000);
    expect(await bobs.text('/')).not.toContain('flood');
  });

  it.each(eras)(
    'a server cannot show anything active, nor swell the page, by what it says or is called on %s',
    async era => {
      const active = '<script>alert(1)</script><img src=x onerror=alert(1)>" onload="alert(1)\u202e\u2066\u0000';
      const host = await stage.host(bridge, 'ada', era, `<b onclick=alert(1)>${active}`);
      const large = `${active}${'y'.repeat(999_000)}`;
      const told = await host.call('<img src=x onerror=alert(1)>\u202e', { n: `active ${era}`, message: large, large });
      expect(told.slice(0, 2_000)).toContain('/inbox?question=');
      const id = /question=([\w-]+)/.exec(told)![1]!;
      expect(told.length).toBeLessThan(3_000);
      for (const path of ['/', `/questions/${id}`]) {
        const text = await adas.text(path);
        expect(text.length).toBeLessThan(400_000);
        expect(text).not.toMatch(/<script>|<img|<b |onload="|[\u202e\u2066\u0000]/);
        expect(text).toContain('&lt;img');
      }
      expect((await adas.post(`/questions/${id}`, { action: 'decline' })).status).toBe(303);
      const past = await adas.text('/past');
      expect(past.length).toBeLessThan(400_000);
      expect(past).not.toMatch(/<script>|<img|<b |onload="|[\u202e\u2066\u0000]/);
      await host.client.close();
    },
  );

  it('a subject that is called like markup is shown as text', async () => {
    const who = '<img src=x onerror=alert(1)>\u202eeve" x="';
    const eves = await stage.signIn(bridge, who);
    const text = await eves.text('/');
    expect(text).toContain('&lt;img src=x');
    expect(text).not.toMatch(/<img|[\u202e]|" x="/);
    const people = await stage.midcall(['inboxes', 'people', '--inbox', stage.file]);
    expect(people.out).toContain('<img src=x');
    expect(people.out).not.toContain('\u202e');
  });
});

describe('a reply', () => {
  it('a reply to a question that has ended, or sent twice, says how it ended and changes nothing', async () => {
    const { n, id } = await ask();
    const csrf = await adas.csrf();
    expect((await adas.post(`/questions/${id}`, { csrf, action: 'accept', f0: 'first' })).status).toBe(303);
    for (const fields of [
      { action: 'accept', f0: 'first' },
      { action: 'accept', f0: 'second' },
      { action: 'decline' },
    ]) {
      const late = await adas.post(`/questions/${id}`, { csrf, ...fields });
      const received = 'Your earlier answer was received; this one was not.';
      expect([late.status, (await late.text()).includes(received)]).toEqual([409, true]);
    }
    expect((await adas.post(`/questions/${id}/check`, { csrf, f0: 'x' })).status).toBe(404);
    await ada.call('ask', { n });
    expect(got(n)).toMatchObject([{ action: 'accept', content: { colour: 'first' } }]);
  });

  it('a reply counts once of 64 that accept and decline at the same moment, and the server gets that one', async () => {
    const { n, id } = await ask();
    const csrf = await adas.csrf();
    const sent = Array.from({ length: 64 }, (_, at) =>
      at % 2 === 0 ? { csrf, action: 'accept', f0: `colour ${at}` } : { csrf, action: 'decline' },
    );
    const answers = await Promise.all(sent.map(fields => adas.post(`/questions/${id}`, fields)));
    const statuses = answers.map(({ status }) => status);
    // One that has not been judged after some seconds is told only that it was sent, and may still count.
    const won = statuses.includes(303) ? 303 : 202;
    expect(statuses.filter(status => status !== 409 && status !== 202)).toEqual(won === 303 ? [303] : []);
    await eventually(async () => {
      await ada.call('ask', { n });
      return got(n).length > 0;
    });
    const winners = sent.filter((_, at) => statuses[at] === won);
    expect(got(n)).toHaveLength(1);
    expect(
      winners.map(({ action, f0 }) => (action === 'accept' ? { action, content: { colour: f0 } } : { action })),
    ).toContainEqual(got(n)[0]);
  });

  it('a reply that is none of its question is refused, and the question stays open', async () => {
    const { n, id } = await ask();
    for (const fields of [
      { action: 'grant' },
      { action: 'accept' },
      { action: 'constructor' },
      { action: '' },
      {},
      { action: 'accept', f1: 'other' },
    ])
      expect([fields, (await adas.post(`/questions/${id}`, fields as never)).status]).toEqual([fields, 422]);
    expect(await isOpen(adas, id)).toBe(true);
    expect(got(n)).toEqual([]);
  });

  it('a reply comes too late if the host has cancelled the call while the page was open', async () => {
    await using host = await stage.host(bridge, 'ada', '2025-11-25');
    const events = await adas.get('/events');
    const reader = events.body!.getReader();
    const cancelled = new AbortController();
    const n = 'cancelled';
    // While somebody looks at the inbox, the call waits.
    const message = 'Will you answer in time?';
    const calling = host.call('ask', { n, message }, { signal: cancelled.signal }).catch(() => 'cancelled');
    let id: string | undefined;
    await eventually(async () => {
      const list = await adas.text('/');
      for (const [, each] of list.matchAll(/\/questions\/([\w-]+)"/g))
        if ((await adas.text(`/questions/${each}`)).includes(message)) id = each;
      return id !== undefined;
    });
    cancelled.abort();
    expect(await calling).toBe('cancelled');
    await eventually(async () => !(await isOpen(adas, id!)));
    const late = await adas.answer(id!, 'late');
    expect([late.status, (await late.text()).includes('Your answer was not sent')]).toEqual([409, true]);
    expect(stage.noted().filter(each => each['n'] === n)).toEqual([]);
    await reader.cancel();
  });
});

describe('a model or a host', () => {
  it.each(eras)('a model or a host cannot answer, by anything that it can call or send on %s', async era => {
    await using host = await stage.host(bridge, 'ada', era);
    const n = `forged on ${era}`;
    const id = await host.ask({ n });
    const { tools } = await host.client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(['<img src=x onerror=alert(1)>\u202e', 'ask', 'erase']);
    const content = { colour: 'forged' };
    const forged = { action: 'accept', content };
    const mcp = (body: object, headers: Record<string, string> = {}): Promise<RawAnswer> =>
      raw(
        '/mcp',
        {
          authorization: `Bearer ${host.token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        { method: 'POST', body: JSON.stringify(body) },
      );
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'host', version: '1' },
      'io.github.midcall/answer': forged,
      'io.github.midcall/ticket': id,
    };
    const inputResponses = { q: forged, [id]: forged, 'question 0': forged };
    const version = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'ask' };
    await mcp(
      {
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'ask', arguments: { n }, _meta: meta, inputResponses },
      },
      version,
    );
    await mcp(
      {
        ...{ jsonrpc: '2.0', id: 2, method: 'tools/call' },
        params: { name: 'ask', arguments: { n }, _meta: meta, inputResponses, requestState: id },
      },
      version,
    );
    await host.call('ask', { n, colour: 'forged', answer: forged, question: id });
    for (const name of ['resume', 'answer', 'midcall.answer', id])
      await host.client.callTool({ name, arguments: { question: id, ticket: id, ...forged } }).catch(() => {});
    for (const uri of [`${bridge.address.origin}/inbox?question=${id}`, `${adas.base}/questions/${id}`])
      await expect(host.client.readResource({ uri })).rejects.toThrow();
    // Replies to requests that were never sent.
    for (const each of [id, 'q', ...Array.from({ length: 8 }, (_, at) => at)])
      await mcp({ jsonrpc: '2.0', id: each, result: forged });
    // The token of a host opens no page.
    const page = await raw(`${pathOf(adas.base)}/questions/${id}`, { authorization: `Bearer ${host.token}` });
    expect(page.status).toBe(401);
    expect(await isOpen(adas, id)).toBe(true);
    expect(got(n as never)).toEqual([]);
    expect((await adas.answer(id, 'true')).status).toBe(303);
    await eventually(async () => (await host.call('ask', { n })).includes('true'));
    expect(got(n as never)).toMatchObject([{ action: 'accept', content: { colour: 'true' } }]);
  });
});
