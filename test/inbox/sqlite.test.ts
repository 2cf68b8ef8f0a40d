/** The inbox in a SQLite file. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Attributes, type Tracer, trace } from '@opentelemetry/api';
import Database from 'libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openInboxStore } from '../../packages/inbox/src/store/index.ts';
import { approvalsContract } from './approvals-contract.ts';
import { inboxContract, type Place } from './contract.ts';
import { bridge, key, question, stopAll, yes } from './stage.ts';

let folder: string;
let made = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'midcall-inbox-'));
});
afterEach(async () => {
  await stopAll();
  rmSync(folder, { recursive: true, force: true });
});

async function place(): Promise<Place> {
  const where = join(folder, `${made++}.db`);
  /** Others in this process may be in a transaction, so nothing waits for its end here. */
  const rows = async (statement: string): Promise<readonly (readonly string[])[]> => {
    for (;;) {
      const database = new Database(where);
      try {
        const statements = statement.split('; ').map(each => database.prepare(each));
        const results = statements.map(each => (each.reader ? (each.all() as object[]) : void each.run()));
        return (results.at(-1) ?? []).map(row => Object.values(row).map(String));
      } catch (error) {
        if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
        await new Promise(resolve => setImmediate(resolve));
      } finally {
        database.close();
      }
    }
  };
  return {
    where,
    sql: rows,
    plan: async query => JSON.stringify(await rows(`explain query plan ${query}`)),
  };
}

inboxContract('SQLite', place);
approvalsContract('SQLite', place);

it('the files are readable by their owner only, and those that were not are mended', async () => {
  const where = join(folder, 'deep', 'inbox.db');
  const a = await bridge({ where });
  await a.ask('ada');
  const files = ['', '-wal', '-shm'].map(end => `${where}${end}`);
  for (const file of files) expect(statSync(file).mode & 0o777).toBe(0o600);
  // A process that died leaves all of them.
  for (const file of files) chmodSync(file, 0o644);
  await bridge({ where });
  for (const file of files) expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('an inbox without a key makes one beside the file, once, and does not replace one that was lost', async () => {
  const where = join(folder, 'inbox.db');
  const open = () => openInboxStore({ where });
  const first = await open();
  await first.stop();
  const made = readFileSync(`${where}.key`, 'utf8');
  expect(statSync(`${where}.key`).mode & 0o777).toBe(0o600);
  await (await open()).stop();
  expect(readFileSync(`${where}.key`, 'utf8')).toBe(made);
  rmSync(`${where}.key`);
  await expect(open()).rejects.toMatchObject({ code: 'server/setup' });
  expect(existsSync(`${where}.key`)).toBe(false);
});

it('a file of another program, and a damaged one, are refused and left as they are', async () => {
  const theirs = join(folder, 'theirs.db');
  const database = new Database(theirs);
  database.exec('create table notes (text)');
  database.close();
  await expect(bridge({ where: theirs })).rejects.toMatchObject({ code: 'store/corrupt' });
  const damaged = join(folder, 'damaged.db');
  writeFileSync(damaged, 'this is no database, though it is long enough to be the header of one, is it not, and so on');
  const before = readFileSync(damaged);
  await expect(bridge({ where: damaged })).rejects.toMatchObject({ code: 'store/corrupt' });
  expect(readFileSync(damaged).equals(before)).toBe(true);
});

it('a copy that was made while questions were asked opens as an inbox, and its record verifies', async () => {
  const where = join(folder, 'inbox.db');
  const a = await bridge({ where });
  const [first, open] = [await a.ask('ada', question('First')), await a.ask('ada', question('Second'))];
  expect(await a.store.person('ada').reply(first.id, yes)).toEqual({ ok: true });
  const copy = join(folder, 'copy.db');
  const asking = Promise.all([1, 2, 3].map(n => a.ask('bob', question(`${n}`))));
  await a.store.backup(copy);
  await asking;
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  await expect(a.store.backup(copy)).rejects.toMatchObject({ code: 'server/setup' });
  await expect(a.store.backup(join(folder, 'none', 'copy.db'))).rejects.toMatchObject({ code: 'server/setup' });
  await stopAll();
  const b = await bridge({ where: copy, key });
  const ada = b.store.person('ada');
  expect((await ada.ended(0, 9)).questions).toMatchObject([{ question: { message: 'First' } }]);
  expect(await ada.get(open.id)).toMatchObject({ question: { message: 'Second' } });
  expect(await b.store.record.verify()).toMatchObject({ ok: true });
});

it('each question that has ended is a span from its asking to its end, with what the record says and no contents', async () => {
  const spans: { readonly name: string; readonly from: unknown; to?: unknown; attributes?: Attributes }[] = [];
  const tracer = {
    startSpan(name: string, { startTime }: { startTime: number }) {
      const span: (typeof spans)[number] = { name, from: startTime };
      spans.push(span);
      return {
        setAttributes: (attributes: Attributes) => Object.assign(span, { attributes }),
        end: (to: number) => Object.assign(span, { to }),
      };
    },
  } as unknown as Tracer;
  trace.disable();
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  try {
    const a = await bridge({ where: join(folder, 'inbox.db') });
    const asked = await a.ask('ada', question('canary-question'), { host: 'A host' });
    await a.store.person('ada').reply(asked.id, yes);
    const [ended] = (await a.store.person('ada').ended(0, 1)).questions;
    expect(spans).toEqual([
      {
        name: 'midcall.inbox.question',
        from: asked.question.askedAt,
        to: ended!.endedAt,
        attributes: {
          'midcall.principal': 'ada',
          'midcall.server': 'notes',
          'midcall.host': 'A host',
          'midcall.kind': 'form',
          'midcall.how': 'answered',
          'midcall.via': 'inbox',
        },
      },
    ]);
  } finally {
    trace.disable();
  }
});
