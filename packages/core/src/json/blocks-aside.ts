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

/** A result as passed to the SDK. */
export function blocksAside(result: Result): Result {
  const listNames = lists.filter(name => isListOfRecords(result[name]));
  const empty = Object.fromEntries(listNames.map(name => [name, []]));
  const aside = Object.fromEntries(listNames.map(name => [name, result[name]]));
  return { ...result, ...empty, _meta: { ...(isRecord(result['_meta']) && result['_meta']), [key]: aside } };
}

/** The restored result, with everything the SDK left of it; a result without moved blocks is unchanged. */
export function blocksBack<T extends Result>(result: T): T {
  const moved = result['_meta'];
  if (!isRecord(moved) || !isRecord(moved[key])) return result;
  const { _meta: _, ...rest } = result;
  const { [key]: aside, ...others } = moved;
  return { ...rest, ...(aside as Result), ...(Object.keys(others).length > 0 && { _meta: others }) } as unknown as T;
}
