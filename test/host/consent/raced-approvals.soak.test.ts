/** Approvals that are changed, raced and replayed, in full counts: `MIDCALL_APPROVALS`. */
import { eras } from '@midcall/testing';
import { expect, it } from 'vitest';
import { raceApprovals } from './raced-approvals.ts';

const count = Number(process.env['MIDCALL_APPROVALS'] ?? 10_000);

it.each(eras)(
  `approvals-A1, approvals-A2: in %s, none of ${count} calls runs without a yes that is for it, or twice for one`,
  era => expect(raceApprovals(era, count)).resolves.toBeUndefined(),
);
