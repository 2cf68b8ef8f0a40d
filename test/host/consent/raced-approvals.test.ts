/** Approvals that are changed, raced and replayed; the full count is in `raced-approvals.soak.test.ts`. */
import { eras } from '@midcall/testing';
import { expect, it } from 'vitest';
import { raceApprovals } from './raced-approvals.ts';

it.each(eras)('approvals-A1, approvals-A2: in %s, no call runs without a yes that is for it, or twice for one', era =>
  expect(raceApprovals(era, 150)).resolves.toBeUndefined(),
);
