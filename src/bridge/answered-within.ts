/** The wait for a question at the desk. */
import type { Clock, Inbox, Question } from '../host/index.ts';

/** @returns true as soon as a question has ended, in any way; false where it has not within `ms` milliseconds */
export function answeredWithin({ id }: Question, ms: number, inbox: Inbox, clock: Clock): Promise<boolean> {
  return new Promise(resolve => {
    const settle = (answered: boolean): void => {
      callOff();
      stopListening();
      resolve(answered);
    };
    const callOff = clock.after(ms, () => settle(false));
    const stopListening = inbox.subscribe(event => {
      if (event.type === 'ended' && event.question.id === id) settle(true);
    });
    if (inbox.get(id) === undefined) settle(true);
  });
}
