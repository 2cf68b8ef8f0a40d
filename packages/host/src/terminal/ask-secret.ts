/**
 * A field that asks for a secret: the person is warned, and what they type is neither shown nor kept if they leave the field.
 */
import type { AskedField, Issue } from '@midcall/core/form';
import { mask, secretWarnings } from '../index.ts';
import { type NotGiven, notGiven, type Prompter, type SecretPrompt } from './prompter.ts';

/** What a text says as the value of a field; undefined if it leaves the field out. */
export type TextRead = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issue: Issue };

/** Leaves out a secret that was given before. */
const nothing = '-';

/**
 * Asks for one secret. No editor is opened, since that would put it in a file.
 * @param earlier - what was given before, or the default
 * @param read - reads the input
 */
export async function askSecret(
  field: AskedField,
  earlier: unknown,
  prompt: SecretPrompt,
  prompter: Prompter,
  read: (text: string) => TextRead,
): Promise<{ readonly given: true; readonly value: unknown } | NotGiven> {
  prompter.say([`! ${secretWarnings.asked}`]);
  const hint = field.required ? 'Enter keeps it' : `Enter keeps it, ${nothing} leaves it out`;
  const textOf = (typed: string): string => (typed === nothing && !field.required ? '' : typed);
  const keeps = (typed: string): boolean => earlier !== undefined && typed === '';
  const entered = await prompter.secret({
    ...prompt,
    message: earlier === undefined ? prompt.message : `${prompt.message} [${mask}; ${hint}]`,
    validate: typed => (keeps(typed) ? undefined : prompt.validate(textOf(typed))),
  });
  if (!entered.given) return entered.toFieldBefore ? { given: false, toFieldBefore: true } : notGiven;
  if (keeps(entered.value)) return { given: true, value: earlier };
  const result = read(textOf(entered.value));
  return { given: true, value: result.ok ? result.value : undefined };
}
