/** The two ways out of a question that every dialog offers, in the same words; and how a person who keeps going back leaves. */
import type { Reply } from '../index.ts';
import type { Pick, Prompter } from './prompter.ts';

export const dismiss: Reply = { action: 'dismiss' };
export const decline: Reply = { action: 'decline' };

/** To be offered after everything else there is to choose. */
export const refusing: readonly Pick[] = [
  { value: 'decline', label: 'Decline', hint: 'say no to the server' },
  { value: 'dismiss', label: 'Dismiss', hint: 'close it without saying yes or no' },
];

/** Offered if a form is long. */
export const listPick: Pick = { value: 'list', label: 'Choose from the list of fields', hint: 'in any order' };

/**
 * Asks a person who has left two prompts without an answer whether to leave the question. Leaving this prompt, too, dismisses
 * it.
 * @param ways - further choices: `back`, another step to go back to; `list`, a list of the fields
 */
export async function askToLeave(
  prompter: Prompter,
  signal: AbortSignal,
  { back = false, list = false }: { readonly back?: boolean; readonly list?: boolean } = {},
): Promise<'stay' | 'back' | 'list' | Reply> {
  const chosen = await prompter.choose({
    message: 'Leave this question? Nothing has been sent.',
    picks: [
      { value: 'stay', label: 'Go on', hint: 'what you entered is still there' },
      ...(back ? [{ value: 'back', label: 'Go back another step' }] : []),
      ...(list ? [listPick] : []),
      ...refusing,
    ],
    initial: 'stay',
    signal,
  });
  if (!chosen.given || chosen.value === 'dismiss') return dismiss;
  if (chosen.value === 'decline') return decline;
  return chosen.value === 'back' || chosen.value === 'list' ? chosen.value : 'stay';
}
