/** What counts as evidence for a normative statement. */
import { expect, it } from 'vitest';
import {
  differences,
  type Evidence,
  judge,
  listed,
  namedTests,
  reported,
  table,
} from '../../scripts/requirements-judge.mjs';

const statements = [
  { id: 'mrtr-01', feature: 'mrtr', level: 'MUST', role: 'server', revisions: ['2026-07-28'] },
  { id: 'mrtr-02', feature: 'mrtr', level: 'SHOULD', role: 'client', revisions: ['2026-07-28'] },
];
const row = { id: '000-01', title: 'A row', source: 'A lesson' };
const statuses = new Map([
  ['test/a.test.ts › asks › once', 'passed'],
  ['test/a.test.ts › fails', 'failed'],
]);
const passing = { tests: ['test/a.test.ts › asks › once'] };
const judged = (evidence: Evidence) => judge({ statements: [...statements, row], evidence, statuses });

it('a test that passed is evidence, and so is a reason for a SHOULD', () => {
  const evidence = { mrtr: { 'mrtr-01': passing, 'mrtr-02': { reason: 'Not wanted.' } }, rows: { '000-01': passing } };
  expect(judged(evidence)).toEqual({ problems: [], missing: [] });
});

it('an id without an entry, or with an empty one, is missing', () => {
  expect(judged({ mrtr: { 'mrtr-02': { tests: [] } } }).missing).toEqual(['mrtr-01', 'mrtr-02', '000-01']);
});

it.each([
  ['a reason for a MUST', { mrtr: { 'mrtr-01': { ...passing, reason: 'x' } } }, 'takes no reason'],
  ['a stale name', { mrtr: { 'mrtr-01': { tests: ['test/a.test.ts › gone'] } } }, 'There is no test'],
  ['a test that failed', { mrtr: { 'mrtr-01': { tests: ['test/a.test.ts › fails'] } } }, 'failed'],
  ['an unknown id', { mrtr: { 'mrtr-99': passing } }, 'not one of its ids'],
  ['an id in another feature', { roots: { 'mrtr-01': passing } }, 'not one of its ids'],
  ['a test named twice', { mrtr: { 'mrtr-01': { tests: [...passing.tests, ...passing.tests] } } }, 'twice'],
  ['an empty reason', { mrtr: { 'mrtr-02': { ...passing, reason: ' ' } } }, 'says nothing'],
  ['a key that means nothing', { mrtr: { 'mrtr-02': { ...passing, todo: 1 } } }, "'todo'"],
])('%s is a problem', (_, evidence, problem) => {
  expect(judged(evidence).problems.join('\n')).toContain(problem);
});

it('names tests as a report does, the worst of those with one name', () => {
  const result = (status: string) => ({ ancestorTitles: ['asks'], title: 'once', status });
  const report = {
    testResults: [{ name: '/clone/test/a.test.ts', assertionResults: ['failed', 'passed'].map(result) }],
  };
  expect([...reported(report, '/clone/')]).toEqual([['test/a.test.ts › asks › once', 'failed']]);
});

it('finds named tests in a list', () => {
  const tests = [{ file: '/clone/test/a.test.ts', name: 'asks > once' }];
  const named = namedTests({ mrtr: { 'mrtr-01': { tests: [...passing.tests, 'test/a.test.ts › gone'] } } });
  expect([...listed(tests, '/clone/', named).keys()]).toEqual(passing.tests);
});

it('differs from its source by an id more, an id less, and a value', () => {
  const other = [{ ...statements[0]!, level: 'MAY' }, { id: 'mrtr-03' }];
  expect(differences(statements, other)).toEqual([
    'mrtr-02 is not in the source.',
    'mrtr-03 of the source is missing here.',
    'mrtr-01: its level differs from the source.',
  ]);
});

it('the table shows every id, with its tests or the reason there is none', () => {
  const evidence = {
    mrtr: {
      'mrtr-01': { tests: ['test/a.test.ts › a | b', 'test/a.test.ts › c › d'] },
      'mrtr-02': { reason: 'Not wanted.' },
    },
  };
  const page = table({ requirements: statements, rows: [row], evidence });
  expect(page).toContain('| mrtr-01 | MUST | server | 2026-07-28 | test/a.test.ts: a \\| b; c › d |');
  expect(page).toContain('| mrtr-02 | SHOULD | client | 2026-07-28 | *Not wanted.* |');
  expect(page).toContain('| 000-01 | A lesson | A row | none yet |');
});
