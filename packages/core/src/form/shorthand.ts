/**
 * Converts shorthands to raw restricted schema. A single question becomes the field `value` of a form, and its answer is
 * unwrapped again.
 */
import { isRecord, own } from '../json/index.ts';
import type { Json } from './problem.ts';

/** A form's raw schema; `wrapped` if the one field `value` stands for the whole. */
export interface Spelled {
  readonly schema: Json;
  readonly wrapped: boolean;
}

/** The raw schema that `input` is short for, or undefined if it is no shorthand. */
export function spellOut(input: unknown): Spelled | undefined {
  if (isRecord(input) && own(input, 'type') === 'object') return { schema: input, wrapped: false };
  const property = spellProperty(input);
  if (property) return { schema: wrap(property), wrapped: true };
  if (!isRecord(input)) return undefined;
  const properties: [string, Json][] = [];
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
export function unspelt(input: Json): string | undefined {
  if (own(input, 'type') === 'object') return undefined;
  return Object.keys(input).find(name => !isRecord(input[name]) && spellProperty(input[name]) === undefined);
}

/** One property as a whole form. */
export function wrap(property: unknown): Json {
  return { type: 'object', properties: { value: property }, required: ['value'] };
}

function spellProperty(input: unknown): Json | undefined {
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

const isTexts = (list: readonly unknown[]): boolean => list.every(each => typeof each === 'string');

function titledOptions(input: unknown): { const: string; title: string }[] | undefined {
  if (!isRecord(input)) return undefined;
  const options: { const: string; title: string }[] = [];
  for (const value of Object.keys(input)) {
    const option = input[value];
    const title = isRecord(option) ? own(option, 'title') : undefined;
    if (typeof title !== 'string' || Object.keys(option as Json).length !== 1) return undefined;
    options.push({ const: value, title });
  }
  return options.length > 0 ? options : undefined;
}
