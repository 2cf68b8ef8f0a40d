/**
 * A form of a wizard that does not stand as it was answered, with a choice to change a form before it instead. What was typed is
 * there as defaults, so nothing has to be filled in on the way back. Pure.
 */
import { type Form, readForm, type WireSchema } from '@midcall/core/form';
import { typedIn } from './validated.ts';
import type { FormAnswer, OpenForm } from './wizard-forms.ts';

/** Told what a form is given to check: as it was typed, before a library makes something else of it. */
export type OnTyped = (typed: FormAnswer['typed'], goTo?: string) => void;

/** The same form, which tells what it is given to check. */
export const watched = (form: Form<unknown>, onTyped: OnTyped): Form<unknown> => ({
  schema: form.schema,
  fields: form.fields,
  library: form.library,
  check(content, judging) {
    onTyped(typedIn({ content }));
    return form.check(content, judging);
  },
});

const TITLE = 'Or change an earlier answer';

/** @param formsBefore - those the person may go back to; where there are none, the form is only watched */
export function withWayBack(form: Form<unknown>, formsBefore: readonly OpenForm[], onTyped: OnTyped): Form<unknown> {
  if (formsBefore.length === 0) return watched(form, onTyped);
  const { properties } = form.schema;
  let field = 'change';
  while (Object.hasOwn(properties, field)) field += '_';
  const oneOf = formsBefore.map(({ name, title }) => ({ const: name, title: `Change: ${title}` }));
  const schema = { ...form.schema, properties: { ...properties, [field]: { type: 'string', title: TITLE, oneOf } } };
  const read = readForm(schema);
  return {
    schema: schema as WireSchema,
    fields: read.ok ? read.fields : form.fields,
    library: form.library,
    async check(content, judging) {
      const { [field]: goTo, ...typed } = typedIn({ content });
      const known = formsBefore.find(({ name }) => name === goTo);
      onTyped(typed, known?.name);
      if (goTo === undefined || known) return form.check(typed, judging);
      const message = `${TITLE} must be one of the forms before this one.`;
      return { ok: false, issues: [{ field, rule: 'enum', message }] };
    },
  };
}
