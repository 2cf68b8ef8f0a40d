/**
 * Whether two results say the same, apart from answers, numbers and dates. It says nothing about what a server did, only about
 * what it says, which is all that can be seen from outside. Pure.
 */
import type { LintAsk } from './lint-play.ts';
import type { PlayEnd, PlayTrace } from './lint-session.ts';

const gap = '◦';
const absent = /\b(undefined|null|NaN)\b|\[object Object\]|\{\s*\}/g;
const stamped = /\b\d{4}-\d\d-\d\d(T[\d:.]+Z?)?\b|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b[0-9a-f]{12,}\b|\b\d+([.,:]\d+)*\b/gi;

/** A result's words: the text blocks, else the structured content. */
export function wordsOf(end: PlayEnd): string {
  if (end.kind === 'error') return end.message;
  if (end.kind !== 'result') return '';
  const { content, structuredContent } = end.result;
  const blocks = Array.isArray(content) ? (content as { text?: unknown }[]) : [];
  const text = blocks.flatMap(block => (typeof block?.text === 'string' ? [block.text] : [])).join('\n');
  return text !== '' ? text : structuredContent === undefined ? '' : JSON.stringify(structuredContent);
}

/** True if the call ended with a result that is no error. */
export const succeeded = (end: PlayEnd): boolean => end.kind === 'result' && end.result['isError'] !== true;

/** True if both ended in the same way and say the same. */
export function sameCourse(one: PlayTrace, other: PlayTrace): boolean {
  const kinds = [one.end, other.end].map(end => (end.kind === 'result' ? `result ${succeeded(end)}` : end.kind));
  if (kinds[0] !== kinds[1] || !/^(result|error)/.test(kinds[0]!)) return false;
  const values = [...answered(one.asks), ...answered(other.asks)];
  return normal(wordsOf(one.end), values) === normal(wordsOf(other.end), values);
}

function normal(words: string, values: readonly string[]): string {
  let text = words.slice(0, 20_000);
  for (const value of values) text = text.replaceAll(value, gap);
  return text
    .replace(absent, gap)
    .replace(stamped, gap)
    .replace(/["'`“”‘’]?◦["'`“”‘’]?/g, gap)
    .replace(/(◦[\s,;]*)+/g, `${gap} `)
    .replace(/\s+/g, ' ')
    .trim();
}

/** What was answered, and the titles of the choices, longest first. */
function answered(asks: readonly LintAsk[]): readonly string[] {
  const values = asks.flatMap(({ reply, params }) => {
    const content = (reply['content'] ?? {}) as Record<string, unknown>;
    const values = Object.values(content).flatMap(value => (Array.isArray(value) ? value : [value]).map(String));
    const schema = JSON.stringify(params['requestedSchema'] ?? {});
    return values.flatMap(value => [value, ...titlesOf(schema, value)]);
  });
  return [...new Set(values)].filter(value => value.length > 1).sort((a, b) => b.length - a.length);
}

function titlesOf(schema: string, value: string): readonly string[] {
  const titles: string[] = [];
  JSON.parse(schema, (_, each: unknown) => {
    const { const: own, title } = (each ?? {}) as { const?: unknown; title?: unknown };
    if (own === value && typeof title === 'string') titles.push(title);
    return each;
  });
  return titles;
}

const refusal =
  /\b(not|no|nothing|never|cancel\w*|declin\w*|abort\w*|reject\w*|refus\w*|denied|dismiss\w*|kept|unchanged|without|skipp\w*|fail\w*|unable|cannot|can't|didn't|wasn't|unsupported|requires?|please|error|invalid|missing|confirm\w*)\b/i;
const deed =
  /\b(deleted|removed|dropped|sent|created|updated|overwritten|saved|published|deployed|paid|booked|purchased|moved|archived|done|succe\w+|completed)\b/i;

/** True if the words say that something was not done, or how to continue. */
export const tellsRefusal = (words: string): boolean => refusal.test(words);

/** True if the words say that something was done, and none say the opposite. */
export const tellsDeed = (words: string): boolean => deed.test(words) && !refusal.test(words);
