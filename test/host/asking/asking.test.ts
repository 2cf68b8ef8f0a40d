/** How long a question is open, and who says so. */
import { Audit, Inbox, Policy, type Question } from '@midcall/host';
import { expect, it } from 'vitest';
import { Asking } from '../../../packages/host/src/asking/asking.ts';
import { Calls, type RunningCall } from '../../../packages/host/src/calls/calls.ts';
import { handClock } from '../clock.ts';

const asker: Question['asker'] = { id: 'notes', name: 'notes', origin: 'node notes', era: '2026-07-28' };
const question = (id: string, openUntil?: number): Question => ({
  id,
  asker,
  askedAt: 1_000_000,
  kind: 'form',
  message: 'Which one?',
  fields: [],
  ...(openUntil !== undefined && { openUntil }),
});

function asking(answerTimeoutMs?: number) {
  const clock = handClock();
  const inbox = new Inbox({ clock });
  const put = new Asking({
    inbox,
    policy: new Policy(),
    audit: new Audit(),
    calls: new Calls(),
    clock,
    asker: () => asker,
    notify: () => {},
    ...(answerTimeoutMs !== undefined && { answerTimeoutMs }),
  });
  const ask = (asked: Question) => put.ask({ call: undefined, signal: new AbortController().signal }, asked);
  return { inbox, clock, ask };
}

it('a question is open until the first of what the host allows and when its sign-in ends', () => {
  const { inbox, ask } = asking(60_000);
  void ask(question('host'));
  void ask(question('sign-in', 1_030_000));
  void ask(question('late', 2_000_000));
  expect(inbox.list().map(each => each.openUntil)).toEqual([1_060_000, 1_030_000, 1_060_000]);
});

it('a question stays open for good where nobody sets an end, or one that no calendar has', () => {
  const { inbox, ask } = asking();
  void ask(question('open'));
  void ask(question('endless', 1e300));
  for (const each of inbox.list()) expect(each).not.toHaveProperty('openUntil');
});

it('a question ends when it said it would, also where another process had asked it', async () => {
  const { inbox, clock, ask } = asking(60_000);
  void inbox.ask(question('kept', 1_060_000));
  clock.move(40_000);
  const ending = ask({ ...question('kept'), askedAt: clock.now() });
  expect(inbox.get('kept')?.openUntil).toBe(1_060_000);
  clock.move(19_999);
  expect(inbox.ending('kept')).toBeUndefined();
  clock.move(1);
  expect(await ending).toEqual({ how: 'timed-out' });
});

it('the record and the views name the call whose question a decision or the host refused, and the decision', async () => {
  const [audit, policy, notices] = [new Audit(), new Policy(), [] as unknown[]];
  policy.add({ server: 'notes', subject: 'form', effect: 'refuse' });
  const [inbox, clock] = [new Inbox(), handClock()];
  const notify = (notice: unknown) => void notices.push(notice);
  const put = new Asking({ inbox, policy, audit, calls: new Calls(), clock, asker: () => asker, notify });
  const call = { context: { id: 'c-1', kind: 'tool', name: 'pay', arguments: {} } } as RunningCall;
  const source = { id: 'q', subject: 'form', call, signal: new AbortController().signal } as const;
  const decision = 'You refuse forms from this server.';
  expect(await put.put(source, () => question('q'))).toEqual({ how: 'refused-by-policy', decision });
  put.refused('form', 'host', 'It has too many fields.', call.context);
  const why = 'It has too many fields.';
  expect(notices).toMatchObject([
    { type: 'refused', by: 'policy', why: decision, call: { id: 'c-1' } },
    { type: 'refused', by: 'host', why, call: { id: 'c-1' } },
  ]);
  expect(audit.entries()).toMatchObject([
    { call: { id: 'c-1', name: 'pay' }, event: { type: 'refused', by: 'policy', why: decision } },
    { call: { id: 'c-1', name: 'pay' }, event: { type: 'refused', by: 'host', why } },
  ]);
});
