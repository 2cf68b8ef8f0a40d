/** Whoever is given a store gives up what it never answers. */

import { MidcallError } from '@midcall/core/errors';
import { Inbox } from '@midcall/host';
import { provider, signIn, vault } from '@midcall/server/connect';
import { memoryStore } from '@midcall/server/stores/memory';
import { describe, expect, it } from 'vitest';
import { boundedStore } from '../../packages/core/src/store/bounded-store.ts';
import type { Store } from '../../packages/core/src/store/store.ts';
import { redisStore } from '../../packages/server/src/stores/redis.ts';
import { sqliteStore } from '../../packages/server/src/stores/sqlite.ts';
import { handClock } from '../host/clock.ts';

const never = () => new Promise<never>(() => {});
const silent: Store = {
  get: never,
  set: never,
  delete: never,
  take: never,
  sortedSets: { add: never, remove: never, range: never },
};
const unanswered = { code: 'store/unavailable', message: expect.stringContaining('did not answer within 15 seconds') };
const key = Buffer.alloc(32, 3);
const alice = { issuer: 'https://login.example', subject: 'alice' };
const login = provider({
  id: 'login',
  issuer: 'https://login.example',
  clientId: 'c',
  metadata: { authorization_endpoint: 'https://login.example/a', token_endpoint: 'https://login.example/t' },
});

/** What becomes of a call once the time of a store is up, and not before. */
async function givenUp(clock: ReturnType<typeof handClock>, call: Promise<unknown>): Promise<unknown> {
  let outcome: unknown = 'waiting';
  const ended = call.then(
    value => (outcome = ['value', value]),
    error => (outcome = error),
  );
  while (clock.waiting === 0) await new Promise(resolve => setImmediate(resolve));
  clock.move(14_999);
  await new Promise(resolve => setImmediate(resolve));
  expect(outcome).toBe('waiting');
  clock.move(1);
  await ended;
  return outcome;
}

describe('a store that never answers', () => {
  it.each([
    ['get', (store: Store) => store.get('k')],
    ['set', (store: Store) => store.set('k', 'v')],
    ['delete', (store: Store) => store.delete('k')],
    ['take', (store: Store) => store.take('k')],
    ['sortedSets.add', (store: Store) => store.sortedSets.add('s', 'm', 1)],
    ['sortedSets.remove', (store: Store) => store.sortedSets.remove('s', ['m'])],
    ['sortedSets.range', (store: Store) => store.sortedSets.range('s')],
  ])('a store that never answers is given up: %s', async (_, operate) => {
    const clock = handClock();
    expect(await givenUp(clock, operate(boundedStore(silent, clock)))).toMatchObject(unanswered);
    expect(clock.waiting).toBe(0);
  });

  it('the vault gives up a store that never answers, whatever it is asked', async () => {
    const clock = handClock();
    const kept = vault({ store: silent, key, clock });
    for (const call of [
      () => kept.get(alice, 'n'),
      () => kept.put(alice, 'n', 's'),
      () => kept.forget(alice, 'n'),
      () => kept.token(alice, login),
      () => kept.signedIn(alice, login),
      () => kept.flows.look('s', () => {}),
    ]) {
      expect(await givenUp(clock, call())).toMatchObject(unanswered);
    }
  });

  it('signing in on pages gives up a store that never answers', async () => {
    const clock = handClock();
    const made = signIn(login, { store: silent, key, clock });
    made.mount?.({ get() {} } as never, { address: async () => new URL('https://notes.example/connect/x') } as never);
    const begun = made.begin(new Request('https://notes.example/'), new URL('https://notes.example/connect/t'));
    expect(await givenUp(clock, begun)).toMatchObject(unanswered);
  });

  it('the inbox of a host gives up a store that never answers', async () => {
    const clock = handClock();
    expect(await givenUp(clock, new Inbox({ store: silent, clock }).restore())).toMatchObject(unanswered);
  });
});

describe('a store that answers', () => {
  it('a store that answers is not changed by the bound: values, our own errors, and no timer is left', async () => {
    const clock = handClock();
    const store = boundedStore(memoryStore(), clock);
    expect(boundedStore(store)).toBe(store);
    expect(await store.set('k', 'v', { ifAbsent: true })).toBe(true);
    expect(await store.set('k', 'w', { ifAbsent: true })).toBe(false);
    expect(await store.get('k')).toBe('v');
    expect(await store.take('k')).toBe('v');
    await store.delete('k');
    const full = new MidcallError('store/unavailable', 'full');
    const failing = () => Promise.reject(full);
    await expect(boundedStore({ ...silent, get: failing }, clock).get('k')).rejects.toBe(full);
    expect(clock.waiting).toBe(0);
  });

  it('a store that answers does not repeat what a database says, and keeps it for whoever looks', async () => {
    const clock = handClock();
    const cause = new Error('connect ECONNREFUSED redis://:hunter2@10.0.0.5');
    const throwing = () => {
      throw cause;
    };
    for (const get of [throwing, () => Promise.reject(cause)]) {
      const error = await boundedStore({ ...silent, get }, clock)
        .get('k')
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'store/unavailable', cause });
      expect(String(error)).not.toContain('hunter2');
    }
    expect(clock.waiting).toBe(0);
  });

  it('a store that answers says itself how long it may take', async () => {
    expect(redisStore({ send: never }).timeoutMs).toBe(15_000);
    expect(redisStore({ send: never, timeoutMs: 2_000 }).timeoutMs).toBe(2_000);
    const file = await sqliteStore(':memory:', { lockTimeoutMs: 60_000 });
    expect(file.timeoutMs).toBeGreaterThan(60_000);
    file.close();
    const clock = handClock();
    const quick = boundedStore(redisStore({ send: never, timeoutMs: 2_000 }), clock).get('k');
    clock.move(2_000);
    await expect(quick).rejects.toMatchObject({ code: 'store/unavailable' });
  });
});
