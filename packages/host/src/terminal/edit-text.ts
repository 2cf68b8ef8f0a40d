/**
 * Asks for a text of several lines: in the person's editor if there is one, else right in the terminal.
 *
 * - editor-T3 A text that holds lines an editor obeys (Vim's and Emacs's settings in a file) is opened in none.
 */
import type { Editor } from './editor.ts';
import { notGiven, type Prompter, type PromptResult, type TextPrompt } from './prompter.ts';
import { safePrompt } from './safe-prompt.ts';

const obeyed = /(?:^|\s)(?:vim?|ex)(?:[<=>]?\d+)?:|-\*-|local variables:/im;

/**
 * @param request - `initial` may hold anything: what hides is written out before it is seen
 * @returns the text as it was given, to the letter, where it was not touched; where nothing is given, what stood there, if
 *   that was changed
 */
export async function editText(
  prompter: Prompter,
  editor: Editor | undefined,
  request: TextPrompt,
): Promise<PromptResult<string>> {
  const { prompt, untouched } = safePrompt({ ...request, initial: request.initial ?? '' }, true);
  const { initial: initialText = '', validate, ...rest } = prompt;
  let text = initialText;
  const left = (): PromptResult<string> => (text === initialText ? notGiven : { given: false, typed: untouched(text) });
  if (editor && obeyed.test(initialText)) prompter.say(['It holds lines that editors obey, so it is written here.']);
  for (;;) {
    const choice = editor !== undefined && !obeyed.test(text);
    const opened = choice ? await place(prompter, editor, rest) : inPrompt;
    if (opened === undefined) return left();
    if (opened === inPrompt || !editor) {
      const written = await prompter.lines({ ...rest, validate, ...(text !== '' && { initial: text }) });
      if (written.given) return { given: true, value: untouched(written.value) };
      text = written.typed ?? text;
      // One step back is the choice where to write it.
      if (choice && !rest.signal.aborted && !prompter.starved) continue;
      return left();
    }
    const edited = await editor.edit(text, rest.signal);
    if (rest.signal.aborted) return left();
    if ('problem' in edited) prompter.say([`! ${edited.problem}`]);
    else {
      text = edited.text;
      const wrong = validate(text);
      if (wrong === undefined) return { given: true, value: untouched(text) };
      prompter.say([`! ${wrong}`]);
    }
  }
}

const inPrompt = 'here';

async function place(
  prompter: Prompter,
  editor: Editor,
  { message, signal }: Pick<TextPrompt, 'message' | 'signal'>,
): Promise<string | undefined> {
  const picks = [
    { value: 'editor', label: `Open it in ${editor.name}`, hint: 'save and quit when you are done' },
    { value: inPrompt, label: 'Write it here' },
  ];
  const chosen = await prompter.choose({ message, picks, initial: 'editor', signal });
  return chosen.given ? chosen.value : undefined;
}
