/** The mutants fit the code: each has its place and breaks a requirement that has tests. */
import { describe, expect, it } from 'vitest';
import { idsIn } from '../../tools/requirements-judge.ts';
import { requirements } from '../../tools/tests-named.ts';
import { draw, mutants, mutated, namesOf, quickFilesOf } from './mutants.ts';

const levels = new Map(requirements.map(({ id, level }) => [id, level]));
const covered = mutants.flatMap(({ ids }) => ids);

it('at least sixty requirements have a mutant, each one', () => {
  expect(new Set(covered).size).toBe(covered.length);
  expect(covered.length).toBeGreaterThanOrEqual(60);
});

describe.each(mutants.map(mutant => [mutant.ids.join(', '), mutant] as const))('%s', (_, mutant) => {
  it('a mutant has its place', () => {
    expect(mutated(mutant)).toContain(mutant.replace);
    expect(mutant.replace).not.toBe(mutant.find);
  });

  it.each(mutant.ids)('a mutant breaks %s, which binds and has tests', id => {
    expect(levels.get(id)).toMatch(/^MUST/);
    expect(quickFilesOf(id)).not.toEqual([]);
  });
});

it('a seed draws the same ids again, and another seed others', () => {
  expect(draw(7, 20)).toEqual(draw(7, 20));
  expect(draw(7, 20)).not.toEqual(draw(8, 20));
  expect(new Set(draw(7, 20)).size).toBe(20);
});

it('a search for names finds what holds a statement, and nothing else', () => {
  const found = new RegExp(namesOf(['sample-22', '900-03']));
  const held = ['x sample-22: a', 'sample-01, sample-22, sample-03: a', 'sample-22; K1: a', 'x 900-03: a'];
  const not = ['breaks sample-22, which binds', 'sample-22', 'sample-221: a', 'a-sample-22: a', 'sample-23: a'];
  expect([...held, ...not].filter(name => found.test(name))).toEqual(held);
  expect(held.map(name => idsIn(name, new Set(['sample', '900'])).length)).toEqual([1, 3, 1, 1]);
});

it('a place that is gone, or there twice, is an error', () => {
  const mutant = { ids: [], file: 'a.ts', find: 'a', replace: 'b' };
  expect(() => mutated(mutant, 'xyz')).toThrow('holds no place');
  expect(() => mutated(mutant, 'a a')).toThrow('more than one');
  expect(mutated(mutant, 'xay')).toBe('xby');
});
