/** One argument of a tool as a field of a form, where its part of the tool's input schema fits one. Pure. */
import { type Choice, type Field, formLimits } from '../form/index.ts';
import { defined, isRecord } from '../json/index.ts';

type Schema = Readonly<Record<string, unknown>>;

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const strings = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && value.every(each => typeof each === 'string') ? value : undefined;

/** @returns undefined if there are none, or more than anybody could look through: then the value is typed, and checked */
function choicesOf(schema: Schema): readonly Choice[] | undefined {
  const values = strings(schema['enum']);
  if (values && values.length > formLimits.choices) return undefined;
  if (values && values.length > 0) {
    const names = strings(schema['enumNames']);
    return values.map((value, at) => ({ value, title: names?.[at] ?? value }));
  }
  const titled = schema['oneOf'] ?? schema['anyOf'];
  if (!Array.isArray(titled) || titled.length === 0 || titled.length > formLimits.choices) return undefined;
  if (!titled.every(each => isRecord(each) && typeof each['const'] === 'string')) return undefined;
  return titled.map((each: Schema) => ({
    value: each['const'] as string,
    title: text(each['title']) ?? (each['const'] as string),
  }));
}

const formats = ['email', 'uri', 'date', 'date-time'] as const;
const asFormat = (value: unknown) => formats.find(each => each === value);

/**
 * Reads a schema more leniently than a question's form is read: what a field cannot express stays out of it.
 * @param schema - the argument's part of the input schema; untrusted
 * @returns undefined if it fits no field, such as an object
 */
export function argumentField(name: string, schema: unknown, required: boolean): Field | undefined {
  const part = isRecord(schema) ? schema : {};
  const shared = { name, required, ...defined({ title: text(part['title']), description: text(part['description']) }) };
  const type = Array.isArray(part['type']) ? part['type'].find(each => each !== 'null') : part['type'];
  if (Array.isArray(part['type']) && part['type'].filter(each => each !== 'null').length !== 1) return undefined;
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
      if (!of) return undefined;
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
      return undefined;
  }
}
