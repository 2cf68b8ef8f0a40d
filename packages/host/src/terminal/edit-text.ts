/**
 * Asks for a text of several lines: in the person's editor if there is one, else right in the terminal.
 *
 * - editor-T3 A text with lines that an editor would obey (settings for Vim or Emacs) is not opened in an editor.
 */

import { visible } from '../index.ts';
import type { Editor } from './editor.ts';
import { type Prompter, type PromptResult, type TextPrompt, type Unanswered, unanswered } from './prompter.ts';

const obeyed = /(?:^|\s)(?:vim?|ex)(?:[<=>]?\d+)?:|-\*-|local variables:/im;

/** Longer texts are cut before they are edited. */
const longest = 1_000_000;

/** A prompt that is safe to draw, and a function that maps its result back. */
export interface SafePrompt {
  readonly prompt: TextPrompt;
  readonly untouched: (text: string) => string;
}

/**
 * Makes a prompt for a text that may contain anything: hidden characters are written out before it is shown, and a text that was
 * not edited is returned unchanged to the letter.
 * @param lines - true keeps line breaks
 */
export function safePrompt(prompt: TextPrompt, lines: boolean): SafePrompt {
  const { initial, validate } = prompt;
  if (initial === undefined) return { prompt, untouched: text => text };
  const safeText = visible(initial, { lines, max: longest });
  const untouched = (text: string): string => (text === safeText ? initial : text);
  return { prompt: { ...prompt, initial: safeText, validate: text => validate(untouched(text)) }, untouched };
}

/**
 * @param request - `initial` may contain anything: hidden characters are written out before it is shown
 * @returns the text, unchanged to the letter if it was not edited; without an answer, what had been entered, if that was
 *   changed
 */
export async function editText(
  prompter: Prompter,
  editor: Editor | undefined,
  request: TextPrompt,
): Promise<PromptResult<string>> {
  const { prompt, untouched } = safePrompt({ ...request, initial: request.initial ?? '' }, true);
  const { initial: initialText = '', validate, ...rest } = prompt;
  let text = initialText;
  const left = (): Unanswered<string> =>
    text === initialText ? unanswered : { answered: false, typed: untouched(text) };
  if (editor && obeyed.test(initialText))
    prompter.say(['It contains lines that editors would obey, so you edit it here.']);
  for (;;) {
    const choice = editor !== undefined && !obeyed.test(text);
    const chosen = choice ? await place(prompter, editor, rest) : hereOnly;
    if (!chosen.answered) return chosen.toFieldBefore ? { ...left(), toFieldBefore: true } : left();
    const opened = chosen.value;
    if (opened === inPrompt || !editor) {
      const written = await prompter.lines({ ...rest, validate, ...(text !== '' && { initial: text }) });
      if (written.answered) return { answered: true, value: untouched(written.value) };
      text = written.typed ?? text;
      if (written.toFieldBefore) return { ...left(), toFieldBefore: true };
      // One step back is the choice of where to write it.
      if (choice && !rest.signal.aborted && !prompter.starved) continue;
      return left();
    }
    const edited = await editor.edit(text, rest.signal);
    if (rest.signal.aborted) return left();
    if ('problem' in edited) prompter.say([`! ${edited.problem}`]);
    else {
      text = edited.text;
      const wrong = validate(text);
      if (wrong === undefined) return { answered: true, value: untouched(text) };
      prompter.say([`! ${wrong}`]);
    }
  }
}

const inPrompt = 'here';
const hereOnly = { answered: true, value: inPrompt } as const;

async function place(
  prompter: Prompter,
  editor: Editor,
  prompt: Pick<TextPrompt, 'message' | 'signal' | 'fieldBefore'>,
): Promise<PromptResult<string>> {
  const picks = [
    { value: 'editor', label: `Open it in ${editor.name}`, hint: 'save and quit when you are done' },
    { value: inPrompt, label: 'Write it here' },
  ];
  return prompter.choose({ ...prompt, picks, initial: 'editor' });
}
