/**
 * A retry is answered once. The first to present a state claims its nonce together with the digest of its inputs; the
 * same inputs again get the same result, other inputs are refused. Claims outlive every state that could present them.
 *
 * No claim is ever taken over while a step that is not safe to repeat may be under way: a second presenter waits for the
 * first, and where the first never ends, it is told what is known instead of doing the work again.
 */
import type { Store } from '../stores/store.ts';

export type Claim =
  | { readonly kind: 'mine' }
  /** The same retry was answered before. */
  | { readonly kind: 'answered'; readonly result: unknown }
  /** The nonce was used with other inputs. */
  | { readonly kind: 'other-inputs' }
  /** The same retry was begun and its end is not known. */
  | { readonly kind: 'interrupted' };

export interface Claims {
  claim(nonce: string, inputs: string, ttlMs: number): Promise<Claim>;
  answer(nonce: string, result: unknown, ttlMs: number): Promise<void>;
}

export interface ClaimsOptions {
  readonly store: Store;
  /** Waits so many milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly now: () => number;
  /** Milliseconds a second presenter waits for the first. */
  readonly waitMs: number;
}

const POLL_MS = 200;

export function claims({ store, sleep, now, waitMs }: ClaimsOptions): Claims {
  /** Retries under way in this process, so that a duplicate need not poll for them. */
  const running = new Map<string, { readonly promise: Promise<void>; readonly end: () => void }>();

  const answered = async (nonce: string): Promise<Claim | undefined> => {
    const result = await store.get(`result:${nonce}`);
    return result === undefined ? undefined : { kind: 'answered', result: JSON.parse(result) };
  };

  return {
    async claim(nonce, inputs, ttlMs) {
      if (await store.set(`claim:${nonce}`, inputs, { ttlMs, ifAbsent: true })) {
        let end = (): void => {};
        const promise = new Promise<void>(resolve => {
          end = resolve;
        });
        running.set(nonce, { promise, end });
        return { kind: 'mine' };
      }
      if ((await store.get(`claim:${nonce}`)) !== inputs) return { kind: 'other-inputs' };
      const until = now() + waitMs;
      for (;;) {
        const done = await answered(nonce);
        if (done) return done;
        if (now() >= until) return { kind: 'interrupted' };
        await Promise.race([sleep(POLL_MS), running.get(nonce)?.promise ?? sleep(POLL_MS)]);
      }
    },
    async answer(nonce, result, ttlMs) {
      await store.set(`result:${nonce}`, JSON.stringify(result), { ttlMs });
      running.get(nonce)?.end();
      running.delete(nonce);
    },
  };
}
