/** Lines in a terminal: nothing a server wrote begins at the left edge. */
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BorrowedInput } from '../../../packages/host/src/terminal/borrowed-input.ts';
import { linePrompter } from '../../../packages/host/src/terminal/line-prompter.ts';
import { wrapped } from '../../../packages/host/src/terminal/wrap.ts';

const bar = '  | ';

describe('a line that is wider than the terminal', () => {
  it('a line that is wider than the terminal is broken between words, and goes on behind its bar', () => {
    expect(wrapped('  | Please fill in everything, then send it.', 24, bar)).toEqual([
      '  | Please fill in',
      '  | everything, then',
      '  | send it.',
    ]);
  });

  it('a line that is wider than the terminal is broken in a word that is wider itself, and by columns, not by characters', () => {
    expect(wrapped('  | 会議室を予約しますか今すぐに', 20, bar)).toEqual(['  | 会議室を予約しま', '  | すか今すぐに']);
  });

  it('a line that is wider than the terminal is broken before a terminal does that draws every sign for itself, whatever the script', () => {
    for (const [sign, columns] of [
      ['का', 2],
      ['👨‍👩‍👧', 8],
      ['\u{17000}', 2],
      ['ꀀ', 2],
      ['a\t', 9],
    ] as const) {
      const [first] = wrapped(`${bar}${sign.repeat(40)}`, 40, bar);
      expect(first!.length).toBeLessThanOrEqual(bar.length + Math.ceil(36 / columns) * sign.length);
      expect(first!.length).toBeGreaterThan(bar.length + Math.floor(36 / columns - 1) * sign.length);
    }
  });

  it('a line that is wider than the terminal is not broken before a mark, nor within an emoji', () => {
    const accented = 'e\u0301\u0302'.repeat(20);
    for (const line of wrapped(`${bar}${accented}`, 21, bar))
      expect(line.slice(bar.length)).toMatch(/^(e\u0301\u0302)+$/);
    for (const line of wrapped(`${bar}${'👨‍👩‍👧'.repeat(20)}`, 21, bar))
      expect(line.slice(bar.length)).toMatch(/^(👨‍👩‍👧)+$/u);
  });

  it('no line begins with what a server wrote, whatever it wrote', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.integer({ min: 16, max: 60 }),
        (text, columns) => {
          const line = `${bar}${text.replace(/\s/gu, ' ')}`;
          const lines = wrapped(line, columns, bar);
          for (const each of lines) {
            expect(`${each} `.startsWith(bar.trimEnd())).toBe(true);
            expect([...each].length).toBeLessThanOrEqual(columns);
          }
          const words = (all: string) => all.replaceAll(' ', '');
          expect(words(lines.map(each => each.slice(bar.length)).join(''))).toBe(words(line.slice(bar.length)));
        },
      ),
    );
  });
});

it('a line is left as it is where there are no columns, and where it fits', () => {
  const line = `  | ${'word '.repeat(50)}end`;
  expect(wrapped(line, undefined, bar)).toEqual([line]);
  expect(wrapped('  | short', 80, bar)).toEqual(['  | short']);
});

it('what does not fit of a title or a choice is set in, with what is typed behind it', async () => {
  const [input, output] = [new PassThrough(), Object.assign(new PassThrough(), { columns: 30 })];
  let text = '';
  output.on('data', part => (text += part));
  const borrowed = new BorrowedInput(input);
  borrowed.borrow();
  const prompter = linePrompter(borrowed, output);
  const picks = [{ value: 'a', label: `== A server asks == ${'x'.repeat(60)}` }];
  const chosen = prompter.choose({ message: `Which? ${'y '.repeat(30)}`, picks, signal: new AbortController().signal });
  input.write('1\n');
  expect(await chosen).toEqual({ answered: true, value: 'a' });
  const lines = text.split('\n');
  expect(lines.filter(line => /^[=xy]/.test(line))).toEqual([]);
  expect(lines.at(-1)).toBe('Number or name: ');
  expect(lines.every(line => line.length <= 30)).toBe(true);
});
