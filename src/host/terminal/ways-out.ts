/** The two ways out of a question that any dialog has, in the same words everywhere. */
import type { Reply } from '../index.ts';
import type { Pick } from './prompter.ts';

export const dismiss: Reply = { action: 'dismiss' };
export const decline: Reply = { action: 'decline' };

/** To be offered behind whatever else there is to choose. */
export const refusing: readonly Pick[] = [
  { value: 'decline', label: 'Decline', hint: 'say no to the server' },
  { value: 'dismiss', label: 'Dismiss', hint: 'close it without saying yes or no' },
];
