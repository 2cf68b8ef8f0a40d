/**
 * Two processes of a bridge that share their inboxes: a call waits at one, and its person is at the other. What happens when one of them
 * is killed.
 */
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../fixtures/grown.ts';
import { type RedisServer, redisServer, startRedis } from '../stores/redis-server.ts';
import { type HostOf, type InboxStage, inboxStage, type RunningBridge, type Session } from './inbox-stage.ts';

const key = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';

let stage: InboxStage;
let redis: RedisServer | undefined;

beforeAll(async () => {
  stage = await inboxStage({ MIDCALL_KEY: key });
  if (redisServer) redis = await startRedis();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
  await redis?.remove();
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

/** Lets nobody write how a question of this message ended, as a database does that can be read and not written. @returns lets them again */
function endless(file: string, id: string): () => void {
  const run = (statement: string): void => {
    const database = new Database(file);
    database.exec('PRAGMA busy_timeout = 10000');
    database.exec(statement);
    database.close();
  };
  run(
    `create trigger no_end before update of ended_line on inbox_questions when old.id = '${id}' begin select raise(abort, 'no end'); end`,
  );
  return () => run('drop trigger no_end');
}

const isTaken = (file: string, id: string): boolean => {
  const database = new Database(file);
  database.exec('PRAGMA busy_timeout = 10000');
  const row = database.prepare('select state from inbox_replies where question = ?').get(id);
  database.close();
  return (row as { state: number } | undefined)?.state === 1;
};

describe.each([
  ['without Redis', (): readonly string[] => []],
  ['with Redis, which wakes them', (): readonly string[] => ['--redis', redis!.socket]],
])('two bridges %s', (name, more) => {
  it.skipIf(!redisServer && name !== 'without Redis')(
    'have the same inboxes and sessions, and whoever lives says how the questions of one that was killed ended',
    async () => {
      const inbox = `${stage.folder}/${name.replaceAll(/\W+/g, '-')}.db`;
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
      const allowEnds = endless(inbox, taken);
      const answering = session.answer(taken, 'blue');
      await eventually(() => isTaken(inbox, taken));
      await near.end('SIGKILL');
      allowEnds();
      expect((await answering).status).toBe(202);
      await eventually(async () => !(await session.text(`/questions/${open}`)).includes('name="action"'));
      expect(await session.text(`/questions/${open}`)).toContain('has gone');
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
});
