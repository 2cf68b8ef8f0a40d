/** How far a person has come with a form: what is answered, and what was left half typed. */
import type { Field, WireValue } from '@midcall/core/form';
import type { FormQuestion } from '../index.ts';
import { askValue, type FieldOptions } from './ask-value.ts';
import { answerLines } from './field-lines.ts';
import type { Prompter } from './prompter.ts';

export interface Sheet {
  /** Where they are: -1 is the choice to answer at all, then the fields, then the look at the whole. */
  at: number;
  readonly answers: Map<string, WireValue>;
  /** What stood in a field when it was left without an answer: a text, or the picks of a list. */
  readonly typed: Map<string, string | readonly string[]>;
  /** True where the last thing they did was to go a step back. */
  backed: boolean;
  /** True where they choose the fields from a list, and are not asked one after the other. */
  listed: boolean;
}

/** Asks one field and notes the answer, or what stood there. @returns `before` where the person went to the field before */
export async function askField(
  field: Field,
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
  if (!result.given) {
    if (result.typed !== undefined) typed.set(field.name, result.typed);
    return result.toFieldBefore ? 'before' : 'back';
  }
  typed.delete(field.name);
  if (result.value === undefined) answers.delete(field.name);
  else answers.set(field.name, result.value);
  return 'on';
}

/** The required fields that have no answer. */
export const unanswered = ({ fields }: FormQuestion, { answers }: Sheet): readonly Field[] =>
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

const valueLeft = (field: Field, left: string | readonly string[]): WireValue =>
  field.kind === 'multi-select' && typeof left !== 'string'
    ? left.map(each => field.choices[Number(each)]!.value)
    : (left as string);
