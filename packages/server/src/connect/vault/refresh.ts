/**
 * Renewing a sign-in exactly once, however many processes find it expired at the same moment.
 *
 * - refresh-R1 Whoever presents a refresh token claims it first, and a claim is never taken over: a rotating refresh token is
 *   presented only once, even if the process that claimed it dies. Presenting it twice looks like theft to a provider, and ends
 *   the sign-in.
 * - refresh-R2 The others wait for the winner's result, for a bounded time, and use that.
 * - refresh-R3 A claim is released only if nothing can have happened: the request was never sent, the provider answered without
 *   granting, or it is known to leave the refresh token as it is.
 * - refresh-R4 A sign-in whose renewal is in doubt has ended: the person signs in again.
 */
import { hash } from 'node:crypto';
import type { Store } from '@midcall/core/store';
import { type Clock, pause, steadyNow } from '@midcall/core/time';
import type { Principal } from '../../base/index.ts';
import type { Provider } from '../oauth/provider.ts';
import { ProviderError } from '../oauth/provider-error.ts';
import { type OAuthTokens, readSignIn, renewedTokens, type StoredSignIn } from '../oauth/tokens.ts';
import type { SlotEntry, Slots } from './slots.ts';

/** The options of renewals. */
export interface RefreshOptions {
  readonly store: Store;
  readonly slots: Slots;
  readonly clock: Clock;
  /** Milliseconds the others wait for the winner. */
  readonly waitMs: number;
}

/** A sign-in as read from the store. */
export interface ReadSignIn {
  readonly entry: SlotEntry;
  readonly signIn: StoredSignIn;
}

export interface Refresh {
  /** Reads a sign-in, and seals it again if it was sealed with an older key of the ring. */
  read(owner: Principal, slot: string): Promise<ReadSignIn | undefined>;
  /**
   * Renews the tokens of a sign-in that was read.
   * @returns undefined if it has ended, and the person has to sign in again
   * @throws ProviderError if the provider cannot be asked now, or another process is still renewing it
   */
  renew(owner: Principal, slot: string, provider: Provider, found: ReadSignIn): Promise<OAuthTokens | undefined>;
  /** Removes the traces that a renewal of these tokens may have left. */
  release(tokens: OAuthTokens): Promise<void>;
}

/** A requested renewal. */
interface Renewal {
  readonly owner: Principal;
  readonly slot: string;
  readonly provider: Provider;
  /** The sign-in as it was when it was found expired. */
  readonly stale: ReadSignIn;
}

const POLL_MS = 100;
/** How long a spent refresh token stays claimed, in milliseconds: longer than any process that read it may use it. */
const SPENT_MS = 24 * 60 * 60_000;
const RESEAL_MS = 60_000;

const claimKey = (refreshToken: string): string =>
  `refresh:${hash('sha256', `midcall.refresh ${refreshToken}`, 'base64url')}`;

/** True if a sign-in has changed since it was read: renewed, replaced or removed. */
const isNewer = (current: ReadSignIn | undefined, before: ReadSignIn): boolean =>
  current?.entry.id !== before.entry.id || current.signIn.renewed !== before.signIn.renewed;

export function refresh({ store, slots, clock, waitMs }: RefreshOptions): Refresh {
  /** Renewals of this process, so that a thousand calls ask the store once. */
  const running = new Map<string, Promise<OAuthTokens | undefined>>();

  const readStored = async (owner: Principal, slot: string): Promise<ReadSignIn | undefined> => {
    const entry = await slots.read(owner, slot);
    const signIn = entry && readSignIn(entry.value);
    return entry && signIn && { entry, signIn };
  };

  /** The winner's part. */
  const asWinner = async (
    { owner, slot, provider, stale }: Renewal,
    claim: string,
  ): Promise<OAuthTokens | undefined> => {
    // A released claim may be won by somebody who read earlier: only the currently stored value counts.
    const current = await readStored(owner, slot);
    if (!current || isNewer(current, stale)) {
      await store.delete(claim);
      return current?.signIn.tokens;
    }
    const { entry, signIn } = current;
    const before = signIn.tokens;
    if (before?.refreshToken === undefined) return undefined;
    let after: OAuthTokens;
    try {
      after = await provider.client.refresh(before.refreshToken, before.scopes, before.client);
    } catch (error) {
      const failure = error instanceof ProviderError ? error.failure : 'unknown';
      if (failure === 'ended') {
        await slots.renew(owner, slot, entry, {
          renewed: signIn.renewed + 1,
          since: signIn.since,
        } satisfies StoredSignIn);
        await store.delete(claim);
        return undefined;
      }
      if (failure !== 'unknown' || signIn.rotates === false) await store.delete(claim);
      else await store.set(claim, 'in-doubt');
      throw error;
    }
    const tokens = renewedTokens(before, after);
    const rotates = tokens.refreshToken !== before.refreshToken;
    const next: StoredSignIn = { ...signIn, tokens, rotates, renewed: signIn.renewed + 1 };
    const renewed = await slots.renew(owner, slot, entry, next);
    if (rotates) await store.set(claim, 'spent', { ttlMs: SPENT_MS });
    else await store.delete(claim);
    if (renewed) return tokens;
    // Forgotten, or signed in again, in the meantime. If it was forgotten, the new tokens are revoked, since nobody stores
    // them.
    const instead = await readStored(owner, slot);
    if (!instead) await provider.client.revoke(tokens).catch(() => false);
    return instead?.signIn.tokens;
  };

  /** Everybody else's part. */
  const asLoser = async (renewal: Renewal, claim: string): Promise<OAuthTokens | undefined> => {
    const { owner, slot, provider, stale } = renewal;
    const until = steadyNow(clock) + waitMs;
    let over = false;
    for (;;) {
      const current = await readStored(owner, slot);
      if (isNewer(current, stale)) return current?.signIn.tokens;
      if (over) return undefined;
      const state = await store.get(claim);
      if (state === undefined) return start(renewal);
      // If its time is up, the process that claimed it has died in the middle, since its request had a time limit.
      over = state === 'in-doubt' || state === 'spent' || Number(state) <= clock.now();
      // The winner writes the result before it marks the claim as done, and may have done both since we looked.
      if (over) continue;
      if (steadyNow(clock) >= until) {
        throw new ProviderError(
          `The sign-in at ${provider.name} is being renewed by another process, which has not finished. Try again in a minute.`,
          'unsent',
        );
      }
      await pause(POLL_MS, clock);
    }
  };

  const start = async (renewal: Renewal): Promise<OAuthTokens | undefined> => {
    const refreshToken = renewal.stale.signIn.tokens?.refreshToken;
    if (refreshToken === undefined) return undefined;
    const claim = claimKey(refreshToken);
    const deadBy = String(clock.now() + renewal.provider.renewalTimeoutMs);
    const part = (await store.set(claim, deadBy, { ifAbsent: true })) ? asWinner : asLoser;
    return part(renewal, claim);
  };

  return {
    async read(owner, slot) {
      const signInRead = await readStored(owner, slot);
      if (!signInRead?.entry.outdated) return signInRead;
      // Sealing again is a write like a renewal, so it takes the same claim; if a renewal holds it, that seals again.
      const refreshToken = signInRead.signIn.tokens?.refreshToken;
      const claim = refreshToken === undefined ? undefined : claimKey(refreshToken);
      const deadBy = String(clock.now() + RESEAL_MS);
      if (claim && !(await store.set(claim, deadBy, { ifAbsent: true, ttlMs: RESEAL_MS }))) return signInRead;
      const current = await readStored(owner, slot);
      if (current?.entry.outdated) await slots.renew(owner, slot, current.entry, current.signIn);
      if (claim) await store.delete(claim);
      return current;
    },
    renew(owner, slot, provider, current) {
      const key = `${current.entry.id} ${current.signIn.renewed}`;
      const shared = running.get(key);
      if (shared) return shared;
      const renewal = start({ owner, slot, provider, stale: current }).finally(() => running.delete(key));
      running.set(key, renewal);
      return renewal;
    },
    async release(tokens) {
      if (tokens.refreshToken !== undefined) await store.delete(claimKey(tokens.refreshToken));
    },
  };
}
