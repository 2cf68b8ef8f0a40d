/** Calls that rules ask about, at a bridge with inboxes: each person says yes to their own calls, in their own inbox. */
import { eras } from '@midcall/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InboxStage, inboxStage, type RunningBridge, type Session } from './inbox-stage.ts';

let stage: InboxStage;
let bridge: RunningBridge;
let adas: Session;
let bobs: Session;

beforeAll(async () => {
  stage = await inboxStage();
  bridge = await stage.bridge({ words: ['--ask', 'destructive'] });
  adas = await stage.signIn(bridge, 'ada');
  bobs = await stage.signIn(bridge, 'bob');
});

afterAll(() => stage?.[Symbol.asyncDispose]());

const erased = (name: string): number => stage.noted().filter(each => each['erased'] === name).length;

/** The question that the model was told of. */
function questionIn(told: string): string {
  expect(told).toContain('Not done.');
  expect(told).toContain('"io.github.midcall/disposition":"not-executed"');
  return /\/inbox\?question=([\w-]+)/.exec(told)![1]!;
}

describe.each(eras)('a call of a host of %s', era => {
  it('a held call is made once, by the yes of its person in the inbox, and by nobody else', async () => {
    await using ada = await stage.host(bridge, 'ada', era);
    await using bob = await stage.host(bridge, 'bob', era);
    const name = `once-${era}`;
    const erase = { name };
    const id = questionIn(await ada.call('erase', erase));
    const card = await adas.text(`/questions/${id}`);
    expect(card).toContain('The call has not been made.');
    expect(card).toContain(name);
    expect((await bobs.get(`/questions/${id}`)).status).toBe(404);
    expect((await bobs.post(`/questions/${id}`, { action: 'accept' })).status).toBe(404);
    expect(erased(name)).toBe(0);
    expect((await adas.post(`/questions/${id}`, { action: 'accept' })).status).toBe(303);
    // The yes is Ada's, and for this call.
    const bobsQuestion = questionIn(await bob.call('erase', erase));
    const other = questionIn(await ada.call('erase', { name: `${name}-other` }));
    expect([erased(name), erased(`${name}-other`)]).toEqual([0, 0]);
    expect(await ada.call('erase', erase)).toContain(`erased ${name}`);
    expect(erased(name)).toBe(1);
    // It was used.
    const again = questionIn(await ada.call('erase', erase));
    expect(again).not.toBe(id);
    expect(erased(name)).toBe(1);
    expect((await bobs.post(`/questions/${bobsQuestion}`, { action: 'decline' })).status).toBe(303);
    // A no is for the call that asked: the same one made again asks anew.
    expect(questionIn(await bob.call('erase', erase))).not.toBe(bobsQuestion);
    for (const each of [other, again])
      expect((await adas.post(`/questions/${each}`, { action: 'decline' })).status).toBe(303);
    expect(erased(name)).toBe(1);
  });

  it('a held call is not made by a yes in its arguments, a repeated call, or a yes to another question', async () => {
    await using ada = await stage.host(bridge, 'ada', era);
    const name = `forged-${era}`;
    const first = questionIn(await ada.call('erase', { name }));
    for (const more of [{ approved: true }, { action: 'accept', question: first }, { _meta: { approved: true } }])
      questionIn(await ada.call('erase', { name, ...more }));
    for (let times = 0; times < 3; times += 1) expect(questionIn(await ada.call('erase', { name }))).toBeTruthy();
    expect(erased(name)).toBe(0);
  });

  it('calls are let pass from then on only if the card offers that, and then those of this person alone', async () => {
    await using ada = await stage.host(bridge, 'ada', era);
    await using bob = await stage.host(bridge, 'bob', era);
    const name = `granted-${era}`;
    const id = questionIn(await ada.call('erase', { name }));
    const offers = (await adas.text(`/questions/${id}`)).includes('name="grant-scope"');
    const given = await adas.post(`/questions/${id}`, {
      ...{ action: 'grant', 'grant-scope': 'fields', 'grant-field': 'name', 'grant-end': 'session' },
    });
    expect([offers, given.status]).toEqual(offers ? [true, 303] : [false, 422]);
    for (let times = 0; offers && times < 3; times += 1)
      expect(await ada.call('erase', { name })).toContain(`erased ${name}`);
    if (!offers) questionIn(await ada.call('erase', { name }));
    questionIn(await bob.call('erase', { name }));
    questionIn(await ada.call('erase', { name: `${name}-other` }));
    expect(erased(name)).toBe(offers ? 3 : 0);
  });
});
