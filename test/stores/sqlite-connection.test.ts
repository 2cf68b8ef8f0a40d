import Database from 'libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SqliteConnection } from '../../packages/server/src/stores/sqlite-connection.ts';
import type { SqliteDatabase } from '../../packages/server/src/stores/sqlite-file.ts';

let database: SqliteDatabase & { close(): void };
let commits: number;
let connection: SqliteConnection<object, { insert: (key: string) => string }>;

beforeEach(() => {
  commits = 0;
  database = new Database(':memory:') as SqliteDatabase & { close(): void };
  database.exec("CREATE TABLE written (key TEXT CHECK (key <> 'bad'))");
  const counted: SqliteDatabase = {
    prepare: sql => database.prepare(sql),
    exec: sql => {
      if (sql === 'COMMIT') commits++;
      return database.exec(sql);
    },
    get inTransaction() {
      return database.inTransaction ?? false;
    },
  };
  connection = new SqliteConnection(counted, {
    subject: 'The file',
    lockTimeoutMs: 0,
    own: true,
    get: 'SELECT key AS value FROM written WHERE key = ?',
    prepare: prepared => {
      const insert = prepared.prepare('INSERT INTO written (key) VALUES (?)');
      return {
        insert: key => {
          insert.run(key);
          return key;
        },
      };
    },
    live: row => (row ? Object.values(row)[0] : undefined),
  });
});
afterEach(() => database.close());

const write = (key: string) => connection.write(key, ({ insert }) => insert(key));
const turn = () => new Promise<void>(resolve => setImmediate(resolve));
const rows = () => (database.prepare('SELECT count(*) AS rows FROM written').get() as { rows: number }).rows;

it('sqlite-Q2: writes asked for in one breath are one transaction, and each is told its own result', async () => {
  expect(await Promise.all(['a', 'b', 'c'].map(write))).toEqual(['a', 'b', 'c']);
  expect(commits).toBe(1);
  expect(rows()).toBe(3);
});

it('sqlite-Q2: a lone write does not wait for the end of its turn', async () => {
  let ended = false;
  setImmediate(() => {
    ended = true;
  });
  await write('a');
  expect(ended).toBe(false);
});

it('sqlite-Q2: writes of each turn after a busy one are one transaction, until a turn brings a single write', async () => {
  /** As many calls, each in an event of its own, as they come from as many sockets. */
  const events = (keys: string[]) =>
    Promise.all(
      keys.map(key => new Promise((resolve, reject) => setImmediate(() => void write(key).then(resolve, reject)))),
    );
  await events(['a', 'b', 'c']);
  expect(commits).toBe(3);
  await events(['d', 'e', 'f']);
  expect(commits).toBe(4);
  await events(['g', 'h']);
  expect(commits).toBe(5);
  await events(['i']);
  await turn();
  await events(['j', 'k']);
  expect(commits).toBe(8);
  expect(rows()).toBe(11);
});

it('sqlite-Q2: a write that fails takes none along that shared its transaction', async () => {
  const [a, bad, b] = await Promise.allSettled(['a', 'bad', 'b'].map(write));
  expect([a, b]).toEqual([
    { status: 'fulfilled', value: 'a' },
    { status: 'fulfilled', value: 'b' },
  ]);
  expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'store/unavailable' } });
  expect(rows()).toBe(2);
});

it('sqlite-Q2: a transaction takes 256 writes, and all are written', async () => {
  await Promise.all(Array.from({ length: 1_000 }, (_, index) => write(`${index}`)));
  expect(commits).toBe(4);
  expect(rows()).toBe(1_000);
});

it('an ended connection fails what comes later, and says why', async () => {
  const before = write('a');
  connection.end('has been closed.');
  expect(await before).toBe('a');
  await expect(Promise.allSettled(['b', 'c'].map(write))).resolves.toMatchObject([
    { reason: { code: 'store/unavailable', message: 'The file has been closed.' } },
    { reason: { code: 'store/unavailable', message: 'The file has been closed.' } },
  ]);
  expect(rows()).toBe(1);
});
