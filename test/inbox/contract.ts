/** What must hold of a stored inbox, wherever it is stored. */
import type { Reply } from '@midcall/host';
import { afterEach, describe, expect, it } from 'vitest';
import type { RecordLine } from '../../packages/inbox/src/store/index.ts';
import { eventually, grown } from '../fixtures/grown.ts';
import { type Bridge, bridge, endedThere, key, manualClock, question, stopAll, yes } from './stage.ts';

/** A database of a test, with ways around the store. */
export interface Place {
  readonly where: string;
  /** Runs a statement. @returns its rows, each a list of texts */
  sql(statement: string): Promise<readonly (readonly string[])[]>;
  /** The plan of a query, in the database's own words. */
  plan(query: string): Promise<string>;
}

const day = 24 * 60 * 60 * 1_000;

async function lines(at: Bridge, filter?: Parameters<Bridge['store']['record']['search']>[0]): Promise<RecordLine[]> {
  const found: RecordLine[] = [];
  for await (const line of at.store.record.search(filter)) found.push(line);
  return found;
}

/** @param place - makes an empty database */
export function inboxContract(name: string, place: () => Promise<Place>): void {
  describe(`the inbox in ${name}`, () => {
    afterEach(stopAll);

    it('a question is in the inbox of its person until they answer it there, and then among those that have ended', async () => {
      const a = await bridge(await place());
      const ada = a.store.person('ada');
      const asked = await a.ask('ada', question('Delete the note?'), { host: 'A host' });
      expect(await ada.open(0, 50)).toEqual({ questions: [{ question: asked.question }], count: 1 });
      expect(await ada.get(asked.id)).toEqual({ question: asked.question });
      expect(await ada.reply(asked.id, yes)).toEqual({ ok: true });
      const ending = { how: 'answered', via: 'inbox', content: { sure: true } };
      expect(await asked.ending).toEqual(ending);
      expect(await ada.open(0, 50)).toEqual({ questions: [], count: 0 });
      expect(await ada.ended(0, 50)).toMatchObject({ questions: [{ question: asked.question, ending }], count: 1 });
      expect(await lines(a)).toMatchObject([
        {
          line: 1,
          event: 'asked',
          principal: 'ada',
          question: asked.id,
          server: 'notes',
          host: 'A host',
          kind: 'form',
        },
        {
          line: 2,
          event: 'ended',
          principal: 'ada',
          question: asked.id,
          server: 'notes',
          how: 'answered',
          via: 'inbox',
        },
      ]);
    });

    it('a question about a call that others have to agree to is stored like any other', async () => {
      const a = await bridge(await place());
      const approval = { assurance: 'verified' };
      const asked = await a.ask('ada', question('Call it?', { approval } as never));
      expect((await a.store.person('ada').open(0, 50)).questions).toEqual([{ question: asked.question }]);
    });

    it('another person finds a question neither in a list nor by its id, and a reply of theirs does nothing', async () => {
      const a = await bridge(await place());
      const [mallory, asked] = [a.store.person('mallory'), await a.ask('ada')];
      expect(await mallory.open(0, 50)).toEqual({ questions: [], count: 0 });
      expect(await mallory.get(asked.id)).toBeUndefined();
      expect(await mallory.reply(asked.id, yes)).toEqual({ ok: false, problem: 'unknown' });
      expect(a.inbox.get(asked.id)).toBeDefined();
      a.inbox.end(asked.id, { how: 'withdrawn' });
      await a.written();
      expect(await mallory.ended(0, 50)).toEqual({ questions: [], count: 0 });
      expect(await mallory.get(asked.id)).toBeUndefined();
      expect(await mallory.reply(asked.id, yes)).toEqual({ ok: false, problem: 'unknown' });
    });

    it('a question whose row is given to another person is not shown to them', async () => {
      const at = await place();
      const a = await bridge(at);
      const { id } = await a.ask('ada', question('The secret of Ada'));
      await at.sql(`update inbox_questions set principal = 'mallory' where id = '${id}'`);
      expect((await a.store.person('mallory').open(0, 50)).questions).toEqual([]);
      await expect(a.store.person('mallory').get(id)).rejects.toMatchObject({ code: 'store/corrupt' });
    });

    it('a reply that does not fit leaves the question open, and says why', async () => {
      const a = await bridge(await place());
      const ada = a.store.person('ada');
      const asked = await a.ask('ada');
      expect(await ada.reply(asked.id, { action: 'accept', content: { sure: 'perhaps' } })).toMatchObject({
        ok: false,
        problem: 'invalid',
        issues: [{ field: 'sure' }],
      });
      expect(await ada.open(0, 50)).toMatchObject({ count: 1 });
      expect(await ada.reply(asked.id, { action: 'decline' })).toEqual({ ok: true });
      expect(await asked.ending).toEqual({ how: 'declined', via: 'inbox' });
    });

    it('of replies at two bridges one ends the question, and the others are told how it ended', async () => {
      const at = await place();
      const [a, b] = [await bridge(at), await bridge(at)];
      const asked = await a.ask('ada');
      const replies: Reply[] = [yes, { action: 'decline' }, { action: 'dismiss' }, yes];
      const receipts = await Promise.all(
        replies.map((reply, n) => [a, b][n % 2]!.store.person('ada').reply(asked.id, reply)),
      );
      const ending = await asked.ending;
      expect(receipts.filter(each => each !== 'sent' && each.ok)).toHaveLength(1);
      expect(receipts.filter(each => each !== 'sent' && !each.ok)).toEqual(
        Array(3).fill({ ok: false, problem: 'ended', ending }),
      );
      expect((await lines(b)).map(each => each.event)).toEqual(['asked', 'ended']);
    });

    it('a question that was answered in the host says so in the inbox, also to whoever replies then', async () => {
      const at = await place();
      const [a, b] = [await bridge(at), await bridge(at)];
      const asked = await a.ask('ada');
      await a.inbox.reply(asked.id, yes, 'host');
      await a.written();
      const ending = { how: 'answered', via: 'host', content: { sure: true } };
      expect(await b.store.person('ada').reply(asked.id, { action: 'decline' })).toEqual({
        ok: false,
        problem: 'ended',
        ending,
      });
      expect((await b.store.person('ada').ended(0, 9)).questions).toMatchObject([{ ending }]);
    });

    it('whoever watches is told of questions and ends at another bridge', async () => {
      const at = await place();
      const [a, b] = [await bridge(at), await bridge(at)];
      const told: number[] = [];
      const end = b.store.person('ada').subscribe(() => void told.push(1));
      let asked = await a.ask('ada');
      // What is asked before the other one has begun to watch is no change to it.
      while (told.length === 0) {
        await b.store.person('ada').open(0, 1);
        asked = await a.ask('ada');
        await new Promise(resolve => setImmediate(resolve));
      }
      told.length = 0;
      a.inbox.end(asked.id, { how: 'withdrawn' });
      await grown(told, list => list.length >= 1);
      const session = await a.store.sessions.begin({ principal: 'ada', name: 'Ada' });
      await a.written();
      told.length = 0;
      await a.store.sessions.end(session.at);
      await grown(told, list => list.length >= 1);
      end();
    });

    it('a bridge looks at the database only while a question of its is open, or somebody watches', async () => {
      const clock = manualClock();
      const a = await bridge({ ...(await place()), clock });
      const looks = (): number => clock.waiting().filter(ms => ms <= 1_000).length;
      expect(looks()).toBe(0);
      const asked = await a.ask('ada');
      await eventually(() => looks() === 1);
      a.inbox.end(asked.id, { how: 'withdrawn' });
      await a.written();
      clock.advance(200);
      await a.store.person('ada').open(0, 1);
      await eventually(() => looks() === 0);
      const end = a.store.person('ada').subscribe(() => {});
      expect(looks()).toBe(1);
      end();
      clock.advance(200);
      await eventually(() => looks() === 0);
    });

    it('the state of the host is shown with the question, and goes with it', async () => {
      const a = await bridge(await place());
      const call = { id: 'c1', kind: 'tool', name: 'delete', arguments: {} } as const;
      const wait = { host: 'A host', state: 'waits', until: 5 } as const;
      const asked = await a.ask('ada', question('Delete?', { call }), { wait });
      const ada = a.store.person('ada');
      expect((await ada.open(0, 1)).questions).toEqual([{ question: asked.question, wait }]);
      await a.store.tellWait('c1', { host: 'A host', state: 'left' });
      await a.store.tellWait('another', { host: 'A host', state: 'lost' });
      expect(await ada.get(asked.id)).toMatchObject({ wait: { state: 'left' } });
      const other = await a.ask('ada', question('Delete?', { call: { ...call, id: 'c2' } }), { wait });
      for (const { id } of [asked, other]) a.inbox.end(id, { how: 'withdrawn' });
      await a.written();
      // A host that was told to come back for the result may do so after the end.
      expect(await ada.get(asked.id)).toMatchObject({ ending: { how: 'withdrawn' }, wait: { state: 'left' } });
      expect(await ada.get(other.id)).not.toHaveProperty('wait');
      await a.store.tellWait('c1', { host: 'A host', state: 'waits' });
      await a.store.tellWait('c1', { host: 'A host', state: 'served' });
      expect((await ada.ended(1, 1)).questions).toMatchObject([{ wait: { state: 'served' } }]);
    });

    it('lists are in the order of asking and of ending, whatever clocks say, and come in parts', async () => {
      const clock = manualClock();
      const a = await bridge({ ...(await place()), clock });
      const ids: string[] = [];
      for (const n of [1, 2, 3, 4, 5]) {
        clock.set(Date.UTC(2026, 10, 1) - n * day);
        ids.push((await a.ask('ada', question(`Question ${n}`, { askedAt: clock.now() }))).id);
      }
      const ada = a.store.person('ada');
      const page = await ada.open(1, 3);
      expect(page.count).toBe(5);
      expect(page.questions.map(each => each.question.id)).toEqual(ids.slice(1, 4));
      for (const [n, id] of ids.entries()) {
        clock.set(Date.UTC(2025, 0, 1) - n * day);
        a.inbox.end(id, { how: 'withdrawn' });
      }
      await a.written();
      const ended = (await ada.ended(0, 9)).questions;
      expect(ended.map(each => each.question.id)).toEqual(ids.toReversed());
      for (const each of ended) expect(each.endedAt).toBeGreaterThanOrEqual(each.question.askedAt);
      expect(await a.store.record.verify()).toEqual({ ok: true, lines: 10 });
    });

    it('a clock that is set back reopens no question, and extends no session of before', async () => {
      const clock = manualClock();
      const at = await place();
      const a = await bridge({ ...at, clock });
      const asked = await a.ask('ada');
      a.inbox.end(asked.id, { how: 'timed-out' });
      await a.written();
      const { at: path, cookie } = await a.store.sessions.begin({ principal: 'ada', name: 'Ada' });
      clock.set(clock.now() - 30 * day);
      expect(await a.store.person('ada').reply(asked.id, yes)).toMatchObject({ problem: 'ended' });
      expect(await a.store.person('ada').open(0, 9)).toEqual({ questions: [], count: 0 });
      expect(await a.store.sessions.find(path, cookie)).toBeUndefined();
    });

    it('a host may call itself whatever it wants, and the record verifies', async () => {
      const a = await bridge(await place());
      for (const host of ['half a pair \ud800', 'nothing \0', `${'x'.repeat(199)}😀`])
        await a.ask('ada', question(), { host });
      expect(await a.store.record.verify()).toEqual({ ok: true, lines: 3 });
    });

    it('a session is found by both of its secrets at every bridge, until it ends', async () => {
      const clock = manualClock();
      const at = await place();
      const [a, b] = [await bridge({ ...at, clock }), await bridge({ ...at, clock })];
      const one = await a.store.sessions.begin({ principal: 'ada', name: 'Ada' });
      const two = await a.store.sessions.begin({ principal: 'ada', name: 'Ada L.' });
      const bob = await b.store.sessions.begin({ principal: 'bob', name: 'Bob' });
      const found = await b.store.sessions.find(one.at, one.cookie);
      expect(found).toMatchObject({ principal: 'ada', name: 'Ada L.' });
      expect(found!.csrf).not.toBe((await b.store.sessions.find(two.at, two.cookie))!.csrf);
      for (const [path, cookie] of [
        [one.at, two.cookie],
        [one.at, bob.cookie],
        [one.cookie, one.at],
        ['', ''],
      ] as const)
        expect(await a.store.sessions.find(path, cookie)).toBeUndefined();
      await b.store.sessions.end(one.at);
      expect(await a.store.sessions.find(one.at, one.cookie)).toBeUndefined();
      expect(await a.store.sessions.find(two.at, two.cookie)).toBeDefined();
      await a.store.sessions.endAll('ada');
      expect(await b.store.sessions.find(two.at, two.cookie)).toBeUndefined();
      clock.advance(day / 2 - 1);
      expect(await b.store.sessions.find(bob.at, bob.cookie)).toBeDefined();
      clock.advance(1);
      expect(await b.store.sessions.find(bob.at, bob.cookie)).toBeUndefined();
      const stored = JSON.stringify(await at.sql('select * from inbox_sessions'));
      for (const secret of [bob.at, bob.cookie, two.at]) expect(stored).not.toContain(secret);
    });

    it('a writer into the database without the key has a session of nobody else, and none that is younger', async () => {
      const at = await place();
      const clock = manualClock();
      const { store } = await bridge({ ...at, clock });
      await store.sessions.begin({ principal: 'ada', name: 'Ada' });
      const own = await store.sessions.begin({ principal: 'mallory', name: 'Mallory' });
      const of = (who: string): string => `where principal = '${who}'`;
      await at.sql(`update inbox_sessions set at = 'x', cookie = 'x' ${of('ada')}`);
      await at.sql(`update inbox_sessions set principal = 'ada' ${of('mallory')}`);
      expect(await store.sessions.find(own.at, own.cookie)).toBeUndefined();
      await at.sql(`update inbox_sessions set principal = 'mallory' where at <> 'x'`);
      expect(await store.sessions.find(own.at, own.cookie)).toBeDefined();
      clock.advance(day / 2);
      await at.sql(`update inbox_sessions set expires_at = ${clock.now() + day} ${of('mallory')}`);
      expect(await store.sessions.find(own.at, own.cookie)).toBeUndefined();
      await at.sql(`update inbox_sessions set begun_at = ${clock.now()} ${of('mallory')}`);
      expect(await store.sessions.find(own.at, own.cookie)).toBeUndefined();
    });

    it('a session outlives a new key for as long as the one of before is there', async () => {
      const at = await place();
      const session = await (await bridge(at)).store.sessions.begin({ principal: 'ada', name: 'Ada' });
      const anew = Buffer.alloc(32, 9);
      const rotated = await bridge({ ...at, key: [anew, key] });
      expect(await rotated.store.sessions.find(session.at, session.cookie)).toMatchObject({ principal: 'ada' });
    });

    it('removing a person ends their sessions, refuses their questions, takes no reply, and is on record', async () => {
      const at = await place();
      const [a, b] = [await bridge(at), await bridge(at)];
      const [asked, other] = [await a.ask('ada'), await a.ask('bob')];
      const { at: path, cookie } = await a.store.sessions.begin({ principal: 'ada', name: 'Ada' });
      expect(await b.store.people.remove('ada')).toBe(true);
      expect(await b.store.people.remove('ada')).toBe(false);
      expect(await a.store.sessions.find(path, cookie)).toBeUndefined();
      expect(await b.store.person('ada').reply(asked.id, yes)).toMatchObject({ ok: false });
      expect(await asked.ending).toMatchObject({ how: 'refused-by-policy' });
      await a.written();
      expect(a.inbox.get(other.id)).toBeDefined();
      expect(await a.store.people.isRemoved('ada')).toBe(true);
      await expect(a.store.sessions.begin({ principal: 'ada', name: 'Ada' })).rejects.toMatchObject({
        code: 'host/refused',
      });
      await expect(b.ask('ada')).rejects.toMatchObject({ code: 'host/refused' });
      expect(await a.store.people.list()).toMatchObject([
        { principal: 'ada', name: 'Ada', open: 0, removedAt: expect.any(Number) },
        { principal: 'bob', open: 1 },
      ]);
      expect(await a.store.people.admit('ada')).toBe(true);
      expect(await a.store.people.admit('ada')).toBe(false);
      await b.ask('ada');
      expect((await lines(b, { principal: 'ada' })).map(({ event, how }) => how ?? event)).toEqual([
        ...['asked', 'removed', 'refused-by-policy', 'admitted', 'asked'],
      ]);
    });

    it('a reply that waits in the mailbox when its person is removed does not count', async () => {
      const at = await place();
      // Its timers stand still, so it looks only when this process tells it to.
      const [a, b] = [await bridge({ ...at, clock: manualClock() }), await bridge({ ...at, clock: manualClock() })];
      const asked = await a.ask('ada');
      await eventually(async () => (await at.sql('select id from inbox_bridges')).length === 1);
      void b.store.person('ada').reply(asked.id, yes);
      await eventually(async () => (await at.sql('select id from inbox_replies')).length === 1);
      expect((await b.store.person('ada').open(0, 9)).questions).toMatchObject([{ sent: true }]);
      await b.store.people.remove('ada');
      await a.store.ask({ principal: 'bob', question: question(), owner: neverAsked });
      expect(await asked.ending).toMatchObject({ how: 'refused-by-policy' });
    });

    it('nothing of a content is in the database as it is, and not in the record', async () => {
      const at = await place();
      const a = await bridge(at);
      const told = 'a phrase that nobody may read';
      const { id } = await a.ask(
        'ada',
        question(told, { call: { id: 'c', kind: 'tool', name: 't', arguments: { told } } }),
        { wait: { host: told, state: 'waits' } },
      );
      await a.store.sessions.begin({ principal: 'ada', name: told });
      await a.ask('bob', question(told));
      a.inbox.end(id, { how: 'answered', via: 'host', content: { sure: true, told } });
      await a.written();
      for (const table of tables) expect(JSON.stringify(await at.sql(`select * from ${table}`))).not.toContain(told);
      expect(await a.store.person('ada').get(id)).toMatchObject({ question: { message: told } });
    });

    it('a message of a megabyte is stored once, and comes back whole', async () => {
      const at = await place();
      const a = await bridge(at);
      const message = 'x'.repeat(1_000_000);
      const { id } = await a.ask('ada', question(message));
      await a.store.tellWait('c', { host: 'h', state: 'waits' });
      expect(await a.store.person('ada').reply(id, yes)).toEqual({ ok: true });
      let size = 0;
      for (const table of tables) size += JSON.stringify(await at.sql(`select * from ${table}`)).length;
      expect(size).toBeLessThan(1_400_000);
      expect((await a.store.person('ada').ended(0, 1)).questions).toMatchObject([{ question: { message } }]);
    });

    it('the lists of a page are index scans that read no more rows than they show', async () => {
      const at = await place();
      const a = await bridge(at);
      await at.sql(manyRows(name === 'Postgres'));
      if (name === 'Postgres') await at.sql('analyze inbox_questions');
      for (const [which, condition, order] of [
        ['open', 'null', 'asked_line'],
        ['ended', 'not null', 'ended_line desc'],
      ] as const) {
        const theirs = `from inbox_questions where principal = 'p1' and ended_line is ${condition}`;
        for (const query of [`select id ${theirs} order by ${order} limit 50`, `select count(*) ${theirs}`]) {
          const plan = await at.plan(query);
          expect(plan).toContain(`inbox_questions_${which}`);
          expect(plan).toMatch(/\(principal=\?|Index Cond: \(principal/);
          expect(plan).not.toContain('B-TREE');
        }
      }
      expect(await at.plan(`select id from inbox_questions where bridge = 'b' and ended_line is null`)).toContain(
        'inbox_questions_at',
      );
      // The rows are made by hand, so there are no contents to show.
      expect(await a.store.person('p1').open(0, 50)).toEqual({ questions: [], count: 100 });
    });

    it('another key is refused with what to do, and nothing is lost', async () => {
      const at = await place();
      const a = await bridge(at);
      const { id } = await a.ask('ada');
      a.inbox.end(id, { how: 'withdrawn' });
      await a.written();
      const another = Buffer.from(key).reverse();
      await expect(bridge({ ...at, key: another })).rejects.toMatchObject({
        code: 'server/setup',
        message: expect.stringContaining('sealed with another key'),
      });
      const b = await bridge({ ...at, key: [another, key] });
      expect(await b.store.person('ada').get(id)).toMatchObject({ ending: { how: 'withdrawn' } });
      await b.ask('ada');
      expect(await b.store.record.verify()).toEqual({ ok: true, lines: 3 });
      // From now on, a bridge with the old key alone could not read everything.
      await expect(bridge({ ...at })).rejects.toMatchObject({ code: 'server/setup' });
      const c = await bridge({ ...at, key: another });
      await expect(c.store.record.verify()).rejects.toMatchObject({ code: 'server/setup' });
    });

    it('the record is found by person, server and time, and contains neither answers nor what two answers have in common', async () => {
      const clock = manualClock();
      const a = await bridge({ ...(await place()), clock });
      const other = { id: 'mail', name: 'Mail', origin: 'node mail.js', era: '2026' } as const;
      for (const [principal, asker] of [['ada'], ['bob', other], ['ada', other]] as const) {
        const { id } = await a.ask(principal, question('?', asker && { asker: asker as never }));
        await a.inbox.reply(id, yes, 'host');
        await a.written();
        clock.advance(1_000);
      }
      const all = await lines(a);
      expect(all.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6]);
      expect((await lines(a, { principal: 'ada' })).map(({ line }) => line)).toEqual([1, 2, 5, 6]);
      expect((await lines(a, { server: 'mail' })).map(({ line }) => line)).toEqual([3, 4, 5, 6]);
      const { at } = all[2]!;
      expect((await lines(a, { from: at, to: at })).map(({ line }) => line)).toEqual([3, 4]);
      const answers = all.flatMap(each => each.answer ?? []);
      expect(new Set(answers).size).toBe(3);
      expect(JSON.stringify(all)).not.toContain('sure');
    });

    it('a line of the record that was changed, removed, moved or cut off is found', async () => {
      const at = await place();
      const a = await bridge(at);
      for (const n of [1, 2, 3]) {
        const { id } = await a.ask('ada', question(`${n}`));
        a.inbox.end(id, { how: 'withdrawn' });
        await a.written();
      }
      const { record } = a.store;
      expect(await record.verify()).toEqual({ ok: true, lines: 6 });
      const [head] = await at.sql('select line, digest, proof from inbox_head');
      const spoilt = async (line: number, spoil: string, mend: string): Promise<void> => {
        await at.sql(spoil);
        expect(await record.verify()).toEqual({ ok: false, at: line });
        await at.sql(mend);
        expect(await record.verify()).toEqual({ ok: true, lines: 6 });
      };
      await spoilt(
        4,
        `update inbox_record set how = 'answered' where line = 4`,
        `update inbox_record set how = 'withdrawn' where line = 4`,
      );
      await spoilt(
        2,
        'update inbox_record set at = at + 1 where line = 2',
        'update inbox_record set at = at - 1 where line = 2',
      );
      await spoilt(
        3,
        'update inbox_record set line = 30 where line = 3',
        'update inbox_record set line = 3 where line = 30',
      );
      const swap = [
        ...['update inbox_record set line = 44 where line = 4', 'update inbox_record set line = 4 where line = 5'],
        'update inbox_record set line = 5 where line = 44',
      ].join('; ');
      await spoilt(4, swap, swap);
      // A line that is right by itself, of another inbox with the same key.
      const another = await place();
      await (await bridge(another)).ask('ada', question('another'));
      const digestOf = async (of: Place) =>
        (await of.sql('select digest, question, at from inbox_record where line = 1'))[0]!;
      const set = ([digest, asked, time]: readonly string[]): string =>
        `update inbox_record set digest = '${digest}', question = '${asked}', at = ${time} where line = 1`;
      await spoilt(2, set(await digestOf(another)), set(await digestOf(at)));
      await spoilt(
        6,
        'update inbox_record set line = 60 where line = 6',
        'update inbox_record set line = 6 where line = 60',
      );
      // The end is cut off, and the head says so.
      await at.sql('update inbox_record set line = 60 where line = 6');
      await at.sql('update inbox_head set line = 5, digest = (select digest from inbox_record where line = 5)');
      expect(await record.verify()).toEqual({ ok: false, at: 5 });
      await at.sql('update inbox_record set line = 6 where line = 60');
      await at.sql(`update inbox_head set line = ${head![0]}, digest = '${head![1]}', proof = '${head![2]}'`);
      expect(await record.verify()).toEqual({ ok: true, lines: 6 });
    });

    it('a question is gone thirty days after its end with all that belongs to it, and the record stays', async () => {
      const clock = manualClock();
      const at = await place();
      const a = await bridge({ ...at, clock });
      const [first, second, open] = [await a.ask('ada'), await a.ask('ada'), await a.ask('ada')];
      expect(await a.store.person('ada').reply(first.id, yes)).toEqual({ ok: true });
      const ada = a.store.person('ada');
      /** Lets time pass, once the next deletion is planned. */
      const pass = async (ms: number): Promise<void> => {
        await eventually(() => clock.waiting().some(left => left > 10_000));
        clock.advance(ms);
      };
      await pass(10 * day);
      a.inbox.end(second.id, { how: 'withdrawn' });
      await a.written();
      await pass(20 * day - 1);
      await eventually(() => clock.waiting().some(left => left > 10_000));
      expect((await ada.ended(0, 9)).count).toBe(2);
      await pass(day / 24);
      await eventually(async () => (await ada.ended(0, 9)).count === 1);
      expect(await ada.get(first.id)).toBeUndefined();
      expect(await at.sql('select count(*) from inbox_replies')).toEqual([['0']]);
      expect(await at.sql('select count(*) from inbox_contents')).toEqual([['2']]);
      expect(a.inbox.get(open.id)).toBeDefined();
      expect((await ada.open(0, 9)).count).toBe(1);
      expect(await a.store.record.verify()).toEqual({ ok: true, lines: 5 });
    });

    it('the questions of a bridge that has not lived for fifteen seconds end: in doubt, if a reply was taken, else as the server gone', async () => {
      const at = await place();
      const clock = manualClock();
      // It counts no more after its first question, as one that was killed.
      const killed = manualClock();
      const [dead, b] = [await bridge({ ...at, clock: killed }), await bridge({ ...at, clock })];
      const left = await dead.ask('ada');
      const never = { reply: () => new Promise<never>(() => {}), end() {} };
      const taken = question('Taken?');
      await dead.store.ask({ principal: 'ada', question: taken, owner: never });
      const told = dead.store.person('ada').reply(taken.id, yes);
      await eventually(async () => (await at.sql('select id from inbox_replies where state = 1')).length === 1);
      const ada = b.store.person('ada');
      for (let n = 0; n < 6; n++) {
        expect((await ada.open(0, 9)).count).toBe(2);
        await beat(clock);
      }
      expect(await endedThere(ada, left.id)).toEqual({ how: 'server-gone' });
      expect(await endedThere(ada, taken.id)).toEqual({ how: 'in-doubt' });
      // Whoever gave the reply that was taken is not told that it came too late.
      for (let n = 0; n < 14; n++) {
        killed.advance(200);
        await ada.open(0, 9);
      }
      expect(await Promise.race([told, 'is on its way'])).toBe('is on its way');
      expect(await ada.reply(left.id, yes)).toEqual({ ok: false, problem: 'ended', ending: { how: 'server-gone' } });
      expect(await at.sql(`select count(*) from inbox_bridges`)).toEqual([['0']]);
      const ends = (await lines(b)).filter(({ event }) => event === 'ended');
      expect(ends.map(({ how }) => how).sort()).toEqual(['in-doubt', 'server-gone']);
      // It was not dead, and what it says now changes nothing.
      await dead.store.ended(taken.id, { how: 'answered', via: 'inbox', content: { sure: true } });
      expect(await endedThere(ada, taken.id)).toEqual({ how: 'in-doubt' });
      expect((await lines(b)).filter(({ event }) => event === 'ended')).toHaveLength(2);
    });

    it('a bridge that was declared gone and lives stores its open questions anew, and they can be answered', async () => {
      const at = await place();
      const [slow, clock] = [manualClock(), manualClock()];
      const [a, b] = [await bridge({ ...at, clock: slow }), await bridge({ ...at, clock })];
      const asked = await a.ask('ada');
      for (let n = 0; n < 6; n++) await beat(clock);
      const ada = b.store.person('ada');
      expect(await endedThere(ada, asked.id)).toEqual({ how: 'server-gone' });
      expect(a.inbox.get(asked.id)).toBeDefined();
      slow.advance(3_000);
      await eventually(async () => (await ada.open(0, 9)).count === 1);
      const anew = (await ada.open(0, 9)).questions[0]!.question;
      expect(anew.id).not.toBe(asked.id);
      expect(await a.store.person('ada').reply(anew.id, yes)).toEqual({ ok: true });
      expect(await asked.ending).toMatchObject({ how: 'answered', via: 'inbox' });
      expect((await lines(b)).map(({ event, how }) => how ?? event)).toEqual([
        ...['asked', 'server-gone', 'asked', 'answered'],
      ]);
    });

    it('a bridge that was declared gone ends the questions of a person who was removed meanwhile', async () => {
      const at = await place();
      const [slow, clock] = [manualClock(), manualClock()];
      const [a, b] = [await bridge({ ...at, clock: slow }), await bridge({ ...at, clock })];
      const [asked, other] = [await a.ask('ada'), await a.ask('bob')];
      for (let n = 0; n < 6; n++) await beat(clock);
      await endedThere(b.store.person('ada'), asked.id);
      await b.store.people.remove('ada');
      slow.advance(3_000);
      expect(await asked.ending).toMatchObject({ how: 'refused-by-policy' });
      await eventually(async () => (await b.store.person('bob').open(0, 9)).count === 1);
      expect(a.inbox.get(other.id)).toBeDefined();
      expect(a.errors).toEqual([]);
    });

    it('a bridge that could not say for ten seconds that it lives takes no reply until it can', async () => {
      const at = await place();
      const [slow, clock] = [manualClock(), manualClock()];
      const [a, b] = [await bridge({ ...at, clock: slow }), await bridge({ ...at, clock })];
      const asked = await a.ask('ada');
      const isWaiting = (...timers: number[]) => eventually(() => timers.every(ms => slow.waiting().includes(ms)));
      await isWaiting(200);
      const reply = b.store.person('ada').reply(asked.id, yes);
      await eventually(async () => (await at.sql('select id from inbox_replies where state = 0')).length === 1);
      slow.set(slow.now() + 10_001);
      // Looks into its mailbox, and only then says that it lives.
      slow.advance(0);
      await isWaiting(200, 3_000);
      await a.store.person('ada').open(0, 1);
      expect(await at.sql('select state from inbox_replies')).toEqual([['0']]);
      slow.advance(200);
      expect(await asked.ending).toMatchObject({ how: 'answered' });
      await a.written();
      await eventually(() => clock.waiting().includes(200));
      clock.advance(200);
      expect(await reply).toEqual({ ok: true });
    });

    it('a reply that was changed in the database does not count, is told of once, and another one may be given', async () => {
      const at = await place();
      const slow = manualClock();
      const [a, b] = [await bridge({ ...at, clock: slow }), await bridge(at)];
      const asked = await a.ask('ada');
      await eventually(() => slow.waiting().includes(200));
      const reply = b.store.person('ada').reply(asked.id, yes);
      await eventually(async () => (await at.sql('select id from inbox_replies where state = 0')).length === 1);
      await at.sql(`update inbox_replies set reply = 'x'`);
      slow.advance(200);
      expect(await reply).toEqual({ ok: false, problem: 'unknown' });
      expect(a.errors).toHaveLength(1);
      expect(a.inbox.get(asked.id)).toBeDefined();
      expect(await a.store.person('ada').reply(asked.id, yes)).toEqual({ ok: true });
    });

    it('of replies to a question that its bridge does not take, only four wait, and the first of them counts', async () => {
      const at = await place();
      const slow = manualClock();
      const [a, b] = [await bridge({ ...at, clock: slow }), await bridge(at)];
      const asked = await a.ask('ada');
      await eventually(() => slow.waiting().includes(200));
      const waiting = async () => (await at.sql('select id from inbox_replies where state = 0')).length;
      const first = b.store.person('ada').reply(asked.id, yes);
      await eventually(async () => (await waiting()) === 1);
      const others = Array.from({ length: 3 }, () => b.store.person('ada').reply(asked.id, { action: 'decline' }));
      await eventually(async () => (await waiting()) === 4);
      for (let n = 0; n < 20; n += 1)
        expect(await b.store.person('ada').reply(asked.id, { action: 'decline' })).toBe('sent');
      expect(await waiting()).toBe(4);
      slow.advance(200);
      const ending = await asked.ending;
      expect(ending).toMatchObject({ how: 'answered' });
      expect(await first).toEqual({ ok: true });
      expect(await Promise.all(others)).toEqual(Array(3).fill({ ok: false, problem: 'ended', ending }));
    });

    it('a flood of questions to one person lets those to another pass', async () => {
      const a = await bridge(await place());
      const flood = Array.from({ length: 60 }, () => a.ask('ada'));
      await a.ask('bob');
      await Promise.all(flood);
      const [{ line }] = (await lines(a, { principal: 'bob' })) as [RecordLine];
      expect(line).toBeLessThan(5);
    });

    it('stopping a bridge ends what is open there as shown by nobody', async () => {
      const at = await place();
      const [a, b] = [await bridge(at), await bridge(at)];
      const { id } = await a.ask('ada');
      await a.store.stop();
      expect(await b.store.person('ada').get(id)).toMatchObject({ ending: { how: 'unshown' } });
      await expect(a.ask('ada')).rejects.toMatchObject({ code: 'store/unavailable' });
    });

    it('bridges that start at once on an empty database all do', async () => {
      const at = await place();
      const all = await Promise.all([1, 2, 3, 4, 5].map(() => bridge(at)));
      await Promise.all(all.map(each => each.ask('ada')));
      expect(await all[0]!.store.person('ada').open(0, 1)).toMatchObject({ count: 5 });
      expect(await all[1]!.store.record.verify()).toEqual({ ok: true, lines: 5 });
    });

    it('a database of a newer version is refused', async () => {
      const at = await place();
      await (await bridge(at)).store.stop();
      await at.sql(`insert into inbox_migrations values ('9999', '2030-01-01')`);
      await expect(bridge(at)).rejects.toMatchObject({
        code: 'server/setup',
        message: expect.stringContaining('newer version of Midcall'),
      });
    });
  });
}

const tables = [
  ...['inbox_head', 'inbox_record', 'inbox_bridges', 'inbox_questions', 'inbox_contents', 'inbox_replies'],
  ...['inbox_sessions', 'inbox_people'],
];

const neverAsked = { reply: async () => ({ ok: true }) as const, end() {} };

/** How often a bridge says that it lives, and looks whether others do. */
const beatMs = 3_000;

/** Lets the time pass from one sign of life of a bridge to its next. */
async function beat(clock: ReturnType<typeof manualClock>): Promise<void> {
  clock.advance(beatMs);
  // It waits for the next one when it has done what this one brings about.
  await eventually(() => clock.waiting().includes(beatMs));
}

/** 100 persons with 200 questions each, half of them open. */
function manyRows(inPostgres: boolean): string {
  const numbers = inPostgres
    ? 'generate_series(1, 20000) as n'
    : '(with recursive c(n) as (select 1 union all select n + 1 from c where n < 20000) select n from c)';
  const columns = 'id, principal, bridge, server, kind, asked_line, asked_at, ended_line, ended_at, refused';
  const values = `'q' || n, 'p' || (n % 100), 'b' || (n % 7), 's', 'form', n, n, case when n > 10000 then n end, case when n > 10000 then n end, 0`;
  return `insert into inbox_questions (${columns}) select ${values} from ${numbers}`;
}
