/**
 * A SQLite file for Kysely, by libsql. Only its owner may read the file. Other processes may have it open, such as a command that
 * removes a person while a bridge runs.
 *
 * - inbox-sqlite-L1 Every write is in a transaction that begins by taking the write lock, without blocking the process for more than a
 *   moment; no other statement waits for it. In libsql a statement that met a lock stays open and spoils its connection.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MidcallError } from '@midcall/core/errors';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import Database from 'libsql';

/** `MDIN`, in the header of every file we make. */
const applicationId = 0x4d44494e;
/** How long SQLite itself waits for a lock, which blocks this process. */
const blockingMs = 10;
/** How long a transaction waits for that of another process. */
const lockTimeoutMs = 10_000;

type SqliteFile = Database.Database;

/** @throws what libsql and the file system throw; MidcallError if the file is another program's */
export async function openSqliteFile(path: string): Promise<SqliteFile> {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Only a new file is opened here: to close one takes all locks on it from this process, those of its other connections too.
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
    // The last writes of a process that died are in the files beside it.
    for (const end of ['', '-wal', '-shm', '-journal']) makePrivate(`${path}${end}`);
  }
  return untilUnlocked(() => {
    const database = new Database(path);
    try {
      database.exec(`PRAGMA busy_timeout = ${blockingMs}`);
      prepareFile(database, path);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
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
      `Others may read or write the inbox ${JSON.stringify(path)}, and this process may not change that. Run chmod 600 on it as its owner.`,
    );
  }
}

function prepareFile(database: SqliteFile, path: string): void {
  const id = only(database, 'PRAGMA application_id');
  if (id !== applicationId) {
    if (id !== 0 || only(database, 'SELECT count(*) FROM sqlite_master') !== 0) {
      throw new MidcallError(
        'store/corrupt',
        `The SQLite file ${JSON.stringify(path)} is not an inbox. Give the inbox a file of its own.`,
      );
    }
    database.exec(`PRAGMA application_id = ${applicationId}`);
  }
  const mode = only(database, 'PRAGMA journal_mode = WAL');
  if (mode !== 'wal' && mode !== 'memory') {
    throw new MidcallError(
      'store/unavailable',
      `The SQLite file ${JSON.stringify(path)} cannot use a write-ahead log. Store it on a local disk, not on a network one.`,
    );
  }
  // What was acknowledged survives a power cut.
  database.exec('PRAGMA synchronous = FULL');
}

/** Copies the database to a new file. @throws MidcallError `server/setup` if the file exists or cannot be made */
export function copySqliteFile(database: SqliteFile, to: string): void {
  try {
    // SQLite fills an empty file, and would make one that others may read.
    closeSync(openSync(to, 'wx', 0o600));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new MidcallError(
      'server/setup',
      `The copy must be a new file in a folder that exists; got ${JSON.stringify(to)} (${code}).`,
    );
  }
  try {
    database.prepare('VACUUM INTO ?').run(to);
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  }
}

/** The first column of a query's only row. */
const only = (database: SqliteFile, query: string): unknown =>
  Object.values(database.prepare(query).get() as object)[0];

/** Runs `attempt` until the file is not locked. The waits are random, so that processes that collided do not collide again. */
async function untilUnlocked<T>(attempt: () => T): Promise<T> {
  const deadline = performance.now() + lockTimeoutMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      const isLocked = /^SQLITE_(BUSY|LOCKED)/.test(String((error as { code?: unknown }).code));
      if (!isLocked || performance.now() >= deadline) throw error;
    }
    await pause(1 + Math.random() * blockingMs);
  }
}

/** SQLite as Kysely sees it, with one connection. */
export const sqliteDialect = (database: SqliteFile): Dialect => ({
  createAdapter: () => new Adapter(),
  createDriver: () => new OneConnection(database),
  createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
});

/** Migrations run in a transaction, so that two processes that start at once do not both run them. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class OneConnection implements Driver, DatabaseConnection {
  readonly #database: SqliteFile;
  #turn: Promise<void> = Promise.resolve();
  #endTurn = (): void => {};

  constructor(database: SqliteFile) {
    this.#database = database;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#turn;
    let endTurn = (): void => {};
    this.#turn = new Promise(resolve => {
      endTurn = resolve;
    });
    await before;
    this.#endTurn = endTurn;
    return this;
  }

  async releaseConnection(): Promise<void> {
    this.#endTurn();
  }

  beginTransaction(): Promise<void> {
    return untilUnlocked(() => void this.#database.exec('BEGIN IMMEDIATE'));
  }

  async commitTransaction(): Promise<void> {
    this.#database.exec('COMMIT');
  }

  async rollbackTransaction(): Promise<void> {
    // After some errors, such as that of a full disk, SQLite has ended the transaction itself.
    if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const statement = this.#database.prepare(sql);
    const values = parameters as unknown[];
    // A read may meet a lock while SQLite recovers from a crash; it is repeated on the same statement with nothing in between.
    if (statement.reader) return untilUnlocked(() => ({ rows: statement.all(values) as R[] }));
    if (this.#database.inTransaction) return { rows: [], numAffectedRows: BigInt(statement.run(values).changes) };
    await this.beginTransaction();
    try {
      const { changes } = statement.run(values);
      await this.commitTransaction();
      return { rows: [], numAffectedRows: BigInt(changes) };
    } catch (error) {
      await this.rollbackTransaction();
      throw error;
    }
  }

  // biome-ignore lint/correctness/useYield: a driver has to have it, and nothing here streams.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new TypeError('Queries of the inbox are not streamed.');
  }

  async destroy(): Promise<void> {
    this.#database.close();
  }
}
