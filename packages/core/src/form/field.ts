/**
 * The neutral shape of one question in a form: what a view renders and what an answer is checked against.
 * A {@link Field} is the restricted schema of the spec (schema.json, `PrimitiveSchemaDefinition`) with its spellings folded into
 * one; an {@link AskedField} is what is made of any other schema that a server asks with.
 */

import type { TextFormat } from './format.ts';

interface Named {
  /** The property's name on the wire. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required: boolean;
  /** Received only: what the server demands besides, in its own words, and nobody checks here. */
  readonly unchecked?: readonly string[];
  /** Received only: the server requires a value and takes null for none, so a field that is not filled in is sent as null. */
  readonly nullable?: true;
}

/** A value without parts. */
export type Scalar = string | number | boolean | null;

/** One choice: `value` travels, `title` is shown. */
export interface Choice<V extends Scalar = string> {
  readonly value: V;
  readonly title: string;
}

/** A field that is answered with text. */
export interface TextField extends Named {
  readonly kind: 'text';
  readonly format?: TextFormat;
  /** Counted in Unicode code points. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Received only; never emitted. */
  readonly pattern?: string;
  /** Received and shown, but not checked: it has lookaround or backreferences, or reading the form cost too much. */
  readonly uncheckedPattern?: string;
  readonly default?: string;
}

/** A field that is answered with a number. */
export interface NumberField extends Named {
  readonly kind: 'number';
  readonly integer: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
}

/** A field that is answered with true or false. */
export interface BooleanField extends Named {
  readonly kind: 'boolean';
  readonly default?: boolean;
}

/** A field that is answered with one of its choices. */
export interface SelectField<V extends Scalar = string> extends Named {
  readonly kind: 'select';
  readonly choices: readonly Choice<V>[];
  readonly default?: V;
  /** True if a choice goes back to an earlier form of a wizard; the other fields need no answer then. */
  readonly wayBack?: true;
}

/** A field that is answered with any number of its choices. */
export interface MultiSelectField<V extends Scalar = string> extends Named {
  readonly kind: 'multi-select';
  readonly choices: readonly Choice<V>[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: readonly V[];
}

/** A field that no control fits: it is answered with JSON. */
export interface JsonField extends Named {
  readonly kind: 'json';
  /** Its schema, to be shown beside it. */
  readonly shape: string;
  readonly default?: unknown;
}

/** One question in a form. */
export type Field = TextField | NumberField | BooleanField | SelectField | MultiSelectField;

/** One question in a form of any server, whose schema may be more than the restricted one. */
export type AskedField =
  | TextField
  | NumberField
  | BooleanField
  | SelectField<Scalar>
  | MultiSelectField<Scalar>
  | JsonField;

/** Why content does not fit: which field, which rule, and a sentence for the person. */
export interface Issue {
  /** The field's name; absent if the content as a whole is wrong. */
  readonly field?: string;
  /** The rule's keyword, such as `required`, `minLength` or `enum`. */
  readonly rule: string;
  readonly message: string;
}

/**
 * The field's title, or its name made readable: `note_id` becomes `Note id`, `maxPages` becomes `Max pages`.
 * Cut at 80 characters. A title that a server sent is untrusted text: views make control characters visible.
 */
export function labelOf(field: Pick<Field, 'name' | 'title'>): string {
  const title = field.title?.trim();
  const label = title || readable(field.name);
  return label.length > 80 ? `${label.slice(0, 79)}…` : label;
}

function readable(name: string): string {
  const words = name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .replace(/[\s_.-]+/gu, ' ')
    .trim();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * What is wrong with the answer to one field.
 * @param says - continues the sentence after the field's name, without a full stop
 */
export function issue(field: AskedField, rule: string, says: string): Issue {
  return { field: field.name, rule, message: `${labelOf(field)} ${says}.` };
}
