/**
 * Carries results through the SDK unchanged. It knows a fixed set of content kinds, refuses a result with any other, in both
 * directions, and may cache a result to return it again. So the blocks of a result travel in a member that it does not check,
 * and are restored afterwards. Pure.
 */
import { isRecord } from './record.ts';

type Result = Readonly<Record<string, unknown>>;

const key = 'midcall/blocks';

/** The member with the blocks in the results of a tool, a prompt and a resource. */
const lists = ['content', 'messages', 'contents'] as const;

const isListOfRecords = (value: unknown): boolean => Array.isArray(value) && value.every(isRecord);

/**
 * A result as passed to the SDK.
 * @param others - members besides its blocks that the SDK is not to see
 */
export const blocksAside = (result: Result, others: readonly string[] = []): Result =>
  aside(result, [...lists.filter(name => isListOfRecords(result[name])), ...others]);

/**
 * A result of somebody else as passed to the SDK: parts that are not what the protocol has there pass as well, since whoever reads the
 * result can judge them.
 */
export function partsAside(result: Result): Result {
  const { isError = false } = result;
  const names = lists.filter(name => Object.hasOwn(result, name));
  return aside(result, typeof isError === 'boolean' ? names : [...names, 'isError']);
}

function aside(result: Result, names: readonly string[]): Result {
  const parts = Object.fromEntries(names.map(name => [name, result[name]]));
  const rest = Object.fromEntries(Object.entries(result).filter(([name]) => !names.includes(name)));
  const instead = Object.fromEntries(lists.filter(name => names.includes(name)).map(name => [name, []]));
  return { ...rest, ...instead, _meta: { ...(isRecord(result['_meta']) && result['_meta']), [key]: parts } };
}

/** The restored result, with everything the SDK left of it; a result without moved blocks is unchanged. */
export function blocksBack<T extends Result>(result: T): T {
  const moved = result['_meta'];
  if (!isRecord(moved) || !isRecord(moved[key])) return result;
  const { _meta: _, ...rest } = result;
  const { [key]: parts, ...others } = moved;
  return { ...rest, ...(parts as Result), ...(Object.keys(others).length > 0 && { _meta: others }) } as unknown as T;
}
