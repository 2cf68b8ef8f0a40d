/**
 * Lines with styles, for a terminal. Styled text is enclosed in marks until the lines are wrapped: each mark is one private-use
 * character, which foreign text cannot contain once it has been made visible. Pure.
 */
import { styleText } from 'node:util';

const styles = ['bold', 'italic', 'cyan', 'dim', 'green', 'yellow'] as const;

/** How a text may stand out. */
export type Style = (typeof styles)[number];

const first = 0xe000;
const [none, marks] = ['\ue0ff', /[\ue000-\ue0ff]/g];

/** A text between the marks of a style. */
export const styled = (style: Style, text: string): string =>
  `${String.fromCharCode(first + styles.indexOf(style))}${text}${none}`;

/** A text without its marks, to be measured. */
export const unmarked = (text: string): string => text.replace(marks, '');

/**
 * The lines with their styles in place of the marks; without colour, the marks are just removed. When a style ends, the style
 * around it continues.
 */
export function painted(lines: readonly string[], color: boolean): readonly string[] {
  if (!color) return lines.map(unmarked);
  const open: Style[] = [];
  return lines.map(line => {
    let drawn = '';
    const add = (text: string): void => {
      drawn +=
        text === '' ? '' : open.reduce((inner, style) => styleText(style, inner, { validateStream: false }), text);
    };
    let from = 0;
    for (const { index, 0: mark } of line.matchAll(marks)) {
      add(line.slice(from, index));
      from = index + 1;
      if (mark === none) open.pop();
      else open.push(styles[mark.charCodeAt(0) - first]!);
    }
    add(line.slice(from));
    return drawn;
  });
}
