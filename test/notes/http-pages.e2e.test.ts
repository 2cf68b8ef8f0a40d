/**
 * `midcall notes --http --sign-in --import` as a process: the endpoint takes the tokens of an authorization server, and the
 * pages lie beside it on the same address, where the same people sign in. In both eras.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { provider } from '@midcall/server/connect';
import { type Era, eras, negotiation, scriptedPerson } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from '../../examples/import/authorization-server.ts';
import { type NotesApi, startNotesApi } from '../../examples/import/notes-api.ts';
import { randomToken } from '../../packages/server/src/connect/oauth/flows.ts';
import { Browser } from '../connect/sign-in-flow.ts';
import { few } from '../fixtures/soak.ts';
import { main } from './fixture.ts';
import { clientSecret, registeredClient } from './registered-client.ts';

const redirectUri = 'http://127.0.0.1:9/callback';

let login: AuthorizationServer;
let service: AuthorizationServer;
let api: NotesApi;
let top: string;

beforeAll(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'midcall-http-pages-')));
  [login, service] = await Promise.all([
    startAuthorizationServer({
      clients: [registeredClient('notes', ['/connect/sign-in/callback']), registeredClient('host', ['/callback'])],
      host: 'localhost',
      person: 'alice',
      tokens: 'opaque',
    }),
    startAuthorizationServer({
      clients: [
        registeredClient('midcall', ['/connect/callback/quill']),
        registeredClient('notes-api', [], { response_types: [], grant_types: [] }),
      ],
      scopes: ['notes.read'],
      person: 'alice',
    }),
  ]);
  const notes = { alice: [{ id: 'n1', title: 'Groceries', text: 'Milk and bread' }] };
  api = await startNotesApi({ issuer: service.issuer, clientId: 'notes-api', clientSecret, notes });
});
afterAll(async () => {
  await Promise.all([login?.close(), service?.close(), api?.close()]);
  if (top) await rm(top, { recursive: true, force: true });
});
beforeEach(() => {
  login.state.person = 'alice';
});

/** Everything the server is told, in a folder of its own. */
async function files(): Promise<{ readonly folder: string; readonly args: readonly string[] }> {
  const place = await mkdtemp(join(top, 'p-'));
  const folder = join(place, 'notes');
  await mkdir(folder);
  const write = async (name: string, value: object): Promise<string> => {
    await writeFile(join(place, name), JSON.stringify(value), { mode: 0o600 });
    return join(place, name);
  };
  const signIn = await write('sign-in.json', { issuer: login.issuer, clientId: 'notes', clientSecret, name: 'Login' });
  const from = await write('quill.json', {
    id: 'quill',
    name: 'Quill',
    address: api.address.href,
    issuer: service.issuer,
    clientId: 'midcall',
    clientSecret,
    scopes: ['notes.read'],
  });
  const settings = join(place, 'settings.json');
  return { folder, args: [folder, '--settings', settings, '--sign-in', signIn, '--import', from] };
}

async function serve(args: readonly string[], port = '0') {
  const child = spawn(process.execPath, [main, 'notes', ...args, '--http', port], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  const lines = createInterface({ input: child.stderr });
  lines.on('line', line => said.push(line));
  const [line] = (await once(lines, 'line')) as [string];
  const close = async (): Promise<void> => {
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
  };
  return { url: new URL(/http:\/\/\S+/u.exec(line)![0]), said, close };
}

/** An access token for an endpoint, as a host gets one. */
async function tokenFor(resource: URL, who: string): Promise<string> {
  login.state.person = who;
  const host = provider({
    id: 'login',
    issuer: login.issuer,
    clientId: 'host',
    clientSecret,
    scopes: ['openid'],
    resource: resource.href,
  });
  const asked = { state: randomToken(), verifier: randomToken(), scopes: host.scopes };
  const { url } = await new Browser().follow(
    await host.client.authorizationUrl({ ...asked, redirectUri }),
    redirectUri,
  );
  return (await host.client.exchange(url, asked)).tokens.accessToken;
}

async function connectAs(url: URL, token: string, era: Era) {
  const person = scriptedPerson([{ action: 'accept' }], { repeat: true });
  const capabilities = { elicitation: { url: {} } };
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: negotiation(era) });
  person.attach(client, capabilities);
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider: { token: async () => token } }));
  const call = async (name: string): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: {} });
    return (content as { text: string }[])[0]!.text;
  };
  return { client, person, call };
}

const heading = async (response: Response | undefined): Promise<string | undefined> =>
  /<h1[^>]*>([^<]*)/u.exec((await response?.text()) ?? '')?.[1];

describe.each(few(eras, '2026-07-28'))('%s', era => {
  it('notes are imported and set up on pages beside the endpoint, for the person of the token alone; a restart knows both', async () => {
    const { folder, args } = await files();
    const first = await serve(args);
    const token = await tokenFor(first.url, 'alice');
    const { client, person, call } = await connectAs(first.url, token, era);

    const imported = call('notes_import');
    const { params } = await person.whenAsked(1);
    const link = params['url'] as string;
    expect(new URL(link).origin).toBe(first.url.origin);
    expect(params['message']).not.toContain('code');

    login.state.person = 'bob';
    const browser = new Browser();
    expect(await heading((await browser.follow(link)).response)).toBe('This link was made for somebody else');

    login.state.person = 'alice';
    const page = await (await browser.submit(link, { do: 'other-person' })).text();
    const goes = /<a href="([^"]+)" rel="noreferrer">Continue/u.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(new URL(goes).searchParams.get('prompt')).toBe('login');
    // Bob's session there would have to be ended on a page that takes a script.
    browser.cookies('localhost').clear();
    expect(await heading((await browser.follow(goes)).response)).toBe('Connect Quill');

    const away = await (await browser.submit(link)).text();
    const quill = /<a href="([^"]+)" rel="noreferrer">Continue/u.exec(away)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(await heading((await browser.follow(quill)).response)).toBe('This is done');
    expect(await imported).toBe('Imported 1 note from Quill into imported.');
    expect(await readdir(join(folder, 'imported'))).toEqual(['Groceries (n1).md']);

    const setUp = call('notes_setup');
    const asked = await person.whenAsked(2);
    const setupLink = asked.params['url'] as string;
    const outside = { 'directories.0.path': '/etc', order: 'title', listed: '50' };
    const refused = await browser.submit(setupLink, outside);
    expect([refused.status, await refused.text()]).toEqual([
      422,
      expect.stringContaining('This server was started for'),
    ]);
    const inside = { ...outside, 'directories.0.path': folder };
    expect((await browser.submit(setupLink, inside)).status).toBe(303);
    expect(await setUp).toBe(`Configured: ${folder}.`);
    await client.close();
    await first.close();

    const second = await serve(args, first.url.port);
    const again = await connectAs(second.url, token, era);
    expect(await again.call('notes_import')).toContain('1 note already here');
    expect(await again.call('notes_setup')).toContain('Already configured');
    expect(again.person.asked).toEqual([]);
    const bob = await connectAs(second.url, await tokenFor(second.url, 'bob'), era);
    expect(await bob.call('notes_disconnect')).toBe('Nobody was signed in at Quill.');
    expect(await again.call('notes_disconnect')).toContain('Signed out of Quill');
    await Promise.all([again.client.close(), bob.client.close()]);
    await second.close();

    for (const secret of [token, clientSecret]) {
      expect([...first.said, ...second.said, link, setupLink].join('\n')).not.toContain(secret);
    }
    for (const name of ['sign-in.json', 'quill.json']) {
      expect((await stat(join(folder, '..', `${name}.key`))).mode & 0o077).toBe(0);
    }
    expect(await readFile(join(folder, '..', 'sign-in.json.store'), 'latin1')).not.toContain('alice');
  });
});

it('without a token for this endpoint nothing is served but the pages and where to get one', async () => {
  const { args } = await files();
  const { url, close } = await serve(args);
  const post = (token?: string) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: '{}',
    });
  const bare = await post();
  expect(bare.status).toBe(401);
  const address = /resource_metadata="([^"]+)"/u.exec(bare.headers.get('www-authenticate') ?? '')?.[1] ?? '';
  expect(await (await fetch(address)).json()).toMatchObject({
    resource: url.href,
    authorization_servers: [login.issuer],
  });
  const elsewhere = await tokenFor(new URL('https://other.example/mcp'), 'alice');
  expect((await post(elsewhere)).status).toBe(401);
  expect((await fetch(new URL('/connect/nothing', url))).status).toBe(404);
  expect((await fetch(new URL('/', url))).status).toBe(404);
  await close();
});

it('behind a public address, links, tokens and the document name that', async () => {
  const { args } = await files();
  const { url, said, close } = await serve([...args, '--public-url', 'https://notes.example']);
  expect(said[0]).toContain('at https://notes.example/mcp, listening at http://127.0.0.1:');
  const document = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', url));
  expect(await document.json()).toMatchObject({ resource: 'https://notes.example/mcp' });
  const token = await tokenFor(new URL('https://notes.example/mcp'), 'alice');
  const { client, person, call } = await connectAs(url, token, '2026-07-28');
  const result = call('notes_setup');
  const link = new URL((await person.whenAsked(1)).params['url'] as string);
  expect(link.origin).toBe('https://notes.example');
  // What stands in front passes the Host on, or its own.
  const beginning = await fetch(new URL(link.pathname, url), { redirect: 'manual' });
  const location = new URL(beginning.headers.get('location') ?? '');
  expect(location.searchParams.get('redirect_uri')).toBe('https://notes.example/connect/sign-in/callback');
  expect(beginning.headers.getSetCookie()[0]).toMatch(/^__Host-.*; Secure$/u);
  result.catch(() => {});
  await client.close();
  await close();
});

it.each([
  ['--sign-in without --http', ['--sign-in', 'x'], '--sign-in is for --http'],
  ['--public-url alone', ['--http', '0', '--public-url', 'https://notes.example'], '--public-url needs --sign-in'],
  ['a public address with a path', ['--http', '0', '--public-url', 'https://notes.example/x'], 'An origin is https://'],
  ['a public address in the clear', ['--http', '0', '--public-url', 'http://notes.example'], 'An origin is https://'],
  ['other machines and no directory', ['--http', '0', '--allow-host', 'a.example'], 'Name the directories to serve'],
  ['a file that is none', ['DIR', '--http', '0', '--sign-in', 'nothing.json'], 'cannot be read'],
  [
    'an open address and no public one',
    ['DIR', '--http', '0', '--host', '0.0.0.0', '--sign-in', 'x'],
    'needs --public-url',
  ],
])('the command line with %s is refused', async (_, args, says) => {
  const given = args.map(each => (each === 'DIR' ? top : each));
  const run = spawn(process.execPath, [main, 'notes', ...given], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  run.stderr.on('data', part => {
    said += String(part);
  });
  const [code] = (await once(run, 'close')) as [number];
  expect([code, said]).toEqual([2, expect.stringContaining(says)]);
});
