/** What the model is told of an answer that is no yes: every outcome in words of its own, and no person blamed for a host. */
import { notDone, whyNot } from '@midcall/server';
import { expect, it } from 'vitest';
import type { Answer, By } from '../../../packages/core/src/form/index.ts';

const by: By = { channel: 'native', assurance: 'in-band', elapsedMs: 900 };
const fast: By = { ...by, elapsedMs: 3, suspect: 'too-fast' };
const reasons = ['dismissed', 'timeout', 'unfinished', 'unavailable', 'invalid', 'suspect', 'error'] as const;
const answers: readonly Answer<unknown>[] = [
  { action: 'accept', content: { confirm: false }, by },
  { action: 'decline', by },
  ...reasons.map(reason => ({ action: 'cancel', reason, by }) as const),
  { action: 'decline', by: fast },
  { action: 'cancel', reason: 'dismissed', by: fast },
  { action: 'cancel', reason: 'suspect', by: { ...by, channel: 'page' } },
  { action: 'cancel', reason: 'error', by: { ...by, channel: 'page' } },
];

it('whyNot says of every answer in words of its own why nothing was done', () => {
  const said = answers.map(each => whyNot(each));
  expect(new Set(said).size).toBe(answers.length);
  for (const each of said) expect(each).toMatch(/^[a-z].*\.$/);
});

it('whyNot has one word for each', () => {
  expect(answers.map(notDone)).toEqual([
    'not-confirmed',
    'declined',
    ...reasons,
    'declined',
    'dismissed',
    'suspect',
    'error',
  ]);
});

it('whyNot says that a person refused only where one can have', () => {
  expect(whyNot({ action: 'decline', by })).toContain('the person said no');
  expect(whyNot({ action: 'decline', by: fast })).toMatch(/^the client said no before anybody could have read/);
  expect(whyNot({ action: 'cancel', reason: 'dismissed', by: fast })).toMatch(/^the client closed the question/);
  expect(whyNot({ action: 'cancel', reason: 'suspect', by: fast })).toContain('automatic');
});
