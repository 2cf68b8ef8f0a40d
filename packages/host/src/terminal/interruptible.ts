/** Makes Ctrl-C go one step back, whether it comes as a key or as a signal to the process. */
import type { BorrowedInput } from './borrowed-input.ts';
import { underOwnSignal } from './own-signal.ts';
import type { Prompter } from './prompter.ts';

export interface Interruptible extends Prompter {
  /** Ends the open prompt, if there is one; there is none while an editor has the terminal. */
  interrupt(): void;
}

/** @param input - borrowed by each prompt; whoever asks gives it back when the question is over */
export function interruptible(prompter: Prompter, input: BorrowedInput): Interruptible {
  let open: (() => void) | undefined;
  const during = <P extends { readonly signal: AbortSignal }, T>(
    prompt: P,
    ask: (prompt: P) => Promise<T>,
  ): Promise<T> =>
    underOwnSignal(prompt.signal, async (signal, abort) => {
      open = abort;
      input.borrow();
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
    text: prompt => during(prompt, request => prompter.text(request)),
    secret: prompt => during(prompt, request => prompter.secret(request)),
    lines: prompt => during(prompt, request => prompter.lines(request)),
    choose: prompt => during(prompt, request => prompter.choose(request)),
    chooseMany: prompt => during(prompt, request => prompter.chooseMany(request)),
  };
}
