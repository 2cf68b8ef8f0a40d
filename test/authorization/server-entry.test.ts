/** What the entry of a server may say about a sign-in, and the files it may name. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection, Inbox, memoryVault, readServerEntries, urlTarget } from '@midcall/host';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withSignIn } from '../../examples/docs/sign-in-host.ts';
import { guarded, signsIn } from './stage.ts';

const entryWith = (auth: unknown): string =>
  JSON.stringify({ mcpServers: { notes: { url: 'https://notes.example/mcp', auth } } });

describe('an entry', () => {
  it('the entry of docs/sign-in.md is read, with the secret from the environment', async () => {
    const text = await readFile(new URL('../../examples/docs/sign-in.mcp.json', import.meta.url), 'utf8');
    const secret = 'entry-secret-canary-77ac1e';
    const entries = readServerEntries(text, { BUILD_SECRET: secret });
    expect(
      entries.map(({ id, target }) => [id, target.kind === 'url' ? (target.auth?.flow ?? target.headersFile) : '']),
    ).toEqual([
      ['notes', undefined],
      ['calendar', undefined],
      ['television', 'device-code'],
      ['build', 'client-credentials'],
      ['search', '/home/ada/.config/search-headers'],
    ]);
    expect(entries[3]!.target).toMatchObject({ auth: { clientId: 'build-robot', clientSecret: secret } });
  });

  it.each([
    ['yes', "'auth' of the server 'notes' must be an object."],
    [{ flow: 'password' }, "has a 'flow' that is not one of authorization-code, device-code, client-credentials."],
    [{ token: 'x' }, "has a member 'token', which is not one of flow, issuer"],
    [{ issuer: 'http://login.example' }, "has an 'issuer' that is not an https address."],
    [{ clientSecret: 'entry-canary-0b2d' }, "has a 'clientSecret' and no 'clientId'."],
    [{ flow: 'client-credentials', clientId: 'x' }, "needs 'clientId' and 'clientSecret'."],
    [
      { clientMetadataUrl: 'https://me.example' },
      "has a 'clientMetadataUrl' that is not an https address with a path.",
    ],
    [{ scopes: ['two words'] }, "has 'scopes' that are not a list of scope names."],
    [{ redirectPort: 70_000 }, "has a 'redirectPort' that is not a number from 1 to 65535."],
  ])('an entry with auth %j is refused in words', (auth, why) => {
    expect(() => readServerEntries(entryWith(auth))).toThrow(why);
    expect(() => readServerEntries(entryWith(auth))).not.toThrow('canary');
  });

  it('an entry may give a token or a way to sign in, not both', () => {
    expect(() => urlTarget('https://x.example', { headers: { authorization: 'Bearer x' }, auth: {} })).toThrow(
      "Give the server a header 'Authorization' or 'auth', not both.",
    );
    expect(() => urlTarget('https://x.example', { headersFile: '/a', auth: {} })).toThrow(
      "Give the server 'headersFile' or 'auth', not both.",
    );
  });
});

describe('headers from a file', () => {
  const start = async (lines: string, mode = 0o600) => {
    const folder = await mkdtemp(join(tmpdir(), 'midcall-headers-'));
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers['x-key'] as string | undefined);
      response.writeHead(401).end();
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => {
      server.close();
      await rm(folder, { recursive: true });
    });
    const headersFile = join(folder, 'headers');
    await writeFile(headersFile, lines);
    await chmod(headersFile, mode);
    const target = urlTarget(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, { headersFile });
    const connection = new Connection(
      { id: 'keyed', target },
      { client: { name: 'test', version: '1.0.0' }, inbox: new Inbox(), authorization: { vault: memoryVault() } },
    );
    const refusal = await connection.start().then(
      () => 'started',
      (error: Error) => error.message,
    );
    return { refusal, seen };
  };

  it('headers from a file are sent with each request, and the server is not signed in to', async () => {
    const { refusal, seen } = await start('# of the search\n\nX-Key: header-canary-41e0\n');
    expect(new Set(seen)).toEqual(new Set(['header-canary-41e0']));
    expect(refusal).toContain('requires a token that it accepts (HTTP 401)');
  });

  it('headers from a file are refused where others can read them, or a line is none, and nothing of them is said', async () => {
    const open = await start('X-Key: header-canary-52f1', 0o644);
    expect(open.refusal).toMatch(/can be read by other users of this machine. Take that back with: chmod go= /);
    const wrong = await start('X-Key: header-canary-52f1\nheader-canary-63a2\n');
    expect(wrong.refusal).toContain('has a line that is not a header (2)');
    expect([open.seen, wrong.seen]).toEqual([[], []]);
    expect(open.refusal + wrong.refusal).not.toContain('canary');
  });
});

it('the host of docs/sign-in.md has its person sign in', async () => {
  const { url } = await guarded();
  const inbox = new Inbox();
  inbox.present({ via: 'test', show: question => void (question.kind === 'sign-in' && signsIn(question, inbox)) });
  const connection = withSignIn(url.href, inbox, false);
  await connection.start();
  expect(connection.server?.name).toBe('guarded');
  await connection.stop();
});
