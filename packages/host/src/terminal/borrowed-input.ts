/**
 * The input of a terminal, borrowed from the host for a question.
 *
 * - input-B1 Meanwhile nobody else hears what is typed, such as a readline of the host: it may be a secret.
 * - input-B2 Afterwards the input is as it was found: its listeners, its raw mode, and whether it is read. What was typed ahead
 *   is the host's again. If this process ends before that, at least the raw mode is as it was.
 * - input-B3 Ctrl-C is a key from the first prompt of a question to its end: between two prompts, too, it is kept for the next
 *   one, and does not end the server that asks.
 * - input-B4 What is pasted into a drawn prompt is text, and none of its characters is a key: a line break submits nothing, and a
 *   tab goes nowhere. Ctrl-C that is typed before its end leaves the prompt. The terminal marks pastes from the first prompt of a
 *   question to its end, but not for another program.
 */
import { Readable, type Writable } from 'node:stream';
import { beforeEnd } from '../base/index.ts';

/** An input as far as it may be a terminal. */
export type MaybeTty = Readable & {
  readonly isTTY?: boolean;
  readonly isRaw?: boolean;
  setRawMode?(raw: boolean): unknown;
};

/** What a terminal that marks pastes sends after one. */
const endOfPaste = '\u001b[201~';

const ctrlC = '\u0003';

/** The events by which an input is read. */
const readingEvents = ['data', 'readable', 'keypress'] as const;

type Listener = (...args: unknown[]) => void;

/** How an input was found. */
interface Found {
  readonly listeners: readonly { readonly event: string; readonly listener: Listener }[];
  readonly flowing: boolean | null;
  readonly raw: boolean;
}

/** What prompts read from: it hears only what is typed while the input is borrowed. */
export class BorrowedInput extends Readable {
  readonly isTTY: boolean;
  /** True if the text of a paste keeps its line breaks. */
  pastesLines = false;
  readonly #input: MaybeTty;
  readonly #screen: Writable | undefined;
  #found: Found | undefined;
  #stopGuarding = (): void => {};
  #marksPastes = false;
  /** What has come of a paste that has not ended, key by key. */
  #pasted: string[] | undefined;

  /** @param screen - where prompts are drawn: the terminal is asked there to mark pastes; absent if none are drawn */
  constructor(input: MaybeTty, screen?: Writable) {
    super();
    this.#input = input;
    this.isTTY = input.isTTY === true && input.setRawMode !== undefined;
    this.#screen = this.isTTY ? screen : undefined;
  }

  /** Does nothing: prompts call it, but the mode is set here (input-B3). */
  setRawMode(): this {
    return this;
  }

  override _read(): void {
    // What is typed comes by itself.
  }

  /** Reads the input from now on, and is its only reader. */
  borrow(): void {
    const input = this.#input;
    if (!this.#found) {
      const listeners = readingEvents.flatMap(event =>
        input.rawListeners(event).map(listener => ({ event, listener: listener as Listener })),
      );
      this.#found = { listeners, flowing: input.readableFlowing, raw: input.isRaw === true };
      if (this.isTTY)
        this.#stopGuarding = beforeEnd(() => {
          this.#markPastes(false);
          this.#setMode(this.#found?.raw === true);
        });
      for (const { event, listener } of listeners) input.off(event, listener);
      input.on('data', this.#feed).on('end', this.#over).on('close', this.#over).on('error', this.#over);
      if (input.readableEnded || input.destroyed) this.#over();
    }
    this.#setMode(true);
    this.#markPastes(true);
    input.resume();
  }

  /** Leaves the terminal to another program for a while, such as an editor: nothing is read. */
  lend(): void {
    if (!this.#found) return;
    this.#input.pause();
    this.#markPastes(false);
    this.#setMode(false);
  }

  /** The question is over (input-B2). */
  giveBack(): void {
    const input = this.#input;
    const found = this.#found;
    if (!found) return;
    this.#stopGuarding();
    this.#found = undefined;
    // The rest of a paste comes to whoever reads next; as keys, it could answer a question.
    if (found.flowing) this.#pasted = undefined;
    this.#markPastes(false);
    input.off('data', this.#feed).off('end', this.#over).off('close', this.#over).off('error', this.#over);
    input.pause();
    // After its end an input takes nothing back; then it is there for the next question.
    const ahead: Buffer | null = input.readableEnded || input.destroyed ? null : this.read();
    if (ahead) input.unshift(input.readableEncoding ? ahead.toString(input.readableEncoding) : ahead);
    for (const { event, listener } of found.listeners) input.on(event, listener);
    this.#setMode(found.raw);
    if (found.flowing) input.resume();
    // A listener hears an input that nobody has read yet; it hears nothing of one that is paused.
    else if (found.flowing === null) Reflect.set(input, 'readableFlowing', null);
  }

  /** Gives the input back for good: every prompt ends without an answer. */
  close(): void {
    this.giveBack();
    this.#over();
  }

  /** Readline reports keys by this event. Those of a paste reach no prompt; its text does when it has ended (input-B4). */
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    // One that comes alone was typed: a paste whose end never comes must not keep the person here.
    if (event === 'data' && String(args[0]) === ctrlC) this.#pasted = undefined;
    if (event !== 'keypress') return super.emit(event, ...args);
    const key = args[1] as { readonly name?: string; readonly sequence: string };
    if (this.#pasted === undefined) {
      if (key.name !== 'paste-start') return super.emit(event, ...args);
      this.#pasted = [];
      return true;
    }
    this.#pasted.push(key.sequence);
    // The mark may come as several keys; to search the whole paste at each would take forever for a long one.
    if (!this.#pasted.slice(-endOfPaste.length).join('').endsWith(endOfPaste)) return true;
    const text = pastedText(this.#pasted.join('').slice(0, -endOfPaste.length), this.pastesLines);
    this.#pasted = undefined;
    // A prompt draws itself after each key, so the text comes as one; but Clack would take this word for the key.
    // And where no key has a name, Clack ticks by a wide blank.
    for (const part of text === 'escape' ? text : [text]) super.emit(event, part, { name: 'paste', sequence: part });
    return true;
  }

  /** Ends a prompt as the Esc key does, also in the middle of a paste. */
  pressEscape(): void {
    super.emit('keypress', undefined, { name: 'escape', sequence: '\u001b' });
  }

  #markPastes(isOn: boolean): void {
    if (isOn !== this.#marksPastes) this.#screen?.write(`\u001b[?2004${isOn ? 'h' : 'l'}`);
    this.#marksPastes = isOn;
  }

  #setMode(raw: boolean): void {
    if (this.isTTY && !this.#input.destroyed) this.#input.setRawMode?.(raw);
  }

  readonly #feed = (chunk: Buffer | string): void => void this.push(chunk);

  readonly #over = (): void => {
    if (!this.#isOver) this.push(null);
    this.#isOver = true;
  };
  #isOver = false;
}

/** The text of a paste. Tabs become spaces, as no prompt has any. On one line, so do line breaks, but for those at its ends. */
function pastedText(pasted: string, keepsLines: boolean): string {
  const lines = pasted
    .replace(/\r\n?/g, '\n')
    .replaceAll('\t', ' ')
    .replace(/[^\P{Cc}\n]/gu, '');
  return keepsLines
    ? lines
    : lines
        .replace(/\n+/g, '\n')
        .replace(/^\n|\n$/g, '')
        .replaceAll('\n', ' ');
}
