/** The `confirm` page: a yes to exactly this call, with the arguments it really came with. */
import { defined } from '@midcall/core/json';
import { checkOptions, name } from '@midcall/core/options';
import { html } from '@midcall/core/page';
import type { Json } from '../../base/index.ts';
import { type Details, detailsDigest, detailsKind, type Page } from '../../request/index.ts';
import { type PageKind, pageOf, type Visit } from './page.ts';
import { detailsBlock, safeText } from './view.ts';

/** The options of a confirmation page. */
export interface ConfirmOptions {
  /** The heading, phrased as a question; `Allow this call?` if absent. */
  readonly title?: string;
  /** The label of the button that allows it; `Allow` if absent. */
  readonly allow?: string;
  /** What the yes is about, shown unabridged, such as the diff that will be applied. */
  readonly details?: Details;
}

interface Data {
  readonly title: string;
  readonly allow: string;
  readonly details?: Details;
}

const written = (value: Json | undefined): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');

function facts({ call }: Visit) {
  const all = Object.entries((call.arguments ?? {}) as Record<string, Json>);
  if (all.length === 0) return html`<p class="help">This call has no arguments.</p>`;
  return html`<dl class="facts">${all.map(
    ([name, value]) =>
      html`<div><dt>${safeText(name, 200)}</dt><dd>${safeText(written(value), 20_000, true)}</dd></div>`,
  )}</dl>`;
}

export const confirmKind: PageKind = {
  name: 'confirm',
  show(visit) {
    const { title, allow, details } = visit.data as unknown as Data;
    const body = html`${detailsBlock(details)}<section aria-label="The call’s arguments">${facts(visit)}</section>`;
    return { title, send: allow, body };
  },
  submit({ data }) {
    const { details } = data as unknown as Data;
    return { finish: () => ({ approved: true, ...(details !== undefined && { seen: detailsDigest(details) }) }) };
  },
};

/**
 * A page that shows the call with its real arguments and takes a yes, out of the host's and the model's reach. The yes is valid
 * for this call only: another call, or the same one with other arguments, asks again.
 *
 * With `details`, the page shows them as well, and the answer's `seen` is their SHA-256, in hexadecimal: of the text or the diff
 * itself, or of a table's canonical JSON.
 * @example
 * ```ts
 * const answer = await call.elicitUrl({ message: 'Approve the transfer.', page: confirm({ allow: 'Transfer' }) });
 * ```
 */
export function confirm(options: ConfirmOptions = {}): Page<{ readonly approved: true; readonly seen?: string }> {
  checkOptions('confirm', options, { title: name, allow: name, details: detailsKind });
  const { title = 'Allow this call?', allow = 'Allow', details } = options;
  return pageOf(confirmKind, { title, allow, ...defined({ details }) }, 'out-of-band');
}
