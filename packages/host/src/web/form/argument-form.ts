/**
 * A form for a tool's arguments, made from its JSON input schema: the kinds a question's form knows where a property
 * fits one, a text area for JSON where it does not. The server has the last word on arguments; what is checked here
 * spares a person the round trip.
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
  /** The tool's whole schema, which that part may refer into. */
  readonly root: unknown;
  readonly default?: unknown;
}

/** One argument. */
export type ArgumentField = Field | JsonField;

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

function fieldOf(name: string, schema: unknown, required: boolean, root: unknown): ArgumentField {
  const part = isRecord(schema) ? schema : {};
  const named = { name, required, ...defined({ title: text(part['title']), description: text(part['description']) }) };
  const json: JsonField = { ...named, kind: 'json', schema, root, ...defined({ default: part['default'] }) };
  const type = Array.isArray(part['type']) ? part['type'].find(each => each !== 'null') : part['type'];
  if (Array.isArray(part['type']) && part['type'].filter(each => each !== 'null').length !== 1) return json;
  const choices = choicesOf(part);
  if (choices && (type === 'string' || type === undefined)) {
    return { ...named, kind: 'select', choices, ...defined({ default: text(part['default']) }) };
  }
  switch (type) {
    case 'string':
      return {
        ...named,
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
        ...named,
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
        ...named,
        kind: 'boolean',
        ...defined({ default: typeof part['default'] === 'boolean' ? part['default'] : undefined }),
      };
    case 'array': {
      const of = isRecord(part['items']) ? choicesOf(part['items']) : undefined;
      if (!of) return json;
      return {
        ...named,
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

/** Checks a JSON argument against its part of the schema, as far as it can be judged; the issue says where it fails. */
export function checkJson(field: JsonField, value: unknown): readonly Issue[] {
  const judged = judgeBySchema(field.schema, value, { root: field.root });
  if (judged.verdict !== 'differs') return [];
  return [{ field: field.name, rule: 'schema', message: texts.field.inJson(judged.at.join('.'), judged.says) }];
}
