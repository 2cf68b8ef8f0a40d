/** Markdown of servers, read the same way by every view: no HTML of theirs passes, and a link leads to http or https only. */
import MarkdownIt from 'markdown-it';

/** The host of an address that may be led to; undefined for every other. */
export function hostOf(href: string): string | undefined {
  try {
    const { protocol, host } = new URL(href);
    return protocol === 'http:' || protocol === 'https:' ? host : undefined;
  } catch {
    return undefined;
  }
}

/** A reader of its own, which a view may give its rules. Lines stay lines: what tools answer is seldom written as paragraphs. */
export function markdownReader(): MarkdownIt {
  const reader = new MarkdownIt('default', { html: false, breaks: true, linkify: false, typographer: false });
  reader.validateLink = href => hostOf(href) !== undefined;
  return reader;
}

/** Signs of Markdown: without any, text is shown as it was written. */
const signs = /^(?:#{1,6} |[-*+] |\d{1,3}[.)] |> |```|\|.*\|)|\*\*[^*\n]+\*\*|\[[^\]\n]+\]\(|`[^`\n]+`/m;

/** True for text that is better read as Markdown. */
export const isMarkdown = (text: string): boolean => signs.test(text.slice(0, 20_000));
