/** Handles one submission of a form: shows it again (one more entry, further questions, errors), or returns its value. Pure. */

import { html } from '@midcall/core/page';
import { digest, type Json } from '../../base/index.ts';
import type { PageView, Sent } from '../pages/page.ts';
import type { Item, Items } from './item.ts';
import { applies, at, defaults, entries, readItems, withEntry, withoutEntry } from './read.ts';
import { itemFields } from './view.ts';

export interface FormWords {
  readonly title: string;
  readonly send: string;
}

const shownOf = (items: Items, sent: Sent): string => digest(readItems(items, sent).applied);

/** What is wrong with a form that was sent. @param count - how many answers do not fit */
export const misfits = (count: number): string =>
  count === 1 ? 'One answer does not fit yet.' : `${count} answers do not fit yet.`;

/** The form in its present state. */
export function formView(
  items: Items,
  words: FormWords,
  sent?: Sent,
  issues?: ReadonlyMap<string, string>,
  problem?: string,
): PageView {
  const filled = sent ?? defaults(items);
  return {
    ...words,
    body: html`<input type="hidden" name="items-shown" value="${shownOf(items, filled)}">${itemFields(items, filled, issues)}`,
    ...(problem === undefined ? {} : { problem }),
  };
}

export function formStep(
  items: Items,
  words: FormWords,
  sent: Sent,
): { readonly again: PageView } | { readonly value: Json } {
  const [action, path, index] = (sent.get('do')?.[0] ?? '').split(':');
  const list = path === undefined ? undefined : listAt(items, path, sent);
  if (action === 'add' && list && path !== undefined) {
    return { again: formView(items, words, withEntry(sent, path, entries(path, list, sent))) };
  }
  if (action === 'remove' && list && path !== undefined) {
    return { again: formView(items, words, withoutEntry(sent, path, Number(index), entries(path, list, sent))) };
  }
  const { value, issues } = readItems(items, sent);
  if (sent.get('items-shown')?.[0] !== shownOf(items, sent)) {
    return {
      again: formView(items, words, sent, undefined, 'Your answers change what is asked. Please look again and send.'),
    };
  }
  if (issues.size > 0) {
    return { again: formView(items, words, sent, issues, misfits(issues.size)) };
  }
  return { value };
}

/** The list at a path of a posting, if one applies. */
function listAt(items: Items, path: string, sent: Sent): Extract<Item, { kind: 'list' }> | undefined {
  const [name, ...rest] = path.split('.');
  let group: Items = items;
  let prefix = '';
  for (let part: string | undefined = name; part !== undefined; part = rest.shift()) {
    const item: Item | undefined = Object.hasOwn(group, part) ? group[part] : undefined;
    if (!item || !applies(item, prefix, sent)) return undefined;
    prefix = at(prefix, part);
    if (item.kind !== 'group' && item.kind !== 'list') return undefined;
    if (rest.length === 0) return item.kind === 'list' ? item : undefined;
    if (item.kind === 'list') prefix = at(prefix, rest.shift() ?? '');
    group = item.items;
  }
  return undefined;
}
