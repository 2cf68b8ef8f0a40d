/** Servers that others wrote, used through the desk's own pages: the forms are posted as a browser would post them. */
import { mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Question } from '@midcall/host';
import { beforeAll, describe, expect, it } from 'vitest';
import { enter } from './client.ts';
import { byHand, stageOfFile, whenSo } from './stage.ts';

const require = createRequire(import.meta.url);
const everything = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
const filesystem = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

const on = await stageOfFile({ sampling: byHand });
const visitor = await enter(on.desk);
let folder: string;

const until = <T>(look: () => T | undefined): Promise<T> => whenSo(on.desk, look);

const server = (id: string, file: string, args: readonly string[] = []) => ({
  id,
  target: { kind: 'command' as const, command: process.execPath, args: [file, ...args] },
});

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'midcall-files-')));
  await writeFile(join(folder, 'hello.txt'), 'Hello from a root.');
  const root = await on.roots.add(folder);
  for (const id of ['everything', 'filesystem']) await on.roots.grant(id, [root.uri]);
  await Promise.all([
    on.desk.workspace.servers.add(server('everything', everything, ['stdio'])),
    on.desk.workspace.servers.add(server('filesystem', filesystem)),
  ]);
  await until(() =>
    on.desk.workspace.servers.get('everything')?.tools.find(each => each.name === 'trigger-url-elicitation'),
  );
  await until(() => on.desk.workspace.servers.get('filesystem')?.tools.find(each => each.name === 'read_text_file'));
});

type Called = string | { readonly prompts: string } | { readonly resources: string };

async function run(id: string, what: Called, fields: Record<string, string> = {}): Promise<string> {
  const [place, name] = typeof what === 'string' ? ['tools', what] : Object.entries(what)[0]!;
  const answer = await visitor.post(`/servers/${id}/${place}/${encodeURIComponent(name)}`, fields);
  expect(answer.status, answer.text.match(/class="error"[\s\S]*?<\/p>/)?.[0]).toBe(303);
  return decodeURIComponent(String(answer.headers['location']).replace('/calls/', ''));
}

const asked = (call: string): Promise<Question> =>
  until(() => on.inbox.list().find(question => question.call?.id === call));

const result = async (call: string): Promise<string> => {
  await until(() => on.desk.workspace.calls.get(call)?.outcome);
  return (await visitor.get(`/calls/${call}`)).text;
};

describe('server-everything', () => {
  it('elicit-04: server-everything gets all thirteen fields of its form, defaults included', async () => {
    const call = await run('everything', 'trigger-elicitation-request');
    const question = await asked(call);
    expect(question.kind === 'form' && question.fields).toHaveLength(13);
    const at = (name: string) =>
      `f${question.kind === 'form' ? question.fields.findIndex(each => each.name === name) : -1}`;
    const fields = {
      action: 'accept',
      [at('name')]: 'Ada Lovelace',
      [at('check')]: 'true',
      [at('firstLine')]: 'It was a dark and stormy night.',
      [at('email')]: 'ada@example.com',
      [at('homepage')]: 'https://example.com/ada',
      [at('birthdate')]: '1815-12-10',
      [at('integer')]: '7',
      [at('number')]: '3.14',
      [at('untitledSingleSelectEnum')]: '3',
      [at('untitledMultipleSelectEnum')]: '1',
      [at('titledSingleSelectEnum')]: '2',
      [at('titledMultipleSelectEnum')]: '0',
      [at('legacyTitledEnum')]: '1',
    };
    expect((await visitor.post(`/questions/${question.id}`, fields)).status).toBe(303);
    const text = await result(call);
    for (const part of ['Ada Lovelace', 'ada@example.com', '1815-12-10', 'Chandler', 'hero-3', 'fish-1', 'Piano']) {
      expect(text).toContain(part);
    }
  });

  it.each([
    ['decline', 'declined'],
    ['dismiss', 'cancel'],
  ])('server-everything is told of a %s', async (action, word) => {
    const call = await run('everything', 'trigger-elicitation-request');
    const question = await asked(call);
    await visitor.post(`/questions/${question.id}`, { action });
    expect((await result(call)).toLowerCase()).toContain(word);
  });

  it('server-everything has its page opened after consent', async () => {
    const call = await run('everything', 'trigger-url-elicitation', { f0: 'https://example.com/consent' });
    const question = await asked(call);
    expect(question).toMatchObject({ kind: 'url', url: { parts: { domain: 'example.com' } } });
    const opened = await visitor.post(`/questions/${question.id}`, { action: 'accept' });
    expect(opened.text).toContain('url=https://example.com/consent');
    expect(await result(call)).toContain('accept');
  });

  it('elicit-url-25: server-everything has the page opened that its call needs first, and the call tried again once I have finished', async () => {
    const call = await run('everything', 'trigger-url-elicitation', { f0: 'https://example.com/first', f3: 'true' });
    const needed = await asked(call);
    expect(needed.kind).toBe('url');
    await visitor.post(`/questions/${needed.id}`, { action: 'accept' });
    const waiting = await until(() => on.inbox.list().find(each => each.kind === 'url-finish'));
    expect((await visitor.get(`/calls/${call}`)).text).toContain('I have finished');
    await visitor.post(`/questions/${waiting.id}`, { action: 'accept' });
    const again = await until(() => on.inbox.list().find(each => each.kind === 'url' && each.call?.id === call));
    await visitor.post(`/questions/${again.id}`, { action: 'accept' });
    expect(await result(call)).toContain('accept');
  });

  it('server-everything gets the reply that was approved and changed', async () => {
    const call = await run('everything', 'trigger-sampling-request', { f0: 'What is up?' });
    const request = await asked(call);
    expect(request.kind).toBe('sampling-request');
    await visitor.post(`/questions/${request.id}`, { action: 'accept', 'm0.b0': 'Changed prompt' });
    const reply = await until(() => on.inbox.list().find(each => each.kind === 'sampling-reply'));
    await visitor.post(`/questions/${reply.id}`, { action: 'accept', 'c.b0': 'Written by hand.' });
    expect(await result(call)).toContain('Written by hand.');
    expect((await visitor.get('/models')).text).toMatch(/everything<[\s\S]*?1 of 100</);
  });

  it('a long operation of server-everything shows its progress, and can be cancelled', async () => {
    const call = await run('everything', 'trigger-long-running-operation', { f0: '20', f1: '200' });
    await until(() => on.desk.workspace.calls.get(call)?.progress);
    expect((await visitor.get(`/calls/${call}`)).text).toMatch(/<progress value="\d+" max="200"/);
    await visitor.post(`/calls/${call}/cancel`, {});
    expect(await result(call)).toContain('You cancelled this call.');
  });

  it('the prompts and resources of server-everything are listed, with a form for what they take', async () => {
    const { text } = await visitor.get('/servers/everything');
    for (const name of [
      'args-prompt',
      'demo://resource/static/document/architecture.md',
      'demo://resource/dynamic/text/{resourceId}',
    ])
      expect(text).toContain(name);
    const form = await visitor.get('/servers/everything/prompts/args-prompt');
    expect(form.text).toMatch(/city[\s\S]*?required[\s\S]*?state[\s\S]*?optional/i);
  });

  it('a prompt of server-everything is given with its arguments, and one that lacks an argument is refused', async () => {
    const text = await result(await run('everything', { prompts: 'args-prompt' }, { f0: 'Paris', f1: 'Texas' }));
    expect(text).toContain('You asked for the prompt');
    expect(text).toMatch(/User<[\s\S]*Paris, Texas/);
    const missing = await visitor.post('/servers/everything/prompts/args-prompt', { f1: 'Texas' });
    expect(missing.status).toBe(422);
  });

  it('a resource of server-everything is read, one that its template describes, and again', async () => {
    const listed = await result(
      await run('everything', { resources: 'demo://resource/static/document/architecture.md' }),
    );
    expect(listed).toContain('You read');
    expect(listed).toContain('class="md"');
    const described = await result(
      await run('everything', { resources: 'demo://resource/dynamic/text/{resourceId}' }, { f0: '7' }),
    );
    expect(described).toMatch(/You read[\s\S]*demo:\/\/resource\/dynamic\/text\/7[\s\S]*Resource 7/);
    const again = /<a class="button small" href="([^"]+)">Run again/.exec(described)![1]!;
    expect(again).toContain(encodeURIComponent('demo://resource/dynamic/text/7'));
    expect((await visitor.get(again.replaceAll('&amp;', '&'))).status).toBe(200);
    expect((await visitor.get('/servers/everything/resources/no-address')).status).toBe(404);
  });

  it('a picture of server-everything is shown as a picture, from the desk itself', async () => {
    const text = await result(await run('everything', 'get-tiny-image'));
    const path = /<img src="([^"]+)"/.exec(text)![1]!;
    const picture = await visitor.get(path);
    expect(picture.headers['content-type']).toBe('image/png');
  });
});

describe('server-filesystem', () => {
  it('server-filesystem reads inside the folder that was granted, and is refused when it is withdrawn', async () => {
    const read = () => run('filesystem', 'read_text_file', { f0: join(folder, 'hello.txt') }).then(result);
    expect(await read()).toContain('Hello from a root.');
    const other = await on.roots.add(await realpath(await mkdtemp(join(tmpdir(), 'midcall-other-'))));
    await visitor.post('/roots/grant', { server: 'filesystem', uri: other.uri });
    await until(() => on.audit.entries({ search: 'filesystem may use' })[0]);
    let text = await read();
    for (let tries = 0; tries < 20 && text.includes('Hello from a root.'); tries += 1) text = await read();
    expect(text).toContain('The tool reported an error');
    expect(text).not.toContain('Hello from a root.');
  });
});
