/** Asks in the terminal for a tool's arguments that are missing on the command line. */
import { isMidcallError } from '@midcall/core/errors';
import { isTextFormat, textFormats } from '@midcall/core/form';
import { isRecord, own } from '@midcall/core/json';
import { checkArgument } from '@midcall/core/json-schema';
import { maskedArguments, secretNames } from '@midcall/host';
import type { Terminal } from '@midcall/host/terminal';
import { readArgument, typeOf } from './tool-arguments.ts';

/** An argument as in the tool's schema; untrusted. */
export interface Argument {
  readonly kind: 'argument';
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required: boolean;
  readonly schema: unknown;
  /** The tool's whole schema, which that of the argument may refer to. */
  readonly root: unknown;
}

/** The arguments of a tool, in the order of its schema. */
export function argumentsOf(inputSchema: unknown): readonly Argument[] {
  const properties = own(inputSchema, 'properties');
  const required = own(inputSchema, 'required');
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => {
    const [title, description] = [text(own(schema, 'title')), text(own(schema, 'description'))];
    return {
      kind: 'argument',
      name,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      required: Array.isArray(required) && required.includes(name),
      schema,
      root: inputSchema,
    };
  });
}

type ArgumentValues = Readonly<Record<string, unknown>>;

/** Types whose values are typed as JSON, which is shown. */
const jsonTypes: readonly unknown[] = ['array', 'object'];

/** How arguments are asked for. */
interface AskOptions {
  /** True if the person may fill in the optional ones, too. */
  readonly optional: boolean;
  /** Earlier values, by argument, newest first. */
  readonly earlier: ReadonlyMap<string, readonly string[]>;
  /** Fires when no call can be made any more; the prompt that is open then must be ended, too. */
  readonly over: AbortSignal;
}

/**
 * Asks for every required argument that is missing; then, if `optional` is true, lets the person fill in the others.
 * @returns undefined if the person left, or it was over; what had been entered is written out then
 */
export async function askArguments(
  terminal: Terminal,
  all: readonly Argument[],
  start: ArgumentValues,
  { optional, earlier, over }: AskOptions,
): Promise<ArgumentValues | undefined> {
  const secrets = secretNames(
    all.map(each => ({ ...each, kind: jsonTypes.includes(typeOf(each.schema)) ? 'json' : 'text' })),
  );
  const ask = (argument: Argument, values: ArgumentValues) =>
    askOne(terminal, argument, values, { secret: secrets.has(argument.name), earlier });
  let entered = start;
  const leave = (): undefined => void terminal.say(notSent(start, entered, secrets));
  for (const argument of all.filter(({ name, required }) => required && !Object.hasOwn(start, name))) {
    const next = over.aborted ? undefined : await ask(argument, entered);
    if (next === undefined) return leave();
    entered = next;
  }
  const rest = all.filter(({ required }) => !required);
  if (!optional || rest.length === 0) return entered;
  for (;;) {
    if (over.aborted) return leave();
    const chosen = await terminal.choose({
      message: 'Call it, or fill in more?',
      choices: [
        { value: call, label: 'Call it' },
        ...rest.map(({ name }, at) => ({ value: String(at), label: name, hint: hintOf(entered, name, secrets) })),
      ],
      initial: call,
    });
    if (chosen === undefined) return leave();
    if (chosen === call) return entered;
    entered = (await ask(rest[Number(chosen)]!, entered)) ?? entered;
  }
}

const call = 'call';

function hintOf(values: ArgumentValues, name: string, secrets: ReadonlySet<string>): string {
  if (!Object.hasOwn(values, name)) return 'optional';
  if (secrets.has(name)) return 'given';
  return JSON.stringify(maskedArguments({ [name]: values[name] })[name]);
}

/** What was entered, to be copied. */
function notSent(start: ArgumentValues, entered: ArgumentValues, secrets: ReadonlySet<string>): readonly string[] {
  const lines = Object.keys(entered)
    .filter(name => entered[name] !== start[name])
    .map(name => `  ${name}: ${hintOf(entered, name, secrets)}`);
  return lines.length === 0 ? [] : ['Not sent. You had entered:', ...lines];
}

/** Types whose values are not typed as plain text. */
const notations: ReadonlyMap<unknown, string> = new Map([
  ['array', 'a JSON list, or one item'],
  ['object', 'a JSON object'],
  ['integer', 'a whole number'],
  ['number', 'a number'],
]);

function notationOf(schema: unknown): string | undefined {
  if (typeOf(schema) !== 'string') return notations.get(typeOf(schema));
  const format = own(schema, 'format');
  return isTextFormat(format) ? textFormats[format].notation : undefined;
}

/** @returns the arguments with this one, which is left out if nothing is typed; undefined if the person left */
async function askOne(
  terminal: Terminal,
  argument: Argument,
  values: ArgumentValues,
  { secret, earlier }: { readonly secret: boolean; readonly earlier: ReadonlyMap<string, readonly string[]> },
): Promise<ArgumentValues | undefined> {
  const { name, title, description, required, schema } = argument;
  const notation = notationOf(schema);
  const rules = [required ? 'required' : 'optional', ...(notation === undefined ? [] : [notation])].join(', ');
  const about = description ?? title;
  const message = `${name} (${rules})${about === undefined ? '' : ` — ${about}`}`;
  const { [name]: _, ...others } = values;
  const listed = own(schema, 'enum');
  const choices =
    Array.isArray(listed) && listed.every(each => typeof each === 'string') ? listed : booleans(typeOf(schema));
  if (choices) {
    const none = required ? [] : [{ value: '', label: '(leave it out)' }];
    const options = choices.map((value, at) => ({ value: String(at), label: value }));
    const chosen = await terminal.choose({ message, choices: [...options, ...none] });
    if (chosen === undefined) return undefined;
    return chosen === '' ? others : { ...others, [name]: readArgument(name, choices[Number(chosen)]!, schema) };
  }
  const before = values[name];
  const initial = typeof before === 'string' ? before : before === undefined ? undefined : JSON.stringify(before);
  const typed = await terminal.ask({
    message,
    secret,
    earlier: earlier.get(name) ?? [],
    ...(initial !== undefined && { initial }),
    validate: text => wrongWith(argument, text),
  });
  if (typed === undefined) return undefined;
  return typed === '' && !required ? others : { ...others, [name]: readArgument(name, typed, schema) };
}

const booleans = (type: unknown): readonly string[] | undefined => (type === 'boolean' ? ['true', 'false'] : undefined);

/** What is wrong with a text; an argument that may be left out is, if nothing is typed. */
function wrongWith(argument: Argument, text: string): string | undefined {
  const { name, required, schema } = argument;
  if (text === '' && (!required || typeOf(schema) !== 'string')) return checkArgument(argument, undefined)?.message;
  try {
    return checkArgument(argument, readArgument(name, text, schema))?.message;
  } catch (error) {
    if (!isMidcallError(error, 'cli/usage')) throw error;
    return error.message;
  }
}
