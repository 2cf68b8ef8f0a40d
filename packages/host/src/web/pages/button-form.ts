/** A form that is one button, for what a click changes. Pure. */
import { type Html, html } from '@midcall/core/page';
import type { Session } from '../workspace/index.ts';

/** A form that is one button. @param path - where it is posted to */
export function buttonForm(
  { csrf, link }: Session,
  path: string,
  label: string,
  kind = 'small',
  fields: Readonly<Record<string, string>> = {},
): Html {
  return html`<form method="post" action="${link(path)}"><input type="hidden" name="csrf" value="${csrf}">${Object.entries(
    fields,
  ).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button class="button ${kind}">${label}</button></form>`;
}
