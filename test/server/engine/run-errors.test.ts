/** What an author reads of a run that could not go on: their mistake, and what to do. */
import { MidcallError } from '@midcall/core/errors';
import { expect, it } from 'vitest';
import {
  afterEnd,
  diverged,
  failedUnseen,
  inDoubt,
  insideStep,
  neverPut,
  notAwaited,
} from '../../../packages/server/src/engine/run-errors.ts';

const asks = (...labels: string[]) =>
  labels.map((label, at) => ({ id: `${at}`, kind: 'elicit' as const, identity: label, label }));

it.each<[string, () => MidcallError, string, RegExp]>([
  [
    'five asks that were not awaited',
    () => notAwaited(['a', 'b', 'c', 'd', 'e']),
    'ask/not-awaited',
    /^The handler returned before a, b, c, d, e had ended\. Await every ask, .* may still take effect\.$/,
  ],
  [
    'six',
    () => notAwaited(['a', 'b', 'c', 'd', 'e', 'f']),
    'ask/not-awaited',
    /before a, b, c, d, e and 1 more had ended\./,
  ],
  [
    'a failure that nobody looked at',
    () => failedUnseen('listing the folder', new Error('No disk.')),
    'ask/not-awaited',
    /^The handler returned although listing the folder, which it did not await, failed: No disk\. Await every ask/,
  ],
  ['one that is no error', () => failedUnseen('x', 'No disk.'), 'ask/not-awaited', /failed: No disk\. Await every ask/],
  [
    'an ask inside a step',
    () => insideStep({ kind: 'elicit', label: 'Which?' }, "step 'pay'"),
    'ask/nested',
    /^The function of step 'pay' called for elicit 'Which\?', so nothing was asked\. .* give the step the answer; .*\.$/,
  ],
  [
    'an ask that waits for a step',
    () => neverPut(asks('Which?', 'When?'), ["step 'pay'"]),
    'ask/nested',
    /^elicit 'Which\?', elicit 'When\?' could not be asked, because step 'pay' did not end\. .* belongs after the question\.$/,
  ],
  [
    'an ask in a cleanup',
    () => afterEnd('Which?'),
    'ask/nested',
    /^A function given to call\.defer called for 'Which\?', which can no longer start: .* Clean up with plain code there\.$/,
  ],
  [
    'a step whose end is not known',
    () => inDoubt('pay'),
    'step/in-doubt',
    /^Step 'pay' was begun by an earlier attempt .* is not run again\. Find out whether it took effect/,
  ],
  [
    'another question than before',
    () => diverged([{ id: '1', kind: 'elicit', label: 'Which?' }], asks('When?')),
    'ask/diverged',
    /recorded elicit 'Which\?', but this run asked elicit 'When\?' instead\. A question must read the same .* call\.step\.$/,
  ],
  [
    'no question any more',
    () => diverged([{ id: '1', kind: 'elicit', label: 'Which?' }], []),
    'ask/diverged',
    /recorded elicit 'Which\?', but this run did not reach it\./,
  ],
])('the error says what happened and what to do: %s', (_, make, code, words) => {
  const error = make();
  expect(error).toBeInstanceOf(MidcallError);
  expect(error.code).toBe(code);
  expect(error.message).toMatch(words);
});

it('a failure that nobody looked at is the cause of what the author reads', () => {
  const reason = new Error('No disk.');
  expect(failedUnseen('x', reason).cause).toBe(reason);
});
