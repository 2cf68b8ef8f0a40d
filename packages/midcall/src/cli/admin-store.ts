/** The store that `midcall admin` reads: a SQLite file, or a Redis by its address, which is never written anywhere. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { MidcallError, needed } from '@midcall/core/errors';
import type { Store } from '@midcall/core/store';
import { visible } from '@midcall/core/text';
import { redisStore } from '@midcall/server/stores/redis';
import { sqliteStore } from '@midcall/server/stores/sqlite';
import { usage } from './usage.ts';

/** A store, and how to close it. */
export interface OpenedStore {
  readonly store: Store;
  readonly close: () => void;
}

/** How many milliseconds connecting to Redis may take. */
const CONNECT_MS = 10_000;

/**
 * @param where - a path, or `redis://…` or `rediss://…`
 * @param prefix - of the keys in Redis, if the servers have set one
 * @throws MidcallError `cli/usage` if there is no such file, or the address is wrong; `server/setup` if `ioredis` is missing;
 *   `store/unavailable` if Redis cannot be reached
 */
export async function openStore(where: string, prefix: string | undefined): Promise<OpenedStore> {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//iu.exec(where)?.[1]?.toLowerCase();
  if (scheme !== undefined) return openRedis(where, scheme, prefix);
  if (prefix !== undefined) throw usage('--prefix goes with a store in Redis.');
  const path = resolve(where);
  if (!existsSync(path)) throw usage(`There is no store ${visible(where, { max: 200 })}.`);
  const store = await sqliteStore(path);
  return { store, close: () => store.close() };
}

async function openRedis(address: string, scheme: string, prefix: string | undefined): Promise<OpenedStore> {
  if (scheme !== 'redis' && scheme !== 'rediss')
    throw usage(`--store must be a file, or an address that begins with redis:// or rediss://; got ${scheme}://.`);
  // Errors about an address do not repeat it, since it may contain a password.
  if (!URL.canParse(address))
    throw usage('--store is not a valid address. It must look like redis://user:password@host:6379/0.');
  const { Redis } = await needed('midcall admin with a store in Redis', 'ioredis', () => import('ioredis'));
  const client = new Redis(address, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let problem: unknown;
  client.on('error', error => {
    problem = error;
  });
  try {
    await client.connect();
  } catch (error) {
    client.disconnect();
    const { hostname, port } = new URL(address);
    throw new MidcallError(
      'store/unavailable',
      `Redis at ${visible(hostname, { max: 200 })}:${port || '6379'} cannot be reached${reason(problem ?? error)}. ` +
        'Check the address, the user and the password, and that it runs.',
    );
  }
  const send = ([command, ...args]: readonly [string, ...string[]]): Promise<unknown> => client.call(command, ...args);
  const store = redisStore({ send, ...(prefix !== undefined && { prefix }) });
  return { store, close: () => client.disconnect() };
}

/** The code of an error, or the word with which a reply of Redis begins; its text may quote the command. */
function reason(error: unknown): string {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  const word = typeof code === 'string' ? code : /^[A-Z]+(?= )/u.exec(String(message))?.[0];
  return word === undefined ? '' : ` (${visible(word, { max: 40 })})`;
}
