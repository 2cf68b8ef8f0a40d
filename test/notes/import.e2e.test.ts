/**
 * `notes_import` against a protected service and a real authorization server: over a pipe, where the loopback page is
 * opened with a code, and over HTTP, where people sign in. In both eras.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { MidcallOptions } from '@midcall/server';
import { type ConnectOptions, provider, signIn, vault } from '@midcall/server/connect';
import type { HttpOptions } from '@midcall/server/http';
import { memoryStore } from '@midcall/server/stores/memory';
import { type Carrier, connectPair, eras, scriptedPerson } from '@midcall/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from '../../examples/import/authorization-server.ts';
import { type NotesApi, startNotesApi } from '../../examples/import/notes-api.ts';
import { notesServer } from '../../packages/midcall/src/notes/index.ts';
import { watched } from '../../tools/canary-tap.ts';
import { Browser } from '../connect/sign-in-flow.ts';
import { codeIn } from '../connect/visitor.ts';
import { clientSecret, registeredClient } from './registered-client.ts';

const alicesNotes = [
  { id: 'n1', title: 'Groceries', text: 'Milk and bread' },
  { id: 'n2', title: '../../etc/passwd\u202e', text: '# A title of its own\n' },
];

let service: AuthorizationServer;
let login: AuthorizationServer;
let api: NotesApi;
let folder: string;

beforeAll(async () => {
  [service, login] = await Promise.all([
    startAuthorizationServer({
      clients: [
        registeredClient('midcall', ['/connect/callback/quill']),
        registeredClient('notes-api', [], { response_types: [], grant_types: [] }),
      ],
      scopes: ['notes.read'],
      person: 'alice',
    }),
    startAuthorizationServer({
      clients: [registeredClient('pages', ['/connect/sign-in/callback'])],
      host: 'localhost',
      person: 'alice',
    }),
  ]);
  api = await startNotesApi({
    issuer: service.issuer,
    clientId: 'notes-api',
    clientSecret,
    notes: { alice: alicesNotes },
  });
});
afterAll(() => Promise.all([service?.close(), login?.close(), api?.close()]));
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'midcall-import-')));
});
afterEach(async () => {
  service.state.accessTokenSeconds = 3600;
  await rm(folder, { recursive: true, force: true });
});

async function start(
  era: (typeof eras)[number],
  carrier: Carrier,
  {
    address = api.address,
    sdk,
    roots,
    ...served
  }: { address?: URL; sdk?: string; roots?: () => readonly { uri: string }[] } & HttpOptions = {},
) {
  const store = memoryStore();
  const key = randomBytes(32).toString('base64');
  const kept = vault({ store, key });
  const quill = provider({
    id: 'quill',
    name: 'Quill',
    issuer: service.issuer,
    clientId: 'midcall',
    clientSecret,
    scopes: ['openid', 'notes.read'],
  });
  const said: unknown[] = [];
  let pages: Partial<ConnectOptions> = { reach: { kind: 'here', browser: false } };
  let http: Pick<MidcallOptions, 'principal'> = {};
  let handle = (_req: unknown, _res: unknown): unknown => undefined;
  if (carrier === 'http') {
    const web = createServer((req, res) => void handle(req, res));
    await new Promise<void>(resolve => web.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      web.closeAllConnections();
      web.close();
    });
    const issuer = login.issuer;
    pages = {
      baseUrl: `http://127.0.0.1:${(web.address() as AddressInfo).port}/connect`,
      signIn: signIn(provider({ id: 'login', issuer, clientId: 'pages', clientSecret }), { store, key }),
    };
    http = { principal: () => ({ issuer, subject: 'alice' }) };
  }
  const server = notesServer({
    directories: [folder],
    store,
    key,
    suspectBelowMs: 0,
    warn: message => {
      said.push(message);
      watched('warning', message);
    },
    audit: event => {
      said.push(event);
      watched('audit', JSON.stringify(event));
    },
    pages,
    importing: { provider: quill, vault: kept, address, ...(sdk !== undefined && { sdk }) },
    ...http,
  });
  handle = (req, res) => server.pages?.handle(req as never, res as never);
  const person = scriptedPerson([{ action: 'accept' }], { repeat: true, ...(roots && { roots }) });
  const capabilities = { elicitation: { url: {} }, ...(roots && { roots: {} }) };
  const pair = await connectPair(server.factory, { era, carrier, person, capabilities, http: served });
  onTestFinished(async () => {
    await pair.close();
    await server.pages?.close();
    await server.stop();
  });
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<string> => {
    const result = await pair.client.callTool({ name, arguments: args });
    return (result.content as { text: string }[])[0]!.text;
  };
  /** The person's part: the page, the code or the sign-in, the provider, and back. */
  const signsIn = async (count: number, ends = 'This is done'): Promise<Browser> => {
    const { params } = await person.whenAsked(count);
    const browser = new Browser();
    const url = params['url'] as string;
    if (carrier === 'memory') await browser.submit(url, { do: 'code', code: codeIn(params['message'] as string) });
    const page = await (await browser.submit(url)).text();
    const leads = /<a href="([^"]+)" rel="noreferrer">Continue/u.exec(page)?.[1] ?? '';
    const { response } = await browser.follow(leads.replaceAll('&amp;', '&'));
    expect(await response?.text()).toContain(ends);
    return browser;
  };
  const owner =
    carrier === 'http'
      ? { issuer: login.issuer, subject: 'alice' }
      : { issuer: 'os', subject: `${process.getuid?.()}:${(await import('node:os')).userInfo().username}` };
  return { call, signsIn, person, pair, said, kept, quill, owner };
}

describe.each(eras)('%s', era => {
  describe.each(['memory', 'http'] as const)('over %s', carrier => {
    it('000-13, 000-20, elicit-url-41, elicit-url-42, elicit-url-44, elicit-url-45, elicit-url-49, elicit-url-52: notes_import signs in once, imports, renews an expired token, and forgets', async () => {
      service.state.accessTokenSeconds = 30;
      const { call, signsIn, person, pair, said, kept, quill, owner } = await start(era, carrier);
      const tokenCalls = (): number => api.requests.filter(status => status === 200).length;
      const before = tokenCalls();

      const first = call('notes_import');
      await signsIn(1);
      expect(await first).toBe('Imported 2 notes from Quill into imported.');
      expect((await readdir(join(folder, 'imported'))).sort()).toEqual(['Groceries (n1).md', 'etc passwd (n2).md']);
      expect(await readFile(join(folder, 'imported', 'Groceries (n1).md'), 'utf8')).toBe(
        '# Groceries\n\nMilk and bread',
      );

      // A token that lives less than a minute is always renewed early, so the second import stands on a renewed one.
      await writeFile(join(folder, 'imported', 'Groceries (n1).md'), 'mine now');
      expect(await call('notes_import')).toBe(
        'Imported 0 notes from Quill into imported; 1 note already here; 1 note changed here and left alone.',
      );
      expect(person.asked).toHaveLength(1);
      expect(tokenCalls() - before).toBe(2);
      const token = await kept.token(owner, quill);
      expect(token).toBeDefined();

      expect(await call('notes_disconnect')).toContain('Signed out of Quill');
      expect(await kept.token(owner, quill)).toBeUndefined();
      expect(await call('notes_disconnect')).toBe('Nobody was signed in at Quill.');
      const again = call('notes_import');
      await signsIn(2);
      await again;
      expect(person.asked).toHaveLength(2);

      const everywhere = inspect([pair.frames, said, person.asked], {
        depth: 30,
        maxStringLength: null,
        maxArrayLength: null,
      });
      expect(everywhere).not.toContain(clientSecret);
      expect(everywhere).not.toContain(token?.value);
      expect(everywhere).not.toContain('Bearer');
    });

    it('nobody is sent to sign in where the client allows no folder to write to', async () => {
      const { call, person } = await start(era, carrier, { roots: () => [] });
      expect(await call('notes_import')).toContain('The client allows no folder');
      expect(person.asked.filter(({ method }) => method !== 'roots/list')).toEqual([]);
    });

    it('000-20: an SDK without URL mode is refused before anything is asked', async () => {
      const { call, person } = await start(era, carrier, { sdk: '1.22.0' });
      const text = await call('notes_import');
      expect(text).toContain('1.23.0');
      expect(text).toContain('1.22.0');
      expect(text).toContain('Nothing was imported');
      expect(person.asked).toHaveLength(0);
      const able = await start(era, carrier, { sdk: '1.23.0' });
      const imported = able.call('notes_import');
      await able.signsIn(1);
      expect(await imported).toContain('Imported 2 notes');
    });

    it('what the service did not allow is said, and not asked for at every call', async () => {
      service.state.refused = ['notes.read'];
      onTestFinished(() => {
        service.state.refused = [];
      });
      const { call, person, signsIn } = await start(era, carrier);
      const first = call('notes_import');
      const browser = await signsIn(1, 'did not allow everything');
      await browser.submit(person.asked[0]!.params['url'] as string, { next: 'without' });
      for (const text of [await first, await call('notes_import')]) {
        expect(text).toContain('‘notes.read’');
        expect(text).toContain('notes_disconnect');
      }
      expect(person.asked).toHaveLength(1);
      await call('notes_disconnect');
      service.state.refused = [];
      const again = call('notes_import');
      await signsIn(2);
      expect(await again).toContain('Imported 2 notes');
    });

    it('a sign-in that the service ended is said, and the next call signs in again', async () => {
      const { call, signsIn, kept, quill, owner } = await start(era, carrier);
      const first = call('notes_import');
      await signsIn(1);
      await first;
      const token = await kept.token(owner, quill);
      await quill.client.revoke({ accessToken: token?.value ?? '', scopes: [] });
      expect(await call('notes_import')).toContain('no longer accepts the sign-in');
      const next = call('notes_import');
      await signsIn(2);
      expect(await next).toContain('2 notes already here');
    });
  });

  it('elicit-url-44, elicit-url-46, elicit-url-55: the service is sent the token it gave for this person, never the one of the client', async () => {
    const sent: string[] = [];
    const front = createServer(async (req, res) => {
      const authorization = req.headers.authorization ?? '';
      sent.push(authorization);
      const answer = await fetch(api.address, { headers: { authorization } });
      res.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    });
    await new Promise<void>(resolve => front.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void front.close());
    const { call, signsIn, kept, quill, owner } = await start(era, 'http', {
      address: new URL(`http://127.0.0.1:${(front.address() as AddressInfo).port}/notes`),
      authenticate: async () => ({ token: 'token-of-the-client', clientId: 'app', scopes: [] }),
    });
    const first = call('notes_import');
    await signsIn(1);
    expect(await first).toContain('Imported 2 notes');
    await call('notes_import');
    const token = await kept.token(owner, quill);
    expect(sent).toEqual(Array(2).fill(`Bearer ${token?.value}`));
    expect(sent.join()).not.toContain('token-of-the-client');
    expect(await kept.token({ ...owner, subject: 'bob' }, quill)).toBeUndefined();
  });

  it('a decline imports nothing, and says so', async () => {
    const { call, person } = await start(era, 'memory');
    const result = call('notes_import');
    const { params } = await person.whenAsked(1);
    const browser = new Browser();
    const url = params['url'] as string;
    await browser.submit(url, { do: 'code', code: codeIn(params['message'] as string) });
    await browser.submit(url, { do: 'decline' });
    expect(await result).toContain('the person said no');
    expect(await readdir(folder)).toEqual([]);
  });
});
