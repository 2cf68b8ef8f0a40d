/**
 * The one judge of answers, used by the side that asks and the side that answers.
 *
 * content-C1 only own properties are read, and only those the form names; anything else is an issue.
 * content-C2 nothing is coerced: a value is of the field's type or it is refused.
 * content-C3 every rule of a field is checked, without `eval` and in time linear in the answer. Patterns have a budget of steps
 *    for the whole answer; values beyond it are refused as unchecked.
 * content-C4 what comes back is a new plain object in the order of the fields.
 */

import { matchesPattern, Work } from '../patterns/index.ts';
import type { Field, Issue, MultiSelectField, NumberField, SelectField, TextField } from './field.ts';
import { hasFormat } from './format.ts';
import { isWayBack } from './is-way-back.ts';
import { issue } from './issue.ts';
import { formLimits } from './limits.ts';

/** One value as it travels. */
export type WireValue = string | number | boolean | readonly string[];

/** Content that fits a form. */
export type Content = Record<string, WireValue>;

/** What {@link checkContent} found. */
export type CheckedContent =
  | { readonly ok: true; readonly content: Content }
  | { readonly ok: false; readonly issues: readonly Issue[] };

const mostUnknownNamed = 20;

/**
 * Checks the content of an accepted elicitation against the fields of its form.
 * @param content - what arrived; `undefined` counts as no fields filled in
 * @returns the content with nothing but the form's fields, or every issue found, in the order of the fields
 */
export function checkContent(fields: readonly Field[], content: unknown): CheckedContent {
  if (content !== undefined && (typeof content !== 'object' || content === null || Array.isArray(content))) {
    return { ok: false, issues: [{ rule: 'type', message: 'The answer must be an object with one value per field.' }] };
  }
  const values = (content ?? {}) as Record<string, unknown>;
  const issues: Issue[] = [];
  const checked: Content = {};
  const work = new Work(formLimits.answerSteps);
  let expectedCount = 0;
  const goesBack = fields.some(field => isWayBack(field) && Object.hasOwn(values, field.name));
  for (const field of fields) {
    if (!Object.hasOwn(values, field.name) || values[field.name] === undefined) {
      if (Object.hasOwn(values, field.name)) expectedCount += 1;
      if (field.required && !goesBack) issues.push(issue(field, 'required', 'is required'));
      continue;
    }
    expectedCount += 1;
    const value = values[field.name];
    const problem = checkWithin(work, field, value);
    if (problem) issues.push(problem);
    else checked[field.name] = (Array.isArray(value) ? [...value] : value) as WireValue;
  }
  const names = Object.keys(values);
  if (names.length > expectedCount) {
    const fieldNames = new Set(fields.map(field => field.name));
    for (const name of names.filter(each => !fieldNames.has(each)).slice(0, mostUnknownNamed)) {
      const shortName = name.length > 80 ? `${name.slice(0, 80)}…` : name;
      issues.push({
        field: shortName,
        rule: 'additionalProperties',
        message: `'${shortName}' is not a field of this form.`,
      });
    }
  }
  return issues.length > 0 ? { ok: false, issues } : { ok: true, content: checked };
}

/** Checks one value that is present against its field; `undefined` if it fits. */
export function checkValue(field: Field, value: unknown): Issue | undefined {
  return checkWithin(new Work(formLimits.answerSteps), field, value);
}

/** {@link checkValue} with a shared budget. */
export function checkWithin(work: Work, field: Field, value: unknown): Issue | undefined {
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
  }
}

const formatSentences = {
  email: 'must be an e-mail address, such as ada@example.com',
  uri: 'must be a full web address, such as https://example.com/page',
  date: 'must be a date that exists, written as 2026-12-31',
  'date-time': 'must be a date, time and time zone, written as 2026-12-31T18:30:00Z',
} as const;

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
  if (format !== undefined && !hasFormat(format, value)) return issue(field, 'format', formatSentences[format]);
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

function checkSelect(field: SelectField, value: unknown): Issue | undefined {
  if (typeof value !== 'string') return issue(field, 'type', 'must be one of the choices');
  return field.choices.some(choice => choice.value === value)
    ? undefined
    : issue(field, 'enum', 'must be one of the choices');
}

function checkMultiSelect(field: MultiSelectField, value: unknown): Issue | undefined {
  if (!Array.isArray(value)) return issue(field, 'type', 'must be a list of choices');
  const unpicked = new Set(field.choices.map(choice => choice.value));
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
