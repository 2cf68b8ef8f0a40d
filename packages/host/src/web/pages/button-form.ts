/** A form that is one button, for what a click changes. Pure. */
import { type Html, html } from '@midcall/core/page';

/** A form that is one button. */
export function buttonForm(
  csrf: string,
  action: string,
  label: string,
  kind = 'small',
  fields: Readonly<Record<string, string>> = {},
): Html {
  return html`<form method="post" action="${action}"><input type="hidden" name="csrf" value="${csrf}">${Object.entries(
    fields,
  ).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button class="button ${kind}">${label}</button></form>`;
}
