/** How the pages of an inbox show what several people answer, and passkeys, in a browser: clean for axe, in every width and colour. */
import type { PersonPasskeys } from '@midcall/host/web';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { payment, paymentByRule, scriptedPasskeys, view, vote } from './approvals.ts';
import { launch, leaveBrowser, nextPage, type Visitor, visitor } from './browser.ts';
import { judged } from './person-looks.ts';
import { personStage } from './person-stage.ts';
import { builtClient } from './stage.ts';

let browser: Browser;
let person: Visitor;
beforeAll(async () => {
  browser = await launch();
  person = await visitor(browser);
});
afterAll(() => leaveBrowser(browser));

async function enter(change: Partial<PersonPasskeys> = {}) {
  const passkeys = scriptedPasskeys(change);
  const on = await personStage({ client: builtClient, name: 'Bob Miller', passkeys });
  const me = await nextPage(person);
  onTestFinished(async () => {
    await me[Symbol.asyncDispose]();
    await on[Symbol.asyncDispose]();
    expect(on.errors).toEqual([]);
    expect(me.troubles).toEqual([]);
  });
  return { on, passkeys, page: me.page, go: (path: string) => me.page.goto(`${on.url}${path}`) };
}

const boolean = [{ kind: 'boolean', name: 'answer', title: 'Approve the payment', required: true }] as const;
const details = {
  columns: ['Item', 'Net', 'VAT'],
  rows: [
    ['Consulting, October', '3,361.34 €', '638.66 €'],
    ['Travel', '0.00 €', '0.00 €'],
  ],
};

it('the pages look right wherever something is asked of several people', async () => {
  const { on, passkeys, page, go } = await enter();
  const { questions } = on;
  passkeys.list_.push({ id: 'k1', name: 'Laptop', addedAt: Date.now() - 400_000_000 });
  const asked = {
    'approval-first': [payment(), view()],
    'approval-second': [payment(), view({ count: 3, votes: [vote('Ann Lee'), vote('Dan Wu', 'decline')] })],
    'approval-fields': [payment({ fields: boolean }), view({ details, votes: [vote('Ann Lee')] })],
    'approval-call': [paymentByRule(), view({ count: 3, votes: [vote('Ann Lee')] })],
    'approval-diff': [payment(), view({ count: 1, details: { diff: '--- a\n+++ b\n-old line\n+new line' } })],
    'approval-passkey': [payment({ fields: boolean }), view({ assurance: 'present', votes: [vote('Ann Lee')] })],
    'approval-own': [
      payment({ message: 'Delete the production database?' }),
      { count: 1, assurance: 'present', votes: [], dueAt: Date.now() + 3_600_000, digest: 'd' },
    ],
  } as const;
  for (const [question, approval] of Object.values(asked)) {
    questions.approvals.set(question.id, approval);
    void questions.ask(question);
  }
  await go('/');
  await judged(page, 'approvals-list');
  for (const [name, [{ id }]] of Object.entries(asked)) {
    await go(`/questions/${id}`);
    await judged(page, name);
  }
  const past = {
    'approval-waits': [view({ count: 3, votes: [vote('Bob Miller', 'accept', true)] }), 'answered'],
    'approval-declined-waits': [view({ votes: [vote('Bob Miller', 'decline', true)] }), 'declined'],
    'approval-agreed': [
      view({ details, outcome: 'accepted', votes: [vote('Ann Lee'), vote('Bob Miller', 'accept', true)] }),
      'answered',
    ],
    'approval-unreachable': [view({ outcome: 'unreachable', votes: [vote('Ann Lee', 'decline')] }), 'withdrawn'],
    'approval-timed-out': [view({ outcome: 'timed-out' }), 'timed-out'],
  } as const;
  const ids: Record<string, string> = {};
  for (const [name, [approval, how]] of Object.entries(past)) {
    const question = payment();
    ids[name] = question.id;
    questions.approvals.set(question.id, approval);
    questions.past(question, how === 'answered' || how === 'declined' ? { how, via: 'inbox' } : { how });
  }
  await go('/past');
  await judged(page, 'approvals-past');
  for (const [name, id] of Object.entries(ids)) {
    await go(`/questions/${id}`);
    await judged(page, name);
  }
});

it('the page of passkeys looks right, and so does the inbox where there are none', async () => {
  const first = await enter();
  await first.go('/passkeys');
  await judged(first.page, 'passkeys-none');
  const question = payment();
  first.on.questions.approvals.set(question.id, view({ assurance: 'present' }));
  void first.on.questions.ask(question);
  await first.go(`/questions/${question.id}`);
  await judged(first.page, 'passkeys-needed');

  const stale = await enter({ isFresh: false });
  await stale.go('/passkeys');
  await judged(stale.page, 'passkeys-sign-in');
  stale.passkeys.list_.push(
    { id: 'k1', name: 'Work laptop', addedAt: Date.now() - 400_000_000, usedAt: Date.now() - 4_000_000 },
    { id: 'k2', name: 'Phone', addedAt: Date.now() - 100_000 },
  );
  await stale.go('/passkeys?question=x');
  await judged(stale.page, 'passkeys-two');

  const invited = await enter({ isFresh: false, needsInvitation: true });
  await invited.go('/passkeys');
  await judged(invited.page, 'passkeys-uninvited');
  await invited.page.evaluate(() => sessionStorage.setItem('midcall-invitation', 'secret'));
  await invited.go('/passkeys');
  await judged(invited.page, 'passkeys-invited');
  expect(await invited.page.locator('input[name=invitation]').inputValue()).toBe('secret');

  const numbers = await enter({ isPossible: false, origin: 'http://192.168.1.4:7000' });
  numbers.on.questions.approvals.set(question.id, view({ assurance: 'present' }));
  void numbers.on.questions.ask(question);
  await numbers.go('/passkeys');
  await judged(numbers.page, 'passkeys-impossible');
  await numbers.go(`/questions/${question.id}`);
  await judged(numbers.page, 'passkeys-impossible-question');
});
