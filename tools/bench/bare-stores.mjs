/** Bare clients in the shape of a store, with nothing of ours: no checks, no expiry of their own, no error texts. */
import Database from 'libsql';

export const bareMemory = (map = new Map()) => ({
  get: async key => map.get(key),
  set: async (key, text) => map.set(key, text) && true,
  ifAbsent: async (key, text) => (map.has(key) ? false : map.set(key, text) && true),
  take: async key => {
    const found = map.get(key);
    map.delete(key);
    return found;
  },
});

/** @param sync - `NORMAL` or `FULL`, as SQLite has it */
export function bareSqlite(file, sync, ttlMs) {
  const database = new Database(file);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${sync}; PRAGMA busy_timeout = 5000`);
  database.exec('CREATE TABLE entries (key TEXT PRIMARY KEY, value TEXT, expires INTEGER)');
  const get = database.prepare('SELECT value FROM entries WHERE key = ?');
  const set = database.prepare('INSERT OR REPLACE INTO entries VALUES (?, ?, ?)');
  const ifAbsent = database.prepare('INSERT OR IGNORE INTO entries VALUES (?, ?, ?)');
  const take = database.prepare('DELETE FROM entries WHERE key = ? RETURNING value');
  return {
    get: async key => get.get(key)?.value,
    set: async (key, text) => set.run(key, text, Date.now() + ttlMs).changes === 1,
    ifAbsent: async (key, text) => ifAbsent.run(key, text, Date.now() + ttlMs).changes === 1,
    take: async key => take.get(key)?.value,
  };
}

export const bareRedis = (client, ttlMs) => ({
  get: key => client.get(key),
  set: async (key, text) => (await client.set(key, text, 'PX', ttlMs)) === 'OK',
  ifAbsent: async (key, text) => (await client.set(key, text, 'PX', ttlMs, 'NX')) === 'OK',
  take: key => client.getdel(key),
});
