/** Wakes waiting calls in other replicas by Redis publish/subscribe: one channel for each name that somebody waits for. */
import { randomBytes } from 'node:crypto';
import { checkOptions, func, name, required } from '@midcall/core/options';
import type { Wake } from '../base/index.ts';
import { clientOf, connectionKind, type FleetConnection, isClient } from './commands.ts';

/** The options of waking. */
export interface RedisWakeOptions {
  /** As in `redisFleet`. A client is duplicated to listen, and you remain its owner. */
  readonly connection: FleetConnection;
  /** The prefix of every channel; `midcall:wake:` if absent. */
  readonly prefix?: string;
  /** Called with errors. Whoever waits still finds its answer, a second later. */
  readonly onError?: (error: unknown) => void;
}

/**
 * @returns the value for the `wake` option of `midcall`
 * @throws MidcallError `server/setup` if `ioredis` is not installed; TypeError for bad options
 * @example
 * ```ts
 * const mid = midcall({ key, store, wake: await redisWake({ connection: 'redis://redis:6379' }) });
 * ```
 */
export async function redisWake(options: RedisWakeOptions): Promise<Wake> {
  checkOptions('redisWake', options, { connection: required(connectionKind), prefix: name, onError: func });
  const { connection, prefix = 'midcall:wake:', onError = () => {} } = options;
  const own = !isClient(connection);
  const client = await clientOf('redisWake', connection);
  const subscriber = client.duplicate();
  subscriber.on('error', onError as never);
  const me = randomBytes(9).toString('base64url');
  const listening = new Map<string, Set<() => void>>();
  const tell = (channel: string): void => {
    for (const woken of [...(listening.get(channel) ?? [])]) woken();
  };
  subscriber.on('message', ((channel: string, from: string) => {
    // Listeners in this process have already been called by whoever woke the others.
    if (from !== me) tell(channel);
  }) as never);
  let isClosed = false;

  return {
    wake(name) {
      if (!isClosed) client.call('PUBLISH', prefix + name, me).catch(onError);
    },
    listen(name, woken) {
      const channel = prefix + name;
      const earlier = listening.get(channel);
      const waiting = earlier ?? new Set();
      // A separate function, so that a listener added twice counts twice.
      const onWake = (): void => woken();
      waiting.add(onWake);
      if (!earlier && !isClosed) {
        listening.set(channel, waiting);
        subscriber.subscribe(channel).then(() => tell(channel), onError);
      }
      return () => {
        if (!waiting.delete(onWake) || waiting.size > 0 || listening.get(channel) !== waiting) return;
        listening.delete(channel);
        if (!isClosed) subscriber.unsubscribe(channel).catch(onError);
      };
    },
    async close() {
      isClosed = true;
      listening.clear();
      subscriber.disconnect();
      if (own) client.disconnect();
    },
  };
}
