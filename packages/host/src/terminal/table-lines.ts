/** A table in a terminal: columns as wide as needed, or one record below the other if they do not fit. Pure. */
import { styled, unmarked } from './paint.ts';
import { textWidth } from './wrap.ts';

/** What separates two columns. */
const gap = '  ';

/** The width of a table if there is no terminal: the width that most terminals have. */
const usualColumns = 80;

const drawnWidth = (text: string): number => textWidth(unmarked(text));

/**
 * @param head - safe to draw, like the rows
 * @returns lines with marks of styles
 */
export function tableLines(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number = usualColumns,
): readonly string[] {
  const widths = head.map((name, at) => Math.max(...[name, ...rows.map(row => row[at] ?? '')].map(drawnWidth)));
  const whole = widths.reduce((sum, width) => sum + width, gap.length * (head.length - 1));
  if (whole > columns) return records(head, rows);
  const padded = (cells: readonly string[]): readonly string[] =>
    head.map((_, at) => (cells[at] ?? '') + ' '.repeat(widths[at]! - drawnWidth(cells[at] ?? '')));
  const line = (cells: readonly string[]): string => padded(cells).join(gap).trimEnd();
  return [
    padded(head)
      .map(name => styled('bold', name))
      .join(gap),
    styled('dim', widths.map(width => '─'.repeat(width)).join(gap)),
    ...rows.map(line),
  ];
}

const records = (head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] =>
  rows.flatMap((row, at) => [
    ...(at === 0 ? [] : ['']),
    ...head.map((name, index) => `${styled('bold', `${name}:`)} ${row[index] ?? ''}`),
  ]);
