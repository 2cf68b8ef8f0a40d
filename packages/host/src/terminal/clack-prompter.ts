/** Draws prompts on a real terminal; long lists can be filtered by typing. */
import { autocomplete, autocompleteMultiselect, isCancel, password } from '@clack/prompts';
import { beforeEnd } from '../base/index.ts';
import type { BorrowedInput } from './borrowed-input.ts';
import { fitted } from './frame.ts';
import type { MaybeColumns } from './line-source.ts';
import {
  type ChoicePrompt,
  type ManyPrompt,
  type Pick,
  type Prompter,
  type PromptResult,
  unanswered,
} from './prompter.ts';
import {
  type Choice,
  type Key,
  resumableChoice,
  resumableLines,
  resumableText,
  resumableTicks,
  type Streams,
} from './resumable-prompts.ts';
import { wrapped } from './wrap.ts';

/** The symbol in front of a question, and blanks of the same width. */
const guide = '│  ';

const showCursor = '\u001b[?25h';

/** From this many entries on, a list is searched rather than walked through. */
const longList = 12;

/** What the cursor is on while nothing is chosen. */
const nothingChosen: Pick = { value: 'nothing-chosen', label: '(nothing chosen yet)' };

/** True if a search matches a choice; the entry for no choice matches no search. */
const matches = (
  search: string,
  { value, label = '', hint = '' }: { value: string; label?: string; hint?: string },
): boolean =>
  search === '' || (value !== nothingChosen.value && `${label} ${hint}`.toLowerCase().includes(search.toLowerCase()));

/**
 * A prompter that draws.
 * @param input - a TTY
 */
export function clackPrompter(input: BorrowedInput, output: MaybeColumns): Prompter {
  const result = <T>(value: T): PromptResult<Exclude<T, symbol>> =>
    isCancel(value) ? unanswered : { answered: true, value: value as Exclude<T, symbol> };
  /** Clack indents the lines it wraps in the question of a choice, but not these. */
  const setIn = (message: string): string =>
    wrapped(message, output.columns === undefined ? undefined : output.columns - guide.length, '').join(`\n${guide}`);
  const options = (picks: readonly Pick[]) =>
    picks.map(({ value, label, hint }) => ({ value, label, ...(hint !== undefined && { hint }) }));
  /**
   * Clack would never remove its listener from the signal, and would leave the prompt on the screen as if it were open: it hears
   * of the signal as of the key. And it hides the cursor until the prompt is over, which this process may not live to see.
   */
  const during = async <T>(
    signal: AbortSignal,
    ask: (streams: Streams) => Promise<PromptResult<T>>,
  ): Promise<PromptResult<T>> => {
    if (signal.aborted) return unanswered;
    const leave = (): void => input.pressEscape();
    signal.addEventListener('abort', leave, { once: true });
    const stopGuarding = beforeEnd(() => void output.write(showCursor));
    try {
      return await ask({ input, output });
    } finally {
      signal.removeEventListener('abort', leave);
      stopGuarding();
    }
  };
  const ticks = (prompt: ManyPrompt, message: string, initial: readonly string[]) =>
    during(prompt.signal, async (streams): Promise<PromptResult<readonly string[]>> => {
      const { picks } = prompt;
      if (picks.length <= longList) return resumableTicks({ message: setIn(message), picks, initial }, streams);
      let ticked = (): readonly string[] => initial;
      const all = options(picks);
      const value = await autocompleteMultiselect({
        ...streams,
        message: setIn(message),
        initialValues: [...initial],
        required: false,
        placeholder: 'Type to search',
        options() {
          ticked = () => this.selectedValues;
          return all;
        },
      });
      return isCancel(value) ? { answered: false, typed: ticked() } : { answered: true, value };
    });
  return {
    starved: false,
    say: lines =>
      void output.write(
        fitted(lines, output.columns)
          .map(line => `${line}\n`)
          .join(''),
      ),
    text: prompt =>
      withKeys(input, backKeys(prompt, 'line'), () =>
        during(prompt.signal, streams => resumableText({ ...prompt, message: setIn(prompt.message) }, streams)),
      ),
    secret: prompt =>
      withKeys(input, backKeys(prompt, 'line'), () =>
        during(prompt.signal, async streams => {
          const message = setIn(prompt.message);
          const validate = (typed: string | undefined) => prompt.validate(typed ?? '');
          return result((await password({ ...streams, message, validate })) ?? '');
        }),
      ),
    lines: prompt => {
      input.pastesLines = true;
      const message = setIn(`${prompt.message} (Tab, then Enter, when you are done)`);
      return withKeys(input, backKeys(prompt, 'any'), () =>
        during(prompt.signal, streams => resumableLines({ ...prompt, message }, streams)),
      ).finally(() => {
        input.pastesLines = false;
      });
    },
    choose: prompt => withKeys(input, backKeys(prompt, 'any'), () => choose(prompt)),
    chooseMany: prompt => withKeys(input, backKeys(prompt, 'any'), () => chooseMany(prompt)),
  };

  async function choose(prompt: ChoicePrompt): Promise<PromptResult<string>> {
    const { message, signal, initial, unchosen, onLeft } = prompt;
    const picks = [...(unchosen && initial === undefined ? [nothingChosen] : []), ...prompt.picks];
    for (let question = message; ; question = `${message} — choose one of them`) {
      const asked = { message: setIn(question), picks, initial };
      const chosen = await during(signal, streams =>
        prompt.picks.length > longList ? searched(asked, streams) : resumableChoice(asked, streams),
      );
      if (!chosen.answered) {
        if (chosen.typed !== undefined && chosen.typed !== nothingChosen.value) onLeft?.(chosen.typed);
        return unanswered;
      }
      if (chosen.value !== nothingChosen.value) return chosen;
    }
  }

  async function searched({ message, picks, initial }: Choice, streams: Streams): Promise<PromptResult<string>> {
    let at = (): string | undefined => initial;
    const all = options(picks);
    const value = await autocomplete({
      ...streams,
      ...(initial !== undefined && { initialValue: initial }),
      message,
      placeholder: 'Type to search',
      filter: matches,
      options() {
        at = () => this.focusedValue;
        return all;
      },
    });
    if (!isCancel(value)) return { answered: true, value };
    const typed = at();
    return typed === undefined ? unanswered : { answered: false, typed };
  }

  async function chooseMany(prompt: ManyPrompt): Promise<PromptResult<readonly string[]>> {
    let { initial } = prompt;
    for (let problem = ''; ; ) {
      const chosen = await ticks(prompt, problem === '' ? prompt.message : `${prompt.message} — ${problem}`, initial);
      if (!chosen.answered) return chosen;
      const wrong = prompt.validate(chosen.value);
      if (wrong === undefined) return chosen;
      problem = wrong;
      initial = chosen.value;
    }
  }
}

const backKeys = <K extends string>({ fieldBefore }: { readonly fieldBefore?: string }, keys: K): K | 'none' =>
  fieldBefore === undefined ? 'none' : keys;

/**
 * Runs a prompt in which Shift+Tab, and Up in a prompt with one line of text, go back to the previous field. Clack's prompts
 * end on Esc only, so the key is passed to them as Esc, which leaves the entered text as it is. So is Ctrl-D: for the readline
 * in a prompt it is the end of the input, after which the prompt would stay and hear no key. Ctrl-Z does nothing: readline
 * would stop this process, but not the one that started it, such as npx, which would keep the terminal.
 * @param keys - `none` if there is no previous field; `line` adds Up
 */
async function withKeys<T>(
  input: BorrowedInput,
  keys: 'none' | 'line' | 'any',
  run: () => Promise<PromptResult<T>>,
): Promise<PromptResult<T>> {
  let pressed = false;
  // The listeners of the prompt come after this one and get the same object.
  const translate = (_: unknown, key: Key | undefined): void => {
    if (!key) return;
    const toEscape = (): unknown => Object.assign(key, { name: 'escape', sequence: '\u001b', shift: false });
    if (key.ctrl && key.name === 'd') toEscape();
    else if (key.ctrl && key.name === 'z') key.name = undefined;
    else if (keys !== 'none' && ((key.name === 'tab' && key.shift) || (keys === 'line' && key.name === 'up'))) {
      pressed = true;
      toEscape();
    }
  };
  input.prependListener('keypress', translate);
  try {
    const result = await run();
    return pressed && !result.answered ? { ...result, toFieldBefore: true } : result;
  } finally {
    input.removeListener('keypress', translate);
  }
}
