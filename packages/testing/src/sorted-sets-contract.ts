/** The tests that the sorted sets of a store must pass. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import type { SortedSets, Store } from '@midcall/core/store';

interface SetsUnderTest {
  readonly store: Store;
  readonly second?: Store;
}

/** @param check - declares one test, over a store that is empty */
export function sortedSetsContract(check: (name: string, run: (under: SetsUnderTest) => Promise<void>) => void): void {
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
