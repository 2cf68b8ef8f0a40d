/**
 * Markdown from servers, read the same way by every view: it passes no HTML, and links lead to http or https only. A parser is made
 * when the first text is read, since few results are Markdown.
 */
import MarkdownIt from 'markdown-it';

/** The host of an address that a link may lead to; undefined for any other. */
export function hostOf(href: string): string | undefined {
  try {
    const { protocol, host } = new URL(href);
    return protocol === 'http:' || protocol === 'https:' ? host : undefined;
  } catch {
    return undefined;
  }
}

/** A part of Markdown as it was read: the start or the end of something, or what has neither. */
export interface MarkdownToken {
  readonly type: string;
  /** The name of the HTML element that stands for it. */
  readonly tag: string;
  readonly content: string;
  /** True for the paragraphs of a list without space between its items. */
  readonly hidden: boolean;
  readonly children: readonly MarkdownToken[] | null;
  attrGet(name: string): string | null;
}

/** The markup of a token, by its place among all. */
export type MarkdownRule = (tokens: readonly MarkdownToken[], at: number) => string;

/** The parser as views use it. Its own types are no dependency of this package, so declarations do not name them. */
export interface MarkdownReader {
  parse(text: string, env: object): readonly MarkdownToken[];
  render(text: string): string;
}

/**
 * A new reader. Line breaks stay: the text of tools is seldom written as paragraphs.
 * @param rules - by type of token, instead of the usual markup
 */
export function markdownReader(rules: Readonly<Record<string, MarkdownRule>> = {}): MarkdownReader {
  let parser: MarkdownIt | undefined;
  const made = (): MarkdownIt => {
    if (parser) return parser;
    parser = new MarkdownIt('default', { html: false, breaks: true, linkify: false, typographer: false });
    parser.validateLink = href => hostOf(href) !== undefined;
    Object.assign(parser.renderer.rules, rules);
    return parser;
  };
  return { parse: (text, env) => made().parse(text, env), render: text => made().render(text) };
}

/** Signs of Markdown: without any, text is shown as written. */
const signs = /^(?:#{1,6} |[-*+] |\d{1,3}[.)] |> |```|\|.*\|)|\*\*[^*\n]+\*\*|\[[^[\]\n]+\]\(|`[^`\n]+`/m;

/** True for text that is better read as Markdown: it has signs of that, and nothing of it would be left out. */
export const isMarkdown = (text: string): boolean => signs.test(text.slice(0, 20_000)) && showsAll(text);

/** Reads Markdown to find what of it is shown. */
const reader = (): MarkdownIt => {
  madeReader ??= new MarkdownIt('default', { html: false, linkify: false, typographer: false });
  return madeReader;
};
let madeReader: MarkdownIt | undefined;
type Token = ReturnType<MarkdownIt['parse']>[number];

/** The most characters that a view reads as Markdown. */
const mostRead = 200_000;

/** Letters and digits; any other character may be a sign of Markdown. An address may be encoded anew, so it is decoded. */
const letters = (text: string): number =>
  reader()
    .utils.lib.mdurl.decode(text, '')
    .match(/[\p{L}\p{N}]/gu)?.length ?? 0;

/**
 * True if Markdown shows everything that is written in it. Definitions of links, cells beyond a table's head, words after the
 * language of a code block and whatever nests too deeply are left out: a server could say things to the model there that the
 * person does not see.
 */
function showsAll(text: string): boolean {
  const read = text.slice(0, mostRead);
  const definitions: { readonly references?: object } = {};
  const tokens = reader().parse(read, definitions);
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
const addressOf = (token: Token, name: string): number =>
  letters(reader().normalizeLinkText(token.attrGet(name) ?? ''));
