/**
 * Converts a requested schema to fields. The schema may come from anyone.
 *
 * read-form-R1 only own properties are read, nothing is evaluated, and size is judged before content.
 * read-form-R2 a keyword that decides which values are valid is understood, or the form is refused; annotations are skipped.
 * read-form-R3 the result is new, plain and within {@link formLimits}.
 * read-form-R4 what is invalid but harmless (a default outside the choices) is left out, and the notes say so.
 * read-form-R5 patterns get a number of steps for the whole form; those beyond it are shown but not checked, and the notes say so.
 */

import { isRecord, own } from '../json/index.ts';
import { Work } from '../patterns/index.ts';
import type { Field } from './field.ts';
import { formLimits } from './limits.ts';
import { assertions, type FormProblem } from './problem.ts';
import { readField } from './read-field.ts';

/** What {@link readForm} found. */
export type ReadForm =
  | { readonly ok: true; readonly fields: readonly Field[]; readonly notes: readonly FormProblem[] }
  | { readonly ok: false; readonly problems: readonly FormProblem[] };

const mostProblems = 20;
const topLevel = new Set(['type', 'properties', 'required', 'additionalProperties']);
const reserved = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Reads a `requestedSchema` that came from a server (2025-11-25 and 2026-07-28, client/elicitation, "Requested Schema").
 * @returns the fields in the order of the schema, with notes on what was left out; or why the form is refused
 */
export function readForm(schema: unknown): ReadForm {
  let size: number;
  try {
    size = JSON.stringify(schema)?.length ?? 0;
  } catch {
    return refused('type', 'The form is not JSON.');
  }
  if (size > formLimits.schema) {
    return refused('size', `The form is ${size} characters long; at most ${formLimits.schema} are read.`);
  }
  return readSchema(schema);
}

/** {@link readForm} for a schema whose size was judged before. */
export function readSchema(schema: unknown): ReadForm {
  if (!isRecord(schema) || own(schema, 'type') !== 'object')
    return refused('type', "The form must have type 'object'.");
  const properties = own(schema, 'properties');
  if (!isRecord(properties)) return refused('properties', 'The form must list its properties.');
  const names = Object.keys(properties);
  if (names.length > formLimits.fields) {
    return refused('size', `The form has ${names.length} fields; at most ${formLimits.fields} are allowed.`);
  }
  const problems: FormProblem[] = [];
  const notes: FormProblem[] = [];
  for (const keyword of Object.keys(schema)) {
    if (assertions.has(keyword) && !topLevel.has(keyword)) {
      problems.push({ rule: keyword, message: `A form cannot have '${keyword}'.` });
    }
  }
  const additional = own(schema, 'additionalProperties');
  if (additional !== undefined && typeof additional !== 'boolean') {
    problems.push({ rule: 'additionalProperties', message: 'A form cannot allow additional properties.' });
  }
  const required = readRequired(own(schema, 'required'), properties, problems);
  const patterned = names.filter(name => isRecord(properties[name]) && own(properties[name], 'pattern') !== undefined);
  if (patterned.length > formLimits.patterns) {
    return refused('size', `The form has ${patterned.length} patterns; at most ${formLimits.patterns} are allowed.`);
  }
  const fields: Field[] = [];
  const work = new Work(formLimits.readingSteps);
  for (const name of names) {
    if (problems.length >= mostProblems) break;
    if (reserved.has(name) || name === '' || name.length > formLimits.name) {
      const shortName = name.slice(0, 80);
      problems.push({ field: shortName, rule: 'name', message: `'${shortName}' cannot be the name of a field.` });
      continue;
    }
    const field = readField(name, properties[name], required.has(name), { problems, notes, work });
    if (field) fields.push(field);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, fields, notes };
}

function readRequired(value: unknown, properties: object, problems: FormProblem[]): ReadonlySet<string> {
  if (value === undefined) return new Set();
  if (!Array.isArray(value) || value.length > formLimits.fields || value.some(each => typeof each !== 'string')) {
    problems.push({ rule: 'required', message: "'required' must be a list of field names." });
    return new Set();
  }
  for (const name of value as string[]) {
    if (!Object.hasOwn(properties, name)) {
      problems.push({
        field: name.slice(0, 80),
        rule: 'required',
        message: `'${name.slice(0, 80)}' is required, but the form has no such field.`,
      });
    }
  }
  return new Set(value as string[]);
}

const refused = (rule: string, message: string): ReadForm => ({ ok: false, problems: [{ rule, message }] });
