/**
 * Makes Ctrl-C one step back, whether it comes as a key or as a signal to the process. The keys of a terminal are held from
 * the first prompt of a question until they are given back: between two prompts, too, Ctrl-C waits as a key for the next
 * one, and does not end the server that asks.
 */
import type { MaybeTty } from './line-source.ts';
import { underOwnSignal } from './own-signal.ts';
import type { Prompter } from './prompter.ts';

export interface Interruptible extends Prompter {
  /** Ends the prompt that is open; nothing if none is, as while an editor has the terminal. */
  interrupt(): void;
  /** Gives the keys back until the next prompt: to an editor, or once the question is over. */
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
