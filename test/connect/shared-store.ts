/** A store of its own that several processes share: a SQLite file, or a Redis. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redisStore } from '@midcall/server/stores/redis';
import { sqliteStore } from '@midcall/server/stores/sqlite';
import Database from 'libsql';
import type { Store } from '../../packages/core/src/store/store.ts';
import { redisServer, startRedis } from '../stores/redis-server.ts';

/** Where a shared store is. */
export interface Shared {
  readonly store: Store;
  readonly kind: 'sqlite' | 'redis';
  readonly where: string;
  /** Every key that is there. */
  keys(): Promise<readonly string[]>;
}

/** The kinds this machine has. */
export const kinds = redisServer === undefined ? (['sqlite'] as const) : (['sqlite', 'redis'] as const);

/** Makes one, runs, and removes it. */
export async function onShared(kind: Shared['kind'], run: (shared: Shared) => Promise<void>): Promise<void> {
  if (kind === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'midcall-tickets-'));
    const where = join(folder, 'shared.db');
    const store = await sqliteStore(where, { lockTimeoutMs: 60_000 });
    try {
      const keys = async () => {
        const reader = new Database(where);
        const rows = reader.prepare('SELECT key FROM midcall_store').all() as { key: string }[];
        reader.close();
        return rows.map(({ key }) => key);
      };
      await run({ store, kind, where, keys });
    } finally {
      store.close();
      rmSync(folder, { recursive: true, force: true });
    }
    return;
  }
  const redis = await startRedis();
  const client = redis.connect();
  try {
    const store = redisStore({ send: args => client.call(...args) });
    await run({ store, kind, where: redis.socket, keys: () => client.keys('*') });
  } finally {
    client.disconnect();
    await redis.remove();
  }
}
