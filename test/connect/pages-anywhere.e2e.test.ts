/** The contract of pages: sign-in, secrets, accounts at a provider, and wizards, by web-standard requests in Node and in workerd. */
import { randomBytes } from 'node:crypto';
import { type Era, eras, negotiation } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from '../../examples/import/authorization-server.ts';
import { startWorker } from '../examples/worker-bundle.ts';
import { base, pagesSite, redirects, type SiteSettings } from './pages-site.ts';
import { Browser } from './sign-in-flow.ts';

interface Running {
  readonly fetch: typeof fetch;
  close(): Promise<void>;
}

const places: readonly (readonly [string, (settings: SiteSettings) => Promise<Running>])[] = [
  [
    'Node',
    async settings => {
      const site = pagesSite(settings);
      return { fetch: (input, init) => site.fetch(new Request(input, init)), close: () => site.stop({ within: 0 }) };
    },
  ],
  [
    'workerd',
    async settings => {
      const worker = await startWorker('test/connect/pages-worker.ts', settings);
      const inWorker = (input: string | URL, init?: RequestInit) => worker.dispatchFetch(String(input), init as never);
      return { fetch: inWorker as unknown as typeof fetch, close: () => worker.dispose() };
    },
  ],
];

const headingOf = async (response: Response | undefined): Promise<string> =>
  /<h1[^>]*>([^<]*)/u.exec((await response?.text()) ?? '')?.[1] ?? '';

describe.each(places)('pages in %s', (_, start) => {
  let [login, accounts]: AuthorizationServer[] = [];
  let site: Running;
  let browser: Browser;

  beforeAll(async () => {
    const clientSecret = randomBytes(24).toString('base64url');
    const clients = [
      { client_id: 'site', client_secret: clientSecret, application_type: 'native', redirect_uris: redirects },
    ].map(each => ({ ...each, grant_types: ['authorization_code', 'refresh_token'] }));
    [login, accounts] = await Promise.all([
      startAuthorizationServer({ clients, host: 'localhost', person: 'alice' }),
      startAuthorizationServer({ clients, scopes: ['notes.read'], person: 'alice' }),
    ]);
    const MIDCALL_KEY = randomBytes(32).toString('base64');
    site = await start({
      LOGIN: login!.issuer,
      ACCOUNTS: accounts!.issuer,
      CLIENT_SECRET: clientSecret,
      MIDCALL_KEY,
    });
  });
  afterAll(() => Promise.all([site?.close(), login?.close(), accounts?.close()]));
  beforeEach(() => {
    login!.state.person = 'alice';
    browser = new Browser((url, init) =>
      url.origin === new URL(base).origin ? site.fetch(url, init) : fetch(url, init),
    );
  });

  /** Calls as alice, from a host that shows no questions: the call goes on when its ticket is used. */
  async function call(era: Era, name: string) {
    const client = new Client({ name: 'host', version: '1.0.0' }, { versionNegotiation: negotiation(era) });
    const requestInit = { headers: { authorization: 'Bearer alice' } };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', base), { fetch: site.fetch, requestInit }));
    const text = async (tool: string, args = {}): Promise<string> =>
      ((await client.callTool({ name: tool, arguments: args })).content as { text: string }[])[0]!.text;
    const waiting = await text(name);
    return {
      link: /http:\/\/127\.0\.0\.1:8787\/connect\/[\w-]+/u.exec(waiting)?.[0] ?? waiting,
      async end(): Promise<string> {
        const ended = await text('resume', { ticket: /ticket "([^"]+)"/u.exec(waiting)?.[1] });
        await client.close();
        return ended;
      },
    };
  }

  it.each(eras)('%s: a secret that the person entered is in the vault', async era => {
    const { link, end } = await call(era, 'forecast');
    expect(await headingOf((await browser.follow(link)).response)).not.toBe('');
    expect((await browser.submit(link, { secret: 'weather-key-0123' })).status).toBe(303);
    expect(await end()).toBe('A forecast, with a key of 16 characters (verified).');
  });

  it.each(eras)('%s: whoever signs in as somebody else is refused, and the page stays open', async era => {
    const { link, end } = await call(era, 'forecast');
    login!.state.person = 'mallory';
    expect((await browser.submit(link, { secret: 'weather-key-of-mallory' })).status).toBe(403);
    expect(await end()).toContain('call the tool "resume"');
  });

  it.each(eras)('%s: an account at a provider is connected', async era => {
    const { link, end } = await call(era, 'notes_import');
    const leaving = await (await browser.submit(link)).text();
    const to = /<a href="([^"]+)" rel="noreferrer">Continue/u.exec(leaving)?.[1] ?? '';
    const { response } = await browser.follow(to.replaceAll('&amp;', '&'));
    expect(await headingOf(response)).toBe('This is done');
    expect(await end()).toBe('Imported with notes.read (verified).');
  });

  it.each(eras)('%s: a wizard is filled in', async era => {
    const { link, end } = await call(era, 'trip_plan');
    let page = link;
    let shown = '';
    const send = async (fields: Record<string, string>): Promise<void> => {
      const hidden = [...shown.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/gu)];
      const body = new URLSearchParams({
        ...Object.fromEntries(hidden.map(each => each.slice(1))),
        do: 'send',
        ...fields,
      });
      const headers = { origin: new URL(base).origin, 'content-type': 'application/x-www-form-urlencoded' };
      shown = await (await browser.send(page, { method: 'POST', headers, body: body.toString() })).text();
    };
    const { url, response } = await browser.follow(link);
    page = url.href;
    shown = (await response?.text()) ?? '';
    await send({ 'dates.q0': '2027-03-02', 'dates.q1': 'false' });
    await send({ 'seat.q0': '1A' });
    expect(shown).toContain('<dd>1A</dd>');
    await send({});
    expect(await end()).toBe('Seat 1A, out on 2027-03-02, one way.');
  });
});
