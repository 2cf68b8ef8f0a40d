/** A table, on every page that has one. Pure. */
import { type Html, html } from '@midcall/core/page';

/** A table that scrolls sideways if it must; says so if it is empty. @param about - what is in it, for screen readers */
export function table(about: string, heads: readonly string[], rows: readonly Html[], empty: string): Html {
  if (rows.length === 0) return html`<div class="panel"><p class="empty">${empty}</p></div>`;
  return html`<div class="panel table-wrap" tabindex="0" role="region" aria-label="${about}"><table><thead><tr>${heads.map(head => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
