/** What must hold of questions to several people in a stored inbox, wherever it is stored. */
import { randomUUID } from 'node:crypto';
import type { ApprovalView, EndedQuestion, OpenQuestion } from '@midcall/host/web';
import { type ApprovalAsk, approvers } from '@midcall/server';
import { afterEach, describe, expect, it } from 'vitest';
import type { InboxStore, RecordLine } from '../../packages/inbox/src/store/index.ts';
import { eventually, grown } from '../fixtures/grown.ts';
import type { Place } from './contract.ts';
import { approvalStore, bridge, manualClock, question, stopAll, yes } from './stage.ts';

const issuer = 'https://id.example';
const idOf = (subject: string): string => `${subject} (${issuer})`;
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const sure = { sure: true };
const no = { action: 'decline' } as const;
const finance = { names: { finance: ['ada', 'bob', 'eve'] } };

/** A payment that people of finance have to agree to. */
export const payment = (change: Partial<ApprovalAsk> = {}): ApprovalAsk => ({
  id: randomUUID(),
  from: approvers('finance', { count: 2 }),
  requester: { issuer, subject: 'mel' },
  server: 'payments',
  call: { method: 'tools/call', name: 'pay', arguments: { to: 'Acme' } },
  message: 'Pay 4,000 € to Acme?',
  schema: { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] },
  assurance: 'verified',
  askedAt: Date.now(),
  dueAt: Date.now() + day,
  ...change,
});

/** The questions of a person that are open. */
const openOf = async (store: InboxStore, who: string): Promise<readonly OpenQuestion[]> =>
  (await store.person(idOf(who)).open(0, 50)).questions;
const endedOf = async (store: InboxStore, who: string): Promise<readonly EndedQuestion[]> =>
  (await store.person(idOf(who)).ended(0, 50)).questions;

/** The question of a person to an approval. */
async function questionTo(store: InboxStore, who: string, id: string): Promise<OpenQuestion | EndedQuestion> {
  const found = await store.person(idOf(who)).get(id);
  if (!found) throw new Error(`${who} was not asked.`);
  return found;
}

/** Answers as a person. */
async function reply(store: InboxStore, who: string, id: string, how: Parameters<typeof answer>[3] = yes) {
  return answer(store, who, (await questionTo(store, who, id)).question.id, how);
}
const answer = (
  store: InboxStore,
  who: string,
  question: string,
  how: { readonly action: 'accept' | 'decline' | 'dismiss' },
) => store.person(idOf(who)).reply(question, how);

async function recorded(store: InboxStore): Promise<RecordLine[]> {
  const found: RecordLine[] = [];
  for await (const line of store.record.search()) found.push(line);
  return found;
}

const signIn = (store: InboxStore, who: string, groups?: readonly string[]) =>
  store.sessions.begin({ principal: idOf(who), name: `${who} of Acme`, ...(groups && { groups }) });

/** Adds a passkey of this id. */
async function addPasskey(store: InboxStore, who: string, id: string): Promise<void> {
  const passkey = { id, name: 'Phone', publicKey: 'a', counter: 0, transports: [], user: who };
  expect(await store.passkeys.add(idOf(who), passkey, 'signed-in')).toBe('added');
}

/** @param place - makes an empty database */
export function approvalsContract(name: string, place: () => Promise<Place>): void {
  describe(`questions to several people in ${name}`, () => {
    afterEach(stopAll);

    it('a question is in the inbox of everybody in the group, and ends for all of them when enough have agreed', async () => {
      const a = await approvalStore({ ...(await place()), groups: finance });
      await signIn(a, 'ada');
      const ask = payment({ details: { columns: ['to', 'sum'], rows: [['Acme', '4,000 €']] } });
      expect(await a.approvals.look(ask.id)).toBeUndefined();
      await a.approvals.ask(ask);
      expect(await a.approvals.look(ask.id)).toEqual({ votes: [] });
      for (const who of ['ada', 'bob', 'eve']) {
        expect(await openOf(a, who)).toMatchObject([
          {
            question: {
              kind: 'form',
              message: ask.message,
              fields: [{ name: 'sure' }],
              asker: { id: 'payments' },
              call: { kind: 'tool', name: 'pay', arguments: { to: 'Acme' } },
              openUntil: ask.dueAt,
            },
            approval: {
              ...{ group: 'finance', count: 2, requester: idOf('mel'), assurance: 'verified', votes: [] },
              details: ask.details,
              dueAt: ask.dueAt,
            },
          },
        ]);
      }
      expect(await openOf(a, 'mel')).toEqual([]);

      expect(await reply(a, 'ada', ask.id)).toEqual({ ok: true });
      const first = { name: 'ada of Acme', action: 'accept', assurance: 'verified' };
      expect(await openOf(a, 'ada')).toEqual([]);
      const [own] = await endedOf(a, 'ada');
      expect(own).toMatchObject({
        ending: { how: 'answered', via: 'inbox', content: sure },
        approval: { count: 2, votes: [{ ...first, isOwn: true }] },
      });
      expect(own!.approval).not.toHaveProperty('outcome');
      expect((await openOf(a, 'bob'))[0]!.approval!.votes).toMatchObject([{ ...first, isOwn: false }]);
      const vote = { issuer, subject: 'ada', name: 'ada of Acme', action: 'accept', assurance: 'verified' };
      expect(await a.approvals.look(ask.id)).toEqual({ votes: [{ ...vote, at: expect.any(Number) }] });

      expect(await reply(a, 'bob', ask.id)).toEqual({ ok: true });
      const standing = await a.approvals.look(ask.id);
      expect(standing).toMatchObject({
        outcome: { action: 'accept', content: sure },
        votes: [vote, { issuer, subject: 'bob', action: 'accept', assurance: 'verified' }],
      });
      expect(standing!.votes[1]).not.toHaveProperty('name');
      for (const [who, how] of [
        ['ada', 'answered'],
        ['bob', 'answered'],
        ['eve', 'withdrawn'],
      ] as const) {
        expect(await openOf(a, who)).toEqual([]);
        expect(await endedOf(a, who)).toMatchObject([{ ending: { how }, approval: { outcome: 'accepted' } }]);
      }
      const lines = await recorded(a);
      const of = { approval: ask.id, server: 'payments' };
      expect(lines).toMatchObject([
        { event: 'requested', principal: idOf('mel'), ...of },
        ...['ada', 'bob', 'eve'].map(who => ({ event: 'asked', principal: idOf(who), kind: 'form', ...of })),
        { event: 'ended', principal: idOf('ada'), how: 'answered', via: 'inbox', assurance: 'verified', ...of },
        { event: 'ended', principal: idOf('bob'), how: 'answered', via: 'inbox', assurance: 'verified', ...of },
        { event: 'decided', principal: idOf('mel'), how: 'answered', ...of },
        { event: 'ended', principal: idOf('eve'), how: 'withdrawn', ...of },
      ]);
      // Equal answers have no equal digests.
      expect(new Set(lines.flatMap(line => line.answer ?? [])).size).toBe(3);
      expect(await a.record.verify()).toEqual({ ok: true, lines: lines.length });
    });

    it('refusals, and different answers, end a question once no answer can get enough', async () => {
      const a = await approvalStore({ ...(await place()), groups: finance });
      const refused = payment();
      await a.approvals.ask(refused);
      await reply(a, 'ada', refused.id, no);
      expect(await a.approvals.look(refused.id)).not.toHaveProperty('outcome');
      await reply(a, 'bob', refused.id, no);
      expect(await a.approvals.look(refused.id)).toMatchObject({
        outcome: { action: 'decline' },
        votes: [{ action: 'decline' }, { action: 'decline' }],
      });
      expect((await endedOf(a, 'eve'))[0]).toMatchObject({
        ending: { how: 'withdrawn' },
        approval: { outcome: 'declined' },
      });

      const split = payment();
      await a.approvals.ask(split);
      await reply(a, 'ada', split.id, yes);
      await reply(a, 'bob', split.id, { action: 'accept', content: { sure: false } } as never);
      expect(await a.approvals.look(split.id)).not.toHaveProperty('outcome');
      await reply(a, 'eve', split.id, { action: 'accept', content: { sure: false } } as never);
      const standing = await a.approvals.look(split.id);
      expect(standing!.outcome).toEqual({ action: 'accept', content: { sure: false } });
      // Whoever answered otherwise did not agree to it.
      expect(standing!.votes.map(({ subject }) => subject)).toEqual(['bob', 'eve']);
    });

    it('a question asked again with the same id, also at once, changes nothing', async () => {
      const at = await place();
      const [a, b] = [await approvalStore({ ...at, groups: finance }), await approvalStore({ ...at, groups: finance })];
      const ask = payment();
      await Promise.all(Array.from({ length: 10 }, (_, n) => [a, b][n % 2]!.approvals.ask(ask)));
      await a.approvals.ask({ ...ask, message: 'Pay 9,000 € to Mallory?' });
      expect(await openOf(b, 'ada')).toMatchObject([{ question: { message: ask.message } }]);
      expect((await recorded(a)).map(({ event }) => event)).toEqual(['requested', 'asked', 'asked', 'asked']);
      await reply(a, 'ada', ask.id, no);
      await reply(a, 'bob', ask.id, no);
      await b.approvals.ask(ask);
      expect(await b.approvals.look(ask.id)).toMatchObject({ outcome: { action: 'decline' } });
      expect(await openOf(b, 'eve')).toEqual([]);
    });

    it('of 64 people who answer at once, two decide, and there is one outcome', async () => {
      const at = await place();
      const names = Array.from({ length: 64 }, (_, n) => `p${n}`);
      const groups = { names: { finance: names } };
      const stores = [await approvalStore({ ...at, groups }), await approvalStore({ ...at, groups })];
      const ask = payment();
      await stores[0]!.approvals.ask(ask);
      const ids = await Promise.all(
        names.map(async (who, n) => (await questionTo(stores[n % 2]!, who, ask.id)).question.id),
      );
      const receipts = await Promise.all(
        names.map((who, n) =>
          answer(
            stores[n % 2]!,
            who,
            ids[n]!,
            n % 3 === 0 ? no : ({ action: 'accept', content: { sure: n % 3 === 1 } } as never),
          ),
        ),
      );
      const standing = await stores[1]!.approvals.look(ask.id);
      const taken = receipts.filter(receipt => receipt !== 'sent' && receipt.ok).length;
      expect(standing!.outcome!.action).toBe('accept');
      expect(standing!.votes).toHaveLength(2);
      const lines = await recorded(stores[0]!);
      expect(lines.filter(({ event }) => event === 'decided')).toHaveLength(1);
      expect(lines.filter(({ assurance }) => assurance !== undefined)).toHaveLength(taken);
      expect(lines.filter(({ event }) => event === 'ended')).toHaveLength(64);
      for (const receipt of receipts)
        if (receipt !== 'sent' && !receipt.ok)
          expect(receipt).toEqual({ ok: false, problem: 'ended', ending: { how: 'withdrawn' } });
      expect(await stores[1]!.record.verify()).toMatchObject({ ok: true });
    });

    it('a second answer of one person, one to the question of another, and one after the end do not count', async () => {
      const a = await approvalStore({ ...(await place()), groups: finance });
      const ask = payment();
      await a.approvals.ask(ask);
      const { question } = await questionTo(a, 'ada', ask.id);
      const ended = { ok: false, problem: 'ended', ending: { how: 'declined', via: 'inbox' } };
      const both = await Promise.all([answer(a, 'ada', question.id, no), answer(a, 'ada', question.id, no)]);
      expect(both).toContainEqual({ ok: true });
      expect(both).toContainEqual(ended);
      expect(await answer(a, 'ada', question.id, yes)).toEqual(ended);
      const bobs = (await questionTo(a, 'bob', ask.id)).question.id;
      for (const who of ['eve', 'mel', 'mallory'])
        expect(await answer(a, who, bobs, yes)).toEqual({ ok: false, problem: 'unknown' });
      expect(await a.person(idOf('mallory')).get(ask.id)).toBeUndefined();
      expect(await answer(a, 'mallory', ask.id, yes)).toEqual({ ok: false, problem: 'unknown' });
      expect((await a.approvals.look(ask.id))!.votes).toMatchObject([{ subject: 'ada', action: 'decline' }]);
      await reply(a, 'bob', ask.id, no);
      const after = await reply(a, 'eve', ask.id);
      expect(after).toEqual({ ok: false, problem: 'ended', ending: { how: 'withdrawn' } });
      expect(await a.approvals.look(ask.id)).toMatchObject({ outcome: { action: 'decline' } });
    });

    it('an answer that does not fit the form, and a dismissal, leave a question open, and say why', async () => {
      const at = await place();
      const a = await approvalStore({ ...at, groups: finance });
      const ask = payment();
      await a.approvals.ask(ask);
      for (const [how, issue] of [
        [{ action: 'accept', content: { sure: 'perhaps' } }, { field: 'sure' }],
        [{ action: 'accept' }, { field: 'sure' }],
        [{ action: 'dismiss' }, { rule: 'action' }],
      ] as const)
        expect(await reply(a, 'ada', ask.id, how as never)).toMatchObject({
          ok: false,
          problem: 'invalid',
          issues: [issue],
        });
      expect(await openOf(a, 'ada')).toHaveLength(1);
      expect(await at.sql('select count(*) from inbox_votes')).toEqual([['0']]);
      expect(await at.sql('select count(*) from inbox_replies')).toEqual([['0']]);
    });

    it('a question that can never be answered is refused before anybody is asked, with what to do', async () => {
      const at = await place();
      const crowd = Array.from({ length: 1_000 }, (_, n) => `m${n}`);
      const groups = { names: { finance: ['ada', 'bob'], empty: [] } };
      const a = await approvalStore({ ...at, groups });
      await signIn(a, 'ada');
      await addPasskey(a, 'ada', 'phone');
      const c = await approvalStore({
        ...at,
        groups: { names: { crowd }, claim: 'groups' },
        home: 'https://claim.example/',
      });
      await a.people.remove(idOf('bob'));
      const requester = { issuer, subject: 'ada' };
      const atOs = { issuer: 'os', subject: 'ada' };
      const cases: [InboxStore, Partial<ApprovalAsk>, string][] = [
        [a, { from: approvers('ops') }, 'does not know the group "ops"'],
        [a, { from: approvers('empty') }, '1 person of the group "empty" must agree, but it has no members.'],
        [
          a,
          { from: approvers('finance', { count: 2 }) },
          '2 people of the group "finance" must agree, but it has one member.',
        ],
        [a, { from: approvers('finance', { not: 'requester' }), requester: undefined }, 'midcall({ principal })'],
        [a, { from: approvers('finance', { not: 'requester' }), requester }, 'no members besides the requester'],
        [a, { from: 'requester', requester: undefined }, 'midcall({ principal })'],
        [a, { from: 'requester', requester: { issuer, subject: 'bob' } }, 'removed'],
        [a, { from: 'requester', requester: { issuer, subject: 'mel' }, assurance: 'present' }, 'passkey'],
        [a, { from: 'requester', requester: atOs }, 'this one is known by os'],
        [a, { from: approvers('finance', { not: 'requester' }), requester: atOs }, 'this one is known by os'],
        [c, { from: approvers('finance') }, 'Nobody who has signed in'],
      ];
      for (const [store, change, says] of cases) {
        const ask = payment(change);
        expect(await store.approvals.whyNot(ask)).toContain(says);
        await expect(store.approvals.ask(ask)).rejects.toMatchObject({
          code: 'ask/unavailable',
          message: expect.stringContaining(says),
        });
      }
      for (const change of [
        { from: approvers('finance') },
        { from: approvers('finance'), assurance: 'present' as const },
        { from: approvers('finance', { not: 'requester' }) },
        { from: 'requester' as const, requester, assurance: 'present' as const },
      ])
        expect(await a.approvals.whyNot(payment(change))).toBeUndefined();
      await signIn(c, 'eve', ['finance']);
      expect(await c.approvals.whyNot(payment({ from: approvers('finance'), assurance: 'present' }))).toContain(
        'passkey',
      );
      await expect(
        a.approvals.ask(payment({ from: approvers('finance'), schema: { type: 'array' } })),
      ).rejects.toMatchObject({ code: 'ask/unavailable' });
      expect(await c.approvals.whyNot(payment({ from: approvers('crowd') }))).toBeUndefined();
      await signIn(c, 'eve', ['crowd']);
      expect(await c.approvals.whyNot(payment({ from: approvers('crowd') }))).toContain('At most 1000 people');
      expect((await recorded(a)).map(({ event }) => event)).toEqual(['passkey-added', 'removed']);
    });

    it('whoever was removed has no vote, also not the one that they gave, and it ends when too few are left', async () => {
      const at = await place();
      const [a, b] = [await approvalStore({ ...at, groups: finance }), (await bridge(at)).store];
      const ask = payment();
      await a.approvals.ask(ask);
      const { question } = await questionTo(a, 'eve', ask.id);
      await reply(a, 'ada', ask.id);
      await b.people.remove(idOf('ada'));
      expect(await a.approvals.look(ask.id)).toEqual({ votes: [] });
      expect((await openOf(a, 'bob'))[0]!.approval!.votes).toEqual([]);
      await reply(a, 'bob', ask.id);
      expect(await a.approvals.look(ask.id)).not.toHaveProperty('outcome');
      await b.people.remove(idOf('eve'));
      expect(await a.approvals.look(ask.id)).toMatchObject({
        outcome: { action: 'cancel', reason: 'unavailable' },
        votes: [{ subject: 'bob' }],
      });
      expect(await answer(a, 'eve', question.id, yes)).toMatchObject({
        problem: 'ended',
        ending: { how: 'refused-by-policy' },
      });
      // The end is the end, whoever comes back.
      await b.people.admit(idOf('ada'));
      await signIn(a, 'ada');
      expect(await openOf(a, 'ada')).toEqual([]);
      expect((await recorded(a)).slice(4).map(({ event, how, principal }) => [event, how, principal])).toEqual([
        ['ended', 'answered', idOf('ada')],
        ['removed', undefined, idOf('ada')],
        ['voided', undefined, idOf('ada')],
        ['ended', 'answered', idOf('bob')],
        ['removed', undefined, idOf('eve')],
        ['ended', 'refused-by-policy', idOf('eve')],
        ['decided', 'unreachable', idOf('mel')],
        ['admitted', undefined, idOf('ada')],
      ]);
      expect(await a.record.verify()).toMatchObject({ ok: true });
    });

    it('a person who was removed and admitted again is asked anew when they sign in, and their vote of before stays void', async () => {
      const a = await approvalStore({ ...(await place()), groups: finance });
      const ask = payment();
      await a.approvals.ask(ask);
      await reply(a, 'ada', ask.id);
      await a.people.remove(idOf('ada'));
      await a.people.admit(idOf('ada'));
      await signIn(a, 'ada');
      expect(await openOf(a, 'ada')).toHaveLength(1);
      expect(await a.approvals.look(ask.id)).toEqual({ votes: [] });
      await reply(a, 'ada', ask.id);
      await reply(a, 'bob', ask.id);
      expect(await a.approvals.look(ask.id)).toMatchObject({ outcome: { action: 'accept' } });
    });

    it('people come into a group and leave it by the claim of their last sign-in', async () => {
      const at = await place();
      const groups = { claim: 'groups' };
      const a = await approvalStore({ ...at, groups });
      for (const who of ['ada', 'bob']) await signIn(a, who, ['finance', 'ops']);
      await signIn(a, 'mel', ['finance']);
      const ask = payment({ from: approvers('finance', { count: 2, not: 'requester' }) });
      await a.approvals.ask(ask);
      expect(await openOf(a, 'mel')).toEqual([]);
      // One who comes later, in another process.
      const b = await approvalStore({ ...at, groups });
      await signIn(b, 'eve', ['finance']);
      await signIn(b, 'eve', ['finance']);
      await signIn(b, 'mel', ['finance']);
      await signIn(b, 'mallory', ['Finance', 'ops']);
      expect(await openOf(a, 'eve')).toMatchObject([{ approval: { group: 'finance' } }]);
      for (const who of ['mel', 'mallory']) expect(await openOf(a, who)).toEqual([]);
      await reply(a, 'eve', ask.id);
      // Who leaves has no vote any more; a sign-in that says nothing of groups changes nothing.
      await signIn(a, 'ada');
      await signIn(a, 'eve', []);
      await signIn(a, 'bob', ['ops']);
      expect(await a.approvals.look(ask.id)).toMatchObject({ votes: [], outcome: { action: 'cancel' } });
      expect(await endedOf(a, 'bob')).toMatchObject([{ ending: { how: 'refused-by-policy' } }]);
      expect(await openOf(a, 'ada')).toEqual([]);
      const [voided] = (await recorded(a)).filter(({ event }) => event === 'voided');
      expect(voided).toMatchObject({ principal: idOf('eve'), approval: ask.id });
    });

    it('claims count only for what inboxes ask that use them, and names and claims add up', async () => {
      const at = await place();
      const named = await approvalStore({ ...at, groups: { names: { finance: ['ada'] } } });
      const both = await approvalStore({
        ...at,
        groups: { names: { finance: ['ada', 'bob'] }, claim: 'groups' },
        home: 'https://both.example/',
      });
      const [first, second] = [payment({ from: approvers('finance') }), payment()];
      await named.approvals.ask(first);
      await both.approvals.ask(second);
      await signIn(both, 'eve', ['finance']);
      await signIn(both, 'ada', []);
      expect((await openOf(named, 'eve')).map(({ question }) => question.call!.id)).toEqual([second.id]);
      expect((await openOf(named, 'ada')).map(({ question }) => question.call!.id)).toEqual([first.id, second.id]);
      // Nobody is less named for what the issuer says.
      await signIn(both, 'bob', ['finance']);
      await signIn(both, 'bob', []);
      expect((await openOf(named, 'bob')).map(({ question }) => question.call!.id)).toEqual([second.id]);
    });

    it('a person named in the configuration is asked, and no longer, from the start of a process that has it', async () => {
      const at = await place();
      const a = await approvalStore({ ...at, groups: finance });
      const other = await approvalStore({ ...at, groups: finance, home: 'https://other.example/' });
      const [ask, theirs] = [payment(), payment()];
      await a.approvals.ask(ask);
      await other.approvals.ask(theirs);
      await reply(a, 'ada', ask.id);
      await reply(a, 'ada', theirs.id);
      await a.stop();
      const b = await approvalStore({ ...at, groups: { names: { finance: ['bob', 'zoe'] } } });
      expect((await b.approvals.look(ask.id))!.votes).toEqual([]);
      expect((await b.approvals.look(theirs.id))!.votes).toHaveLength(1);
      expect((await openOf(b, 'zoe')).map(({ question }) => question.call!.id)).toEqual([ask.id]);
      expect((await openOf(b, 'eve')).map(({ question }) => question.call!.id)).toEqual([theirs.id]);
      await b.stop();
      const c = await approvalStore({ ...at, groups: {} });
      expect(await c.approvals.look(ask.id)).toMatchObject({ outcome: { action: 'cancel', reason: 'unavailable' } });
      // The group of another configuration is none of its business.
      expect(await c.approvals.look(theirs.id)).not.toHaveProperty('outcome');
    });

    it('a question that is due ends by the clock of who votes, looks or lists, and no clock brings it back', async () => {
      const clock = manualClock();
      const at = await place();
      const a = await approvalStore({ ...at, groups: finance, clock });
      const asks = [1, 2, 3].map(() => payment({ askedAt: clock.now(), dueAt: clock.now() + minute }));
      for (const ask of asks) await a.approvals.ask(ask);
      const [byVote, byLook, byList] = asks as [ApprovalAsk, ApprovalAsk, ApprovalAsk];
      const ids = await Promise.all(asks.map(async ({ id }) => (await questionTo(a, 'ada', id)).question.id));
      await reply(a, 'bob', byVote.id);
      clock.advance(minute - 1);
      expect(await a.approvals.look(byLook.id)).toEqual({ votes: [] });
      clock.advance(1);
      expect(await answer(a, 'ada', ids[0]!, yes)).toEqual({
        ok: false,
        problem: 'ended',
        ending: { how: 'timed-out' },
      });
      expect(await at.sql(`select count(*) from inbox_approvals where ended_at is null`)).toEqual([['2']]);
      expect(await a.approvals.look(byLook.id)).toMatchObject({ outcome: { action: 'cancel', reason: 'timeout' } });
      expect(await at.sql(`select count(*) from inbox_approvals where ended_at is null`)).toEqual([['1']]);
      expect(await openOf(a, 'eve')).toEqual([]);
      expect(await endedOf(a, 'eve')).toHaveLength(3);
      clock.set(clock.now() - day);
      for (const { id } of asks)
        expect(await a.approvals.look(id)).toMatchObject({ outcome: { action: 'cancel', reason: 'timeout' } });
      expect(await answer(a, 'ada', ids[2]!, yes)).toMatchObject({ problem: 'ended' });
      expect((await recorded(a)).filter(({ event, how }) => event === 'decided' && how === 'timed-out')).toHaveLength(
        3,
      );
      expect(byList.dueAt).toBe(byVote.dueAt);
    });

    it('withdrawing a question ends it for everybody, and changes nothing that has ended', async () => {
      const a = await approvalStore({ ...(await place()), groups: finance });
      const ask = payment();
      await a.approvals.withdraw(ask.id);
      await a.approvals.ask(ask);
      await reply(a, 'ada', ask.id);
      await a.approvals.withdraw(ask.id);
      await a.approvals.withdraw(ask.id);
      expect(await a.approvals.look(ask.id)).toMatchObject({
        outcome: { action: 'cancel', reason: 'unavailable' },
        votes: [{ subject: 'ada' }],
      });
      expect(await reply(a, 'bob', ask.id)).toMatchObject({ problem: 'ended', ending: { how: 'withdrawn' } });
      expect((await endedOf(a, 'ada'))[0]!.approval!.outcome).toBe('withdrawn');
      const decided = payment({ from: approvers('finance') });
      await a.approvals.ask(decided);
      await reply(a, 'ada', decided.id);
      await a.approvals.withdraw(decided.id);
      expect(await a.approvals.look(decided.id)).toMatchObject({ outcome: { action: 'accept' } });
    });

    it('an answer without a passkey counts for nothing where one is demanded, and the vote says how it was given', async () => {
      const a = await approvalStore({ ...(await place()), groups: finance });
      await signIn(a, 'ada');
      await signIn(a, 'bob');
      for (const key of ['phone', 'laptop', 'lost']) await addPasskey(a, 'ada', key);
      const ask = payment({ assurance: 'present' });
      // Three passkeys of one person are one person.
      expect(await a.approvals.whyNot(ask)).toContain('only one of them has one');
      await addPasskey(a, 'bob', 'key of bob');
      await a.approvals.ask(ask);
      await a.passkeys.revoke(idOf('ada'), 'lost', 'owner');
      const demand = { ok: false, problem: 'invalid', issues: [{ rule: 'assurance' }] };
      for (const how of [yes, no]) expect(await reply(a, 'ada', ask.id, how)).toMatchObject(demand);
      const { question, approval } = await questionTo(a, 'ada', ask.id);
      const ada = a.person(idOf('ada'));
      for (const credential of ['lost', 'key of bob', 'none'])
        expect(await ada.reply(question.id, yes, { credential })).toMatchObject(demand);
      expect(await a.approvals.look(ask.id)).toEqual({ votes: [] });
      expect(await ada.reply(question.id, yes, { credential: 'phone' })).toEqual({ ok: true });
      expect(await ada.reply(question.id, yes, { credential: 'laptop' })).toMatchObject({ problem: 'ended' });
      const { votes } = (await a.approvals.look(ask.id))!;
      expect(votes).toMatchObject([{ subject: 'ada', assurance: 'present' }]);
      expect(Object.keys(votes[0]!)).not.toContain('credential');
      expect((await recorded(a)).at(-1)).toMatchObject({ event: 'ended', assurance: 'present' });
      // The digest that a passkey signs over is that of this question alone.
      const another = payment({ ...ask, id: randomUUID() });
      await a.approvals.ask(another);
      const digests = new Set<string>([approval!.digest]);
      for (const who of ['ada', 'bob']) digests.add((await questionTo(a, who, another.id)).approval!.digest);
      expect(digests.size).toBe(2);
    });

    it('the requester alone is asked in their own inbox, and may dismiss it', async () => {
      const a = await approvalStore(await place());
      await signIn(a, 'mel');
      await addPasskey(a, 'mel', 'phone');
      const own = (): ApprovalAsk => payment({ from: 'requester', assurance: 'present' });
      const [first, second] = [own(), own()];
      for (const ask of [first, second]) await a.approvals.ask(ask);
      const [view] = (await openOf(a, 'mel')).map(({ approval }) => approval as ApprovalView);
      expect(view).toMatchObject({ count: 1, assurance: 'present' });
      expect(view).not.toHaveProperty('group');
      expect(await openOf(a, 'ada')).toEqual([]);
      expect(await reply(a, 'mel', first.id, { action: 'dismiss' })).toEqual({ ok: true });
      expect(await a.approvals.look(first.id)).toEqual({
        votes: [],
        outcome: { action: 'cancel', reason: 'dismissed' },
      });
      await a.people.remove(idOf('mel'));
      expect(await a.approvals.look(second.id)).toMatchObject({ outcome: { action: 'cancel', reason: 'unavailable' } });
    });

    it('listeners in any process are told of votes and of the end', async () => {
      const at = await place();
      const [a, b] = [await approvalStore({ ...at, groups: finance }), await approvalStore({ ...at, groups: finance })];
      const ask = payment();
      await a.approvals.ask(ask);
      const told: number[] = [];
      const shown: number[] = [];
      const stop = a.approvals.listen(ask.id, () => void told.push(1));
      const hide = a.person(idOf('bob')).subscribe(() => void shown.push(1));
      await a.person(idOf('bob')).open(0, 1);
      for (const who of ['ada', 'bob']) {
        await grown(told, list => list.length >= 1);
        told.length = 0;
        shown.length = 0;
        await reply(b, who, ask.id);
        await grown(told, list => list.length >= 1);
        await grown(shown, list => list.length >= 1);
      }
      expect(await a.approvals.look(ask.id)).toMatchObject({ outcome: { action: 'accept' } });
      stop();
      hide();
      const clock = manualClock();
      const c = await approvalStore({ ...at, groups: finance, clock });
      const looks = (): number => clock.waiting().filter(ms => ms <= 1_000).length;
      const again = payment();
      await c.approvals.ask(again);
      told.length = 0;
      const end = c.approvals.listen(again.id, () => void told.push(1));
      await grown(told, list => list.length >= 1);
      await eventually(() => looks() === 1);
      // In the same process at once: here, no time passes.
      told.length = 0;
      await reply(c, 'ada', again.id);
      expect(told).toHaveLength(1);
      end();
      clock.advance(200);
      await eventually(() => looks() === 0);
    });

    it('a question is owned by no process: it stays open when its own ends, and when others are declared gone', async () => {
      const at = await place();
      const [clock, dead] = [manualClock(), manualClock()];
      const a = await approvalStore({ ...at, groups: finance, clock: dead });
      const ask = payment();
      await a.approvals.ask(ask);
      const gone = await bridge({ ...at, clock: dead });
      const asked = await gone.ask(idOf('ada'));
      const b = await approvalStore({ ...at, groups: finance, clock });
      for (let n = 0; n < 7; n++) {
        await eventually(() => clock.waiting().some(ms => ms === 3_000));
        clock.advance(3_000);
      }
      await eventually(async () => {
        const found = await b.person(idOf('ada')).get(asked.id);
        return found !== undefined && 'ending' in found;
      });
      await a.stop();
      expect((await openOf(b, 'ada')).map(({ question }) => question.call?.id)).toEqual([ask.id]);
      await reply(b, 'ada', ask.id);
      await reply(b, 'bob', ask.id);
      expect(await b.approvals.look(ask.id)).toMatchObject({ outcome: { action: 'accept' } });
    });

    it('a question asked for one process alone is withdrawn when that is gone or stops, and asks nobody any more', async () => {
      const at = await place();
      const [a, b] = [manualClock(), manualClock()];
      const dead = await approvalStore({ ...at, groups: finance, clock: a });
      const other = await approvalStore({ ...at, groups: finance, clock: b });
      const [own, shared] = [payment(), payment()];
      await dead.approvals.ask(own, { isOwn: true });
      await dead.approvals.ask(shared);
      await reply(other, 'ada', own.id);
      // The first one does not count any more: its clock stands still.
      await eventually(async () => {
        b.advance(3_000);
        return (await other.approvals.look(own.id))?.outcome !== undefined;
      });
      expect(await other.approvals.look(own.id)).toMatchObject({
        outcome: { action: 'cancel', reason: 'unavailable' },
      });
      expect((await openOf(other, 'bob')).map(({ question }) => question.call!.id)).toEqual([shared.id]);
      expect((await endedOf(other, 'ada'))[0]!.approval).toMatchObject({ outcome: 'withdrawn' });
      expect(await at.sql('select id from inbox_bridges')).toEqual([]);

      // It comes to life again, as another one.
      const later = payment();
      await dead.approvals.ask(later, { isOwn: true });
      expect(await other.approvals.look(later.id)).toEqual({ votes: [] });
      await dead.stop();
      expect(await other.approvals.look(later.id)).toMatchObject({ outcome: { action: 'cancel' } });
      expect(await other.approvals.look(shared.id)).toEqual({ votes: [] });
    });

    it('nothing of a content is in the database in the clear, and a writer without the key decides nothing', async () => {
      const at = await place();
      const a = await approvalStore({ ...at, groups: { names: { finance: ['ada', 'bob'] }, claim: 'groups' } });
      const told = 'a phrase that nobody may read';
      const schema = {
        type: 'object',
        properties: { note: { type: 'string', title: told } },
      };
      const ask = payment({ message: told, details: told, schema, call: { ...payment().call, arguments: { told } } });
      await a.approvals.ask(ask);
      await reply(a, 'ada', ask.id, { action: 'accept', content: { note: told } } as never);
      for (const table of ['record', 'questions', 'contents', 'approvals', 'votes', 'groups', 'people'])
        expect(JSON.stringify(await at.sql(`select * from inbox_${table}`))).not.toContain(told);

      // The vote of one as that of another.
      const votes = `select approval, '${idOf('bob')}', line + 1, vote from inbox_votes`;
      await at.sql(`insert into inbox_votes (approval, principal, line, vote) ${votes}`);
      await expect(a.approvals.look(ask.id)).rejects.toMatchObject({ code: 'store/corrupt' });
      await at.sql(`delete from inbox_votes where principal = '${idOf('bob')}'`);
      // The question of one as that of another.
      await at.sql(`update inbox_questions set principal = '${idOf('mallory')}' where principal = '${idOf('bob')}'`);
      expect(await openOf(a, 'mallory')).toEqual([]);
      const [[stolen]] = (await at.sql(`select id from inbox_questions where principal = '${idOf('mallory')}'`)) as [
        [string],
      ];
      await expect(answer(a, 'mallory', stolen, yes)).rejects.toMatchObject({ code: 'store/corrupt' });
      // What one was asked as what another is asked.
      const other = payment({ from: approvers('finance') });
      await a.approvals.ask(other);
      await at.sql(
        `update inbox_approvals set asked = (select asked from inbox_approvals where id = '${other.id}') where id = '${ask.id}'`,
      );
      expect((await endedOf(a, 'ada')).map(({ question }) => question.call!.id)).not.toContain(ask.id);
      // Membership by hand.
      await signIn(a, 'eve', ['ops']);
      await at.sql(`update inbox_groups set name = 'finance'`);
      await at.sql(`delete from inbox_approvals where id = '${ask.id}'`);
      await signIn(a, 'eve');
      expect(await openOf(a, 'eve')).toEqual([]);
      expect(await a.approvals.whyNot(payment({ from: approvers('finance', { count: 3 }) }))).toContain('2 members');
    });

    it('a question that cannot be read is left out of lists, the operator is told once, and the rest is shown', async () => {
      const at = await place();
      const told: unknown[] = [];
      const a = await approvalStore({ ...at, groups: finance, onError: error => void told.push(error) });
      await signIn(a, 'mel');
      const [asked, voted, ended, good] = [payment(), payment(), payment(), payment()];
      for (const ask of [asked, voted, ended, good]) await a.approvals.ask(ask);
      for (const ask of [voted, ended, good]) await reply(a, 'ada', ask.id);
      await reply(a, 'bob', ended.id);
      const idsOf = (list: readonly OpenQuestion[]): readonly unknown[] =>
        list.map(({ question }) => question.call!.id).toSorted();
      // What was asked; a vote; an outcome; the name of the requester.
      await at.sql(`update inbox_approvals set asked = 'x' where id = '${asked.id}'`);
      await at.sql(`update inbox_votes set vote = 'x' where approval = '${voted.id}'`);
      await at.sql(`update inbox_approvals set outcome = 'x' where id = '${ended.id}'`);
      await at.sql(`update inbox_people set name = 'x' where principal = '${idOf('mel')}'`);
      for (let times = 0; times < 2; times++) {
        expect(idsOf(await openOf(a, 'bob'))).toEqual([good.id]);
        expect((await endedOf(a, 'ada')).map(({ question }) => question.call!.id)).toEqual([good.id]);
      }
      expect((await openOf(a, 'bob'))[0]!.approval!.requester).toBe(idOf('mel'));
      await expect(questionTo(a, 'bob', asked.id)).rejects.toMatchObject({ code: 'store/corrupt' });
      expect((await a.people.list()).find(({ principal }) => principal === idOf('mel'))).not.toHaveProperty('name');
      // Of Bob, two are open and unreadable; of Ada, two have ended.
      expect(told).toHaveLength(4);
      for (const error of told) expect(error).toMatchObject({ code: 'store/corrupt' });
    });

    it('a writer into the database without the key moves a question to no other group, and makes it nobody else’s', async () => {
      const at = await place();
      const groups = { names: { finance: ['ada'], lunch: ['eve'] } };
      const a = await approvalStore({ ...at, groups });
      const ask = payment({ from: approvers('finance') });
      await a.approvals.ask(ask);
      await at.sql(`update inbox_approvals set group_name = 'lunch', by_claim = 1, requester = '${idOf('zoe')}'`);
      await signIn(a, 'eve');
      expect(await openOf(a, 'eve')).toEqual([]);
      expect((await openOf(a, 'ada'))[0]!.approval!.requester).toBe(idOf('mel'));
      const b = await approvalStore({ ...at, groups });
      expect(await openOf(b, 'eve')).toEqual([]);
      expect(await openOf(b, 'ada')).toHaveLength(1);
      // Inboxes with other people in a group of this name.
      await at.sql(`update inbox_approvals set group_name = 'finance', home = 'https://other.example/'`);
      const others = { groups: { names: { finance: ['eve'] } }, home: 'https://other.example/' };
      const c = await approvalStore({ ...at, ...others });
      expect(await openOf(c, 'eve')).toEqual([]);
      await expect(reply(c, 'ada', ask.id)).rejects.toMatchObject({ code: 'store/corrupt' });
    });

    it('a question that cannot be read holds up no other, no sign-in and no removal, and ends when its time comes', async () => {
      const at = await place();
      const a = await approvalStore({ ...at, groups: finance });
      const [bad, worse] = [payment(), payment()];
      for (const ask of [bad, worse]) await a.approvals.ask(ask);
      await at.sql(`update inbox_approvals set asked = 'x'`);
      await at.sql(`update inbox_approvals set due_at = 1 where id = '${bad.id}'`);
      const good = payment();
      await a.approvals.ask(good);
      expect(await a.approvals.look(bad.id)).toMatchObject({ outcome: { action: 'cancel', reason: 'timeout' } });
      await signIn(a, 'ada');
      expect(await openOf(a, 'zoe')).toEqual([]);
      expect(await a.people.remove(idOf('ada'))).toBe(true);
      expect(await a.approvals.look(worse.id)).toMatchObject({ outcome: { action: 'cancel' } });
      expect(await a.approvals.look(good.id)).toEqual({ votes: [] });
    });

    it('a call that rules of a bridge ask about is shown as such, in the words of the operator, and as no question of its server', async () => {
      const a = await approvalStore({ ...(await place()), groups: finance });
      const { message: _, schema: __, ...asked } = payment();
      await a.approvals.ask({ ...asked, why: 'rule 1 says ask', labels: { to: 'Payee' } }, { isOwn: true });
      const [{ question }] = (await openOf(a, 'ada')) as [OpenQuestion];
      expect(question).toMatchObject({
        ...{ kind: 'call', why: 'rule 1 says ask', labels: { to: 'Payee' }, openUntil: asked.dueAt },
        call: { kind: 'tool', name: 'pay', arguments: { to: 'Acme' }, principal: idOf('mel') },
      });
      expect(question).not.toHaveProperty('message');
      // A yes says nothing else: nothing lets later calls pass.
      const more = { action: 'accept', content: { grant: { scope: 'tool', end: 'day' } } } as const;
      expect(await reply(a, 'ada', asked.id, more)).toEqual({ ok: true });
      expect(await reply(a, 'bob', asked.id, { action: 'accept' })).toEqual({ ok: true });
      expect((await a.approvals.look(asked.id))!.outcome).toEqual({ action: 'accept', content: {} });
      const kinds = (await recorded(a)).filter(({ question: id }) => id !== undefined).map(({ kind }) => kind);
      expect(new Set(kinds)).toEqual(new Set(['call']));
      expect(await endedOf(a, 'bob')).toMatchObject([{ ending: { how: 'answered', content: {} } }]);
    });

    it('a question asked from one address follows the groups of that address, and those of another change nothing', async () => {
      const at = await place();
      const a = await approvalStore({ ...at, groups: { names: { finance: ['ada', 'bob'] } } });
      const ask = payment({ from: approvers('finance') });
      await a.approvals.ask(ask);
      await a.stop();
      const groups = { names: { finance: ['bob', 'eve'] } };
      const elsewhere = await approvalStore({ ...at, groups, home: 'https://new.example/' });
      for (const who of ['ada', 'eve']) await signIn(elsewhere, who);
      const askedOf = async (...all: readonly string[]): Promise<readonly string[]> => {
        const open = await Promise.all(all.map(async who => (await openOf(elsewhere, who)).length > 0));
        return all.filter((_, n) => open[n]);
      };
      expect(await askedOf('ada', 'bob', 'eve')).toEqual(['ada', 'bob']);
      // With the new groups at the old address, it follows.
      await (await approvalStore({ ...at, groups })).stop();
      expect(await askedOf('ada', 'bob', 'eve')).toEqual(['bob', 'eve']);
      // So it does, wherever, when a person is removed.
      await elsewhere.people.remove(idOf('bob'));
      expect(await askedOf('bob', 'eve')).toEqual(['eve']);
    });

    it('a vote after the process that asked is gone starts nothing: the question is withdrawn, and the vote is late', async () => {
      const at = await place();
      const [gone, clock] = [manualClock(), manualClock()];
      const dead = await approvalStore({ ...at, groups: finance, clock: gone });
      const other = await approvalStore({ ...at, groups: finance, clock });
      const ask = payment();
      await dead.approvals.ask(ask, { isOwn: true });
      const [adas, bobs] = await Promise.all(['ada', 'bob'].map(who => questionTo(other, who, ask.id)));
      // Nobody knows yet that it is gone.
      expect(await answer(other, 'ada', adas!.question.id, yes)).toEqual({ ok: true });
      await eventually(async () => {
        clock.advance(3_000);
        return (await other.approvals.look(ask.id))?.outcome !== undefined;
      });
      const withdrawn = { ok: false, problem: 'ended', ending: { how: 'withdrawn' } };
      expect(await answer(other, 'bob', bobs!.question.id, yes)).toEqual(withdrawn);
      expect(await other.approvals.look(ask.id)).toMatchObject({
        ...{ votes: [{ subject: 'ada' }], outcome: { action: 'cancel', reason: 'unavailable' } },
      });
      // Nor does it for the one that asked, should it come back.
      expect(await dead.approvals.look(ask.id)).toMatchObject({ outcome: { action: 'cancel' } });
    });

    it('inboxes that could not be opened do nothing any more', async () => {
      const at = await place();
      const a = await approvalStore({ ...at, groups: finance });
      await a.approvals.ask(payment());
      await a.stop();
      await at.sql('alter table inbox_votes rename to inbox_votes_elsewhere');
      const clock = manualClock();
      await expect(approvalStore({ ...at, groups: finance, clock })).rejects.toMatchObject({
        code: 'store/unavailable',
      });
      expect(clock.waiting()).toEqual([]);
    });

    it('what others are asked is not withdrawn because another question was refused at the same time', async () => {
      const at = await place();
      const clock = manualClock();
      const a = await approvalStore({ ...at, groups: finance, clock });
      await a.people.remove(idOf('cleo'));
      const owner = { reply: async () => ({ ok: true }) as const, end() {} };
      const ask = payment();
      // They are the first of their process, and after the failure of one it is not known whether the database has the process.
      const refused = a.ask({ principal: idOf('cleo'), question: question(), owner });
      const asked = a.approvals.ask(ask, { isOwn: true });
      await expect(refused).rejects.toMatchObject({ code: 'host/refused' });
      await asked;
      const beats = `select beat from inbox_bridges join inbox_approvals on inbox_approvals.bridge = inbox_bridges.id`;
      await eventually(async () => {
        clock.advance(3_000);
        const [[beat] = []] = await at.sql(beats);
        return Number(beat) > 6 || (await a.approvals.look(ask.id))?.outcome !== undefined;
      });
      expect(await a.approvals.look(ask.id)).toEqual({ votes: [] });
    });

    it('a person who has left the group is not told what the others do', async () => {
      const a = await approvalStore({ ...(await place()), groups: { claim: 'groups' } });
      for (const who of ['ada', 'bob', 'eve']) await signIn(a, who, ['finance']);
      const ask = payment();
      await a.approvals.ask(ask);
      await signIn(a, 'eve', []);
      for (const who of ['ada', 'bob']) await reply(a, who, ask.id);
      const shown = await questionTo(a, 'eve', ask.id);
      expect(shown).toMatchObject({ ending: { how: 'refused-by-policy' }, approval: { votes: [] } });
      expect(shown.approval).not.toHaveProperty('outcome');
      expect((await questionTo(a, 'bob', ask.id)).approval).toMatchObject({ outcome: 'accepted' });
    });

    it('a question with more than people can read is not asked', async () => {
      const a = await approvalStore({ ...(await place()), groups: finance });
      const ask = (length: number) => payment({ call: { ...payment().call, arguments: { note: 'x'.repeat(length) } } });
      await a.approvals.ask(ask(200_000));
      await expect(a.approvals.ask(ask(262_144))).rejects.toMatchObject({
        code: 'ask/unavailable',
        message: expect.stringContaining('at most 262144'),
      });
      expect(await openOf(a, 'ada')).toHaveLength(1);
    });

    it('a line of the record in which an approval or an assurance was changed is found', async () => {
      const at = await place();
      const a = await approvalStore({ ...at, groups: finance });
      const ask = payment({ from: approvers('finance') });
      await a.approvals.ask(ask);
      await reply(a, 'ada', ask.id);
      const lines = await recorded(a);
      const { line } = lines.find(({ assurance }) => assurance !== undefined)!;
      for (const [set, mend] of [
        [`assurance = 'present'`, `assurance = 'verified'`],
        [`approval = 'another'`, `approval = '${ask.id}'`],
        ['assurance = null, approval = null', `assurance = 'verified', approval = '${ask.id}'`],
      ]) {
        await at.sql(`update inbox_record set ${set} where line = ${line}`);
        expect(await a.record.verify()).toEqual({ ok: false, at: line });
        await at.sql(`update inbox_record set ${mend} where line = ${line}`);
        expect(await a.record.verify()).toEqual({ ok: true, lines: lines.length });
      }
    });

    it('a requester has at most a hundred questions open, and others are not held up by that', async () => {
      const clock = manualClock();
      const a = await approvalStore({ ...(await place()), groups: { names: { finance: ['ada'] } }, clock });
      const one = (): ApprovalAsk => payment({ from: approvers('finance'), dueAt: clock.now() + day });
      const asks = Array.from({ length: 100 }, one);
      for (const ask of asks) await a.approvals.ask(ask);
      await expect(a.approvals.ask(one())).rejects.toMatchObject({
        code: 'ask/unavailable',
        message: expect.stringContaining('100 questions of this requester'),
      });
      await a.approvals.ask(asks[0]!);
      await a.approvals.ask({ ...one(), requester: { issuer, subject: 'zoe' } });
      await a.approvals.ask({ ...one(), requester: undefined });
      await a.approvals.withdraw(asks[0]!.id);
      await a.approvals.ask(one());
      // Those whose time is up do not count, whether or not anybody has looked.
      clock.advance(day);
      await a.approvals.ask(one());
    });

    it('a requester has five thousand people asked within a minute at most, and others are not held up by that', async () => {
      const names = Array.from({ length: 1_000 }, (_, n) => `p${n}`);
      const clock = manualClock();
      const groups = { names: { finance: names, legal: ['ada'] } };
      const a = await approvalStore({ ...(await place()), groups, clock });
      const one = (change: Partial<ApprovalAsk> = {}): ApprovalAsk =>
        payment({ from: approvers('finance'), ...change });
      for (let n = 0; n < 4; n += 1) await a.approvals.ask(one());
      const last = one();
      await a.approvals.ask(last);
      // That it has ended makes room for no other.
      await a.approvals.withdraw(last.id);
      const refused = {
        code: 'ask/unavailable',
        message:
          'At most 5000 people may be asked for this requester within a minute, and they would be more. Wait a minute, or ask fewer.',
      };
      const from = approvers('legal');
      for (const ask of [one(), one({ from })]) await expect(a.approvals.ask(ask)).rejects.toMatchObject(refused);
      await a.approvals.ask(one({ from, requester: { issuer, subject: 'zoe' } }));
      await a.approvals.ask(one({ from, requester: undefined }));
      clock.advance(59_000);
      await expect(a.approvals.ask(one())).rejects.toMatchObject(refused);
      clock.advance(1_000);
      await a.approvals.ask(one({ from }));
    });

    it('others wait for a single question of a requester, however many are withdrawn or have timed out', async () => {
      const clock = manualClock();
      const a = await approvalStore({ ...(await place()), groups: { names: { finance: ['ada'] } }, clock });
      const asked = async (subject: string): Promise<string> => {
        const ask = payment({
          from: approvers('finance'),
          requester: { issuer, subject },
          dueAt: clock.now() + minute,
        });
        await a.approvals.ask(ask);
        return ask.id;
      };
      for (const end of ['withdraw', 'look'] as const) {
        const many = await Promise.all(Array.from({ length: 20 }, () => asked('mel')));
        const zoes = await asked('zoe');
        if (end === 'look') clock.advance(minute);
        const over: string[] = [];
        await Promise.all([...many, zoes].map(id => a.approvals[end](id).then(() => over.push(id))));
        expect(over).toHaveLength(21);
        expect(over.indexOf(zoes)).toBeLessThan(20);
      }
    });

    it('a person who lists their questions waits for the end of those alone that they were asked', async () => {
      const clock = manualClock();
      const at = await place();
      const a = await approvalStore({ ...at, groups: { names: { finance: ['ada'], legal: ['bob'] } }, clock });
      const dueAt = clock.now() + minute;
      await a.approvals.ask(payment({ from: approvers('finance'), dueAt }));
      await a.approvals.ask(payment({ from: approvers('legal'), dueAt }));
      clock.advance(minute);
      const open = 'select count(*) from inbox_approvals where ended_at is null';
      expect(await openOf(a, 'zoe')).toEqual([]);
      expect(await at.sql(open)).toEqual([['2']]);
      expect(await openOf(a, 'bob')).toEqual([]);
      expect(await at.sql(open)).toEqual([['1']]);
    });

    it('a question that could not be withdrawn is withdrawn once the database can be used again', async () => {
      const clock = manualClock();
      const at = await place();
      const errors: unknown[] = [];
      const onError = (error: unknown): void => void errors.push(error);
      const a = await approvalStore({ ...at, groups: finance, clock, onError });
      const ask = payment();
      await a.approvals.ask(ask);
      await at.sql('alter table inbox_approvals rename to gone');
      for (let n = 0; n < 3; n += 1)
        await expect(a.approvals.withdraw(ask.id)).rejects.toMatchObject({ code: 'store/unavailable' });
      // Tried again, once for all of these.
      const waiting = (): number => clock.waiting().filter(left => left === 1_000).length;
      await eventually(() => waiting() === 1);
      clock.advance(1_000);
      await eventually(() => waiting() === 1);
      expect(errors).toMatchObject([{ code: 'store/unavailable' }]);
      await at.sql('alter table gone rename to inbox_approvals');
      expect(await openOf(a, 'ada')).toHaveLength(1);
      clock.advance(1_000);
      await eventually(async () => (await a.approvals.look(ask.id))?.outcome !== undefined);
      expect(await a.approvals.look(ask.id)).toMatchObject({ outcome: { action: 'cancel', reason: 'unavailable' } });
      expect(await openOf(a, 'ada')).toEqual([]);
    });

    it('a question to a thousand people ends for all of them', async () => {
      const names = Array.from({ length: 1_000 }, (_, n) => `p${n}`);
      const a = await approvalStore({ ...(await place()), groups: { names: { finance: names } } });
      const ask = payment();
      await a.approvals.ask(ask);
      for (const who of ['p0', 'p999']) await reply(a, who, ask.id);
      expect(await a.approvals.look(ask.id)).toMatchObject({ outcome: { action: 'accept' } });
      expect(await openOf(a, 'p500')).toEqual([]);
      expect(await a.record.verify()).toEqual({ ok: true, lines: 2_002 });
    });

    it('a question is gone with its votes thirty days after its end, and the record stays', async () => {
      const clock = manualClock();
      const at = await place();
      const a = await approvalStore({ ...at, groups: finance, clock });
      const now = { askedAt: clock.now(), dueAt: clock.now() + 60 * day };
      const [ask, open] = [payment({ ...now, from: approvers('finance') }), payment(now)];
      for (const each of [ask, open]) await a.approvals.ask(each);
      await reply(a, 'ada', ask.id);
      await reply(a, 'ada', open.id);
      const pass = async (ms: number): Promise<void> => {
        await eventually(() => clock.waiting().some(left => left > 10_000));
        clock.advance(ms);
      };
      // The end of one question is a day later than the others, as clocks may have it.
      await at.sql(
        `update inbox_questions set ended_at = ended_at + ${day} where approval = '${ask.id}' and principal = '${idOf('eve')}'`,
      );
      await pass(30 * day);
      while ((await endedOf(a, 'ada')).some(({ approval }) => approval!.outcome)) await pass(hour);
      expect(await endedOf(a, 'eve')).toMatchObject([{ approval: { outcome: 'accepted' } }]);
      await pass(day);
      while ((await at.sql('select id from inbox_approvals')).length > 1) await pass(hour);
      expect(await a.approvals.look(ask.id)).toBeUndefined();
      expect(await at.sql('select count(*) from inbox_votes')).toEqual([['1']]);
      // A vote outlives the question that it answered.
      expect((await a.approvals.look(open.id))!.votes).toMatchObject([{ subject: 'ada' }]);
      expect(await openOf(a, 'ada')).toEqual([]);
      expect(await openOf(a, 'bob')).toHaveLength(1);
      await signIn(a, 'ada');
      expect(await openOf(a, 'ada')).toEqual([]);
      expect(await a.record.verify()).toMatchObject({ ok: true });
    });
  });
}
