/** `midcall inboxes`: beside a bridge that runs, on the database of its inboxes. */
import { copyFileSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { few } from '../fixtures/soak.ts';
import { fleetKey } from '../fleet/replicas.ts';
import { type InboxStage, inboxStage, type RunningBridge } from './inbox-stage.ts';

let stage: InboxStage;
let bridge: RunningBridge;

beforeAll(async () => {
  stage = await inboxStage();
  bridge = await stage.bridge();
  const sessions = [await stage.signIn(bridge, 'ada'), await stage.signIn(bridge, 'bob')] as const;
  await using ada = await stage.host(bridge, 'ada', '2026-07-28');
  await using bob = await stage.host(bridge, 'bob', '2025-11-25');
  await stage.host(bridge, 'cleo', '2025-11-25').then(async host => {
    await host.ask({ n: 1 });
    await host.client.close();
  });
  await sessions[0].answer(await ada.ask({ n: 2, message: 'a secret message' }), 'a secret answer');
  await ada.call('ask', { n: 2, message: 'a secret message' });
  await sessions[1].post(`/questions/${await bob.ask({ n: 3 })}`, { action: 'decline' });
  await bob.call('ask', { n: 3 });
});

afterAll(() => stage?.[Symbol.asyncDispose]());

const inboxes = (words: readonly string[], env?: Readonly<Record<string, string>>) =>
  stage.midcall(['inboxes', ...words], env);
const here = (...words: string[]) => inboxes([...words, '--inbox', stage.file]);

interface Line {
  readonly line: number;
  readonly at: number;
  readonly event: string;
  readonly principal: string;
  readonly server?: string;
  readonly how?: string;
}

const linesOf = (text: string): readonly Line[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map(each => JSON.parse(each) as Line);

/** Changes the database as somebody does who can write to its file. */
function meddle<T>(statement: string, ...values: readonly unknown[]): T {
  const database = new Database(stage.file);
  try {
    database.exec('PRAGMA busy_timeout = 10000');
    const prepared = database.prepare(statement);
    return (prepared.reader ? prepared.all(values) : prepared.run(values)) as T;
  } finally {
    database.close();
  }
}

describe('people', () => {
  it('people are listed with when they signed in last and how much waits for them', async () => {
    const { code, out } = await here('people');
    const said = out.replaceAll(/\d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC/g, 'TIME');
    expect([code, said]).toEqual([
      0,
      [
        `${stage.principal('ada')}\n  signed in TIME, 0 open\n`,
        `${stage.principal('bob')}\n  signed in TIME, 0 open\n`,
        `${stage.principal('cleo')}\n  never signed in, 1 open\n`,
      ].join(''),
    ]);
  });

  it('people are removed and admitted by the name in the list, and by no other', async () => {
    for (const word of ['remove', 'admit']) {
      const { code, err } = await here(word, 'nobody');
      expect([code, err]).toEqual([2, expect.stringContaining('Nobody is called nobody. See: midcall inboxes people')]);
    }
    const eve = stage.principal('eve');
    const eves = await stage.signIn(bridge, 'eve');
    expect((await here('admit', eve)).out).toBe('Nothing to do: this person was not removed.\n');
    expect((await here('remove', eve)).out).toBe('Removed.\n');
    expect((await here('remove', eve)).out).toBe('Already removed.\n');
    expect((await here('people')).out).toMatch(/eve \(.*\)\n {2}signed in .*, 0 open, removed .* UTC\n/);
    expect((await eves.get('/')).status).toBe(401);
    expect((await here('admit', eve)).out).toBe('Admitted.\n');
    // The sessions that ended stay ended.
    expect((await eves.get('/')).status).toBe(401);
    expect((await (await stage.signIn(bridge, 'eve')).get('/')).status).toBe(200);
  });
});

describe('the record', () => {
  it('the record is printed as JSON Lines, of a person, of a server and of a time, without contents', async () => {
    const { code, out } = await here('record');
    expect(code).toBe(0);
    expect(out).not.toContain('secret');
    const lines = linesOf(out);
    expect(lines.map(({ line }) => line)).toEqual(lines.map((_, at) => at + 1));
    const of = async (...words: string[]) =>
      linesOf((await here('record', ...words)).out).map(({ event, how }) => how ?? event);
    expect(await of('--principal', stage.principal('ada'))).toEqual(['asked', 'answered']);
    expect(await of('--server', 'another')).toEqual([]);
    expect(await of('--from', '2020-01-01', '--to', '2100-01-01T00:00Z')).toHaveLength(lines.length);
    const second = new Date(lines[1]!.at).toISOString();
    expect(await of('--server', lines[0]!.server!, '--from', second, '--to', second)).toHaveLength(
      lines.filter(({ at }) => at === lines[1]!.at).length,
    );
    const wrong = await here('record', '--from', 'yesterday');
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('--from must be a time such as 2026-11-27')]);
  });

  it('the record names the first line that was changed or removed', async () => {
    const whole = await here('record', '--verify');
    expect([whole.code, whole.out]).toEqual([0, expect.stringMatching(/^\d+ lines, and none was changed\.\n$/)]);
    const [row] = meddle<readonly Record<string, unknown>[]>('select principal from inbox_record where line = 2');
    const verdict = async () => {
      const { code, out } = await here('record', '--verify');
      return [code, out];
    };
    const changed = (line: number) => [
      1,
      `The record was changed: line ${line} is not what was written, or is missing.\n`,
    ];
    meddle('update inbox_record set principal = ? where line = 2', 'somebody else');
    expect(await verdict()).toEqual(changed(2));
    meddle('update inbox_record set principal = ? where line = 2', row!['principal']);
    const [last] = meddle<readonly { line: number }[]>('select max(line) as line from inbox_record');
    meddle('delete from inbox_record where line = ?', last!.line);
    expect(await verdict()).toEqual(changed(last!.line));
  });
});

describe('a copy', () => {
  it('a copy is made while the bridge runs, is for its owner alone, replaces no file, and opens with the key', async () => {
    const copy = join(stage.folder, 'copy.db');
    const made = await here('backup', copy);
    expect([made.code, made.out]).toEqual([0, expect.stringContaining('Keep the key elsewhere')]);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    const again = await here('backup', copy);
    expect([again.code, again.err]).toEqual([
      expect.any(Number),
      expect.stringContaining('The copy must be a new file'),
    ]);
    expect(again.code).not.toBe(0);
    const closed = await inboxes(['people', '--inbox', copy]);
    expect([closed.code === 0, closed.out]).toEqual([false, '']);
    // Nothing is made in the place of the key that is missing.
    expect(existsSync(`${copy}.key`)).toBe(false);
    copyFileSync(`${stage.file}.key`, `${copy}.key`);
    const [original, restored] = [await here('people'), await inboxes(['people', '--inbox', copy])];
    expect(restored.out).toBe(original.out);
    const second = await stage.bridge({ inbox: copy });
    const past = await (await stage.signIn(second, 'ada')).text('/past');
    expect(past).toContain('a secret message');
    await second.end();
  });
});

describe('a place that is wrong', () => {
  const hidden = 'hunter2-canary';
  it.each([
    ['a file that is missing', ['--inbox', '/nowhere/inbox.db'], {}, 'There are no inboxes in /nowhere/inbox.db.'],
    [
      'an address of another kind',
      ['--inbox', `mysql://ada:${hidden}@127.0.0.1/x`],
      {},
      '--inbox must be a file, or an',
    ],
    ['an address that is none', ['--inbox', `postgres://ada:${hidden}@[/x`], {}, '--inbox must be a file, or an'],
    [
      'a database without a key',
      ['--inbox', `postgres://ada:${hidden}@127.0.0.1:1/x`],
      {},
      'need a key that all bridges',
    ],
    [
      'a database that is not there',
      ['--inbox', `postgres://ada:${hidden}@127.0.0.1:1/x`],
      { MIDCALL_KEY: fleetKey },
      'The Postgres database of the inbox cannot be used (ECONNREFUSED).',
    ],
  ] as const)('a place that is wrong is named without its password: %s', async (_, words, env, message) => {
    for (const word of few(['people', 'record'], 'record')) {
      const { code, out, err } = await inboxes([word, ...words], env);
      expect([code === 0, out, err]).toEqual([false, '', expect.stringContaining(message)]);
      expect(err).not.toContain(hidden);
      expect(err).not.toMatch(/\n\s+at /);
    }
  });

  it('a place that was sealed with another key is refused, with what to do', async () => {
    const env = { MIDCALL_KEY: fleetKey };
    const { code, out, err } = await inboxes(['people', '--inbox', stage.file], env);
    expect([code === 0, out, err]).toEqual([
      false,
      '',
      expect.stringContaining('The inbox was sealed with another key. Give that key'),
    ]);
  });

  it('a file of something else is refused, and stays as it was', async () => {
    const other = join(stage.folder, 'other.db');
    const database = new Database(other);
    database.exec('create table t (a)');
    database.close();
    const { code, err } = await inboxes(['people', '--inbox', other], { MIDCALL_KEY: fleetKey });
    expect([code === 0, err]).toEqual([false, expect.stringContaining('is not an inbox')]);
    const left = new Database(other);
    expect(left.prepare('select name from sqlite_master').all()).toEqual([{ name: 't' }]);
    left.close();
  });
});
