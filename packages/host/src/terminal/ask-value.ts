/** Asks for the value of one field, by its kind. */
import {
  type AskedField,
  checkValue,
  emptied,
  type Issue,
  isCardNumber,
  labelOf,
  parseTextual,
  type Scalar,
} from '@midcall/core/form';
import { defined } from '@midcall/core/json';
import { isLongText, mask, secretWarnings, visible } from '../index.ts';
import { editText, safePrompt } from './edit-text.ts';
import type { Editor } from './editor.ts';
import { promptOf } from './field-lines.ts';
import {
  type Pick,
  type Prompter,
  type PromptResult,
  type SecretPrompt,
  type TextPrompt,
  type Unanswered,
  unanswered,
} from './prompter.ts';

/** What asking for one field needs. */
export interface FieldOptions {
  readonly signal: AbortSignal;
  /** The zone of a date and time that is entered without one (IANA name); shown to the person. */
  readonly timeZone: string;
  /** Where the person edits texts of several lines. */
  readonly editor: Editor | undefined;
  /** Names of the fields that ask for a secret. */
  readonly secrets: ReadonlySet<string>;
  /** The name of the previous field, if the person can go back to it. */
  readonly fieldBefore?: string;
}

/** The answer to a field; without one, what had been entered: a text, or the picks of a list. */
export type FieldOutcome =
  | { readonly answered: true; readonly value: unknown }
  | Unanswered<string | readonly string[]>;

/**
 * @param initial - the present answer, or the field's default
 * @param left - what had been entered when the field was left without an answer
 */
export async function askValue(
  field: AskedField,
  initial: unknown,
  left: string | readonly string[] | undefined,
  prompter: Prompter,
  options: FieldOptions,
): Promise<FieldOutcome> {
  const { signal } = options;
  const asked = { signal, ...defined({ fieldBefore: options.fieldBefore }) };
  const message = promptOf(field, options);
  switch (field.kind) {
    case 'boolean': {
      const picks = [{ value: 'true', label: 'Yes' }, { value: 'false', label: 'No' }, ...leaveOut(field)];
      const chosen = await prompter.choose({
        message,
        picks: marked(picks, field, String(field.default)),
        ...asked,
        ...standing(field, initial === undefined ? undefined : String(initial)),
      });
      return chosen.answered
        ? { answered: true, value: chosen.value === none ? undefined : chosen.value === 'true' }
        : chosen;
    }
    case 'select': {
      const picks = [...picksOf(field), ...leaveOut(field)];
      const index = field.choices.findIndex(choice => choice.value === initial);
      const byDefault = field.choices.findIndex(choice => choice.value === field.default);
      const chosen = await prompter.choose({
        message,
        picks: marked(picks, field, String(byDefault)),
        ...asked,
        ...standing(field, index < 0 ? undefined : String(index)),
      });
      return chosen.answered ? { answered: true, value: field.choices[Number(chosen.value)]?.value } : chosen;
    }
    case 'multi-select': {
      const values = (chosen: readonly string[]): readonly Scalar[] =>
        chosen.map(each => field.choices[Number(each)]!.value);
      const start = Array.isArray(left)
        ? (left as readonly string[])
        : field.choices.flatMap((choice, index) =>
            Array.isArray(initial) && initial.includes(choice.value) ? [String(index)] : [],
          );
      // A list that the form proposes and the person empties is an answer.
      const empty = (chosen: readonly string[]): boolean =>
        chosen.length === 0 && !field.required && (field.default === undefined || field.default.length === 0);
      const validate = (chosen: readonly string[]): string | undefined =>
        empty(chosen) ? undefined : problem(checkValue(field, values(chosen)));
      const selection = await prompter.chooseMany({
        message,
        picks: picksOf(field),
        initial: start,
        validate,
        ...asked,
      });
      if (selection.answered)
        return { answered: true, value: empty(selection.value) ? undefined : values(selection.value) };
      return String(selection.typed ?? start) === String(start) ? untyped(selection) : selection;
    }
    default: {
      const read = (text: string): TextRead =>
        field.kind === 'json'
          ? readJson(field, text)
          : emptied(field, text)
            ? { ok: true, value: text }
            : parseTextual(field, text, { timeZone: options.timeZone });
      const validate = (text: string): string | undefined => {
        const result = read(text);
        return result.ok ? undefined : problem(result.issue);
      };
      if (options.secrets.has(field.name))
        return askSecret(field, initial, { message, validate, ...asked }, prompter, read);
      const standing = left ?? (field.kind === 'json' && initial !== undefined ? JSON.stringify(initial) : initial);
      const start: { initial?: string } = standing === undefined ? {} : { initial: String(standing) };
      const prompt = { message, validate, ...asked, ...start };
      const entered = isLongText(field, start.initial ?? '')
        ? await editText(prompter, options.editor, prompt)
        : await askText(prompter, prompt);
      if (!entered.answered) return entered;
      const result = read(entered.value);
      const value = result.ok ? result.value : undefined;
      if (isCardNumber(value)) prompter.say([`! ${secretWarnings.typed}`]);
      return { answered: true, value };
    }
  }
}

async function askText(prompter: Prompter, request: TextPrompt): Promise<PromptResult<string>> {
  const { prompt, untouched } = safePrompt(request, false);
  const entered = await prompter.text(prompt);
  if (entered.answered) return { answered: true, value: untouched(entered.value) };
  // An untouched text was not typed by the person.
  return entered.typed === undefined || entered.typed === (prompt.initial ?? '')
    ? untyped(entered)
    : { ...entered, typed: untouched(entered.typed) };
}

/** The prompt without what was entered before. */
const untyped = ({ toFieldBefore }: Unanswered<unknown>): Unanswered =>
  toFieldBefore === undefined ? unanswered : { answered: false, toFieldBefore };

/** Where the cursor starts in a list: on nothing if an answer is required and there is none to change. */
const standing = (
  field: AskedField,
  value: string | undefined,
): { readonly initial: string } | { readonly unchosen: true } =>
  value !== undefined ? { initial: value } : field.required ? { unchosen: true } : { initial: none };

const none = 'none';
const leaveOut = (field: AskedField): readonly Pick[] =>
  field.required ? [] : [{ value: none, label: '(no answer)' }];

const picksOf = (field: AskedField & { kind: 'select' | 'multi-select' }): readonly Pick[] =>
  field.choices.map((choice, index) => ({ value: String(index), label: visible(choice.title, { max: 200 }) }));

const marked = (picks: readonly Pick[], field: AskedField, value: string): readonly Pick[] =>
  field.default === undefined ? picks : picks.map(pick => (pick.value === value ? { ...pick, hint: 'default' } : pick));

function readJson(field: AskedField, text: string): TextRead {
  const issue = (rule: string, says: string): TextRead => ({
    ok: false,
    issue: { field: field.name, rule, message: `${labelOf(field)} ${says}.` },
  });
  if (text.trim() === '') return field.required ? issue('required', 'is required') : { ok: true, value: undefined };
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (error) {
    return issue('json', `is not JSON: ${(error as Error).message}`);
  }
}

const problem = (issue: { readonly message: string } | undefined): string | undefined =>
  issue && visible(issue.message, { max: 400 });

/** What a text says as the value of a field; undefined if it leaves the field out. */
type TextRead = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issue: Issue };

/** Typed to leave out a secret that was entered before. */
const removeSecret = '-';

/**
 * Asks for one secret: the person is warned, and what they type is neither shown nor stored. No editor is opened, since that
 * would put it in a file.
 * @param earlier - what was given before, or the default
 * @param read - reads the input
 */
async function askSecret(
  field: AskedField,
  earlier: unknown,
  prompt: SecretPrompt,
  prompter: Prompter,
  read: (text: string) => TextRead,
): Promise<{ readonly answered: true; readonly value: unknown } | Unanswered> {
  prompter.say([`! ${secretWarnings.asked}`]);
  const hint = field.required ? 'Enter keeps it' : `Enter keeps it, ${removeSecret} leaves it out`;
  const textOf = (typed: string): string => (typed === removeSecret && !field.required ? '' : typed);
  const keeps = (typed: string): boolean => earlier !== undefined && typed === '';
  const entered = await prompter.secret({
    ...prompt,
    message: earlier === undefined ? prompt.message : `${prompt.message} [${mask}; ${hint}]`,
    validate: typed => (keeps(typed) ? undefined : prompt.validate(textOf(typed))),
  });
  if (!entered.answered) return entered.toFieldBefore ? { answered: false, toFieldBefore: true } : unanswered;
  if (keeps(entered.value)) return { answered: true, value: earlier };
  const result = read(textOf(entered.value));
  return { answered: true, value: result.ok ? result.value : undefined };
}
