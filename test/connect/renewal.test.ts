/** Who renews a sign-in, without a provider; see packages/server/src/connect/vault/refresh.ts. */
import { memoryStore } from '@midcall/server/stores/memory';
import { describe, expect, it } from 'vitest';
import type { Provider } from '../../packages/server/src/connect/oauth/provider.ts';
import { ProviderError } from '../../packages/server/src/connect/oauth/provider-error.ts';
import type { OAuthTokens, StoredSignIn } from '../../packages/server/src/connect/oauth/tokens.ts';
import { refresh } from '../../packages/server/src/connect/vault/refresh.ts';
import { slots } from '../../packages/server/src/connect/vault/slots.ts';
import { keyRing } from '../../packages/server/src/state/keys.ts';
import { createSealer } from '../../packages/server/src/state/seal.ts';
import { passingClock } from './passing-clock.ts';

const ann = { issuer: 'https://login.example', subject: 'ann' };
const slot = 'sign-in';
const [oldKey, newKey] = [Buffer.alloc(32, 3), Buffer.alloc(32, 4)];
const kept = (more: Partial<StoredSignIn> = {}): StoredSignIn => ({
  tokens: { accessToken: 'stale-access-1', refreshToken: 'first-refresh-1', scopes: ['notes'] },
  renewed: 0,
  since: 1,
  ...more,
});
const fresh: OAuthTokens = { accessToken: 'fresh-access-2', refreshToken: 'second-refresh-2', scopes: ['notes'] };

/** One process, a store and a provider that answers as it is told. */
function desk(ring = keyRing(newKey)) {
  const clock = passingClock();
  const store = memoryStore({ clock });
  const sent: string[] = [];
  const revoked: string[] = [];
  const world = { answer: async (): Promise<OAuthTokens> => fresh };
  const provider = {
    name: 'Notes Co',
    renewalTimeoutMs: 30_000,
    client: {
      async refresh(token: string) {
        sent.push(token);
        return world.answer();
      },
      async revoke({ accessToken }: OAuthTokens) {
        revoked.push(accessToken);
        return true;
      },
    },
  } as unknown as Provider;
  const at = (keys = ring) => {
    const slotsOf = slots(store, createSealer(keys));
    return { slots: slotsOf, ...refresh({ store, slots: slotsOf, clock, waitMs: 1_000 }) };
  };
  return { store, provider, sent, revoked, world, at, ...at() };
}

describe('a sign-in that is renewed', () => {
  it('a renewed sign-in is kept in place of the one before, and its claim is spent', async () => {
    const { slots: kepts, read, renew, provider, sent } = desk();
    await kepts.replace(ann, slot, kept());
    const found = (await read(ann, slot))!;
    expect(await renew(ann, slot, provider, found)).toEqual(fresh);
    expect((await read(ann, slot))?.signIn).toEqual(kept({ tokens: fresh, renewed: 1, rotates: true }));
    // Whoever still holds what was read before gets what is kept now.
    expect(await renew(ann, slot, provider, found)).toEqual(fresh);
    expect(sent).toEqual(['first-refresh-1']);
  });

  it('a sign-in that was forgotten before its renewal began is asked for no more, and leaves no claim', async () => {
    const { slots: kepts, read, renew, provider, sent } = desk();
    await kepts.replace(ann, slot, kept());
    const found = (await read(ann, slot))!;
    await kepts.clear(ann, slot);
    expect(await renew(ann, slot, provider, found)).toBeUndefined();
    expect(sent).toEqual([]);
    await kepts.replace(ann, slot, kept());
    expect(await renew(ann, slot, provider, (await read(ann, slot))!)).toEqual(fresh);
  });

  it.each([
    ['has none', kept({ tokens: { accessToken: 'stale-access-1', scopes: [] } })],
    ['has ended', { renewed: 1, since: 1 }],
  ])('a renewal needs a refresh token: where the sign-in %s, the provider is not asked', async (_, signIn) => {
    const { slots: kepts, read, renew, provider, sent } = desk();
    await kepts.replace(ann, slot, signIn);
    expect(await renew(ann, slot, provider, (await read(ann, slot))!)).toBeUndefined();
    expect(sent).toEqual([]);
  });

  it('a sign-in that is forgotten while the provider answers is given back there', async () => {
    const { slots: kepts, read, renew, provider, revoked, world } = desk();
    await kepts.replace(ann, slot, kept());
    world.answer = async () => {
      await kepts.clear(ann, slot);
      return fresh;
    };
    expect(await renew(ann, slot, provider, (await read(ann, slot))!)).toBeUndefined();
    expect(revoked).toEqual(['fresh-access-2']);
  });

  it.each([
    ['unsent', 2],
    ['refused', 2],
    ['unknown', 1],
  ] as const)(
    'a renewal with an error that means %s is sent %i times to the provider in two calls',
    async (failure, times) => {
      const { slots: kepts, read, renew, provider, sent, world } = desk();
      await kepts.replace(ann, slot, kept());
      world.answer = () => Promise.reject(new ProviderError('It failed.', failure));
      await expect(renew(ann, slot, provider, (await read(ann, slot))!)).rejects.toThrow('It failed.');
      const again = renew(ann, slot, provider, (await read(ann, slot))!);
      if (times === 2) await expect(again).rejects.toThrow('It failed.');
      else expect(await again).toBeUndefined();
      expect(sent).toHaveLength(times);
    },
  );

  it('a renewal is waited for by the others while its claim is alive, for a bounded time, and then by nobody', async () => {
    const { slots: kepts, read, renew, provider, world, at } = desk();
    await kepts.replace(ann, slot, kept());
    const found = (await read(ann, slot))!;
    world.answer = () => new Promise<never>(() => {});
    void renew(ann, slot, provider, found);
    const other = at();
    await expect(other.renew(ann, slot, provider, found)).rejects.toMatchObject({
      message:
        'The sign-in at Notes Co is being renewed by another process, which has not finished. Try again in a minute.',
    });
    // The time of the claim is up in the end: whoever made it has died.
    let last: unknown = 'none';
    for (let tries = 0; tries < 60 && last !== undefined; tries += 1)
      last = await other.renew(ann, slot, provider, found).catch(() => 'busy');
    expect(last).toBeUndefined();
  });

  it('a sign-in is sealed again with the newest key, and the claim for that is given back', async () => {
    const { slots: kepts, at, provider } = desk(keyRing(oldKey));
    await kepts.replace(ann, slot, kept());
    const newer = at(keyRing([newKey, oldKey]));
    expect((await newer.read(ann, slot))?.entry.outdated).toBe(true);
    const again = (await newer.read(ann, slot))!;
    expect(again.entry.outdated).toBe(false);
    expect(await newer.renew(ann, slot, provider, again)).toEqual(fresh);
  });

  it('a sign-in without tokens is sealed again, too', async () => {
    const { slots: kepts, at } = desk(keyRing(oldKey));
    await kepts.replace(ann, slot, { renewed: 1, since: 1 });
    const newer = at(keyRing([newKey, oldKey]));
    await newer.read(ann, slot);
    expect((await newer.read(ann, slot))?.entry.outdated).toBe(false);
  });

  it('a sign-in is refused in words that say what to do where somebody changed it, or its key is gone', async () => {
    const { slots: kepts, at, store } = desk(keyRing(oldKey));
    await kepts.replace(ann, slot, kept());
    await expect(at(keyRing(newKey)).read(ann, slot)).rejects.toMatchObject({
      code: 'store/corrupt',
      message:
        'A stored credential was sealed with a key that is no longer in the ring. Put the old key back, after the new one.',
    });
    const { envelope } = (await kepts.read(ann, slot))!;
    const moved = { ...store, get: async () => envelope };
    await expect(slots(moved, createSealer(keyRing(oldKey))).read(ann, 'another')).rejects.toMatchObject({
      code: 'store/corrupt',
      message:
        'A stored credential was changed in the store, or belongs elsewhere. It is not used; forget it and connect again.',
    });
  });
});
