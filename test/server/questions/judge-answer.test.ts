/** What a recorded answer comes to; see judge-A1 to judge-A5 in packages/server/src/questions/judge.ts. */
import { form } from '@midcall/core/form';
import { describe, expect, it } from 'vitest';
import { AskHistory, judge } from '../../../packages/server/src/questions/judge.ts';
import { isByHost } from '../../../packages/server/src/questions/ladder.ts';
import { fromClient, type Recording } from '../../../packages/server/src/questions/recording.ts';

const yesOrNo = form(Boolean);
const slow = 60_000;
const got = (action: string, content?: object, ms = slow): Recording =>
  fromClient({ action, ...(content && { content }) } as never, ms);
const from = { channel: 'native', assurance: 'in-band' } as const;
const judged = (
  recorded: Recording,
  demanded?: 'relayed' | 'in-band' | 'out-of-band' | 'verified',
  fallback?: unknown,
) =>
  judge(recorded, yesOrNo, {
    from,
    byHost: recorded.kind === 'answered' && isByHost(recorded.channel),
    demanded,
    suspectBelowMs: 500,
    ...(fallback !== undefined && { fallback }),
  });
const answer = async (...args: Parameters<typeof judged>) => {
  const result = await judged(...args);
  if (!('answer' in result)) throw new Error('to be asked again');
  return result.answer;
};

describe('a recorded answer', () => {
  it('judge-A1: a recorded answer is accepted only with content that fits', async () => {
    expect(await answer(got('accept', { value: true }))).toMatchObject({ action: 'accept', content: true });
    for (const content of [undefined, {}, { value: 'yes' }, { value: null }])
      expect(await judged(got('accept', content))).toHaveProperty('issues');
    // What was not asked for is left out, and named for the operator.
    expect(await judged(got('accept', { value: 'True', more: 1 }))).toMatchObject({
      answer: { action: 'accept', content: true },
      leftOut: ['more'],
    });
    for (const action of ['ACCEPT', 'accepted', '', 'toString'])
      expect(await answer(got(action, { value: true }))).toMatchObject({ action: 'cancel', reason: 'error' });
    expect(await answer(fromClient(null, slow))).toMatchObject({ action: 'cancel', reason: 'error' });
  });

  it('judge-A3: a decline that stands is the person’s and came from nobody just now: it is never too fast', async () => {
    for (const demanded of [undefined, 'relayed', 'in-band', 'out-of-band', 'verified'] as const) {
      const stands = await answer({ kind: 'standing-decline' }, demanded);
      expect(stands).toMatchObject({ action: 'decline', by: { elapsedMs: 0 } });
      expect(stands.by.suspect).toBeUndefined();
    }
  });

  it('judge-A5: an answer faster than a person reads is marked, and does not count where a level is demanded, a no included', async () => {
    for (const recorded of [
      got('accept', { value: true }, 499),
      got('decline', undefined, 0),
      got('cancel', undefined, 0),
    ]) {
      expect((await answer(recorded)).by.suspect).toBe('too-fast');
      expect(await answer(recorded, 'in-band')).toMatchObject({ action: 'cancel', reason: 'suspect' });
    }
    const inTime = await answer(got('accept', { value: true }, 500), 'in-band');
    expect(inTime).toMatchObject({ action: 'accept' });
    expect(inTime.by.suspect).toBeUndefined();
  });

  it('judge-A5: an answer over a page or a relay is never too fast', async () => {
    for (const channel of ['page', 'relay'] as const) {
      const recording = { kind: 'answered', channel, assurance: 'relayed', got: { action: 'decline' }, ms: 0 } as const;
      expect((await answer(recording)).by.suspect).toBeUndefined();
    }
  });

  it.each([
    ['native', 'in-band'],
    ['relay', 'relayed'],
  ] as const)('judge-A5: an answer over %s is worth no more than its channel', async (channel, assurance) => {
    const content = { value: true };
    const recorded = { kind: 'answered', channel, assurance, got: { action: 'accept', content }, ms: slow } as const;
    expect((await answer(recorded)).by).toEqual({ channel, assurance, elapsedMs: slow });
    const order = ['relayed', 'in-band', 'out-of-band', 'verified'] as const;
    for (const demanded of order) {
      const enough = order.indexOf(demanded) <= order.indexOf(assurance);
      expect((await answer(recorded, demanded)).action).toBe(enough ? 'accept' : 'cancel');
    }
  });

  it('a fallback is said to be one, and worth the least', async () => {
    expect(await answer({ kind: 'fallback' }, undefined, true)).toEqual({
      action: 'accept',
      content: true,
      by: { channel: 'fallback', assurance: 'relayed', elapsedMs: 0 },
    });
  });
});

describe('what a call was told', () => {
  const said = (action: 'accept' | 'decline' | 'cancel') => ({ action }) as never;

  it('judge-A3: a decline stands, whatever came before or comes after, and for its own question alone', () => {
    const history = new AskHistory();
    const [mine, other] = [AskHistory.question('Sure?', 'a'), AskHistory.question('Sure?', 'b')];
    expect(mine).not.toBe(other);
    history.record(mine, said('cancel'));
    expect(history.declined(mine)).toBe(false);
    history.record(mine, said('decline'));
    history.record(mine, said('cancel'));
    expect([history.declined(mine), history.declined(other)]).toEqual([true, false]);
  });

  it('judge-A4: a question that was not accepted twice is not put a third time; one that was accepted may be', () => {
    const history = new AskHistory();
    const question = AskHistory.question('Sure?', 'a');
    for (let n = 0; n < 5; n++) history.record(question, said('accept'));
    history.record(question, said('cancel'));
    expect(history.exhausted(question, 'Sure?')).toBeUndefined();
    history.record(question, said('accept'));
    history.record(question, said('decline'));
    expect(history.exhausted(question, 'Sure?')).toMatchObject({ code: 'ask/repeated' });
    expect(history.exhausted(AskHistory.question('Sure?', 'b'), 'Sure?')).toBeUndefined();
  });
});
