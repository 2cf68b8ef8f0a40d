/** The forms of a wizard, and which of them apply. Pure. */
import { type Field, type Form, isCardNumber, labelOf, readForm, secretIn, type WireSchema } from '@midcall/core/form';
import type { WizardCondition, WizardValidate } from '../request/index.ts';
import { cut, type NotTaken, withProblems } from './validated.ts';

/** One form, compiled. */
export interface OpenForm {
  readonly name: string;
  readonly title: string;
  readonly form: Form<unknown>;
  readonly when: WizardCondition | undefined;
  readonly validate: WizardValidate<unknown, Readonly<Record<string, unknown>>> | undefined;
}

/** The person's input to one form: as entered, by field, and as the handler gets it. */
export interface FormAnswer {
  readonly typed: NotTaken['typed'];
  readonly content: unknown;
}

export type FormAnswers = ReadonlyMap<string, FormAnswer>;

/** The forms to ask, given the input so far; one whose condition refers to a form that is not asked is not asked either. */
export function applying(forms: readonly OpenForm[], answered: FormAnswers): readonly OpenForm[] {
  const applied = new Set<string>();
  return forms.filter(({ name, when }) => {
    const applies = !when || (applied.has(when.form) && holds(when.is, answered.get(when.form)?.typed[when.field]));
    if (applies) applied.add(name);
    return applies;
  });
}

function holds(is: WizardCondition['is'], value: unknown): boolean {
  if (!Array.isArray(is)) return value === is;
  return Array.isArray(value) ? value.some(each => is.includes(each)) : is.includes(value as string);
}

/** What a handler gets of these forms. */
export const contentsOf = (forms: readonly OpenForm[], answered: FormAnswers): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    forms.filter(({ name }) => answered.has(name)).map(({ name }) => [name, answered.get(name)!.content]),
  );

/** The same form with the person's input as its defaults, and the errors at its fields. */
export function asCorrection(form: Form<unknown>, before: NotTaken): Form<unknown> {
  const schema = withProblems(form.schema, before);
  const read = readForm(schema);
  return {
    schema: schema as WireSchema,
    fields: read.ok ? read.fields : form.fields,
    library: form.library,
    check: (content, judging) => form.check(content, judging),
  };
}

/** Longest text of one value, in characters. */
const LONGEST_VALUE = 80;

/** The input to a form, on one line: `Departure 2027-03-01, With a return flight: yes`. */
export function summary({ form }: OpenForm, { typed }: FormAnswer): string {
  const parts = form.fields
    .filter(field => Object.hasOwn(typed, field.name))
    .map(field => `${labelOf(field)}: ${spoken(field, typed[field.name])}`);
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

function spoken(field: Field, value: unknown): string {
  // A question is shown and stored where its answer is masked.
  if (isCardNumber(value) || secretIn(field) !== undefined) return '(hidden)';
  const titleOf = (each: unknown): string =>
    'choices' in field ? (field.choices.find(choice => choice.value === each)?.title ?? String(each)) : String(each);
  const words =
    typeof value === 'boolean'
      ? value
        ? 'yes'
        : 'no'
      : [value].flat().map(titleOf).join(' and ').replace(/\s+/g, ' ');
  return cut(words, LONGEST_VALUE);
}
