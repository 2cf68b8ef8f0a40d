/**
 * The form of any server: what it asks is shown, whatever its schema, and checked as far as that is possible.
 *
 * - asked-form-Q1 A form of the restricted schema is read by its rules. Of any other, each property becomes the control that fits
 *   it, or a field for JSON with the schema beside it; nothing is refused that a person could answer.
 * - asked-form-Q2 What the controls do not express is judged by the schema itself; what cannot be judged passes, and its field says
 *   so.
 * - asked-form-Q3 Reading and checking take a number of steps, whatever is sent; references in circles end.
 */
import {
  type AskedField,
  type CheckedContent,
  checkContent,
  type FormProblem,
  formLimits,
  type Issue,
  labelOf,
  readForm,
  wayBackName,
  withWayBackField,
} from '../form/index.ts';
import { isRecord, own } from '../json/index.ts';
import { Work } from '../patterns/index.ts';
import { newReading, readProperty } from './control.ts';
import { judgeBySchema } from './judge-by-schema.ts';
import { type Schema, unwrap } from './unwrap.ts';

/** A form as it is shown, or why it cannot be. */
export type AskedForm =
  | {
      readonly ok: true;
      readonly fields: readonly AskedField[];
      /** What was passed over, and why. */
      readonly notes: readonly FormProblem[];
      /** What the fields do not express of the schema; absent if they express all of it. See {@link checkAsked}. */
      readonly schema?: Schema;
    }
  | { readonly ok: false; readonly why: string };

/** Reads the form of an `elicitation/create`, and which of its fields is a wizard's way back. @param params - untrusted */
export function readAskedForm(params: unknown): AskedForm {
  const requested = own(params, 'requestedSchema');
  const strict = readForm(requested);
  const read: AskedForm = strict.ok ? strict : readLoosely(requested);
  return read.ok ? { ...read, fields: withWayBackField(read.fields, wayBackName(params)) } : read;
}

/**
 * Checks an answer to such a form.
 * @param schema - as {@link readAskedForm} gave it
 */
export function checkAsked(
  fields: readonly AskedField[],
  content: unknown,
  schema?: Schema,
): CheckedContent<Record<string, unknown>> {
  const checked = checkContent(fields, content);
  if (!checked.ok || !schema) return checked;
  const judged = judgeBySchema(schema, checked.content, { steps: formLimits.answerSteps });
  return judged.verdict === 'differs' ? { ok: false, issues: [issueAt(fields, judged.at, judged.says)] } : checked;
}

function issueAt(fields: readonly AskedField[], at: readonly string[], says: string): Issue {
  const [name, ...within] = at;
  const field = fields.find(each => each.name === name);
  if (!field) return { rule: 'schema', message: `The answer ${says}.` };
  const what = within.length > 0 ? `${labelOf(field)}, at ${within.join('.')},` : labelOf(field);
  return { field: field.name, rule: 'schema', message: `${what} ${says}.` };
}

const refused = (why: string): AskedForm => ({ ok: false, why });

function readLoosely(requested: unknown): AskedForm {
  let size: number;
  try {
    size = JSON.stringify(requested ?? null).length;
  } catch {
    return refused('The form is not JSON.');
  }
  if (size > formLimits.schema)
    return refused(`The form is ${size} characters long; at most ${formLimits.schema} are read.`);
  if (requested !== undefined && requested !== null && requested !== true && !isRecord(requested))
    return refused('The form must be a JSON Schema.');
  const work = new Work(formLimits.readingSteps);
  const { schema } = unwrap(requested, requested, work);
  const type = own(schema, 'type');
  if (type !== undefined && type !== 'object' && !(Array.isArray(type) && type.includes('object')))
    return refused(`The form asks for ${JSON.stringify(type).slice(0, 80)}; an answer is always an object.`);
  const gathered = new Gathered();
  gather(gathered, schema, requested, work);
  return readGathered(gathered, schema, requested, work);
}

const reserved = new Set(['', '__proto__', 'constructor', 'prototype']);

function readGathered({ properties, required }: Gathered, schema: Schema, requested: unknown, work: Work): AskedForm {
  if (properties.size > formLimits.fields)
    return refused(`The form has ${properties.size} fields; at most ${formLimits.fields} are shown.`);
  const reading = newReading(requested, work);
  const fields: AskedField[] = [];
  const judged: [string, unknown][] = [];
  for (const [name, property] of properties) {
    if (reserved.has(name) || name.length > formLimits.name) {
      const short = name.slice(0, 80);
      reading.notes.push({
        field: short,
        rule: 'name',
        message: `'${short}' cannot be the name of a field and is not shown.`,
      });
      continue;
    }
    const { field, says } = readProperty(name, property, required.has(name), reading);
    fields.push(field);
    if (says === 'more') judged.push([name, property]);
  }
  for (const name of required)
    if (!properties.has(name)) {
      const short = name.slice(0, 80);
      const message = `'${short}' is required, but the form has no such field.`;
      reading.notes.push({ field: short, rule: 'required', message });
    }
  const rest = Object.entries(schema).filter(([key]) => !own(expressed, key));
  const isJudged = judged.length > 0 || rest.some(([key]) => combining.has(key));
  return {
    ok: true,
    fields,
    notes: reading.notes.slice(0, mostNotes),
    ...(isJudged && { schema: { ...Object.fromEntries(rest), properties: Object.fromEntries(judged) } }),
  };
}

const mostNotes = 50;

/** What the list of fields says already. */
const expressed = {
  type: true,
  properties: true,
  required: true,
  additionalProperties: true,
  title: true,
  description: true,
};
/** Rules for the answer as a whole. */
const combining = new Set(
  '$ref allOf anyOf oneOf not if dependentSchemas dependentRequired dependencies minProperties maxProperties'.split(
    ' ',
  ),
);

/** The properties of a form; those of its alternatives are never required. */
class Gathered {
  readonly properties = new Map<string, unknown>();
  readonly required = new Set<string>();
  readonly seen = new Set<unknown>();
}

function gather(gathered: Gathered, schema: Schema, document: unknown, work: Work, always = true): void {
  const { properties, required, seen } = gathered;
  const declared = own(schema, 'properties');
  const entries = isRecord(declared) ? Object.entries(declared) : [];
  if (!work.spend(1 + entries.length)) return;
  for (const [name, property] of entries) if (!properties.has(name)) properties.set(name, property);
  const names = always ? own(schema, 'required') : undefined;
  if (Array.isArray(names))
    for (const name of names.slice(0, formLimits.fields)) if (typeof name === 'string') required.add(name);
  for (const key of ['allOf', 'anyOf', 'oneOf']) {
    const parts = own(schema, key);
    for (const part of Array.isArray(parts) ? parts : []) {
      // A part that was gathered before adds nothing, so circles end.
      if (!isRecord(part) || seen.has(part) || seen.size > formLimits.fields) continue;
      seen.add(part);
      gather(gathered, unwrap(part, document, work).schema, document, work, always && key === 'allOf');
    }
  }
}
