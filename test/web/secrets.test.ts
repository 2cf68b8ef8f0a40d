/** A secret that a form asks for, on the desk: warned of, hidden, and on no page again. */
import { type FormQuestion, mask } from '@midcall/host';
import { describe, expect, it } from 'vitest';
import { callPage } from '../../packages/host/src/web/pages/call-page.ts';
import { offerPage } from '../../packages/host/src/web/pages/offer-page.ts';
import { enter } from './client.ts';
import { pickOne, stageOfFile } from './stage.ts';

const link = (path: string): string => path;

const on = await stageOfFile();
const visitor = await enter(on.desk);
const secret = 'hunter2-and-more';
const card = '4111 1111 1111 1111';
const warning = 'This server asks for a secret in a form.';

const signIn = (call: string): FormQuestion => ({
  ...pickOne(call),
  fields: [
    { kind: 'text', name: 'password', required: true, minLength: 3 },
    { kind: 'number', name: 'pin', integer: true, required: true },
    { kind: 'text', name: 'text', title: 'Private key', required: true },
    { kind: 'text', name: 'note', required: true },
    { kind: 'text', name: 'nickname', required: true },
  ],
});
const fields = { f0: secret, f1: '987123', f2: 'PRIVATE-KEY', f3: card, f4: 'ada' };
const secrets = [secret, '987123', 'PRIVATE-KEY', card];
const fieldOf = (text: string, at: number): string =>
  new RegExp(`<div class="field" data-field="f${at}"[\\s\\S]*?(?=<div class="field"|<div class="review")`).exec(
    text,
  )![0];

describe('a form that asks for secrets', () => {
  it('a form that asks for secrets says so at each field that does, in our words, and hides what is typed there', async () => {
    const question = signIn('w1');
    void on.inbox.ask(question);
    const { text } = await visitor.get('/calls/w1');
    expect(text.split(warning).length - 1).toBe(3);
    for (const at of [0, 1]) expect(fieldOf(text, at)).toMatch(/<input[^>]*type="password"/);
    expect(fieldOf(text, 2)).toMatch(/<textarea[^>]*class="masked"/);
    for (const at of [0, 1, 2]) {
      expect(fieldOf(text, at)).toContain('data-secret');
      expect(fieldOf(text, at)).toMatch(/aria-describedby="[^"]*-secret/);
      expect(fieldOf(text, at)).toContain('data-reveal=');
    }
    for (const at of [3, 4]) expect(fieldOf(text, at)).not.toMatch(/data-secret|password|asks for a secret/);
    on.inbox.end(question.id, { how: 'withdrawn' });
  });

  it('a form that asks for secrets keeps them out of the summary, of a form that comes back, and of the timeline; the server gets them', async () => {
    const question = signIn('w2');
    const ending = on.inbox.ask(question);
    const checked = await visitor.post(`/questions/${question.id}/check`, fields);
    const broken = await visitor.post(`/questions/${question.id}`, { ...fields, f4: '', action: 'accept' });
    const reviewed = await visitor.post(`/questions/${question.id}`, { ...fields, action: 'review' });
    for (const { text } of [checked, broken, reviewed]) {
      const review = /<div class="review">[\s\S]*?<\/dl>/.exec(text)![0];
      expect(review.split(mask).length - 1).toBe(4);
      for (const each of secrets) expect(review).not.toContain(each);
      for (const each of secrets.slice(0, 3)) expect(text).not.toContain(each);
      expect(text).toContain('Enter this again: secrets are not kept on the page.');
      expect(fieldOf(text, 3)).toContain('This looks like a card number.');
      expect(fieldOf(text, 3)).toContain('data-secret');
    }
    await visitor.post(`/questions/${question.id}`, { ...fields, action: 'accept' });
    expect(await ending).toMatchObject({
      content: { password: secret, pin: 987123, text: 'PRIVATE-KEY', note: card, nickname: 'ada' },
    });
    for (const path of ['/calls/w2', '/history', '/audit', '/audit.jsonl']) {
      const { text } = await visitor.get(path);
      for (const each of secrets) expect(text).not.toContain(each);
    }
    const page = (await visitor.get('/calls/w2')).text;
    expect(/<dl class="sent">[\s\S]*?<\/dl>/.exec(page)![0].split(mask).length - 1).toBe(4);
    expect(page).toContain('ada');
  });

  it('a form that asks for secrets keeps them out of drafts, and out of what is left for copying where the question ends without the person', async () => {
    const question = signIn('w4');
    void on.inbox.ask(question);
    const { calls } = on.desk.workspace;
    calls.typed(question.id, new Map(Object.entries({ ...fields, csrf: 'x' }).map(([name, value]) => [name, [value]])));
    expect(calls.draft(question.id)).toEqual(new Map([['f4', ['ada']]]));
    on.inbox.end(question.id, { how: 'timed-out' });
    const { text } = await visitor.get('/calls/w4');
    expect(/<div class="left-over"[\s\S]*?<\/dl>/.exec(text)![0]).toContain('ada');
    for (const each of secrets) expect(text).not.toContain(each);
  });

  it('a form that asks for secrets is found by its message where the one field says nothing', async () => {
    const question: FormQuestion = {
      ...pickOne('w3'),
      message: 'Please enter your password.',
      fields: [{ kind: 'text', name: 'value', required: true }],
    };
    void on.inbox.ask(question);
    const { text } = await visitor.get('/calls/w3');
    expect(text).toContain(warning);
    expect(text).toMatch(/<input[^>]*name="f0"[^>]*type="password"/);
    on.inbox.end(question.id, { how: 'withdrawn' });
  });
});

describe('a tool’s arguments', () => {
  const args = {
    api_key: secret,
    auth: { passwords: [secret], deep: { token: secret } },
    paid_with: card,
    city: 'Bonn',
  };

  it('a tool’s arguments are hidden on entry where they are secrets, without blaming the server', () => {
    const inputSchema = { type: 'object', properties: { api_key: { type: 'string' }, city: { type: 'string' } } };
    const view = {
      id: 's',
      origin: 'o',
      state: 'ready',
      tools: [],
      prompts: [],
      resources: [],
      unlisted: [],
      roots: [],
      log: [],
    } as const;
    const { text } = offerPage(view, 'tool', { name: 't', inputSchema }, { csrf: 'c', link, zone: 'UTC', now: 0 }).main;
    expect(text).toMatch(/<input[^>]*name="f0"[^>]*type="password"/);
    expect(text).toContain('it is masked here');
    expect(text).not.toContain(warning);
  });

  it('a tool’s arguments are masked in the timeline and in the card', () => {
    const question = { ...signIn('w5'), call: { id: 'w5', kind: 'tool', name: 't', arguments: args } } as const;
    const { text } = callPage(
      { context: question.call, serverId: 's', startedAt: 0, items: [{ question }] },
      { csrf: 'c', link, zone: 'UTC', now: 0 },
    ).main;
    for (const each of [secret, card]) expect(text).not.toContain(each);
    expect(text).toContain('Bonn');
  });
});
