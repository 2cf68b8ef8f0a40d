/** The connection of a fleet, as passed in the options. */
import { needed } from '@midcall/core/errors';
import type { Kind } from '@midcall/core/options';
import type { RedisClient } from './commands.ts';

/** An address such as `redis://localhost:6379`, options of `ioredis`, or a client or cluster of it. */
export type FleetConnection = string | Readonly<Record<string, unknown>> | RedisClient;

export const connectionKind: Kind = {
  words: "an address such as 'redis://localhost:6379', options of ioredis, or a client of it",
  fits: value => (typeof value === 'string' && value !== '') || (typeof value === 'object' && value !== null),
};

export const isClient = (connection: FleetConnection): connection is RedisClient =>
  typeof (connection as Partial<RedisClient>).duplicate === 'function';

/** @param of - what needs it, for an error that says what to install */
export async function clientOf(of: string, connection: FleetConnection): Promise<RedisClient> {
  if (isClient(connection)) return connection;
  const { Redis } = await needed(of, 'ioredis', () => import('ioredis'));
  const client = typeof connection === 'string' ? new Redis(connection) : new Redis(connection);
  // Each command reports its own failure.
  client.on('error', () => {});
  return client as unknown as RedisClient;
}
