/** The card that asks before a call is made. */
import { randomUUID } from 'node:crypto';
import type { CallGrant, CallQuestion } from '@midcall/host';
import { expect, it } from 'vitest';
import { consentMemory } from '../../packages/host/src/rules/consent-storage.ts';
import { enter } from './client.ts';
import { stageOfFile } from './stage.ts';

const consent = consentMemory();
const on = await stageOfFile({ consent });
const visitor = await enter(on.desk);

const edit = (args: Record<string, unknown>): CallQuestion => ({
  kind: 'call',
  id: randomUUID(),
  asker: { id: 'files', name: 'files', origin: 'node files.mjs', era: '2026-07-28' },
  askedAt: Date.now(),
  call: { id: randomUUID(), kind: 'tool', name: 'edit_file', arguments: args },
  why: 'rule 2 says ask',
  labels: { path: 'File to change' },
});

it('the card shows the arguments as a table in the operator’s words, texts and differences as such, and secrets masked', async () => {
  const question = edit({
    path: '/home/ada/a.md',
    oldText: 'one\ntwo',
    newText: '<b>one</b>\nthree',
    patch: '--- a\n+++ b\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n',
    password: 'hunter2-of-the-call',
    dryRun: false,
  });
  void on.inbox.ask(question);
  const { text } = await visitor.get(`/calls/${question.call.id}`);
  expect(text).toContain('is about to be called');
  expect(text).toContain('The call has not been made. You are asked because rule 2 says ask.');
  expect(text).toContain('<dt>File to change</dt>');
  expect(text).toContain('<dt>oldText → newText</dt>');
  expect(text).toContain('&lt;b&gt;one&lt;/b&gt;');
  expect(text).not.toContain('<dt>newText</dt>');
  expect(text).toMatch(/<span class="diff-went">-two\n<\/span><span class="diff-came">\+three\n<\/span>/);
  expect(text).not.toContain('hunter2-of-the-call');
  expect(text).toContain('Make this call once');
  expect(text).not.toContain('name="mute-for"');
  on.inbox.end(question.id, { how: 'withdrawn' });
});

it.each([
  ['accept', 'answered', 'You said yes to the call.'],
  ['decline', 'declined', 'You said no. The call was not made.'],
  ['dismiss', 'dismissed', 'You dismissed it. The call was not made.'],
])('the question about a call ends by the button that is pressed: %s', async (action, how, says) => {
  const question = edit({});
  const ending = on.inbox.ask(question);
  expect((await visitor.post(`/questions/${question.id}`, { action })).status).toBe(303);
  expect(await ending).toEqual({ how, via: 'web' });
  const page = (await visitor.get(`/calls/${question.call.id}`)).text;
  expect(page).toContain(says);
  expect(page).toContain('</strong> was about to be called');
  const listed = (await visitor.get('/history')).text;
  expect(listed).toContain('Was about to be called');
  for (const each of [page, listed]) expect(each).not.toMatch(/is about to be called/i);
});

it('the question about a call is not answered by what allows similar questions of servers', async () => {
  const question = edit({});
  void on.inbox.ask(question);
  await visitor.post(`/questions/${question.id}`, { action: 'allow' });
  expect(on.inbox.get(question.id)).toBeDefined();
  expect(on.policy.decisions()).toEqual([]);
  on.inbox.end(question.id, { how: 'withdrawn' });
});

const grants = {
  scopes: ['exact', 'fields', 'tool'],
  fields: ['owner', 'repo'],
  ends: ['session', 'hour'],
  recent: [
    { exact: true, fields: ['owner', 'repo'] },
    { exact: false, fields: ['owner'] },
  ],
} as const;

it('the card offers to let later calls pass, and says what that would have let pass', async () => {
  const question = { ...edit({ owner: 'ada', repo: '<b>' }), grants };
  void on.inbox.ask(question);
  const { text } = await visitor.get(`/calls/${question.call.id}`);
  expect(text.match(/would have let pass [^<]*/g)).toEqual([
    'would have let pass 1 of the last 2',
    'would have let pass 2 of the last 2',
    'would have let pass 1 of the last 2',
    'would have let pass 2 of the last 2',
  ]);
  expect(text).toContain('name="action" value="grant"');
  expect(text).not.toContain('value="day"');
  on.inbox.end(question.id, { how: 'withdrawn' });
  const single = edit({});
  void on.inbox.ask(single);
  expect((await visitor.get(`/calls/${single.call.id}`)).text).not.toContain('value="grant"');
  expect((await visitor.post(`/questions/${single.id}`, { action: 'grant' })).status).toBe(422);
  expect(on.inbox.get(single.id)).toBeDefined();
  on.inbox.end(single.id, { how: 'withdrawn' });
});

it('the grant that was chosen is given, and one that is not offered is asked for again', async () => {
  const question = { ...edit({ owner: 'ada', repo: 'a' }), grants };
  const ending = on.inbox.ask(question);
  const post = (fields: Record<string, string>) =>
    visitor.post(`/questions/${question.id}`, { action: 'grant', ...fields });
  const wrong = await post({ 'grant-scope': 'fields', 'grant-end': 'hour' });
  expect(wrong.status).toBe(422);
  expect(wrong.text).toContain('Choose at least one of the arguments that must be equal.');
  expect((await post({ 'grant-scope': 'tool', 'grant-end': 'day' })).status).toBe(422);
  const chosen = { 'grant-scope': 'fields', 'grant-field': 'repo', 'grant-end': 'hour' };
  expect((await post(chosen)).status).toBe(303);
  expect(await ending).toEqual({
    how: 'answered',
    via: 'web',
    content: { grant: { scope: 'fields', fields: ['repo'], end: 'hour' } },
  });
});

it('the page Policy lists the grants, finds them, and revokes them', async () => {
  const grant = (id: string, tool: string, shows: string): CallGrant => ({
    ...{ id, server: 'files', tool, binding: 'x', scope: 'exact', equal: {}, shows },
    ...{ madeAt: Date.now(), until: Date.now() + 3_600_000 },
  });
  await consent.change(content => ({
    ...content,
    grants: [grant('one', 'edit_file', '{"path":"<b>"}'), grant('two', 'move_file', '{}')],
  }));
  const all = (await visitor.get('/policy')).text;
  expect(all).toContain('{&quot;path&quot;:&quot;&lt;b&gt;&quot;}');
  expect(all).toContain('move_file');
  const found = (await visitor.get('/policy?q=MOVE')).text;
  expect(found).toContain('move_file');
  expect(found).not.toContain('edit_file');
  expect((await visitor.get('/policy?q=nothing')).text).toContain('No grant has this text in it.');
  expect((await visitor.post('/policy/grants/revoke', { id: 'one' })).status).toBe(303);
  expect(consent.current().grants.map(({ id }) => id)).toEqual(['two']);
  expect(on.audit.entries({ search: 'revoked grant one' })).toHaveLength(1);
});
