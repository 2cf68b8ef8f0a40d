/**
 * Text of a terminal as markup: the colours and weights that its escape sequences set, and the rest made visible as any foreign
 * text. Sequences that only a terminal can obey, such as those that move the cursor, are left out. Pure.
 */
import { attributes, type Html, html } from '@midcall/core/page';
import { visibleHtml } from './visible-html.ts';

const sequence = /\u001B\[([0-9;:?<=>]*)[ -/]*([@-~])/g;

const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** How the text after a sequence is drawn. */
interface Pen {
  readonly colour?: (typeof colours)[number];
  readonly bold?: true;
  readonly dim?: true;
}

/** How many parameters stand for one colour out of 256 or out of all: the colour of the page is near enough. */
const furtherParameters: Readonly<Record<number, number>> = { 5: 1, 2: 3 };

function penAfter(before: Pen, parameters: string): Pen {
  let pen = before;
  const codes = parameters === '' ? [0] : parameters.split(/[;:]/).map(Number);
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at]!;
    const { colour: _, ...uncoloured } = pen;
    if (code === 0) pen = {};
    else if (code === 1) pen = { ...pen, bold: true };
    else if (code === 2) pen = { ...pen, dim: true };
    else if (code === 22) pen = { ...(pen.colour && { colour: pen.colour }) };
    else if (code === 39) pen = uncoloured;
    else if (code >= 30 && code <= 37) pen = { ...pen, colour: colours[code - 30]! };
    else if (code >= 90 && code <= 97) pen = { ...pen, colour: colours[code - 90]! };
    else if (code === 38 || code === 48) {
      if (code === 38) pen = uncoloured;
      at += 1 + (furtherParameters[codes[at + 1] ?? 0] ?? 0);
    }
  }
  return pen;
}

/** True if a text has such sequences. */
export const hasAnsi = (text: string): boolean => text.includes('\u001B[');

/** @param max - characters shown @param lines - true keeps line breaks */
export function ansiHtml(text: string, max = 2_000, lines = false): Html {
  if (!hasAnsi(text)) return visibleHtml(text, max, lines);
  const runs: Html[] = [];
  let pen: Pen = {};
  let at = 0;
  let left = max;
  const draw = (run: string): void => {
    if (run === '' || left <= 0) return;
    const shown = visibleHtml(run, left, lines);
    left -= run.length;
    const { colour, bold, dim } = pen;
    const drawn = [colour && `ansi-${colour}`, bold && 'ansi-bold', dim && 'ansi-dim'].filter(Boolean).join(' ');
    runs.push(drawn === '' ? shown : html`<span${attributes({ class: drawn })}>${shown}</span>`);
  };
  for (const found of text.matchAll(sequence)) {
    draw(text.slice(at, found.index));
    at = found.index + found[0].length;
    if (found[2] === 'm') pen = penAfter(pen, found[1]!);
  }
  draw(text.slice(at));
  return html`${runs}`;
}
