/**
 * The tests that a store must pass, for our drivers and yours. It takes the runner's own `test` function, so it
 * runs under Vitest, `node:test` or Mocha, and cites store-S1 to store-S4 of `Store`, and store-S5 of `SortedSets`.
 */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import type { SortedSets, Store } from '@midcall/core/store';
import { seeded } from './seeded.ts';

/** What one test works on. */
export interface StoreUnderTest {
  /** Empty. */
  readonly store: Store;
  /** A second connection to the same data, where the store can be shared; the races run across both. */
  readonly second?: Store;
  /** Lets `ms` milliseconds pass for the store: moves its clock, or the expiry of everything in it. */
  advance(ms: number): void | Promise<void>;
  /** Closes what {@link StoreContractOptions.open} opened. */
  close?(): void | Promise<void>;
}

/** What the tests need from their environment. */
export interface StoreContractOptions {
  /** The runner's `test` or `it`. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** Called once per test. */
  readonly open: () => StoreUnderTest | Promise<StoreUnderTest>;
}

const MINUTE = 60_000;
const RACERS = 40;

const oddKeys = [
  'a',
  'A',
  'a ',
  ' a',
  'a:b',
  'a:',
  'a*',
  '%',
  '_',
  "'; DROP TABLE x; --",
  '\u00e9',
  'e\u0301',
  '\n',
  '{a}b',
  '__proto__',
  'constructor',
  '\u{1f511}',
  '0',
  '00',
  'k'.repeat(1_024),
];

const oddValues = [
  '',
  ' ',
  '007',
  '1e3',
  '0x10',
  '9007199254740993',
  'null',
  'true',
  '{"a":[1,"\\u0000"]}',
  '\r\n\t\u0001\u007f',
  '\ufeffbom',
  'e\u0301 is not \u00e9',
  '\u{1f511}\u{10ffff}\uffff',
  'x'.repeat(1_000_000),
];

/**
 * Declares one test for each thing the contract says.
 * @example
 * ```ts
 * storeContract({ test: it, open: async () => ({ store: myStore(), advance: ms => clock.advance(ms) }) });
 * ```
 */
export function storeContract({ test, open }: StoreContractOptions): void {
  const check = (name: string, run: (under: StoreUnderTest) => Promise<void>): void => {
    test(name, async () => {
      const under = await open();
      try {
        await run(under);
      } finally {
        await under.close?.();
      }
    });
  };
  /** Forty calls at once, over both connections if there are two. */
  const race = <T>(
    { store, second }: StoreUnderTest,
    call: (store: Store, racer: number) => Promise<T>,
  ): Promise<T[]> =>
    Promise.all(Array.from({ length: RACERS }, (_, racer) => call(racer % 2 && second ? second : store, racer)));

  check('what was never set is absent for every method', async ({ store }) => {
    equal(await store.get('k'), undefined);
    equal(await store.take('k'), undefined);
    equal(await store.delete('k'), undefined);
    equal(await store.get('k'), undefined);
  });

  check('set gives true, get gives the value, set again replaces it', async ({ store, second }) => {
    equal(await store.set('k', 'one'), true);
    equal(await store.get('k'), 'one');
    equal(await store.set('k', 'two'), true);
    equal(await (second ?? store).get('k'), 'two');
  });

  check('delete removes one value and no other', async ({ store }) => {
    await store.set('k', 'one');
    await store.set('kk', 'two');
    await store.delete('k');
    equal(await store.get('k'), undefined);
    equal(await store.get('kk'), 'two');
  });

  check('set with ifAbsent writes only where nothing is, and says which', async ({ store }) => {
    equal(await store.set('k', 'one', { ifAbsent: true }), true);
    equal(await store.set('k', 'two', { ifAbsent: true }), false);
    equal(await store.get('k'), 'one');
    await store.delete('k');
    equal(await store.set('k', 'three', { ifAbsent: true }), true);
    equal(await store.take('k'), 'three');
    equal(await store.set('k', 'four', { ifAbsent: true }), true);
    equal(await store.set('k', 'five', { ifAbsent: false }), true);
    equal(await store.get('k'), 'five');
  });

  check('set with ifEquals writes only where this very value is, and says which', async ({ store }) => {
    equal(await store.set('swapped value', 'one', { ifEquals: 'none' }), false);
    equal(await store.get('swapped value'), undefined);
    equal(await store.set('swapped value', '', { ifEquals: '' }), false);
    await store.set('swapped value', 'one');
    equal(await store.set('swapped value', 'two', { ifEquals: 'One' }), false);
    equal(await store.set('swapped value', 'two', { ifEquals: 'one' }), true);
    equal(await store.set('swapped value', 'three', { ifEquals: 'one' }), false);
    equal(await store.get('swapped value'), 'two');
    for (const value of oddValues) {
      await store.set('swapped value', value);
      equal(await store.set('swapped value', 'next', { ifEquals: value }), true);
    }
    await store.delete('swapped value');
    equal(await store.set('swapped value', 'four', { ifEquals: 'next' }), false);
    equal(await store.get('swapped value'), undefined);
  });

  check('take gives a value once', async ({ store, second }) => {
    await store.set('k', 'one');
    equal(await (second ?? store).take('k'), 'one');
    equal(await store.take('k'), undefined);
    equal(await store.get('k'), undefined);
  });

  check('store-S1: of concurrent takers exactly one gets the value', async under => {
    for (let round = 0; round < 5; round++) {
      await under.store.set('ticket', `round ${round}`);
      const takenValues = await race(under, store => store.take('ticket'));
      deepEqual(
        takenValues.filter(value => value !== undefined),
        [`round ${round}`],
      );
    }
  });

  check(
    'store-S1: of concurrent claims with ifAbsent exactly one is written, and its value is the one that stays',
    async under => {
      for (let round = 0; round < 5; round++) {
        const key = `claim ${round}`;
        const won = await race(under, (store, racer) =>
          store.set(key, String(racer), { ifAbsent: true, ttlMs: MINUTE }),
        );
        equal(won.filter(Boolean).length, 1);
        equal(await under.store.get(key), String(won.indexOf(true)));
      }
    },
  );

  check('store-S1: of concurrent writes with ifEquals exactly one finds the value it was read as', async under => {
    await under.store.set('swapped value', 'start');
    for (let round = 0, current = 'start'; round < 5; round++) {
      const swappedBy = (racer: number) => `round ${round} by ${racer}`;
      const won = await race(under, (store, racer) =>
        store.set('swapped value', swappedBy(racer), { ifEquals: current, ttlMs: MINUTE }),
      );
      equal(won.filter(Boolean).length, 1);
      current = swappedBy(won.indexOf(true));
      equal(await under.store.get('swapped value'), current);
    }
  });

  check('store-S1: a write with ifEquals never brings back what was taken', async under => {
    for (let round = 0; round < 5; round++) {
      await under.store.set('swapped value', 'old');
      const takenValues = await race(under, async (store, racer) => {
        if (racer !== 20) return void (await store.set('swapped value', 'old', { ifEquals: 'old' }));
        return store.take('swapped value');
      });
      deepEqual(
        takenValues.filter(value => value !== undefined),
        ['old'],
      );
      equal(await under.store.get('swapped value'), undefined);
    }
  });

  check('store-S4: a reader beside a writer that replaces a value never sees none', async under => {
    await under.store.set('swapped value', 'first');
    const seen = await race(under, async (store, racer) => {
      if (racer % 4 < 2) return void (await store.set('swapped value', `by ${racer}`));
      return (await store.get('swapped value')) ?? 'none';
    });
    ok(!seen.includes('none'));
  });

  check('store-S1: takes and claims that race never make a value appear twice', async under => {
    const results = await race(under, async (store, racer) =>
      racer % 4 < 2
        ? (await store.set('k', `by ${racer}`, { ifAbsent: true }))
          ? 1
          : 0
        : (await store.take('k'))
          ? -1
          : 0,
    );
    const left = results.reduce<number>((sum, each) => sum + each, 0);
    equal(left, (await under.store.get('k')) === undefined ? 0 : 1);
  });

  check('store-S2: a value comes back byte for byte', async ({ store, second }) => {
    for (const [index, value] of oddValues.entries()) {
      await store.set(`v${index}`, value);
      equal(await (second ?? store).get(`v${index}`), value);
      equal(await store.take(`v${index}`), value);
    }
  });

  check('store-S2: concurrent writers leave one whole value', async under => {
    const values = Array.from({ length: RACERS }, (_, racer) => String.fromCharCode(65 + racer).repeat(20_000));
    await race(under, (store, racer) => store.set('k', values[racer]!));
    ok(values.includes((await under.store.get('k'))!));
  });

  check('keys are told apart exactly, odd ones too', async ({ store }) => {
    for (const [index, key] of oddKeys.entries())
      equal(await store.set(key, `v${index}`, { ifAbsent: true }), true, key);
    for (const [index, key] of oddKeys.entries()) equal(await store.get(key), `v${index}`);
    for (const [index, key] of oddKeys.entries()) equal(await store.take(key), `v${index}`);
  });

  check('store-S3: past its time a value is absent for every method', async ({ store, advance }) => {
    for (const key of ['get', 'take', 'claim', 'delete', 'equals']) await store.set(key, 'old', { ttlMs: 10 * MINUTE });
    await advance(9 * MINUTE);
    equal(await store.get('get'), 'old');
    equal(await store.set('claim', 'new', { ifAbsent: true }), false);
    await advance(MINUTE);
    equal(await store.get('get'), undefined);
    equal(await store.take('take'), undefined);
    equal(await store.set('claim', 'new', { ifAbsent: true }), true);
    equal(await store.get('claim'), 'new');
    equal(await store.set('equals', 'new', { ifEquals: 'old' }), false);
    equal(await store.get('equals'), undefined);
    await store.delete('delete');
    equal(await store.get('delete'), undefined);
  });

  check('store-S3: the time to live is that of the write which counted', async ({ store, advance }) => {
    await store.set('longer', 'v', { ttlMs: MINUTE });
    await store.set('longer', 'v', { ttlMs: 10 * MINUTE });
    await store.set('ever', 'v', { ttlMs: MINUTE });
    await store.set('ever', 'v');
    await store.set('shorter', 'v');
    await store.set('shorter', 'v', { ttlMs: MINUTE });
    await store.set('swapped', 'v');
    await store.set('swapped', 'w', { ttlMs: MINUTE, ifEquals: 'v' });
    await store.set('stayed', 'v', { ttlMs: MINUTE });
    await store.set('stayed', 'w', { ifEquals: 'v' });
    await store.set('claimed', 'v', { ttlMs: MINUTE, ifAbsent: true });
    await store.set('claimed', 'w', { ttlMs: 10 * MINUTE, ifAbsent: true });
    await store.set('kept', 'v');
    await store.set('kept', 'w', { ttlMs: MINUTE, ifAbsent: true });
    await advance(2 * MINUTE);
    const keys = ['longer', 'ever', 'shorter', 'swapped', 'stayed', 'claimed', 'kept'];
    const left = await Promise.all(keys.map(key => store.get(key)));
    deepEqual(left, ['v', 'v', undefined, undefined, 'w', undefined, 'v']);
  });

  check('store-S3: a long time to live is kept', async ({ store, advance }) => {
    const day = 24 * 60 * MINUTE;
    await store.set('k', 'v', { ttlMs: 400 * day });
    await advance(399 * day);
    equal(await store.get('k'), 'v');
    await advance(day);
    equal(await store.get('k'), undefined);
  });

  check('bad input is refused with a TypeError, and nothing is written', async ({ store }) => {
    for (const key of ['', 'k'.repeat(1_025), 'a\0b', 'a\ud800', 7 as never, undefined as never]) {
      await rejects(store.get(key), TypeError);
      await rejects(store.set(key, 'v'), TypeError);
      await rejects(store.delete(key), TypeError);
      await rejects(store.take(key), TypeError);
    }
    for (const value of ['a\0b', '\udc00', 7 as never, undefined as never, null as never]) {
      await rejects(store.set('k', value), TypeError);
    }
    for (const ttlMs of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '60' as never]) {
      await rejects(store.set('k', 'v', { ttlMs }), TypeError);
    }
    for (const ifEquals of ['a\0b', '\udc00', 7 as never, null as never]) {
      await rejects(store.set('k', 'v', { ifEquals }), TypeError);
    }
    await rejects(store.set('k', 'v', { ifEquals: 'u', ifAbsent: true }), TypeError);
    equal(await store.get('k'), undefined);
    equal(await store.get('a'), undefined);
  });

  sortedSetsContract(check);

  check('many random calls give what a plain map with a clock gives', async under => {
    const next = seeded(20_260_728);
    const random = (limit: number) => next() % limit;
    const model = new Map<string, { value: string; expires: number }>();
    let time = 0;
    const live = (key: string): string | undefined => {
      const entry = model.get(key);
      return entry && entry.expires > time ? entry.value : undefined;
    };
    for (let call = 0; call < 400; call++) {
      const key = `k${random(6)}`;
      const store = random(2) && under.second ? under.second : under.store;
      const expected = live(key);
      const kind = random(8);
      if (kind < 3) {
        const ttl = random(3) ? { ttlMs: (1 + random(5)) * 10 * MINUTE } : {};
        const condition = random(4);
        const [ifAbsent, ifEquals] = [condition === 1, condition === 2 ? (expected ?? 'v0') : undefined];
        const writes = ifAbsent ? expected === undefined : ifEquals === undefined || ifEquals === expected;
        const options = { ...ttl, ifAbsent, ...(ifEquals !== undefined && { ifEquals }) };
        equal(await store.set(key, `v${call}`, options), writes, `call ${call}`);
        if (writes) model.set(key, { value: `v${call}`, expires: time + ('ttlMs' in ttl ? ttl.ttlMs : Infinity) });
      } else if (kind < 5) {
        equal(await store.get(key), expected, `call ${call}`);
      } else if (kind < 6) {
        equal(await store.take(key), expected, `call ${call}`);
        model.delete(key);
      } else if (kind < 7) {
        await store.delete(key);
        model.delete(key);
      } else {
        await under.advance(10 * MINUTE);
        time += 10 * MINUTE;
      }
    }
  });
}

interface SetsUnderTest {
  readonly store: Store;
  readonly second?: Store;
}

/**
 * The tests that the sorted sets of a store must pass.
 * @param check - declares one test, over a store that is empty
 */
function sortedSetsContract(check: (name: string, run: (under: SetsUnderTest) => Promise<void>) => void): void {
  const checkSets = (name: string, run: (sets: SortedSets, second: SortedSets, store: Store) => Promise<void>): void =>
    check(`sorted sets: ${name}`, ({ store, second = store }) => run(store.sortedSets, second.sortedSets, store));

  checkSets('members are found by their scores, the lowest first', async (sets, second) => {
    deepEqual(await sets.range('s'), []);
    for (const score of [30, -10, 20, 0]) await sets.add('s', `m${score}`, score);
    const all = [
      ['m-10', -10],
      ['m0', 0],
      ['m20', 20],
      ['m30', 30],
    ];
    deepEqual(await second.range('s'), all);
    deepEqual(await sets.range('s', 20), all.slice(0, 3));
    deepEqual(await sets.range('s', 19), all.slice(0, 2));
    deepEqual(await sets.range('s', -11), []);
  });

  checkSets('a member has one score, that of the last add', async (sets, second) => {
    await sets.add('s', 'm', 1);
    await second.add('s', 'm', 2 ** 53 - 1);
    deepEqual(await sets.range('s'), [['m', 2 ** 53 - 1]]);
    await sets.add('s', 'm', 1_800_000_000_001);
    deepEqual(await sets.range('s', 1_800_000_000_001), [['m', 1_800_000_000_001]]);
    deepEqual(await sets.range('s', 1_800_000_000_000), []);
  });

  checkSets('remove removes these members and no other', async (sets, second) => {
    for (const [score, member] of ['a', 'b', 'A', 'a '].entries()) await sets.add('s', member, score);
    await sets.add('t', 'a', 7);
    await second.remove('s', ['a', 'b', 'unknown']);
    await sets.remove('s', []);
    await sets.remove('unknown', ['a']);
    deepEqual(await sets.range('s'), [
      ['A', 2],
      ['a ', 3],
    ]);
    deepEqual(await sets.range('t'), [['a', 7]]);
    await sets.remove('s', ['A', 'a ']);
    deepEqual(await sets.range('s'), []);
    await sets.add('s', 'a', 1);
    deepEqual(await sets.range('s'), [['a', 1]]);
  });

  checkSets('a value of the same name stays apart', async (sets, _, store) => {
    await store.set('s', 'value');
    await sets.add('s', 's', 1);
    equal(await store.get('s'), 'value');
    await store.delete('s');
    deepEqual(await sets.range('s'), [['s', 1]]);
  });

  checkSets('store-S5: of changes made at once none is lost', async (sets, second) => {
    const members = Array.from({ length: 60 }, (_, at) => `m${at}`);
    await Promise.all(members.map((member, at) => (at % 2 ? sets : second).add('s', member, at)));
    equal((await sets.range('s')).length, 60);
    await Promise.all(
      members.flatMap((member, at) => [
        (at % 2 ? second : sets).remove('s', at % 3 === 0 ? [member] : []),
        (at % 2 ? sets : second).add('s', `new ${member}`, at),
      ]),
    );
    const left = new Map(await second.range('s'));
    equal(left.size, 100);
    ok(members.every((member, at) => left.has(member) === (at % 3 !== 0) && left.get(`new ${member}`) === at));
  });

  checkSets('thousands of members are added, found and removed', async sets => {
    const members = Array.from({ length: 2_500 }, (_, at) => `member ${at}`);
    await Promise.all(members.map((member, at) => sets.add('s', member, at)));
    equal((await sets.range('s', 2_399)).length, 2_400);
    await sets.remove('s', members.slice(1));
    deepEqual(await sets.range('s'), [['member 0', 0]]);
  });

  checkSets('names are told apart exactly, odd ones too', async sets => {
    const odd = ["'; --", '\u00e9', 'e\u0301', '{a}b', '__proto__', '\u{1f511}', '00', 'k'.repeat(1_024)];
    for (const [at, name] of odd.entries()) await sets.add(name, name, at);
    for (const [at, name] of odd.entries()) deepEqual(await sets.range(name), [[name, at]]);
  });

  checkSets('bad input is refused with a TypeError, and nothing is changed', async sets => {
    for (const bad of ['', 'k'.repeat(1_025), 'a\0b', 'a\ud800', 7 as never]) {
      await rejects(sets.add(bad, 'm', 1), TypeError);
      await rejects(sets.add('s', bad, 1), TypeError);
      await rejects(sets.remove(bad, ['m']), TypeError);
      await rejects(sets.remove('s', [bad]), TypeError);
      await rejects(sets.range(bad), TypeError);
    }
    for (const score of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '1' as never]) {
      await rejects(sets.add('s', 'm', score), TypeError);
      await rejects(sets.range('s', score), TypeError);
    }
    deepEqual(await sets.range('s'), []);
  });
}
