/** Replicas of one server in this process, each with an endpoint of its own, over a Redis of their own. */

import { type RedisFleetOptions, redisFleet } from '@midcall/server/fleet';
import type { HttpOptions } from '@midcall/server/http';
import { type HttpServing, serveHttp } from '@midcall/server/node';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import type { Redis } from 'ioredis';
import { type RedisServer, startRedis } from '../stores/redis-server.ts';

/** A key that is unlike any other text. */
export const fleetKey = 'pB0k6mUq3mZf8bV5gqk1Z2C4xwJt9sRhYd7eLnA0vWQ=';

export interface Replicas {
  readonly redis: RedisServer;
  readonly client: Redis;
  readonly servings: readonly HttpServing[];
  /** What went wrong at each. */
  readonly errors: string[][];
  /** One address, behind which each request goes to the next replica. */
  readonly fetch: typeof fetch;
  /** Which replica each request went to, with what it was. */
  readonly seen: { readonly at: number; readonly what: string }[];
  /** Sends what `pick` says to the replica it names; round robin where it says nothing. */
  route(pick: (what: string) => number | undefined): void;
  /** Cuts a replica off from Redis and from its clients, as if it had been killed. */
  kill(at: number): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ReplicasOptions {
  readonly count?: number;
  readonly factory: (at: number) => McpServerFactory;
  readonly http?: HttpOptions;
  readonly fleet?: Partial<RedisFleetOptions>;
  readonly redisArgs?: readonly string[];
}

const whatOf = (init: RequestInit | undefined): string => {
  const { method = 'GET', body } = init ?? {};
  if (typeof body !== 'string') return method;
  const message = JSON.parse(body) as { method?: string };
  return message.method ?? 'response';
};

export async function startReplicas({
  count = 3,
  factory,
  http,
  fleet,
  redisArgs = [],
}: ReplicasOptions): Promise<Replicas> {
  const redis = await startRedis(...redisArgs);
  const client = redis.connect();
  const clients = Array.from({ length: count }, () => redis.connect());
  const errors: string[][] = clients.map(() => []);
  const servings = await Promise.all(
    clients.map(async (connection, at) =>
      serveHttp(factory(at), {
        ...http,
        fleet: await redisFleet({ connection: connection as never, key: fleetKey, retryMs: 10, ...fleet }),
        onError: error => void errors[at]!.push(error.message),
      }),
    ),
  );
  const gone = new Set<number>();
  const seen: { at: number; what: string }[] = [];
  let next = 0;
  let pick: (what: string) => number | undefined = () => undefined;
  const cuts = servings.map(() => new AbortController());
  return {
    redis,
    client,
    servings,
    errors,
    seen,
    fetch: async (_, init) => {
      const what = whatOf(init);
      let at = pick(what);
      while (at === undefined || gone.has(at)) {
        at = next % count;
        next += 1;
      }
      seen.push({ at, what });
      const signals = [init?.signal, cuts[at]!.signal].filter(signal => signal !== undefined && signal !== null);
      return fetch(servings[at]!.url, { ...init, signal: AbortSignal.any(signals) });
    },
    route(given) {
      pick = given;
    },
    async kill(at) {
      gone.add(at);
      clients[at]!.disconnect();
      cuts[at]!.abort(new Error('killed'));
    },
    async [Symbol.asyncDispose]() {
      for (const cut of cuts) cut.abort();
      await Promise.all(servings.map(serving => serving.close().catch(() => {})));
      for (const each of [client, ...clients]) each.disconnect();
      await redis.remove();
    },
  };
}
