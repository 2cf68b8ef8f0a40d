/** The forms of a wizard: read once per ask, and which of them apply. Pure. */
import { MidcallError } from '@midcall/core/errors';
import {
  form as compile,
  type Field,
  type Form,
  type FormInput,
  isCardNumber,
  isForm,
  labelOf,
  readForm,
  refuseSecretMessage,
  secretIn,
  type WireSchema,
} from '@midcall/core/form';
import { isRecord } from '@midcall/core/json';
import {
  checkGiven,
  checkOptions,
  func,
  type Kinds,
  name as nameKind,
  parts,
  required,
  text,
} from '@midcall/core/options';
import type { WizardAsk, WizardCondition, WizardForm, WizardForms, WizardValidate } from '../request/index.ts';
import { reachKinds } from './check-ask.ts';
import { type NotTaken, withProblems } from './validated.ts';

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

const shortText = (most: number) => ({
  words: `a text of 1 to ${most} characters`,
  fits: (value: unknown) => typeof value === 'string' && value.trim() !== '' && value.length <= most,
});

const conditionKinds: Kinds<WizardCondition> = {
  form: required(nameKind),
  field: required(nameKind),
  is: required({
    words: 'a string, true or false, or a list of strings',
    fits: value =>
      typeof value === 'string' ||
      typeof value === 'boolean' ||
      (Array.isArray(value) && value.every(each => typeof each === 'string')),
  }),
};

const formKinds: Kinds<WizardForm> = {
  title: required(shortText(80)),
  form: required({ words: 'what is asked, as of call.elicit', fits: value => value !== undefined }),
  when: parts(conditionKinds),
};

const MOST_FORMS = 50;

const askKinds: Kinds<WizardAsk<WizardForms>> = {
  message: required(shortText(1_000)),
  forms: required({
    words: `an object of 1 to ${MOST_FORMS} forms: { dates: { title: 'Dates', form: … } }`,
    fits: value => isRecord(value) && inRange(Object.keys(value).length),
  }),
  validate: {
    words: 'an object: { dates: ({ day }) => … }',
    fits: value => isRecord(value) && Object.values(value).every(each => each === undefined || func.fits(each)),
  },
  ...reachKinds,
};

const inRange = (count: number): boolean => count >= 1 && count <= MOST_FORMS;

/**
 * @throws TypeError for an unknown or wrong part, MidcallError `form/unsupported` or `form/secret` for a form that cannot be
 *   asked: what the author must mend
 */
export function readWizard(ask: WizardAsk<WizardForms>): readonly OpenForm[] {
  checkOptions<WizardAsk<WizardForms>>('call.wizard', ask, askKinds);
  checkGiven('call.wizard', 'the message', ask.message, text);
  const { validate = {} } = ask;
  for (const name of Object.keys(validate)) {
    if (!Object.hasOwn(ask.forms, name))
      throw new TypeError(`call.wizard: validate has '${name}', which is not a form of this wizard.`);
  }
  const before = new Map<string, Form<unknown>>();
  return Object.entries(ask.forms).map(([name, configured]) => {
    if (!/^[A-Za-z][\w-]{0,31}$/.test(name)) {
      throw new MidcallError(
        'form/unsupported',
        `The name of a form must be 1 to 32 letters, digits, dashes and underscores, beginning with a letter; got '${name.slice(0, 40)}'.`,
      );
    }
    const options: WizardForm = configured;
    checkOptions<WizardForm>(`call.wizard: ${name}`, options, formKinds);
    const { title, when } = options;
    const form = isForm(options.form) ? options.form : compile(options.form as FormInput);
    refuseSecretMessage(`${ask.message} ${title}`, form.fields);
    const condition = when && before.get(when.form);
    if (when && !condition?.fields.some(field => field.name === when.field)) {
      throw new MidcallError(
        'form/unsupported',
        `'${name}' is asked when '${when.form}.${when.field}' has a value, but no form before it has that field.`,
      );
    }
    before.set(name, form as Form<unknown>);
    return { name, title, form: form as Form<unknown>, when, validate: validate[name] };
  });
}

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
export function again(form: Form<unknown>, before: NotTaken): Form<unknown> {
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
