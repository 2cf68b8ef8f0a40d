/** What counts as a passed scenario of the official suite. */
import { expect, it } from 'vitest';
import { judge } from '../../tools/conformance-judge.ts';

const check = (id: string, status: string) => ({ id, status });

it('a success of its own without failures and warnings passes', () => {
  expect(
    judge([check('tools-list', 'SUCCESS'), check('x', 'SKIPPED'), check('wire-schema-valid', 'SUCCESS')]),
  ).toMatchObject({ passed: true, success: 2, why: [] });
});

it.each([
  ['a warning', [check('a', 'SUCCESS'), check('b', 'WARNING')]],
  ['a failure', [check('a', 'SUCCESS'), check('b', 'FAILURE')]],
  ['nothing but the schema of its messages', [check('wire-schema-valid', 'SUCCESS')]],
  ['no checks', []],
  ['no report', undefined],
])('%s does not pass', (_, checks) => {
  expect(judge(checks)).toMatchObject({ passed: false });
  expect(judge(checks).why.length).toBeGreaterThan(0);
});
