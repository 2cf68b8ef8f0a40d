/** Replicas of one server in this process, each with an endpoint of its own, over a Redis of their own. */

import { type RedisClient, type RedisFleetOptions, redisFleet } from '@midcall/server/fleet';
import type { HttpOptions } from '@midcall/server/http';
import { type HttpServing, serveHttp } from '@midcall/server/node';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import type { Redis } from 'ioredis';
import type { Script } from '../../packages/server/src/fleet/commands.ts';
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
  /** Starts one more. */
  add(): Promise<void>;
  /** Lets nothing of a replica reach Redis, nor its clients, until the returned function is called. */
  pause(at: number): () => Promise<void>;
  /** Keeps from a replica what Redis says to these scripts: it carries them out, and nobody hears of it. */
  deafen(at: number, scripts: readonly Script[]): void;
  /** What the clients have read, piece by piece. */
  readonly read: readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ReplicasOptions {
  readonly count?: number;
  readonly factory: (at: number) => McpServerFactory;
  readonly http?: HttpOptions;
  readonly fleet?: Partial<RedisFleetOptions>;
  readonly redisArgs?: readonly string[];
  /** Where they meet; a Redis of their own where absent. */
  readonly redis?: RedisServer;
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
  redis: given,
}: ReplicasOptions): Promise<Replicas> {
  const redis = given ?? (await startRedis(...redisArgs));
  const client = redis.connect();
  const clients: Redis[] = [];
  const gates: Promise<void>[] = [];
  const errors: string[][] = [];
  const servings: HttpServing[] = [];
  const cuts: AbortController[] = [];
  const gone = new Set<number>();
  const seen: { at: number; what: string }[] = [];
  const read: string[] = [];
  const deaf: (readonly Script[])[] = [];
  let next = 0;
  let pick: (what: string) => number | undefined = () => undefined;

  const add = async (): Promise<void> => {
    const at = servings.length;
    const connection = redis.connect();
    clients.push(connection);
    gates.push(Promise.resolve());
    errors.push([]);
    cuts.push(new AbortController());
    const gated: RedisClient = {
      call: async (command, ...args) => {
        await gates[at];
        const reply = await connection.call(command, ...args);
        const unheard = deaf[at]?.some(({ sha, text }) => args[0] === sha || args[0] === text) ?? false;
        return unheard ? new Promise(() => {}) : reply;
      },
      duplicate: () => connection.duplicate() as unknown as RedisClient,
      subscribe: channel => connection.subscribe(channel),
      on: (event, listener) => connection.on(event, listener as never),
      disconnect: () => connection.disconnect(),
    };
    servings.push(
      await serveHttp(factory(at), {
        ...http,
        fleet: await redisFleet({ connection: gated, key: fleetKey, retryMs: 10, ...fleet }),
        onError: error => void errors[at]!.push(error.message),
      }),
    );
  };
  for (let at = 0; at < count; at += 1) await add();

  return {
    redis,
    client,
    servings,
    errors,
    seen,
    read,
    add,
    fetch: async (_, init) => {
      const what = whatOf(init);
      let at = pick(what);
      while (at === undefined || gone.has(at)) {
        at = next % servings.length;
        next += 1;
      }
      seen.push({ at, what });
      const signals = [init?.signal, cuts[at]!.signal].filter(signal => signal !== undefined && signal !== null);
      const response = await fetch(servings[at]!.url, { ...init, signal: AbortSignal.any(signals) });
      return response.body ? new Response(tapped(response.body, read), response) : response;
    },
    route(given) {
      pick = given;
    },
    async kill(at) {
      gone.add(at);
      clients[at]!.disconnect();
      cuts[at]!.abort(new Error('killed'));
    },
    deafen(at, scripts) {
      deaf[at] = scripts;
    },
    pause(at) {
      let open!: () => void;
      const before = gates[at]!;
      gates[at] = new Promise(resolve => {
        open = resolve;
      });
      gone.add(at);
      cuts[at]!.abort(new Error('paused'));
      return async () => {
        open();
        gates[at] = before;
        await servings[at]!.endpoint.health();
      };
    },
    async [Symbol.asyncDispose]() {
      for (const cut of cuts) cut.abort();
      await Promise.all(servings.map(serving => serving.close().catch(() => {})));
      for (const each of [client, ...clients]) each.disconnect();
      await redis.remove();
    },
  };
}

/** The same stream, with what is read noted. */
function tapped(body: ReadableStream<Uint8Array>, read: string[]): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder();
  return body.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        read.push(decoder.decode(chunk));
        controller.enqueue(chunk);
      },
    }),
  );
}
