import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SqliteDatabase, sqliteStore } from '../../packages/server/src/stores/sqlite.ts';
import { storeContract } from '../../packages/testing/src/store-contract.ts';

let folder: string;
let files = 0;
const freshPath = () => join(folder, `${++files}.db`);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'midcall-sqlite-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const clock = () => {
  let time = 1_800_000_000_000;
  return {
    now: () => time,
    advance: (ms: number) => {
      time += ms;
    },
  };
};

function rowsIn(path: string): number {
  const reader = new Database(path);
  const { rows } = reader.prepare('SELECT count(*) AS rows FROM midcall_store').get() as { rows: number };
  reader.close();
  return rows;
}

describe('the SQLite store keeps the contract, over two connections to one file', () => {
  storeContract({
    test: it,
    open: async () => {
      const { now, advance } = clock();
      const path = freshPath();
      const store = await sqliteStore(path, { clock: { now }, sync: 'normal' });
      const second = await sqliteStore(path, { clock: { now }, sync: 'normal' });
      return {
        store,
        second,
        advance,
        close: () => {
          store.close();
          second.close();
        },
      };
    },
  });
});

describe('the SQLite store keeps the contract, on a connection it is given', () => {
  storeContract({
    test: it,
    open: async () => {
      const { now, advance } = clock();
      const database = new Database(':memory:') as SqliteDatabase & { close(): void };
      return { store: await sqliteStore(database, { clock: { now } }), advance, close: () => database.close() };
    },
  });
});

describe('the SQLite store', () => {
  it('elicit-33: the SQLite store keeps its values when closed and opened again, in a file for its owner only', async () => {
    const path = join(folder, 'made', 'on', 'demand.db');
    const first = await sqliteStore(path);
    await first.set('k', 'v', { ttlMs: 60_000 });
    first.close();
    const again = await sqliteStore(path);
    expect(await again.get('k')).toBe('v');
    if (process.platform !== 'win32') {
      for (const each of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(each).mode & 0o777).toBe(0o600);
      expect(statSync(join(folder, 'made')).mode & 0o777).toBe(0o700);
    }
    again.close();
  });

  it.runIf(process.platform !== 'win32')(
    'the SQLite store takes a file that others may read away from them, with all of its parts',
    async () => {
      const path = freshPath();
      const first = await sqliteStore(path);
      await first.set('k', 'v');
      const parts = ['', '-wal', '-shm'].map(end => `${path}${end}`);
      for (const part of parts) chmodSync(part, 0o664);
      const second = await sqliteStore(path);
      for (const part of parts) expect(statSync(part).mode & 0o777).toBe(0o600);
      expect(await second.get('k')).toBe('v');
      first.close();
      second.close();
    },
  );

  it('the SQLite store leaves a connection it was given open, and joins its transaction', async () => {
    const database = new Database(':memory:') as SqliteDatabase & { close(): void };
    const store = await sqliteStore(database);
    database.exec('CREATE TABLE charges (id TEXT); BEGIN');
    database.exec("INSERT INTO charges VALUES ('c1')");
    await store.set('step', 'done');
    database.exec('ROLLBACK');
    expect(await store.get('step')).toBeUndefined();
    database.exec("BEGIN; INSERT INTO charges VALUES ('c1')");
    await store.set('step', 'done');
    database.exec('COMMIT');
    expect(await store.get('step')).toBe('done');
    store.close();
    expect(database.prepare('SELECT id FROM charges').get()).toMatchObject({ id: 'c1' });
    database.close();
  });

  it('rows whose time is up leave the file, and live ones stay', async () => {
    const { now, advance } = clock();
    const path = freshPath();
    const store = await sqliteStore(path, { clock: { now }, sync: 'normal' });
    await store.set('kept', 'v');
    for (let index = 0; index < 500; index++) await store.set(`old ${index}`, 'v', { ttlMs: 1_000 });
    advance(1_000);
    for (let write = 0; write < 300; write++) await store.set('new', 'v', { ttlMs: 1_000 });
    expect(rowsIn(path)).toBe(2);
    store.close();
  });

  it('rows whose time is up leave the file, too, where every process writes once and ends', async () => {
    const { now, advance } = clock();
    const path = freshPath();
    const store = await sqliteStore(path, { clock: { now }, sync: 'normal' });
    await store.set('kept', 'v');
    for (let index = 0; index < 2_000; index++) await store.set(`old ${index}`, 'v', { ttlMs: 1_000 });
    store.close();
    advance(1_000);
    for (let visit = 0; visit < 100; visit++) {
      advance(777);
      const brief = await sqliteStore(path, { clock: { now }, sync: 'normal' });
      await brief.set('new', 'v');
      brief.close();
    }
    expect(rowsIn(path)).toBeLessThan(256);
  });

  it('sqlite-Q1, sqlite-Q3: a call that failed on a lock leaves nothing behind for the next one', async () => {
    const path = freshPath();
    const store = await sqliteStore(path, { lockTimeoutMs: 0 });
    await store.set('a', 'of a');
    await store.set('b', 'of b');
    const other = new Database(path);
    other.exec('BEGIN IMMEDIATE');
    const calls = [store.take('a'), store.set('c', 'v'), store.set('d', 'v', { ifAbsent: true }), store.delete('b')];
    for (const call of await Promise.allSettled(calls)) expect(call.status).toBe('rejected');
    other.exec('COMMIT');
    expect(await store.take('b')).toBe('of b');
    expect(await store.set('e', 'of e', { ifAbsent: true })).toBe(true);
    expect(await store.take('a')).toBe('of a');
    const reader = await sqliteStore(path);
    const left = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(key => reader.get(key)));
    expect(left).toEqual([undefined, undefined, undefined, undefined, 'of e']);
    reader.close();
    other.close();
    store.close();
  });

  it('sqlite-Q1: what reading alone can refuse waits for no lock', async () => {
    const path = freshPath();
    const store = await sqliteStore(path, { lockTimeoutMs: 0 });
    await store.set('held', 'v');
    const other = new Database(path);
    other.exec('BEGIN IMMEDIATE');
    expect(await store.set('held', 'w', { ifAbsent: true })).toBe(false);
    expect(await store.take('gone')).toBeUndefined();
    expect(await store.get('held')).toBe('v');
    other.exec('ROLLBACK');
    other.close();
    store.close();
  });

  it('sqlite-Q1: of writes that meet a lock together, those that reading can refuse end and the others wait', async () => {
    const path = freshPath();
    const store = await sqliteStore(path);
    await store.set('held', 'v');
    const other = new Database(path);
    other.exec('BEGIN IMMEDIATE');
    const [writing, refused, gone] = [
      store.set('free', 'v'),
      store.set('held', 'w', { ifAbsent: true }),
      store.take('gone'),
    ];
    expect([await refused, await gone]).toEqual([false, undefined]);
    expect(await store.get('free')).toBeUndefined();
    other.exec('COMMIT');
    expect(await writing).toBe(true);
    expect([await store.get('free'), await store.get('held')]).toEqual(['v', 'v']);
    other.close();
    store.close();
  });

  it('sqlite-Q2: a read comes after the writes to its key that were asked for before it', async () => {
    const store = await sqliteStore(freshPath());
    const seen = [store.set('k', '1'), store.get('k'), store.set('k', '2'), store.delete('k'), store.get('k')];
    expect(await Promise.all(seen)).toEqual([true, '1', true, undefined, undefined]);
    store.close();
  });

  it('sqlite-Q2: what was asked for before the store was closed is written', async () => {
    const path = freshPath();
    const store = await sqliteStore(path);
    const keys = Array.from({ length: 1_000 }, (_, index) => `k ${index}`);
    const writing = keys.map(key => store.set(key, 'v'));
    store.close();
    expect(new Set(await Promise.all(writing))).toEqual(new Set([true]));
    expect(rowsIn(path)).toBe(1_000);
  });

  it('elicit-33; sqlite-Q3: reads that met a lock give each its own value when it is gone', async () => {
    const path = freshPath();
    // Without a write-ahead log a writer keeps readers out.
    const database = new Database(path) as SqliteDatabase & { close(): void };
    const store = await sqliteStore(database);
    for (const key of ['a', 'b', 'c']) await store.set(key, `of ${key}`);
    expect(await store.get('a')).toBe('of a');
    const other = new Database(path);
    other.exec('BEGIN EXCLUSIVE');
    const reads = Promise.all(['a', 'b', 'c'].map(key => store.get(key)));
    await new Promise(resolve => setImmediate(resolve));
    other.exec('COMMIT');
    expect(await reads).toEqual(['of a', 'of b', 'of c']);
    expect(await store.set('d', 'of d')).toBe(true);
    const rows = other.prepare('SELECT key FROM midcall_store ORDER BY key').all() as { key: string }[];
    expect(rows.map(row => row.key)).toEqual(['a', 'b', 'c', 'd']);
    other.close();
    database.close();
  });

  it('sqlite-Q4: a write waits for a lock without blocking the process, and then goes on', async () => {
    const path = freshPath();
    const store = await sqliteStore(path);
    const other = new Database(path);
    other.exec('BEGIN IMMEDIATE');
    const writing = store.set('k', 'v');
    let turns = 0;
    while (turns < 5) await new Promise(resolve => setImmediate(() => resolve(turns++)));
    expect(await store.get('k')).toBeUndefined();
    other.exec('COMMIT');
    expect(await writing).toBe(true);
    expect(await store.get('k')).toBe('v');
    other.close();
    store.close();
  });

  it('sqlite-Q4: a write gives up on a lock that stays, saying so, and works when it is gone', async () => {
    const path = freshPath();
    const store = await sqliteStore(path, { lockTimeoutMs: 0 });
    const other = new Database(path);
    other.exec('BEGIN IMMEDIATE');
    const failed = store.delete('k');
    await expect(failed).rejects.toMatchObject({
      code: 'store/unavailable',
      message: expect.stringContaining('locked'),
    });
    other.exec('ROLLBACK');
    expect(await store.set('k', 'v')).toBe(true);
    other.close();
    store.close();
  });

  it('a file that is no database, cut short or of another program is store/corrupt, and stays untouched', async () => {
    const text = freshPath();
    writeFileSync(text, 'not a database, but long enough to look like a page of one. '.repeat(100));
    const before = statSync(text).size;
    await expect(sqliteStore(text)).rejects.toMatchObject({ code: 'store/corrupt' });
    expect(statSync(text).size).toBe(before);

    const foreign = freshPath();
    const theirs = new Database(foreign);
    theirs.exec('CREATE TABLE recipes (name TEXT)');
    await expect(sqliteStore(foreign)).rejects.toMatchObject({
      code: 'store/corrupt',
      message: expect.stringContaining('another program'),
    });
    expect(theirs.prepare('SELECT name FROM sqlite_master').all()).toHaveLength(1);
    theirs.close();

    const otherVersion = new Database(':memory:') as SqliteDatabase;
    otherVersion.exec('CREATE TABLE midcall_store (key TEXT PRIMARY KEY, body TEXT, expires INTEGER)');
    await expect(sqliteStore(otherVersion)).rejects.toMatchObject({ code: 'store/corrupt' });
  });

  it('store-S2: a damaged file gives the right value or store/corrupt, and never a wrong value', async () => {
    const path = freshPath();
    const writer = await sqliteStore(path);
    const value = (index: number) => `v${index} `.repeat(100);
    for (let index = 0; index < 100; index++) await writer.set(`k${index}`, value(index));
    writer.close();
    const whole = readFileSync(path);
    let refused = 0;
    for (let page = 0; page < whole.length / 4_096; page++) {
      const damaged = freshPath();
      writeFileSync(damaged, Buffer.from(whole).fill(0xa5, page * 4_096, (page + 1) * 4_096));
      const read = async () => {
        const store = await sqliteStore(damaged);
        try {
          for (let index = 0; index < 100; index++) expect(await store.get(`k${index}`)).toBe(value(index));
        } finally {
          store.close();
        }
      };
      await read().catch(error => {
        expect(error).toMatchObject({ code: 'store/corrupt' });
        refused++;
      });
    }
    expect(refused).toBeGreaterThan(10);
  });

  it('a folder, or a place where nothing can be made, is store/unavailable', async () => {
    await expect(sqliteStore(folder)).rejects.toMatchObject({ code: 'store/unavailable' });
    await expect(sqliteStore('/dev/null/x.db')).rejects.toMatchObject({ code: 'store/unavailable' });
  });

  it('a closed store fails with store/unavailable, and its message holds no value', async () => {
    const store = await sqliteStore(freshPath());
    store.close();
    const error = await store.set('key-of-mine', 'value-of-mine').catch(each => each);
    expect(error.code).toBe('store/unavailable');
    expect(String(error.message)).not.toMatch(/of-mine/);
    expect(error.cause).toBeUndefined();
  });

  it('the SQLite store refuses bad options', async () => {
    await expect(sqliteStore(':memory:', { lockTimeoutMs: Number.NaN })).rejects.toThrow(TypeError);
    await expect(sqliteStore(':memory:', { sync: 'off' as never })).rejects.toThrow(TypeError);
  });
});

it('the SQLite store says nothing of its path in what clients may be told of its failures', async () => {
  const path = freshPath();
  const store = await sqliteStore(path);
  store.close();
  const other = await sqliteStore(path);
  await other.set('a', '1');
  const reader = new Database(path);
  reader.exec('DROP TABLE midcall_store');
  reader.close();
  for (const each of [store, other]) {
    const failed = await Promise.allSettled([each.get('a'), each.set('a', '2'), each.take('a'), each.delete('a')]);
    for (const one of failed) {
      expect(one).toMatchObject({ reason: { code: expect.stringMatching(/^store\//u) } });
      expect(String((one as PromiseRejectedResult).reason)).not.toContain(folder);
    }
  }
  other.close();
});
