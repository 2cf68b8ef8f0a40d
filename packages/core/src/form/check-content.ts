/**
 * The one judge of answers, used by the side that asks and the side that answers.
 *
 * content-C1 only own properties are read, and only those the form names; what it did not ask for is left out, and named.
 * content-C2 an answer means what its sender means, where there is only one reading: null is "not filled in", and so is "" where it
 *    is no answer; a number or yes and no may be spelled as text; one choice may stand for a list of one.
 * content-C3 every rule of a field is checked, without `eval` and in time linear in the answer. Patterns have a budget of steps
 *    for the whole answer; values beyond it are refused as unchecked.
 * content-C4 what comes back is a new plain object in the order of the fields.
 */

import { matchesPattern, Work } from '../patterns/index.ts';
import {
  type AskedField,
  type Choice,
  type Field,
  type Issue,
  issue,
  type NumberField,
  type Scalar,
  type TextField,
} from './field.ts';
import { textFormats } from './format.ts';
import { formLimits } from './limits.ts';
import { isWayBack } from './way-back.ts';

/** One value as it travels. */
export type WireValue = string | number | boolean | readonly string[];

/** Content that fits a form. */
export type Content = Record<string, WireValue>;

/** What {@link checkContent} found; `leftOut` names the members that the form did not ask for, if there were any. */
export type CheckedContent<C = Content> =
  | { readonly ok: true; readonly content: C; readonly leftOut?: readonly string[] }
  | { readonly ok: false; readonly issues: readonly Issue[] };

const mostLeftOutNamed = 20;

/**
 * Checks the content of an accepted elicitation against the fields of its form.
 * @param content - what arrived; `undefined` and `null` count as no fields filled in
 * @returns the content with nothing but the form's fields, or every issue found, in the order of the fields
 */
export function checkContent(fields: readonly Field[], content: unknown): CheckedContent;
export function checkContent(fields: readonly AskedField[], content: unknown): CheckedContent<Record<string, unknown>>;
export function checkContent(fields: readonly AskedField[], content: unknown): CheckedContent<Record<string, unknown>> {
  const sent = content ?? {};
  if (typeof sent !== 'object' || Array.isArray(sent)) {
    return { ok: false, issues: [{ rule: 'type', message: 'The answer must be an object with one value per field.' }] };
  }
  const values = sent as Record<string, unknown>;
  const issues: Issue[] = [];
  const checked: Record<string, unknown> = {};
  const work = new Work(formLimits.answerSteps);
  const goesBack = fields.some(
    field => isWayBack(field) && meaning(work, field, valueFor(values, field)) !== undefined,
  );
  for (const field of fields) {
    const value = meaning(work, field, valueFor(values, field));
    if (value === undefined) {
      if (field.nullable) checked[field.name] = null;
      else if (field.required && !goesBack) issues.push(issue(field, 'required', 'is required'));
      continue;
    }
    const problem = checkWithin(work, field, value);
    if (problem) issues.push(problem);
    else checked[field.name] = value;
  }
  if (issues.length > 0) return { ok: false, issues };
  const names = new Set(fields.map(field => field.name));
  const leftOut = Object.keys(values).filter(name => !names.has(name) && values[name] !== undefined);
  if (leftOut.length === 0) return { ok: true, content: checked };
  return { ok: true, content: checked, leftOut: leftOut.slice(0, mostLeftOutNamed).map(shortened) };
}

const valueFor = (values: Record<string, unknown>, { name }: AskedField): unknown =>
  Object.hasOwn(values, name) ? values[name] : undefined;

const shortened = (name: string): string => (name.length > 80 ? `${name.slice(0, 80)}…` : name);

/** A number as JSON and people write it: no other base, no words, no digits grouped. */
export const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const longestNumber = 400;

/** content-C2. What a value means as the answer to a field; undefined if the field was not filled in. */
function meaning(work: Work, field: AskedField, value: unknown): unknown {
  switch (field.kind) {
    case 'text':
      if (value === null) return undefined;
      return value === '' && !field.required && checkWithin(work, field, value) ? undefined : value;
    case 'number': {
      if (typeof value !== 'string') return value ?? undefined;
      const text = value.trim();
      if (text === '') return undefined;
      return text.length <= longestNumber && decimal.test(text) ? Number(text) : value;
    }
    case 'boolean': {
      if (typeof value !== 'string') return value ?? undefined;
      const word = value.trim().toLowerCase();
      if (word === '') return undefined;
      return word === 'true' || word === 'false' ? word === 'true' : value;
    }
    case 'select': {
      const chosen = reading<Scalar>(field.choices)(value);
      return chosen ? chosen.value : value === '' ? undefined : (value ?? undefined);
    }
    case 'multi-select': {
      const read = reading<Scalar>(field.choices);
      if (Array.isArray(value)) return value.map(each => read(each)?.value ?? each);
      const chosen = read(value);
      return chosen ? [chosen.value] : value === '' ? undefined : (value ?? undefined);
    }
    case 'json':
      return value;
  }
}

/** Finds the choice of a value: the one that is the same, or the only one that is spelled alike. */
function reading<V extends Scalar>(choices: readonly Choice<V>[]): (value: unknown) => Choice<V> | undefined {
  const exact = new Map<unknown, Choice<V>>(choices.map(choice => [choice.value, choice]));
  const spelled = new Map<string, Choice<V> | undefined>();
  for (const choice of choices) {
    const text = String(choice.value);
    spelled.set(text, spelled.has(text) ? undefined : choice);
  }
  return value =>
    exact.get(value) ?? (value === null || typeof value === 'object' ? undefined : spelled.get(String(value)));
}

/** Checks one value that is present against its field; `undefined` if it fits. */
export function checkValue(field: AskedField, value: unknown): Issue | undefined {
  return checkWithin(new Work(formLimits.answerSteps), field, value);
}

/** {@link checkValue} with a shared budget. */
export function checkWithin(work: Work, field: AskedField, value: unknown): Issue | undefined {
  switch (field.kind) {
    case 'text':
      return checkText(field, value, work);
    case 'number':
      return checkNumber(field, value);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : issue(field, 'type', 'must be yes or no');
    case 'select':
      return checkSelect(field, value);
    case 'multi-select':
      return checkMultiSelect(field, value);
    case 'json':
      return undefined;
  }
}

function checkText(field: TextField, value: unknown, work: Work): Issue | undefined {
  if (typeof value !== 'string') return issue(field, 'type', 'must be text');
  const { minLength, maxLength, format, pattern } = field;
  // A code point is one or two units, so most lengths are decided without counting.
  if (
    minLength !== undefined &&
    (value.length < minLength || (value.length < minLength * 2 && points(value) < minLength))
  ) {
    return issue(field, 'minLength', `must have at least ${count(minLength, 'character')}`);
  }
  if (
    maxLength !== undefined &&
    value.length > maxLength &&
    (value.length > maxLength * 2 || points(value) > maxLength)
  ) {
    return issue(field, 'maxLength', `must have at most ${count(maxLength, 'character')}`);
  }
  if (format !== undefined && !textFormats[format].fits(value)) return issue(field, 'format', textFormats[format].says);
  return pattern === undefined ? undefined : checkPattern(field, pattern, value, work);
}

function checkPattern(field: TextField, pattern: string, value: string, work: Work): Issue | undefined {
  const matches = matchesPattern(pattern, value, work);
  if (matches) return undefined;
  const shortPattern = pattern.length > 200 ? `${pattern.slice(0, 199)}…` : pattern;
  // The pattern was checkable when the form was read, so this answer is too long for it.
  if (matches === undefined)
    return issue(field, 'pattern', `takes too long to check against the pattern ${shortPattern}: give a shorter text`);
  return issue(field, 'pattern', `must match the pattern ${shortPattern}`);
}

function checkNumber(field: NumberField, value: unknown): Issue | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return issue(field, 'type', 'must be a number');
  // Past 2^53, neighbouring whole numbers are the same number, so what arrived may not be what was typed.
  if (field.integer && !Number.isSafeInteger(value)) return issue(field, 'type', 'must be a whole number');
  if (field.minimum !== undefined && value < field.minimum) {
    return issue(field, 'minimum', `must be at least ${field.minimum}`);
  }
  if (field.maximum !== undefined && value > field.maximum) {
    return issue(field, 'maximum', `must be at most ${field.maximum}`);
  }
  return undefined;
}

function checkSelect(field: AskedField & { kind: 'select' }, value: unknown): Issue | undefined {
  if (typeof value === 'object' && value !== null) return issue(field, 'type', 'must be one of the choices');
  return field.choices.some(choice => choice.value === value)
    ? undefined
    : issue(field, 'enum', 'must be one of the choices');
}

function checkMultiSelect(field: AskedField & { kind: 'multi-select' }, value: unknown): Issue | undefined {
  if (!Array.isArray(value)) return issue(field, 'type', 'must be a list of choices');
  const unpicked = new Set<unknown>(field.choices.map(choice => choice.value));
  for (const each of value) {
    if (unpicked.delete(each)) continue;
    const offered = field.choices.some(choice => choice.value === each);
    return offered
      ? issue(field, 'uniqueItems', 'must not contain a choice twice')
      : issue(field, 'enum', 'must contain only the choices offered');
  }
  if (field.minItems !== undefined && value.length < field.minItems) {
    return issue(field, 'minItems', `needs at least ${count(field.minItems, 'choice')}`);
  }
  if (field.maxItems !== undefined && value.length > field.maxItems) {
    return issue(field, 'maxItems', `takes at most ${count(field.maxItems, 'choice')}`);
  }
  return undefined;
}

function points(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

/**
 * True if a person removed the text that a field proposes, and an empty text is an answer to it. A field that proposes nothing and
 * is empty was not touched.
 * @param text - as entered
 */
export const emptied = (field: AskedField, text: string): boolean =>
  field.kind === 'text' &&
  text === '' &&
  field.default !== undefined &&
  field.default !== '' &&
  checkValue(field, text) === undefined;
