/** What the SDK is given in place of what it would refuse, judge or cache, so that the original passes it unchanged. Pure. */
import { isRecord } from '@midcall/core/json';

/**
 * What the SDK is given in place of a form or a URL, and in place of its answer; see {@link Tap}. Each question must be one that
 * the SDK passes to the handler unchanged, in every revision, if its mode is declared. The answer must be allowed in every
 * revision; it is the one that claims least.
 */
export const placeholders = {
  form: { mode: 'form', message: '', requestedSchema: { type: 'object', properties: {} } },
  url: { mode: 'url', message: '', elicitationId: 'placeholder', url: 'https://midcall.invalid/' },
  answer: { action: 'cancel' },
} as const;

type Result = Readonly<Record<string, unknown>>;

const key = 'midcall/result';

/** An error of a tool is not judged by its output schema. */
const fitting = { content: [], isError: true, messages: [], contents: [], ttlMs: 0, cacheScope: 'private' };

/**
 * Takes a result through the SDK: the SDK is given one that fits every method in every revision, with the server's own in a member
 * that it does not check.
 * @param result - as the server sent it; one of a type that the SDK does not know is still refused
 */
export function rawResultAside(result: Result): Result {
  const { resultType = 'complete', ...raw } = result;
  return { resultType, ...fitting, _meta: { [key]: raw } };
}

/** The server's own result; undefined for one that went through the SDK as it is. */
export function rawResultBack({ _meta: meta }: Result): Result | undefined {
  const raw = isRecord(meta) ? meta[key] : undefined;
  return isRecord(raw) ? raw : undefined;
}
