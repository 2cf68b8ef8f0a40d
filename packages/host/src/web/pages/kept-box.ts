/** What client script shows where nobody answers, and of a form that was sent: that this takes its time, and why the form stays. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import { icons } from '../html/index.ts';
import { type Kept, keptTexts } from '../texts/index.ts';

/** @param start - where one comes in again */
export function keptBox({ why, again }: typeof keptTexts.desk | typeof keptTexts.inbox, start: string): Html {
  const home = html`<p><a href="${start}" target="_blank" rel="noopener">${again}</a></p>`;
  const ways: Partial<Record<Kept, Html>> = {
    signedOut: home,
    ended: home,
    elsewhere: html`<p><a href="${start}" data-back>${keptTexts.goBack}</a></p><div class="kept-typed" hidden><p>${keptTexts.typed}</p><dl tabindex="0"></dl></div>`,
  };
  const cases = (Object.keys(why) as Kept[]).map(
    each =>
      html`<div${attributes({ 'data-why': each, hidden: true })}><strong>${why[each].title}</strong><p>${why[each].line}</p>${ways[each] ?? false}</div>`,
  );
  return html`<div class="kept" id="kept" hidden data-morph="keep" role="alert">${icons.warning}<div>${cases}<p><button class="button" type="button" data-close>${keptTexts.close}</button></p></div></div>
<p class="busy" id="busy" role="status" data-morph="keep" data-sending="${keptTexts.sending}" data-opening="${keptTexts.opening}"></p>`;
}
