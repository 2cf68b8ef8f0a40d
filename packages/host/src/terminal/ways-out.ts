/** The two ways out of a question that any dialog has, in the same words everywhere; and how a person who keeps going back leaves. */
import type { Reply } from '../index.ts';
import type { Pick, Prompter } from './prompter.ts';

export const dismiss: Reply = { action: 'dismiss' };
export const decline: Reply = { action: 'decline' };

/** To be offered behind whatever else there is to choose. */
export const refusing: readonly Pick[] = [
  { value: 'decline', label: 'Decline', hint: 'say no to the server' },
  { value: 'dismiss', label: 'Dismiss', hint: 'close it without saying yes or no' },
];

/**
 * Asks a person who has given nothing twice whether to leave the question. Giving nothing here, too, dismisses it.
 * @param back - true where there is a further step to go back to
 */
export async function askToLeave(
  prompter: Prompter,
  signal: AbortSignal,
  back: boolean,
): Promise<'stay' | 'back' | Reply> {
  const given = await prompter.choose({
    message: 'Leave this question? Nothing has been sent.',
    picks: [
      { value: 'stay', label: 'Go on', hint: 'what you entered is still there' },
      ...(back ? [{ value: 'back', label: 'Go back another step' }] : []),
      ...refusing,
    ],
    initial: 'stay',
    signal,
  });
  if (!given.given || given.value === 'dismiss') return dismiss;
  return given.value === 'decline' ? decline : given.value === 'back' ? 'back' : 'stay';
}
