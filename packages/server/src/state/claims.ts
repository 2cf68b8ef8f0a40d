/**
 * A retry is answered once. The first to present a state claims its nonce together with the digest of its inputs; the
 * same inputs again get the same result, or wait for the attempt in progress; other inputs are refused. Claims outlive
 * every state that could present them; results, which may be large, are kept for as long as a client still tries again.
 *
 * An attempt that died is followed by another, one at a time, and only if it is certain that it starts nothing more:
 *
 * - claims-C1 No attempt is followed while it may be alive. Alive is: in progress in this process, or its process has shown its
 *   presence in the store within `PRESENT` of the wait. A waiter that meets a live attempt gives up after `waitMs`.
 * - claims-C2 An attempt whose process has not shown its presence in time starts no step any more, unless it was the first to
 *   follow itself (`holds`): a process that was stopped and woke up again finds that out by its own clock.
 * - claims-C3 Of all that would follow an attempt exactly one does, by `ifAbsent`; and it looks for a result once more
 *   after it has won, because a result is always written before its attempt is let go.
 * - claims-C4 Whoever follows judges the retry by the time at which it came first: what the attempt before it did was done on answers
 *   that were in time.
 *
 * So what follows a dead attempt may run again what the attempt did outside steps, and steps that are safe to repeat. No
 * other step: each of those is begun by `ifAbsent` (ledger.ts). What was in progress at the very moment a process stopped
 * can still arrive afterwards; against that only a key that the other side removes duplicates by helps, not `check`.
 */
import type { Store } from '@midcall/core/store';
import type { Clock } from '@midcall/core/time';

export type Claim =
  /** `cameAt`: when the retry came first, in milliseconds since the epoch (claims-C4). */
  | { readonly kind: 'mine'; readonly attempt: Attempt; readonly cameAt: number }
  /** The same retry was answered before. */
  | { readonly kind: 'answered'; readonly result: unknown }
  /** The same retry was answered before, with what is not kept any more. */
  | { readonly kind: 'forgotten' }
  /** The nonce was used with other inputs. */
  | { readonly kind: 'other-inputs' }
  /** The same retry is still in progress somewhere, and the wait is over. */
  | { readonly kind: 'under-way' };

/** The right to run one retry. */
export interface Attempt {
  /** True for the first; a later one follows an attempt whose end is not known. */
  readonly first: boolean;
  /** Asked before anything is started; false once somebody else has followed, and forever after. */
  holds(): Promise<boolean>;
  /**
   * Ends the attempt with what every duplicate is given.
   * @returns false if it was not kept, because somebody else may have followed
   */
  answer(result: unknown): Promise<boolean>;
  /** Ends the attempt without a result: nothing of it goes on, and the next duplicate may follow it. */
  abandon(): Promise<void>;
  /** Ends the attempt and leaves no sign of it, where what presents its retry has been told that it is over. */
  forget(): Promise<void>;
}

export interface Claims {
  /** @param cameAt - when this retry came, in milliseconds since the epoch; now if absent */
  claim(nonce: string, inputs: string, ttlMs: number, signal: AbortSignal, cameAt?: number): Promise<Claim>;
}

export interface ClaimsOptions {
  readonly store: Store;
  /** Where results lie, which hold contents; `store` if absent. */
  readonly results?: Store;
  readonly clock: Clock;
  readonly id: () => string;
  /** Milliseconds a second presenter waits for the first. */
  readonly waitMs: number;
}

/** How long a sign of presence counts, as a part of the wait; it is renewed three times as often. */
const PRESENT = 0.6;
/** Longer results are not kept for duplicates, in characters of JSON. */
const MAX_KEPT = 262_144;
/** Results are kept so long, in milliseconds: twice what clients wait for one request. */
export const KEPT_MS = 120_000;

interface StoredClaim {
  /** Digest of the inputs. */
  readonly i: string;
  /** Whose process holds it; absent where nobody does any more. */
  readonly o?: string;
  /** It was answered; the result lies beside it while it is kept. */
  readonly d?: true;
  /** When the retry came; on the first claim alone. */
  readonly t?: number;
}

export function claims({ store, results = store, clock, id, waitMs }: ClaimsOptions): Claims {
  let own: string | undefined;
  /** This process; drawn when it is needed first, since a worker may draw nothing while it is loaded. */
  const me = (): string => {
    own ??= id();
    return own;
  };
  const presentMs = Math.max(1, Math.floor(waitMs * PRESENT));
  const pollMs = Math.max(1, Math.min(200, Math.floor(waitMs / 10)));
  /** Attempts in progress in this process, so that a duplicate need not poll for their end. */
  const running = new Map<string, Promise<void>>();
  let shownAt = Number.NEGATIVE_INFINITY;
  let stopRenewing: (() => void) | undefined;

  const keyOf = (nonce: string, attempt: number) => (attempt === 1 ? `claim:${nonce}` : `claim:${nonce}:${attempt}`);
  const resultOf = (nonce: string) => `result:${nonce}`;
  const read = async (key: string): Promise<StoredClaim | undefined> => {
    const text = await store.get(key);
    return text === undefined ? undefined : (JSON.parse(text) as StoredClaim);
  };
  const show = async (): Promise<void> => {
    const at = clock.now();
    await store.set(`present:${me()}`, '', { ttlMs: presentMs });
    shownAt = at;
  };
  /** True so many milliseconds after the last sign of presence; also where the clock has been set back since. */
  const isUnseenFor = (ms: number): boolean => {
    const since = clock.now() - shownAt;
    return since < 0 || since >= ms;
  };
  const renew = (): void => {
    if (running.size === 0) return;
    stopRenewing ??= clock.after(presentMs / 3, () => {
      stopRenewing = undefined;
      // A store that cannot be written is found out by the next step: then `holds` is false.
      void show().then(renew, renew);
    });
  };
  const alive = async (key: string, owner: string): Promise<boolean> =>
    owner === me() ? running.has(key) : (await store.get(`present:${owner}`)) !== undefined;
  const pause = (ms: number, until: Promise<void> | undefined) =>
    new Promise<void>(resolve => {
      const stop = clock.after(ms, resolve);
      void until?.then(() => {
        stop();
        resolve();
      });
    });

  const take = (nonce: string, number: number, inputs: string, ttlMs: number, cameAt: number): Attempt => {
    const keys = [keyOf(nonce, number)];
    let attempt = number;
    let lost = false;
    let end = (): void => {};
    const ended = new Promise<void>(resolve => {
      end = resolve;
    });
    running.set(keyOf(nonce, attempt), ended);
    renew();
    let following: Promise<void> | undefined;
    const follow = async (): Promise<void> => {
      await show();
      const next = keyOf(nonce, attempt + 1);
      lost = !(await store.set(next, JSON.stringify({ i: inputs, o: me() }), { ttlMs, ifAbsent: true }));
      if (lost) return;
      attempt++;
      keys.push(next);
      running.set(next, ended);
    };
    const isCertain = (): boolean => lost || !(following || isUnseenFor(presentMs));
    const holds = async (): Promise<boolean> => {
      if (!isCertain()) {
        following ??= follow().finally(() => {
          following = undefined;
        });
        await following;
      }
      return !lost;
    };
    /** @param outcome - what every duplicate is given; absent if there is none */
    const leave = async (outcome?: { readonly result: unknown } | 'forgotten'): Promise<boolean> => {
      try {
        // One that was followed has nothing to say any more.
        if (isCertain() ? lost : !(await holds())) return false;
        if (outcome === 'forgotten') {
          for (let each = attempt; each > 0; each -= 1) await store.delete(keyOf(nonce, each));
          return true;
        }
        if (outcome === undefined) {
          await store.set(keyOf(nonce, attempt), JSON.stringify({ i: inputs, t: cameAt } satisfies StoredClaim), {
            ttlMs,
          });
          return true;
        }
        const result = JSON.stringify(outcome.result);
        // The result first, so that whoever finds the claim answered finds it too (claims-C3); a store without room for a result
        // still has the claim.
        if (result.length <= MAX_KEPT) {
          await results.set(resultOf(nonce), result, { ttlMs: Math.min(ttlMs, KEPT_MS) }).catch(() => {});
        }
        await store.set(keyOf(nonce, 1), JSON.stringify({ i: inputs, d: true } satisfies StoredClaim), { ttlMs });
        return true;
      } finally {
        for (const key of keys) running.delete(key);
        if (running.size === 0) {
          stopRenewing?.();
          stopRenewing = undefined;
        }
        end();
      }
    };
    return {
      first: number === 1,
      holds,
      answer: result => leave({ result }),
      abandon: async () => void (await leave()),
      forget: async () => void (await leave('forgotten')),
    };
  };

  const storedResult = async (nonce: string): Promise<Claim> => {
    const result = await results.get(resultOf(nonce));
    return result === undefined ? { kind: 'forgotten' } : { kind: 'answered', result: JSON.parse(result) };
  };

  return {
    async claim(nonce, inputs, ttlMs, signal, cameAt = clock.now()) {
      if (isUnseenFor(presentMs / 3)) await show();
      const ownClaim = JSON.stringify({ i: inputs, o: me(), t: cameAt } satisfies StoredClaim);
      const first = keyOf(nonce, 1);
      if (await store.set(first, ownClaim, { ttlMs, ifAbsent: true })) {
        return { kind: 'mine', attempt: take(nonce, 1, inputs, ttlMs, cameAt), cameAt };
      }
      const until = clock.now() + waitMs;
      for (let attempt = 1; ; ) {
        const firstClaim = await read(first);
        if (firstClaim?.i !== inputs) return { kind: 'other-inputs' };
        if (firstClaim.d) return storedResult(nonce);
        const key = keyOf(nonce, attempt);
        const current = attempt === 1 ? firstClaim : await read(key);
        if (current?.o !== undefined && (await alive(key, current.o))) {
          if (clock.now() >= until || signal.aborted) return { kind: 'under-way' };
          await pause(pollMs, running.get(key));
          continue;
        }
        attempt++;
        // However many processes died of a retry, only the attempt that follows the last of them is written.
        if (await read(keyOf(nonce, attempt))) continue;
        if (isUnseenFor(presentMs / 3)) await show();
        if (!(await store.set(keyOf(nonce, attempt), ownClaim, { ttlMs, ifAbsent: true }))) continue;
        const firstAt = firstClaim.t ?? cameAt;
        const attempted = take(nonce, attempt, inputs, ttlMs, firstAt);
        const late = await read(first);
        if (!late?.d) return { kind: 'mine', attempt: attempted, cameAt: firstAt };
        await attempted.abandon();
        return storedResult(nonce);
      }
    },
  };
}
