/**
 * A form for a tool's arguments, made from its JSON input schema: a property gets the control of a question's form if it fits
 * one, and a text area for JSON if it does not.
 */

import type { AskedField } from '@midcall/core/form';
import { defined, isRecord, isTexts } from '@midcall/core/json';
import { newReading, type Reading, readProperty, unwrap } from '@midcall/core/json-schema';

/** An argument with one control. */
export type SingleField = AskedField;

/** A list of texts, numbers or flat objects, edited row by row. */
export interface ListField {
  readonly kind: 'list';
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required: boolean;
  /** What a row holds: the members of an object, or a single value. */
  readonly columns: readonly SingleField[];
  /** True if a row is an object. */
  readonly ofObjects: boolean;
  readonly maxItems?: number;
  readonly default?: unknown;
}

/** One argument. */
export type ArgumentField = SingleField | ListField;

const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const strings = (value: unknown): readonly string[] | undefined => (isTexts(value) ? value : undefined);

/** An untouched row is not an item, so rows have no defaults. */
function withoutDefault(field: SingleField): SingleField {
  const { default: _, ...rest } = field;
  return rest as SingleField;
}

/** Objects with more members are not shown as rows. */
const mostColumns = 12;

/** What a row of a list holds, if an item of this schema fits one. */
function columnsOf(
  name: string,
  wrapped: unknown,
  reading: Reading,
): Pick<ListField, 'columns' | 'ofObjects'> | undefined {
  if (!isRecord(wrapped)) return undefined;
  const { schema: items } = unwrap(wrapped, reading.document, reading.work);
  if (!isRecord(items['properties'])) {
    const field = singleOf(name, items, true, reading);
    const fits = (field.kind === 'text' && field.format !== 'date-time') || field.kind === 'number';
    return fits ? { columns: [withoutDefault(field)], ofObjects: false } : undefined;
  }
  const names = Object.keys(items['properties']);
  if (names.length === 0 || names.length > mostColumns) return undefined;
  const required = new Set(strings(items['required']) ?? []);
  const members = items['properties'];
  const columns = names.map(each => withoutDefault(singleOf(each, members[each], required.has(each), reading)));
  return { columns, ofObjects: true };
}

/** The field of one property: a list if its items fit rows. */
function fieldOf(name: string, schema: unknown, required: boolean, reading: Reading): ArgumentField {
  const field = singleOf(name, schema, required, reading);
  if (field.kind !== 'json') return field;
  const { schema: list } = unwrap(schema, reading.document, reading.work);
  if (list['type'] !== 'array') return field;
  const rows = columnsOf(name, list['items'], reading);
  return rows ? { ...field, kind: 'list', ...rows, ...defined({ maxItems: number(list['maxItems']) }) } : field;
}

const singleOf = (name: string, schema: unknown, required: boolean, reading: Reading): SingleField =>
  readProperty(name, schema, required, reading).field;

/** The most arguments shown as controls of their own; a schema with more gets one text area for all. */
const mostFields = 200;

/** The fields of a tool's input schema, required ones first, otherwise in the schema's order. */
export function argumentFields(inputSchema: unknown): readonly ArgumentField[] {
  const properties = isRecord(inputSchema) && isRecord(inputSchema['properties']) ? inputSchema['properties'] : {};
  const names = Object.keys(properties).slice(0, mostFields);
  const required = new Set(isRecord(inputSchema) ? (strings(inputSchema['required']) ?? []) : []);
  const reading = newReading(inputSchema);
  const all = names.map(name => fieldOf(name, properties[name], required.has(name), reading));
  return [...all.filter(field => field.required), ...all.filter(field => !field.required)];
}
