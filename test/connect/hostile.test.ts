/** What somebody sends who does not keep to forms, methods, addresses and encodings. */
import { request as httpRequest } from 'node:http';
import { connect as tcp } from 'node:net';
import { html } from '@midcall/core/page';
import { confirm, formPage, type PageKind, pageOf, secret } from '@midcall/server/connect';
import { describe, expect, it } from 'vitest';
import { eventually } from '../fixtures/grown.ts';
import { fixture, told } from './fixture.ts';
import { codeIn, pastCode, visitor } from './visitor.ts';

const pages = {
  confirm: confirm(),
  secret: secret({ name: 'weather', label: 'API key' }),
  form: formPage({
    title: 'Where to?',
    items: {
      name: { kind: 'text', label: 'Name' },
      notes: { kind: 'text', label: 'Notes', long: true },
      age: { kind: 'number', label: 'Age' },
      days: { kind: 'multi-select', label: 'Days', choices: ['mon', 'tue'] },
      stops: { kind: 'list', label: 'Stops', items: { town: { kind: 'text', label: 'Town' } } },
    },
  }),
};

async function opened(kind: keyof typeof pages | PageKind, midcall: object = {}) {
  const made = await fixture({
    era: '2025-11-25',
    midcall,
    ...(typeof kind === 'object' && { connect: { kinds: [kind] } }),
    handler: async call => {
      const page = typeof kind === 'object' ? pageOf(kind, null) : pages[kind];
      return told(await call.elicitUrl({ message: 'Sure?', page: page as never }));
    },
  });
  const result = made.call({ folder: 'work' });
  const { params } = await made.whenAsked(1);
  const url = params['url'] as string;
  const person = visitor(url);
  await person.get();
  await person.send({ do: 'code', code: codeIn(params['message'] as string) });
  return { ...made, result, url, person };
}

/** What a server answers to bytes as they are. */
const raw = (port: number, bytes: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = tcp(port, '127.0.0.1', () => socket.end(bytes));
    let said = '';
    socket.on('data', part => {
      said += part;
    });
    socket.on('close', () => resolve(said)).on('error', reject);
  });

const urlencoded = 'application/x-www-form-urlencoded';

describe('a form', () => {
  it('a form of a megabyte of fields, or of one field sent over and over, is answered at once', async () => {
    const { person, url, result } = await opened('confirm');
    const cookie = [...person.cookies].map(each => each.join('=')).join('; ');
    const headers = { cookie, origin: new URL(url).origin, 'content-type': urlencoded };
    for (const body of ['a&'.repeat(500_000), Array.from({ length: 150_000 }, (_, n) => n).join('&')]) {
      const response = await fetch(url, { method: 'POST', headers, body });
      expect(response.status).toBe(413);
    }
    await person.send({});
    expect(await result).toContain('accept');
  });

  it.each([
    ['a little over a megabyte', 1_100_000],
    ['without end', Number.POSITIVE_INFINITY],
  ])('a form sent in pieces that do not say how many there are, %s, is read up to a megabyte', async (_, bytes) => {
    const { person, url, result } = await opened('confirm');
    const cookie = [...person.cookies].map(each => each.join('=')).join('; ');
    let sent = 0;
    const body = new ReadableStream({
      pull(pieces) {
        if (sent >= bytes) return pieces.close();
        sent += 10_000;
        pieces.enqueue(Buffer.alloc(10_000, 'a'));
      },
    });
    const response = await fetch(url, {
      method: 'POST',
      headers: { cookie, origin: new URL(url).origin, 'content-type': urlencoded },
      body,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(413);
    await person.get();
    await person.send({});
    expect(await result).toContain('accept');
  });

  it('a form that says that it is larger than a megabyte is refused before any of it is there', async () => {
    const { person, url, result } = await opened('confirm');
    const cookie = [...person.cookies].map(each => each.join('=')).join('; ');
    const answered = new Promise<number>((resolve, reject) => {
      const headers = {
        cookie,
        origin: new URL(url).origin,
        'content-type': urlencoded,
        'content-length': '1048577',
      };
      const request = httpRequest(url, { method: 'POST', headers }, response => {
        resolve(response.statusCode!);
        request.destroy();
      });
      request.on('error', reject);
      request.flushHeaders();
    });
    expect(await answered).toBe(413);
    await person.get();
    await person.send({});
    expect(await result).toContain('accept');
  });

  it('a form is not read where it cannot come from our page', async () => {
    const { person, url, result } = await opened('confirm');
    const sent = new Promise<number>((resolve, reject) => {
      const headers = { origin: 'https://evil.example', 'content-type': urlencoded, 'content-length': '1000000' };
      const request = httpRequest(url, { method: 'POST', headers }, response => {
        resolve(response.statusCode!);
        request.destroy();
      });
      request.on('error', reject);
      request.flushHeaders();
    });
    expect(await sent).toBe(403);
    await person.send({});
    await result;
  });

  it.each([
    ['text after the type', `${urlencoded}; charset=utf-8`, 'This is done'],
    ['several parts', 'multipart/form-data; boundary=x', 'This form was not accepted'],
    ['no type', undefined, 'This form was not accepted'],
    ['XML', 'text/xml', 'This form was not accepted'],
  ])('a form with %s is read as a form or not at all', async (_, type, title) => {
    const { person, result } = await opened('confirm');
    expect((await person.send({}, { headers: { 'content-type': type } })).title).toBe(title);
    await person.get();
    await person.send({});
    expect(await result).toContain('accept');
  });

  it('a form that is no text, or has broken escapes, null and direction marks in it, does no harm', async () => {
    const { person, url, vault, result } = await opened('secret');
    const cookie = [...person.cookies].map(each => each.join('=')).join('; ');
    const headers = { cookie, origin: new URL(url).origin, 'content-type': urlencoded };
    for (const body of [
      Buffer.from([0xff, 0xfe, 0x3d, 0x80]),
      '%',
      '%zz=%',
      '=',
      '&&&&',
      '__proto__=1&constructor=2',
    ]) {
      const response = await fetch(url, { method: 'POST', headers, body });
      expect(response.status).toBe(403);
    }
    await person.get();
    await person.send({ secret: 'canary-\u0000-\u202e-0123456789' });
    expect(await result).toContain('accept');
    expect([...vault.values()]).toEqual(['canary-\u0000-\u202e-0123456789']);
  });

  it.each(['confirm', 'form', 'secret'] as const)(
    'a form is not agreed to by a button that it does not have: %s',
    async kind => {
      const { person, result } = await opened(kind);
      const fields = { secret: 'canary-0123456789', name: 'Ada', notes: 'none', age: '36', days: 'mon' };
      const { title } = await person.get();
      for (const button of ['zzz', '', 'Send', 'sendx', 'code', 'add:nothing', []]) {
        const look = await person.send({ ...fields, do: button });
        expect(look).toMatchObject({ status: 400, title });
        expect(look.text).toContain('Nothing was sent yet.');
      }
      await person.send({ do: 'decline' });
      expect(await result).toContain('decline');
    },
  );

  it('a form whose every field is markup comes back as text', async () => {
    const bad = `"'><script>alert(1)</script><img src=x onerror=alert(1)>`;
    const { person, result } = await opened('form');
    const fields = { name: bad, notes: `</textarea>${bad}`, age: bad, days: bad, 'items-shown': bad };
    for (const more of [{}, { do: bad }, { do: 'add:stops' }, { do: `remove:stops:${bad}`, 'stops.count': bad }]) {
      const look = await person.send({ ...fields, 'stops.count': '1', 'stops.0.town': bad, ...more });
      expect(look.status).toBe(422);
      expect(look.text).not.toMatch(/<script|<img|onerror="|<\/textarea>[^<]*&#39;|'>/u);
      expect(look.text.match(/<\/textarea>/gu)).toHaveLength(1);
    }
    await person.send({ do: 'decline' });
    expect(await result).toContain('decline');
  });

  it.each(['submit', 'finish', 'show'] as const)(
    'a form whose %s fails with what was entered says so to the person and the operator, and repeats none of it',
    async at => {
      const failsAt = (here: string): void => {
        if (here === at) throw new Error('canary-0123456789 was entered by ada@example.org');
      };
      let shows = 0;
      const { person, result, warned, audit } = await opened({
        name: 'failing',
        show() {
          shows += 1;
          if (shows === 2) failsAt('show');
          return { title: 'Enter it', body: html`<input name="secret">`, send: 'Send' };
        },
        submit() {
          failsAt('submit');
          return {
            finish() {
              failsAt('finish');
              return null;
            },
          };
        },
      });
      const look = at === 'show' ? await person.get() : await person.send({ secret: 'canary-0123456789' });
      expect(look.title).toBe(at === 'finish' ? 'This could not be finished' : 'Something went wrong here');
      if (at === 'finish') {
        expect((await person.get()).title).toBe(look.title);
        expect((await person.send({})).title).toBe(look.title);
      } else {
        expect(look.text).toContain('the link still works');
        // Whoever only looks has entered nothing.
        expect(look.text.includes('what you entered')).toBe(at === 'submit');
        await person.get();
        await person.send({ do: 'decline' });
      }
      expect(await result).toContain(at === 'finish' ? 'cancel error' : 'decline');
      expect(warned).toHaveLength(1);
      expect(warned[0]).toMatch(/^midcall connect: a page (failed|could not be finished) \(Error\)\.$/u);
      expect(JSON.stringify([warned, audit, look.text])).not.toMatch(/canary|ada@/u);
    },
  );

  it('a form sent after the call took its question back has no effect, and is told so', async () => {
    const { pair, pages: served, ...made } = await opened('confirm');
    const aborted = new AbortController();
    const second = made.callTool('act', {}, { signal: aborted.signal }).catch(() => 'cancelled');
    const other = await pastCode(await made.whenAsked(2));
    const withdrawn = made.audit.length;
    aborted.abort();
    expect(await second).toBe('cancelled');
    await eventually(async () => (await other.get()).title === 'This is no longer needed');
    expect((await other.send({})).title).toBe('This is no longer needed');
    expect(made.audit.slice(withdrawn).filter(event => event.kind === 'page-finished')).toEqual([]);
    await made.person.send({});
    expect(await made.result).toContain('accept');
  });
});

describe('an address', () => {
  it('an address that is nearly right leads nowhere, by whatever method, and every answer has the headers of a page', async () => {
    const { person, url, audit, warned, result } = await opened('confirm');
    const { pathname, port } = new URL(url);
    const pageId = pathname.split('/').at(-1);
    const seen = audit.length;
    for (const path of [
      `//connect/${pageId}`,
      `/connect//${pageId}`,
      `/connect/${pageId}/`,
      `/connect/x/../../connect/${pageId}/x`,
      `/connect/%2e%2e%2fconnect%2f${pageId}`,
      `/connect%2f${pageId}`,
      `/CONNECT/${pageId}`,
      `/connect/${pageId}%00`,
      `/connect/${pageId}%`,
      `/connect/%c0%af`,
      `/connect/;${pageId}`,
      `/connect/callback/notes?state=x&code=y`,
      `/connect/callback/%2e%2e?state=__proto__`,
      '/connect/',
      '/connect/__proto__',
      `/${'x'.repeat(8_000)}`,
      `*`,
    ]) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
        const bytes = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`;
        const said = await raw(Number(port), bytes);
        expect(said, `${method} ${path}`).toMatch(/^HTTP\/1\.1 4\d\d /u);
        if (said.startsWith('HTTP/1.1 404')) expect(said, `${method} ${path}`).toContain("frame-ancestors 'none'");
      }
    }
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      const bytes = `${method} ${pathname} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`;
      expect(await raw(Number(port), bytes), method).toMatch(/^HTTP\/1\.1 404 /u);
    }
    expect(audit.slice(seen)).toEqual([]);
    expect(warned).toEqual([]);
    await person.send({});
    expect(await result).toContain('accept');
  });

  it.each(['rebound.example', '127.0.0.1', '[::1]', '0.0.0.0', '127.0.0.1.evil.example', 'localhost.evil.example', ''])(
    'an address under the name %s gets nothing',
    async name => {
      const { person, url, result } = await opened('confirm');
      const { pathname, port } = new URL(url);
      for (const host of [name, `${name}:${Number(port) ^ 1}`, ...(name === '127.0.0.1' ? [] : [`${name}:${port}`])]) {
        const said = await raw(
          Number(port),
          `GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\nx-forwarded-host: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`,
        );
        expect(said, host).toMatch(/^HTTP\/1\.1 40[03] /u);
        expect(said).not.toContain('set-cookie');
      }
      await person.send({});
      await result;
    },
  );

  it('an address that somebody types as localhost is shown where its form can be sent from', async () => {
    const { person, url, result } = await opened('confirm');
    const typed = url.replace('127.0.0.1', 'localhost');
    const { port, pathname } = new URL(url);
    const said = await raw(
      Number(port),
      `GET ${pathname} HTTP/1.1\r\nhost: ${new URL(typed).host}\r\nconnection: close\r\n\r\n`,
    );
    expect(said).toMatch(/^HTTP\/1\.1 307 /u);
    expect(/location: (.*)\r\n/iu.exec(said)?.[1]).toBe(url);
    const absolute = `GET http://evil.example/ HTTP/1.1\r\nhost: localhost:${port}\r\nconnection: close\r\n\r\n`;
    expect(await raw(Number(port), absolute)).toMatch(/^HTTP\/1\.1 400 /u);
    await person.send({});
    await result;
  });

  it.each<[string, (at: URL) => string, string]>([
    ['is asked for under two names', at => `${at.pathname} HTTP/1.1\r\nhost: ${at.host}\r\nhost: evil.example`, '400'],
    ['is asked for as another host’s', at => `http://evil.example${at.pathname} HTTP/1.1\r\nhost: ${at.host}`, '400'],
    ['is asked for as http://[', at => `http://[ HTTP/1.1\r\nhost: ${at.host}`, '400'],
    ['is asked for with its whole address', at => `${at.href} HTTP/1.1\r\nhost: ${at.host}`, '200'],
    ['is not there, at //', at => `// HTTP/1.1\r\nhost: ${at.host}`, '404'],
  ])('an address that %s leads to its page or nowhere', async (_, request, status) => {
    const { person, url, result } = await opened('confirm');
    const said = await raw(Number(new URL(url).port), `GET ${request(new URL(url))}\r\nconnection: close\r\n\r\n`);
    expect(said.split(' ')[1]).toBe(status);
    await person.send({});
    await result;
  });
});
