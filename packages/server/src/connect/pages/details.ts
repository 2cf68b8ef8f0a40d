/** The details of a question on its page: all of them, in a block of their own that scrolls. Pure. */
import { type Html, html } from '@midcall/core/page';
import type { Details } from '../../request/index.ts';
import { safeText } from './view.ts';

const all = (text: string): string => safeText(text, 1_000_000, true);

const marks: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '@': 'place' };

function content(details: Details): Html {
  if (typeof details === 'string') return html`<pre>${all(details)}</pre>`;
  if ('diff' in details) {
    const lines = details.diff.split('\n');
    return html`<pre>${lines.map(line => html`<span class="${marks[line[0] ?? ''] ?? 'same'}">${all(line)}\n</span>`)}</pre>`;
  }
  const row = (cells: readonly string[]): Html => html`<tr>${cells.map(cell => html`<td>${all(cell)}</td>`)}</tr>`;
  return html`<table><thead><tr>${details.columns.map(column => html`<th scope="col">${all(column)}</th>`)}</tr></thead><tbody>${details.rows.map(row)}</tbody></table>`;
}

/** @returns nothing if the question has none */
export const detailsBlock = (details: Details | undefined): Html | false =>
  details !== undefined &&
  html`<section class="details" aria-label="Details" tabindex="0">${content(details)}</section>`;
