/**
 * Sign-ins in progress: what is needed when the browser comes back. Stored sealed under a digest of the `state`, so that any
 * replica can take the callback and reading the store starts nothing.
 *
 * - flows-F1 A flow is taken once, across processes; a callback that is replayed finds nothing.
 *   What it leaves for some minutes says only where the person came from: whoever reloads a callback is led back there.
 * - flows-F2 A flow that cannot be opened counts as missing, and operators are told.
 */
import { hash, randomBytes } from 'node:crypto';
import type { Store } from '@midcall/core/store';
import type { Json } from '../../base/index.ts';
import { openOrWarn, type Sealer } from '../../state/index.ts';

type Warn = (message: string) => void;

/** How long it is remembered where a flow that was taken had come from. */
const LEFT_MS = 10 * 60_000;

export interface Flows<T extends Json, Left extends Json = null> {
  /** @param ttlMs - milliseconds the browser may stay away */
  begin(state: string, flow: T, ttlMs: number): Promise<void>;
  /** Reads the flow without taking it. @param warn - writes to the operators' log */
  look(state: string, warn: Warn): Promise<T | undefined>;
  /**
   * Takes the flow: of all who return with the same state exactly one gets it.
   * @param warn - as in `look`
   * @param left - what `left` gives from now on
   */
  take(state: string, warn: Warn, left?: Left): Promise<T | undefined>;
  /** Reads what a flow left that was taken: nothing of the flow itself. @param warn - as in `look` */
  left(state: string, warn: Warn): Promise<Left | undefined>;
}

/**
 * @param purpose - separates flows of different kinds
 * @param what - a flow of this kind, as the subject of a sentence to operators
 */
export function flows<T extends Json, Left extends Json = null>(
  store: Store,
  sealer: Sealer,
  purpose: string,
  what: string,
): Flows<T, Left> {
  const leftPurpose = `${purpose}-left`;
  const digestOf = (state: string): string => hash('sha256', state, 'base64url');
  const keyOf = (state: string): string => `${purpose}:${digestOf(state)}`;
  const leftKeyOf = (state: string): string => `${leftPurpose}:${digestOf(state)}`;
  const opened = (key: string, text: string | undefined, warn: Warn): T | undefined =>
    text === undefined ? undefined : (openOrWarn(sealer, purpose, key, text, what, warn) as T | undefined);
  return {
    async begin(state, flow, ttlMs) {
      const key = keyOf(state);
      await store.set(key, sealer.seal(flow, purpose, key), { ttlMs, ifAbsent: true });
    },
    async look(state, warn) {
      return opened(keyOf(state), await store.get(keyOf(state)), warn);
    },
    async take(state, warn, left) {
      // Before the flow is gone, so that nobody finds neither.
      if (left !== undefined) {
        const key = leftKeyOf(state);
        await store.set(key, sealer.seal(left, leftPurpose, key), { ttlMs: LEFT_MS });
      }
      return opened(keyOf(state), await store.take(keyOf(state)), warn);
    },
    async left(state, warn) {
      const key = leftKeyOf(state);
      const text = await store.get(key);
      return text === undefined
        ? undefined
        : (openOrWarn(sealer, leftPurpose, key, text, `${what} that was taken`, warn) as Left | undefined);
    },
  };
}

/** The one value of a parameter; undefined if it is missing, sent twice, or longer than any of ours. */
export function single(parameters: URLSearchParams, name: string): string | undefined {
  const all = parameters.getAll(name);
  return all.length === 1 && all[0]!.length <= 200 ? all[0] : undefined;
}

/** A new verifier, state or nonce: 256 random bits in base64url, as PKCE wants them (RFC 7636, section 4.1). */
export const randomToken = (): string => randomBytes(32).toString('base64url');
