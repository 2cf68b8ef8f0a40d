/**
 * The form compiler: any input to one immutable form, or an error that names the field, the rule and the way out.
 *
 * F1 what is sent is the restricted schema and nothing else; what it cannot say fails here, before anyone is asked.
 * F2 a field that asks for a secret fails here.
 * F3 an answer is judged by the wire's rules first, and by the library's own `validate` after that.
 * F4 a library's schema is compiled once.
 */
import { createHash } from 'node:crypto';
import { MidcallError } from '../errors.ts';
import { checkContent } from './check-content.ts';
import type { Field, Issue } from './field.ts';
import type { FormInput, FormValue } from './input.ts';
import { labelOf } from './label.ts';
import { formLimits } from './limits.ts';
import { type FormProblem, isJson, type Json, own } from './problem.ts';
import { readSchema } from './read-form.ts';
import { secretIn } from './secret-in.ts';
import { spellOut, wrap } from './shorthand.ts';
import { adapters, type StandardForm, type StandardResult, vendorOptions } from './standard.ts';
import { resolve, translate } from './translate.ts';
import { emit, type WireSchema } from './wire.ts';

/** What judging an answer came to. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** A compiled form; immutable. */
export interface Form<T> {
  /** Sent as `requestedSchema`. Deeply frozen, keys in a stable order. */
  readonly schema: WireSchema;
  readonly fields: readonly Field[];
  /** SHA-256 of the schema as sent, in base64url: two forms that ask the same have the same. */
  readonly digest: string;
  /**
   * Judges the content of an accepted elicitation: by the form's own rules, then by the library's `validate`.
   * @param content - as it arrived; `undefined` counts as no fields filled in
   * @returns the typed value, transformed as the library says, or what does not fit, in sentences for the person. It
   *   rejects only where the library's `validate` throws.
   */
  check(content: unknown): Promise<Checked<T>>;
}

type Validate = (value: unknown) => StandardResult<unknown> | Promise<StandardResult<unknown>>;

interface Compiled {
  readonly fields: readonly Field[];
  readonly wrapped: boolean;
  /** Required by the library, optional on the wire: absent stands for null. */
  readonly nullable: readonly string[];
  readonly validate: Validate | undefined;
}

const brand: unique symbol = Symbol.for('midcall.form') as never;

class CompiledForm implements Form<unknown> {
  readonly [brand] = true;
  readonly schema: WireSchema;
  readonly fields: readonly Field[];
  readonly #compiled: Compiled;
  #digest: string | undefined;

  constructor(compiled: Compiled) {
    this.#compiled = compiled;
    this.fields = compiled.fields;
    this.schema = emit(compiled.fields);
    Object.freeze(this);
  }

  get digest(): string {
    this.#digest ??= createHash('sha256').update(JSON.stringify(this.schema)).digest('base64url');
    return this.#digest;
  }

  async check(content: unknown): Promise<Checked<unknown>> {
    const { fields, wrapped, nullable, validate } = this.#compiled;
    const checked = checkContent(fields, content);
    if (!checked.ok) return checked;
    if (!validate) return { ok: true, value: wrapped ? checked.content['value'] : checked.content };
    const filled: Record<string, unknown> = { ...checked.content };
    for (const name of nullable) if (!Object.hasOwn(filled, name)) filled[name] = null;
    const result = await validate(wrapped ? filled['value'] : filled);
    if (result.issues === undefined) return { ok: true, value: result.value };
    return { ok: false, issues: result.issues.map(each => libraryIssue(each, wrapped, fields)) };
  }
}

/**
 * Compiles a form. The input is read once; changing it afterwards changes nothing.
 * @param input - a schema of a library with Standard JSON Schema (Zod from 4.2, ArkType, Valibot through its adapter), raw
 *   restricted JSON Schema, or shorthands; a form that is compiled already is returned as it is
 * @throws MidcallError `form/unsupported` where the wire cannot say it, `form/secret` where a field asks for a secret
 *   (2026-07-28, client/elicitation, "Requested Schema" and "Security Considerations")
 */
export function form<const I extends FormInput>(input: I): Form<FormValue<I>> {
  return compile(input) as Form<FormValue<I>>;
}

/** True for a compiled form, from any copy of the package. */
export function isForm(value: unknown): value is Form<unknown> {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true;
}

const byIdentity = new WeakMap<object, Form<unknown>>();

function compile(input: unknown): Form<unknown> {
  if (isForm(input)) return input;
  const standard = isStandard(input);
  const known = standard ? byIdentity.get(input) : undefined;
  if (known) return known;
  const made = new CompiledForm(standard ? fromLibrary(input) : fromSpelling(input));
  if (standard) byIdentity.set(input, made);
  return made;
}

function isStandard(input: unknown): input is StandardForm {
  return ((typeof input === 'object' && input !== null) || typeof input === 'function') && '~standard' in input;
}

function fromSpelling(input: unknown): Compiled {
  const spelled = spellOut(input);
  if (!spelled) {
    throw unsupported([
      {
        rule: 'type',
        message: 'This is neither a schema with Standard JSON Schema, nor raw JSON Schema, nor a shorthand.',
      },
    ]);
  }
  return { ...fieldsOf(spelled.schema, false), wrapped: spelled.wrapped, validate: undefined };
}

function fromLibrary(schema: StandardForm): Compiled {
  const standard = schema['~standard'];
  const vendor = String(standard.vendor);
  if (typeof standard.jsonSchema?.input !== 'function') {
    const way = Object.hasOwn(adapters, vendor)
      ? adapters[vendor]
      : "use a library or adapter that has '~standard.jsonSchema'";
    throw new MidcallError('form/unsupported', `This ${vendor} schema cannot describe itself as JSON Schema; ${way}.`);
  }
  const libraryOptions = Object.hasOwn(vendorOptions, vendor) ? vendorOptions[vendor] : undefined;
  let described: Json;
  try {
    described = standard.jsonSchema.input({ target: 'draft-2020-12', ...(libraryOptions && { libraryOptions }) });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new MidcallError('form/unsupported', `${vendor} cannot describe this schema as JSON Schema: ${reason}`, {
      cause,
    });
  }
  const resolved = resolve(described, described);
  const root = isJson(resolved) ? resolved : described;
  const wrapped = own(root, 'type') !== 'object';
  const read = fieldsOf(wrapped ? { ...wrap(root), $defs: own(root, '$defs') } : root, true);
  return { ...read, wrapped, validate: value => standard.validate(value) };
}

function fieldsOf(schema: Json, library: boolean): { fields: readonly Field[]; nullable: readonly string[] } {
  const given = own(schema, 'properties');
  const properties: Record<string, unknown> = Object.create(null);
  const nullable: string[] = [];
  const required = own(schema, 'required');
  const wanted = new Set(Array.isArray(required) ? required : []);
  for (const name of isJson(given) ? Object.keys(given).slice(0, formLimits.fields + 1) : []) {
    const translated = translate((given as Json)[name], schema, { library });
    properties[name] = translated.schema;
    if (translated.nullable && wanted.delete(name)) nullable.push(name);
  }
  const additional = own(schema, 'additionalProperties');
  const open = isJson(additional) && Object.keys(additional).length === 0;
  const read = readSchema({
    ...schema,
    ...(isJson(given) && { properties }),
    ...(Array.isArray(required) && { required: library ? [...wanted] : required }),
    ...(open && { additionalProperties: true }),
  });
  if (!read.ok) throw unsupported(read.problems);
  if (read.notes.length > 0) throw unsupported(read.notes);
  for (const field of read.fields) refuseSecret(field);
  return { fields: Object.freeze(read.fields.map(frozen)), nullable };
}

function frozen(field: Field): Field {
  if ('choices' in field) Object.freeze(field.choices.map(choice => Object.freeze(choice)));
  return Object.freeze(field);
}

const flat = 'Flatten it into fields of its own, ask in several forms, or put it on a page of yours with elicitUrl.';
const waysOut: Readonly<Record<string, string>> = {
  type: `A form has text, numbers, yes or no, and fixed choices. ${flat}`,
  properties: flat,
  additionalProperties: 'A form has a fixed set of fields: name them, or ask in a loop ("Add another?").',
  items: `List the choices (enum), or take one text and split it. ${flat}`,
  $ref: 'Write the referenced schema in place.',
  anyOf: `A choice between fixed texts is possible (enum); a choice between shapes is not. ${flat}`,
  oneOf: `A choice between fixed texts is possible (enum); a choice between shapes is not. ${flat}`,
  allOf: 'Write the parts as one schema.',
  format: 'Leave the format out, say it in the description, and check it with a refinement or a pattern.',
  const: 'Use a yes-or-no field and check the answer, or leave the field out.',
  enum: 'Choices are texts, each once: turn numbers into texts.',
  exclusiveMinimum: "Use 'minimum', or a refinement of your library.",
  exclusiveMaximum: "Use 'maximum', or a refinement of your library.",
  multipleOf: 'Use an integer, or a refinement of your library.',
  size: 'Ask in several forms, or put it on a page of yours with elicitUrl.',
  pattern: 'Use a pattern without lookaround and nested repetition, or a refinement of your library.',
  default: 'Give a default that fits the field, or none.',
  name: 'Rename the field.',
};

function unsupported(problems: readonly FormProblem[]): MidcallError {
  const first = problems[0]!;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  const way = Object.hasOwn(waysOut, first.rule)
    ? waysOut[first.rule]
    : `The wire has no '${first.rule}' here. ${flat}`;
  return new MidcallError('form/unsupported', `${first.message} [${first.rule}]${more} ${way}`);
}

function refuseSecret(field: Field): void {
  const secret = secretIn(field);
  if (!secret) return;
  throw new MidcallError(
    'form/secret',
    `Field '${field.name}' asks for a secret: its ${secret.where} says '${secret.words}' (${secret.kind}). ` +
      'A form must not ask for passwords, keys, tokens or payment credentials: use URL mode (elicitUrl), where the ' +
      'answer does not pass through the client.',
  );
}

function libraryIssue(
  found: {
    readonly message: string;
    readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  },
  wrapped: boolean,
  fields: readonly Field[],
): Issue {
  const first = found.path?.[0];
  const key = typeof first === 'object' ? first.key : first;
  const field = fields.find(each => (wrapped ? each.name === 'value' : each.name === key));
  const message = found.message.length > 500 ? `${found.message.slice(0, 499)}…` : found.message;
  if (!field) return { rule: 'validate', message };
  return { field: field.name, rule: 'validate', message: wrapped ? message : `${labelOf(field)}: ${message}` };
}
