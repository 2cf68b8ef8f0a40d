/**
 * The store of one machine: one SQLite file, several processes at once, intact after `kill -9`; nothing to recover. Expired
 * rows are removed by a sweep that cycles through the table, a few rows every so many writes; values expire on time regardless.
 * An index on the expiries would cost every write another page.
 */

import { MidcallError } from '@midcall/core/errors';
import { checkKind, checkOptions, notNegative, oneOf } from '@midcall/core/options';
import type { SortedSets, Store } from '@midcall/core/store';
import { checkEntry, checkKey, checkMembers, checkScore } from '@midcall/core/store';
import { type Clock, nowKind, systemClock } from '@midcall/core/time';
import { SqliteConnection } from './sqlite-connection.ts';
import { judged, openSqlite, type SqliteDatabase, untilUnlocked } from './sqlite-file.ts';

export type { Store } from '@midcall/core/store';
export type { SqliteDatabase, SqliteStatement } from './sqlite-file.ts';

/** The options of a SQLite store. */
export interface SqliteStoreOptions {
  /** The current time, and timers; this machine's clock if absent. */
  readonly clock?: Pick<Clock, 'now'>;
  /** Milliseconds to wait for a lock of another process before `store/unavailable`; 10,000 if absent. */
  readonly lockTimeoutMs?: number;
  /**
   * For a path: `full` (default) keeps every write through a power cut; `normal` only through a crash of the process,
   * so that after a power cut a step may start a second time. It writes faster.
   */
  readonly sync?: 'full' | 'normal';
}

/** A store that holds a file open. */
export interface SqliteStore extends Store {
  /** Closes the connection that {@link sqliteStore} opened; a connection that you passed stays open. */
  close(): void;
}

const sourceKind = {
  words: 'the path of a file, or an open database of libsql, better-sqlite3 or node:sqlite',
  fits: (value: unknown) =>
    typeof value === 'string'
      ? value !== ''
      : typeof (value as SqliteDatabase | null)?.prepare === 'function' &&
        typeof (value as SqliteDatabase).exec === 'function',
};

/** Writes between two steps of the sweep, and rows per step. */
const SWEEP_EVERY = 64;
const SWEEP_ROWS = 256;

// The expiry column comes before the value, so that the sweep need not read past a long value.
const TABLE = `CREATE TABLE IF NOT EXISTS midcall_store
  (key TEXT PRIMARY KEY NOT NULL, expires INTEGER, value TEXT NOT NULL) STRICT`;
const SORTED_TABLE = `CREATE TABLE IF NOT EXISTS midcall_sorted
  (name TEXT NOT NULL, member TEXT NOT NULL, score INTEGER NOT NULL, PRIMARY KEY (name, member)) STRICT, WITHOUT ROWID`;
const SORTED_INDEX = 'CREATE INDEX IF NOT EXISTS midcall_sorted_by_score ON midcall_sorted (name, score)';
const TABLES = [TABLE, SORTED_TABLE, SORTED_INDEX];
const HAS_TABLES = `SELECT count(*) AS count FROM sqlite_master
  WHERE name IN ('midcall_store', 'midcall_sorted', 'midcall_sorted_by_score')`;
const COLUMNS = [
  'SELECT key, value, expires FROM midcall_store LIMIT 0',
  'SELECT name, member, score FROM midcall_sorted LIMIT 0',
];
const GET = 'SELECT value, expires FROM midcall_store WHERE key = ?';
const SET = `INSERT INTO midcall_store (key, value, expires) VALUES (?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires = excluded.expires`;
const SET_IF_ABSENT = `${SET} WHERE midcall_store.expires <= ?`;
const SET_IF_EQUALS = `UPDATE midcall_store SET value = ?, expires = ?
  WHERE key = ? AND value = ? AND (expires IS NULL OR expires > ?)`;
const DELETE = 'DELETE FROM midcall_store WHERE key = ?';
const TAKE = `${DELETE} RETURNING value, expires`;
const ADD = `INSERT INTO midcall_sorted (name, member, score) VALUES (?, ?, ?)
  ON CONFLICT (name, member) DO UPDATE SET score = excluded.score`;
const REMOVE = 'DELETE FROM midcall_sorted WHERE name = ? AND member = ?';
// One text, since a connection is only asked for single rows.
const RANGE = `SELECT json_group_array(json_array(member, score)) AS members FROM
  (SELECT member, score FROM midcall_sorted WHERE name = ? AND score <= ? ORDER BY score)`;
const END = 'SELECT max(rowid) AS last FROM midcall_store';
const SWEPT = `SELECT max(rowid) AS last FROM
  (SELECT rowid FROM midcall_store WHERE rowid > ? ORDER BY rowid LIMIT ${SWEEP_ROWS})`;
const SWEEP = 'DELETE FROM midcall_store WHERE rowid > ? AND rowid <= ? AND expires <= ?';

/**
 * @param source - the path of a file, opened with libsql and created if missing; or your own connection (libsql,
 *   better-sqlite3, `node:sqlite`), whose settings stay as they are: for several processes set WAL and a busy timeout. A call
 *   made while your own transaction is open belongs to it, and is undone if you roll back; begin it with `BEGIN IMMEDIATE`, and
 *   do not keep it open across an `await` of anything else
 * @returns a store; its methods fail with MidcallError `store/unavailable` or `store/corrupt`, TypeError for bad input
 * @throws MidcallError `store/unavailable` or `store/corrupt`; TypeError for bad options
 * @example
 * ```ts
 * const mid = midcall({ key, store: await sqliteStore('midcall.db') }); // for the processes of one machine
 * ```
 */
export async function sqliteStore(
  source: string | SqliteDatabase,
  options: SqliteStoreOptions = {},
): Promise<SqliteStore> {
  checkKind('sqliteStore', 'the first argument', source, sourceKind);
  checkOptions('sqliteStore', options, { clock: nowKind, lockTimeoutMs: notNegative, sync: oneOf('full', 'normal') });
  const { clock = systemClock, lockTimeoutMs = 10_000, sync = 'full' } = options;
  const subject = typeof source === 'string' ? `The SQLite store ${JSON.stringify(source)}` : 'The SQLite store';
  const opened = typeof source === 'string' ? await openSqlite(source, { sync, lockTimeoutMs }) : undefined;
  const database = opened ?? (source as SqliteDatabase);

  const live = (row: Row | undefined): string | undefined => {
    if (!row) return undefined;
    const [value, expires] = Object.values(row) as [string, number | bigint | null];
    return expires === null || Number(expires) > clock.now() ? value : undefined;
  };
  const connection = new SqliteConnection<Row, Statements>(database, {
    // Clients may be told of these errors, and the path is none of their business.
    subject: 'The SQLite store',
    lockTimeoutMs,
    own: opened !== undefined,
    get: GET,
    prepare,
    live,
  });
  let closed = false;

  try {
    await untilUnlocked(lockTimeoutMs, () => makeTables(database, subject));
  } catch (error) {
    opened?.close();
    throw judged(error, subject);
  }
  let writes = 0;
  /**
   * The row after which the sweep continues; each process begins at a random row, so that short-lived ones do not all sweep the
   * same.
   */
  let at: number | undefined;
  const sweep = ({ end, swept, sweep }: Statements, time: number): void => {
    at ??= Math.floor(time) % (lastOf(end.get()) + 1);
    const to = lastOf(swept.get(at));
    if (to > 0) sweep.run(at, to, time);
    at = to;
  };

  const sortedSets: SortedSets = {
    async add(set, member, score) {
      checkMembers(set, [member]);
      checkScore(score);
      await connection.write(set, ({ add }) => add.run(set, member, score));
    },
    async remove(set, members) {
      checkMembers(set, members);
      if (members.length === 0) return;
      await connection.write(set, ({ remove }) => {
        for (const member of members) remove.run(set, member);
      });
    },
    async range(set, max = Number.MAX_SAFE_INTEGER) {
      checkMembers(set, []);
      checkScore(max);
      // In a transaction, after the changes that were requested before it.
      const found = await connection.write(set, ({ range }) => range.get(set, max) as { members: string });
      return JSON.parse(found.members) as [string, number][];
    },
  };

  return {
    sortedSets,
    // Ends by itself, except on a disk that does not respond.
    timeoutMs: lockTimeoutMs + 10_000,
    async get(key) {
      checkKey(key);
      return live(await connection.read(key));
    },
    async set(key, value, set) {
      checkEntry(key, value, set);
      const { ifEquals } = set ?? {};
      const write = (statements: Statements): boolean => {
        const time = clock.now();
        const expires = set?.ttlMs === undefined ? null : time + set.ttlMs;
        if (writes++ % SWEEP_EVERY === 0) sweep(statements, time);
        const { changes } =
          ifEquals !== undefined
            ? statements.setIfEquals.run(value, expires, key, ifEquals, time)
            : set?.ifAbsent
              ? statements.setIfAbsent.run(key, value, expires, time)
              : statements.set.run(key, value, expires);
        return Number(changes) === 1;
      };
      if (ifEquals !== undefined) return connection.write(key, write, unlessOther(ifEquals));
      return connection.write(key, write, set?.ifAbsent ? unlessPresent : undefined);
    },
    async delete(key) {
      checkKey(key);
      await connection.write(key, statements => statements.delete.run(key));
    },
    async take(key) {
      checkKey(key);
      return connection.write(key, statements => live(statements.take.get(key) as Row | undefined), unlessGone);
    },
    close() {
      if (closed) return;
      closed = true;
      connection.end('has been closed. Close it last.');
      if (!opened) return;
      try {
        // Moves everything into the one file, if no other process is using it.
        opened.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      } catch {
        // Then the write-ahead log stays next to it, and whoever opens it next reads both.
      }
      opened.close();
    },
  };
}

const unlessPresent = (current: string | undefined) => (current === undefined ? undefined : { is: false });
const unlessOther = (value: string) => (current: string | undefined) => (current === value ? undefined : { is: false });
const unlessGone = (current: string | undefined) => (current === undefined ? { is: undefined } : undefined);

/** A value and its expiry, in this order: a list or an object, depending on the client. */
type Row = object;

type Statements = ReturnType<typeof prepare>;

const prepare = (database: SqliteDatabase) => ({
  set: database.prepare(SET),
  setIfAbsent: database.prepare(SET_IF_ABSENT),
  setIfEquals: database.prepare(SET_IF_EQUALS),
  delete: database.prepare(DELETE),
  take: database.prepare(TAKE),
  add: database.prepare(ADD),
  remove: database.prepare(REMOVE),
  range: database.prepare(RANGE),
  end: database.prepare(END),
  swept: database.prepare(SWEPT),
  sweep: database.prepare(SWEEP),
});

/** The number of a row; 0 if there is none. */
const lastOf = (row: unknown): number => Number((row as { last: number | bigint | null }).last ?? 0);

/** Creates the tables if there are none. */
function makeTables(database: SqliteDatabase, subject: string): void {
  const { count } = database.prepare(HAS_TABLES).get() as { count: number | bigint };
  if (Number(count) < TABLES.length) for (const table of TABLES) database.exec(table);
  try {
    for (const columns of COLUMNS) database.prepare(columns);
  } catch (error) {
    if (!/no such column/.test(String(error))) throw error;
    throw new MidcallError('store/corrupt', `${subject} was made by another version of Midcall. Move it away.`);
  }
}
