/**
 * The lists of a server, of which one bad entry would spoil the whole: the SDK refuses a list with any entry that its schemas do
 * not allow, and one that does not end. Entries are mended where only one reading is possible, and lose members that they can do
 * without; what cannot be used is left out and named. A list that goes on and on is cut off.
 */
import { hash } from 'node:crypto';
import { isRecord, type JsonObject, nests, own } from '@midcall/core/json';
import { type InterceptedTransport, interceptTransport, type JsonRpcMessage } from '@midcall/core/sdk-seam';
import { visible } from '@midcall/core/text';
import { specTypeSchemas } from '@modelcontextprotocol/client';
import { type Era, resultsHaveTypes } from '../base/index.ts';
import { mostLevels } from './unread-messages.ts';

type Schema = (typeof specTypeSchemas)['Tool' | 'Prompt' | 'Resource' | 'ResourceTemplate'];

const lists: Readonly<Record<string, { readonly what: string; readonly schema: Schema }>> = {
  tools: { what: 'tool', schema: specTypeSchemas.Tool },
  prompts: { what: 'prompt', schema: specTypeSchemas.Prompt },
  resources: { what: 'resource', schema: specTypeSchemas.Resource },
  resourceTemplates: { what: 'resource template', schema: specTypeSchemas.ResourceTemplate },
};

/** The most entries that are named one by one. */
const mostNamed = 10;

/** How lists are mended. */
export interface MendOptions {
  /** Told in one line of each entry, or part of one, that cannot be used. */
  readonly leftOut: (line: string) => void;
  /** The rules of the connection, as far as they are known. */
  readonly era: () => Era;
}

/**
 * Mends the lists that arrive over a transport.
 * @returns the same transport
 */
export function mendLists<T extends InterceptedTransport>(transport: T, options: MendOptions): T {
  const pages = new ListPages(options.leftOut);
  interceptTransport(transport, {
    outgoing: (message, send) => {
      pages.asked(message);
      return send(message);
    },
    // What nests too deeply is not read; see unread-messages.ts.
    incoming: (message, deliver) =>
      deliver(nests(message, mostLevels) ? message : mended(pages.answered(message), options)),
  });
  return transport;
}

/** The message, unchanged unless it is a list with something that the protocol does not allow. Exported for its tests. */
export function mended(message: JsonRpcMessage, { leftOut, era }: MendOptions): JsonRpcMessage {
  const { result } = message;
  if (!isRecord(result) || 'content' in result) return message;
  const name = Object.keys(lists).find(each => Array.isArray(result[each]));
  const isTyped = resultsHaveTypes(era());
  const whole = isTyped && (name !== undefined || Array.isArray(result['contents'])) ? cacheable(result) : result;
  if (name === undefined) return whole === result ? message : { ...message, result: whole };
  const { what, schema } = lists[name]!;
  const before = result[name] as readonly unknown[];
  let lacking = 0;
  const lacks = (line: string): void => {
    lacking += 1;
    if (lacking <= mostNamed) leftOut(line);
  };
  const after = before.flatMap(entry => {
    const usable = usableEntry(entry, schema, isTyped);
    if (!('entry' in usable)) {
      lacks(`The ${what} ${nameOf(entry)} is left out: ${usable.why}.`);
      return [];
    }
    for (const why of usable.without) lacks(`A part of the ${what} ${nameOf(entry)} is left out: ${why}.`);
    return [usable.entry];
  });
  if (lacking > mostNamed)
    leftOut(`${lacking - mostNamed} more of the server's ${what}s are left out, or parts of them.`);
  const same = whole === result && after.length === before.length && after.every((entry, at) => entry === before[at]);
  const { nextCursor, ...rest } = whole;
  const isPaged = typeof nextCursor === 'string';
  if (!isPaged && nextCursor !== undefined && nextCursor !== null)
    leftOut(`The list of ${what}s is cut off: its cursor is no text.`);
  if (same && (isPaged || nextCursor === undefined)) return message;
  return { ...message, result: { ...rest, ...(isPaged && { nextCursor }), [name]: after } };
}

/** A result with what 2026-07-28 demands beside its entries: one that does not say how long it may be kept is not kept. */
function cacheable(result: JsonObject): JsonObject {
  const { resultType, ttlMs, cacheScope } = result;
  const isTyped = resultType !== undefined && resultType !== null;
  const isTimed = Number.isSafeInteger(ttlMs) && (ttlMs as number) >= 0;
  const isScoped = cacheScope === 'public' || cacheScope === 'private';
  if (isTyped && isTimed && isScoped) return result;
  const missing = {
    ...(!isTyped && { resultType: 'complete' }),
    ...(!isTimed && { ttlMs: 0 }),
    ...(!isScoped && { cacheScope: 'private' }),
  };
  return { ...result, ...missing };
}

/** What no entry can do without. */
const needed: ReadonlySet<string> = new Set(['name', 'inputSchema', 'uri', 'uriTemplate']);

/** @returns the entry, and what of it cannot be used; or why all of it cannot */
function usableEntry(
  entry: unknown,
  schema: Schema,
  isTyped: boolean,
): { readonly entry: unknown; readonly without: readonly string[] } | { readonly why: string } {
  if (problemOf(entry, schema, isTyped) === undefined) return { entry, without: [] };
  if (!isRecord(entry)) return { why: 'it is not an object' };
  const without: string[] = [];
  let repaired = repair(entry, schema === specTypeSchemas.Tool, isTyped);
  for (;;) {
    const problem = problemOf(repaired, schema, isTyped);
    if (!problem) return { entry: repaired, without };
    const { member, why } = problem;
    if (member === undefined || needed.has(member) || !Object.hasOwn(repaired, member)) return { why };
    without.push(why);
    const { [member]: _, ...others } = repaired;
    repaired = others;
  }
}

/**
 * Drops members that are null, which stand for absent ones. A tool without an input schema takes no arguments, and a resource without a
 * name is called by its address.
 */
function repair(entry: JsonObject, isTool: boolean, isTyped: boolean): JsonObject {
  const present = Object.fromEntries(
    Object.entries(entry).flatMap(([member, value]) =>
      value === null ? [] : [[member, asSent.has(member) ? value : withoutNulls(value)]],
    ),
  );
  const { name = present['uri'] ?? present['uriTemplate'] } = present;
  if (!isTool) return name === undefined ? present : { ...present, name };
  const { inputSchema = {}, outputSchema } = present;
  // Before 2026-07-28, structured content is always an object.
  const isOfObject = !isTyped && outputSchema !== undefined;
  return {
    ...present,
    inputSchema: ofObject(inputSchema),
    ...(isOfObject && { outputSchema: ofObject(outputSchema) }),
  };
}

/** Members in which null may be a value. */
const asSent: ReadonlySet<string> = new Set(['inputSchema', 'outputSchema', '_meta']);

/** A value without the members in it that are null. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const present = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(present.map(([name, each]) => [name, withoutNulls(each)]));
}

/** A schema without a type, as that of an object; null stands for no properties, and for none that are required. */
function ofObject(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const { type = 'object', properties, required, ...others } = schema;
  return {
    type,
    ...others,
    ...(properties !== undefined && properties !== null && { properties }),
    ...(required !== undefined && required !== null && { required }),
  };
}

interface Problem {
  /** Which member of the entry it is about. */
  readonly member: string | undefined;
  readonly why: string;
}

function problemOf(entry: unknown, schema: Schema, isTyped: boolean): Problem | undefined {
  const problem = firstProblem(entry, schema);
  const output = own(entry, 'outputSchema');
  if (problem || isTyped || schema !== specTypeSchemas.Tool || output === undefined) return problem;
  // The schema is that of 2026-07-28; before, what is demanded of an input schema is demanded of this one.
  const ofOutput = firstProblem({ name: '', inputSchema: output }, schema);
  return ofOutput && { member: 'outputSchema', why: ofOutput.why.replace('inputSchema', 'outputSchema') };
}

function firstProblem(entry: unknown, schema: Schema): Problem | undefined {
  const result = schema['~standard'].validate(entry);
  const issues = 'then' in result ? undefined : result.issues;
  if (!issues?.[0]) return undefined;
  const [{ path = [], message }] = issues as [(typeof issues)[number]];
  const parts = path.map(part => String(typeof part === 'object' ? part.key : part));
  return { member: parts[0], why: visible(`${parts.join('.') || 'it'}: ${message}`, { max: 200 }) };
}

const nameOf = (entry: unknown): string => {
  const name = isRecord(entry) ? (entry['name'] ?? entry['uri']) : undefined;
  return typeof name === 'string' ? `'${visible(name, { max: 80 })}'` : 'without a name';
};

/** The methods of lists, and what each is a list of. */
const methods: Readonly<Record<string, keyof typeof lists>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};

/** The most pages of a list that are read. */
const mostPages = 200;

/** The most cursors that are remembered; without what led to one, the count of pages begins again. */
const mostCursors = 10 * mostPages;

/** So that a server does not choose how much is remembered. */
const digestOf = (value: unknown): string => hash('sha256', String(JSON.stringify(value)), 'base64url');

/** A page that was asked for. */
interface Page {
  readonly method: string;
  /** The digests of the cursors that led to it, its own last. */
  readonly cursors: readonly string[];
  /** The digests of the entries of the pages before it. */
  readonly pages: readonly string[];
}

/**
 * Ends the lists that the SDK reads page by page and that would not end. Those who forward requests see each page as it is, and ask
 * for the next themselves.
 */
class ListPages {
  readonly #leftOut: (line: string) => void;
  /** By the ids of their requests. */
  readonly #asked = new Map<unknown, Page>();
  /** What led to a cursor, by method and the digest of the cursor. */
  readonly #next = new Map<string, Omit<Page, 'method'>>();

  constructor(leftOut: (line: string) => void) {
    this.#leftOut = leftOut;
  }

  asked({ id, method, params }: JsonRpcMessage): void {
    // The ids of the SDK are numbers.
    if (typeof id !== 'number' || typeof method !== 'string' || !Object.hasOwn(methods, method)) return;
    const cursor = own(params, 'cursor');
    if (typeof cursor !== 'string') {
      this.#asked.set(id, { method, cursors: [], pages: [] });
      return;
    }
    const digest = digestOf(cursor);
    const { cursors = [], pages = [] } = this.#next.get(`${method} ${digest}`) ?? {};
    this.#asked.set(id, { method, cursors: [...cursors, digest], pages });
  }

  answered(message: JsonRpcMessage): JsonRpcMessage {
    const { id, method } = message;
    const page = method === undefined ? this.#asked.get(id) : undefined;
    if (!page) return message;
    this.#asked.delete(id);
    const name = methods[page.method]!;
    // Some languages write a list without entries so.
    const isNull = own(message['result'], name) === null;
    const read = isNull ? { ...message, result: { ...(message['result'] as JsonObject), [name]: [] } } : message;
    const { result } = read;
    const cursor = own(result, 'nextCursor');
    if (!isRecord(result) || typeof cursor !== 'string') return read;
    const entries = digestOf(result[name]);
    const next = digestOf(cursor);
    // Either alone may be of a list that ends: one cursor for a place that the server remembers, and pages on which nothing is.
    const comesAgain = page.cursors.includes(next) && page.pages.includes(entries);
    if (!comesAgain && page.pages.length + 1 < mostPages) {
      if (this.#next.size >= mostCursors) this.#next.clear();
      this.#next.set(`${page.method} ${next}`, { cursors: page.cursors, pages: [...page.pages, entries] });
      return read;
    }
    const why = comesAgain ? 'its pages come again' : `more than ${mostPages} pages are not read`;
    this.#leftOut(`The list of ${lists[name]!.what}s is cut off: ${why}.`);
    const { nextCursor: _, ...rest } = result;
    return { ...message, result: { ...rest, ...(comesAgain && { [name]: [] }) } };
  }
}
