/**
 * The restricted JSON Schema as we put it on the wire (2025-11-25 and 2026-07-28 schema.json, `ElicitRequestFormParams`
 * and `PrimitiveSchemaDefinition`). One spelling per shape, keys always in the same order; `pattern` and `enumNames`
 * are read elsewhere and never written here.
 */
import type { Choice, Field } from './field.ts';
import type { TextFormat } from './format.ts';

interface Described {
  readonly title?: string;
  readonly description?: string;
}

interface TitledOption {
  readonly const: string;
  readonly title: string;
}

/** One property of a form as it is emitted. */
export type WireProperty = Described &
  (
    | {
        readonly type: 'string';
        readonly format?: TextFormat;
        readonly minLength?: number;
        readonly maxLength?: number;
        readonly default?: string;
      }
    | {
        readonly type: 'number' | 'integer';
        readonly minimum?: number;
        readonly maximum?: number;
        readonly default?: number;
      }
    | { readonly type: 'boolean'; readonly default?: boolean }
    | { readonly type: 'string'; readonly enum: readonly string[]; readonly default?: string }
    | { readonly type: 'string'; readonly oneOf: readonly TitledOption[]; readonly default?: string }
    | {
        readonly type: 'array';
        readonly items:
          | { readonly type: 'string'; readonly enum: readonly string[] }
          | { readonly anyOf: readonly TitledOption[] };
        readonly minItems?: number;
        readonly maxItems?: number;
        readonly default?: readonly string[];
      }
  );

/** The schema sent as `requestedSchema`. */
export interface WireSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, WireProperty>>;
  readonly required?: readonly string[];
}

/** The requested schema of a form with these fields, deeply frozen. */
export function emit(fields: readonly Field[]): WireSchema {
  const properties: Record<string, WireProperty> = {};
  const required: string[] = [];
  for (const field of fields) {
    properties[field.name] = Object.freeze(property(field));
    if (field.required) required.push(field.name);
  }
  return Object.freeze({
    type: 'object',
    properties: Object.freeze(properties),
    ...(required.length > 0 && { required: Object.freeze(required) }),
  });
}

function property(field: Field): WireProperty {
  const described = {
    ...(field.title !== undefined && { title: field.title }),
    ...(field.description !== undefined && { description: field.description }),
  };
  switch (field.kind) {
    case 'text':
      return {
        type: 'string',
        ...described,
        ...(field.format !== undefined && { format: field.format }),
        ...(field.minLength !== undefined && { minLength: field.minLength }),
        ...(field.maxLength !== undefined && { maxLength: field.maxLength }),
        ...(field.default !== undefined && { default: field.default }),
      };
    case 'number':
      return {
        type: field.integer ? 'integer' : 'number',
        ...described,
        ...(field.minimum !== undefined && { minimum: field.minimum }),
        ...(field.maximum !== undefined && { maximum: field.maximum }),
        ...(field.default !== undefined && { default: field.default }),
      };
    case 'boolean':
      return { type: 'boolean', ...described, ...(field.default !== undefined && { default: field.default }) };
    case 'select':
      return {
        type: 'string',
        ...described,
        ...(titled(field.choices) ? { oneOf: options(field.choices) } : { enum: values(field.choices) }),
        ...(field.default !== undefined && { default: field.default }),
      };
    case 'multi-select':
      return {
        type: 'array',
        ...described,
        items: Object.freeze(
          titled(field.choices)
            ? { anyOf: options(field.choices) }
            : { type: 'string' as const, enum: values(field.choices) },
        ),
        ...(field.minItems !== undefined && { minItems: field.minItems }),
        ...(field.maxItems !== undefined && { maxItems: field.maxItems }),
        ...(field.default !== undefined && { default: Object.freeze([...field.default]) }),
      };
  }
}

const titled = (choices: readonly Choice[]): boolean => choices.some(choice => choice.title !== choice.value);

const values = (choices: readonly Choice[]): readonly string[] => Object.freeze(choices.map(choice => choice.value));

const options = (choices: readonly Choice[]): readonly TitledOption[] =>
  Object.freeze(choices.map(choice => Object.freeze({ const: choice.value, title: choice.title })));
