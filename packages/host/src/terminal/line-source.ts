/**
 * Lines of a stream, one at a time; none is lost between two prompts. A TTY is read key by key, and stays in that mode:
 * otherwise Ctrl-C would reach every program of the terminal, including the server that asks. Whoever holds the keyboard
 * releases it.
 */
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { notGiven, type PromptResult } from './prompter.ts';

/** Where plain prompts read from. */
export interface LineSource {
  /**
   * @param ready - called when the keyboard is ours: write the prompt then, so that no Ctrl-C after it is lost
   * @param hidden - true shows a mask character in place of each key
   */
  next(signal: AbortSignal, ready: () => void, hidden?: boolean): Promise<PromptResult<string>>;
  /** True once a prompt got no answer because the input has ended. */
  readonly starved: boolean;
  close(): void;
}

/** An output as far as it may be a terminal. */
export type MaybeColumns = Writable & { readonly columns?: number };

/** An input as far as it may be a terminal. */
export type MaybeTty = Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };

export function lineSource(input: MaybeTty, output: Writable): LineSource {
  return input.isTTY === true && input.setRawMode ? keys(input, output) : lines(input);
}

/** Calls `onAbort` once when the signal fires. @returns stops listening */
function onAborted(signal: AbortSignal, onAbort: () => void): () => void {
  signal.addEventListener('abort', onAbort, { once: true });
  return () => signal.removeEventListener('abort', onAbort);
}

function lines(input: Readable): LineSource {
  const read: string[] = [];
  let waiting: ((line: PromptResult<string>) => void) | undefined;
  let [ended, starved] = [false, false];
  const reader = createInterface({ input, terminal: false, crlfDelay: Number.POSITIVE_INFINITY });
  reader.on('line', line => {
    if (waiting) waiting({ given: true, value: line });
    else read.push(line);
  });
  reader.on('close', () => {
    ended = true;
    starved = waiting !== undefined;
    waiting?.(notGiven);
  });
  return {
    get starved() {
      return starved;
    },
    next(signal, ready) {
      ready();
      const line = read.shift();
      if (line !== undefined) return Promise.resolve({ given: true, value: line });
      starved = ended;
      if (ended || signal.aborted) return Promise.resolve(notGiven);
      return new Promise(resolve => {
        const stop = onAborted(signal, () => waiting?.(notGiven));
        waiting = result => {
          waiting = undefined;
          stop();
          resolve(result);
        };
      });
    },
    close: () => reader.close(),
  };
}

function keys(input: MaybeTty, output: Writable): LineSource {
  let starved = false;
  /** Typed ahead of the prompt. */
  const left: string[] = [];
  return {
    get starved() {
      return starved;
    },
    next(signal, ready, hidden = false) {
      if (signal.aborted) return Promise.resolve(notGiven);
      return new Promise(resolve => {
        const decoder = new StringDecoder('utf8');
        let typed: string[] = [];
        const done = (result: PromptResult<string>): void => {
          stop();
          input.off('data', onData);
          input.pause();
          if (result.given) output.write('\n');
          resolve(result);
        };
        const leave = (): void => done({ given: false, typed: typed.join('') });
        const stop = onAborted(signal, leave);
        const press = (key: string): boolean => {
          if (key === '\r' || key === '\n') done({ given: true, value: typed.join('') });
          else if (key === '\u0003' || (key === '\u0004' && typed.length === 0)) {
            starved = key === '\u0004';
            leave();
          } else if (key === '\u007f' || key === '\b') {
            if (typed.length > 0) output.write('\b \b');
            typed = typed.slice(0, -1);
          } else if (key >= ' ') {
            typed.push(key);
            output.write(hidden ? '*' : key);
          }
          return key !== '\r' && key !== '\n' && key !== '\u0003';
        };
        const onData = (chunk: Buffer): void => {
          // Arrows and similar keys mean nothing to a plain line.
          const pressed = decoder.write(chunk).replace(/\u001b(?:\[[0-9;?]*)?[@-~]/g, '');
          take([...pressed]);
        };
        const take = (pressed: readonly string[]): void => {
          const last = pressed.findIndex(key => !press(key));
          if (last >= 0) left.push(...pressed.slice(last + 1));
        };
        input.setRawMode?.(true);
        input.on('data', onData);
        input.resume();
        ready();
        take(left.splice(0));
      });
    },
    close() {
      input.setRawMode?.(false);
      input.pause();
    },
  };
}
