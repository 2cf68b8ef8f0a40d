/** The way back from one form of a wizard to an earlier one. Loaded with the first wizard. Pure. */
import { checkContent, type Form, formLimits, readForm, type WireSchema, withWayBackField } from '@midcall/core/form';
import { typedIn } from './validated.ts';
import type { FormAnswer, OpenForm } from './wizard-forms.ts';

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
