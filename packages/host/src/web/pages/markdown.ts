/**
 * Markdown from servers as markup. It passes no HTML, loads nothing, and shows where each link leads, so that its words cannot
 * lie about that.
 *
 * - markdown-D1 A link leads to http or https, opens in a tab of its own, and is followed by its host.
 * - markdown-D2 A picture is shown as its name and address, and not loaded.
 * - markdown-D3 Text is made visible before it is read as Markdown, so that no character in it hides or reorders anything.
 */
import { escaped, type Html, html, trusted } from '@midcall/core/page';
import { hostOf, isMarkdown, type MarkdownRule, markdownReader, visible } from '../../index.ts';
import { markCodePoints, visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';

// Alignment is a class: no page of ours accepts inline styles.
const cellOf =
  (name: 'th' | 'td'): MarkdownRule =>
  (tokens, at) =>
    /right/.test(tokens[at]!.attrGet('style') ?? '') ? `<${name} class="right">` : `<${name}>`;

const codeBlock: MarkdownRule = (tokens, at) =>
  `<pre class="result-json" tabindex="0">${escaped(tokens[at]!.content)}</pre>`;

const reader = markdownReader({
  link_open: (tokens, at) =>
    `<a href="${escaped(String(tokens[at]!.attrGet('href')))}" target="_blank" rel="noopener noreferrer nofollow">`,
  link_close: (tokens, at) => {
    let open = at - 1;
    while (open >= 0 && tokens[open]!.type !== 'link_open') open -= 1;
    const host = hostOf(String(tokens[open]?.attrGet('href')));
    return `</a> <span class="link-host">${escaped(host ?? '')}</span>`;
  },
  image: (tokens, at) => {
    const token = tokens[at]!;
    return `<span class="link-host">${escaped(texts.call.notLoaded(token.content, String(token.attrGet('src'))))}</span>`;
  },
  // Servers' headings are not headings of the page.
  heading_open: (tokens, at) => `<p class="md-heading md-${tokens[at]!.tag}">`,
  heading_close: () => '</p>',
  table_open: (tokens, at) =>
    `<div class="md-table" tabindex="0" role="region" aria-label="${escaped(texts.json.table(tableHeads(tokens, at)).slice(0, 200))}"><table>`,
  th_open: cellOf('th'),
  td_open: cellOf('td'),
  table_close: () => '</table></div>',
  fence: codeBlock,
  code_block: codeBlock,
});

/** @param max - characters kept */
function markdownHtml(text: string, max: number): Html {
  const markup = reader.render(visible(text, { max, lines: true }));
  return trusted(`<div class="md">${markCodePoints(markup)}</div>`);
}

/** Longer texts scroll in a box of their own, in characters, so that what follows them stays within reach. */
const long = 20_000;

/** The most characters of one text that are shown. */
const longestText = 100_000;

/**
 * A server's text: as Markdown if it has signs of that, otherwise as written.
 * @param max - characters shown, at most 100,000
 */
export function foreignText(text: string, max = longestText): Html {
  const most = Math.min(max, longestText);
  const shown = isMarkdown(text)
    ? markdownHtml(text, most)
    : html`<pre class="result-text">${visibleHtml(text, most, true)}</pre>`;
  return text.length > long
    ? html`<div class="result-long" tabindex="0" role="region" aria-label="${texts.call.longText}">${shown}</div>`
    : shown;
}

/** What is read of a token of markdown-it. */
interface Token {
  readonly type: string;
  readonly content: string;
}

/**
 * The heads of a table in Markdown that has been read.
 * @param at - where the table opens; only its head is read, since a text may hold thousands of tables
 */
export function tableHeads(tokens: readonly Token[], at: number): readonly string[] {
  const heads: string[] = [];
  for (let next = at + 1; next < tokens.length && tokens[next]!.type !== 'thead_close'; next += 1) {
    const { type, content } = tokens[next]!;
    if (type === 'inline') heads.push(content);
  }
  return heads;
}
