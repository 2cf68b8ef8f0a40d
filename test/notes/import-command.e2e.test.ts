/** `midcall notes --import` as a process over standard input and output, with the service of the example as another. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { scriptedPerson } from '@midcall/testing';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Browser } from '../connect/sign-in-flow.ts';
import { codeIn } from '../connect/visitor.ts';

const main = fileURLToPath(new URL('../../packages/midcall/bin/midcall.js', import.meta.url));
const load = fileURLToPath(new URL('../../tools/load-typescript.mjs', import.meta.url));
const examples = fileURLToPath(new URL('../../examples/main.ts', import.meta.url));

let top: string;
let notes: string;
let file: string;
let service: ReturnType<typeof spawn>;

beforeAll(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'midcall-import-')));
  notes = await realpath(await mkdtemp(join(tmpdir(), 'midcall-notes-')));
  service = spawn(process.execPath, ['--import', load, examples, 'import', top], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  [file] = (await once(createInterface({ input: service.stdout! }), 'line')) as [string];
});
afterAll(async () => {
  service?.kill();
  await Promise.all([top, notes].map(each => rm(each, { recursive: true, force: true })));
});

const args = (...more: string[]): string[] => [main, 'notes', notes, '--settings', join(top, 'settings.json'), ...more];

async function start() {
  const person = scriptedPerson([{ action: 'accept' }], { repeat: true });
  const capabilities = { elicitation: { url: {} } };
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  person.attach(client, capabilities);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: args('--import', file),
    stderr: 'ignore',
    env: { PATH: process.env['PATH'] ?? '', HOME: top },
  });
  await client.connect(transport);
  const call = async (name: string): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: {} });
    return (content as { text: string }[])[0]!.text;
  };
  return { person, client, call };
}

it('elicit-33, elicit-url-48: a person signs in once through the loopback page with the code; a restarted server still knows, and forgets when asked', async () => {
  const first = await start();
  const result = first.call('notes_import');
  const { params } = await first.person.whenAsked(1);
  const browser = new Browser();
  const url = params['url'] as string;
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/connect\/[\w-]{32}$/u);
  await browser.submit(url, { do: 'code', code: codeIn(params['message'] as string) });
  const leads =
    /<a href="([^"]+)" rel="noreferrer">Continue/u.exec(await (await browser.submit(url)).text())?.[1] ?? '';
  const form = await browser.follow(leads.replaceAll('&amp;', '&'));
  const signedIn = await browser.send(form.url, { method: 'POST', body: new URLSearchParams({ person: 'ada' }) });
  const done = await browser.follow(new URL(signedIn.headers.get('location') ?? '', form.url));
  expect(await done.response?.text()).toContain('This is done');
  expect(await result).toBe('Imported 2 notes from Quill into imported.');
  expect(await readdir(join(notes, 'imported'))).toHaveLength(2);
  await first.client.close();

  const second = await start();
  expect(await second.call('notes_import')).toContain('2 notes already here');
  expect(second.person.asked).toEqual([]);
  expect(await second.call('notes_disconnect')).toContain('Signed out of Quill');
  await second.client.close();

  expect((await stat(`${file}.key`)).mode & 0o077).toBe(0);
  expect(await readFile(`${file}.vault`, 'latin1')).not.toContain('notes.read');
});

async function failure(config: unknown, mode = 0o600, ...more: string[]): Promise<string> {
  const bad = join(top, 'bad.json');
  await writeFile(bad, typeof config === 'string' ? config : JSON.stringify(config));
  await chmod(bad, mode);
  const run = spawn(process.execPath, args('--import', bad, ...more), { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  run.stderr.on('data', part => {
    said += String(part);
  });
  const [code] = (await once(run, 'close')) as [number];
  expect(code).toBeGreaterThan(0);
  return said;
}

it('a file that says something else is refused at the start, without a word of its secret', async () => {
  const good = { ...JSON.parse(await readFile(file, 'utf8')), clientSecret: 'canary-secret' };
  for (const [config, says] of [
    ['{', 'is not JSON'],
    [{ ...good, clientSecret: ['canary-secret'] }, 'clientSecret is wrong'],
    [{ ...good, address: 'http://example.com/notes' }, 'not https'],
    [{ ...good, issuer: 'http://example.com' }, 'issuer'],
    [{ ...good, surprise: 'canary-secret' }, 'wrong'],
  ] as const) {
    const said = await failure(config);
    expect(said).toContain(says);
    expect(said).not.toContain('canary');
  }
  for (const mode of [0o604, 0o620]) {
    const said = await failure(good, mode);
    expect(said).toContain('Run chmod 600 on it.');
    expect(said).not.toContain('canary');
  }
  expect(await failure(good, 0o640, '--http', '0')).toContain('--import needs to know who a person is');
});
