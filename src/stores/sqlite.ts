/**
 * The store of one machine: one SQLite file, several processes at once. Every method is one SQL statement, which SQLite
 * makes atomic across processes and whole across `kill -9`; there is nothing to recover.
 *
 * - Q1 Whether a value is alive is judged inside the statement that acts on it, never before.
 * - Q2 Expired rows are removed in small batches, once in a while, by index; a value is gone in time regardless.
 * - Q3 A locked file is waited for without blocking the process for more than a moment.
 */
import { MidcallError } from '../errors.ts';
import { checkEntry, checkKey } from './entry.ts';
import { judged, openSqlite, patiently, type SqliteDatabase } from './sqlite-file.ts';
import type { Store } from './store.ts';

export type { SqliteDatabase, SqliteStatement } from './sqlite-file.ts';

/** What a SQLite store takes from outside. */
export interface SqliteStoreOptions {
  /** The clock, in milliseconds, the same for all processes that share the file; `Date.now` where absent. */
  readonly now?: () => number;
  /** Milliseconds to wait for a lock of another process before `store/unavailable`; 10,000 where absent. */
  readonly patienceMs?: number;
  /**
   * For a path: `full` (default) keeps every write through a power cut; `normal` only through a crash of the process,
   * so that after a power cut a step may start a second time. It writes faster.
   */
  readonly sync?: 'full' | 'normal';
}

/** A store that holds a file open. */
export interface SqliteStore extends Store {
  /** Closes the connection that {@link sqliteStore} opened; a connection you gave stays yours and stays open. */
  close(): void;
}

/** Writes between two clearings of expired rows, and rows removed at most in one. */
const TIDY_EVERY = 64;
const TIDY_ROWS = 256;

const TABLE = `CREATE TABLE IF NOT EXISTS midcall_store
  (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL, expires INTEGER) STRICT;
CREATE INDEX IF NOT EXISTS midcall_store_expires ON midcall_store (expires) WHERE expires IS NOT NULL;`;
const COLUMNS = 'SELECT key, value, expires FROM midcall_store LIMIT 0';
const GET = 'SELECT value FROM midcall_store WHERE key = ? AND (expires IS NULL OR expires > ?)';
const SET = `INSERT INTO midcall_store (key, value, expires) VALUES (?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires = excluded.expires`;
const SET_IF_ABSENT = `${SET} WHERE midcall_store.expires <= ?`;
const DELETE = 'DELETE FROM midcall_store WHERE key = ?';
const TAKE = `${DELETE} RETURNING value, expires IS NULL OR expires > ? AS live`;
const TIDY = `DELETE FROM midcall_store WHERE rowid IN
  (SELECT rowid FROM midcall_store WHERE expires <= ? LIMIT ${TIDY_ROWS})`;

/**
 * @param source - the path of a file, opened with libsql and made where missing; or a connection of yours (libsql,
 *   better-sqlite3, `node:sqlite`), whose settings stay as they are: for several processes set WAL
 * @returns a store; its methods fail with MidcallError `store/unavailable` or `store/corrupt`, TypeError for bad input
 * @throws MidcallError `store/unavailable` or `store/corrupt`; TypeError for bad options
 */
export async function sqliteStore(
  source: string | SqliteDatabase,
  options: SqliteStoreOptions = {},
): Promise<SqliteStore> {
  const now = options.now ?? Date.now;
  const patienceMs = options.patienceMs ?? 10_000;
  const sync = options.sync ?? 'full';
  if (!(patienceMs >= 0)) throw new TypeError('sqliteStore: patienceMs is a number of milliseconds, from 0 on.');
  if (sync !== 'full' && sync !== 'normal') throw new TypeError("sqliteStore: sync is 'full' or 'normal'.");
  const subject = typeof source === 'string' ? `The SQLite store ${JSON.stringify(source)}` : 'The SQLite store';
  const opened = typeof source === 'string' ? await openSqlite(source, { sync, patienceMs }) : undefined;
  const database = opened ?? (source as SqliteDatabase);

  const attempt = async <T>(work: () => T): Promise<T> => {
    try {
      return await patiently(patienceMs, work);
    } catch (error) {
      throw judged(error, subject);
    }
  };

  const prepare = () => {
    database.exec(TABLE);
    try {
      database.prepare(COLUMNS);
    } catch (error) {
      if (!/no such column/.test(String(error))) throw error;
      throw new MidcallError('store/corrupt', `${subject} was made by another version of Midcall. Move it away.`);
    }
    return {
      get: database.prepare(GET),
      set: database.prepare(SET),
      setIfAbsent: database.prepare(SET_IF_ABSENT),
      delete: database.prepare(DELETE),
      take: database.prepare(TAKE),
      tidy: database.prepare(TIDY),
    };
  };
  // Dropped on close: libsql keeps the file open until its statements are collected.
  let statements: ReturnType<typeof prepare> | undefined;
  const ready = (): ReturnType<typeof prepare> => {
    if (!statements) throw new MidcallError('store/unavailable', `${subject} has been closed. Close it last.`);
    return statements;
  };
  try {
    statements = await attempt(prepare);
  } catch (error) {
    opened?.close();
    throw error;
  }

  let writes = 0;
  const tidy = (): void => {
    if (writes++ % TIDY_EVERY !== 0) return;
    try {
      ready().tidy.run(now());
    } catch {
      // Another process is writing, or the file is in trouble: the next call says so, and nothing depends on this one.
    }
  };

  return {
    async get(key) {
      checkKey(key);
      const row = (await attempt(() => ready().get.get(key, now()))) as { value: string } | undefined;
      return row?.value;
    },
    async set(key, value, set) {
      checkEntry(key, value, set);
      const written = await attempt(() => {
        const time = now();
        const expires = set?.ttlMs === undefined ? null : time + set.ttlMs;
        return set?.ifAbsent
          ? ready().setIfAbsent.run(key, value, expires, time)
          : ready().set.run(key, value, expires);
      });
      tidy();
      return Number(written.changes) === 1;
    },
    async delete(key) {
      checkKey(key);
      await attempt(() => ready().delete.run(key));
    },
    async take(key) {
      checkKey(key);
      const row = (await attempt(() => ready().take.get(key, now()))) as
        | { value: string; live: number | bigint }
        | undefined;
      return row && Number(row.live) === 1 ? row.value : undefined;
    },
    close() {
      if (statements && opened) {
        try {
          // Leaves everything in the one file, where no other process is at work.
          opened.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
        } catch {
          // Then the write-ahead log stays beside it, and the next one to open it reads both.
        }
        opened.close();
      }
      statements = undefined;
    },
  };
}
