/**
 * The database of the inbox: SQLite or Postgres, behind the same three ways to use it.
 *
 * - inbox-database-D1 Changes happen one after the other, whichever process makes them: each holds the head of the record until it is
 *   committed. So each sees all that was changed before it, and the record has one order.
 * - inbox-database-D2 An error names the database and a code, and never repeats what the client says, which may contain values or
 *   a password.
 * - inbox-database-D3 However many changes of one person wait in this process, one of another person waits for a single one of them.
 *   They wait where they take no connection from reads.
 */
import { MidcallError, needed } from '@midcall/core/errors';
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import type { PoolClient } from 'pg';
import { copySqliteFile, openSqliteFile, sqliteDialect } from './sqlite.ts';
import { migrate, type Tables } from './tables.ts';

/** A transaction. */
export type Tx = Transaction<Tables>;

/** What a change is made with. */
export interface Change {
  readonly tx: Tx;
  /** The last line of the record; whoever adds one moves it. */
  readonly head: { line: number; digest: string };
}

/** How many rows one statement takes: databases limit the values of a statement. */
const rowsAtOnce = 500;

/** A list in parts that one statement can take. */
export function* parts<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < rows.length; from += rowsAtOnce) yield rows.slice(from, from + rowsAtOnce);
}

/** An open database. Every method rejects with a MidcallError `store/unavailable` if the database cannot be used. */
export interface InboxDatabase {
  read<T>(query: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** A transaction that needs no order among others. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * A transaction that happens alone (inbox-database-D1).
   * @param principal - whose it is: of each person who has changes waiting, one is made at a time (inbox-database-D3)
   */
  change<T>(principal: string, work: (change: Change) => Promise<T>): Promise<T>;
  /** Copies a SQLite database to a file that does not exist. @throws MidcallError `server/setup` for Postgres */
  backup(to: string): Promise<void>;
  close(): Promise<void>;
}

/** Whether an inbox is in Postgres; otherwise, it is a SQLite file. */
export const isPostgres = (where: string): boolean => /^postgres(ql)?:/i.test(where);

/**
 * Opens a database and brings its tables up to date.
 * @param onLost - called with the error of a connection to Postgres that was lost while nobody used it
 */
export async function openDatabase(where: string, onLost: (error: unknown) => void): Promise<InboxDatabase> {
  const inPostgres = isPostgres(where);
  const subject = inPostgres ? 'The Postgres database of the inbox' : `The inbox ${JSON.stringify(where)}`;
  const known = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw judged(error, subject);
    }
  };
  const file = inPostgres ? undefined : await known(() => openSqliteFile(where));
  const db = new Kysely<Tables>({
    dialect: file ? sqliteDialect(file) : await postgresDialect(where, error => onLost(judged(error, subject))),
  });
  try {
    await known(() => migrate(db));
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const write = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    known(() =>
      db
        .transaction()
        // Whatever the default of the database is: else, a change would not see what was changed while it waited for the head.
        .setIsolationLevel('read committed')
        .execute(async tx => {
          // A process that stands still must not hold up the others.
          if (inPostgres) {
            await sql`select set_config('idle_in_transaction_session_timeout', '5s', true), set_config('lock_timeout', '10s', true)`.execute(
              tx,
            );
          }
          return work(tx);
        }),
    );
  const alone = <T>(work: (change: Change) => Promise<T>): Promise<T> =>
    write(async tx => {
      const locked = tx.selectFrom('inbox_head').select(['line', 'digest']);
      return work({ tx, head: await (inPostgres ? locked.forUpdate() : locked).executeTakeFirstOrThrow() });
    });
  const inTurn = turns();
  return {
    read: query => known(() => query(db)),
    write,
    change: (principal, work) => inTurn(principal, () => alone(work)),
    async backup(to) {
      if (!file) {
        throw new MidcallError('server/setup', 'An inbox in Postgres is copied by its own tools. Run pg_dump on it.');
      }
      // The connection is this one's meanwhile, and in no transaction.
      await known(() => db.connection().execute(async () => copySqliteFile(file, to)));
    },
    close: () => db.destroy(),
  };
}

async function postgresDialect(url: string, onLost: (error: unknown) => void): Promise<PostgresDialect> {
  const { default: pg } = await needed('An inbox in Postgres', 'pg', () => import('pg'));
  if (!URL.canParse(url)) {
    throw new MidcallError(
      'server/setup',
      'The address of the inbox must be like postgres://user:password@host/database.',
    );
  }
  const whole = (text: string): number => Number(text);
  const pool = new pg.Pool({
    connectionString: url,
    max: 8,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    query_timeout: 20_000,
    application_name: 'midcall inbox',
    // Numbers of 64 bits, such as times and lines, come as texts otherwise.
    types: {
      getTypeParser: ((id: number, format?: 'text') =>
        id === 20 ? whole : pg.types.getTypeParser(id, format)) as never,
    },
  });
  pool.on('error', onLost);
  // Of one in use, its query says so.
  pool.on('connect', client => client.on('error', () => {}));
  return new PostgresDialect({
    pool: { connect: async () => discarding(await pool.connect()), end: () => pool.end() },
  });
}

/** Runs one piece of work at a time, from each person in turn. */
function turns(): <T>(principal: string, work: () => Promise<T>) => Promise<T> {
  const waiting = new Map<string, (() => Promise<void>)[]>();
  let isRunning = false;
  const runAll = async (): Promise<void> => {
    isRunning = true;
    while (waiting.size > 0) {
      for (const [principal, theirs] of [...waiting]) {
        await theirs.shift()!();
        if (theirs.length === 0) waiting.delete(principal);
      }
    }
    isRunning = false;
  };
  return (principal, work) =>
    new Promise((resolve, reject) => {
      const run = (): Promise<void> => work().then(resolve, reject);
      const theirs = waiting.get(principal);
      if (theirs) theirs.push(run);
      else waiting.set(principal, [run]);
      if (!isRunning) void runAll();
    });
}

/** A client that is not used again once a query has failed without an answer of the server, which may still run it. */
function discarding(client: PoolClient): { query: PoolClient['query']; release(): void } {
  let isLost = false;
  return {
    query: (async (text: string, values: unknown[]) => {
      try {
        return await client.query(text, values);
      } catch (error) {
        isLost ||= typeof (error as { severity?: unknown }).severity !== 'string';
        throw error;
      }
    }) as PoolClient['query'],
    release: () => client.release(isLost),
  };
}

const words: Readonly<Record<string, string>> = {
  '28P01': 'The server refused the password.',
  '28000': 'The server refused the user.',
  '3D000': 'There is no such database on the server; create it.',
  '42501': 'The user may not use or create its tables.',
  SQLITE_FULL: 'Its disk is full.',
  SQLITE_READONLY: 'The file may not be written.',
};

/** The error as ours (inbox-database-D2). */
function judged(error: unknown, subject: string): unknown {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  // A symbol is a reason of our own.
  if (error instanceof MidcallError || error instanceof TypeError || error instanceof ReferenceError) return error;
  if (typeof error === 'symbol') return error;
  if (/^corrupted migrations/.test(String(message))) {
    return new MidcallError('server/setup', `${subject} was made by a newer version of Midcall. Update this one.`);
  }
  const name = typeof code === 'string' && code !== '' ? code : 'connection lost';
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(name)) {
    return new MidcallError(
      'store/corrupt',
      `${subject} is damaged, or not a SQLite database. Restore it from a backup, or move it away to start over.`,
    );
  }
  const why = words[name] ?? 'Check that it can be reached and that its disk has room.';
  return new MidcallError('store/unavailable', `${subject} cannot be used (${name}). ${why}`);
}
