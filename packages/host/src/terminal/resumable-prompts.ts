/**
 * Prompts that keep what was entered when the person leaves them: Clack's own functions return only the fact that they left.
 * Drawn as Clack draws them.
 */
import { styleText } from 'node:util';
import {
  MultiLinePrompt,
  MultiSelectPrompt,
  SelectPrompt,
  type State,
  TextPrompt,
  wrapTextWithPrefix,
} from '@clack/core';
import {
  limitOptions,
  S_BAR,
  S_BAR_END,
  S_CHECKBOX_INACTIVE,
  S_CHECKBOX_SELECTED,
  S_RADIO_ACTIVE,
  S_RADIO_INACTIVE,
  SELECT_INSTRUCTIONS,
  symbol,
  symbolBar,
} from '@clack/prompts';
import type { BorrowedInput } from './borrowed-input.ts';
import type { MaybeColumns } from './line-source.ts';
import type { Pick, PromptResult, TextPrompt as TextRequest } from './prompter.ts';

export interface Streams {
  readonly input: BorrowedInput;
  readonly output: MaybeColumns;
}

/** A key as `node:readline` reports it; prompts look at `name` and `sequence`. */
export interface Key {
  name?: string | undefined;
  sequence?: string | undefined;
  shift?: boolean;
  ctrl?: boolean;
}

/** A part of a prompt that can be drawn. */
interface Drawn {
  readonly state: State;
  readonly error: string;
}

const over = (state: State): boolean => state === 'submit' || state === 'cancel';

/** A question, its body beside a bar, and below it what is wrong. */
function frame({ state, error }: Drawn, message: string, body: string, output: MaybeColumns, foot = ''): string {
  const color = state === 'error' ? 'yellow' : 'cyan';
  const lead = `${over(state) ? styleText('gray', S_BAR) : symbolBar(state)}  `;
  const head = `${styleText('gray', S_BAR)}\n${symbol(state)}  ${message}\n`;
  const content = wrapTextWithPrefix(output, over(state) ? styleText('dim', body) : body, lead);
  if (over(state)) return `${head}${content}`;
  const wrong = state === 'error' ? `  ${styleText('yellow', error)}` : '';
  return `${head}${content}\n${styleText(color, S_BAR_END)}${wrong}${foot}\n`;
}

const emptyLine = styleText(['inverse', 'hidden'], '_');

/** The result of a prompt; a symbol means that the person left it. */
const outcome = <T extends string | readonly string[]>(value: T | symbol | undefined, typed: T): PromptResult<T> =>
  typeof value === 'symbol' ? { answered: false, typed } : { answered: true, value: value ?? typed };

/** A line of text in which the Up and Down keys go through earlier values, as in a shell. */
class RecallingPrompt extends TextPrompt {
  /** Which of the earlier values is shown; -1 for the person's own text. */
  #at = -1;
  #own = '';

  constructor(options: ConstructorParameters<typeof TextPrompt>[0], earlier: readonly string[]) {
    super(options);
    this.on('cursor', key => {
      const step = key === 'up' ? 1 : key === 'down' ? -1 : 0;
      const to = Math.min(Math.max(this.#at + step, -1), earlier.length - 1);
      if (to === this.#at) return;
      if (this.#at < 0) this.#own = this.userInput;
      this.#at = to;
      this._clearUserInput();
      this._setUserInput(to < 0 ? this.#own : earlier[to], true);
    });
  }
}

/** One line of text. @param message - fits the terminal */
export async function resumableText(
  { message, initial, earlier = [], fieldBefore, validate }: TextRequest,
  streams: Streams,
): Promise<PromptResult<string>> {
  const up = fieldBefore !== undefined ? `Up goes back to ${fieldBefore}` : `Up for earlier values (${earlier.length})`;
  const keys = fieldBefore === undefined && earlier.length === 0 ? '' : `  ${styleText('dim', up)}`;
  const options = {
    ...streams,
    validate: (typed: string | undefined) => validate(typed ?? ''),
    ...(initial !== undefined && { initialValue: initial }),
    render(this: Omit<TextPrompt, 'prompt'>) {
      const body = over(this.state) ? this.userInput : this.userInput ? this.userInputWithCursor : emptyLine;
      return frame(this, message, body, streams.output, keys);
    },
  };
  const prompt = new RecallingPrompt(options, earlier);
  return outcome<string>(await prompt.prompt(), prompt.userInput);
}

/** What no text contains: the characters of keys such as Ctrl-C, and halves of characters. */
const noText = /[^\P{Cc}\n\t]|\p{Cs}/gu;

/**
 * A text of several lines. Clack would write the character of every key into it; and it takes a character of two UTF-16 units,
 * such as an emoji, for two characters, but moves the cursor by one after all that it inserts.
 */
class LinesPrompt extends MultiLinePrompt {
  constructor(options: ConstructorParameters<typeof MultiLinePrompt>[0]) {
    super(options);
    this.on('key', (_, key) => {
      if (/^[\uDC00-\uDFFF]/.test(this.userInput.slice(this._cursor))) this._cursor += key?.name === 'right' ? 1 : -1;
    });
  }

  protected override _setUserInput(value = '', write?: boolean): void {
    const text = value.replace(noText, '');
    const added = text.length - this.userInput.length;
    const half = value.search(noText);
    if (!write && value.length > this.userInput.length) this._cursor += added - 1;
    // Backspace, of which Clack knows that it goes back by one.
    else if (half >= 0 && half === this._cursor - 2) this._cursor -= 1;
    super._setUserInput(text, write);
  }
}

/** A text of several lines, which Ctrl-D completes. @param message - fits the terminal */
export async function resumableLines(
  { message, initial, validate }: TextRequest,
  streams: Streams,
): Promise<PromptResult<string>> {
  const prompt = new LinesPrompt({
    ...streams,
    showSubmit: true,
    validate: typed => validate(typed ?? ''),
    ...(initial !== undefined && { initialValue: initial }),
    render() {
      const body = over(this.state) ? this.userInput : this.userInput ? this.userInputWithCursor : emptyLine;
      const foot = `\n  ${styleText(this.focused === 'submit' ? 'cyan' : 'dim', '[ submit ]')}`;
      return frame(this, message, body, streams.output, foot);
    },
  });
  const submit = (_: unknown, key: Key | undefined): void => {
    if (!key?.ctrl || key.name !== 'd') return;
    prompt.focused = 'submit';
    Object.assign(key, { name: 'return', sequence: '\r', ctrl: false });
  };
  streams.input.prependListener('keypress', submit);
  try {
    return outcome<string>(await prompt.prompt(), prompt.userInput);
  } finally {
    streams.input.removeListener('keypress', submit);
  }
}

const pickText = ({ label, hint }: Pick): string =>
  hint === undefined ? label : `${label} ${styleText('dim', `(${hint})`)}`;

/** The rows of a list that fit below its message. */
const rowsOf = (
  cursor: number,
  picks: readonly Pick[],
  message: string,
  output: Streams['output'],
  style: (pick: Pick, active: boolean) => string,
): string[] =>
  limitOptions({
    cursor,
    options: [...picks],
    output,
    columnPadding: 3,
    rowPadding: message.split('\n').length + 4,
    style,
  });

/** A list of which one is chosen. */
export interface Choice {
  /** Fits the terminal. */
  readonly message: string;
  readonly picks: readonly Pick[];
  readonly initial: string | undefined;
}

/** Without an answer, what was entered is what the cursor was on. */
export async function resumableChoice(
  { message, picks, initial }: Choice,
  streams: Streams,
): Promise<PromptResult<string>> {
  const prompt = new SelectPrompt<Pick>({
    ...streams,
    options: [...picks],
    ...(initial !== undefined && { initialValue: initial }),
    render() {
      const chosen = picks[this.cursor]?.label ?? '';
      const rows = rowsOf(this.cursor, picks, message, streams.output, (pick, active) =>
        active
          ? `${styleText('green', S_RADIO_ACTIVE)} ${pickText(pick)}`
          : styleText('dim', `${S_RADIO_INACTIVE} ${pick.label}`),
      );
      const body = !over(this.state)
        ? rows.join('\n')
        : this.state === 'cancel'
          ? styleText('strikethrough', chosen)
          : chosen;
      return frame(this, message, body, streams.output, `  ${SELECT_INSTRUCTIONS.join(' • ')}`);
    },
  });
  return outcome<string>(await prompt.prompt(), prompt.value ?? '');
}

/** A list of check boxes. */
export async function resumableTicks(
  {
    message,
    picks,
    initial,
  }: { readonly message: string; readonly picks: readonly Pick[]; readonly initial: readonly string[] },
  streams: Streams,
): Promise<PromptResult<readonly string[]>> {
  const prompt = new MultiSelectPrompt({
    ...streams,
    options: picks,
    initialValues: initial,
    required: false,
    render() {
      const chosen = new Set(this.value ?? []);
      const names = picks.filter(pick => chosen.has(pick.value)).map(pick => pick.label);
      const rows = rowsOf(this.cursor, picks, message, streams.output, (pick, active) => {
        const box = chosen.has(pick.value) ? styleText('green', S_CHECKBOX_SELECTED) : S_CHECKBOX_INACTIVE;
        const text = pickText(pick);
        return `${active ? styleText('cyan', box) : box} ${active ? text : styleText('dim', text)}`;
      });
      const body = over(this.state) ? names.join(', ') || 'none' : rows.join('\n');
      const keys = `  ${styleText('dim', 'Space ticks, Enter is done')}`;
      return frame(this, message, body, streams.output, keys);
    },
  });
  return outcome<readonly string[]>(await prompt.prompt(), prompt.value ?? []);
}
