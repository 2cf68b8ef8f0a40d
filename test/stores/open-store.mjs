/** Opens the store that processes of a test share. */
import { redisStore } from '@midcall/server/stores/redis';
import { sqliteStore } from '@midcall/server/stores/sqlite';

/**
 * @param {'sqlite' | 'redis'} kind
 * @param {string} where - a file, or Redis's socket
 */
export async function openStore(kind, where) {
  if (kind === 'sqlite') return { store: await sqliteStore(where, { lockTimeoutMs: 60_000 }), close: () => {} };
  const { Redis } = await import('ioredis');
  const client = new Redis({ path: where });
  return { store: redisStore({ send: args => client.call(...args) }), close: () => client.disconnect() };
}
