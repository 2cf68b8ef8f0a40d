/** Markdown as lines of a terminal. A link is followed by its address, so that its words cannot lie about that. Pure. */
import { type MarkdownToken, markdownReader } from '../index.ts';
import { styled } from './paint.ts';
import { tableLines } from './table-lines.ts';
import { wrapped } from './wrap.ts';

const reader = markdownReader();

/** The prefix of a block's lines, and of its first line if that differs. */
interface Lead {
  first: string;
  readonly rest: string;
}

/** Starts and ends a style that may contain others. */
const [begun, ended] = [(style: 'bold' | 'italic') => styled(style, '').slice(0, 1), styled('bold', '').slice(-1)];

/** One line of text with its styles; line breaks of the text stay. */
function inline(tokens: readonly MarkdownToken[]): string {
  let text = '';
  let link: { readonly href: string; readonly from: number } | undefined;
  for (const token of tokens) {
    switch (token.type) {
      case 'text':
        text += token.content;
        break;
      case 'softbreak':
      case 'hardbreak':
        text += '\n';
        break;
      case 'code_inline':
        text += styled('cyan', token.content);
        break;
      case 'strong_open':
        text += begun('bold');
        break;
      case 'em_open':
        text += begun('italic');
        break;
      case 'strong_close':
      case 'em_close':
        text += ended;
        break;
      case 'link_open':
        link = { href: String(token.attrGet('href')), from: text.length };
        break;
      case 'link_close': {
        // The parser has made the address ASCII: nothing in it is hidden.
        if (link && text.slice(link.from) !== link.href) text += ` ${styled('dim', `<${link.href}>`)}`;
        link = undefined;
        break;
      }
      case 'image':
        text += styled('dim', `[picture: ${token.content}, at ${String(token.attrGet('src'))}]`);
        break;
      default:
        text += token.content;
    }
  }
  return text;
}

const code = /(?<!\n)\n+$/;

/** @param columns - of the terminal; lines are not wrapped if absent @returns lines with marks of styles */
export function markdownLines(text: string, columns?: number): readonly string[] {
  const lines: string[] = [];
  const leads: Lead[] = [];
  const numbers: (number | undefined)[] = [];
  let head: string[] = [];
  let rows: string[][] = [];
  /** Between two blocks there is one empty line. */
  const space = (): void => {
    if (lines.length > 0 && lines.at(-1)!.trim() !== '')
      lines.push(
        leads
          .map(({ rest }) => rest)
          .join('')
          .trimEnd(),
      );
  };
  const leadWidth = (): number => leads.reduce((sum, { rest }) => sum + rest.length, 0);
  const emit = (line: string, breaks = true): void => {
    const before = leads.map(lead => lead.first).join('');
    const after = leads.map(lead => lead.rest).join('');
    for (const lead of leads) lead.first = lead.rest;
    lines.push(...(breaks ? wrapped(`${before}${line}`, columns, after) : [`${before}${line}`]));
  };
  const tokens = reader.parse(text, {});
  tokens.forEach((token, at) => {
    switch (token.type) {
      case 'heading_open':
      case 'table_open':
      case 'blockquote_open':
        space();
        if (token.type === 'blockquote_open') leads.push({ first: '│ ', rest: '│ ' });
        [head, rows] = [[], []];
        break;
      case 'paragraph_open':
        // The paragraphs of a tight list have no space between them.
        if (!token.hidden && leads.every(({ first, rest }) => first === rest)) space();
        break;
      case 'bullet_list_open':
      case 'ordered_list_open':
        if (numbers.length === 0) space();
        numbers.push(token.type === 'ordered_list_open' ? Number(token.attrGet('start') ?? 1) : undefined);
        break;
      case 'bullet_list_close':
      case 'ordered_list_close':
        numbers.pop();
        break;
      case 'list_item_open': {
        const number = numbers.at(-1);
        const sign = number === undefined ? '• ' : `${number}. `;
        if (number !== undefined) numbers[numbers.length - 1] = number + 1;
        leads.push({ first: sign, rest: ' '.repeat(sign.length) });
        break;
      }
      case 'list_item_close':
      case 'blockquote_close':
        leads.pop();
        break;
      case 'inline': {
        const opened = tokens[at - 1]!.type;
        const content = inline(token.children ?? []);
        if (opened === 'th_open') head.push(content);
        else if (opened === 'td_open') rows.at(-1)?.push(content);
        else for (const line of content.split('\n')) emit(opened === 'heading_open' ? styled('bold', line) : line);
        break;
      }
      case 'tr_open':
        if (head.length > 0) rows.push([]);
        break;
      case 'table_close':
        for (const line of tableLines(head, rows, columns && columns - leadWidth())) emit(line, false);
        break;
      case 'fence':
      case 'code_block':
        space();
        for (const line of token.content.replace(code, '').split('\n')) emit(styled('cyan', `    ${line}`));
        break;
      case 'hr':
        space();
        emit(styled('dim', '─'.repeat(Math.min(columns ?? 40, 40))), false);
        break;
    }
  });
  return lines;
}
