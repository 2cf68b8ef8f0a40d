/** Pages behind a reverse proxy that ends TLS and adds its headers, under a path of a host that others share. */
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { confirm, connect } from '@midcall/server/connect';
import { serveHttp } from '@midcall/server/node';
import { eras } from '@midcall/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fixture, told } from './fixture.ts';
import { codeIn, visitor } from './visitor.ts';

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

/** Headers that a proxy adds, and those that a client forges in the hope that somebody believes them. */
const forwarded = {
  'x-forwarded-for': '203.0.113.7',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-port': '443',
  'x-forwarded-prefix': '/evil',
  'x-original-url': '/evil',
  'x-rewrite-url': '/evil',
  'x-http-method-override': 'DELETE',
  forwarded: 'for=203.0.113.7;host=evil.example;proto=https',
  via: '1.1 proxy',
};

/** A proxy in front of what listens at a port: another Host, more headers, the path as it came or without a prefix. */
const proxy = (to: () => number, strip = '') =>
  createServer((req, res) => {
    const path = req.url!.slice(strip.length);
    const headers = { ...req.headers, ...forwarded, host: 'pages.internal' };
    const onward = request(
      { port: to(), host: '127.0.0.1', method: req.method, path, headers },
      (back: IncomingMessage) => {
        res.writeHead(back.statusCode!, back.headers);
        back.pipe(res);
      },
    );
    req.pipe(onward);
  });

describe.each(eras)('%s', era => {
  it('under a path, everything goes by the public address: links, style, cookies, forms and ways back', async () => {
    let pagesPort = 0;
    const port = await listen(proxy(() => pagesPort));
    const base = `http://127.0.0.1:${port}/tools/notes/connect`;
    const made = await fixture({
      era,
      connect: { baseUrl: base },
      handler: async call => told(await call.elicitUrl({ message: 'Sure?', page: confirm() })),
    });
    pagesPort = await listen(createServer((req, res) => void made.pages.handle(req, res)));
    const result = made.call({ folder: 'work' });
    const { params } = await made.whenAsked(1);
    const url = params['url'] as string;
    expect(url).toMatch(new RegExp(`^${base}/[\\w-]{32}$`));
    const person = visitor(url);
    const look = await person.get();
    expect(look.text).not.toContain('evil');
    expect(look.headers.get('set-cookie')).toContain('; Path=/tools/notes/connect; ');
    const [style] = /\/[^"]*\.css/.exec(look.text)!;
    expect(style).toMatch(/^\/tools\/notes\/connect\//);
    expect((await fetch(new URL(style, url))).headers.get('content-type')).toContain('text/css');
    expect((await person.send({ do: 'code', code: codeIn(params['message'] as string) })).title).toBe(
      'Allow this call?',
    );
    // What a form says it comes from is judged by the public address: not by the Host that arrived, nor by what is forwarded.
    for (const origin of ['http://pages.internal', `http://127.0.0.1:${pagesPort}`, 'https://evil.example', 'null']) {
      expect((await person.send({}, { headers: { origin } })).title, origin).toBe('This form was not accepted');
    }
    await person.get();
    expect((await person.send({})).title).toBe('This is done');
    expect(await result).toBe('accept {"approved":true} page out-of-band');
  });
});

it('under https a cookie is Secure, and of a name that no neighbouring host can plant', async () => {
  const made = await fixture({
    era: '2026-07-28',
    connect: { baseUrl: 'https://notes.example.com/connect' },
    handler: async call => told(await call.elicitUrl({ message: 'Sure?', page: confirm() })),
  });
  const result = made.call().catch(() => undefined);
  const { params } = await made.whenAsked(1);
  const look = await made.pages.fetch(new Request(params['url'] as string));
  expect(look.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-midcall-[^;]+; Path=\/; Secure; Max-Age=\d+; HttpOnly; SameSite=Lax$/u),
  ]);
  await made.pair.close();
  await result;
});

it('a proxy that takes the prefix off shows that nothing is there, and nothing of a page', async () => {
  let pagesPort = 0;
  const port = await listen(proxy(() => pagesPort, '/tools/notes'));
  const made = await fixture({
    era: '2026-07-28',
    connect: { baseUrl: `http://127.0.0.1:${port}/tools/notes/connect` },
    handler: async call => told(await call.elicitUrl({ message: 'Sure?', page: confirm() })),
  });
  pagesPort = await listen(createServer((req, res) => void made.pages.handle(req, res)));
  const result = made.call().catch(() => undefined);
  const { params } = await made.whenAsked(1);
  const look = await visitor(params['url'] as string).get();
  expect([look.status, look.title]).toEqual([404, 'There is nothing here']);
  await made.pair.close();
  await result;
});

it('a name that is not allowed reaches no page beside the endpoint, whatever is forwarded', async () => {
  const pages = connect({ name: 'Notes', baseUrl: 'https://notes.example/connect' });
  const serving = await serveHttp(
    () => {
      throw new Error('no call is made');
    },
    {
      allowedHosts: ['notes.example'],
      elsewhere: request => pages.fetch(request),
    },
  );
  onTestFinished(() => serving.stop({ within: 0 }));
  const port = Number(new URL(serving.url).port);
  const statusAs = (host: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = { ...forwarded, 'x-forwarded-host': 'notes.example', host };
      request({ port, host: '127.0.0.1', path: '/connect/icon.svg', headers }, response => {
        response.resume();
        resolve(response.statusCode!);
      })
        .on('error', reject)
        .end();
    });
  expect(await statusAs('evil.example')).toBe(403);
  // 503: it is let through to pages that belong to no server yet.
  expect(await statusAs('notes.example')).toBe(503);
});
