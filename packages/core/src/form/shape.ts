/**
 * What a form asks, independent of its notation: the fields and the schema as sent. Made once per content, so that a form
 * written inside a handler costs little when the handler runs again.
 */

import { MidcallError } from '../errors/index.ts';
import { isRecord, type JsonObject, own } from '../json/index.ts';
import { type Backtracking, backtrackingOf } from '../patterns/index.ts';
import type { Field } from './field.ts';
import { formLimits } from './limits.ts';
import type { FormProblem } from './problem.ts';
import { readSchema } from './read-form.ts';
import { refuseSecret } from './secret-in.ts';
import { translate } from './translate.ts';
import { emit, type WireSchema } from './wire.ts';

/** The content of a form. */
export interface Shape {
  readonly schema: WireSchema;
  readonly fields: readonly Field[];
  /** Required by the library, optional on the wire: absent stands for null. */
  readonly nullable: readonly string[];
  /** What the library's patterns may cost, by the field. */
  readonly backtracking: ReadonlyMap<string, readonly Backtracking[]>;
}

const mostCached = 500;
/** Larger forms are not cached, so that the cache stays within a few megabytes. */
const longestCached = 8_192;
const cache = new Map<string, Shape>();

/**
 * Reads a form's schema as an author wrote it or a library described it.
 * @param library - true if the library judges the answer afterwards
 * @throws MidcallError `form/unsupported`, `form/secret`
 */
export function shapeOf(schema: JsonObject, library: boolean): Shape {
  const content = contentOf(schema);
  const key = content.length > longestCached ? undefined : `${library ? 'library' : 'raw'} ${content}`;
  const cached = key === undefined ? undefined : cache.get(key);
  if (cached) return cached;
  const shape = makeShape(schema, library);
  if (key !== undefined) {
    if (cache.size >= mostCached) cache.delete(cache.keys().next().value!);
    cache.set(key, shape);
  }
  return shape;
}

function contentOf(schema: JsonObject): string {
  let content: string;
  try {
    content = JSON.stringify(schema);
  } catch (cause) {
    throw new MidcallError(
      'form/unsupported',
      'The form is not JSON: it contains a cycle or a value that JSON lacks.',
      {
        cause,
      },
    );
  }
  if (content.length <= formLimits.schema) return content;
  throw unsupported([
    { rule: 'size', message: `The form is ${content.length} characters long; ${formLimits.schema} are allowed.` },
  ]);
}

function makeShape(schema: JsonObject, library: boolean): Shape {
  const declared = own(schema, 'properties');
  const properties: Record<string, unknown> = Object.create(null);
  const nullable: string[] = [];
  const backtracking = new Map<string, readonly Backtracking[]>();
  const required = own(schema, 'required');
  const requiredNames = new Set(Array.isArray(required) ? required : []);
  for (const name of isRecord(declared) ? Object.keys(declared).slice(0, formLimits.fields + 1) : []) {
    const translated = translate((declared as JsonObject)[name], schema, { library });
    properties[name] = translated.schema;
    if (translated.patterns.length > 0) backtracking.set(name, translated.patterns.map(counted(name)));
    if (translated.nullable && requiredNames.delete(name)) nullable.push(name);
  }
  const additional = own(schema, 'additionalProperties');
  const open = isRecord(additional) && Object.keys(additional).length === 0;
  const read = readSchema({
    ...schema,
    ...(isRecord(declared) && { properties }),
    ...(Array.isArray(required) && { required: library ? [...requiredNames] : required }),
    ...(open && { additionalProperties: true }),
  });
  if (!read.ok) throw unsupported(read.problems);
  // What a receiver may omit with a note is a mistake in the author's own form.
  if (read.notes.length > 0) throw unsupported(read.notes);
  for (const field of read.fields) refuseSecret(field);
  const fields = Object.freeze(read.fields.map(frozen));
  const wire = emit(fields);
  return {
    schema: wire,
    fields,
    nullable,
    backtracking,
  };
}

/** @throws MidcallError if nobody could tell which answers the library's engine takes forever to judge */
const counted =
  (field: string) =>
  (pattern: string): Backtracking => {
    const counter = backtrackingOf(pattern);
    if (counter) return counter;
    const message = `'${field}' has a pattern with a lookbehind or a backreference, or too large a one, so an answer could keep its engine busy without end.`;
    throw unsupported([{ field, rule: 'pattern', message }]);
  };

function frozen(field: Field): Field {
  if ('choices' in field) {
    for (const choice of field.choices) Object.freeze(choice);
    Object.freeze(field.choices);
  }
  if (Array.isArray(field.default)) Object.freeze(field.default);
  return Object.freeze(field);
}

const flat = 'Flatten it into fields of its own, ask in several forms, or put it on a page of yours with elicitUrl.';
const waysOut: Readonly<Record<string, string>> = {
  form:
    "Ask with String, Number, Boolean, ['red', 'green'], { name: String }, a JSON Schema of type 'object', or a schema " +
    'such as z.object({ … }).',
  shorthand:
    "A label is a title: { type: 'string', title: 'Name' }. A date is { type: 'string', format: 'date' }. Choices are texts: " +
    'turn numbers into texts.',
  object: "Write type: 'object' beside 'properties'.",
  required: "Name fields of 'properties' only.",
  minLength: 'Give bounds that some value can meet.',
  minimum: 'Give bounds that some value can meet.',
  minItems: 'Give bounds that some value can meet.',
  type: `A form has text, numbers, yes or no, and fixed choices; a date is a text with the format 'date'. ${flat}`,
  properties: flat,
  additionalProperties: 'A form has a fixed set of fields: name them, or ask in a loop ("Add another?").',
  items: `List the choices (enum), or take one text and split it. ${flat}`,
  $ref: 'Write the referenced schema in place.',
  anyOf: `A choice between fixed texts is possible (enum); a choice between shapes is not. ${flat}`,
  oneOf: `A choice between fixed texts is possible (enum); a choice between shapes is not. ${flat}`,
  allOf: 'Write the parts as one schema.',
  format: 'Leave the format out, say it in the description, and check it with a refinement or a pattern.',
  const: 'Use a yes-or-no field and check the answer, or leave the field out.',
  enum: 'Choices must be distinct strings: turn numbers into strings.',
  exclusiveMinimum: "Use 'minimum', or a refinement of your library.",
  exclusiveMaximum: "Use 'maximum', or a refinement of your library.",
  multipleOf: 'Use an integer, or a refinement of your library.',
  size: 'Ask in several forms, or put it on a page of yours with elicitUrl.',
  pattern: 'Use a shorter or simpler pattern, or a refinement of your library.',
  default: 'Give a default that fits the field, or none.',
  name: 'Rename the field.',
};

/** The error that names the first problem and its fix. */
export function unsupported(problems: readonly FormProblem[]): MidcallError {
  const first = problems[0]!;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  const way = Object.hasOwn(waysOut, first.rule)
    ? waysOut[first.rule]
    : `The protocol has no '${first.rule}' here. ${flat}`;
  return new MidcallError('form/unsupported', `${first.message} [${first.rule}]${more} ${way}`);
}
