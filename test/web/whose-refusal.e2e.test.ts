/** Whose refusal a call ended with, and which calls a question may belong to, on the pages of the desk. */
import type { Era } from '@midcall/host';
import { eras } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { few } from '../fixtures/soak.ts';
import { askingServer } from '../host/person.ts';
import { enter } from './client.ts';
import { byHand, stage, whenSo } from './stage.ts';

const plain = (page: string): string => page.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

async function opened(era: Era) {
  const on = await stage({ era, sampling: byHand });
  const visitor = await enter(on.desk);
  const target = { kind: 'command' as const, command: process.execPath, args: [askingServer] };
  await on.desk.workspace.servers.add({ id: 'asking', target });
  const run = (name: string) => on.desk.workspace.calls.run('asking', { kind: 'tool', name, arguments: {} });
  const page = async (path: string) => plain((await visitor.get(path)).text);
  return {
    on,
    visitor,
    run,
    page,
    /** The page of a call that has ended. */
    async ended(name: string): Promise<string> {
      const id = await run(name);
      await whenSo(on.desk, () => on.desk.workspace.calls.get(id)?.outcome);
      return page(`/calls/${id}`);
    },
    [Symbol.asyncDispose]: () => on[Symbol.asyncDispose](),
  };
}

describe.each<Era>(few(eras, '2026-07-28'))('%s', era => {
  it('a refusal by policy is told as such, with the decision, on the page of the call, in the history and in the audit', async () => {
    await using desk = await opened(era);
    const decision = { server: 'asking', effect: 'refuse', scope: 'session' } as const;
    desk.on.policy.add({ ...decision, subject: 'sampling' });
    desk.on.policy.add({ ...decision, subject: 'form' });
    const sampled = await desk.ended('sample');
    expect(sampled).toContain('Refused by policy');
    expect(sampled).toContain(
      era === '2026-07-28'
        ? 'The call ended because your policy refused a request'
        : 'Your policy refused what the server asked for. You gave no answer, and the server was not told why.',
    );
    expect(sampled).toContain('You refuse requests for your model from this server.');
    expect(sampled).not.toMatch(/The tool reported an error|The server refused the call|The call has no result/);
    const form = await desk.ended('form');
    expect(form).toContain('Your policy refused what the server asked for. You gave no answer');
    expect(form).toContain('You refuse forms from this server.');
    expect(form).toContain('the server was not told why.');
    const history = await desk.page('/history');
    expect(history).toMatch(
      /asking sample Use of your model was refused by your policy\. You were not asked\. You refuse/,
    );
    expect(history).toMatch(/asking form A form was refused by your policy\. You were not asked\. You refuse forms/);
    const audit = desk.on.audit.entries().filter(({ event }) => event.type === 'refused');
    expect(audit.map(({ call, event }) => [call?.name, 'why' in event && event.why])).toEqual([
      ['sample', 'You refuse requests for your model from this server.'],
      ['form', 'You refuse forms from this server.'],
    ]);
  });

  it('what Midcall refused is told as such, and not as an error of the server', async () => {
    await using desk = await opened(era);
    for (const tool of ['hostile-many', 'mode', 'unbalanced']) {
      const page = await desk.ended(tool);
      expect(page).toContain('Refused by Midcall');
      expect(page).toContain('was refused before it reached you.');
      expect(page).not.toMatch(/The tool reported an error|The server refused the call|The call has no result/);
      expect(await desk.page('/history')).toMatch(new RegExp(`asking ${tool} [^.]+ was refused before it reached you`));
    }
    const audit = desk.on.audit.entries().filter(({ event }) => event.type === 'refused');
    expect(audit.map(({ call }) => call?.name)).toEqual(['hostile-many', 'mode', 'unbalanced']);
  });
});

it('each running call leads to a question that does not say which of them it is for', async () => {
  await using desk = await opened('2025-11-25');
  const { workspace } = desk.on.desk;
  const first = await desk.run('form');
  await whenSo(desk.on.desk, () => desk.on.inbox.list().find(each => each.call?.id === first));
  const second = await desk.run('letter');
  const question = await whenSo(desk.on.desk, () => desk.on.inbox.list().find(each => !each.call));
  const path = `/questions/${question.id}`;
  for (const id of [first, second]) {
    const { text } = await desk.visitor.get(`/calls/${id}`);
    expect(plain(text)).toContain('Waiting for you');
    expect(plain(text)).not.toContain('The server is working.');
    expect([text.includes(`href="${path}#q-${question.id}"`), text.includes(`action="${path}"`)]).toEqual([
      true,
      false,
    ]);
  }
  // Its card is on a page of its own, where a form that comes back, and its end, are shown, too.
  const card = await desk.page(path);
  expect(card).toContain('What shall it say?');
  const wrong = await desk.visitor.post(path, { action: 'accept', f0: 'a' });
  expect([wrong.status, plain(wrong.text).includes('What shall it say?')]).toEqual([422, true]);
  const { headers } = await desk.visitor.post(path, { action: 'accept', f0: 'Dear Ada' });
  expect(headers['location']).toBe(`${path}#q-${question.id}-end`);
  await whenSo(desk.on.desk, () => workspace.calls.get(second)?.outcome);
  for (const id of [first, second])
    expect(await desk.page(`/calls/${id}`)).toContain(
      'The server did not say which call this question was for. It may have been this one.',
    );
  // A call that began after it was asked has nothing to do with it.
  const third = await desk.run('form');
  expect(await desk.page(`/calls/${third}`)).not.toContain('What shall it say?');
});

it('a question leads to the page of no call that is not there', async () => {
  await using desk = await opened('2025-11-25');
  await desk.run('form');
  await desk.run('letter');
  const question = await whenSo(desk.on.desk, () => desk.on.inbox.list().find(each => !each.call));
  const { headers } = await desk.visitor.post(`/questions/${question.id}`, { action: 'decline', at: 'elsewhere' });
  expect(headers['location']).toBe(`/questions/${question.id}#q-${question.id}-end`);
});
