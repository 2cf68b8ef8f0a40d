/** The card that asks before a call is made. */
import { randomUUID } from 'node:crypto';
import type { CallQuestion } from '@midcall/host';
import { expect, it } from 'vitest';
import { enter } from './client.ts';
import { stageOfFile } from './stage.ts';

const on = await stageOfFile();
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

it('shows the arguments as a table in the operator’s words, texts and differences as such, and secrets masked', async () => {
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
])('ends by the button that is pressed: %s', async (action, how, says) => {
  const question = edit({});
  const ending = on.inbox.ask(question);
  expect((await visitor.post(`/questions/${question.id}`, { action })).status).toBe(303);
  expect(await ending).toEqual({ how, via: 'web' });
  expect((await visitor.get(`/calls/${question.call.id}`)).text).toContain(says);
});

it('is not answered by what allows similar questions of servers', async () => {
  const question = edit({});
  void on.inbox.ask(question);
  await visitor.post(`/questions/${question.id}`, { action: 'allow' });
  expect(on.inbox.get(question.id)).toBeDefined();
  expect(on.policy.decisions()).toEqual([]);
  on.inbox.end(question.id, { how: 'withdrawn' });
});
