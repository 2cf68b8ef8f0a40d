/**
 * Results past the SDK, whole. It knows a fixed set of content kinds, refuses a result with any other, in both directions,
 * and may keep a result to give it again. So the blocks of a result travel where it looks at nothing, and are put back
 * behind it. Pure.
 */
import { isRecord } from './record.ts';

type Result = Readonly<Record<string, unknown>>;

const key = 'midcall/blocks';

/** Where the results of a tool, a prompt and a resource have their blocks. */
const lists = ['content', 'messages', 'contents'] as const;

const isListOfRecords = (value: unknown): boolean => Array.isArray(value) && value.every(isRecord);

/** A result as the SDK is given it. */
export function blocksAside(result: Result): Result {
  const listNames = lists.filter(name => isListOfRecords(result[name]));
  const empty = Object.fromEntries(listNames.map(name => [name, []]));
  const aside = Object.fromEntries(listNames.map(name => [name, result[name]]));
  return { ...result, ...empty, _meta: { ...(isRecord(result['_meta']) && result['_meta']), [key]: aside } };
}

/** The result restored, with everything the SDK left of it; one without blocks aside stays as it is. */
export function blocksBack<T extends Result>(result: T): T {
  const { _meta, ...rest } = result;
  if (!isRecord(_meta) || !isRecord(_meta[key])) return result;
  const { [key]: aside, ...others } = _meta;
  return { ...rest, ...(aside as Result), ...(Object.keys(others).length > 0 && { _meta: others }) } as unknown as T;
}
