/** Which tests hold which normative statement: by what their titles say. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { root } from '../../tools/places.ts';
import { filesById, idsIn, judge, judgeRun, reported, type Statement, table } from '../../tools/requirements-judge.ts';
import * as own from '../../tools/tests-named.ts';

// Ids that no document has, so that this file holds none.
const statements: readonly Statement[] = [
  { id: 'sample-01', feature: 'sample', level: 'MUST', role: 'server', revisions: ['2026-07-28'] },
  { id: 'sample-02', feature: 'sample', level: 'SHOULD', role: 'client', revisions: ['2026-07-28'] },
];
const row = { id: '900-01', title: 'A row', source: 'A lesson' };
const all = [...statements, row];
const file = 'a.test.ts';

it('every statement has a test or a reason, and docs/requirements.md is in step', () => {
  const named = own.testsNamed();
  expect(judge({ ...own, named })).toEqual({ problems: [], missing: [] });
  expect(readFileSync(`${root}docs/requirements.md`, 'utf8')).toBe(table({ ...own, named }));
});

it.each([
  ['one id', 'sample-01: asks', ['sample-01']],
  ['several', 'sample-01, 900-01: asks', ['sample-01', '900-01']],
  ['ids and labels of invariants', 'sample-01; K3, E-1: asks', ['sample-01']],
  ['ids within a longer name', 'over http › sample-01: asks: sample-02: once', ['sample-01', 'sample-02']],
  ['an id that is only spoken of', 'breaks sample-01, which binds', []],
  ['a revision of the protocol', '2025-11-25: asks', []],
  ['another abbreviation', 'utf-16: asks', []],
])('the ids are read from a title with %s', (_, title, ids) => {
  expect(idsIn(title, new Set(['sample', '900']))).toEqual(ids);
});

it('the search finds the files that name a statement, each once', () => {
  const text = "it('sample-01: asks', …); it('sample-01, 900-01: again', …);";
  const named = filesById(
    [
      { file: 'b', text },
      { file: 'a', text },
      { file: 'c', text: "it('asks')" },
    ],
    all,
  );
  expect([...named]).toEqual([
    ['sample-01', ['a', 'b']],
    ['900-01', ['a', 'b']],
  ]);
});

const named = new Map([
  ['sample-01', [file]],
  ['900-01', [file]],
]);

it('a test holds a statement, and so does a reason for a SHOULD', () => {
  const reasons = { 'sample-02': 'Not wanted.' };
  expect(judge({ statements: all, named, reasons })).toEqual({ problems: [], missing: [] });
  expect(judge({ statements: all, named, reasons: {} }).missing).toEqual(['sample-02']);
});

it.each([
  ['a reason for a MUST', { 'sample-01': 'x' }, 'takes no reason'],
  ['a reason for an unknown id', { 'sample-99': 'x' }, 'no statement sample-99'],
  ['an empty reason', { 'sample-02': ' ' }, 'says nothing'],
])('%s is a problem', (_, reasons, problem) => {
  expect(judge({ statements: all, named, reasons }).problems.join('\n')).toContain(problem);
});

it('a title with an unknown id is a problem, and so is an id that occurs twice', () => {
  const other = new Map([...named, ['sample-99', [file]]]);
  expect(judge({ statements: [...all, row], named: other, reasons: {} }).problems).toEqual([
    'An id occurs twice.',
    `${file}: there is no statement sample-99.`,
  ]);
});

const ran = (...tests: [name: string, status: string][]) =>
  judgeRun({
    statements: [statements[0]!],
    reasons: {},
    tests: tests.map(([name, status]) => ({ file, name, status })),
  });

it('one test that passed is enough, where none failed', () => {
  expect(ran(['sample-01: asks', 'passed'], ['sample-01: asks Chromium', 'skipped'])).toEqual([]);
  expect(ran(['sample-01: asks', 'passed'], ['sample-01: asks again', 'failed'])).toEqual([
    `sample-01: the test '${file} › sample-01: asks again' failed.`,
  ]);
  expect(ran(['sample-01: asks Chromium', 'skipped'])).toEqual(['sample-01: none of its tests passed.']);
  expect(ran(['asks', 'passed'])).toEqual(['sample-01: no test of this run names it.']);
});

it('the tests of a report are read', () => {
  const assertionResults = [{ ancestorTitles: ['asks'], title: 'once', status: 'passed' }];
  expect(reported({ testResults: [{ name: '/clone/a.test.ts', assertionResults }] }, '/clone/')).toEqual([
    { file, name: 'asks › once', status: 'passed' },
  ]);
});

it('the table shows every id, with the files of its tests or the reason there are none', () => {
  const page = table({
    requirements: statements,
    rows: [row],
    named: new Map([['sample-01', [file, 'b.test.ts']]]),
    reasons: { 'sample-02': 'Not | wanted.' },
  });
  expect(page).toContain(`| sample-01 | MUST | server | 2026-07-28 | ${file}<br>b.test.ts |`);
  expect(page).toContain('| sample-02 | SHOULD | client | 2026-07-28 | *Not \\| wanted.* |');
  expect(page).toContain('| 900-01 | A lesson | A row | none yet |');
});
