/** The mutants fit the code: each has its place and breaks a requirement that has tests. */
import { describe, expect, it } from 'vitest';
import { draw, mutants, mutated, quickTestsOf, requirements } from './mutants.ts';

const levels = new Map(requirements.map(({ id, level }) => [id, level]));
const covered = mutants.flatMap(({ ids }) => ids);

it('at least sixty requirements have a mutant, each one', () => {
  expect(new Set(covered).size).toBe(covered.length);
  expect(covered.length).toBeGreaterThanOrEqual(60);
});

describe.each(mutants.map(mutant => [mutant.ids.join(', '), mutant] as const))('%s', (_, mutant) => {
  it('has its place', () => {
    expect(mutated(mutant)).toContain(mutant.replace);
    expect(mutant.replace).not.toBe(mutant.find);
  });

  it.each(mutant.ids)('breaks %s, which binds and has tests', id => {
    expect(levels.get(id)).toMatch(/^MUST/);
    expect(quickTestsOf(id)).not.toEqual([]);
  });
});

it('a seed draws the same ids again, and another seed others', () => {
  expect(draw(7, 20)).toEqual(draw(7, 20));
  expect(draw(7, 20)).not.toEqual(draw(8, 20));
  expect(new Set(draw(7, 20)).size).toBe(20);
});

it('a place that is gone, or there twice, is an error', () => {
  const mutant = { ids: [], file: 'src/a.ts', find: 'a', replace: 'b' };
  expect(() => mutated(mutant, 'xyz')).toThrow('holds no place');
  expect(() => mutated(mutant, 'a a')).toThrow('more than one');
  expect(mutated(mutant, 'xay')).toBe('xby');
});
