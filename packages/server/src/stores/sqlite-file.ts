/**
 * Opening one SQLite file that several processes share: accessible to its owner only, in WAL mode, never another program's
 * database. Also what both SQLite modules need: the meaning of the client's errors, and when to try again.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MidcallError, needed } from '@midcall/core/errors';

/** A prepared statement, as in libsql, better-sqlite3 and `node:sqlite`. */
export interface SqliteStatement {
  get(...values: (string | number | null)[]): unknown;
  run(...values: (string | number | null)[]): { readonly changes: number | bigint };
  /** Returns rows as lists from now on, in libsql and better-sqlite3. */
  raw?(on: boolean): unknown;
}

/** A connection, as in libsql, better-sqlite3 and `node:sqlite`. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  /** Whether a transaction is open, in libsql and better-sqlite3. */
  readonly inTransaction?: boolean;
  /** The error code in `node:sqlite`. */
  readonly isTransaction?: boolean;
}

/** `MDCL`, in the header of every file we make. */
const APPLICATION_ID = 0x4d44434c;
/** How long SQLite itself waits for a lock, blocking this process; the rest of the wait is asynchronous. */
const BLOCKING_MS = 10;

/**
 * Opens or creates the file.
 * @param path - its folder is created if missing; `:memory:` for a database of this connection only
 * @param options - `sync`: `full` keeps every write through a power cut; `normal` through a crash of the process only,
 *   and writes faster. `lockTimeoutMs`: how long to wait for a lock of another process
 * @throws MidcallError `store/corrupt` if the file is damaged or belongs to another program, `store/unavailable` if it cannot
 *   be opened, or others may read it and that cannot be changed
 */
export async function openSqlite(
  path: string,
  options: { readonly sync: 'full' | 'normal'; readonly lockTimeoutMs: number },
): Promise<SqliteDatabase & { close(): void }> {
  const { default: Database } = await needed('A SQLite store given as a path', 'libsql', () => import('libsql'));
  try {
    if (path !== ':memory:') {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      // Only a new file is opened here: to close one takes all locks on it from this process, those of its other connections too.
      if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
      // The last writes may still be in the files beside it.
      for (const end of ['', '-wal', '-shm', '-journal']) makePrivate(`${path}${end}`);
    }
    return await untilUnlocked(options.lockTimeoutMs, () => {
      // A connection for each attempt: in libsql a statement that met a lock stays open and spoils its connection.
      const database: SqliteDatabase & { close(): void } = new Database(path);
      try {
        database.exec(`PRAGMA busy_timeout = ${BLOCKING_MS}`);
        prepareFile(database, path, options.sync);
        return database;
      } catch (error) {
        database.close();
        throw error;
      }
    });
  } catch (error) {
    throw judged(error, `The SQLite store ${JSON.stringify(path)}`);
  }
}

/** Removes everybody's access to a file except its owner's, if there is one. */
function makePrivate(path: string): void {
  if (process.platform === 'win32') return;
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile() || (stat.mode & 0o077) === 0) return;
  try {
    chmodSync(path, stat.mode & 0o700);
  } catch (error) {
    // Another process has removed it in that moment.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new MidcallError(
      'store/unavailable',
      `Others may read or write the SQLite file ${JSON.stringify(path)}, and this process may not change that. Run chmod 600 on it as its owner.`,
    );
  }
}

function prepareFile(database: SqliteDatabase, path: string, sync: 'full' | 'normal'): void {
  const id = only(database, 'PRAGMA application_id');
  if (id !== APPLICATION_ID) {
    if (id !== 0 || only(database, 'SELECT count(*) FROM sqlite_master') !== 0) {
      throw new MidcallError(
        'store/corrupt',
        `The SQLite file ${JSON.stringify(path)} belongs to another program. Give Midcall a file of its own.`,
      );
    }
    // Before any table, so that no other process ever sees a table without the mark.
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  }
  const mode = only(database, 'PRAGMA journal_mode = WAL');
  if (mode !== 'wal' && mode !== 'memory') {
    throw new MidcallError(
      'store/unavailable',
      `The SQLite file ${JSON.stringify(path)} cannot use a write-ahead log. Keep it on a local disk, not on a network one.`,
    );
  }
  database.exec(`PRAGMA synchronous = ${sync === 'full' ? 'FULL' : 'NORMAL'}`);
  // If no write waits for the disk, moving the log into the file takes most of the time, so it is done a quarter as often.
  if (sync === 'normal') database.exec('PRAGMA wal_autocheckpoint = 4000');
}

/** If the client can, it returns rows as lists: naming the columns takes a tenth of a read. `Object.values` reads both. */
export function rowsAsLists(statement: SqliteStatement): SqliteStatement {
  statement.raw?.(true);
  return statement;
}

/** The first column of a query's only row. */
function only(database: SqliteDatabase, sql: string): unknown {
  return Object.values(database.prepare(sql).get() as object)[0];
}

/**
 * Runs `attempt` until the file is not locked, at most for `lockTimeoutMs`. Waiting is asynchronous and its length random, so
 * that processes that collided once do not collide again.
 */
export async function untilUnlocked<T>(lockTimeoutMs: number, attempt: () => T): Promise<T> {
  const deadline = performance.now() + lockTimeoutMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    await pause(1 + Math.random() * BLOCKING_MS);
  }
}

/** The client's error as ours; `subject` begins the message. Never repeats the client's text, which may contain data. */
export function judged(error: unknown, subject: string): unknown {
  if (error instanceof MidcallError) return error;
  const code = codeOf(error);
  if (code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB') {
    return new MidcallError(
      'store/corrupt',
      `${subject} is damaged, or not a SQLite database. Restore it from a backup, or stop every process and move it away to start over; open questions are then lost.`,
    );
  }
  if (isBusy(error)) {
    return new MidcallError('store/unavailable', `${subject} stayed locked by another process. Try again.`);
  }
  return new MidcallError(
    'store/unavailable',
    `${subject} cannot be used (${code}). Check that the disk has room and that the file can be written.`,
  );
}

const codes: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  11: 'SQLITE_CORRUPT',
  26: 'SQLITE_NOTADB',
};

/** Whether an error of the client says that somebody else has the lock. */
export const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));

/** libsql and better-sqlite3 give names (`SQLITE_BUSY_SNAPSHOT`), `node:sqlite` a number; files have errno names. */
function codeOf(error: unknown): string {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  if (typeof errcode === 'number') return codes[errcode & 0xff] ?? `SQLite error ${errcode}`;
  if (typeof code !== 'string' || code === '') return 'no code given';
  return /^SQLITE_(CORRUPT|NOTADB)/.exec(code)?.[0] ?? code;
}
