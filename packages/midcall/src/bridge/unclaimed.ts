/**
 * Questions that name no call: on 2025-11-25 over standard input and output, where several calls run, or none. The host cannot
 * be asked outside a call, so they are the desk's; one that nobody can be shown, or nobody answers, ends without a yes.
 */
import type { Clock } from '@midcall/core/time';
import type { Inbox, Question } from '@midcall/host';
import { answeredWithin } from './answered-within.ts';

/** Where an unclaimed question is shown, and for how long. */
export interface UnclaimedParts {
  readonly inbox: Inbox;
  readonly clock: Clock;
  /** Shows an open question to the person on the desk. @returns false if there is no way to */
  readonly showDesk: (question: Question) => Promise<boolean>;
  /** Milliseconds until it ends without an answer. */
  readonly keptMs: number;
}

/** Sees to one question until it has ended. */
export async function unclaimed(question: Question, parts: UnclaimedParts): Promise<void> {
  const { inbox, clock, showDesk, keptMs } = parts;
  const answered = (await showDesk(question)) && (await answeredWithin(question, keptMs, inbox, clock));
  if (!answered) inbox.end(question.id, { how: 'timed-out' });
}
