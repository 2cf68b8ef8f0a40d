/**
 * A tool's arguments from words on the command line: one JSON object, or `key=value`, converted by the tool's input schema, or
 * `key:=json`, taken literally. Pure.
 */

import { isRecord, own } from '@midcall/core/json';
import { visible } from '@midcall/core/text';
import { usage } from './usage.ts';

/**
 * Parses the words.
 * @param schema - the tool's `inputSchema`; untrusted
 * @throws MidcallError `cli/usage`, naming the argument and never its value
 */
export function readToolArguments(words: readonly string[], schema: unknown): Readonly<Record<string, unknown>> {
  const [first] = words;
  const json = first?.trimStart().startsWith('{') === true;
  if (json && words.length > 1) throw usage('Give the arguments as one JSON object, or as key=value, not both.');
  return json ? readObject('The arguments are', first) : readPairs(words, schema);
}

/** @throws MidcallError `cli/usage` if a required argument is missing */
export function checkRequired(values: Readonly<Record<string, unknown>>, schema: unknown): void {
  const required = own(schema, 'required');
  const missing = (Array.isArray(required) ? required : []).filter(
    (name): name is string => typeof name === 'string' && !Object.hasOwn(values, name),
  );
  if (missing.length === 0) return;
  const names = missing.map(name => `'${visibleName(name)}'`).join(', ');
  throw usage(
    `The tool needs ${missing.length === 1 ? 'the argument' : 'the arguments'} ${names}. Nothing was sent. ` +
      `Write ${visibleName(missing[0]!)}=value after the tool's name, or all arguments as one JSON object.`,
  );
}

function readPairs(words: readonly string[], schema: unknown): Record<string, unknown> {
  const properties = own(schema, 'properties');
  const parameterNames = isRecord(properties) ? Object.keys(properties) : undefined;
  const entries = new Map<string, unknown>();
  for (const word of words) {
    const match = /^([^=:]+)(:?=)([\s\S]*)$/.exec(word);
    if (!match) throw usage(`'${word.slice(0, 40)}' is not key=value. Quote a value that contains spaces.`);
    const [, key, sign, value] = match as unknown as [string, string, string, string];
    if (parameterNames && !parameterNames.includes(key) && own(schema, 'additionalProperties') !== true)
      throw usage(
        `The tool has no argument '${key}'. It has: ${parameterNames.map(visibleName).join(', ') || 'none'}.`,
      );
    const property = isRecord(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
    const read =
      sign === ':='
        ? readJson(key, value, `:= takes JSON; for text, write ${key}=${value}`)
        : readArgument(key, value, property);
    const before = entries.get(key);
    const extendsList = Array.isArray(before) && Array.isArray(read);
    if (entries.has(key) && !extendsList) throw usage(`The argument '${key}' is given twice.`);
    entries.set(key, extendsList ? [...before, ...read] : read);
  }
  return Object.fromEntries(entries);
}

const visibleName = (name: string): string => visible(name, { max: 60 });

/** @param what - the beginning of the sentence that says what is wrong @throws MidcallError `cli/usage` */
export function readObject(what: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usage(`${what} not JSON.`);
  }
  if (!isRecord(value)) throw usage(`${what} not a JSON object.`);
  return value;
}

/** Converts the text of one argument. @param property - its part of the schema @throws MidcallError `cli/usage` */
export function readArgument(key: string, text: string, property: unknown): unknown {
  const type = typeOf(property);
  switch (type) {
    case 'string':
      return text;
    case 'integer':
    case 'number': {
      const value = text.trim() === '' ? Number.NaN : Number(text);
      if (!Number.isFinite(value) || (type === 'integer' && !Number.isInteger(value)))
        throw usage(`The argument '${key}' must be a ${type === 'integer' ? 'whole number' : 'number'}.`);
      return value;
    }
    case 'boolean':
      if (/^(true|yes|on|1)$/i.test(text)) return true;
      if (/^(false|no|off|0)$/i.test(text)) return false;
      throw usage(`The argument '${key}' must be true or false.`);
    case 'array':
      if (text.trimStart().startsWith('[')) return readJson(key, text);
      return [readArgument(key, text, own(property, 'items'))];
    case 'object':
      return readJson(key, text);
    case 'null':
      return null;
    default:
      return /^(true|false|null|-?\d+(\.\d+)?([eE][+-]?\d+)?|[[{"][\s\S]*)$/.test(text) ? jsonOr(text) : text;
  }
}

/** The type a property asks for; for a nullable one, the other type. */
export function typeOf(property: unknown): unknown {
  const type = own(property, 'type');
  if (Array.isArray(type)) return type.find(each => each !== 'null');
  if (type === undefined && Array.isArray(own(property, 'enum'))) return 'string';
  return type;
}

/** @param hint - a further sentence for the person, without its full stop */
function readJson(key: string, text: string, hint?: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usage(`The argument '${key}' is not JSON.${hint === undefined ? '' : ` ${hint}.`}`);
  }
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
