/** The two ways out of a question that every dialog offers, in the same words; and how a person who keeps going back leaves. */
import type { SelectField } from '@midcall/core/form';
import { visible } from '@midcall/core/text';
import type { Reply } from '../index.ts';
import type { Pick, Prompter } from './prompter.ts';

export const dismiss: Reply = { action: 'dismiss' };
export const decline: Reply = { action: 'decline' };

/** The two ways out, which a list of choices offers last. */
export const refusing: readonly Pick[] = [
  { value: 'decline', label: 'Decline', hint: 'say no to the server' },
  { value: 'dismiss', label: 'Dismiss', hint: 'close it without saying yes or no' },
];

/** An earlier form to go back to. */
export interface GoBack {
  readonly pick: Pick;
  /** As the server names it. */
  readonly to: string;
}

export const goBackTo = (wayBack: SelectField | undefined): readonly GoBack[] =>
  (wayBack?.choices ?? []).map(({ value, title }, index) => ({
    to: value,
    pick: { value: `to-${index}`, label: visible(title, { max: 200 }), hint: 'go back; your answers are kept' },
  }));

/** Offered if a form is long. */
export const listPick: Pick = { value: 'list', label: 'Choose from the list of fields', hint: 'in any order' };

/**
 * Asks a person who has left two prompts without an answer whether to leave the question. Leaving this prompt, too, dismisses
 * it.
 * @param ways - further choices: `back`, another step to go back to; `list`, a list of the fields; `to`, earlier forms
 */
export async function askToLeave<T extends GoBack = never>(
  prompter: Prompter,
  signal: AbortSignal,
  {
    back = false,
    list = false,
    to = [],
  }: { readonly back?: boolean; readonly list?: boolean; readonly to?: readonly T[] } = {},
): Promise<'stay' | 'back' | 'list' | T | Reply> {
  const chosen = await prompter.choose({
    message: 'Leave this question? Nothing has been sent.',
    picks: [
      { value: 'stay', label: 'Go on', hint: 'what you entered is still there' },
      ...(back ? [{ value: 'back', label: 'Go back another step' }] : []),
      ...(list ? [listPick] : []),
      ...to.map(({ pick }) => pick),
      ...refusing,
    ],
    initial: 'stay',
    signal,
  });
  if (!chosen.answered || chosen.value === 'dismiss') return dismiss;
  if (chosen.value === 'decline') return decline;
  const earlier = to.find(({ pick }) => pick.value === chosen.value);
  if (earlier) return earlier;
  return chosen.value === 'back' || chosen.value === 'list' ? chosen.value : 'stay';
}
