/** Calls that rules put to others than whoever makes them, at a bridge with inboxes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eras } from '@midcall/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../fixtures/grown.ts';
import { type InboxStage, inboxStage, type RunningBridge, type Session } from './inbox-stage.ts';

let stage: InboxStage;
let bridge: RunningBridge;
const sessions = new Map<string, Session>();
const of = (who: string): Session => sessions.get(who)!;

beforeAll(async () => {
  stage = await inboxStage();
  const rules = join(stage.folder, 'rules.json');
  const others = { server: '*', effect: 'ask', from: 'finance', count: 2, not: 'requester' };
  writeFileSync(rules, JSON.stringify([{ ...others, tools: ['erase'] }]));
  bridge = await stage.bridge({ words: ['--rules', rules] });
  for (const who of ['ada', 'ben', 'cleo', 'eve']) sessions.set(who, await stage.signIn(bridge, who));
});

afterAll(() => stage?.[Symbol.asyncDispose]());

const erased = (name: string): number => stage.noted().filter(each => each['erased'] === name).length;

/** The question about a call, as soon as it is in somebody's list. */
async function questionOf(who: string, name: string): Promise<string> {
  let id: string | undefined;
  await eventually(async () => {
    const list = await of(who).text('/');
    for (const [, each] of list.matchAll(/questions\/([\w-]+)/g))
      if ((await of(who).text(`/questions/${each}`)).includes(name)) id = each;
    return id !== undefined;
  });
  return id!;
}

const answer = async (who: string, id: string, action: 'accept' | 'decline'): Promise<number> =>
  (await of(who).post(`/questions/${id}`, { action })).status;

describe.each(eras)('a call of a host of %s', era => {
  it('a call is made once two others have agreed, and is asked of nobody else', async () => {
    await using ada = await stage.host(bridge, 'ada', era);
    const name = `agreed-${era}`;
    const result = ada.call('erase', { name });
    const id = await questionOf('ben', name);
    // Neither whoever makes the call nor somebody outside the group has it.
    for (const who of ['ada', 'eve']) {
      expect((await of(who).get(`/questions/${id}`)).status).toBe(404);
      expect(await answer(who, id, 'accept')).toBe(404);
    }
    const card = await of('ben').text(`/questions/${id}`);
    expect(card).toContain('The call has not been made. You are asked because rule 1 says ask.');
    // The bridge asks, and not the server, which knows nothing of the call.
    expect(card).not.toContain('The server');
    expect(await answer('ben', id, 'accept')).toBe(303);
    // A second vote of the same person is none.
    expect(await answer('ben', id, 'accept')).toBe(409);
    expect(erased(name)).toBe(0);
    expect(await answer('cleo', await questionOf('cleo', name), 'accept')).toBe(303);
    expect(await result).toContain(`erased ${name}`);
    expect(erased(name)).toBe(1);
  });

  it('a call is not made if too few can still agree, and the model is told so', async () => {
    await using ada = await stage.host(bridge, 'ada', era);
    const name = `refused-${era}`;
    const result = ada.call('erase', { name });
    // Three can agree, of whom two must.
    for (const who of ['ben', 'cleo']) expect(await answer(who, await questionOf(who, name), 'decline')).toBe(303);
    expect(await result).toContain('Not done. Those who have to agree to it did not.');
    const past = await of('ben').text('/past');
    expect(await of('ben').text(`/questions/${/questions\/([\w-]+)/.exec(past)![1]}`)).toContain(
      'The call was not made.',
    );
    expect(erased(name)).toBe(0);
  });
});

it('the record says who agreed, and is whole', async () => {
  const { out } = await stage.midcall(['inboxes', 'record', '--inbox', stage.file]);
  const lines = out
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Record<string, unknown>);
  const agreed = lines.filter(({ event, how }) => event === 'ended' && how === 'answered');
  expect(new Set(agreed.map(({ principal }) => principal))).toEqual(new Set(['ben', 'cleo'].map(stage.principal)));
  expect((await stage.midcall(['inboxes', 'record', '--verify', '--inbox', stage.file])).code).toBe(0);
});
