/**
 * Replicas of one server in this process, each with an endpoint of its own, over a Redis of their own. No clock decides what
 * happens to them, so that a busy machine changes nothing: a replica is dead when the test says so, and a command is given up
 * when the test says so. Only what is looked at again and again is looked at by a timer.
 */
import { systemClock } from '@midcall/core/time';
import { type RedisClient, type RedisFleetOptions, redisFleet } from '@midcall/server/fleet';
import type { HttpOptions } from '@midcall/server/http';
import { type HttpServing, serveHttp } from '@midcall/server/node';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import type { Redis } from 'ioredis';
import type { Script } from '../../packages/server/src/fleet/commands.ts';
import * as scripts from '../../packages/server/src/fleet/scripts.ts';
import { eventually } from '../fixtures/grown.ts';
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
  /** Cuts a replica off from Redis and from its clients, as if it had been killed, and the time in which it shows no sign passes. */
  kill(at: number): Promise<void>;
  /** From here on a replica that was killed has been dead for longer than the grace. */
  passGrace(at: number): Promise<void>;
  /** Starts one more. */
  add(): Promise<void>;
  /**
   * Lets nothing of a replica reach Redis, nor its clients, until the returned function is called; meanwhile the time passes in
   * which it shows no sign.
   */
  pause(at: number): Promise<() => Promise<void>>;
  /**
   * Keeps from a replica what Redis says to these scripts, but for the first `heard` times: it carries them out, and
   * they are given up.
   */
  deafen(at: number, scripts: readonly Script[], heard?: number): void;
  /** Gives up each command that has no reply yet, and those that follow, while `work` goes on. */
  givingUp(work: () => Promise<void>): Promise<void>;
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

/** Milliseconds: longer than any test, so that no replica is taken to be dead by a clock. */
const PRESENCE_MS = 3_600_000;
/** Told from all other times by its length. */
const TIMEOUT_MS = 123_456;
/** How much sooner everything else comes that is looked at again and again. */
const FASTER = 20;

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
  // So that each use of a script is one command, and replies come in the order in which commands began.
  for (const { text } of Object.values(scripts)) await client.script('LOAD', text);
  const clients: Redis[] = [];
  const gates: Promise<void>[] = [];
  /** Commands under way, by replica, and who each of them is in Redis. */
  const underWay: number[] = [];
  const ids: string[] = [];
  /** What gives up each command that has no reply, by replica, the oldest first. */
  const waiting: Set<() => void>[] = [];
  let givesUp = false;
  const errors: string[][] = [];
  const servings: HttpServing[] = [];
  const cuts: AbortController[] = [];
  const gone = new Set<number>();
  const seen: { at: number; what: string }[] = [];
  const read: string[] = [];
  const deaf: { readonly scripts: readonly Script[]; heard: number }[] = [];
  let next = 0;
  let pick: (what: string) => number | undefined = () => undefined;

  const after = (at: number) => (ms: number, fn: () => void) => {
    if (ms !== TIMEOUT_MS) {
      const timer = setTimeout(fn, ms / FASTER);
      return () => clearTimeout(timer);
    }
    const mine = waiting[at]!;
    const giveUp = (): void => {
      mine.delete(giveUp);
      fn();
    };
    mine.add(giveUp);
    if (givesUp) setImmediate(() => mine.has(giveUp) && giveUp());
    return () => void mine.delete(giveUp);
  };
  /** Others see no sign of it any more, once all that it has sent has come to Redis. */
  const fade = async (at: number): Promise<void> => {
    await eventually(() => underWay[at] === 0);
    await client.del(`midcall:fleet:alive:${ids[at]}`);
  };

  const add = async (): Promise<void> => {
    const at = servings.length;
    const connection = redis.connect();
    clients.push(connection);
    gates.push(Promise.resolve());
    underWay.push(0);
    waiting.push(new Set());
    errors.push([]);
    cuts.push(new AbortController());
    const gated: RedisClient = {
      call: async (command, ...args) => {
        await gates[at];
        const shown = command === 'SET' && /^midcall:fleet:alive:(.+)$/.exec(args[0] ?? '');
        if (shown) ids[at] = shown[1]!;
        underWay[at]! += 1;
        const reply = await connection.call(command, ...args).finally(() => {
          underWay[at]! -= 1;
        });
        const mine = deaf[at];
        if (!mine?.scripts.some(({ sha, text }) => args[0] === sha || args[0] === text)) return reply;
        if (mine.heard > 0) {
          mine.heard -= 1;
          return reply;
        }
        // Replies come in the order of the commands: those of all before this one have been taken by then.
        setImmediate(() => [...waiting[at]!][0]?.());
        return new Promise(() => {});
      },
      duplicate: () => connection.duplicate() as unknown as RedisClient,
      subscribe: channel => connection.subscribe(channel),
      unsubscribe: channel => connection.unsubscribe(channel),
      on: (event, listener) => connection.on(event, listener as never),
      disconnect: () => connection.disconnect(),
    };
    servings.push(
      await serveHttp(factory(at), {
        ...http,
        fleet: await redisFleet({
          ...{ connection: gated, key: fleetKey, retryMs: 10, presenceMs: PRESENCE_MS, timeoutMs: TIMEOUT_MS },
          clock: { ...systemClock, after: after(at) },
          ...fleet,
        }),
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
      await eventually(() => gone.size < servings.length);
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
      gates[at] = Promise.reject(new Error('Connection is closed.'));
      gates[at].catch(() => {});
      cuts[at]!.abort(new Error('killed'));
      await fade(at);
      clients[at]!.disconnect();
    },
    async passGrace(at) {
      await client.zadd('midcall:fleet:replicas', 0, ids[at]!);
    },
    async givingUp(work) {
      givesUp = true;
      for (const giveUp of waiting.flatMap(each => [...each])) giveUp();
      await work().finally(() => {
        givesUp = false;
      });
    },
    deafen(at, scripts, heard = 0) {
      deaf[at] = { scripts, heard };
    },
    async pause(at) {
      let open!: () => void;
      const before = gates[at]!;
      gates[at] = new Promise(resolve => {
        open = resolve;
      });
      gone.add(at);
      cuts[at]!.abort(new Error('paused'));
      await fade(at);
      return async () => {
        open();
        gates[at] = before;
        await servings[at]!.endpoint.health();
      };
    },
    async [Symbol.asyncDispose]() {
      for (const cut of cuts) cut.abort();
      await Promise.all(servings.map(serving => serving.stop({ within: 0 }).catch(() => {})));
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
