/**
 * Two processes of a bridge that share their inboxes: a call waits at one, and its person is at the other. What happens when one of them
 * is killed.
 */
import Database from 'libsql';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../fixtures/grown.ts';
import { type PostgresServer, postgresFolder, startPostgres } from '../fixtures/postgres.ts';
import { fleetKey } from '../fleet/replicas.ts';
import { type RedisServer, redisServer, startRedis } from '../stores/redis-server.ts';
import { type HostOf, type InboxStage, inboxStage, type RunningBridge, type Session } from './inbox-stage.ts';

let stage: InboxStage;
let redis: RedisServer | undefined;
let postgres: PostgresServer | undefined;

beforeAll(async () => {
  stage = await inboxStage({ MIDCALL_KEY: fleetKey });
  if (redisServer) redis = await startRedis();
  if (postgresFolder) postgres = await startPostgres();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
  await Promise.all([redis?.remove(), postgres?.remove()]);
});

/** A person whose host is at one bridge, and who has signed in at the other. */
interface Apart {
  readonly near: RunningBridge;
  readonly far: RunningBridge;
  readonly host: HostOf;
  /** At the bridge that does not have their calls. */
  readonly session: Session;
}

async function apart(who: string, inbox: string, words: readonly string[]): Promise<Apart> {
  const [near, far] = await Promise.all([stage.bridge({ inbox, words }), stage.bridge({ inbox, words })]);
  return { near, far, host: await stage.host(near, who, '2026-07-28'), session: await stage.signIn(far, who) };
}

const at = (session: Session, { address }: RunningBridge): string =>
  new URL(new URL(session.base).pathname, address).href;

/** A database that bridges share, and a way to it past them. */
interface Shared {
  readonly inbox: string;
  sql(statement: string): Promise<readonly object[]>;
  /** Lets nobody write how a question ended, as a database does that can be read and not written. @param when - of its row */
  forbidEnd(when: string): string;
  readonly allowEnd: string;
}

const inFile = (name: string): Shared => {
  const inbox = `${stage.folder}/${name}.db`;
  return {
    inbox,
    async sql(statement) {
      const database = new Database(inbox);
      try {
        database.exec('PRAGMA busy_timeout = 10000');
        if (!/^select/.test(statement)) database.exec(statement);
        return /^select/.test(statement) ? (database.prepare(statement).all() as object[]) : [];
      } finally {
        database.close();
      }
    },
    forbidEnd: when =>
      `create trigger no_end before update of ended_line on inbox_questions when ${when} begin select raise(abort, 'no end'); end`,
    allowEnd: 'drop trigger no_end',
  };
};

const inPostgres = (): Shared => {
  const inbox = postgres!.database();
  return {
    inbox,
    async sql(statement) {
      const client = new pg.Client(inbox);
      await client.connect();
      try {
        return (await client.query(statement)).rows ?? [];
      } finally {
        await client.end();
      }
    },
    forbidEnd: when =>
      "create function no_end() returns trigger language plpgsql as $$ begin raise exception 'no end'; end $$;" +
      `create trigger no_end before update of ended_line on inbox_questions for each row when (${when}) execute function no_end()`,
    allowEnd: 'drop trigger no_end on inbox_questions',
  };
};

it.concurrent.for([
  ['a SQLite file', () => inFile('shared'), () => [], true],
  ['Postgres', inPostgres, () => [], postgresFolder !== undefined],
  [
    'Postgres, and a Redis that wakes them',
    inPostgres,
    () => ['--redis', redis!.socket],
    Boolean(postgresFolder && redisServer),
  ],
] as readonly (readonly [string, () => Shared, () => readonly string[], boolean])[])(
  'two bridges that share %s have the same inboxes and sessions, and whoever lives says how the questions of one that was killed ended',
  async ([name, share, more, isHere], { skip }) => {
    if (!isHere) skip();
    const { inbox, sql, forbidEnd, allowEnd } = share();
    const { near, far, host, session } = await apart('ada', inbox, more());

    // The call waits here, and is answered there.
    const first = await host.ask({ n: `${name} 1` });
    expect(await session.text(`/questions/${first}`)).toContain('Which colour?');
    expect([202, 303]).toContain((await session.answer(first, 'green')).status);
    await eventually(async () => (await session.text(`/questions/${first}`)).includes('You answered'));
    expect(await host.call('ask', { n: `${name} 1` })).toContain('green');

    // A page at the other bridge is told of what is asked here.
    const events = (await session.get('/events')).body!.pipeThrough(new TextDecoderStream()).getReader();
    await events.read();
    const [open, taken] = [await host.ask({ n: `${name} open` }), await host.ask({ n: `${name} taken` })];
    for (let told = ''; !told.includes('changed'); ) told = (await events.read()).value!;
    await events.cancel();
    expect(await session.text('/')).toContain('2 questions waiting');

    // Signing out there holds here.
    const other = await stage.signIn(near, 'ada');
    expect((await other.browser.send(`${at(other, far)}/`)).status).toBe(200);
    const cookie = { cookie: `midcall-inbox=${other.cookie}` };
    expect((await other.post('/sign-out')).status).toBe(303);
    for (const bridge of [near, far])
      expect((await fetch(`${at(other, bridge)}/`, { headers: cookie })).status).toBe(401);

    // One is killed while a question waits, and another has a reply that was taken and that nobody knows the end of.
    await sql(forbidEnd(`old.id = '${taken}'`));
    const answering = session.answer(taken, 'blue');
    const isTaken = `select state from inbox_replies where question = '${taken}' and state = 1`;
    await eventually(async () => (await sql(isTaken)).length > 0);
    await near.end('SIGKILL');
    await sql(allowEnd);
    expect((await answering).status).toBe(202);
    await eventually(async () => !(await session.text(`/questions/${open}`)).includes('name="action"'));
    expect(await session.text(`/questions/${open}`)).toContain('The server stopped');
    await eventually(async () => !(await session.text(`/questions/${taken}`)).includes('on its way'));
    expect(await session.text(`/questions/${taken}`)).toContain('Nobody knows whether the server got your answer');
    const late = await session.answer(open, 'late');
    expect([late.status, (await late.text()).includes('Your answer was not sent')]).toEqual([409, true]);
    const past = await session.text('/past');
    for (const chip of ['In doubt', 'Answered']) expect(past).toContain(chip);
    const record = await stage.midcall(['inboxes', 'record', '--inbox', inbox]);
    const ends = record.out
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as { event: string; how?: string; question: string })
      .filter(({ event }) => event === 'ended')
      .map(({ question, how }) => [question, how]);
    expect(ends.sort()).toEqual(
      [
        [first, 'answered'],
        [open, 'server-gone'],
        [taken, 'in-doubt'],
      ].sort(),
    );
    expect((await stage.midcall(['inboxes', 'record', '--verify', '--inbox', inbox])).code).toBe(0);
    await far.end();
  },
);
