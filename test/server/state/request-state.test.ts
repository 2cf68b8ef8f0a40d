/** What binds a sealed state; see the head of packages/server/src/state/request-state.ts. */
import { memoryStore } from '@midcall/server/stores/memory';
import { describe, expect, it } from 'vitest';
import { keyRing } from '../../../packages/server/src/state/keys.ts';
import {
  type Binding,
  dropJournal,
  lifeOf,
  openState,
  openStored,
  prolongState,
  type RoundState,
  sealState,
  shrinkJournal,
  storedState,
} from '../../../packages/server/src/state/request-state.ts';
import { createSealer } from '../../../packages/server/src/state/seal.ts';
import { Shares } from '../../../packages/server/src/state/shares.ts';

const binding: Binding = {
  principal: 'ann',
  client: 'app',
  method: 'resources/read',
  name: 'notes://all',
  arguments: 'digest',
  audience: 'notes',
  version: '1',
};
const state: RoundState = {
  flow: 'f',
  nonce: 'n',
  round: 1,
  issuedAt: 1_000_000,
  expiresAt: 2_000_000,
  journal: [{ id: 'a.1', kind: 'elicit', label: 'Sure?', value: true }],
  out: [],
};
const big = 100_000;

function options(now = 1_500_000) {
  const clock = {
    at: now,
    now(): number {
      return this.at;
    },
  };
  const store = memoryStore({ clock });
  return { clock, store, sealer: createSealer(keyRing(new Uint8Array(32).fill(7))) };
}

describe('a sealed state', () => {
  it('a sealed state opens for the call it was made for', async () => {
    const with_ = options();
    const text = await sealState(state, binding, with_, big);
    expect(await openState(text, binding, with_, big)).toEqual({ ok: true, state });
  });

  it.each(Object.keys(binding) as (keyof Binding)[])('state-B1: a sealed state opens for no other %s', async part => {
    const with_ = options();
    const text = await sealState(state, binding, with_, big);
    const opened = await openState(text, { ...binding, [part]: `${binding[part]}x` }, with_, big);
    expect(opened).toMatchObject(
      part === 'version' ? { ok: false, kind: 'changed' } : { ok: false, kind: 'invalid', reason: `another ${part}` },
    );
  });

  it.each(Object.keys(binding) as (keyof Binding)[])(
    'state-B1: a long %s is bound whole, to its last character',
    async part => {
      const long = 'x'.repeat(5_000);
      const with_ = options();
      const of = (value: string): Binding => ({ ...binding, [part]: value });
      const text = await sealState(state, of(`${long}1`), with_, big);
      expect((await openState(text, of(`${long}1`), with_, big)).ok).toBe(true);
      for (const other of [`${long}2`, long, `${long}1 `, `y${long.slice(1)}1`]) {
        expect((await openState(text, of(other), with_, big)).ok).toBe(false);
      }
      // The state does not grow with what a client writes.
      expect(text.length).toBeLessThan((await sealState(state, binding, with_, big)).length + 300);
    },
  );

  it('state-B1: the parts that a state is bound to are not told apart by where one ends and the next begins', async () => {
    const with_ = options();
    const text = await sealState(state, { ...binding, principal: 'ann', client: 'app' }, with_, big);
    expect((await openState(text, { ...binding, principal: 'anna', client: 'pp' }, with_, big)).ok).toBe(false);
  });

  it('state-B2: a sealed state lives until its last millisecond and no longer, and not before it was issued but for clock skew', async () => {
    const with_ = options();
    const text = await sealState(state, binding, with_, big);
    const at = async (now: number) => {
      with_.clock.at = now;
      const opened = await openState(text, binding, with_, big);
      return opened.ok || opened.reason;
    };
    expect(await at(state.expiresAt - 1)).toBe(true);
    expect(await at(state.expiresAt)).toBe('expired');
    expect(await at(state.issuedAt - 60_000)).toBe(true);
    expect(await at(state.issuedAt - 60_001)).toBe('not yet valid');
  });

  it('what belongs to a state is kept longer than the clock of any replica lets it live', () => {
    expect(lifeOf(state, 1_999_990)).toBe(10 + 120_000);
    expect(lifeOf(state, 3_000_000)).toBe(1 + 120_000);
  });

  it('a sealed state that is longer than any we make is not looked at', async () => {
    const with_ = options();
    const long = { ...state, journal: [{ ...state.journal[0]!, value: 'x'.repeat(20_000) }] };
    const text = await sealState(long, binding, with_, big);
    expect(await openState(text, binding, with_, text.length)).toMatchObject({ ok: true });
    expect(await openState(text, binding, with_, text.length - 1)).toMatchObject({
      ok: false,
      reason: 'longer than any we make',
    });
  });

  it('state-B4: a sealed state refers to its own journal and no other, and is expired once that is gone', async () => {
    const with_ = options();
    const mine = await sealState(state, binding, with_, 1);
    const other = { ...state, nonce: 'm', journal: [{ ...state.journal[0]!, value: 'of another' }] };
    await sealState(other, binding, with_, 1);
    expect(await openState(mine, binding, with_, big)).toMatchObject({ ok: true, state });
    const foreign = (await with_.store.get('journal:m'))!;
    await with_.store.set('journal:n', foreign, { ttlMs: 1_000 });
    const gone = { ok: false, kind: 'expired', reason: 'its journal is gone' };
    expect(await openState(mine, binding, with_, big)).toEqual(gone);
    await with_.store.delete('journal:n');
    expect(await openState(mine, binding, with_, big)).toEqual(gone);
  });

  it('state-B4: a journal is no state, nor one of another purpose', async () => {
    const with_ = options();
    await sealState(state, binding, with_, 1);
    const journal = await with_.store.get('journal:n');
    expect((await openState(journal, binding, with_, big)).ok).toBe(false);
    expect((await openState(with_.sealer.seal({ exp: 9e15 }, 'page'), binding, with_, big)).ok).toBe(false);
  });
});

describe('a journal in the store', () => {
  const out = [{ id: 'a.2', kind: 'elicit', label: 'Sure?', key: 'elicit', at: 1_400_000, due: 1_600_000 }] as const;
  const long = { ...state, out, journal: [{ ...state.journal[0]!, value: 'x'.repeat(500) }] };
  const bounded = () => {
    const with_ = options();
    return { ...with_, shares: new Shares({ store: with_.store, clock: with_.clock, most: 2_000 }) };
  };
  const another = (nonce: string) => ({ ...long, nonce });

  it('state-B5: a journal in the store is refused where its person has no room for it, and nobody else is', async () => {
    const with_ = bounded();
    await sealState(another('1'), binding, with_, 1);
    await sealState(another('2'), binding, with_, 1);
    await expect(sealState(another('3'), binding, with_, 1)).rejects.toMatchObject({ code: 'call/too-many' });
    expect(await with_.store.get('journal:3')).toBeUndefined();
    await sealState(another('3'), { ...binding, principal: 'bob' }, with_, 1);
    // A state that travels takes nothing.
    await sealState(another('4'), binding, with_, big);
  });

  it('state-B5: a journal in the store has its questions alone once it was answered, and its room is free', async () => {
    const with_ = bounded();
    const text = await sealState(another('1'), binding, with_, 1);
    await sealState(another('2'), binding, with_, 1);
    const opened = await openState(text, binding, with_, big);
    if (!opened.ok) throw new Error('It does not open.');
    for (const _ of [1, 2]) await shrinkJournal(opened.apart!, with_);
    expect(await openState(text, binding, with_, big)).toMatchObject({ ok: true, state: { out, journal: [] } });
    await sealState(another('3'), binding, with_, 1);
    await expect(sealState(another('4'), binding, with_, 1)).rejects.toMatchObject({ code: 'call/too-many' });
  });

  it('a journal in the store goes with the call that it belongs to, and its room is free', async () => {
    const with_ = bounded();
    const text = await sealState(another('1'), binding, with_, 1);
    await sealState(another('2'), binding, with_, 1);
    for (const _ of [1, 2]) await dropJournal(storedState(text, with_), 'ann', with_);
    expect(await openState(text, binding, with_, big)).toMatchObject({ ok: false, kind: 'expired' });
    const travels = await sealState(another('5'), binding, options(), big);
    await dropJournal(storedState(travels, options()), 'ann', with_);
    await sealState(another('3'), binding, with_, 1);
    await expect(sealState(another('4'), binding, with_, 1)).rejects.toMatchObject({ code: 'call/too-many' });
  });

  it('a journal in the store counts once, however often its life is extended', async () => {
    const with_ = bounded();
    let stored = storedState(await sealState(another('1'), binding, with_, 1), with_);
    for (const more of [1, 2, 3, 4])
      stored = await prolongState(stored, long.expiresAt + more * 3_600_000, binding, with_);
    expect(stored.expiresAt).toBe(long.expiresAt + 4 * 3_600_000);
    expect(await openStored(stored, binding, with_)).toMatchObject({ ok: true, state: { journal: long.journal } });
    await sealState(another('2'), binding, with_, 1);
    await expect(sealState(another('3'), binding, with_, 1)).rejects.toMatchObject({ code: 'call/too-many' });
  });
});
