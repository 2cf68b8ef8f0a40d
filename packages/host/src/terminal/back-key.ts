/**
 * Keys that go back to the previous field: Shift+Tab anywhere, and Up in a prompt with one line of text. Clack's prompts end on
 * Esc only, so the key is passed to them as Esc; the entered text is kept as it is on Esc.
 */
import type { BorrowedInput } from './borrowed-input.ts';
import type { PromptResult } from './prompter.ts';

/** As `node:readline` reports it; `name` and `sequence` are what a prompt looks at. */
interface Key {
  name?: string | undefined;
  sequence?: string | undefined;
  shift?: boolean;
}

/**
 * Runs a prompt in which these keys go back.
 * @param keys - `none` if there is no previous field; `line` adds Up
 */
export async function withBackKeys<T>(
  input: BorrowedInput,
  keys: 'none' | 'line' | 'any',
  run: () => Promise<PromptResult<T>>,
): Promise<PromptResult<T>> {
  if (keys === 'none') return run();
  let pressed = false;
  const translate = (_: unknown, key: Key | undefined): void => {
    if (!key || !((key.name === 'tab' && key.shift) || (keys === 'line' && key.name === 'up'))) return;
    pressed = true;
    // The listeners of the prompt come after this one and get the same object.
    Object.assign(key, { name: 'escape', sequence: '\u001b', shift: false });
  };
  input.prependListener('keypress', translate);
  try {
    const result = await run();
    return pressed && !result.given ? { ...result, toFieldBefore: true } : result;
  } finally {
    input.removeListener('keypress', translate);
  }
}
