/** Markdown from servers, read the same way by every view: it passes no HTML, and links lead to http or https only. */
import MarkdownIt from 'markdown-it';
import { showsAll } from './shows-all.ts';

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
  const reader = new MarkdownIt('default', { html: false, breaks: true, linkify: false, typographer: false });
  reader.validateLink = href => hostOf(href) !== undefined;
  Object.assign(reader.renderer.rules, rules);
  return reader;
}

/** Signs of Markdown: without any, text is shown as written. */
const signs = /^(?:#{1,6} |[-*+] |\d{1,3}[.)] |> |```|\|.*\|)|\*\*[^*\n]+\*\*|\[[^[\]\n]+\]\(|`[^`\n]+`/m;

/** True for text that is better read as Markdown: it has signs of that, and nothing of it would be left out. */
export const isMarkdown = (text: string): boolean => signs.test(text.slice(0, 20_000)) && showsAll(text);
