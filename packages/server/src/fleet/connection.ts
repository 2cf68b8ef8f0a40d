/** The connection of a fleet, as it is given. */
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
