/** A call's arguments as a table that a person can judge: made from the values alone, with secrets masked. Pure. */
import { capitalized } from '@midcall/core/text';
import { maskedArguments } from './secrets.ts';

/** One argument. */
export type ArgumentRow = { readonly label: string } & (
  | { readonly shows: 'value' | 'text' | 'diff'; readonly text: string }
  /** Two arguments, of which one takes the place of the other. */
  | { readonly shows: 'change'; readonly before: string; readonly after: string }
);

/** A text of more characters than this is shown on lines of its own. */
const longValue = 80;

/**
 * The rows, in the order of the arguments.
 * @param labels - the operator's words, by the names of arguments
 * @example
 * ```ts
 * argumentRows({ path: '/srv/site', recursive: true }); // [{ label: 'path', shows: 'value', text: '/srv/site' }, …]
 * ```
 */
export function argumentRows(
  all: Readonly<Record<string, unknown>>,
  labels: Readonly<Record<string, string>> = {},
): readonly ArgumentRow[] {
  const masked = maskedArguments(all);
  const labelOf = (name: string): string => (Object.hasOwn(labels, name) ? labels[name]! : name);
  const textAt = (name: string | undefined): string | undefined => {
    const value = name !== undefined && Object.hasOwn(masked, name) ? masked[name] : undefined;
    return typeof value === 'string' ? value : undefined;
  };
  const later = new Set(
    Object.keys(masked).flatMap(name => (textAt(name) === undefined ? [] : (nameAfter(name) ?? []))),
  );
  return Object.entries(masked).flatMap(([name, value]): readonly ArgumentRow[] => {
    const label = labelOf(name);
    const [before, after] = [textAt(name), textAt(nameAfter(name))];
    if (before !== undefined && after !== undefined)
      return [{ label: `${label} → ${labelOf(nameAfter(name)!)}`, shows: 'change', before, after }];
    if (later.has(name) && textAt(name) !== undefined) return [];
    if (before === undefined) return [{ label, shows: isDeep(value) ? 'text' : 'value', text: written(value) }];
    if (isDiff(before)) return [{ label, shows: 'diff', text: before }];
    return [{ label, shows: before.includes('\n') || before.length > longValue ? 'text' : 'value', text: before }];
  });
}

/** The name of the argument that takes the place of this one, such as `newText` for `oldText`. */
function nameAfter(name: string): string | undefined {
  const words = /^(old|before)(.*)$/is.exec(name);
  if (!words) return undefined;
  const [, first = '', rest = ''] = words;
  const other = { old: 'new', before: 'after' }[first.toLowerCase()] ?? '';
  return (first[0] === first[0]?.toUpperCase() ? capitalized(other) : other) + rest;
}

const isDeep = (value: unknown): boolean => typeof value === 'object' && value !== null;

const written = (value: unknown): string => JSON.stringify(value, null, isDeep(value) ? 2 : 0) ?? 'undefined';

/** True for a unified diff. */
const isDiff = (text: string): boolean => /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m.test(text) && /^[+-]/m.test(text);
