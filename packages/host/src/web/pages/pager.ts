/** The links from one part of a long list to those beside it. Pure. */
import { type Html, html } from '@midcall/core/page';
import { texts } from '../texts/index.ts';

/** Which part of a list is shown. */
export interface ListPart {
  /** The number of its first entry, from 0. */
  readonly from: number;
  /** How many entries a part has. */
  readonly most: number;
  /** How many entries the list has. */
  readonly count: number;
}

/**
 * Nothing for a list that has one part.
 * @param to - the address of the part that begins at an entry
 * @param words - for the part before, and for the one after
 */
export function pager(
  { from, most, count }: ListPart,
  to: (at: number) => string,
  words: readonly [string, string],
): Html {
  if (count <= most) return html``;
  const end = Math.min(from + most, count);
  return html`<p class="pager">${from > 0 && html`<a href="${to(Math.max(0, from - most))}">${words[0]}</a>`}<span class="quiet-text">${texts.inbox.pages(from + 1, end, count)}</span>${end < count && html`<a href="${to(end)}">${words[1]}</a>`}</p>`;
}
