/**
 * Lets a signal to the process do what Ctrl-C does as a key: between two prompts, and where the terminal is not read key by
 * key, it comes as a signal. The prompt that is open then gives nothing, and keeps what stood there.
 */
import { underOwnSignal } from './own-signal.ts';
import type { Prompter } from './prompter.ts';

export interface Interruptible extends Prompter {
  /** Ends the prompt that is open; nothing where none is, as while an editor has the terminal. */
  interrupt(): void;
}

export function interruptible(prompter: Prompter): Interruptible {
  let open: (() => void) | undefined;
  const during = <P extends { readonly signal: AbortSignal }, T>(
    prompt: P,
    ask: (prompt: P) => Promise<T>,
  ): Promise<T> =>
    underOwnSignal(prompt.signal, async (signal, abort) => {
      open = abort;
      try {
        return await ask({ ...prompt, signal });
      } finally {
        open = undefined;
      }
    });
  return {
    get starved() {
      return prompter.starved;
    },
    interrupt: () => open?.(),
    say: lines => prompter.say(lines),
    text: prompt => during(prompt, given => prompter.text(given)),
    secret: prompt => during(prompt, given => prompter.secret(given)),
    lines: prompt => during(prompt, given => prompter.lines(given)),
    choose: prompt => during(prompt, given => prompter.choose(given)),
    chooseMany: prompt => during(prompt, given => prompter.chooseMany(given)),
    close: () => prompter.close(),
  };
}
