/**
 * Sign-ins in progress: what is needed when the browser comes back. Stored sealed under a digest of the `state`, so that any
 * replica can take the callback and reading the store starts nothing.
 *
 * - flows-F1 A flow is taken once, across processes; a callback that is replayed finds nothing.
 */
import { createHash } from 'node:crypto';
import type { Store } from '@midcall/core/store';
import type { Json, Sealer } from '../../index.ts';
import { openUnder, sealUnder } from '../../index.ts';

export interface Flows<T extends Json> {
  /** @param ttlMs - milliseconds the browser may stay away */
  begin(state: string, flow: T, ttlMs: number): Promise<void>;
  /** Reads the flow without taking it. */
  look(state: string): Promise<T | undefined>;
  /** Takes the flow: of all who return with the same state exactly one gets it. */
  take(state: string): Promise<T | undefined>;
}

/** @param purpose - separates flows of different kinds */
export function flows<T extends Json>(store: Store, sealer: Sealer, purpose: string): Flows<T> {
  const keyOf = (state: string): string => `${purpose}:${createHash('sha256').update(state).digest('base64url')}`;
  const opened = (key: string, text: string | undefined): T | undefined =>
    text === undefined ? undefined : (openUnder(sealer, purpose, key, text) as T | undefined);
  return {
    async begin(state, flow, ttlMs) {
      const key = keyOf(state);
      await store.set(key, sealUnder(sealer, purpose, key, flow), { ttlMs, ifAbsent: true });
    },
    async look(state) {
      return opened(keyOf(state), await store.get(keyOf(state)));
    },
    async take(state) {
      return opened(keyOf(state), await store.take(keyOf(state)));
    },
  };
}

/** The one value of a parameter; undefined if it is missing, sent twice, or longer than any of ours. */
export function single(parameters: URLSearchParams, name: string): string | undefined {
  const all = parameters.getAll(name);
  return all.length === 1 && all[0]!.length <= 200 ? all[0] : undefined;
}
