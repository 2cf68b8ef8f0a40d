/**
 * Whether Markdown shows everything that is written in it. Definitions of links, cells beyond a table's head, words after the
 * language of a code block and whatever nests too deeply are left out: a server could say things to the model there that the
 * person does not see.
 */
import MarkdownIt from 'markdown-it';

const reader = new MarkdownIt('default', { html: false, linkify: false, typographer: false });
const { mdurl } = reader.utils.lib;
type Token = ReturnType<typeof reader.parse>[number];

/** The most characters that a view reads as Markdown. */
const mostRead = 200_000;

/** Letters and digits; any other character may be a sign of Markdown. An address may be encoded anew, so it is decoded. */
const letters = (text: string): number => mdurl.decode(text, '').match(/[\p{L}\p{N}]/gu)?.length ?? 0;

/** Pure. */
export function showsAll(text: string): boolean {
  const read = text.slice(0, mostRead);
  const definitions: { readonly references?: object } = {};
  const tokens = reader.parse(read, definitions);
  if (Object.keys(definitions.references ?? {}).length > 0) return false;
  return tokens.reduce((sum, token) => sum + shownOf(token), 0) >= letters(read);
}

/** How many letters of a token are shown; never more than were written. */
function shownOf(token: Token): number {
  const { type, content, info, children } = token;
  if (children) return type === 'image' ? letters(content) + addressOf(token, 'src') : sumOf(children);
  if (type === 'link_open') return token.markup === 'autolink' ? 0 : addressOf(token, 'href');
  if (type === 'list_item_open') return letters(info);
  return letters(content) + (type === 'fence' && /^\s*[\w+#.-]{0,30}\s*$/.test(info) ? letters(info) : 0);
}

const sumOf = (tokens: readonly Token[]): number => tokens.reduce((sum, token) => sum + shownOf(token), 0);

/** A name in ASCII is longer than it was. */
const addressOf = (token: Token, name: string): number => letters(reader.normalizeLinkText(token.attrGet(name) ?? ''));
