/** The state of a form that a person fills in: what is answered, and what was left unfinished. */
import type { AskedField } from '@midcall/core/form';
import type { FormQuestion } from '../index.ts';
import { askValue, type FieldOptions } from './ask-value.ts';
import { answerLines } from './field-lines.ts';
import type { Prompter } from './prompter.ts';

export interface Sheet {
  /** Where the person is: -1 is the choice to answer at all, then the fields, then the review. */
  at: number;
  readonly answers: Map<string, unknown>;
  /** What had been entered in a field that was left without an answer: a text, or the picks of a list. */
  readonly typed: Map<string, string | readonly string[]>;
  /** True if the last step was one back. */
  backed: boolean;
  /** True if they choose fields from a list instead of being asked one after the other. */
  listed: boolean;
}

/**
 * Asks for one field and records the answer, or what had been entered. @returns `before` if the person went to the previous
 * field
 */
export async function askField(
  field: AskedField,
  { answers, typed }: Sheet,
  prompter: Prompter,
  options: FieldOptions,
): Promise<'on' | 'back' | 'before'> {
  const result = await askValue(
    field,
    answers.get(field.name) ?? field.default,
    typed.get(field.name),
    prompter,
    options,
  );
  if (!result.answered) {
    if (result.typed !== undefined) typed.set(field.name, result.typed);
    return result.toFieldBefore ? 'before' : 'back';
  }
  typed.delete(field.name);
  if (result.value === undefined) answers.delete(field.name);
  else answers.set(field.name, result.value);
  return 'on';
}

/** The required fields that have no answer. */
export const unanswered = ({ fields }: FormQuestion, { answers }: Sheet): readonly AskedField[] =>
  fields.filter(field => field.required && !answers.has(field.name));

/** What was entered and not sent, to be copied. */
export function notSent(
  { fields }: FormQuestion,
  { answers, typed }: Sheet,
  secrets: ReadonlySet<string>,
): readonly string[] {
  const lines = fields.flatMap(field => {
    const left = typed.get(field.name);
    const value = left === undefined || left.length === 0 ? answers.get(field.name) : valueLeft(field, left);
    return value === undefined ? [] : answerLines(field, value, secrets);
  });
  return lines.length === 0 ? [] : ['Not sent. You had entered:', ...lines];
}

const valueLeft = (field: AskedField, left: string | readonly string[]): unknown =>
  field.kind === 'multi-select' && typeof left !== 'string'
    ? left.map(each => field.choices[Number(each)]!.value)
    : (left as string);
