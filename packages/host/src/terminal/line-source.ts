/**
 * Lines of an input, one at a time; none is lost between two prompts. A TTY is read key by key: otherwise Ctrl-C would reach
 * every program of the terminal, including the server that asks.
 */
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { BorrowedInput } from './borrowed-input.ts';
import { type PromptResult, unanswered } from './prompter.ts';
import { textWidth } from './wrap.ts';

/** Where plain prompts read from. */
export interface LineSource {
  /**
   * @param ready - called when the keyboard is ours: write the prompt then, so that no Ctrl-C after it is lost
   * @param hidden - true shows a mask character in place of each key
   */
  next(signal: AbortSignal, ready: () => void, hidden?: boolean): Promise<PromptResult<string>>;
  /** True once a prompt got no answer because the input has ended. */
  readonly starved: boolean;
}

/** An output as far as it may be a terminal. */
export type MaybeColumns = Writable & { readonly columns?: number };

export function lineSource(input: BorrowedInput, output: Writable): LineSource {
  return input.isTTY ? keys(input, output) : lines(input);
}

/** Calls `onAbort` once when the signal fires. @returns stops listening */
function onAborted(signal: AbortSignal, onAbort: () => void): () => void {
  signal.addEventListener('abort', onAbort, { once: true });
  return () => signal.removeEventListener('abort', onAbort);
}

function lines(input: Readable): LineSource {
  let starved = false;
  return {
    get starved() {
      return starved;
    },
    next(signal, ready) {
      ready();
      starved = input.readableEnded;
      if (starved || signal.aborted) return Promise.resolve(unanswered);
      return new Promise(resolve => {
        let read = Buffer.alloc(0);
        /** @param length - of the line; what follows it is left for the next prompt */
        const done = (result: PromptResult<string>, length: number): void => {
          stop();
          input.off('data', onData).off('end', onEnd).pause();
          if (length < read.length) input.unshift(read.subarray(length));
          resolve(result);
        };
        const line = (length: number): PromptResult<string> => ({
          answered: true,
          value: read.toString('utf8', 0, length).replace(/\r?\n?$/, ''),
        });
        const onData = (chunk: Buffer): void => {
          const end = chunk.indexOf(0x0a);
          const length = end < 0 ? undefined : read.length + end + 1;
          read = Buffer.concat([read, chunk]);
          if (length !== undefined) done(line(length), length);
        };
        const onEnd = (): void => {
          starved = read.length === 0;
          done(starved ? unanswered : line(read.length), read.length);
        };
        const stop = onAborted(signal, () => done(unanswered, 0));
        input.on('data', onData).on('end', onEnd).resume();
      });
    },
  };
}

function keys(input: Readable, output: Writable): LineSource {
  let starved = false;
  return {
    get starved() {
      return starved;
    },
    next(signal, ready, hidden = false) {
      starved = input.readableEnded;
      if (starved || signal.aborted) return Promise.resolve(unanswered);
      return new Promise(resolve => {
        const decoder = new StringDecoder('utf8');
        let typed: string[] = [];
        const done = (result: PromptResult<string>): void => {
          stop();
          input.off('data', onData).off('end', onEnd).pause();
          if (result.answered) output.write('\n');
          resolve(result);
        };
        const leave = (): void => done({ answered: false, typed: typed.join('') });
        const stop = onAborted(signal, leave);
        const press = (key: string): boolean => {
          if (key === '\r' || key === '\n') done({ answered: true, value: typed.join('') });
          else if (key === '\u0003' || (key === '\u0004' && typed.length === 0)) {
            starved = key === '\u0004';
            leave();
          } else if (key === '\u007f' || key === '\b') {
            const columns = hidden ? Math.min(typed.length, 1) : textWidth(typed.at(-1) ?? '');
            output.write('\b'.repeat(columns) + ' '.repeat(columns) + '\b'.repeat(columns));
            typed = typed.slice(0, -1);
          } else if (key >= ' ') {
            typed.push(key);
            output.write(hidden ? '*' : key);
          }
          return key !== '\r' && key !== '\n' && key !== '\u0003';
        };
        const onData = (chunk: Buffer): void => {
          // Arrows and similar keys mean nothing to a plain line.
          const pressed = [...decoder.write(chunk).replace(/\u001b(?:\[[0-9;?]*)?[@-~]/g, '')];
          const last = pressed.findIndex(key => !press(key));
          // Typed ahead of the next prompt.
          if (last >= 0 && last + 1 < pressed.length) input.unshift(pressed.slice(last + 1).join(''));
        };
        const onEnd = (): void => {
          starved = true;
          leave();
        };
        ready();
        input.on('data', onData).on('end', onEnd).resume();
      });
    },
  };
}
