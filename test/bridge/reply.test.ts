/** What an answer of the host says to the upstream server, and which answers say nothing. */
import type { CancelReason } from '@midcall/core/form';
import { expect, it } from 'vitest';
import { type Answered, replyOf } from '../../packages/midcall/src/bridge/forward/outcome.ts';

const by = { channel: 'native', assurance: 'in-band', elapsedMs: 4_000 } as const;
const tooFast = { ...by, suspect: 'too-fast' } as const;
const cancel = (reason: CancelReason) => ({ action: 'cancel', reason, by }) as Answered;

it('an accept, a decline and a dismissal are the person’s, and are passed on', () => {
  expect(replyOf({ action: 'accept', content: { value: 1 }, by })).toEqual({ action: 'accept', content: { value: 1 } });
  expect(replyOf({ action: 'accept', by } as Answered)).toEqual({ action: 'accept' });
  expect(replyOf({ action: 'decline', by })).toEqual({ action: 'decline' });
  expect(replyOf(cancel('dismissed'))).toEqual({ action: 'dismiss' });
});

it.each<CancelReason>(['timeout', 'unavailable', 'invalid', 'suspect', 'error'])(
  'a cancel for %s is nobody’s, and is not passed on',
  reason => {
    expect(replyOf(cancel(reason))).toBeUndefined();
  },
);

it('nothing that came faster than a person reads is passed on, nor what there is not', () => {
  expect(replyOf({ action: 'accept', content: {}, by: tooFast })).toBeUndefined();
  expect(replyOf({ action: 'decline', by: tooFast })).toBeUndefined();
  expect(replyOf({ action: 'cancel', reason: 'dismissed', by: tooFast })).toBeUndefined();
  expect(replyOf(undefined)).toBeUndefined();
});
