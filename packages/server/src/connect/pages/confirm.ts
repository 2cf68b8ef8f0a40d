/** The `confirm` page: a yes to exactly this call, with the arguments it really came with. */
import { checkOptions, name } from '@midcall/core/options';
import { html } from '@midcall/core/page';
import type { Json } from '../../base/index.ts';
import type { Page } from '../../request/index.ts';
import { type PageKind, pageOf, type Visit } from './page.ts';
import { safeText } from './view.ts';

/** The options of a confirmation page. */
export interface ConfirmOptions {
  /** The heading, phrased as a question; `Allow this call?` if absent. */
  readonly title?: string;
  /** The label of the button that allows it; `Allow` if absent. */
  readonly allow?: string;
}

interface Data {
  readonly title: string;
  readonly allow: string;
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
    const { title, allow } = visit.data as unknown as Data;
    return { title, send: allow, body: html`<section aria-label="The call’s arguments">${facts(visit)}</section>` };
  },
  submit: () => ({ finish: () => ({ approved: true }) }),
};

/**
 * A page that shows the call with its real arguments and takes a yes, out of the host's and the model's reach. The yes is valid
 * for this call only: another call, or the same one with other arguments, asks again.
 * @example
 * ```ts
 * const answer = await call.elicitUrl({ message: 'Approve the transfer.', page: confirm({ allow: 'Transfer' }) });
 * ```
 */
export function confirm(options: ConfirmOptions = {}): Page<{ readonly approved: true }> {
  checkOptions('confirm', options, { title: name, allow: name });
  const { title = 'Allow this call?', allow = 'Allow' } = options;
  return pageOf(confirmKind, { title, allow }, 'out-of-band');
}
