/** Something of a server by its title, with the name that it is called by beneath; by its name alone if it has no title. Pure. */
import { type Html, html } from '@midcall/core/page';
import { visibleHtml } from './visible-html.ts';

/**
 * @param max - characters shown of either
 * @param drawn - how either is written
 */
export function named(
  name: string,
  title: string | undefined,
  max = 200,
  drawn: (text: string) => Html = text => visibleHtml(text, max),
): Html {
  if (title === undefined || title.trim() === '' || title === name)
    return html`<span class="mono">${drawn(name)}</span>`;
  return html`<span class="named"><span class="named-title">${drawn(title)}</span> <span class="named-name mono">${drawn(name)}</span></span>`;
}
