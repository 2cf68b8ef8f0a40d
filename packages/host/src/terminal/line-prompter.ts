/**
 * Prompts line by line: for pipes, screen readers and terminals without drawing. Every prompt is one line of question and one
 * line of answer; a list is numbered, and part of a name finds an entry.
 */

import type { BorrowedInput } from './borrowed-input.ts';
import { fitted } from './frame.ts';
import { lineSource, type MaybeColumns } from './line-source.ts';
import { type Pick, type Prompter, type PromptResult, unanswered } from './prompter.ts';

/** A longer list is shown in part; typing part of a name finds the rest. */
const shownAtOnce = 30;
/** Typed to leave a field with a default empty. */
const nothing = '-';
/** Typed at the end of a line to say that another line follows. */
const more = '\\';
const bar = '  | ';

/** A prompter of plain lines. Once its input has ended, every later prompt gets no answer. */
export function linePrompter(input: BorrowedInput, output: MaybeColumns): Prompter {
  const lines = lineSource(input, output);
  const write = (text: string): void => void output.write(text);
  /** Titles, choices and defaults come from a server: none of them may continue at the left edge. */
  const show = (text: string): void => write(fitted(text.split('\n'), output.columns).join('\n'));

  const ask = async (prompt: string, signal: AbortSignal, hidden = false): Promise<PromptResult<string>> => {
    const line = await lines.next(signal, () => show(prompt), hidden);
    if (!line.answered) write('\n');
    return line;
  };

  return {
    get starved() {
      return lines.starved;
    },
    say: text => show(text.map(line => `${line}\n`).join('')),
    async text({ message, signal, initial, earlier = [], validate }) {
      if (earlier.length > 0) show(`Given before: ${earlier.join(' | ')}\n`);
      const hint = initial === undefined ? '' : ` [Enter: ${initial}; ${nothing}: nothing]`;
      for (;;) {
        const line = await ask(`${message}${hint}: `, signal);
        if (!line.answered) return line;
        const typed = initial !== undefined && line.value === '' ? initial : line.value;
        const value = initial !== undefined && typed === nothing ? '' : typed;
        const wrong = validate(value);
        if (wrong === undefined) return { answered: true, value };
        show(`! ${wrong}\n`);
      }
    },
    async secret({ message, signal, validate }) {
      for (;;) {
        const line = await ask(`${message}: `, signal, true);
        if (!line.answered) return unanswered;
        const wrong = validate(line.value);
        if (wrong === undefined) return line;
        show(`! ${wrong}\n`);
      }
    },
    async lines({ message, signal, initial, validate }) {
      if (initial?.includes('\n'))
        write(
          `${initial
            .split('\n')
            .map(line => `${bar}${line}\n`)
            .join('')}`,
        );
      const summary = initial?.includes('\n') ? 'as above' : initial;
      const hint = initial === undefined ? '' : `Enter: ${summary}; ${nothing}: nothing; `;
      for (;;) {
        const read: string[] = [];
        do {
          const line = await ask(
            read.length === 0 ? `${message} [${hint}end a line with ${more} to go on]: ` : bar,
            signal,
          );
          if (!line.answered) return { answered: false, typed: joined([...read, line.typed ?? '']) };
          read.push(line.value);
        } while (read.at(-1)!.endsWith(more));
        const typed = joined(read);
        const value = initial === undefined ? typed : typed === '' ? initial : typed === nothing ? '' : typed;
        const wrong = validate(value);
        if (wrong === undefined) return { answered: true, value };
        show(`! ${wrong}\n`);
      }
    },
    async choose({ message, signal, picks, initial }) {
      const hint = initial === undefined ? '' : ` [Enter: ${picks.find(pick => pick.value === initial)?.label ?? ''}]`;
      show(`${message}\n${listed(picks)}`);
      for (;;) {
        const line = await ask(`Number or name${hint}: `, signal);
        if (!line.answered) return unanswered;
        if (line.value === '' && initial !== undefined) return { answered: true, value: initial };
        const matches = find(picks, line.value);
        if (matches.length === 1) return { answered: true, value: matches[0]!.value };
        show(matches.length === 0 ? '! None of the choices.\n' : `! Several match:\n${listed(picks, matches)}`);
      }
    },
    async chooseMany({ message, signal, picks, initial, validate }) {
      const names = picks.filter(pick => initial.includes(pick.value)).map(pick => pick.label);
      const hint = names.length === 0 ? '' : ` [Enter: ${names.join(', ')}; ${nothing}: nothing]`;
      show(`${message}\n${listed(picks)}`);
      for (;;) {
        const line = await ask(`Numbers or names, with commas${hint}: `, signal);
        if (!line.answered) {
          const typed = readMany(picks, line.typed ?? '', initial);
          return typeof typed === 'string' ? unanswered : { answered: false, typed };
        }
        const chosen = readMany(picks, line.value, initial);
        const wrong = typeof chosen === 'string' ? chosen : validate(chosen);
        if (wrong === undefined) return { answered: true, value: chosen as readonly string[] };
        show(`! ${wrong}\n`);
      }
    },
  };
}

/** The lines of a text, without the sign that another follows. */
const joined = (lines: readonly string[]): string =>
  lines.map(line => (line.endsWith(more) ? line.slice(0, -1) : line)).join('\n');

function listed(all: readonly Pick[], some: readonly Pick[] = all): string {
  const rows = some.slice(0, shownAtOnce).map(pick => {
    const hint = pick.hint === undefined ? '' : ` (${pick.hint})`;
    return `  ${all.indexOf(pick) + 1}) ${pick.label}${hint}\n`;
  });
  const rest = some.length - rows.length;
  return rows.join('') + (rest > 0 ? `  … and ${rest} more: type a part of the name\n` : '');
}

function find(picks: readonly Pick[], typed: string): readonly Pick[] {
  const word = typed.trim().toLowerCase();
  if (word === '') return [];
  const numbered = /^\d+$/.test(word) ? picks[Number(word) - 1] : undefined;
  if (numbered) return [numbered];
  const exact = picks.filter(pick => pick.label.toLowerCase() === word || pick.value.toLowerCase() === word);
  return exact.length > 0 ? exact : picks.filter(pick => pick.label.toLowerCase().includes(word));
}

/** The values a line names, or what is wrong with it. */
function readMany(picks: readonly Pick[], line: string, initial: readonly string[]): readonly string[] | string {
  const words = line.split(',').map(word => word.trim());
  if (line.trim() === '') return initial;
  if (line.trim() === nothing) return [];
  const values: string[] = [];
  for (const word of words.filter(each => each !== '')) {
    const matches = find(picks, word);
    if (matches.length !== 1)
      return matches.length === 0 ? `'${word}' is none of the choices.` : `'${word}' names several.`;
    if (!values.includes(matches[0]!.value)) values.push(matches[0]!.value);
  }
  return values;
}
