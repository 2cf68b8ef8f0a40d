/**
 * A form for a tool's arguments, made from its JSON input schema: a property gets the control of a question's form if it fits
 * one, and a text area for JSON if it does not. The server has the last word on arguments; the checks here save a person the
 * round trip.
 */

import type { Choice, Field, Issue } from '@midcall/core/form';
import { defined, isRecord } from '@midcall/core/json';
import { judgeBySchema } from '@midcall/core/json-schema';
import { texts } from '../texts/texts.ts';

/** Any JSON, typed by hand. */
export interface JsonField {
  readonly kind: 'json';
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required: boolean;
  /** Its part of the tool's schema, to check against. */
  readonly schema: unknown;
  /** The tool's whole schema, which that part may refer to. */
  readonly root: unknown;
  readonly default?: unknown;
}

/** An argument with one control. */
export type SingleField = Field | JsonField;

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
  /** Its part of the tool's schema, to check against. */
  readonly schema: unknown;
  /** The tool's whole schema, which that part may refer to. */
  readonly root: unknown;
  readonly default?: unknown;
}

/** One argument. */
export type ArgumentField = SingleField | ListField;

type Schema = Readonly<Record<string, unknown>>;

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const strings = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && value.every(each => typeof each === 'string') ? value : undefined;

function choicesOf(schema: Schema): readonly Choice[] | undefined {
  const values = strings(schema['enum']);
  if (values && values.length > 0) {
    const names = strings(schema['enumNames']);
    return values.map((value, at) => ({ value, title: names?.[at] ?? value }));
  }
  const titled = schema['oneOf'] ?? schema['anyOf'];
  if (!Array.isArray(titled) || titled.length === 0) return undefined;
  if (!titled.every(each => isRecord(each) && typeof each['const'] === 'string')) return undefined;
  return titled.map((each: Schema) => ({
    value: each['const'] as string,
    title: text(each['title']) ?? (each['const'] as string),
  }));
}

const formats = ['email', 'uri', 'date', 'date-time'] as const;
const asFormat = (value: unknown) => formats.find(each => each === value);

/** An untouched row is not an item, so rows have no defaults. */
function withoutDefault(field: SingleField): SingleField {
  const { default: _, ...rest } = field;
  return rest as SingleField;
}

/** Objects with more members are not shown as rows. */
const mostColumns = 12;

/** What a row of a list holds, if an item of this schema fits one. */
function columnsOf(name: string, items: unknown, root: unknown): Pick<ListField, 'columns' | 'ofObjects'> | undefined {
  if (!isRecord(items)) return undefined;
  if (!isRecord(items['properties'])) {
    const field = singleOf(name, items, true, root);
    const fits = (field.kind === 'text' && field.format !== 'date-time') || field.kind === 'number';
    return fits ? { columns: [withoutDefault(field)], ofObjects: false } : undefined;
  }
  const names = Object.keys(items['properties']);
  if (names.length === 0 || names.length > mostColumns) return undefined;
  const required = new Set(strings(items['required']) ?? []);
  const members = items['properties'];
  const columns = names.map(each => withoutDefault(singleOf(each, members[each], required.has(each), root)));
  return { columns, ofObjects: true };
}

/** The field of one property: a list if its items fit rows. */
function fieldOf(name: string, schema: unknown, required: boolean, root: unknown): ArgumentField {
  const field = singleOf(name, schema, required, root);
  if (field.kind !== 'json' || !isRecord(schema) || schema['type'] !== 'array') return field;
  const rows = columnsOf(name, schema['items'], root);
  return rows ? { ...field, kind: 'list', ...rows, ...defined({ maxItems: number(schema['maxItems']) }) } : field;
}

function singleOf(name: string, schema: unknown, required: boolean, root: unknown): SingleField {
  const part = isRecord(schema) ? schema : {};
  const shared = { name, required, ...defined({ title: text(part['title']), description: text(part['description']) }) };
  const json: JsonField = { ...shared, kind: 'json', schema, root, ...defined({ default: part['default'] }) };
  const type = Array.isArray(part['type']) ? part['type'].find(each => each !== 'null') : part['type'];
  if (Array.isArray(part['type']) && part['type'].filter(each => each !== 'null').length !== 1) return json;
  const choices = choicesOf(part);
  if (choices && (type === 'string' || type === undefined)) {
    return { ...shared, kind: 'select', choices, ...defined({ default: text(part['default']) }) };
  }
  switch (type) {
    case 'string':
      return {
        ...shared,
        kind: 'text',
        ...defined({
          format: asFormat(part['format']),
          minLength: number(part['minLength']),
          maxLength: number(part['maxLength']),
          default: text(part['default']),
        }),
      };
    case 'number':
    case 'integer':
      return {
        ...shared,
        kind: 'number',
        integer: type === 'integer',
        ...defined({
          minimum: number(part['minimum']),
          maximum: number(part['maximum']),
          default: number(part['default']),
        }),
      };
    case 'boolean':
      return {
        ...shared,
        kind: 'boolean',
        ...defined({ default: typeof part['default'] === 'boolean' ? part['default'] : undefined }),
      };
    case 'array': {
      const of = isRecord(part['items']) ? choicesOf(part['items']) : undefined;
      if (!of) return json;
      return {
        ...shared,
        kind: 'multi-select',
        choices: of,
        ...defined({
          minItems: number(part['minItems']),
          maxItems: number(part['maxItems']),
          default: strings(part['default']),
        }),
      };
    }
    default:
      return json;
  }
}

/** The most arguments shown as controls of their own; a schema with more gets one text area for all. */
const mostFields = 200;

/** The fields of a tool's input schema, required ones first, otherwise in the schema's order. */
export function argumentFields(inputSchema: unknown): readonly ArgumentField[] {
  const properties = isRecord(inputSchema) && isRecord(inputSchema['properties']) ? inputSchema['properties'] : {};
  const names = Object.keys(properties).slice(0, mostFields);
  const required = new Set(isRecord(inputSchema) ? (strings(inputSchema['required']) ?? []) : []);
  const all = names.map(name => fieldOf(name, properties[name], required.has(name), inputSchema));
  return [...all.filter(field => field.required), ...all.filter(field => !field.required)];
}

/** Checks an argument against its part of the schema, as far as it can be judged; the issue says where it fails. */
export function checkJson(field: JsonField | ListField, value: unknown): readonly Issue[] {
  const judged = judgeBySchema(field.schema, value, { root: field.root });
  if (judged.verdict !== 'differs') return [];
  return [{ field: field.name, rule: 'schema', message: texts.field.inJson(judged.at.join('.'), judged.says) }];
}
