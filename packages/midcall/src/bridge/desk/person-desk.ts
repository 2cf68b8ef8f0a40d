/** What a bridge needs of the place where a person is asked what their host cannot show: the desk at their machine, or an inbox. */

import type { Clock } from '@midcall/core/time';
import type { Connection, Inbox, Question } from '@midcall/host';
import type { HostWait } from '@midcall/host/web';

/** Whether the person sees a question; false if there is no way for them to see it. What is said of it is told to the model, so it holds no secret. */
export type Shown =
  | false
  /** They see it. `place`: where, as the end of a sentence; `others`: who has to agree, such as `2 of finance`, if not the person. */
  | { readonly seen: true; readonly place: string; readonly others?: string }
  /**
   * They do not see it yet. `way`: a sentence that says how they get there; `why`: why they do not see it, as the end of a sentence;
   * `comes`: true if they will come across it without being told, so that a call that can wait does wait.
   */
  | { readonly seen: false; readonly way: string; readonly why?: string; readonly comes?: true };

export interface PersonDesk {
  /**
   * Shows a server and its calls on the desk, for as long as there is one.
   * @param host - the name of the host that uses it, in its own words
   */
  join(connection: Connection, host?: string): void;
  /**
   * Makes sure that the person sees an open question.
   * @param host - the name of the host whose call asks it, in its own words; absent if it belongs to no call
   */
  show(question: Question, connection: Connection, host?: string): Promise<Shown>;
  /** Tells the person whether the host that made a call still waits for their answer. */
  tellWait(callId: string, wait: HostWait): void;
  close(): Promise<void>;
}

/**
 * Waits for a question at the desk.
 * @param needless - fires when the answer is no longer needed
 * @returns true as soon as a question has ended, in any way, or is no longer needed; false if neither happened within `ms`
 *   milliseconds
 */
export function answeredWithin(
  { id }: Question,
  ms: number,
  inbox: Inbox,
  clock: Clock,
  needless?: AbortSignal,
): Promise<boolean> {
  const ended = inbox.ended(id);
  if (ended.aborted || needless?.aborted) return Promise.resolve(true);
  return new Promise(resolve => {
    const settle = (answered: boolean): void => {
      callOff();
      ended.removeEventListener('abort', onEnd);
      needless?.removeEventListener('abort', onEnd);
      resolve(answered);
    };
    const onEnd = (): void => settle(true);
    const callOff = Number.isFinite(ms) ? clock.after(ms, () => settle(false)) : () => {};
    ended.addEventListener('abort', onEnd, { once: true });
    needless?.addEventListener('abort', onEnd, { once: true });
  });
}

/** Where an unclaimed question is shown, and for how long. */
export interface UnclaimedParts {
  readonly inbox: Inbox;
  readonly clock: Clock;
  /** Shows an open question to the person at the desk. */
  readonly showDesk: (question: Question) => Promise<Shown>;
  /** Milliseconds until it ends without an answer. */
  readonly unclaimedMs: number;
}

/**
 * Handles one question that names no call until it has ended. On 2025-11-25 over standard input and output, a question names none
 * if several calls are running, or none is. A host cannot be asked outside a call, so such a question goes to the desk; one that
 * cannot be shown, or that nobody answers, ends without consent.
 */
export async function unclaimed(question: Question, parts: UnclaimedParts): Promise<void> {
  const { inbox, clock, showDesk, unclaimedMs } = parts;
  if (!(await showDesk(question))) inbox.end(question.id, { how: 'unshown' });
  else if (!(await answeredWithin(question, unclaimedMs, inbox, clock))) inbox.end(question.id, { how: 'timed-out' });
}
