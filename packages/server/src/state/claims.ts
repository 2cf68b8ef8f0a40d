/**
 * A retry is answered once. The first to present a state claims its nonce together with the digest of its inputs; the same
 * inputs again get the same result, or wait for the attempt in progress; other inputs are refused. Claims outlive every state
 * that could present them; results, which may be large, are kept for as long as a client may still retry.
 *
 * An attempt that died is followed by another, one at a time, and only if the dead one certainly starts nothing more:
 *
 * - claims-C1 No attempt is followed while it may be alive. Alive is: in progress in this process, or its process has shown its
 *   presence in the store within `PRESENT` of the wait. A waiter that meets a live attempt gives up after `waitMs`.
 * - claims-C2 An attempt whose process has not shown its presence in time starts no more steps, unless it is the first to
 *   follow itself (`holds`): a process that was stopped and resumed detects that by its own clock.
 * - claims-C3 Of all that would follow an attempt exactly one does, by `ifAbsent`; and it looks for a result once more after it
 *   has won, because a result is always written before its attempt is released.
 * - claims-C4 An attempt that follows judges the retry by the time at which it first arrived, since the earlier attempt acted
 *   on answers that were in time.
 *
 * So an attempt that follows a dead one may repeat its work outside steps, and steps that are safe to repeat, but no other
 * step: each of those is begun by `ifAbsent` (ledger.ts). An effect in progress at the very moment a process stopped can still
 * happen afterwards; only a key by which the other side removes duplicates protects against that, not `check`.
 */
import { findOut, isMidcallError, MidcallError } from '@midcall/core/errors';
import type { Store } from '@midcall/core/store';
import { type Clock, inTime, pause, steadyNow } from '@midcall/core/time';
import type { Shares } from './shares.ts';

export type Claim =
  /** `cameAt`: when the retry first arrived, in milliseconds since the epoch (claims-C4). */
  | { readonly kind: 'mine'; readonly attempt: Attempt; readonly cameAt: number }
  /** This retry was answered before. */
  | { readonly kind: 'answered'; readonly result: unknown }
  /** This retry was answered before, but the result is no longer stored. */
  | { readonly kind: 'forgotten' }
  /** The nonce was used with other inputs. */
  | { readonly kind: 'other-inputs' }
  /** This retry is still in progress somewhere, and the wait is over. */
  | { readonly kind: 'under-way' };

/** The claim on one retry. */
export interface Attempt {
  /** True for the first; a later one follows an attempt whose end is not known. */
  readonly first: boolean;
  /** Called before anything is started; false once another attempt has followed, and from then on. */
  holds(): Promise<boolean>;
  /**
   * Ends the attempt with the outcome that every duplicate gets.
   * @returns false if it was not stored, because another attempt may have followed
   */
  answer(result: unknown): Promise<boolean>;
  /** Ends the attempt without a result: it does nothing more, and the next duplicate may follow it. */
  abandon(): Promise<void>;
  /** Ends the attempt without a trace, if whatever presents its retry knows that it is over. */
  forget(): Promise<void>;
}

/** Whether the client of a request is gone; a signal is one, but costs more than the claim itself. */
export type Gone = Pick<AbortSignal, 'aborted'>;

export interface Claims {
  /**
   * @param gone - looked at only while a duplicate waits: its client need not be told anything any more
   * @param cameAt - when this retry arrived, in milliseconds since the epoch; now if absent
   * @param person - whose it is, as `principalKey` names them; nobody known if absent
   */
  claim(nonce: string, inputs: string, ttlMs: number, gone: Gone, cameAt?: number, person?: string): Promise<Claim>;
  /** True once a retry with this nonce has been claimed. */
  isClaimed(nonce: string): Promise<boolean>;
}

export interface ClaimsOptions {
  readonly store: Store;
  /** Where results, which have content, are stored; `store` if absent. */
  readonly results?: Store;
  /** What each person's results may take; absent if they are not bounded. */
  readonly shares?: Shares;
  readonly clock: Clock;
  /** Names this process. */
  readonly process: () => string;
  /** Milliseconds that a duplicate waits for the first attempt. */
  readonly waitMs: number;
}

/** How long a sign of presence is valid, as a fraction of the wait; it is renewed three times as often. */
const PRESENT = 0.6;
/** The maximum length of a result stored for duplicates, in characters of JSON. */
const MAX_RESULT = 262_144;
/** The length of a result that takes no more than the claim and the state beside it, which are there anyway: it is not counted. */
const FREE = 1_024;
/** How long results are stored, in milliseconds: twice as long as clients wait for one request. */
const RESULT_MS = 120_000;

interface StoredClaim {
  /** Digest of the inputs. */
  readonly i: string;
  /** The process that holds it; absent if none does any more. */
  readonly o?: string;
  /** True if it was answered; the result is stored next to it for a while. */
  readonly d?: true;
  /** When the retry arrived; on the first claim only. */
  readonly t?: number;
}

export function claims({ store, results = store, shares, clock, process, waitMs }: ClaimsOptions): Claims {
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
    await store.set(`present:${process()}`, '', { ttlMs: presentMs });
    shownAt = at;
  };
  /** True if the given milliseconds have passed since the last sign of presence; also if the clock has been set back since. */
  const isUnseenFor = (ms: number): boolean => {
    const since = clock.now() - shownAt;
    return since < 0 || since >= ms;
  };
  const renew = (): void => {
    if (running.size === 0) return;
    stopRenewing ??= clock.after(presentMs / 3, () => {
      stopRenewing = undefined;
      // If the store cannot be written, the next step detects it: then `holds` is false.
      void show().then(renew, renew);
    });
  };
  const alive = async (key: string, owner: string): Promise<boolean> =>
    owner === process() ? running.has(key) : (await store.get(`present:${owner}`)) !== undefined;

  /** Stores a result for duplicates, if there is room for it: the claim alone ensures that nothing is done twice. */
  const keep = async (nonce: string, result: string, ttlMs: number, person: string): Promise<void> => {
    if (result.length > MAX_RESULT) return;
    const retentionMs = Math.min(ttlMs, RESULT_MS);
    try {
      const characters = result.length;
      if (characters > FREE) await shares?.take(person, { characters, until: clock.now() + retentionMs });
      await results.set(resultOf(nonce), result, { ttlMs: retentionMs });
    } catch {}
  };

  const take = (
    nonce: string,
    number: number,
    inputs: string,
    ttlMs: number,
    cameAt: number,
    person: string,
  ): Attempt => {
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
      lost = !(await store.set(next, JSON.stringify({ i: inputs, o: process() }), { ttlMs, ifAbsent: true }));
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
    /** @param outcome - what every duplicate gets; absent if there is none */
    const leave = async (outcome?: { readonly result: unknown } | 'forgotten'): Promise<boolean> => {
      try {
        // An attempt that was followed has no say any more.
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
        // The result first, so that whoever finds the claim answered finds it too (claims-C3).
        await keep(nonce, result, ttlMs, person);
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
    isClaimed: async nonce => (await read(keyOf(nonce, 1))) !== undefined,
    async claim(nonce, inputs, ttlMs, gone, cameAt = clock.now(), person = '') {
      if (isUnseenFor(presentMs / 3)) await show();
      const ownClaim = JSON.stringify({ i: inputs, o: process(), t: cameAt } satisfies StoredClaim);
      const first = keyOf(nonce, 1);
      if (await store.set(first, ownClaim, { ttlMs, ifAbsent: true })) {
        return { kind: 'mine', attempt: take(nonce, 1, inputs, ttlMs, cameAt, person), cameAt };
      }
      const find = async (): Promise<Claim> => {
        const until = steadyNow(clock) + waitMs;
        for (let attempt = 1; ; ) {
          const firstClaim = await read(first);
          if (firstClaim?.i !== inputs) return { kind: 'other-inputs' };
          if (firstClaim.d) return storedResult(nonce);
          const key = keyOf(nonce, attempt);
          const current = attempt === 1 ? firstClaim : await read(key);
          if (current?.o !== undefined && (await alive(key, current.o))) {
            if (steadyNow(clock) >= until || gone.aborted) return { kind: 'under-way' };
            const end = running.get(key);
            await (end ? inTime(end, pollMs, clock) : pause(pollMs, clock));
            continue;
          }
          attempt++;
          // However many processes died running a retry, only the latest attempt is stored.
          if (await read(keyOf(nonce, attempt))) continue;
          if (isUnseenFor(presentMs / 3)) await show();
          if (!(await store.set(keyOf(nonce, attempt), ownClaim, { ttlMs, ifAbsent: true }))) continue;
          const firstAt = firstClaim.t ?? cameAt;
          const attempted = take(nonce, attempt, inputs, ttlMs, firstAt, person);
          const late = await read(first).catch(async (error: unknown) => {
            // Otherwise it would be under way in this process for ever.
            await attempted.abandon().catch(() => {});
            throw error;
          });
          if (!late?.d) return { kind: 'mine', attempt: attempted, cameAt: firstAt };
          await attempted.abandon();
          return storedResult(nonce);
        }
      };
      return find().catch(unfound);
    },
  };
}

/** A store that fails after an earlier attempt was found does not say that the call may be made again. */
function unfound(error: unknown): never {
  if (!isMidcallError(error, 'store/unavailable')) throw error;
  throw new MidcallError(
    'store/unavailable',
    `The server's store failed while an earlier attempt at this call was looked up. What that did is in doubt. ${findOut}`,
    { cause: error },
  );
}
