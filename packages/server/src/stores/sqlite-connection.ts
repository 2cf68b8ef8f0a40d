/**
 * The store's reads, and its writes in transactions, over one connection, whoever else has the file open.
 *
 * - sqlite-Q1 Every write runs between `BEGIN IMMEDIATE` and `COMMIT`, and counts only when the commit is done. If somebody
 *   else has the lock, a write that reading alone can refuse (a ticket that is gone, a claim that is held) is refused without
 *   waiting for the lock; if nobody has it, the write itself finds out, which saves a read.
 * - sqlite-Q2 Writes requested together are one transaction, in the order of the requests. Once a turn of the event loop has
 *   brought several, those of each turn are combined, until a turn brings a single write: so 32 simultaneous calls wait for the
 *   disk once, and a single call waits for no other. If the transaction fails, each write is tried alone, so that none fails
 *   because of another. A read sees the writes to its key that were requested before it.
 * - sqlite-Q3 A prepared statement never waits for the write lock: `BEGIN` waits for it. In libsql, a statement that meets a
 *   lock stays open, so that nothing is committed on that connection and the statement's next `get` returns the values of this
 *   one. A read, which may meet a lock while SQLite recovers from a crash, is repeated on the same statement with nothing in
 *   between.
 * - sqlite-Q4 A locked file is waited for without blocking the process for more than a moment.
 */
import { MidcallError } from '@midcall/core/errors';
import {
  isBusy,
  judged,
  rowsAsLists,
  type SqliteDatabase,
  type SqliteStatement,
  untilUnlocked,
} from './sqlite-file.ts';

/** The purpose and settings of a connection. */
export interface SqliteConnectionOptions<Row, Statements> {
  /** The beginning of every error message. */
  readonly subject: string;
  /** Milliseconds to wait for a lock of another process. */
  readonly lockTimeoutMs: number;
  /** Whether nobody else uses this connection. Writes on a shared connection may be part of somebody else's transaction. */
  readonly own: boolean;
  /** Selects the row of a key. */
  readonly get: string;
  readonly prepare: (database: SqliteDatabase) => Statements;
  /** The value of a row that has not expired. */
  readonly live: (row: Row | undefined) => string | undefined;
}

/** What a write does in its transaction. Its result is only reported after the commit, so it has no other effect. */
type Work<Statements, T> = (statements: Statements) => T;
/** The result, if the key's value alone makes the write unnecessary (sqlite-Q1). */
type Refusal<T> = (current: string | undefined) => { readonly is: T } | undefined;

interface QueuedWrite<Statements> {
  readonly key: string;
  readonly work: Work<Statements, unknown>;
  readonly refusal: Refusal<unknown> | undefined;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The maximum number of writes in one transaction, so that it blocks the process and the lock for a few milliseconds at most.
 */
const MAX_TOGETHER = 256;

export class SqliteConnection<Row, Statements> {
  readonly #database: SqliteDatabase;
  readonly #options: SqliteConnectionOptions<Row, Statements>;
  #statements: Statements | undefined;
  #reading: SqliteStatement | undefined;
  #unusable: string | undefined;
  /** Requested writes that are not written yet, in order. */
  readonly #queued: QueuedWrite<Statements>[] = [];
  /** How many writes this turn has brought. */
  #writes = 0;
  /** Whether the writes of a turn wait for its end (sqlite-Q2). */
  #together = false;
  /** True from a write that met somebody else's lock until the next one that did not. */
  #inDemand = false;

  constructor(database: SqliteDatabase, options: SqliteConnectionOptions<Row, Statements>) {
    this.#database = database;
    this.#options = options;
  }

  /** @returns the row: immediately if the file is free, as it nearly always is, otherwise when it becomes free (sqlite-Q4) */
  read(key: string): Row | undefined | Promise<Row | undefined> {
    while (this.#queued.length > 0 && this.#queued.some(each => each.key === key)) this.#writeAsked();
    const { get, lockTimeoutMs, subject } = this.#options;
    let statement = this.#reading;
    const once = (): Row | undefined => {
      this.#checkUsable();
      statement ??= rowsAsLists(this.#database.prepare(get));
      this.#reading = undefined;
      const row = statement.get(key) as Row | undefined;
      this.#reading = statement;
      return row;
    };
    try {
      return once();
    } catch (error) {
      if (!isBusy(error)) throw judged(error, subject);
    }
    return untilUnlocked(lockTimeoutMs, once).catch(error => {
      throw judged(error, subject);
    });
  }

  /** Writes to one key, possibly together with other writes (sqlite-Q2). @returns the result of `work`, once committed */
  async write<T>(key: string, work: Work<Statements, T>, refusal?: Refusal<T>): Promise<T> {
    if (refusal && this.#inDemand) {
      const refused = refusal(this.#options.live(await this.read(key)));
      if (refused) return refused.is;
    }
    return new Promise<T>((resolve, reject) => {
      this.#queued.push({ key, work, refusal, resolve: resolve as (result: unknown) => void, reject });
      if (!this.#options.own) return this.#writeAsked();
      if (this.#writes++ === 0) setImmediate(() => this.#endTurn());
      if (!this.#together && this.#queued.length === 1) queueMicrotask(() => this.#writeAsked());
    });
  }

  #endTurn(): void {
    this.#writeAsked();
    this.#together = this.#writes > 1;
    this.#writes = 0;
  }

  /** Finishes the requested writes, and fails later ones. @param why - continues the sentence after the subject */
  end(why: string): void {
    while (this.#queued.length > 0) this.#writeAsked();
    this.#unusable = why;
    // libsql keeps the file open until its statements are collected.
    this.#statements = this.#reading = undefined;
  }

  #writeAsked(): void {
    if (this.#queued.length === 0) return;
    const group = this.#queued.splice(0, MAX_TOGETHER);
    if (this.#queued.length > 0) setImmediate(() => this.#writeAsked());
    try {
      this.#commit(group);
      this.#inDemand = false;
    } catch (error) {
      if (isBusy(error)) void this.#whenFree(group);
      else this.#eachAlone(group, error);
    }
  }

  /** Runs one transaction; the requesters are notified when it is committed. */
  #commit(group: readonly QueuedWrite<Statements>[]): void {
    this.#checkUsable();
    const joins = !this.#options.own && isInTransaction(this.#database);
    this.#statements ??= this.#options.prepare(this.#database);
    const statements = this.#statements;
    if (!joins) this.#database.exec('BEGIN IMMEDIATE');
    let results: unknown[];
    try {
      results = group.map(({ work }) => work(statements));
      if (!joins) this.#database.exec('COMMIT');
    } catch (error) {
      this.#statements = undefined;
      if (!joins && !rolledBack(this.#database)) this.#unusable = 'is stuck in a transaction. Restart this process.';
      throw error;
    }
    for (const [index, { resolve }] of group.entries()) resolve(results[index]);
  }

  /** @param failure - of the transaction they should have shared */
  #eachAlone(group: readonly QueuedWrite<Statements>[], failure: unknown): void {
    const { subject } = this.#options;
    if (group.length === 1) {
      group[0]!.reject(judged(failure, subject));
      return;
    }
    for (const each of group) {
      try {
        this.#commit([each]);
      } catch (error) {
        if (isBusy(error)) void this.#whenFree([each]);
        else each.reject(judged(error, subject));
      }
    }
  }

  async #whenFree(group: readonly QueuedWrite<Statements>[]): Promise<void> {
    this.#inDemand = true;
    const { live, lockTimeoutMs, subject } = this.#options;
    const left = new Set(group);
    try {
      for (const each of group) {
        const refused = each.refusal?.(live(await this.read(each.key)));
        if (!refused) continue;
        left.delete(each);
        each.resolve(refused.is);
      }
      if (left.size > 0) await untilUnlocked(lockTimeoutMs, () => this.#commit([...left]));
    } catch (error) {
      if (isBusy(error)) for (const each of left) each.reject(judged(error, subject));
      else this.#eachAlone([...left], error);
    }
  }

  #checkUsable(): void {
    if (this.#unusable) throw new MidcallError('store/unavailable', `${this.#options.subject} ${this.#unusable}`);
  }
}

const isInTransaction = (database: SqliteDatabase): boolean =>
  database.inTransaction ?? database.isTransaction ?? false;

/** Ends the transaction that failed. SQLite may have ended it itself; `ROLLBACK` then fails. */
function rolledBack(database: SqliteDatabase): boolean {
  try {
    database.exec('ROLLBACK');
    return true;
  } catch {
    return !isInTransaction(database);
  }
}
