/** What the designer knows about a tool, read from what its server lists; everything in it is foreign text. Pure. */

import { type Secret, secretIn } from '@midcall/core/form';
import { isRecord } from '@midcall/core/json';
import type { Tool } from '@modelcontextprotocol/client';
import { designWords, hasWord, nameWords } from './procedure.ts';

type Json = Readonly<Record<string, unknown>>;

/** One argument. */
export interface ArgumentFacts {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Json;
  readonly secret?: Secret;
  /** An object, or a list of objects. */
  readonly nested: boolean;
  /** Its words can match several things. */
  readonly ambiguous: boolean;
}

/** One tool. */
export interface ToolFacts {
  readonly name: string;
  readonly description: string;
  readonly args: readonly ArgumentFacts[];
  readonly inputSchema: Json;
  readonly annotations: Readonly<Record<string, unknown>>;
  /** The word of its name that says what it does, such as `delete`. */
  readonly verb: string;
  /** What it acts on, in the singular, such as `note`. */
  readonly noun: string;
}

const verbs = `${designWords.reads} ${designWords.destroys} ${designWords.sends} create update write add set move rename restore`;

/** Words of a name that are not nouns. */
const notNouns = 'many all one bulk batch by my the a in from to';

/** Reads a tool as `tools/list` gives it. */
export function toolFacts(tool: Tool): ToolFacts {
  const inputSchema = tool.inputSchema as Json;
  const properties = isRecord(inputSchema['properties']) ? inputSchema['properties'] : {};
  const required = Array.isArray(inputSchema['required']) ? inputSchema['required'] : [];
  const words = nameWords(tool.name);
  const verb = words.find(word => hasWord(word, verbs)) ?? words.at(-1) ?? 'act';
  const rest = words.filter(word => word !== verb && !hasWord(word, notNouns));
  return {
    name: tool.name,
    description: tool.description ?? '',
    args: Object.entries(properties)
      .filter(([name]) => name !== '__proto__')
      .map(([name, schema]) => argument(name, isRecord(schema) ? schema : {}, required.includes(name))),
    inputSchema,
    annotations: { ...tool.annotations },
    verb,
    noun: singular(rest.at(-1) ?? 'item'),
  };
}

function argument(name: string, schema: Json, required: boolean): ArgumentFacts {
  const { title, description, type, items } = schema;
  const secret = secretIn({
    name,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    kind: type === 'boolean' ? 'boolean' : Array.isArray(schema['enum']) ? 'select' : 'text',
  });
  const textual = type === 'string' && schema['enum'] === undefined && schema['format'] === undefined;
  const nested = type === 'object' || (type === 'array' && isRecord(items) && items['type'] === 'object');
  return {
    name,
    required,
    schema,
    ...(secret && { secret }),
    nested,
    ambiguous: textual && hasWord(name, designWords.ambiguous),
  };
}

const singular = (word: string): string =>
  word.endsWith('ies') ? `${word.slice(0, -3)}y` : /[^s]s$/.test(word) ? word.slice(0, -1) : word;

/** The plural of a noun. */
export const plural = (noun: string): string =>
  /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : /(s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;

/** With a capital first letter. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `delete` becomes `deleted`. */
export function past(verb: string): string {
  const irregular: Readonly<Record<string, string>> = {
    send: 'sent',
    pay: 'paid',
    buy: 'bought',
    run: 'run',
    reset: 'reset',
    set: 'set',
    overwrite: 'overwritten',
    write: 'written',
    drop: 'dropped',
    submit: 'submitted',
    cancel: 'cancelled',
    find: 'found',
    transfer: 'transferred',
  };
  return irregular[verb] ?? (verb.endsWith('e') ? `${verb}d` : `${verb}ed`);
}

/**
 * The effect of a yes, from the first sentence of the description: `Moves the note … to the trash` gives `Move it to the
 * trash`.
 */
export function deed({ description, verb, noun }: ToolFacts): string {
  const [first = ''] = description.split(/[.;,]/);
  const match = /^(\p{L}+?)e?s\s+(?:the|a|an)\s+\p{L}+\b.*?\b(to|into|from)\s+(the|your)\s+(\p{L}+)/u.exec(
    first.trim(),
  );
  if (!match) return `${capital(verb)} the ${noun}`;
  const [, stem, way, article, place] = match as unknown as [string, string, string, string, string];
  const full = /(v|c|t|g|[^s]s)$/.test(stem) && first.trim().startsWith(`${stem}es`) ? `${stem}e` : stem;
  return `${full} it ${way} ${article} ${place}`;
}
