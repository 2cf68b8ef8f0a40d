/**
 * Arguments made from a tool's input schema, as harmless as the schema allows: only the required ones, with yes-or-no at no.
 * Pure.
 */
import { isTextFormat, textFormats } from '@midcall/core/form';
import { isRecord, own } from '@midcall/core/json';

type Json = Readonly<Record<string, unknown>>;

/** Examples of formats that forms do not have. */
const samples: Readonly<Record<string, string>> = {
  url: 'https://example.com/',
  time: '12:00:00Z',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '192.0.2.1',
  hostname: 'example.com',
};

const deepest = 6;
/** The most values in total: a short schema can ask for lists of lists of lists. */
const mostValues = 1_000;

/**
 * Arguments that fit a tool's schema; whether they mean anything to the tool cannot be known.
 * @param schema - the tool's `inputSchema`; untrusted
 */
export function sampleArguments(schema: unknown): Record<string, unknown> {
  const sample = isRecord(schema) ? sampleObject(schema, 0, { left: mostValues }) : {};
  return sample as Record<string, unknown>;
}

/** The names of a tool's arguments. */
export function argumentNames(schema: unknown): readonly string[] {
  const properties = isRecord(schema) ? own(schema, 'properties') : undefined;
  return isRecord(properties) ? Object.keys(properties) : [];
}

function sampleObject(schema: Json, depth: number, room: Room): Json {
  const properties = own(schema, 'properties');
  const required = own(schema, 'required');
  if (!isRecord(properties) || !Array.isArray(required)) return {};
  const names = required.filter((name): name is string => typeof name === 'string' && name !== '__proto__');
  return Object.fromEntries([...new Set(names)].map(name => [name, sample(own(properties, name), depth + 1, room)]));
}

interface Room {
  left: number;
}

function sample(schema: unknown, depth: number, room: Room): unknown {
  room.left -= 1;
  if (!isRecord(schema) || depth > deepest || room.left < 0) return 'example';
  for (const key of ['const', 'default']) if (Object.hasOwn(schema, key)) return schema[key];
  const listed = own(schema, 'enum') ?? own(schema, 'examples');
  if (Array.isArray(listed) && listed.length > 0) return listed[0];
  for (const key of ['oneOf', 'anyOf', 'allOf']) {
    const parts = own(schema, key);
    if (Array.isArray(parts) && parts.length > 0) return sample(parts[0], depth + 1, room);
  }
  const type = own(schema, 'type');
  switch (Array.isArray(type) ? type[0] : type) {
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return within(schema, 1);
    case 'array': {
      const least = own(schema, 'minItems');
      return Array.from({ length: typeof least === 'number' ? Math.min(least, 10) : 0 }, () =>
        sample(own(schema, 'items'), depth + 1, room),
      );
    }
    case 'object':
      return sampleObject(schema, depth, room);
    case 'null':
      return null;
    default:
      return text(schema);
  }
}

function text(schema: Json): string {
  const format = own(schema, 'format');
  const example = isTextFormat(format) ? textFormats[format].example : own(samples, String(format));
  const sample = typeof example === 'string' ? example : 'example';
  const [least, most] = [own(schema, 'minLength'), own(schema, 'maxLength')];
  const long = typeof least === 'number' ? sample.padEnd(Math.min(least, 1_000), 'x') : sample;
  return typeof most === 'number' && most >= 0 ? long.slice(0, most) : long;
}

function within(schema: Json, proposed: number): number {
  const [low, high] = [own(schema, 'minimum') ?? own(schema, 'exclusiveMinimum'), own(schema, 'maximum')];
  const least =
    typeof low === 'number' ? Math.max(proposed, low + (own(schema, 'minimum') === undefined ? 1 : 0)) : proposed;
  return typeof high === 'number' ? Math.min(least, high) : least;
}
