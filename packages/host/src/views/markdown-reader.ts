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

/** A new reader, to which a view may add its rules. Line breaks stay: the text of tools is seldom written as paragraphs. */
export function markdownReader(): MarkdownIt {
  const reader = new MarkdownIt('default', { html: false, breaks: true, linkify: false, typographer: false });
  reader.validateLink = href => hostOf(href) !== undefined;
  return reader;
}

/** Signs of Markdown: without any, text is shown as written. */
const signs = /^(?:#{1,6} |[-*+] |\d{1,3}[.)] |> |```|\|.*\|)|\*\*[^*\n]+\*\*|\[[^[\]\n]+\]\(|`[^`\n]+`/m;

/** True for text that is better read as Markdown: it has signs of that, and nothing of it would be left out. */
export const isMarkdown = (text: string): boolean => signs.test(text.slice(0, 20_000)) && showsAll(text);
