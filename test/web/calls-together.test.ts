/** Alike calls on the desk: one row in every list, and one page where a person decides about those that it shows. */
import { randomUUID } from 'node:crypto';
import type { CallQuestion, Question } from '@midcall/host';
import { afterEach, expect, it } from 'vitest';
import { enter } from './client.ts';
import { stageOfFile } from './stage.ts';

const on = await stageOfFile();
const visitor = await enter(on.desk);
const other = await enter(on.desk);

const held = (path: string, more: Partial<CallQuestion> = {}): CallQuestion => ({
  kind: 'call',
  id: randomUUID(),
  asker: { id: 'files', name: 'files', origin: 'node files.mjs', era: '2026-07-28' },
  askedAt: Date.now(),
  call: { id: randomUUID(), kind: 'tool', name: 'remove_file', arguments: { path, token: `hunter2-of-${path}` } },
  why: 'rule 2 says ask',
  alike: 'digest-of-the-tool',
  ...more,
});
const ask = (...questions: readonly CallQuestion[]) => questions.map(question => on.inbox.ask(question));
const address = (...questions: readonly CallQuestion[]): string =>
  `/calls-together?${questions.map(({ id }) => `question=${id}`).join('&')}`;
const post = (action: string, ...questions: readonly Question[]) =>
  visitor.post('/calls-together', [['action', action], ...questions.map(({ id }) => ['question', id] as const)]);

afterEach(() => on.inbox.endAll('files', { how: 'withdrawn' }));

it('alike calls are one row of the first page, the inbox and the list beside a page, which leads to their page', async () => {
  const [a, b, alone] = [held('a'), held('b'), held('c', { alike: 'another tool' })];
  ask(a, b, alone);
  const row = `href="${address(a, b).replace('&', '&amp;')}"`;
  for (const path of ['/', '/inbox', '/policy']) {
    const { text } = await visitor.get(path);
    expect(text, path).toContain(row);
    expect(text, path).toContain('2 calls are about to be made');
    expect(text, path).not.toContain(`#q-${b.id}`);
    expect(text, path).toContain(`href="/calls/${alone.call.id}#q-${alone.id}"`);
  }
  const page = (await visitor.get(`/calls/${a.call.id}`)).text;
  expect(page).toContain('Decide about all 2 calls like this one');
  expect((await visitor.get(`/calls/${alone.call.id}`)).text).not.toContain('calls like this one');
});

it('the page shows the arguments of each call, without secrets, and lets each be left out', async () => {
  const [a, b, c] = [held('a'), held('b'), held('c', { why: 'rule 2 says ask; the same call was made' })];
  ask(a, b, c);
  const { text, status } = await visitor.get(address(a, b, c));
  expect(status).toBe(200);
  for (const says of ['Call 1 of 3', 'Call 3 of 3', 'Allow these 3', 'Refuse these 3', 'The calls have not been made.'])
    expect(text).toContain(says);
  for (const path of ['a', 'b', 'c']) expect(text).toContain(`<dt>path</dt><dd><span class="mono">${path}</span></dd>`);
  expect(text).toContain('because rule 2 says ask; the same call was made.');
  expect(text).not.toContain('hunter2-of-');
  const without = (await visitor.get(address(a, c))).text;
  expect(text).toContain(`href="${address(a, c).replace('&', '&amp;')}"`);
  expect(without).toContain('Allow these 2');
  expect(without).not.toContain(`name="question" value="${b.id}"`);
  expect(without).toContain('Another call like this waits.');
});

it('a decision is about what the page has shown, and not about a call that came while the person read', async () => {
  const [a, b] = [held('a'), held('b')];
  const endings = ask(a, b);
  await visitor.get(address(a, b));
  const late = held('c');
  ask(late);
  const read = (await visitor.get(address(a, b))).text;
  expect(read).toContain('Allow these 2');
  expect(read).not.toContain(`name="question" value="${late.id}"`);
  const { status, headers } = await post('accept', a, b);
  expect([status, headers['location']]).toEqual([303, address(a, b)]);
  for (const ending of endings) expect(await ending).toEqual({ how: 'answered', via: 'web' });
  expect(on.inbox.list()).toEqual([late]);
  const after = (await visitor.get(address(a, b))).text;
  expect(after.match(/You said yes to the call\./g)).toHaveLength(2);
  expect(after).toContain(`href="${address(late)}"`);
});

it('one press refuses all that the page has shown', async () => {
  const questions = [held('a'), held('b'), held('c')];
  const endings = ask(...questions);
  expect((await post('decline', ...questions)).status).toBe(303);
  for (const ending of endings) expect(await ending).toEqual({ how: 'declined', via: 'web' });
});

it('the page says which calls had ended meanwhile, and the decision counts for the rest', async () => {
  const [a, b, c] = [held('a'), held('b'), held('c')];
  const endings = ask(a, b, c);
  await on.inbox.reply(b.id, { action: 'decline' }, 'terminal');
  const { status, text } = await post('accept', a, b, c);
  expect(status).toBe(409);
  expect(text).toContain('One of the calls was no longer open, so your decision does not count for it.');
  expect(text).toContain('You said no in the terminal. The call was not made.');
  expect((await Promise.all(endings)).map(({ how }) => how)).toEqual(['answered', 'declined', 'answered']);
});

it('a decision counts once for each call if two people press at the same time', async () => {
  const questions = Array.from({ length: 20 }, (_, at) => held(String(at)));
  const endings = ask(...questions);
  const fields = questions.map(({ id }) => ['question', id] as const);
  const pressed = await Promise.all([
    visitor.post('/calls-together', [['action', 'accept'], ...fields]),
    other.post('/calls-together', [['action', 'decline'], ...fields]),
  ]);
  const hows = new Set((await Promise.all(endings)).map(({ how }) => how));
  expect(hows.size).toBe(1);
  expect(pressed.map(({ status }) => status).sort()).toEqual([303, 409]);
  expect(pressed.find(({ status }) => status === 409)?.text).toContain('20 of the calls were no longer open');
});

it('the page takes no action that is not on it, and no question that is not about a call', async () => {
  const question = held('a');
  ask(question);
  await post('grant', question);
  expect(on.inbox.get(question.id)).toBeDefined();
  const { why: _, alike: __, ...frame } = held('b');
  const form: Question = { ...frame, kind: 'form', message: 'Sure?', fields: [] };
  void on.inbox.ask(form);
  await post('accept', form);
  expect(on.inbox.get(form.id)).toBeDefined();
  expect((await visitor.get('/calls-together?question=nothing')).status).toBe(404);
  expect((await visitor.get('/calls-together')).status).toBe(404);
});
