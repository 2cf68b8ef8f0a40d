/**
 * Elements of a page that an open page may have already. When the page comes again with a question, they are left out, so that
 * the browser has to read only what is new (`client/morph.ts`). Pure.
 */
import { createHash } from 'node:crypto';
import { attributes, Html, html } from '@midcall/core/page';

const nameOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 16);

/** An element that can be left out. It is named after its content: whatever has that name is the same. */
export function part(tag: 'li' | 'nav' | 'dialog' | 'div', all: Parameters<typeof attributes>[0], content: Html): Html {
  const rest = html`${attributes(all)}>${new Html(content.text)}</${tag}>`.text;
  const name = nameOf(rest);
  const text = `<${tag} data-part="${name}"${rest}`;
  const instead =
    html`<${tag} data-part="${name}"${attributes({ id: all['id'], 'data-key': all['data-key'] })} data-left-out></${tag}>`
      .text;
  return new Html(text, [{ name, start: 0, end: text.length, instead }]);
}
