/** From a question on a page to its answer, each way of announcing it by itself: what leaves, what is audited, what is withdrawn. */
import { MidcallError } from '@midcall/core/errors';
import { expect, it } from 'vitest';
import type { ApartAsk, Outgoing } from '../../../packages/server/src/questions/outgoing.ts';
import { withdrawPages } from '../../../packages/server/src/questions/page/page.ts';
import type { Plan } from '../../../packages/server/src/questions/page/plan.ts';
import { fromClient, unanswered } from '../../../packages/server/src/questions/recording.ts';
import { answerOf, ask, byPage, finished, NOW, scene } from './page-scene.ts';

const urlMode = { can: { url: true } };
const forms = { can: { form: true } };
const [native, page] = [{ channel: 'native' }, { channel: 'page' }];

it('a page in URL mode is consented to and waited for, each as it is, and audited once as asked and answered', async () => {
  const on = scene({ ...urlMode, note: 'Use your badge.' });
  const { left, ...rest } = await on.put({ ...ask, key: 'k' }, byPage(finished()));
  expect(answerOf({ left, ...rest })).toEqual({
    action: 'accept',
    content: 7,
    by: { ...page, assurance: 'in-band', elapsedMs: 40 },
  });
  expect(left).toMatchObject([
    {
      ...{ to: 'client', channel: 'native', method: 'elicitation/create', key: 'k', timeoutMs: 60_000 },
      params: {
        mode: 'url',
        message: 'Sign\n\nUse your badge.',
        url: 'https://p.example/page-1',
        elicitationId: 'id-2',
      },
      audited: { ask: expect.any(String), channel: 'native' },
    },
    {
      ...{ to: 'apart', channel: 'page', timeoutMs: 60_000, askedAt: NOW, dueAt: NOW + 60_000, audited: 'already' },
      isHeld: true,
    },
  ]);
  const { sign, words } = left[1] as ApartAsk;
  expect([sign(), words().who]).toEqual([
    'Waiting until the page is finished.',
    expect.stringContaining('on a web page'),
  ]);
  expect(left[0]!.audited).not.toHaveProperty('assurance');
  expect(on.audited).toStrictEqual([
    {
      kind: 'answered',
      ask: expect.any(String),
      action: 'accept',
      by: { ...page, assurance: 'in-band', elapsedMs: 40 },
    },
  ]);
  expect(on.opened).toStrictEqual([
    {
      ...{ pageId: 'page-1', kind: 'confirm', data: { a: 1 }, message: 'Sign', check: 'none', arguments: { x: 1 } },
      ...{
        askedAt: NOW,
        dueAt: NOW + 60_000,
        call: { method: 'tools/call', name: 'act', principal: undefined, flow: 'f' },
      },
    },
  ]);
  expect(on.waits).toEqual([
    {
      ...{ kind: 'page', ref: 'page-1', waitsFor: 'page', method: 'tools/call', name: 'act', principal: undefined },
      ...{ flow: 'f', since: NOW, until: NOW + 60_000 },
    },
  ]);
  const apart = left[1] as Extract<Outgoing, { to: 'apart' }>;
  await apart.finished!();
  on.outcomes.set('page-1', { action: 'accept', content: 8, assurance: 'verified', at: NOW + 9 });
  expect(await apart.collect(0)).toEqual({ ...finished('verified', { action: 'accept', content: 8 }, 9) });
  on.outcomes.clear();
  expect(await apart.collect(0)).toBeUndefined();
  await apart.withdraw();
  expect(await apart.collect(0)).toEqual(unanswered('timeout', 0));
  await (left[0] as Extract<Outgoing, { to: 'client' }>).withdraw!();
  const withdrawn = ['remove page page-1', 'withdraw page-1'];
  expect(on.log).toEqual(['finished id-2', ...withdrawn, ...withdrawn]);
});

it('a page that was sent in time is waited for a minute longer, and may be done after that; another is not', async () => {
  let isAnswered = false;
  const on = scene({ ...urlMode, answered: () => isAnswered });
  const { left } = await on.put(ask, byPage(finished()));
  const { collect, withdraw } = left[1] as ApartAsk;
  on.clock.now = NOW + 60_000;
  expect(await collect(0)).toEqual(unanswered('timeout', 60_000));
  isAnswered = true;
  expect([await collect(0), await withdraw()]).toEqual([undefined, true]);
  on.clock.now = NOW + 119_999;
  expect(await collect(0)).toBeUndefined();
  on.clock.now = NOW + 120_000;
  expect(await collect(0)).toEqual(unanswered('error', 120_000));
  on.outcomes.set('page-1', { action: 'accept', content: 8, assurance: 'verified', at: NOW + 9 });
  expect(await collect(0)).toMatchObject({ kind: 'answered', got: { content: 8 } });
});

it('a page that was finished while the host had no answer counts, and a no of the host stands', async () => {
  for (const kind of [urlMode, forms]) {
    const on = scene({ ...kind, answered: () => true });
    const silent = await on.put(ask, detail => (detail.to === 'apart' ? finished() : unanswered('timeout', 5)));
    expect(answerOf(silent)).toMatchObject({ action: 'accept', content: 7, by: page });
    // Also once the store has forgotten the page.
    const again = await scene(kind)
      .begin(put => put(ask), silent.journal)
      .next();
    expect(again).toMatchObject({ kind: 'done', result: { action: 'accept', content: 7 } });
    const no = await scene({ ...kind, answered: () => true }).put(ask, () => fromClient({ action: 'decline' }, 5));
    expect([answerOf(no), no.left.length]).toMatchObject([{ action: 'decline' }, 1]);
  }
});

it('a page that is finished before it was asked for took no time', async () => {
  const on = scene(urlMode);
  const { left } = await on.put(ask, byPage(finished()));
  on.outcomes.set('page-1', { action: 'decline', assurance: 'in-band', at: NOW - 5 });
  const recorded = await (left[1] as Extract<Outgoing, { to: 'apart' }>).collect(0);
  expect(recorded).toMatchObject({ got: { action: 'decline' }, ms: 0 });
});

it('a page by forms has the link in the first and the code in the second, which is no question of its own', async () => {
  const on = scene({ ...forms, check: 'code', note: 'Use your badge.' });
  const { left, outcome, journal } = await on.put(
    { ...ask, assurance: 'out-of-band' },
    byPage(finished('out-of-band')),
  );
  const form = { type: 'object', properties: {} };
  expect(left).toMatchObject([
    {
      params: {
        message:
          'Sign\n\nOpen this page in your browser: https://p.example/page-1\nUse your badge.\nAccept when you have opened it.\n' +
          'The code that the page asks for comes next.',
        requestedSchema: form,
      },
      audited: { channel: 'page', assurance: 'out-of-band' },
    },
    {
      params: {
        message:
          'Sign\n\nYour code for the page: C0DE-1. Type it only there, and tell nobody.\nAccept when you have typed it.',
        requestedSchema: form,
      },
      audited: 'already',
    },
    { to: 'apart', audited: 'already' },
  ]);
  expect(left[2]).not.toHaveProperty('finished');
  expect(answerOf({ left, outcome, journal })).toMatchObject({
    action: 'accept',
    by: { ...page, assurance: 'out-of-band' },
  });
  expect(on.opened[0]).toMatchObject({ check: 'code', code: 'C0DE-1' });
});

it('a form without a code or a note says no more than where the page is', async () => {
  const { left } = await scene(forms).put(ask, byPage(finished()));
  const said = 'Sign\n\nOpen this page in your browser: https://p.example/page-1\nAccept when you have opened it.';
  expect(left.map(each => ('params' in each ? each.params['message'] : each.to))).toEqual([said, 'apart']);
});

it('a page in URL mode has the code in its text, and a note beneath', async () => {
  const { left } = await scene({ ...urlMode, check: 'code', note: 'Now.' }).put(ask, byPage(finished('out-of-band')));
  const said = 'Sign\n\nYour code for the page: C0DE-1. Type it only there, and tell nobody.\nNow.';
  expect(left.map(each => ('params' in each ? each.params['message'] : each.to))).toEqual([said, 'apart']);
  expect((await scene(urlMode).put(ask, byPage(finished()))).left[0]).toMatchObject({ params: { message: 'Sign' } });
});

it.each([
  [fromClient({ action: 'decline' }, 5), { action: 'decline' }],
  [fromClient({ action: 'cancel' }, 5), { action: 'cancel', reason: 'dismissed' }],
  [unanswered('timeout', 5), { action: 'cancel', reason: 'timeout' }],
  [fromClient({ action: 'other' }, 5), { action: 'cancel', reason: 'error' }],
])('consent that is not given withdraws the page, and is the answer (%#)', async (recording, answer) => {
  for (const [kind, by] of [
    [urlMode, native],
    [forms, page],
  ] as const) {
    const on = scene(kind);
    const got = await on.put(ask, () => recording);
    expect(answerOf(got)).toEqual({ ...answer, by: { ...by, assurance: 'in-band', elapsedMs: 5 } });
    expect([got.left.length, on.log]).toEqual([1, ['remove page page-1', 'withdraw page-1']]);
    expect(on.audited).toEqual([
      { kind: 'answered', ask: expect.any(String), ...answer, by: { ...by, assurance: 'in-band', elapsedMs: 5 } },
    ]);
  }
});

it('a decline stands: the same question is not put again, nor opened, and is answered as before', async () => {
  const on = scene(urlMode);
  const run = on.begin(async put => [await put(ask), await put({ ...ask, timeoutMs: 5 })]);
  const first = await run.next();
  if (first.kind !== 'needs') throw new Error(first.kind);
  run.settle(new Map([[first.asks[0]!.id, fromClient({ action: 'decline' }, 5) as never]]));
  const standing = { action: 'decline', by: { ...native, assurance: 'in-band', elapsedMs: 0 } };
  expect(await run.next()).toMatchObject({ kind: 'done', result: [{ action: 'decline' }, standing] });
  expect([on.opened.length, on.audited.length]).toEqual([1, 2]);
});

it('a question that was not accepted twice ends the call, and an accept does not count', async () => {
  const cancels = scene(urlMode);
  const run = cancels.begin(async put => [await put(ask), await put(ask), await put(ask)]);
  for (let outcome = await run.next(); ; outcome = await run.next()) {
    if (outcome.kind !== 'needs') {
      expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'ask/repeated' } });
      break;
    }
    run.settle(new Map([[outcome.asks[0]!.id, fromClient({ action: 'cancel' }, 5) as never]]));
  }
  const accepts = scene({ local: true, browser: true });
  const again = accepts.begin(async put => [await put(ask), await put(ask), await put(ask)]);
  let asked = 0;
  let outcome = await again.next();
  for (; outcome.kind === 'needs'; outcome = await again.next(), asked += 1)
    again.settle(new Map([[outcome.asks[0]!.id, finished() as never]]));
  expect([outcome.kind, asked]).toEqual(['done', 3]);
});

it('a page that a browser of this machine shows is asked for there, and audited when it is opened', async () => {
  const on = scene({ local: true, browser: true });
  const { left } = await on.put({ ...ask, assurance: 'in-band' }, byPage(finished()));
  expect(left).toMatchObject([{ to: 'apart', audited: 'already' }]);
  expect(left[0]).not.toHaveProperty('finished');
  expect([on.log, on.audited]).toMatchObject([
    ['show https://p.example/page-1'],
    [{ kind: 'asked', ask: expect.any(String), channel: 'page', assurance: 'in-band' }, { kind: 'answered' }],
  ]);
});

it('a page that no browser shows is left as a link, which is audited when it leaves', async () => {
  const on = scene({ local: true, browser: false });
  const { left } = await on.put(ask, byPage(finished()));
  expect(left).toMatchObject([{ to: 'apart', audited: { channel: 'page' }, isHeld: false }]);
  expect((left[0] as ApartAsk).words()).toMatchObject({ passOn: { lines: expect.any(Array) } });
  expect([on.opened.length, on.audited.length]).toEqual([2, 1]);
  // A prompt has no result for a link.
  expect(answerOf(await scene({ method: 'prompts/get' }).put(ask))).toMatchObject({ reason: 'unavailable' });
});

it('a code is not shown where the link was refused, and a page that is required is asked for as any other', async () => {
  const on = scene({ ...forms, check: 'code' });
  const got = await on.put({ ...ask, required: true }, () => fromClient({ action: 'decline' }, 5));
  expect([got.left.length, answerOf(got)]).toMatchObject([1, { action: 'decline' }]);
  const code = scene({ ...forms, check: 'code' });
  const refused = await code.put(ask, (_, at) => fromClient({ action: at === 1 ? 'accept' : 'cancel' }, 5));
  expect([refused.left.length, answerOf(refused)]).toMatchObject([2, { action: 'cancel', reason: 'dismissed' }]);
  expect(code.log).toEqual(['remove page page-1', 'withdraw page-1']);
});

it('a question that was declined on one page may be asked on another, in the same words', async () => {
  const on = scene(urlMode);
  const run = on.begin(async put => [await put(ask), await put({ ...ask, page: { kind: 'confirm', data: { a: 2 } } })]);
  const answers = [fromClient({ action: 'decline' }, 5), fromClient({ action: 'accept' }, 5), finished()];
  let outcome = await run.next();
  for (; outcome.kind === 'needs'; outcome = await run.next())
    run.settle(new Map(outcome.asks.map(({ id }) => [id, answers.shift() as never])));
  expect(outcome).toMatchObject({ kind: 'done', result: [{ action: 'decline' }, { action: 'accept' }] });
});

it.each([
  [finished('in-band', { action: 'decline' }), { action: 'decline' }, {}],
  [finished('in-band', { action: 'cancel', reason: 'suspect' }), { action: 'cancel', reason: 'suspect' }, {}],
  [finished('in-band', { action: 'cancel' }), { action: 'cancel', reason: 'error' }, {}],
  [finished('in-band'), { action: 'cancel', reason: 'suspect' }, { assurance: 'verified' as const }],
  [finished('verified'), { action: 'accept', content: 7 }, { assurance: 'verified' as const }],
  [unanswered('timeout', 40), { action: 'cancel', reason: 'timeout' }, {}],
  [unanswered('unavailable', 40), { action: 'cancel', reason: 'unavailable' }, {}],
  [fromClient({ action: 'accept' }, 40), { action: 'cancel', reason: 'error' }, {}],
])('the end of a page that a link leads to is judged as it was recorded (%#)', async (end, answer, demand) => {
  const on = scene({ check: 'sign-in' });
  const got = await on.put({ ...ask, ...demand }, () => end);
  expect(answerOf(got)).toMatchObject({ ...answer, by: { channel: 'page', elapsedMs: 40 } });
  expect(on.audited).toMatchObject([{ kind: 'answered', ...('reason' in answer ? { reason: answer.reason } : {}) }]);
});

it('a page that was consented to and never finished is unfinished, by whoever was asked', async () => {
  for (const [kind, by] of [
    [urlMode, native],
    [forms, page],
  ] as const) {
    const got = await scene(kind).put(ask, byPage(unanswered('timeout', 40)));
    expect(answerOf(got)).toEqual({
      action: 'cancel',
      reason: 'unfinished',
      by: { ...by, assurance: 'in-band', elapsedMs: 40 },
    });
  }
});

it('a page of which it is not known whether it was finished is not unfinished', async () => {
  for (const kind of [urlMode, forms]) {
    const got = await scene(kind).put(ask, byPage(unanswered('error', 40)));
    expect(answerOf(got)).toMatchObject({ action: 'cancel', reason: 'error', by: { ...page, elapsedMs: 40 } });
  }
});

it('a refusal faster than a person counts for nothing where a level is demanded, and leaves a link (plan-N3)', async () => {
  const hasty = { suspectBelowMs: 250, check: 'sign-in' as const };
  const demanding = { ...ask, assurance: 'verified' as const };
  const declines = (detail: Outgoing) =>
    detail.to === 'apart' ? finished('verified') : fromClient({ action: 'decline' }, 5);
  const on = scene({ ...hasty, ...urlMode });
  const got = await on.put(demanding, declines);
  expect(got.left.map(each => each.to)).toEqual(['client', 'apart']);
  expect(on.opened.map(each => each.pageId)).toEqual(['page-1', 'page-3']);
  expect(answerOf(got)).toMatchObject({ action: 'accept' });
  const dismissed = scene({ ...hasty, ...urlMode, channels: ['native'] });
  const closes = await dismissed.put(demanding, () => fromClient({ action: 'cancel' }, 5));
  expect(answerOf(closes)).toMatchObject({ action: 'cancel', reason: 'suspect' });
  const alone = scene({ ...hasty, ...urlMode, channels: ['native'] });
  expect(answerOf(await alone.put(demanding, declines))).toMatchObject({
    action: 'cancel',
    reason: 'suspect',
    by: { suspect: 'too-fast' },
  });
  expect(answerOf(await scene({ ...hasty, ...urlMode }).put(ask, declines))).toMatchObject({ action: 'decline' });
  const slow = scene({ ...hasty, ...urlMode });
  expect(answerOf(await slow.put(demanding, () => fromClient({ action: 'decline' }, 300)))).toMatchObject({
    action: 'decline',
  });
  const silent = scene({ ...hasty, ...urlMode });
  expect(answerOf(await silent.put(demanding, () => unanswered('timeout', 5)))).toMatchObject({ reason: 'timeout' });
});

it('an answer says so where no page reaches the person, and a question that is required ends the call', async () => {
  const by = { ...native, assurance: 'in-band', elapsedMs: 0 };
  for (const nowhere of [
    scene({ channels: ['native'] }),
    scene({ pages: false }),
    scene({ asks: 'none', method: 'prompts/get' }),
  ]) {
    expect(answerOf(await nowhere.put())).toEqual({ action: 'cancel', reason: 'unavailable', by });
    expect(nowhere.audited).toEqual([
      { kind: 'answered', ask: expect.any(String), action: 'cancel', reason: 'unavailable', by },
    ]);
  }
  const required = await scene({ channels: ['native'] }).put({ ...ask, required: true });
  const message =
    "This needs the person's answer on a page ('Sign'), and no page can be shown to them here. Use a client with URL mode elicitation.";
  expect(required.outcome).toMatchObject({ kind: 'failed', error: { code: 'ask/unavailable', message } });
  const nowhere = await scene({ pages: false, asks: 'rounds' }).put({ ...ask, required: true });
  const data = { requiredCapabilities: { elicitation: { url: {} } } };
  expect(nowhere.outcome).toMatchObject({ kind: 'failed', error: { code: -32021, message, data } });
});

it('a page that cannot be opened is told to the operator, and one too many ends the call with its pages withdrawn', async () => {
  const away = scene({
    ...urlMode,
    open: () => Promise.reject(new MidcallError('connect/unavailable', 'No address.')),
  });
  expect(answerOf(await away.put())).toMatchObject({ reason: 'unavailable' });
  expect(away.warned).toEqual(['pages: midcall: No address.', 'pages: midcall: No address.']);
  const full = scene({
    ...urlMode,
    open: async ({ pageId }) => {
      if (pageId !== 'page-1') throw new MidcallError('connect/limit', 'Too many.');
      return { url: 'https://p.example/1' };
    },
  });
  // Whatever the handler makes of it.
  const run = full.begin(put => Promise.all([put(ask), put({ ...ask, message: 'Other' }).catch(() => 'caught')]));
  expect(await run.next()).toMatchObject({ kind: 'failed', error: { code: 'connect/limit' } });
  expect(full.log).toEqual(['remove page page-1', 'withdraw page-1']);
  const broken = scene({ ...urlMode, open: () => Promise.reject(new Error('odd')) });
  expect((await broken.put()).outcome).toMatchObject({ kind: 'failed', error: { message: 'odd' } });
});

it('a replay asks nobody, opens nothing and audits nothing again', async () => {
  const on = scene(urlMode);
  const { journal } = await on.put(ask, byPage(finished()));
  const [audits, pages] = [on.audited.length, on.opened.length];
  const again = await on.begin(put => put(ask), journal).next();
  expect(again).toMatchObject({ kind: 'done', result: { action: 'accept', content: 7 } });
  expect([on.audited.length, on.opened.length]).toEqual([audits, pages]);
  const plan = journal.map(({ value }) => value as unknown as Plan).find(value => value?.kind === 'announced');
  expect(plan).toMatchObject({
    at: { announce: 'url', pageId: 'page-1', check: 'none', at: NOW, dueAt: NOW + 60_000 },
  });
});

it('the pages of a call that is over are withdrawn, whatever fails', async () => {
  const removed: unknown[] = [];
  const withdrawn: string[] = [];
  const entry = (value: unknown, kind = 'url') => ({ id: 'i', kind, label: 'l', value }) as never;
  const plan = (pageId: string) => ({ kind: 'announced', at: { pageId } });
  const journal = [
    entry(plan('a')),
    entry(plan('b')),
    entry({ kind: 'unavailable' }),
    entry(null),
    entry(plan('c'), 'step'),
  ];
  const pages = { withdraw: (id: string) => withdrawn.push(id) && Promise.reject(new Error('away')) };
  const waiting = { remove: async (each: unknown) => void removed.push(each) };
  await withdrawPages(journal, { pages, waiting } as never);
  expect([removed.length, withdrawn]).toEqual([2, ['a', 'b']]);
});
