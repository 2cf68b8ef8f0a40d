/**
 * Questions that name no call: on 2025-11-25 over standard input and output, if several calls are running, or none. A host
 * cannot be asked outside a call, so they go to the desk; one that cannot be shown, or that nobody answers, ends without
 * consent.
 */
import type { Clock } from '@midcall/core/time';
import type { Inbox, Question } from '@midcall/host';
import { answeredWithin } from './answered-within.ts';
import type { Shown } from './person-desk.ts';

/** Where an unclaimed question is shown, and for how long. */
export interface UnclaimedParts {
  readonly inbox: Inbox;
  readonly clock: Clock;
  /** Shows an open question to the person at the desk. */
  readonly showDesk: (question: Question) => Promise<Shown>;
  /** Milliseconds until it ends without an answer. */
  readonly unclaimedMs: number;
}

/** Handles one question until it has ended. */
export async function unclaimed(question: Question, parts: UnclaimedParts): Promise<void> {
  const { inbox, clock, showDesk, unclaimedMs } = parts;
  if (!(await showDesk(question))) inbox.end(question.id, { how: 'unshown' });
  else if (!(await answeredWithin(question, unclaimedMs, inbox, clock))) inbox.end(question.id, { how: 'timed-out' });
}
