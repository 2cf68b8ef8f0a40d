/** What the desk says, read as somebody who sees it for the first time. */
import type { Question } from '@midcall/host';
import { expect, it } from 'vitest';
import { comparePage } from '../../packages/host/src/web/pages/compare-page.ts';
import type { CallView } from '../../packages/host/src/web/workspace/views.ts';
import { enter } from './client.ts';
import { openPage, pickOne, stageOfFile, useModel, useReply } from './stage.ts';

const on = await stageOfFile();
const visitor = await enter(on.desk);

const text = async (path: string): Promise<string> =>
  (await visitor.get(path)).text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
const ask = (question: Question): void => void on.inbox.ask(question);
const byHand = (question: Question): Question => {
  if (!('model' in question)) throw new Error('not about a model');
  return { ...question, models: ['you'], model: { ...question.model, byHand: true } } as Question;
};

it('the desk never speaks of a model where the person writes the reply', async () => {
  ask(byHand(useModel('w-request')));
  ask(byHand(useReply('w-reply')));
  const request = await text('/calls/w-request');
  expect(request).toContain('You write the reply yourself, in the next step.');
  expect(request).toContain('Write the reply');
  expect(request).not.toContain('Send to the model');
  const reply = await text('/calls/w-reply');
  expect(reply).toContain('Your reply');
  expect(reply).not.toMatch(/model was asked|The model replied|Stop reason/);
});

it('the inbox says what a question without a message wants', async () => {
  ask(useModel('w-inbox'));
  expect(await text('/inbox')).toContain('summarise Asks to use your model');
});

it('a line break in a message is a blank in lists and in the record', async () => {
  const question = { ...pickOne('w-lines'), message: 'First line.\nSecond line.' };
  ask(question);
  on.inbox.end(question.id, { how: 'withdrawn' });
  expect(await text('/history')).toContain('First line. Second line.');
});

it('a request to a model that was answered is said to be approved', async () => {
  const url = useModel('w-approved');
  ask(url);
  on.inbox.end(url.id, { how: 'answered', via: 'web' });
  expect(await text('/calls/w-approved')).toContain('You approved the request.');
});

it('no page says that a server was told of a model refused to it', async () => {
  const question = useModel('w-refused');
  ask(question);
  on.inbox.end(question.id, { how: 'declined', via: 'web' });
  const page = await text('/calls/w-refused');
  expect(page).toContain('You declined.');
  expect(page).not.toContain('The server was told');
});

it('the call waits for the page, not for the server, where the person was sent to one', async () => {
  const question = { ...openPage('https://example.com/start'), call: pickOne('w-page').call! };
  ask(question);
  on.inbox.end(question.id, { how: 'answered', via: 'web' });
  const page = await text('/calls/w-page');
  expect(page).toContain('You agreed to open the page.');
  expect(page).toContain('Waiting for the page you opened.');
});

it('what was chosen stays where a decision cannot be made', async () => {
  const { status, text: page } = await visitor.post('/policy', {
    server: '*',
    subject: 'form',
    effect: 'allow',
    for: '900000',
  });
  expect(status).toBe(422);
  for (const chosen of ['form', 'allow', '900000']) expect(page).toContain(`<option value="${chosen}" selected>`);
});

it('a folder without its full path is refused, and the full path asked for', async () => {
  const { status, text: page } = await visitor.post('/roots', { path: 'notes', name: '' });
  expect([status, page.includes('Enter the full path of the folder')]).toEqual([422, true]);
});

it('a server that never ran is not said to have no tools', async () => {
  await on.desk.workspace.servers
    .add({ id: 'broken', target: { kind: 'command', command: '/no/such/program', args: [] } })
    .catch(() => {});
  const page = await text('/servers/broken');
  expect(page).toContain('Start the server to see what it offers.');
  expect(page).toMatch(/there is no program (?:'|&#39;)\/no\/such\/program(?:'|&#39;) on this machine/);
});

it('sign-ins of one server are told apart by where they lead', async () => {
  const signIn = (issuer: string): Question => {
    const { message: _, ...page } = openPage(`${issuer}/authorize`) as Question & { message: string };
    return { ...page, kind: 'sign-in', issuer, scopes: [], more: false } as Question;
  };
  const asked = ['https://login.example.com', 'https://accounts.example.org:8443/tenant'].map(signIn);
  for (const question of asked) ask(question);
  for (const path of ['/inbox', '/policy', '/history'])
    for (const host of ['login.example.com', 'accounts.example.org:8443'])
      expect(await text(path)).toContain(`Asks you to sign in, at ${host} `);
  expect((await text(`/questions/${asked[0]!.id}`)).split('unknown call')).toHaveLength(1);
  for (const { id } of asked) on.inbox.end(id, { how: 'withdrawn' });
});

it('a list names the domain of a page that is to be opened', async () => {
  const pages = ['https://login.example.com/a', 'https://accounts.example.org/b'].map(openPage);
  for (const question of pages) ask(question);
  const listed = await text('/inbox');
  for (const domain of ['example.com', 'example.org']) expect(listed).toContain(` ${domain} `);
  for (const { id } of pages) on.inbox.end(id, { how: 'withdrawn' });
});

it('the page of two compared calls says that they are, and which of them has no result', () => {
  const call = (id: string, result?: string): CallView => ({
    context: { id, kind: 'tool', name: 'look', arguments: { what: id } },
    serverId: 'pond',
    startedAt: 0,
    endedAt: 1,
    outcome:
      result === undefined
        ? { how: 'cancelled' }
        : { how: 'completed', result: { content: [{ type: 'text', text: result }] } },
    items: [],
  });
  const page = (one: CallView, other: CallView): string =>
    comparePage(one, other, [other], { csrf: '', link: path => path }, 'UTC').main.text.replace(/<[^>]+>/g, ' ');
  expect(page(call('a', 'A heron'), call('b'))).toMatch(/look\s*: two calls compared/);
  expect(page(call('a', 'A heron'), call('b'))).toMatch(/The other call has no result\..*A heron/s);
  expect(page(call('a'), call('b', 'A heron'))).toMatch(/This call has no result\..*A heron/s);
  const neither = page(call('a'), call('b'));
  expect(neither).toContain('Neither call has a result.');
  expect(neither).not.toContain('No difference.');
  expect(page(call('a', 'A heron'), call('b', 'A coot'))).not.toContain('no result');
});
