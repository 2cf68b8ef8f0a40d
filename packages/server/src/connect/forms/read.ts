/**
 * Converts a posted form to its value. Pure.
 *
 * - form-read-F1 Only questions of the definition are read, and of those only the ones that apply; anything else that was
 *   posted is ignored.
 * - form-read-F2 A value is checked by the same rules as any other answer.
 */
import { parseTextual } from '@midcall/core/form';
import type { Json } from '../../base/index.ts';
import type { Sent } from '../pages/page.ts';
import { fieldOf, type Item, type Items, mostEntries } from './item.ts';

/** The result of reading: the valid part of the value, and the errors, by path. */
export interface Reading {
  readonly value: { readonly [name: string]: Json };
  readonly issues: ReadonlyMap<string, string>;
  /** Paths of every question that applied, in order. */
  readonly applied: readonly string[];
}

export const at = (prefix: string, name: string | number): string => (prefix === '' ? `${name}` : `${prefix}.${name}`);
/** The hidden input with the number of entries of a list. */
export const countOf = (path: string): string => `${path}.count`;

/** The number of entries of a list, as posted. */
export function entries(path: string, item: { readonly min?: number; readonly max?: number }, sent: Sent): number {
  const posted = Number(sent.get(countOf(path))?.at(-1) ?? item.min ?? 0);
  if (!Number.isSafeInteger(posted)) return item.min ?? 0;
  return Math.max(0, Math.min(posted, item.max ?? mostEntries));
}

/** True if a question applies, given its sibling's answer. */
export function applies(item: Item, prefix: string, sent: Sent): boolean {
  if (!item.when) return true;
  const sentValue = sent.get(at(prefix, item.when.field))?.at(-1) ?? '';
  const { is } = item.when;
  if (typeof is === 'boolean') return sentValue === String(is);
  return typeof is === 'string' ? sentValue === is : is.includes(sentValue);
}

export function readItems(items: Items, sent: Sent): Reading {
  const issues = new Map<string, string>();
  const applied: string[] = [];
  const read = (group: Items, prefix: string): { [name: string]: Json } => {
    const value: { [name: string]: Json } = {};
    for (const [name, item] of Object.entries(group)) {
      if (!applies(item, prefix, sent)) continue;
      const path = at(prefix, name);
      applied.push(path);
      if (item.kind === 'group') value[name] = read(item.items, path);
      else if (item.kind === 'list') {
        const count = entries(path, item, sent);
        if (count < (item.min ?? 0))
          issues.set(path, `${item.label} needs at least ${item.min === 1 ? '1 entry' : `${item.min} entries`}.`);
        value[name] = Array.from({ length: count }, (_, index) => read(item.items, at(path, index)));
      } else {
        const parsed = parseTextual(fieldOf(path, item), sent.get(path));
        if (!parsed.ok) issues.set(path, parsed.issue.message);
        else if (parsed.value !== undefined) value[name] = parsed.value;
      }
    }
    return value;
  };
  const value = read(items, '');
  return { value, issues, applied };
}

/** The values of a fresh form: the defaults. */
export function defaults(items: Items): Sent {
  const sent = new Map<string, readonly string[]>();
  const fill = (group: Items, prefix: string): void => {
    for (const [name, item] of Object.entries(group)) {
      const path = at(prefix, name);
      if (item.kind === 'group') fill(item.items, path);
      else if (item.kind === 'list') {
        for (let index = 0; index < (item.min ?? 0); index++) fill(item.items, at(path, index));
      } else if (item.default !== undefined) sent.set(path, [item.default].flat().map(String));
    }
  };
  fill(items, '');
  return sent;
}

/** The posting with one more entry at the end of a list. */
export function withEntry(sent: Sent, path: string, count: number): Sent {
  return new Map([...sent, [countOf(path), [String(count + 1)]]]);
}

/** The posting without one entry of a list; those after it move up. */
export function withoutEntry(sent: Sent, path: string, removed: number, count: number): Sent {
  const remaining = new Map<string, readonly string[]>();
  for (const [name, values] of sent) {
    const rest = name.startsWith(`${path}.`) ? name.slice(path.length + 1).match(/^(\d+)(\..+)$/) : null;
    const index = rest ? Number(rest[1]) : -1;
    if (index === removed) continue;
    remaining.set(index > removed ? `${path}.${index - 1}${rest![2]}` : name, values);
  }
  return remaining.set(countOf(path), [String(Math.max(0, count - 1))]);
}
