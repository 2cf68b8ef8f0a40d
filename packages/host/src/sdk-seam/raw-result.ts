/**
 * Takes a result through the SDK unchanged: the SDK is given one that fits every method in every revision, so that it neither
 * refuses, judges nor caches it, with the server's own in a member that it does not check. Pure.
 */
import { isRecord } from '@midcall/core/json';

type Result = Readonly<Record<string, unknown>>;

const key = 'midcall/result';

/** An error of a tool is not judged by its output schema. */
const fitting = { content: [], isError: true, messages: [], contents: [], ttlMs: 0, cacheScope: 'private' };

/** @param result - as the server sent it; one of a type that the SDK does not know is still refused */
export function rawResultAside(result: Result): Result {
  const { resultType = 'complete', ...raw } = result;
  return { resultType, ...fitting, _meta: { [key]: raw } };
}

/** The server's own result; undefined for one that went through the SDK as it is. */
export function rawResultBack({ _meta: meta }: Result): Result | undefined {
  const raw = isRecord(meta) ? meta[key] : undefined;
  return isRecord(raw) ? raw : undefined;
}
