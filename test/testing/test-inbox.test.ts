/** The inbox of tests counts as the real one: who may answer, what counts as agreement, and when a question has ended. */
import type { ApprovalAsk, Principal } from '@midcall/server';
import { testInbox } from '@midcall/testing';
import { expect, it } from 'vitest';

const yes = { action: 'accept', content: { value: true, why: 'due' } } as const;
/** The same content, written otherwise. */
const yesToo = { action: 'accept', content: { why: 'due', value: true } } as const;
const no = { action: 'accept', content: { value: false } } as const;
const refuse = { action: 'decline' } as const;
const carl: Principal = { issuer: 'https://login.example', subject: 'carl' };

const asked = (more: Partial<ApprovalAsk> = {}): ApprovalAsk => ({
  ...{ id: 'q1', from: { group: 'finance', count: 2 }, requester: carl, server: 'payments', message: 'Pay?' },
  ...{ call: { method: 'tools/call', name: 'pay' }, schema: {}, assurance: 'verified', askedAt: 1, dueAt: 2 },
  ...more,
});
const inboxOf = () => testInbox({ groups: { finance: ['ada', 'ben', carl], nobody: [] } });

it('a question ends as accepted with the content that enough people gave, and lists who voted', async () => {
  const inbox = inboxOf();
  await inbox.ask(asked());
  await inbox.ask(asked({ message: 'Another?' }));
  expect(inbox.asked).toHaveLength(1);
  const changes: number[] = [];
  const stop = inbox.listen('q1', () => changes.push(changes.length));
  inbox.vote('Pay?', 'ada', no);
  inbox.vote('q1', 'ben', yes);
  expect(await inbox.look('q1')).not.toHaveProperty('outcome');
  stop();
  inbox.vote('q1', carl, yesToo);
  expect(await inbox.look('q1')).toMatchObject({
    outcome: { action: 'accept', content: yes.content },
    votes: [
      { issuer: 'test', subject: 'ada' },
      { subject: 'ben', assurance: 'verified', at: 1 },
      { ...carl, action: 'accept' },
    ],
  });
  expect(changes).toHaveLength(2);
  expect(() => inbox.vote('q1', 'ada', yes)).toThrow("ada cannot answer 'Pay?': it has ended.");
});

it('a question ends as declined once too few are left to agree on anything', async () => {
  const inbox = inboxOf();
  await inbox.ask(asked());
  inbox.vote('q1', 'ada', refuse);
  expect((await inbox.look('q1'))!.outcome).toBeUndefined();
  inbox.vote('q1', 'ben', refuse);
  expect((await inbox.look('q1'))!.outcome).toEqual({ action: 'decline' });
});

it('a question takes one answer of each person of the group, and of nobody else', async () => {
  const inbox = inboxOf();
  await inbox.ask(asked({ from: { group: 'finance', count: 2, not: 'requester' }, assurance: 'present' }));
  inbox.vote('q1', 'ada', yes);
  expect(() => inbox.vote('q1', 'ada', no)).toThrow('they have answered it');
  expect(() => inbox.vote('q1', 'eve', yes)).toThrow('it is for others');
  expect(() => inbox.vote('q1', carl, yes)).toThrow('it is for others');
  expect(() => inbox.vote('q2', 'ada', yes)).toThrow("was not asked 'q2'. It was asked: 'Pay?'.");
  expect(() => inbox.vote('q1', 'ben', true as never)).toThrow("the answer must be { action: 'accept', content");
  expect((await inbox.look('q1'))!.votes).toMatchObject([{ assurance: 'present' }]);
});

it('the inbox says of whom it can never have an answer', async () => {
  const inbox = inboxOf();
  const why = (from: ApprovalAsk['from'], requester: Principal | undefined = carl) =>
    inbox.whyNot({ from, requester, assurance: 'verified' });
  expect(await why({ group: 'finance', count: 3 })).toBeUndefined();
  expect(await why({ group: 'finance', count: 3, not: 'requester' })).toContain(
    'has 2 who may answer, and 3 have to agree',
  );
  expect(await why({ group: 'nobody', count: 1 })).toContain('has 0 who may answer');
  expect(await why({ group: 'legal', count: 1 })).toBe("There is no group 'legal'.");
  expect(await why('requester')).toBeUndefined();
  expect(
    await testInbox({ groups: {} }).whyNot({ from: 'requester', requester: undefined, assurance: 'present' }),
  ).toBe('Nobody knows who the requester is.');
});

it('the inbox knows nothing of what it was not asked, and keeps the end of what was withdrawn', async () => {
  const inbox = testInbox({ groups: { finance: ['ada'] }, votes: () => [['ada', yes]] });
  expect(await inbox.look('q1')).toBeUndefined();
  await inbox.withdraw('q1');
  const first = inbox.whenAsked(1);
  await inbox.ask(asked({ from: { group: 'finance', count: 1 } }));
  expect((await first).id).toBe('q1');
  await inbox.withdraw('q1');
  expect((await inbox.look('q1'))!.outcome).toMatchObject({ action: 'accept' });
});
