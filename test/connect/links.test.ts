/** What somebody with a link, or without one, can and cannot do. */
import { systemClock } from '@midcall/core/time';
import { confirm, connect } from '@midcall/server/connect';
import { memoryStore } from '@midcall/server/stores/memory';
import { describe, expect, it } from 'vitest';
import { eventually } from '../fixtures/grown.ts';
import { fixture, told } from './fixture.ts';
import { codeIn, type Visitor, visitor } from './visitor.ts';

async function opened(options: { readonly code?: boolean; readonly connect?: object; readonly midcall?: object } = {}) {
  const made = await fixture({
    era: '2025-11-25',
    ...options,
    handler: async call => told(await call.elicitUrl({ message: 'Sure?', page: confirm() })),
  });
  const result = made.call({ folder: 'work' });
  const { params } = await made.whenAsked(1);
  const url = params['url'] as string;
  const code = codeIn(params['message'] as string);
  const checked = async (who: Visitor = visitor(url)) => {
    await who.get();
    await who.send({ do: 'code', code });
    return who;
  };
  const reasons = () => made.audit.flatMap(event => (event.kind === 'page-refused' ? [event.reason] : []));
  return { ...made, result, url, code, checked, reasons };
}

describe('a link', () => {
  it('elicit-url-73: a link that was changed leads nowhere', async () => {
    const { url, checked, result } = await opened();
    for (const other of [
      `${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`,
      `${url}x`,
      url.slice(0, -4),
      `${url}/..%2f`,
    ]) {
      const look = await visitor(other).get();
      expect(look.status, other).toBe(404);
      expect(look.text).not.toContain('work');
    }
    const person = await checked();
    await person.send({});
    expect(await result).toContain('accept');
  });

  it('a link works once: a second tab and a second sending are told so, and change nothing', async () => {
    const { checked, result, reasons } = await opened();
    const first = await checked();
    const second = await checked();
    await first.send({});
    expect((await second.send({})).title).toBe('This is done');
    expect((await first.send({ do: 'decline' })).title).toBe('This is done');
    expect(await result).toContain('accept');
    expect(reasons()).toEqual([]);
  });

  it.each([
    ['a yes', {}, 'This was sent'],
    ['a no', { do: 'decline' }, 'You declined'],
  ])(
    '%s that spent the link is not said to be sent again where its outcome cannot be stored',
    async (_, sent, title) => {
      const memory = memoryStore();
      const set: typeof memory.set = (key, ...rest) =>
        key.startsWith('page-result:') ? Promise.reject(new Error('connection lost')) : memory.set(key, ...rest);
      // The waits before the outcome is stored again are over at once.
      const after: typeof systemClock.after = (ms, fn) => systemClock.after(ms <= 4_000 ? 0 : ms, fn);
      const { checked, result } = await opened({
        midcall: { store: { ...memory, set }, clock: { ...systemClock, after } },
      });
      // It waits until the page is due.
      result.catch(() => {});
      const person = await checked();
      const first = await person.send(sent);
      expect(first.title).toBe(title);
      expect(first.text).not.toContain('Try again');
      expect((await person.get()).title).toBe(title);
    },
  );

  it('of five sendings at the same time exactly one is taken', async () => {
    const { checked, result, audit } = await opened();
    const all = await Promise.all(Array.from({ length: 5 }, () => checked()));
    await Promise.all(all.map((who, index) => who.send(index % 2 === 0 ? {} : { do: 'decline' })));
    await result;
    expect(audit.filter(event => event.kind === 'page-finished')).toHaveLength(1);
  });

  it('a link is not used up by scanners and prefetchers', async () => {
    const { url, checked, result, audit } = await opened();
    for (let n = 0; n < 20; n++) await fetch(url, { headers: { purpose: 'prefetch', 'sec-purpose': 'prefetch' } });
    for (const method of ['HEAD', 'OPTIONS', 'PUT', 'DELETE']) await fetch(url, { method });
    expect(audit.filter(event => event.kind === 'page-seen' || event.kind === 'page-finished')).toEqual([]);
    await (await checked()).send({});
    expect(await result).toContain('accept');
  });

  it('elicit-url-57: a link shows nothing of the call before its visitor is known', async () => {
    const { url, result, checked } = await opened();
    const look = await visitor(url).get();
    expect(look.text).not.toContain('work');
    expect(look.text).not.toContain('Sure?');
    await (await checked()).send({});
    await result;
  });

  it('elicit-url-56: a link carries nothing of the call, the person or the code', async () => {
    const { url, code, result, checked } = await opened();
    expect(url).not.toContain(code);
    expect(new URL(url).pathname.split('/')).toHaveLength(3);
    await (await checked()).send({});
    await result;
  });
});

describe('the code', () => {
  it('elicit-url-72: the code may be tried five times, by everybody together; then the call ends as suspect', async () => {
    const { url, code, result, reasons } = await opened();
    for (let n = 4; n >= 1; n--) {
      const who = visitor(url);
      await who.get();
      const look = await who.send({ do: 'code', code: 'AAAA-AAAA' });
      expect(look.text).toContain(n === 1 ? 'One try is left' : `${n} tries are left`);
    }
    const who = visitor(url);
    await who.get();
    expect((await who.send({ do: 'code', code: 'AAAA-AAAA' })).title).toBe('Too many wrong codes');
    expect((await who.send({ do: 'code', code })).title).toBe('Too many wrong codes');
    expect(await result).toBe('cancel suspect page in-band');
    expect(reasons()).toEqual(['wrong-code', 'wrong-code', 'wrong-code', 'wrong-code', 'out-of-tries']);
  });

  it('elicit-url-57, elicit-url-67, elicit-url-72: the code cannot be got round by sending the form at once', async () => {
    const { url, result, checked } = await opened();
    const who = visitor(url);
    await who.get();
    expect((await who.send({ do: 'send' })).text).toContain('That is not the code');
    await (await checked()).send({});
    expect(await result).toContain('accept');
  });

  it('elicit-url-72: the code makes a new cookie: one planted before it proves nothing', async () => {
    const { url, code, result } = await opened();
    const attacker = visitor(url);
    await attacker.get();
    const planted = new Map(attacker.cookies);
    const victim = visitor(url, new Map(planted));
    await victim.get();
    await victim.send({ do: 'code', code });
    expect([...victim.cookies.values()]).not.toEqual([...planted.values()]);
    expect((await attacker.get()).title).toBe('Enter your code');
    await victim.send({});
    expect(await result).toContain('accept');
  });

  it('the code typed in two tabs, one after the other, leads to the page in both', async () => {
    const { url, code, result, reasons } = await opened();
    const one = visitor(url);
    await one.get();
    const two = visitor(url, one.cookies);
    await two.get();
    expect((await one.send({ do: 'code', code })).title).toBe('Allow this call?');
    // Whatever is typed, nothing is tried and nothing is taken any more.
    expect((await two.send({ do: 'code', code: 'AAAA-AAAA' })).title).toBe('Allow this call?');
    expect(reasons()).toEqual([]);
    const elsewhere = { headers: { origin: 'https://evil.example' }, fields: { 'form-token': undefined } };
    expect((await two.send({ do: 'code', code }, elsewhere)).title).toBe('This form was not accepted');
    await two.get();
    await two.send({});
    await one.get();
    expect((await one.send({})).title).toBe('This is done');
    expect(await result).toContain('accept');
  });

  it('elicit-url-72, elicit-url-73: the code of one page opens no other', async () => {
    const [one, two] = [await opened(), await opened()];
    const who = await one.checked();
    const elsewhere = visitor(two.url, who.cookies);
    expect((await elsewhere.get()).title).toBe('Enter your code');
    await who.send({});
    await one.result;
    await (await two.checked()).send({});
    await two.result;
  });
});

describe('a form', () => {
  it.each([
    ['another origin', { headers: { origin: 'https://evil.example' } }],
    ['no origin', { headers: { origin: undefined } }],
    ['an opaque origin', { headers: { origin: 'null' } }],
    ['another site', { headers: { 'sec-fetch-site': 'cross-site' } }],
    ['a page of the same site', { headers: { 'sec-fetch-site': 'same-site' } }],
    ['a page without the token', { fields: { 'form-token': undefined } }],
    ['a page with another token', { fields: { 'form-token': 'x'.repeat(43) } }],
    ['a script that posts JSON', { headers: { 'content-type': 'application/json' } }],
    ['a page that posts plain text', { headers: { 'content-type': 'text/plain' } }],
  ])('a form sent from %s is refused, and the link still works', async (_, forge) => {
    const { checked, result, reasons } = await opened();
    const person = await checked();
    expect((await person.send({}, forge)).title).toBe('This form was not accepted');
    expect(reasons()).toEqual(['forged']);
    await person.get();
    await person.send({});
    expect(await result).toContain('accept');
  });

  it.each([
    ['refuses cookies', {}, ['no-cookie'], 'This page needs cookies'],
    ['keeps those of others', { cookie: 'other=1; midcall-other=2' }, ['no-cookie'], 'This page needs cookies'],
    ['sends it from elsewhere', { origin: 'https://evil.example' }, ['forged'], 'This form was not accepted'],
  ])('visit-V2: a form without our cookie is refused, and who %s is told why', async (_, headers, refused, title) => {
    const { checked, url, result, reasons } = await opened();
    const person = await checked();
    const look = await person.send({}, { headers: { cookie: undefined, ...headers } });
    expect([look.status, look.title]).toEqual([403, title]);
    expect(look.text).toContain('Nothing was sent');
    expect(look.text.includes(`Allow cookies for ${new URL(url).hostname},`)).toBe(title.includes('cookies'));
    expect(reasons()).toEqual(refused);
    await person.get();
    await person.send({});
    expect(await result).toContain('accept');
  });

  it('a form larger than a megabyte is not read', async () => {
    const { checked, result } = await opened();
    const person = await checked();
    expect((await person.send({ filler: 'x'.repeat(1_100_000) })).status).toBe(413);
    await person.get();
    await person.send({});
    await result;
  });
});

describe('every page', () => {
  it('every page may not be framed, cached, indexed or sniffed, and runs no script', async () => {
    const { url, result, checked } = await opened();
    for (const to of [url, `${url}x`, new URL('/connect/icon.svg', url).href]) {
      const { headers } = await fetch(to);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('unsafe');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    }
    expect((await fetch(url)).headers.get('cache-control')).toBe('no-store');
    await (await checked()).send({});
    await result;
  });

  it('every page leads only to our own paths, whatever the request says', async () => {
    const { url, checked, result } = await opened();
    const person = await checked();
    for (const query of ['?next=https://evil.example', '?redirect_uri=//evil.example', '//evil.example']) {
      const response = await fetch(`${url}${query}`, { redirect: 'manual' });
      expect(response.headers.get('location')).toBeNull();
    }
    const sent = await person.send({ next: 'https://evil.example' });
    expect(sent.title).toBe('This is done');
    await result;
  });

  it('every page of the loopback server answers only to its own name', async () => {
    const { url, checked, result } = await opened();
    const { request } = await import('node:http');
    const status = await new Promise<number>((resolve, reject) => {
      const sent = request(url, { headers: { host: 'rebound.example' } }, response => {
        response.resume();
        resolve(response.statusCode!);
      });
      sent.on('error', reject).end();
    });
    expect(status).toBe(403);
    await (await checked()).send({});
    await result;
  });
});

describe('the loopback server', () => {
  it('the loopback server starts with the first page, and closes when none is open', async () => {
    const timers: (() => void)[] = [];
    const { pages, result, checked } = await opened({
      midcall: {
        clock: {
          ...systemClock,
          after: (ms: number, fn: () => void) => {
            if (ms >= 60_000) timers.push(fn);
            return () => {};
          },
        },
      },
    });
    expect(pages.port).toBeGreaterThan(0);
    await (await checked()).send({});
    await result;
    timers.at(-1)!();
    await eventually(() => pages.port === undefined);
  });
});

describe('connect()', () => {
  it.each([
    'http://notes.example.com/connect',
    'not an address',
    'ftp://x.example/',
    'https://x.example/:tenant/connect',
    'https://x.example/*',
    'https://x.example/a b',
    'https://x.example/café/connect',
    'https://x.example/a;Domain=example',
    'https://x.example//connect',
    'https://ada:pw@x.example/connect',
    'https://x.example/connect?x=1',
    'https://x.example/connect#x',
  ])('elicit-url-10, elicit-url-40, elicit-url-58: connect() refuses the base URL %s', baseUrl => {
    expect(() => connect({ name: 'x', baseUrl })).toThrow(/baseUrl/);
  });

  it('connect() makes pages that belong to one server', async () => {
    const { pages, result, checked } = await opened();
    const { midcall } = await import('@midcall/server');
    expect(() => midcall({ pages })).toThrow(/already belong/);
    await (await checked()).send({});
    await result;
  });
});
