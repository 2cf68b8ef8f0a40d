/**
 * A form for clients of revision 2025-06-18, the first with elicitation: titles of choices go as `enumNames`, and
 * multi-selects, which it does not have, as a yes-or-no field for each choice. In the current notation, a titled choice would
 * be shown as an empty text field, and a multi-select would be an error.
 */
import { type Content, checkContent } from './check-content.ts';
import { type BooleanField, type Field, labelOf, type MultiSelectField } from './field.ts';
import type { Checked, Form, Judging } from './form.ts';
import { emit, type WireProperty } from './wire.ts';

/** A form in that notation, checked by the form it represents. */
export interface FirstForm<T> {
  /** Sent as `requestedSchema` (2025-06-18 schema.json, `PrimitiveSchemaDefinition`). */
  readonly schema: object;
  /** Checks content given under {@link schema}, as {@link Form.check} does. */
  check(content: unknown, judging?: Judging): Promise<Checked<T>>;
}

/** Converts a form for clients that know nothing newer. */
export function toFirstForm<T>(form: Form<T>): FirstForm<T> {
  const usedNames = new Set(form.fields.map(field => field.name));
  const lists = new Map<Field, readonly BooleanField[]>();
  for (const field of form.fields) if (field.kind === 'multi-select') lists.set(field, ticks(field, usedNames));
  const fields = form.fields.flatMap<Field>(field => lists.get(field) ?? field);
  const { properties, ...rest } = emit(fields);
  const spelled = Object.entries(properties).map(([name, property]) => [name, namedChoices(property)]);
  return {
    schema: { ...rest, properties: Object.fromEntries(spelled) },
    async check(content, judging) {
      const checked = checkContent(fields, content);
      if (!checked.ok) return checked;
      const result = await form.check(gathered(checked.content, lists), judging);
      return result.ok && checked.leftOut ? { ...result, leftOut: checked.leftOut } : result;
    },
  };
}

/** One yes or no for each choice of a list. */
function ticks(field: MultiSelectField, usedNames: Set<string>): readonly BooleanField[] {
  const { minItems, maxItems, description } = field;
  const rules = [
    ...(description === undefined ? [] : [description]),
    ...(minItems ? [`Choose at least ${minItems}.`] : []),
    ...(maxItems === undefined ? [] : [`Choose at most ${maxItems}.`]),
  ].join(' ');
  return field.choices.map((choice, index) => ({
    kind: 'boolean',
    name: unused(`${field.name}_${index + 1}`, usedNames),
    title: `${labelOf(field)}: ${choice.title}`,
    ...(index === 0 && rules !== '' && { description: rules }),
    required: false,
    ...(field.default && { default: field.default.includes(choice.value) }),
  }));
}

function unused(name: string, usedNames: Set<string>): string {
  let free = name;
  while (usedNames.has(free)) free += '_';
  usedNames.add(free);
  return free;
}

function namedChoices(property: WireProperty): object {
  if (!('oneOf' in property)) return property;
  const { oneOf, ...rest } = property;
  return { ...rest, enum: oneOf.map(each => each.const), enumNames: oneOf.map(each => each.title) };
}

/** The content of the form itself: ticked choices become a list, and no ticked choice an empty field. */
function gathered(content: Content, lists: ReadonlyMap<Field, readonly BooleanField[]>): Content {
  const whole = new Map(Object.entries(content));
  for (const [field, boxes] of lists) {
    const { choices, required } = field as MultiSelectField;
    const picked = choices.filter((_, index) => content[boxes[index]!.name] === true).map(choice => choice.value);
    for (const box of boxes) whole.delete(box.name);
    if (picked.length > 0 || required) whole.set(field.name, picked);
  }
  return Object.fromEntries(whole);
}
