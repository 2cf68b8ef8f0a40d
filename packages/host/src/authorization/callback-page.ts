/** What the person's browser shows when it returns from the authorization server. It loads nothing from anywhere. Pure. */
import { brandMark, html, icon, page, pageHeaders, tokens } from '@midcall/core/page';
import { visible } from '@midcall/core/text';

const style = `${tokens}
body{margin:0;font:16px/1.5 system-ui,sans-serif}main{max-width:34rem;margin:12vh auto;padding:0 1.5rem}
.brand-mark{vertical-align:-6px;margin-right:.5rem}.brand-box{fill:var(--accent)}.brand-line{stroke:var(--accent-ink)}h1{font-size:1.4rem}`;

const dataUrl = (type: string, text: string): string => `data:${type};base64,${Buffer.from(text).toString('base64')}`;

/** The page fetches nothing and sends no referrer: its address contains the code. */
export const callbackHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders('style-src data:; img-src data:'),
  'referrer-policy': 'no-referrer',
  'content-type': 'text/html; charset=utf-8',
};

/**
 * A whole page.
 * @param lines - what happened, in our words; foreign text in them is made visible here
 */
export function callbackPage(title: string, lines: readonly string[]): string {
  return page({
    title: `${title} · Midcall`,
    icon: dataUrl('image/svg+xml', icon),
    styles: [dataUrl('text/css', style)],
    body: html`<main><p>${brandMark}Midcall</p><h1>${title}</h1>${lines.map(
      line => html`<p>${visible(line, { max: 1_000 })}</p>`,
    )}</main>`,
  });
}
