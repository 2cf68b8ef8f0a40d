/**
 * The race, short: thousands of attempts. `race.soak.test.ts` has the full counts.
 *
 * @module-tag thorough
 */
import { boundary } from '@midcall/server/roots';
import { describe, expect, it } from 'vitest';
import { checkThenUse, levels, operations, race, raceTrees } from './race.ts';

const held = async (root: string) => await boundary({ ceiling: [root], requireStrong: true }).files();

describe.skipIf(process.platform !== 'linux')('raced by someone who swaps directories for links', () => {
  const cases = Object.keys(operations).flatMap(operation => levels.map(level => [operation, level] as const));

  it.each(cases)('%s never reaches outside while its %s is swapped', async (operation, level) => {
    const outcome = await race(operation, level, 250, held);
    expect(outcome).toMatchObject({ escaped: 0 });
    expect(outcome.succeeded).toBeGreaterThanOrEqual(25);
    expect(outcome.swaps).toBeGreaterThan(10);
  });

  it('removing a tree never removes outside', async () => {
    const outcome = await raceTrees(100, held);
    expect(outcome).toMatchObject({ escaped: 0 });
    expect(outcome.succeeded).toBeGreaterThanOrEqual(10);
  });

  it.each([
    ['read', 'leaf'],
    ['create', 'parent'],
    ['write', 'leaf'],
    ['rename', 'grandparent'],
    ['remove', 'parent'],
    ['list', 'grandparent'],
  ] as const)('the same race shows %s escaping where a name is checked and used later', async (operation, level) => {
    expect((await race(operation, level, 20_000, checkThenUse, true)).escaped).toBeGreaterThan(0);
  });

  it('the same race shows a recursive remove by name removing outside', async () => {
    expect((await raceTrees(5_000, checkThenUse, true)).escaped).toBeGreaterThan(0);
  });
});
