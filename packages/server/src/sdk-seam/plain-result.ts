/** Recognizes tool results that need no schema: texts and structured content. Pure. */
import { isRecord } from '@midcall/core/json';

/** True for a result that the SDK sends unchanged; it may refuse any other, or remove parts of it. */
export function isPlainResult(result: unknown): boolean {
  if (!isRecord(result) || !Array.isArray(result['content'])) return false;
  for (const member in result) if (!members.has(member)) return false;
  const { isError, structuredContent } = result;
  if (isError === undefined ? 'isError' in result : typeof isError !== 'boolean') return false;
  if (structuredContent === undefined ? 'structuredContent' in result : !isPlainRecord(structuredContent)) return false;
  for (const block of result['content']) {
    if (!isRecord(block) || block['type'] !== 'text' || typeof block['text'] !== 'string') return false;
    for (const member in block) if (member !== 'type' && member !== 'text') return false;
  }
  return true;
}

const members = new Set(['content', 'isError', 'structuredContent']);

/** An instance of a class may be more, or less, than its members. */
function isPlainRecord(value: unknown): boolean {
  if (!isRecord(value) || Object.hasOwn(value, '__proto__')) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.getOwnPropertySymbols(value).length === 0;
}
