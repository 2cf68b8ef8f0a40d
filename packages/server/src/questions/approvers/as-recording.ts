/** What the journal stores for a question in an inbox. Pure. */
import { type Assurance, assures } from '@midcall/core/form';
import type { Json } from '../../base/index.ts';
import type { ApprovalAsk, ApprovalStanding } from '../../request/index.ts';
import type { Recording } from '../recording.ts';

/**
 * @param standing - undefined if the inbox knows nothing of the question
 * @param now - set once its time is up, in milliseconds since the epoch
 * @returns undefined while it waits
 */
export function asRecording(
  standing: ApprovalStanding | undefined,
  { askedAt }: Pick<ApprovalAsk, 'askedAt'>,
  now: number | undefined,
): Recording | undefined {
  const { votes = [], outcome } = standing ?? {};
  const after = (at: number): number => Math.max(0, at - askedAt);
  const lastly = after(Math.max(askedAt, ...votes.map(({ at }) => at)));
  const unanswered = (why: 'timeout' | 'unavailable'): Recording => ({
    kind: 'unanswered',
    why,
    ms: now === undefined ? lastly : after(now),
    votes,
  });
  if (!outcome) return now === undefined ? undefined : unanswered('timeout');
  // What is withdrawn when its time is up has timed out.
  if (outcome.action === 'cancel' && outcome.reason !== 'dismissed')
    return unanswered(now === undefined ? outcome.reason : 'timeout');
  const { action } = outcome;
  const given = votes.filter(vote => vote.action === action).map(vote => vote.assurance);
  // The weakest of those that made it, since each of them was needed.
  const assurance = given.reduce<Assurance>((a, b) => (assures(b, a) ? a : b), 'present');
  const got = outcome.action === 'accept' ? { action, content: outcome.content } : { action };
  return {
    kind: 'answered',
    channel: 'approvers',
    assurance: given.length > 0 ? assurance : 'verified',
    got: got as unknown as Json,
    ms: lastly,
    votes,
  };
}
