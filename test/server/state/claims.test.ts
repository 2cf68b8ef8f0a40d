/** Who may run a retry, with processes that die, sleep and come back; see the head of packages/server/src/state/claims.ts. */
import { MidcallError } from '@midcall/core/errors';
import { systemClock } from '@midcall/core/time';
import { memoryStore } from '@midcall/server/stores/memory';
import { describe, expect, it } from 'vitest';
import { type Claim, type Claims, claims } from '../../../packages/server/src/state/claims.ts';
import { Shares } from '../../../packages/server/src/state/shares.ts';

const WAIT = 25_000;
const never = new AbortController().signal;
const settle = async () => {
  for (let n = 0; n < 40; n++) await new Promise<void>(resolve => setImmediate(resolve));
};

/** Several processes on one store and one clock, which may be set back in one of them; a frozen process runs no timer. */
function world() {
  let now = 1_000_000;
  let timers: { readonly at: number; readonly process: string; readonly fn: () => void }[] = [];
  const frozen = new Set<string>();
  const behind = new Map<string, number>();
  const store = memoryStore({ clock: { now: () => now } });
  let sets = 0;
  /** Done once, before the next write under the key: what another process does at that very moment. */
  const before = new Map<string, () => unknown>();
  const counted = {
    ...store,
    async set(...args: Parameters<typeof store.set>) {
      sets++;
      const first = before.get(args[0]);
      before.delete(args[0]);
      await first?.();
      return store.set(...args);
    },
  };
  const process = (name: string): Claims =>
    claims({
      store: counted,
      process: () => name,
      waitMs: WAIT,
      clock: {
        now: () => now - (behind.get(name) ?? 0),
        after(ms, fn) {
          const timer = { at: now + ms, process: name, fn };
          timers.push(timer);
          return () => {
            timers = timers.filter(each => each !== timer);
          };
        },
      },
    });
  return {
    process,
    store,
    before,
    late: (ms: number) => {
      now += ms;
    },
    freeze: (name: string) => frozen.add(name),
    thaw: (name: string) => frozen.delete(name),
    setBack: (name: string, ms: number) => behind.set(name, ms),
    get timers() {
      return timers.length;
    },
    get sets() {
      return sets;
    },
    async pass(ms: number) {
      const end = now + ms;
      for (;;) {
        await settle();
        const due = timers.filter(each => each.at <= end && !frozen.has(each.process)).sort((a, b) => a.at - b.at)[0];
        if (!due) break;
        timers = timers.filter(each => each !== due);
        now = Math.max(now, due.at);
        due.fn();
      }
      now = end;
      await settle();
    },
  };
}

const claim = (by: Claims, inputs = 'yes', nonce = 'n') => by.claim(nonce, inputs, 3_600_000, never);
const mine = (claimed: Claim) => {
  if (claimed.kind !== 'mine') throw new Error(`not mine: ${claimed.kind}`);
  return claimed.attempt;
};

describe('a retry', () => {
  it('a retry costs no more writes to follow, however many processes have died of it', async () => {
    const of = world();
    const writes: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      const name = `process ${n}`;
      const before = of.sets;
      expect(mine(await claim(of.process(name))).first).toBe(n === 0);
      writes.push(of.sets - before);
      of.freeze(name);
      await of.pass(WAIT);
    }
    expect(new Set(writes.slice(1)).size).toBe(1);
  });

  it('a retry is one presenter’s; the others wait and are given the same result', async () => {
    const { process } = world();
    const [a, b] = [process('a'), process('b')];
    const attempt = mine(await claim(a));
    expect(attempt.first).toBe(true);
    const waiting = [claim(a), claim(b)];
    await attempt.answer({ result: 1 });
    expect(await waiting[0]).toEqual({ kind: 'answered', result: { result: 1 } });
    expect(await claim(b)).toEqual({ kind: 'answered', result: { result: 1 } });
  });

  it('a retry is refused with other inputs, before and after it is answered', async () => {
    const { process } = world();
    const a = process('a');
    const attempt = mine(await claim(a));
    expect(await claim(a, 'no')).toEqual({ kind: 'other-inputs' });
    await attempt.answer({ result: 1 });
    expect(await claim(a, 'no')).toEqual({ kind: 'other-inputs' });
  });

  it('a retry costs one write to claim and two to answer, and leaves no timer', async () => {
    const every = world();
    const a = every.process('a');
    mine(await claim(a)).answer({ result: 1 });
    await settle();
    const before = every.sets;
    await mine(await claim(a, 'yes', 'other')).answer({ result: 1 });
    expect(every.sets - before).toBe(3);
    expect(every.timers).toBe(0);
  });

  it('claims-C1: a retry is not followed while it may be alive: the waiter gives up', async () => {
    const { process, pass } = world();
    const [a, b] = [process('a'), process('b')];
    const attempt = mine(await claim(a));
    const waiting = claim(b);
    await pass(WAIT + 1_000);
    expect(await waiting).toEqual({ kind: 'under-way' });
    expect(await attempt.holds()).toBe(true);
    await pass(10 * WAIT);
    const again = claim(b);
    await pass(WAIT + 1_000);
    expect(await again).toEqual({ kind: 'under-way' });
    expect(await attempt.holds()).toBe(true);
  });

  it('claims-C1, claims-C3: a retry is followed within the wait when its process is gone, by exactly one', async () => {
    const { process, freeze, pass } = world();
    mine(await claim(process('a')));
    freeze('a');
    const waiting = ['b', 'c', 'd'].map(name => claim(process(name)));
    await pass(WAIT - 1_000);
    const kinds: string[] = [];
    const first = await Promise.race(waiting);
    const attempt = mine(first);
    expect(attempt.first).toBe(false);
    await attempt.answer({ result: 2 });
    await pass(1_000);
    for (const each of await Promise.all(waiting)) kinds.push(each.kind);
    expect(kinds.sort()).toEqual(['answered', 'answered', 'mine']);
  });

  it.each([1, 2, 3])(
    'a store that fails once an earlier attempt was found does not say to try again, and the retry can be claimed afterwards, read %i',
    async fails => {
      const { store } = world();
      const clock = { now: () => 1_000_000, after: () => () => {} };
      let reads = Number.NEGATIVE_INFINITY;
      const get: typeof store.get = key => {
        reads += 1;
        const failed = new MidcallError('store/unavailable', 'The store did not answer. Try again.');
        return reads === fails ? Promise.reject(failed) : store.get(key);
      };
      const process = claims({ store: { ...store, get }, process: () => 'a', waitMs: WAIT, clock });
      await mine(await claim(process)).abandon();
      reads = 0;
      await expect(claim(process)).rejects.toMatchObject({
        code: 'store/unavailable',
        message: expect.stringContaining('in doubt'),
      });
      expect(await Promise.race([claim(process).then(({ kind }) => kind), settle()])).toBe('mine');
    },
  );

  it('claims-C2: a process that slept holds nothing any more, and overwrites no result', async () => {
    const { process, freeze, thaw, pass } = world();
    const [a, b] = [process('a'), process('b')];
    const slept = mine(await claim(a));
    freeze('a');
    const waiting = claim(b);
    await pass(WAIT - 1_000);
    const followed = mine(await waiting);
    thaw('a');
    expect(await slept.holds()).toBe(false);
    await followed.answer({ result: 'b' });
    expect(await slept.answer({ result: 'a' })).toBe(false);
    expect(await claim(process('c'))).toEqual({ kind: 'answered', result: { result: 'b' } });
  });

  it('claims-C2: a process that slept holds nothing any more, also where its clock was set back meanwhile', async () => {
    const { process, freeze, thaw, setBack, pass } = world();
    const slept = mine(await claim(process('a')));
    freeze('a');
    const waiting = claim(process('b'));
    await pass(WAIT - 1_000);
    const followed = mine(await waiting);
    setBack('a', 3_600_000);
    thaw('a');
    expect(await slept.holds()).toBe(false);
    expect(await followed.answer({ result: 'b' })).toBe(true);
  });

  it('claims-C2: a process that slept goes on where nobody else did, and is then followed by nobody', async () => {
    const { process, freeze, thaw, pass } = world();
    const [a, b] = [process('a'), process('b')];
    const slept = mine(await claim(a));
    freeze('a');
    await pass(WAIT);
    thaw('a');
    expect(await slept.holds()).toBe(true);
    const waiting = claim(b);
    await settle();
    await slept.answer({ result: 'a' });
    await pass(1_000);
    expect(await waiting).toEqual({ kind: 'answered', result: { result: 'a' } });
  });

  it('claims-C3: a retry is given the result that was written while the wait for it was won, and holds nothing afterwards', async () => {
    const { process, before, pass, freeze, store } = world();
    const [a, b] = [process('a'), process('b')];
    const attempt = mine(await claim(a));
    freeze('a');
    await pass(WAIT);
    // a wakes up and ends in the moment between b's look at it and b's own claim.
    before.set('claim:n:2', async () => {
      await store.set('result:n', '{"result":1}', { ttlMs: 1000 });
      await store.set('claim:n', JSON.stringify({ i: 'yes', d: true }), { ttlMs: 1000 });
    });
    expect(await claim(b)).toEqual({ kind: 'answered', result: { result: 1 } });
    expect(await attempt.holds()).toBe(false);
    expect(await store.get('claim:n:2')).toBe('{"i":"yes","t":1000000}');
  });

  it('claims-C2: an attempt that was followed holds nothing for ever, also where the claim on it is gone', async () => {
    const { process, store, pass, freeze, thaw } = world();
    const [a, b] = [process('a'), process('b')];
    const attempt = mine(await claim(a));
    freeze('a');
    await pass(WAIT);
    mine(await claim(b));
    thaw('a');
    expect(await attempt.holds()).toBe(false);
    await store.delete('claim:n:2');
    freeze('a');
    await pass(WAIT);
    expect(await attempt.holds()).toBe(false);
    expect(await attempt.answer({ result: 'late' })).toBe(false);
  });

  it('claims-C2: an attempt starts nothing while it finds out whether it was followed', async () => {
    const { process, before, pass, freeze, thaw } = world();
    const [a, b] = [process('a'), process('b')];
    const attempt = mine(await claim(a));
    freeze('a');
    await pass(WAIT);
    mine(await claim(b));
    thaw('a');
    let go = (): void => {};
    before.set('claim:n:2', () => new Promise<void>(resolve => (go = resolve)));
    const asked = [attempt.holds()];
    await settle();
    asked.push(attempt.holds());
    await settle();
    go();
    expect(await Promise.all(asked)).toEqual([false, false]);
  });

  it('claims-C2: a sign of presence counts from when it was begun, not from when the store had taken it', async () => {
    const { process, before, late, store } = world();
    before.set('present:a', () => late(WAIT));
    const attempt = mine(await claim(process('a')));
    // For all that others know, this process has been gone for longer than its sign counts: it follows itself first.
    expect(await attempt.holds()).toBe(true);
    expect(await store.get('claim:n:2')).toBe('{"i":"yes","o":"a"}');
  });

  it('claims-C1: an attempt of this process whose end could not be written is under way no more, and is followed at once', async () => {
    const { process, before } = world();
    const a = process('a');
    const attempt = mine(await claim(a));
    before.set('claim:n', () => Promise.reject(new Error('no room')));
    await expect(attempt.abandon()).rejects.toThrow('no room');
    expect(mine(await claim(a)).first).toBe(false);
  });

  it('claims-C1: an attempt that follows another in its own process is under way, whatever becomes of the one before', async () => {
    const { process, before, pass, freeze, thaw } = world();
    const a = process('a');
    const ended = mine(await claim(a));
    before.set('claim:n', () => Promise.reject(new Error('no room')));
    await expect(ended.abandon()).rejects.toThrow('no room');
    const follower = mine(await claim(a));
    freeze('a');
    await pass(WAIT);
    thaw('a');
    expect(await ended.holds()).toBe(false);
    await ended.abandon();
    const waiting = claim(a);
    await pass(WAIT + 1_000);
    expect(await waiting).toEqual({ kind: 'under-way' });
    expect(await follower.answer({ result: 1 })).toBe(true);
  });

  it('claims-C3: a retry says that it was answered only once its result can be found', async () => {
    const { process, before, store } = world();
    let go = (): void => {};
    before.set('result:n', () => new Promise<void>(resolve => (go = resolve)));
    const answered = mine(await claim(process('a'))).answer({ result: 1 });
    await settle();
    expect(await store.get('claim:n')).toBe('{"i":"yes","o":"a","t":1000000}');
    go();
    expect(await answered).toBe(true);
    expect(await store.get('claim:n')).toBe('{"i":"yes","d":true}');
  });

  it.each(['died', 'was abandoned'])(
    'claims-C4: a retry is judged by when it came first where its attempt %s',
    async how => {
      const { process, freeze, late, pass } = world();
      const [a, b] = [process('a'), process('b')];
      const came = 999_000;
      const first = await a.claim('n', 'yes', 3_600_000, never, came);
      expect(first).toMatchObject({ kind: 'mine', cameAt: came });
      if (how === 'died') {
        freeze('a');
        await pass(WAIT);
      } else await mine(first).abandon();
      late(600_000);
      expect(await claim(b)).toMatchObject({ kind: 'mine', attempt: { first: false }, cameAt: came });
    },
  );

  it('a retry is followed at once when it was abandoned, also by another process', async () => {
    const { process } = world();
    const [a, b] = [process('a'), process('b')];
    await mine(await claim(a)).abandon();
    const second = mine(await claim(b));
    expect(second.first).toBe(false);
    await second.abandon();
    const third = mine(await claim(a));
    await third.answer({ result: 3 });
    expect(await claim(b)).toEqual({ kind: 'answered', result: { result: 3 } });
  });

  it('a retry says so where its result was too long to keep', async () => {
    const { process } = world();
    const a = process('a');
    await mine(await claim(a)).answer({ result: 'x'.repeat(300_000) });
    expect(await claim(a)).toEqual({ kind: 'forgotten' });
  });

  it('a retry keeps a result for as long as a client tries again, and the claim for as long as the state lives', async () => {
    const { process, pass } = world();
    const a = process('a');
    await mine(await claim(a)).answer({ result: 1 });
    await pass(119_000);
    expect(await claim(a)).toEqual({ kind: 'answered', result: { result: 1 } });
    await pass(2_000);
    expect(await claim(a)).toEqual({ kind: 'forgotten' });
    expect(await claim(a, 'no')).toEqual({ kind: 'other-inputs' });
  });

  it('a retry holds where the store has no room for its result', async () => {
    const store = memoryStore({ maxCharacters: 2_000 });
    const a = claims({ store, clock: { ...systemClock, after: () => () => {} }, process: () => 'a', waitMs: WAIT });
    expect(await mine(await claim(a)).answer({ result: 'x'.repeat(5_000) })).toBe(true);
    expect(await claim(a)).toEqual({ kind: 'forgotten' });
  });

  it('a retry leaves no sign where it is forgotten, however many followed each other', async () => {
    const { process, pass, store } = world();
    const [a, b] = [process('a'), process('b')];
    await mine(await claim(a)).abandon();
    const followed = mine(await claim(b));
    expect(followed.first).toBe(false);
    await followed.forget();
    expect([await store.get('claim:n'), await store.get('claim:n:2'), await store.get('result:n')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    await pass(1);
    expect(mine(await claim(a, 'no')).first).toBe(true);
  });

  it('a retry stops waiting when its client is gone', async () => {
    const { process, pass } = world();
    const [a, b] = [process('a'), process('b')];
    mine(await claim(a));
    const gone = new AbortController();
    const waiting = b.claim('n', 'yes', 3_600_000, gone.signal);
    gone.abort();
    await pass(500);
    expect(await waiting).toEqual({ kind: 'under-way' });
  });
});

it('a result for which its person has no room is not kept, and its claim holds all the same', async () => {
  const store = memoryStore();
  const shares = new Shares({ store: memoryStore(), clock: systemClock, most: 10_000, roundMs: 1 });
  const clock = { ...systemClock, after: () => () => {} };
  const each = claims({ store, shares, clock, process: () => 'a', waitMs: WAIT });
  const claimBy = (person: string, nonce: string) => each.claim(nonce, 'inputs', 60_000, never, 0, person);
  const answerBy = async (person: string, nonce: string, length = 6_000) => {
    const claim = await claimBy(person, nonce);
    if (claim.kind === 'mine') await claim.attempt.answer('x'.repeat(length));
  };
  for (const nonce of ['one', 'two']) await answerBy('ann', nonce);
  await answerBy('bob', 'three');
  expect((await claimBy('ann', 'one')).kind).toBe('answered');
  expect((await claimBy('ann', 'two')).kind).toBe('forgotten');
  expect((await each.claim('two', 'other inputs', 60_000, never)).kind).toBe('other-inputs');
  expect((await claimBy('bob', 'three')).kind).toBe('answered');
  expect(await store.get('result:two')).toBeUndefined();
  // One that is shorter than its claim and its state is kept in any case.
  await answerBy('ann', 'four', 900);
  expect((await claimBy('ann', 'four')).kind).toBe('answered');
  await answerBy('ann', 'five', 4_500);
  expect((await claimBy('ann', 'five')).kind).toBe('forgotten');
});
