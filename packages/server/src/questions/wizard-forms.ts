/** The forms of a wizard, which of them apply, and the way back from one to another. Pure. */
import {
  checkContent,
  type Field,
  type Form,
  formLimits,
  isCardNumber,
  labelOf,
  readForm,
  secretIn,
  type WireSchema,
  withWayBackField,
} from '@midcall/core/form';
import type { WizardCondition, WizardValidate } from '../request/index.ts';
import { type NotTaken, typedIn, withProblems } from './validated.ts';

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
  return words.length > LONGEST_VALUE ? `${words.slice(0, LONGEST_VALUE - 1)}…` : words;
}

/** The input that a form checks: as entered, before a library transforms it. */
export interface WizardInput {
  readonly typed: FormAnswer['typed'];
  /** The earlier form that the person wants to change instead. */
  readonly goTo?: string;
  /** True if it is a valid answer to the form nevertheless. */
  readonly fits: boolean;
}

/** A form to ask, and the name of its field that leads back, if it has one. */
interface Leaving {
  readonly form: Form<unknown>;
  readonly wayBack?: string;
}

/** The input by what it means for the form's fields; as it came if it does not fit. */
function readAs({ fields }: Form<unknown>, content: unknown): WizardInput['typed'] {
  const read = checkContent(fields, content);
  return read.ok ? read.content : typedIn({ content });
}

const TITLE = 'Or change an earlier answer';

/**
 * A wizard form with a choice to change an earlier form instead, and with the person's input as its defaults. Other input is
 * stored on the way back, even if the form is incomplete.
 * @param formsBefore - those the person may go back to
 * @param onInput - called with each answer
 */
export function withWayBack(
  form: Form<unknown>,
  formsBefore: readonly OpenForm[],
  onInput: (input: WizardInput) => void,
): Leaving {
  const { properties } = form.schema;
  const check: Form<unknown>['check'] = async (typed, judging) => {
    const checked = await form.check(typed, judging);
    onInput({ typed: readAs(form, typed), fits: checked.ok });
    return checked;
  };
  const { schema, fields, library } = form;
  if (formsBefore.length === 0 || Object.keys(properties).length >= formLimits.fields)
    return { form: { schema, fields, library, check } };
  let wayBack = 'change';
  while (Object.hasOwn(properties, wayBack)) wayBack += '_';
  const oneOf = formsBefore.map(({ name, title }) => ({ const: name, title: `Change: ${title}` }));
  const extended = { ...schema, properties: { ...properties, [wayBack]: { type: 'string', title: TITLE, oneOf } } };
  const read = readForm(extended);
  return {
    wayBack,
    form: {
      schema: extended as WireSchema,
      fields: withWayBackField(read.ok ? read.fields : fields, wayBack),
      library,
      async check(content, judging) {
        const { [wayBack]: goTo, ...typed } = typedIn({ content });
        if (goTo === undefined || goTo === null || goTo === '') return check(typed, judging);
        if (!formsBefore.some(({ name }) => name === goTo)) {
          const message = `${TITLE} must be one of the forms before this one.`;
          return { ok: false, issues: [{ field: wayBack, rule: 'enum', message }] };
        }
        const checked = await form.check(typed, judging);
        onInput({ typed: readAs(form, typed), goTo: goTo as string, fits: checked.ok });
        return checked.ok ? checked : { ok: true, value: undefined };
      },
    },
  };
}
