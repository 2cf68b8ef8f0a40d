/** The wait for a question at the desk. */
import type { Clock } from '@midcall/core/time';
import type { Inbox, Question } from '@midcall/host';

/**
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
