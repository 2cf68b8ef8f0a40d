/** Foreign text as markup: made visible by the host's rules, escaped, and every written-out code point set apart. */
import { escaped, type Html, html, trusted } from '@midcall/core/page';
import { visible } from '../../index.ts';
import { texts } from '../texts/index.ts';

/**
 * @param text - as received from a server
 * @param max - characters shown
 * @param lines - true keeps line breaks
 */
export function visibleHtml(text: string, max = 2_000, lines = false): Html {
  return trusted(markCodePoints(escaped(visible(text, { max, lines }))));
}

/** Sets every written-out code point apart. @param markup - with its text escaped */
export const markCodePoints = (markup: string): string =>
  markup.replace(/⟦U\+[0-9A-F]+⟧/g, '<mark class="code-point">$&</mark>');

/** A JSON value on one line, up to 160 characters of it. */
export function visibleValue(value: unknown): Html {
  return visibleHtml(written(value), 160);
}

/** The JSON value written over several lines. */
export function visibleJsonHtml(value: unknown, max = 20_000): Html {
  return visibleHtml(written(value, 2), max, true);
}

/** A value that a server nests deeper than the stack can be received, but not written out. */
function written(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent) ?? 'undefined';
  } catch {
    return texts.call.tooDeep;
  }
}

/**
 * Something of a server by its title, with the name that it is called by beneath; by its name alone if it has no title.
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
