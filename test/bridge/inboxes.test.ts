/** Whom a bridge over HTTP asks in an inbox, what it tells the model then, and what it gives the inbox. */
import { type Clock, systemClock } from '@midcall/core/time';
import { Inbox, Rules, type ServerEntry } from '@midcall/host';
import type { InboxService } from '@midcall/inbox';
import type { ApprovalAsk, ApprovalInbox, Principal } from '@midcall/server';
import { testInbox } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import type { Asked, InboxStore } from '../../packages/inbox/src/store/index.ts';
import { tokenGuard } from '../../packages/midcall/src/bridge/http/callers.ts';
import { PrincipalInbox } from '../../packages/midcall/src/bridge/inbox/principal-inbox.ts';
import { handClock } from '../host/clock.ts';
import { connectHost, hosts, httpStage } from './http-stage.ts';
import { textOf } from './stage.ts';
import { ring, ringing, until, untilArmed } from './until.ts';

const alan = 'Wn4-token-of-alan-in-front-of-an-inbox-Vt83';
const ada = 'Zr8-token-of-ada-in-front-of-an-inbox-Kx52';
const guard = tokenGuard([
  { token: ada, principal: 'ada', desk: true },
  { token: alan, principal: 'alan', desk: false },
]);

/** The part of a store that a bridge uses, in memory. */
function storeInMemory() {
  const asked: Asked[] = [];
  const ended: { readonly id: string; readonly how: string }[] = [];
  const store = {
    ask: async (one: Asked) => {
      asked.push(one);
      ring();
    },
    ended: async (id: string, { how }: { readonly how: string }) => {
      ended.push({ id, how });
      ring();
    },
    tellWait: async () => {},
  } as unknown as InboxStore;
  return { store, asked, ended };
}

const unused = {} as ApprovalInbox;

/** A bridge whose principals have inboxes. */
async function inboxStage(
  given: {
    readonly isWatched?: boolean;
    readonly shared?: boolean;
    readonly store?: InboxStore;
    readonly approvals?: ApprovalInbox;
    readonly rules?: Rules;
    readonly holdMs?: number;
    readonly clock?: Clock;
  } = {},
) {
  const memory = storeInMemory();
  const store = given.store ?? memory.store;
  const made: string[] = [];
  const stage = await httpStage({
    upstream: '2025-11-25',
    serve: (mid, server) => {
      mid.tool(server, 'act', {}, async (_, call) => {
        const { action } = await call.elicit({ message: 'Sure?', form: Boolean });
        return { content: [{ type: 'text', text: action }] };
      });
    },
    entries: (entry: ServerEntry) => [{ path: '/mcp', entry: { ...entry, shared: given.shared ?? false }, guard }],
    options: {
      ...(given.rules && { rules: given.rules }),
      ...(given.holdMs !== undefined && { holdMs: given.holdMs }),
      makeInbox: (principal: string, questions: Inbox) => {
        made.push(principal);
        return new PrincipalInbox({
          inbox: {
            ...(given.approvals ?? unused),
            store,
            link: id => `https://bridge.example/inbox?question=${id}`,
            isWatched: () => given.isWatched === true,
          },
          principal,
          questions,
          clock: given.clock ?? systemClock,
          warn: message => void stage.warned.push(message),
        });
      },
    },
  });
  return { ...memory, ...stage, made, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() };
}

describe.each(hosts)('a host of %s that shows nothing', kind => {
  it('the host is told where its person answers, and gets the result when it calls again', async () => {
    await using on = await inboxStage();
    const host = await connectHost(kind, on.url, { token: alan });
    const told = textOf(await host.call('act'));
    const [{ principal, question, owner, host: asksFor }] = on.asked as [Asked];
    // For the record.
    expect(asksFor).toMatch(/^host-[12]$/);
    expect(told).toContain(`They answer in their inbox, at https://bridge.example/inbox?question=${question.id}`);
    expect(told).toContain('They have not refused');
    expect(told).not.toContain('desk');
    expect([principal, question.kind]).toEqual(['alan (midcall-bridge)', 'form']);
    // Where the server runs is nothing that somebody on another machine is told.
    expect(question.asker.origin).toMatch(/^(http:\/\/127\.0\.0\.1:\d+)?$/);
    expect(await owner.reply({ action: 'accept', content: { value: true } }, 'inbox')).toEqual({ ok: true });
    expect(textOf(await host.call('act'))).toBe('accept');
    expect(on.ended).toEqual([{ id: question.id, how: 'answered' }]);
    expect(on.asked).toHaveLength(1);
    await host.close();
  });

  it('the host waits, if its person looks at the inbox', async () => {
    await using on = await inboxStage({ isWatched: true });
    const host = await connectHost(kind, on.url, { token: alan });
    const result = host.call('act');
    await until(() => on.asked.length === 1);
    await on.asked[0]!.owner.reply({ action: 'decline' }, 'inbox');
    expect(textOf(await result)).toBe('decline');
    await host.close();
  });
});

describe.each(hosts)('a call of %s that others have to agree to', kind => {
  const group = { server: '*', tools: '*', effect: 'ask', from: 'finance', count: 2, not: 'requester' } as const;
  const labels = { id: 'Number' };
  /** Alan is the requester, and one of the group. */
  const finance = ['ben', 'cleo', 'dan', 'alan'].map(subject => ({ issuer: 'midcall-bridge', subject }));
  const [ben, cleo, dan] = finance as [Principal, Principal, Principal];
  const agree = { action: 'accept', content: {} } as const;

  async function heldStage(holdMs?: number) {
    const inbox = testInbox({ groups: { finance } });
    const how: unknown[] = [];
    const ask: InboxService['ask'] = (asked, options) => {
      how.push(options);
      return inbox.ask(asked as ApprovalAsk);
    };
    const clock = handClock();
    /** Whether the inbox can be read. */
    const database = { works: true };
    const look: ApprovalInbox['look'] = async id => {
      if (database.works) return inbox.look(id);
      ring();
      throw new Error('The database is gone.');
    };
    const approvals = { ...inbox, ask, look, how };
    const rules = new Rules({ rules: [{ ...group, labels }], approvers: true });
    const on = await inboxStage({
      approvals,
      clock: ringing(clock),
      ...{ rules, ...(holdMs !== undefined && { holdMs }) },
    });
    const host = await connectHost(kind, on.url, { token: alan });
    return { ...on, approvals, host, clock, database };
  }

  it('the call is made once after their yes, and the model is told whom it waits for until then', async () => {
    await using on = await heldStage(1);
    const told = textOf(await on.host.call('act', { id: 7 }));
    const asked = await on.approvals.whenAsked(1);
    expect(told).toMatch(/^Not done\. 'act' waits for the yes of 2 of finance in their inboxes \(/);
    expect(asked).toMatchObject({
      from: { group: 'finance', count: 2, not: 'requester' },
      requester: { issuer: 'midcall-bridge', subject: 'alan' },
      call: { method: 'tools/call', name: 'act', arguments: { id: 7 } },
      assurance: 'verified',
      why: 'rule 1 says ask',
      labels,
    });
    // The call waits in this process: if it is gone, the question is withdrawn, and a late vote starts nothing.
    expect(on.approvals.how).toEqual([{ isOwn: true }]);
    // Nothing says that the server asks.
    expect(asked).not.toHaveProperty('message');
    on.approvals.vote(asked.id, ben, agree);
    on.approvals.vote(asked.id, cleo, agree);
    const again = on.host.call('act', { id: 7 });
    // The call is made, and its server asks its own question.
    await until(() => on.asked.length === 1);
    await on.asked[0]!.owner.reply({ action: 'decline' }, 'inbox');
    textOf(await again);
    expect(on.approvals.asked).toHaveLength(1);
    await on.host.close();
  });

  it('the call is made when their yes can be read again, though nobody tells of it any more', async () => {
    await using on = await heldStage();
    const result = on.host.call('act', { id: 7 });
    const { id } = await on.approvals.whenAsked(1);
    on.database.works = false;
    on.approvals.vote(id, ben, agree);
    on.approvals.vote(id, cleo, agree);
    // Ever less often.
    for (const ms of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      await untilArmed(on.clock, ms);
      on.clock.move(ms);
    }
    await untilArmed(on.clock, 30_000);
    const unread = on.warned.filter(each => each.includes('could not be read: The database is gone.'));
    expect(unread).toHaveLength(1);
    expect(on.asked).toEqual([]);
    on.database.works = true;
    on.clock.move(30_000);
    await until(() => on.asked.length === 1);
    await on.asked[0]!.owner.reply({ action: 'decline' }, 'inbox');
    textOf(await result);
    expect(on.clock.left).toEqual([]);
    await on.host.close();
  });

  it('the call is not made if they do not agree', async () => {
    await using on = await heldStage();
    const result = on.host.call('act', { id: 7 });
    const { id } = await on.approvals.whenAsked(1);
    on.approvals.vote(id, ben, agree);
    on.approvals.vote(id, cleo, { action: 'decline' });
    on.approvals.vote(id, dan, { action: 'decline' });
    expect(textOf(await result)).toContain('Not done. Those who have to agree to it did not.');
    expect(on.asked).toEqual([]);
    await on.host.close();
  });

  it('the call is not made if too few could agree, and the operator is told why', async () => {
    const rules = new Rules({ rules: [{ ...group, count: 4 }], approvers: true });
    await using on = await inboxStage({ approvals: testInbox({ groups: { finance } }), rules });
    const host = await connectHost(kind, on.url, { token: alan });
    expect(textOf(await host.call('act'))).toContain(
      'Those who have to agree to it could not be asked, or can no longer answer.',
    );
    expect(on.warned.join()).toContain("'act' was not called: ");
    await host.close();
  });
});

describe('an inbox', () => {
  it('an inbox that cannot be read is not looked at any more for a call whose time is up, which ends as that', async () => {
    const clock = handClock();
    const questions = new Inbox({ onError() {} });
    const withdrawn: string[] = [];
    const looks: { readonly fail: () => void }[] = [];
    const approvals: ApprovalInbox = {
      whyNot: async () => undefined,
      ask: async () => ({ url: 'https://bridge.example/inbox' }),
      look: () =>
        new Promise((_, reject) => {
          looks.push({ fail: () => reject(new Error('The database is gone.')) });
          ring();
        }),
      withdraw: async id => void withdrawn.push(id),
      listen: () => () => {},
    };
    const inbox = { ...approvals, store: storeInMemory().store, link: () => '', isWatched: () => false };
    const warned: string[] = [];
    const own = new PrincipalInbox({
      ...{ inbox, questions, clock: ringing(clock), principal: 'alan (midcall-bridge)' },
      warn: message => void warned.push(message),
    });
    const question = {
      ...{
        kind: 'call',
        id: 'q1',
        asker: { id: 's', name: 'S', origin: '', era: '2026' },
        askedAt: 0,
        openUntil: 60_000,
      },
      ...{ call: { id: 'c1', kind: 'tool', name: 'act', arguments: {} }, why: 'rule 1 says ask', alike: '' },
      approval: { from: { group: 'finance', count: 1 }, assurance: 'verified' },
    } as const;
    const ending = questions.ask(question as never);
    expect(await own.show(question as never, {} as never)).toMatchObject({ seen: true });
    await until(() => looks.length === 1);
    looks[0]!.fail();
    await untilArmed(clock, 1_000);
    clock.move(1_000);
    await until(() => looks.length === 2);
    looks[1]!.fail();
    await untilArmed(clock, 2_000);
    // It ends while it waits to look, and in another one while it looks.
    questions.end('q1', { how: 'timed-out' });
    expect([await ending, clock.left, withdrawn]).toEqual([{ how: 'timed-out' }, [], ['q1']]);
    const another = { ...question, id: 'q2' };
    void questions.ask(another as never);
    await own.show(another as never, {} as never);
    await until(() => looks.length === 3);
    questions.end('q2', { how: 'timed-out' });
    looks[2]!.fail();
    await new Promise(resolve => setImmediate(resolve));
    expect([clock.left, withdrawn]).toEqual([[], ['q1', 'q2']]);
    await own.close();
  });

  it('an inbox is for people who have no desk, and not for a server that several share', async () => {
    await using on = await inboxStage();
    const host = await connectHost('SDK 2, 2026-07-28', on.url, { token: ada });
    expect(textOf(await host.call('act'))).toContain('cancel');
    expect(on.made).toEqual([]);
    await host.close();

    await using shared = await inboxStage({ shared: true });
    const other = await connectHost('SDK 2, 2026-07-28', shared.url, { token: alan });
    expect(textOf(await other.call('act'))).toContain('cancel');
    expect([shared.made, shared.asked]).toEqual([[], []]);
    await other.close();
  });

  it('an inbox that cannot store a question is no way to answer it: the question ends, and the operator is told', async () => {
    const failing = {
      ask: async () => {
        throw new Error('The disk is full.');
      },
      ended: async () => {},
      tellWait: async () => {},
    } as unknown as InboxStore;
    await using on = await inboxStage({ store: failing });
    const host = await connectHost('SDK 2, 2025-11-25', on.url, { token: alan });
    const said = textOf(await host.call('act'));
    expect(said).toContain('cancel');
    expect(said).not.toContain('They answer in their inbox');
    expect(on.warned.join()).toContain('could not be put into an inbox: The disk is full.');
    await host.close();
  });
});
