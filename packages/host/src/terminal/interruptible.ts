/**
 * Makes Ctrl-C go one step back, whether it comes as a key or as a signal to the process. The keyboard is held from the first
 * prompt of a question until it is released: between two prompts, too, Ctrl-C is kept for the next one, and does not end the
 * server that asks.
 */
import type { MaybeTty } from './line-source.ts';
import { underOwnSignal } from './own-signal.ts';
import type { Prompter } from './prompter.ts';

export interface Interruptible extends Prompter {
  /** Ends the open prompt, if there is one; there is none while an editor has the terminal. */
  interrupt(): void;
  /** Releases the keyboard until the next prompt: to an editor, or when the question is over. */
  giveBackKeys(): void;
}

export function interruptible(prompter: Prompter, input: MaybeTty): Interruptible {
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
        if (input.isTTY === true) input.setRawMode?.(true);
      }
    });
  return {
    get starved() {
      return prompter.starved;
    },
    interrupt: () => open?.(),
    giveBackKeys: () => void (input.isTTY === true && input.setRawMode?.(false)),
    say: lines => prompter.say(lines),
    text: prompt => during(prompt, request => prompter.text(request)),
    secret: prompt => during(prompt, request => prompter.secret(request)),
    lines: prompt => during(prompt, request => prompter.lines(request)),
    choose: prompt => during(prompt, request => prompter.choose(request)),
    chooseMany: prompt => during(prompt, request => prompter.chooseMany(request)),
    close: () => prompter.close(),
  };
}
