/**
 * The lists of a server, of which one bad entry would spoil the whole: the SDK refuses a list with any entry that its schemas do
 * not allow. Entries are mended where only one reading is possible, and left out and named where none is.
 */
import { isRecord, type JsonObject } from '@midcall/core/json';
import { type InterceptedTransport, interceptTransport, type JsonRpcMessage } from '@midcall/core/sdk-seam';
import { visible } from '@midcall/core/text';
import { specTypeSchemas } from '@modelcontextprotocol/client';

type Schema = (typeof specTypeSchemas)['Tool' | 'Prompt' | 'Resource' | 'ResourceTemplate'];

const lists: Readonly<Record<string, { readonly what: string; readonly schema: Schema }>> = {
  tools: { what: 'tool', schema: specTypeSchemas.Tool },
  prompts: { what: 'prompt', schema: specTypeSchemas.Prompt },
  resources: { what: 'resource', schema: specTypeSchemas.Resource },
  resourceTemplates: { what: 'resource template', schema: specTypeSchemas.ResourceTemplate },
};

/** The most entries that are named one by one. */
const mostNamed = 10;

/**
 * Mends the lists that arrive over a transport.
 * @param leftOut - told in one line of each entry that cannot be used
 * @returns the same transport
 */
export function mendLists<T extends InterceptedTransport>(transport: T, leftOut: (line: string) => void): T {
  interceptTransport(transport, { incoming: (message, deliver) => deliver(mended(message, leftOut)) });
  return transport;
}

/** The message, unchanged unless it is a list with an entry that the protocol does not allow. Exported for its tests. */
export function mended(message: JsonRpcMessage, leftOut: (line: string) => void): JsonRpcMessage {
  const { result } = message;
  if (!isRecord(result) || 'content' in result) return message;
  const name = Object.keys(lists).find(each => Array.isArray(result[each]));
  if (name === undefined) return message;
  const { what, schema } = lists[name]!;
  const before = result[name] as readonly unknown[];
  let lacking = 0;
  const after = before.flatMap(entry => {
    const usable = usableEntry(entry, schema);
    if ('entry' in usable) return [usable.entry];
    lacking += 1;
    if (lacking <= mostNamed) leftOut(`The ${what} ${nameOf(entry)} is left out: ${usable.why}.`);
    return [];
  });
  if (lacking > mostNamed) leftOut(`${lacking - mostNamed} more of the server's ${what}s are left out.`);
  const same = after.length === before.length && after.every((entry, at) => entry === before[at]);
  const { nextCursor, ...rest } = result;
  if (same && nextCursor !== null) return message;
  return { ...message, result: { ...rest, ...(typeof nextCursor === 'string' && { nextCursor }), [name]: after } };
}

function usableEntry(entry: unknown, schema: Schema): { readonly entry: unknown } | { readonly why: string } {
  if (problemOf(entry, schema) === undefined) return { entry };
  if (!isRecord(entry)) return { why: 'it is not an object' };
  const repaired = repair(entry, schema === specTypeSchemas.Tool);
  const why = problemOf(repaired, schema);
  return why === undefined ? { entry: repaired } : { why };
}

/** Drops members that are null, which stand for absent ones; a tool without an input schema takes no arguments. */
function repair(entry: JsonObject, isTool: boolean): JsonObject {
  const present = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
  if (!isTool) return present;
  const { inputSchema = {} } = present;
  const isTyped = !isRecord(inputSchema) || inputSchema['type'] !== undefined;
  return { ...present, inputSchema: isTyped ? inputSchema : { type: 'object', ...inputSchema } };
}

function problemOf(entry: unknown, schema: Schema): string | undefined {
  const result = schema['~standard'].validate(entry);
  const issues = 'then' in result ? undefined : result.issues;
  if (!issues?.[0]) return undefined;
  const [{ path = [], message }] = issues as [(typeof issues)[number]];
  const at = path.map(part => String(typeof part === 'object' ? part.key : part)).join('.');
  return visible(`${at || 'it'}: ${message}`, { max: 200 });
}

const nameOf = (entry: unknown): string => {
  const name = isRecord(entry) ? (entry['name'] ?? entry['uri']) : undefined;
  return typeof name === 'string' ? `'${visible(name, { max: 80 })}'` : 'without a name';
};
