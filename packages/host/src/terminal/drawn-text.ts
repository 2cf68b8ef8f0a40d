/**
 * A tool's result, drawn for a terminal: Markdown with its headings, lists and tables, JSON in colours, a list of similar
 * objects as a table. Anything else is only made safe and wrapped. Pure.
 */
import { isRecord } from '@midcall/core/json';
import { visibleJson } from '@midcall/core/text';
import { isMarkdown, jsonIn, type Members, tableColumns, visible } from '../index.ts';
import { markdownLines } from './markdown-lines.ts';
import { painted, styled } from './paint.ts';
import { tableLines } from './table-lines.ts';
import { textWidth, wrapped } from './wrap.ts';

/** The terminal to draw on. */
export interface DrawOptions {
  /** The width of the terminal, in characters; lines are not wrapped if absent. */
  readonly columns?: number;
  /** False draws without colours and bold. */
  readonly color: boolean;
}

/** The most characters of a text that is drawn as Markdown, and of one cell; a longer text is shown as it is. */
const [mostMarkdown, mostCell] = [200_000, 200];

/**
 * Draws a text from a server: as JSON or Markdown, if it is that.
 * @returns lines that are safe to write to a terminal
 * @example
 * ```ts
 * for (const line of drawnText('| a |\n|---|\n| 1 |', { columns: 80, color: true })) console.log(line);
 * ```
 */
export function drawnText(text: string, { columns, color }: DrawOptions): readonly string[] {
  const value = jsonIn(text);
  if (value !== undefined) return drawnValue(value, { color, ...(columns !== undefined && { columns }) });
  const safe = visible(text, { lines: true, max: 1_000_000 });
  const lines =
    safe.length <= mostMarkdown && isMarkdown(safe)
      ? markdownLines(safe, columns)
      : safe.split('\n').flatMap(line => wrapped(line, columns, ''));
  return painted(lines, color);
}

/**
 * Draws a JSON value: a list of similar objects as a table, also if it is a member of an object; anything else as JSON, on one
 * line if it fits.
 * @returns lines that are safe to write to a terminal
 * @example
 * ```ts
 * for (const line of drawnValue([{ name: 'soup', pieces: 2 }], { color: false })) console.log(line);
 * ```
 */
export function drawnValue(value: unknown, { columns, color }: DrawOptions): readonly string[] {
  return painted(valueLines(value, columns), color);
}

function valueLines(value: unknown, columns?: number): readonly string[] {
  const names = Array.isArray(value) ? tableColumns(value) : undefined;
  if (names) return table(names, value as readonly Members[], columns);
  const whole = visibleJson(value);
  if (textWidth(whole) <= (columns ?? 0)) return [whole];
  const isTable = (each: unknown) => Array.isArray(each) && tableColumns(each) !== undefined;
  if (!isRecord(value) || !Object.values(value).some(isTable)) return visibleJson(value, 2).split('\n').map(line);
  return Object.entries(value).flatMap(([name, each], at) => {
    const head = styled('bold', `${visible(name, { max: 200 })}:`);
    if (!isTable(each))
      return visibleJson(each, 2)
        .split('\n')
        .map((text, index) => (index === 0 ? `${head} ${line(text)}` : line(text)));
    return [...(at === 0 ? [] : ['']), head, ...valueLines(each, columns), ''];
  });
}

const cell = (value: unknown): string =>
  value === undefined ? '' : visible(typeof value === 'string' ? value : String(value), { max: mostCell });

const table = (names: readonly string[], rows: readonly Members[], columns?: number): readonly string[] =>
  tableLines(
    names.map(name => visible(name, { max: 60 })),
    rows.map(row => names.map(name => cell(Object.hasOwn(row, name) ? row[name] : undefined))),
    columns,
  );

/** A line of JSON with its styles. */
function line(text: string): string {
  const [, indent = '', key = '', rest = ''] = /^(\s*)("(?:[^"\\]|\\.)*": )?(.*)$/s.exec(text) ?? [];
  const style = rest.startsWith('"') ? 'green' : /^(-?\d|true|false|null)/.test(rest) ? 'yellow' : undefined;
  const comma = style !== undefined && rest.endsWith(',') ? ',' : '';
  const value = comma === '' ? rest : rest.slice(0, -1);
  return `${indent}${key === '' ? '' : styled('cyan', key)}${style === undefined ? rest : styled(style, value) + comma}`;
}
