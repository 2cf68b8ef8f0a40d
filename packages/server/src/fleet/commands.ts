/**
 * The connection to Redis through an `ioredis` client, and commands, each of which ends: with its reply, or with a MidcallError
 * `store/unavailable` that says what to do. A script is sent once and then named by its digest.
 *
 * - commands-C1 An abandoned command may still be executed. So every script of the fleet has the same result when executed
 *   twice, or names the claim it acts under.
 */
import { hash } from 'node:crypto';
import { MidcallError, needed } from '@midcall/core/errors';
import type { Kind } from '@midcall/core/options';
import { type Clock, inTime } from '@midcall/core/time';

/** The connection of a fleet: an address such as `redis://localhost:6379`, options of `ioredis`, or a client or cluster of it. */
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

/** The part of an `ioredis` client, or cluster, that the fleet uses. */
export interface RedisClient {
  call(command: string, ...args: string[]): Promise<unknown>;
  duplicate(): RedisClient;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  on(event: string, listener: (...args: never[]) => void): unknown;
  disconnect(): void;
}

/** A script, and how many keys it takes. */
export interface Script {
  readonly text: string;
  readonly sha: string;
  readonly keys: number;
}

export const script = (keys: number, text: string): Script => ({
  text,
  sha: hash('sha1', text, 'hex'),
  keys,
});

export type Reply = string | number | null | readonly Reply[];

export interface CommandsOptions {
  /** Milliseconds a command may take. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

export class Commands {
  readonly #client: RedisClient;
  readonly #options: CommandsOptions;

  constructor(client: RedisClient, options: CommandsOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** @throws MidcallError `store/unavailable` */
  async send(command: string, ...args: string[]): Promise<Reply> {
    return this.#within(command, () => this.#client.call(command, ...args));
  }

  /**
   * Runs a script.
   * @param args - its keys, then its other arguments
   * @throws MidcallError `store/unavailable`
   */
  async run({ text, sha, keys }: Script, ...args: (string | number)[]): Promise<Reply> {
    const rest = [String(keys), ...args.map(String)];
    return this.#within('EVALSHA', async () => {
      try {
        return await this.#client.call('EVALSHA', sha, ...rest);
      } catch (error) {
        if (!String((error as Error | null)?.message).startsWith('NOSCRIPT')) throw error;
        return this.#client.call('EVAL', text, ...rest);
      }
    });
  }

  #within(command: string, work: () => Promise<unknown>): Promise<Reply> {
    const { timeoutMs, clock } = this.#options;
    const reply = work().catch((error: unknown) => {
      throw judged(error, command);
    });
    return inTime(reply as Promise<Reply>, timeoutMs, clock, () => {
      throw unavailable(`did not answer within ${timeoutMs / 1000} seconds`);
    });
  }
}

/** The client's error as ours. Its own text is dropped, since it may repeat what was sent. */
function judged(error: unknown, command: string): MidcallError {
  const { message, code } = (error ?? {}) as { message?: unknown; code?: unknown };
  const errorText = typeof message === 'string' ? message : '';
  const word = /^[A-Z]{2,20}(?= |$)/.exec(errorText)?.[0];
  if (word === 'OOM') return unavailable('is out of memory. Give it more, or lower the limits of this server');
  if (word === 'NOAUTH' || word === 'WRONGPASS' || word === 'NOPERM')
    return unavailable(`refuses ${command} (${word}). Check the user and its rights`);
  if (word === 'READONLY') return unavailable('is a replica that takes no writes. Connect to the primary');
  const why = word ?? (typeof code === 'string' && /^[A-Z_]{2,40}$/.test(code) ? code : undefined);
  return unavailable(`did not do ${command}${why ? ` (${why})` : ''}. Check that it runs and can be reached`);
}

const unavailable = (what: string): MidcallError =>
  new MidcallError('store/unavailable', `The Redis of this fleet ${what}.`);
