/**
 * Twenty requirements drawn by MIDCALL_MUTANT_SEED are broken, one at a time, and the tests that name each must fail.
 * Without the variable the seed is drawn; it is printed, so that a run can be made again.
 */
import { randomInt } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { compiler, copy, draw, mutants } from './mutants.ts';

const seed = Number(process.env['MIDCALL_MUTANT_SEED'] ?? randomInt(2 ** 31));
const drawn = draw(seed, 20);
const clone = copy();
const check = compiler();
afterAll(() => clone.remove());
console.log(`mutants: seed ${seed}: ${drawn.join(' ')}`);

it('the tests of the clone pass where nothing is broken', async () => {
  expect(await clone.run(drawn)).toEqual([]);
});

it.each(drawn)('%s, broken, is caught', async id => {
  const mutant = mutants.find(({ ids }) => ids.includes(id))!;
  expect(check(mutant)).toEqual([]);
  clone.apply(mutant);
  try {
    const failed = await clone.run([id]);
    console.log(`mutants: ${id}: ${failed.length} failed`);
    expect(failed).not.toEqual([]);
  } finally {
    clone.restore(mutant);
  }
});
