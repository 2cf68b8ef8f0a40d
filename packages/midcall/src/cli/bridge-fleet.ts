/** `midcall bridge --redis`: several bridges that share one Redis. */
import { needed } from '@midcall/core/errors';
import type { Wake } from '@midcall/server';
import { redisFleet, redisOwners, redisWake } from '@midcall/server/fleet';
import type { BridgeFleet } from '../bridge/http/index.ts';
import { hasKey, must } from './usage.ts';

/** The prefix of everything that bridges store in Redis. */
const prefix = 'midcall:bridge:';

/**
 * @param address - of the Redis server
 * @param peerUrl - where the other bridges reach this one; where it listens if absent
 * @throws MidcallError `cli/usage` without a key; `server/setup` if `ioredis` is missing
 */
export async function bridgeFleet(
  address: string,
  peerUrl: URL | undefined,
  onError: (error: unknown) => void,
): Promise<BridgeFleet> {
  must(
    hasKey(),
    '--redis needs a key that all bridges share, in MIDCALL_KEY or MIDCALL_KEY_FILE. Make one with: openssl rand -base64 32',
  );
  const { Redis } = await needed('midcall bridge --redis', 'ioredis', () => import('ioredis'));
  const connection = new Redis(address);
  // Each command reports its own errors.
  connection.on('error', () => {});
  return {
    sessions: path => redisFleet({ connection: connection as never, prefix: `${prefix}${path}:` }),
    owners: listening =>
      redisOwners({ connection: connection as never, prefix, address: peerUrl ?? listening, onError }),
  };
}

/** Wakes the inboxes of other bridges. @param address - of the Redis server */
export const bridgeWake = (address: string, onError: (error: unknown) => void): Promise<Wake> =>
  redisWake({ connection: address, prefix: `${prefix}inbox:`, onError });
