/** The inbox in a real Postgres that bridges share. */
import { approvers } from '@midcall/server';
import { redisWake } from '@midcall/server/fleet';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../packages/inbox/src/store/database.ts';
import { openInboxStore } from '../../packages/inbox/src/store/index.ts';
import { eventually, grown } from '../fixtures/grown.ts';
import { type PostgresServer, postgresFolder, startPostgres } from '../fixtures/postgres.ts';
import { inSoak } from '../fixtures/soak.ts';
import { redisServer, startRedis } from '../stores/redis-server.ts';
import { approvalsContract, payment } from './approvals-contract.ts';
import { inboxContract, type Place } from './contract.ts';
import { killApprovers } from './killed-approvers.ts';
import { killBridges } from './killed-bridges.ts';
import { approvalStore, bridge, manualClock, question, stopAll, yes } from './stage.ts';

describe.skipIf(!postgresFolder)('Postgres', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    // No commit waits for a standby, unless its transaction says so: none of this name exists.
    server = await startPostgres('-c', 'synchronous_commit=local', '-c', 'synchronous_standby_names=nobody');
  });
  afterAll(async () => {
    await stopAll();
    await server.remove();
  });

  async function place(): Promise<Place> {
    const where = server.database();
    const rows = async (statement: string): Promise<readonly (readonly string[])[]> => {
      const client = new pg.Client(where);
      await client.connect();
      try {
        const result: pg.QueryResult | pg.QueryResult[] = await client.query(statement);
        return [result]
          .flat()
          .at(-1)!
          .rows.map(row => Object.values(row as object).map(String));
      } finally {
        await client.end();
      }
    };
    return { where, sql: rows, plan: async query => JSON.stringify(await rows(`explain ${query}`)) };
  }

  /** Holds rows as another process would. */
  async function holder(where: string) {
    const [holding, watching] = [new pg.Client(where), new pg.Client(where)];
    await Promise.all([holding.connect(), watching.connect()]);
    onTestFinished(async () => void (await Promise.all([holding.end(), watching.end()])));
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    return {
      async hold(statement: string): Promise<void> {
        await holding.query('begin');
        await holding.query(statement);
      },
      letGo: () => holding.query('commit'),
      /** How many connections wait for rows that others hold. */
      waiting: async () => (await watching.query(waiting)).rowCount!,
    };
  }

  /** A device of somebody. */
  const device = (name: string) => ({
    ...{ endpoint: `https://push.example/${name}`, keys: { p256dh: 'a', auth: 'b' }, name },
  });

  inboxContract('Postgres', place);
  approvalsContract('Postgres', place);

  it('a question that cannot be stored while Postgres is away is refused, and ends and replies wait', async () => {
    const { where, sql } = await place();
    const [a, b] = [await bridge({ where }), await bridge({ where })];
    const [first, second] = [await a.ask('ada'), await a.ask('ada')];
    await server.crash();
    await expect(a.ask('ada', question('the secret'))).rejects.toMatchObject({
      code: 'store/unavailable',
      message: expect.not.stringContaining('secret'),
    });
    a.inbox.end(first.id, { how: 'withdrawn' });
    await expect(b.store.person('ada').open(0, 9)).rejects.toMatchObject({ code: 'store/unavailable' });
    await eventually(() => a.errors.length > 0);
    await server.start();
    await a.written();
    expect(await b.store.person('ada').get(first.id)).toMatchObject({ ending: { how: 'withdrawn' } });
    expect(await b.store.person('ada').reply(second.id, yes)).toEqual({ ok: true });
    // What was refused is not shown to anybody, and does not stay open.
    await eventually(async () => (await sql('select id from inbox_questions where ended_line is null')).length === 0);
    expect(a.errors.length).toBeLessThan(4);
    for (const error of [...a.errors, ...b.errors]) expect(error).toMatchObject({ code: 'store/unavailable' });
    expect(await a.store.record.verify()).toMatchObject({ ok: true });
  });

  it('a vote while Postgres is away is refused and does not count, and listeners are told of it once it is back', async () => {
    const { where } = await place();
    const groups = { names: { finance: ['ada', 'bob'] } };
    const [a, b] = [await approvalStore({ where, groups }), await approvalStore({ where, groups })];
    const ask = payment();
    await a.approvals.ask(ask);
    const told: number[] = [];
    const stop = a.approvals.listen(ask.id, () => void told.push(1));
    await grown(told, list => list.length > 0);
    const people = ['ada', 'bob'].map(who => b.person(`${who} (https://id.example)`));
    const ids = await Promise.all(people.map(async person => (await person.get(ask.id))!.question.id));
    await server.crash();
    await expect(people[0]!.reply(ids[0]!, yes)).rejects.toMatchObject({ code: 'store/unavailable' });
    await expect(a.approvals.look(ask.id)).rejects.toMatchObject({ code: 'store/unavailable' });
    await server.start();
    await eventually(async () => (await a.approvals.look(ask.id).catch(() => undefined)) !== undefined);
    expect(await a.approvals.look(ask.id)).toEqual({ votes: [] });
    told.length = 0;
    for (const [n, person] of people.entries()) expect(await person.reply(ids[n]!, yes)).toEqual({ ok: true });
    await grown(told, list => list.length > 0);
    stop();
    expect(await a.approvals.look(ask.id)).toMatchObject({ outcome: { action: 'accept' } });
    expect(await a.record.verify()).toMatchObject({ ok: true });
  });

  it('bridges that have lived through a time without Postgres do not take each other for gone', async () => {
    const { where, sql } = await place();
    const [first, last] = [manualClock(), manualClock()];
    for (const clock of [first, last]) await (await bridge({ where, clock })).ask('ada');
    const beat = async (clock: typeof first): Promise<void> => {
      clock.advance(3_000);
      await eventually(() => clock.waiting().includes(3_000));
    };
    await beat(first);
    await beat(last);
    await server.crash();
    for (let n = 0; n < 6; n += 1) for (const clock of [first, last]) await beat(clock);
    await server.start();
    // It had seen the last sign of life of the other one, and looks before that can give another.
    await beat(last);
    await beat(first);
    expect(await sql('select ended_line from inbox_questions')).toEqual([['null'], ['null']]);
  });

  it('a bridge that stops before it could write how its question ended leaves that to another one', async () => {
    const { where, sql } = await place();
    const clock = manualClock();
    const a = await bridge({ where, clock });
    await a.ask('ada');
    const rows = await holder(where);
    // It looks at once; a look that has not ended would be followed by none.
    await eventually(() => clock.waiting().includes(200));
    await rows.hold('lock table inbox_replies');
    // It looks into its mailbox, and then stops: both wait, and it gives up.
    clock.advance(200);
    await eventually(async () => (await rows.waiting()) === 1);
    const stopped = a.store.stop();
    await eventually(async () => (await rows.waiting()) === 2);
    clock.advance(5_000);
    await sql(`select pg_terminate_backend(pid) from pg_stat_activity
      where wait_event_type = 'Lock' and query like 'delete%' and datname = current_database()`);
    await eventually(() => a.errors.length > 0);
    for (let n = 0; n < 20; n += 1) await sql('select 1');
    await rows.letGo();
    await stopped;
    const owned = 'select ended_line from inbox_questions join inbox_bridges on inbox_bridges.id = bridge';
    expect(await sql(owned)).toEqual([['null']]);
  });

  it('a question that comes while its person signs out everywhere is stored, and they are signed out', async () => {
    const { where } = await place();
    const [a, b] = [await bridge({ where }), await bridge({ where })];
    const { at, cookie } = await a.store.sessions.begin({ principal: 'ada', name: 'Ada' });
    await a.store.deliveries.turnOn('ada', device('ada'));
    const rows = await holder(where);
    // She is on her way out when the question comes.
    await rows.hold('select from inbox_sessions for update');
    const signedOut = a.store.sessions.endAll('ada');
    await eventually(async () => (await rows.waiting()) === 1);
    const asked = b.ask('ada');
    await eventually(async () => (await rows.waiting()) === 2);
    await rows.letGo();
    await Promise.all([signedOut, asked]);
    expect(await a.store.sessions.find(at, cookie)).toBeUndefined();
    expect((await a.store.person('ada').open(0, 9)).count).toBe(1);
  });

  it('a question to several people is stored while they are being told of others, whoever of them is told first', async () => {
    for (const first of ['ada', 'bob']) {
      const { where, sql } = await place();
      const groups = { names: { finance: ['ada', 'bob'] } };
      const [a, b] = [await approvalStore({ where, groups }), await approvalStore({ where, groups })];
      for (const who of ['ada', 'bob', 'eve']) {
        const principal = `${who} (https://id.example)`;
        await a.sessions.begin({ principal, name: who });
        await a.deliveries.turnOn(principal, device(who));
      }
      await sql(`update inbox_targets set last_line = told_line + 1,
        due_at = case when principal like '${first}%' then 1 when principal like 'eve%' then 2 else 3 end`);
      const rows = await holder(where);
      await rows.hold(`select from inbox_targets where principal like 'eve%' for update`);
      const claiming = a.deliveries.claim([], false);
      await eventually(async () => (await rows.waiting()) === 1);
      let isAsked = false;
      const asking = b.approvals.ask(payment()).then(() => {
        isAsked = true;
      });
      await eventually(async () => isAsked || (await rows.waiting()) === 2);
      await rows.letGo();
      const [claimed] = await Promise.all([claiming, asking]);
      expect(claimed).toHaveLength(3);
    }
  });

  it('a device that is turned on anew while its row, which nobody can read, is being removed stays on', async () => {
    const { where, sql } = await place();
    const { store } = await bridge({ where });
    await store.sessions.begin({ principal: 'ada', name: 'Ada' });
    await store.deliveries.turnOn('ada', device('ada'));
    const [[readable] = []] = await sql('select subscription from inbox_targets');
    await sql(`update inbox_targets set subscription = 'unreadable', last_line = told_line + 1`);
    const rows = await holder(where);
    await rows.hold(`update inbox_targets set subscription = '${readable}'`);
    const claiming = store.deliveries.claim([], false);
    await eventually(async () => (await rows.waiting()) === 1);
    await rows.letGo();
    expect(await claiming).toHaveLength(1);
    expect(await store.deliveries.devices('ada')).toHaveLength(1);
  });

  it('a process that stands still in the middle of a write does not keep others from storing questions', async () => {
    const { where } = await place();
    const a = await bridge({ where });
    await a.ask('ada');
    const still = await openDatabase(where, () => {});
    let goOn = (): void => {};
    const holding: true[] = [];
    const writing = still.write(async tx => {
      await tx.updateTable('inbox_people').set({ seen_at: 1 }).execute();
      holding.push(true);
      await new Promise<void>(resolve => {
        goOn = resolve;
      });
    });
    await grown(holding, list => list.length > 0);
    await a.ask('ada');
    goOn();
    await expect(writing).rejects.toMatchObject({ code: 'store/unavailable' });
    await still.close();
  });

  it('a change sees what was changed while it waited, whatever isolation is the default of the database', async () => {
    const { where, sql } = await place();
    await sql(
      `do $$ begin execute format('alter database %I set default_transaction_isolation = %L', current_database(), 'repeatable read'); end $$`,
    );
    const a = await bridge({ where });
    const rows = await holder(where);
    await rows.hold('update inbox_head set line = line');
    const asked = a.ask('ada');
    await eventually(async () => (await rows.waiting()) === 1);
    await Promise.all([rows.letGo(), asked]);
    expect(await a.store.record.verify()).toEqual({ ok: true, lines: 1 });
  });

  it('what others were asked is withdrawn if the connection was lost as it was stored: nobody waits for their answer', async () => {
    const { where, sql } = await place();
    const a = await approvalStore({ where, groups: { names: { finance: ['ada', 'bob'] } } });
    await a.approvals.ask(payment(), { isOwn: true });
    // It is stored, but its commit waits for the standby that does not exist, until its connection ends.
    await sql(`create function waits() returns trigger language plpgsql as
        $$ begin perform set_config('synchronous_commit', 'on', true); return new; end $$;
      create trigger waits after insert on inbox_approvals for each row execute function waits()`);
    const ask = payment();
    const asking = a.approvals.ask(ask, { isOwn: true });
    const end = `select pg_terminate_backend(pid) from pg_stat_activity
      where wait_event = 'SyncRep' and datname = current_database()`;
    await Promise.all([
      expect(asking).rejects.toMatchObject({ code: 'store/unavailable' }),
      eventually(async () => (await sql(end)).length > 0),
    ]);
    await eventually(async () => (await a.approvals.look(ask.id))?.outcome !== undefined);
    expect(await a.approvals.look(ask.id)).toMatchObject({ outcome: { action: 'cancel', reason: 'unavailable' } });
  });

  it('no vote that was acknowledged is lost when processes are killed, and each question has one outcome', async () => {
    const { where, sql } = await place();
    await killApprovers(where, sql, inSoak({ kills: 200, questions: 300 }, { kills: 3, questions: 6 }));
  });

  it('two bridges that are killed at any point leave each question ended once, with how, and a record that verifies', async () => {
    const { where, sql } = await place();
    const count = inSoak({ kills: 200, questions: 1_000 }, { kills: 3, questions: 15 });
    await killBridges(where, () => sql('select id, how from inbox_questions'), count);
  });

  it.skipIf(!redisServer)(
    'what happens at one bridge that Redis wakes is there at another while no time passes',
    async () => {
      const redis = await startRedis();
      const { where } = await place();
      const wakes = await Promise.all([1, 2].map(() => redisWake({ connection: { path: redis.socket } })));
      const [a, b] = await Promise.all(wakes.map(wake => bridge({ where, wake, clock: manualClock() })));
      const told: number[] = [];
      b!.store.person('ada').subscribe(() => void told.push(1));
      let asked = await a!.ask('ada');
      // What is asked before the other one has begun to listen is no change to it.
      while (told.length === 0) {
        await b!.store.person('ada').open(0, 1);
        asked = await a!.ask('ada');
      }
      expect(await b!.store.person('ada').reply(asked.id, yes)).toEqual({ ok: true });
      expect(await asked.ending).toMatchObject({ how: 'answered', via: 'inbox' });
      // A vote at one is told at the other, too, once that has begun to listen.
      const names = Array.from({ length: 100 }, (_, n) => `p${n}`);
      const groups = { names: { finance: names } };
      const [c, d] = await Promise.all(wakes.map(wake => approvalStore({ where, wake, groups, clock: manualClock() })));
      const ask = payment({ from: approvers('finance', { count: 100 }) });
      await c!.approvals.ask(ask);
      const voted: number[] = [];
      d!.approvals.listen(ask.id, () => void voted.push(1));
      await grown(voted, list => list.length > 0);
      voted.length = 0;
      for (const who of names) {
        const person = c!.person(`${who} (https://id.example)`);
        await person.reply((await person.get(ask.id))!.question.id, yes);
        if (voted.length > 0) break;
      }
      expect(voted.length).toBeGreaterThan(0);
      await stopAll();
      await Promise.all(wakes.map(wake => wake.close()));
      await redis.remove();
    },
  );

  it('a dump that is read into another database is the same inbox', async () => {
    const { where } = await place();
    const a = await bridge({ where });
    const { id } = await a.ask('ada', question('First'));
    expect(await a.store.person('ada').reply(id, yes)).toEqual({ ok: true });
    await expect(a.store.backup('/tmp/copy')).rejects.toMatchObject({
      code: 'server/setup',
      message: expect.stringContaining('pg_dump'),
    });
    const dump = server.run('pg_dump', ['--no-owner', where]);
    const copy = server.database();
    server.run('psql', ['-q', '-v', 'ON_ERROR_STOP=1', '-d', copy], dump);
    const b = await bridge({ where: copy });
    expect((await b.store.person('ada').ended(0, 9)).questions).toMatchObject([{ question: { message: 'First' } }]);
    expect(await b.store.record.verify()).toEqual({ ok: true, lines: 2 });
  });

  it('an address that does not work is refused without its password', async () => {
    const refused = async (where: string): Promise<string> => {
      const error = await bridge({ where }).catch((error: unknown) => error);
      return `${(error as { code: string }).code} ${JSON.stringify(error)} ${String(error)} ${(error as Error).stack}`;
    };
    const { where } = await place();
    const missing = await refused(where.replace(/\/\/\/\w+/, '///none'));
    expect(missing).toContain('store/unavailable');
    expect(missing).toContain('no such database');
    const nobody = await refused('postgres://ada:hunter2@127.0.0.1:1/inbox');
    expect(nobody).toContain('ECONNREFUSED');
    expect(nobody).not.toContain('hunter2');
    const wrong = await refused('postgres://ada:hunter2@[::1/inbox');
    expect(wrong).toContain('server/setup');
    expect(wrong).not.toContain('hunter2');
  });

  it('an inbox in Postgres has no key of its own', async () => {
    await expect(openInboxStore({ where: 'postgres:///none' })).rejects.toMatchObject({
      code: 'server/setup',
      message: expect.stringContaining('MIDCALL_KEY'),
    });
  });
});
