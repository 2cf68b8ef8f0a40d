/** A tool's arguments as Zod code. What Zod would express differently becomes `z.unknown()`, never a guess. Pure. */
import { isRecord } from '@midcall/core/json';
import { key, literal } from './literal.ts';
import type { ArgumentFacts } from './tool-facts.ts';

type Json = Readonly<Record<string, unknown>>;

const deepest = 5;

/** `z.object({ … })` for these arguments. */
export function argumentsCode(args: readonly ArgumentFacts[]): string {
  if (args.length === 0) return 'z.object({})';
  const lines = args.map(arg => `  ${key(arg.name)}: ${member(arg.schema, arg.required, 0)},`);
  return `z.object({\n${lines.join('\n')}\n})`;
}

function member(schema: Json, required: boolean, depth: number): string {
  const { description } = schema;
  const described = typeof description === 'string' ? `.describe(${literal(description)})` : '';
  return `${value(schema, depth)}${required ? '' : '.optional()'}${described}`;
}

function value(schema: Json, depth: number): string {
  const { type, enum: listed, items, properties } = schema;
  if (depth > deepest) return 'z.unknown()';
  if (Array.isArray(listed))
    return listed.length > 0 && listed.every(each => typeof each === 'string')
      ? `z.enum(${literal(listed)})`
      : 'z.unknown()';
  switch (type) {
    case 'string':
      return `z.string()${bound(schema, 'minLength', 'min')}${bound(schema, 'maxLength', 'max')}`;
    case 'integer':
      return `z.int()${bound(schema, 'minimum', 'min')}${bound(schema, 'maximum', 'max')}`;
    case 'number':
      return `z.number()${bound(schema, 'minimum', 'min')}${bound(schema, 'maximum', 'max')}`;
    case 'boolean':
      return 'z.boolean()';
    case 'array':
      return `z.array(${isRecord(items) ? value(items, depth + 1) : 'z.unknown()'})`;
    case 'object':
      return isRecord(properties) ? object(schema, properties, depth) : 'z.record(z.string(), z.unknown())';
    default:
      return 'z.unknown()';
  }
}

function object({ required }: Json, properties: Json, depth: number): string {
  const needed = Array.isArray(required) ? required : [];
  const members = Object.entries(properties).map(([name, each]) => {
    const schema = isRecord(each) ? each : {};
    return `${key(name)}: ${member(schema, needed.includes(name), depth + 1)}`;
  });
  return `z.object({ ${members.join(', ')} })`;
}

const bound = (schema: Json, keyword: string, method: string): string => {
  const limit = schema[keyword];
  return typeof limit === 'number' && Number.isSafeInteger(limit) ? `.${method}(${limit})` : '';
};
