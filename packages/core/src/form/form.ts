/**
 * The form compiler: turns any input into an immutable form, or an error that names the field, the rule and the fix.
 *
 * form-F1 what is sent is the restricted schema and nothing else; what it cannot express fails here, before anyone is asked.
 * form-F2 a field that asks for a secret fails here.
 * form-F3 an answer is judged by the wire's rules first, and by the library's own `validate` after that.
 * form-F4 compiling is cached: by identity for a library's schema, and by content.
 * form-F5 a library's pattern meets no text that would keep its engine busy for long. Only the library knows whether a text matches,
 *    since it does not describe flags or transformations; what it would cost is counted before.
 */
import { isRecord, isTexts, type JsonObject, own } from '../json/index.ts';
import { Work } from '../patterns/index.ts';
import { type Content, checkContent } from './check-content.ts';
import { type Field, type Issue, issue, labelOf } from './field.ts';
import type { FormInput, FormValue } from './input.ts';
import { formLimits } from './limits.ts';
import { type Shape, shapeOf, unsupported } from './shape.ts';
import { askLibrary, describe, isStandard, type StandardForm, type StandardIssue } from './standard.ts';
import { resolve } from './translate.ts';
import type { WireSchema } from './wire.ts';

/** The verdict on an answer. */
export type Checked<T> =
  | {
      readonly ok: true;
      readonly value: T;
      /** The members that the form did not ask for, if there were any. */
      readonly leftOut?: readonly string[];
    }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/**
 * Sits between a form and its schema library, so that the library's verdict can be recorded and replayed: a check against the
 * world, such as whether a seat is free, may give a different result the second time.
 * @param judge - asks the library
 * @param content - the library's input: the content, after the form's own rules
 */
export type Judging = (judge: () => Promise<Checked<unknown>>, content: unknown) => Promise<Checked<unknown>>;

/** A compiled form; immutable. */
export interface Form<T> {
  /** Sent as `requestedSchema`. Deeply frozen, keys in a stable order. */
  readonly schema: WireSchema;
  readonly fields: readonly Field[];
  /** True if a schema library judges content after the form's own rules, and may make something else of it. */
  readonly library: boolean;
  /**
   * Judges the content of an accepted elicitation: by the form's own rules, then by the library's `validate`.
   * @param content - as it arrived; `undefined` and `null` count as no fields filled in
   * @param judging - asks the library, or replays what it said; the library is asked if absent
   * @returns the typed value, transformed as the library says, or what does not fit, in sentences for the person. It
   *   rejects only if the library's `validate` throws.
   */
  check(content: unknown, judging?: Judging): Promise<Checked<T>>;
}

/** The maximum number of messages: nobody reads more at once, and they are recorded. */
const mostIssues = 20;

const brand: unique symbol = Symbol.for('midcall.form') as never;

class CompiledForm implements Form<unknown> {
  readonly [brand] = true;
  readonly #shape: Shape;
  readonly #wrapped: boolean;
  readonly #library: StandardForm | undefined;

  constructor(shape: Shape, wrapped: boolean, library?: StandardForm) {
    this.#shape = shape;
    this.#wrapped = wrapped;
    this.#library = library;
    Object.freeze(this);
  }

  get schema(): WireSchema {
    return this.#shape.schema;
  }

  get fields(): readonly Field[] {
    return this.#shape.fields;
  }

  get library(): boolean {
    return this.#library !== undefined;
  }

  async check(content: unknown, judging: Judging = judge => judge()): Promise<Checked<unknown>> {
    const { fields, nullable } = this.#shape;
    const checked = checkContent(fields, content);
    if (!checked.ok) return checked;
    const value: Record<string, unknown> = checked.content;
    const { leftOut } = checked;
    const beside = leftOut && { leftOut };
    const library = this.#library;
    if (!library) return { ok: true, value: this.#wrapped ? value['value'] : value, ...beside };
    const slow = tooSlow(this.#shape, checked.content);
    if (slow.length > 0) return { ok: false, issues: slow };
    for (const name of nullable) if (!Object.hasOwn(value, name)) value[name] = null;
    const input = this.#wrapped ? value['value'] : value;
    const judged = await judging(async () => {
      const result = await askLibrary(library, input);
      if (result.issues === undefined) return { ok: true, value: result.value };
      const issues = result.issues.slice(0, mostIssues);
      return { ok: false, issues: issues.map(each => libraryIssue(each, this.#wrapped, fields)) };
    }, input);
    return judged.ok ? { ...judged, ...beside } : judged;
  }
}

/**
 * Compiles a form. The input is read once; changing it afterwards changes nothing.
 * @param input - a schema of a library with Standard JSON Schema (Zod from 4.2, ArkType, Valibot through its adapter), raw
 *   restricted JSON Schema, or shorthands; a compiled form is returned unchanged
 * @throws MidcallError `form/unsupported` if the wire cannot express it, `form/secret` if a field asks for a secret
 *   (2026-07-28, client/elicitation, "Requested Schema" and "Security Considerations")
 * @example
 * ```ts
 * const rating = form({ stars: { type: 'integer', title: 'Stars', minimum: 1, maximum: 5 }, recommend: Boolean });
 * const answer = await call.elicit({ message: 'How was it?', form: rating });
 * ```
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
  if (!isStandard(input)) return fromSpelling(input);
  const cached = byIdentity.get(input);
  if (cached) return cached;
  const compiled = fromLibrary(input);
  byIdentity.set(input, compiled);
  return compiled;
}

/** The raw schema of a form that may have been a shorthand; `wrapped` if the one field `value` stands for the whole. */
interface Spelled {
  readonly schema: JsonObject;
  readonly wrapped: boolean;
}

/** The raw schema that `input` is short for, or undefined if it is no shorthand. */
function spellOut(input: unknown): Spelled | undefined {
  if (isRecord(input) && own(input, 'type') === 'object') return { schema: input, wrapped: false };
  // Hosts label a field by its title, or else by its name: below a question, a box called "value" says nothing.
  const property = input === Boolean ? { type: 'boolean', title: 'Confirm' } : spellProperty(input);
  if (property) return { schema: wrap(property), wrapped: true };
  if (!isRecord(input)) return undefined;
  const properties: [string, JsonObject][] = [];
  for (const name of Object.keys(input)) {
    // Undefined if it is no shorthand: the reader then names the field.
    properties.push([name, spellProperty(input[name]) ?? {}]);
  }
  if (properties.length === 0) return undefined;
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: properties.map(each => each[0]),
  };
  return { schema, wrapped: false };
}

/** The first field of a record of shorthands that is not a shorthand. */
function unspelt(input: JsonObject): string | undefined {
  if (own(input, 'type') === 'object') return undefined;
  return Object.keys(input).find(name => !isRecord(input[name]) && spellProperty(input[name]) === undefined);
}

/** One property as a whole form. */
function wrap(property: unknown): JsonObject {
  return { type: 'object', properties: { value: property }, required: ['value'] };
}

function spellProperty(input: unknown): JsonObject | undefined {
  if (input === String) return { type: 'string' };
  if (input === Number) return { type: 'number' };
  if (input === Boolean) return { type: 'boolean' };
  if (Array.isArray(input)) {
    const only: unknown = input.length === 1 ? input[0] : undefined;
    if (Array.isArray(only))
      return isTexts(only) ? { type: 'array', items: { type: 'string', enum: only } } : undefined;
    const titled = only === undefined ? undefined : titledOptions(only);
    if (titled) return { type: 'array', items: { anyOf: titled } };
    return isTexts(input) ? { type: 'string', enum: input } : undefined;
  }
  if (!isRecord(input)) return undefined;
  if (typeof own(input, 'type') === 'string') return input;
  const titled = titledOptions(input);
  return titled && { type: 'string', oneOf: titled };
}

function titledOptions(input: unknown): { const: string; title: string }[] | undefined {
  if (!isRecord(input)) return undefined;
  const options: { const: string; title: string }[] = [];
  for (const value of Object.keys(input)) {
    const option = input[value];
    const title = isRecord(option) ? own(option, 'title') : undefined;
    if (typeof title !== 'string' || Object.keys(option as JsonObject).length !== 1) return undefined;
    options.push({ const: value, title });
  }
  return options.length > 0 ? options : undefined;
}

function fromSpelling(input: unknown): Form<unknown> {
  if (isRecord(input) && isRecord(own(input, 'properties')) && own(input, 'type') === undefined) {
    const message = "This has 'properties', but is not of type 'object'.";
    throw unsupported([{ rule: 'object', message }]);
  }
  const spelled = spellOut(input);
  const odd = isRecord(input) && !spelled?.wrapped ? unspelt(input) : undefined;
  if (odd !== undefined) {
    const textHint = typeof own(input as JsonObject, odd) === 'string' ? ', not a text' : '';
    const message = `'${odd}' must be String, Number, Boolean, a list of choices, or a JSON Schema${textHint}.`;
    throw unsupported([{ field: odd, rule: 'shorthand', message }]);
  }
  if (spelled) return new CompiledForm(shapeOf(spelled.schema, false), spelled.wrapped);
  const message = 'This is neither a schema with Standard JSON Schema, nor raw JSON Schema, nor a shorthand.';
  throw unsupported([{ rule: 'form', message }]);
}

function fromLibrary(library: StandardForm): Form<unknown> {
  const described = describe(library);
  const resolved = resolve(described, described);
  const root: JsonObject = isRecord(resolved) ? resolved : described;
  const wrapped = own(root, 'type') !== 'object';
  const schema = wrapped ? { ...wrap(root), $defs: own(root, '$defs') } : root;
  return new CompiledForm(shapeOf(schema, true), wrapped, library);
}

/** form-F5 */
function tooSlow({ fields, backtracking }: Shape, content: Content): Issue[] {
  const work = new Work(formLimits.answerSteps);
  const isSlow = (field: Field): boolean => {
    const value = content[field.name];
    if (typeof value !== 'string') return false;
    return (backtracking.get(field.name) ?? []).some(
      pattern => !pattern.isWithin(formLimits.backtrackingSteps, value, work),
    );
  };
  return fields
    .filter(isSlow)
    .map(field => issue(field, 'pattern', 'takes too long to check against its pattern: give a shorter text'));
}

function libraryIssue(finding: StandardIssue, wrapped: boolean, fields: readonly Field[]): Issue {
  const first = finding.path?.[0];
  const key = typeof first === 'object' ? first.key : first;
  const field = fields.find(each => each.name === (wrapped ? 'value' : key));
  const message = finding.message.length > 500 ? `${finding.message.slice(0, 499)}…` : finding.message;
  if (!field) return { rule: 'validate', message };
  return { field: field.name, rule: 'validate', message: wrapped ? message : `${labelOf(field)}: ${message}` };
}
