/**
 * Questions in a terminal, one after the other. On a TTY they are drawn; in pipes, with NO_COLOR or on request, they are plain
 * lines. Ctrl-C and Esc go one step back, and pressed again ask whether to leave the question; a question that ends elsewhere
 * closes its dialog, and the editor if one is open. Between questions the input is the host's.
 */
import type { Writable } from 'node:stream';
import { anything, checkOptions, flag, func, having, type Kinds, name, required } from '@midcall/core/options';
import { machineZone } from '@midcall/core/time';
import {
  type CallQuestion,
  type Ending,
  foldAlike,
  openUrl,
  type Presenter,
  type Question,
  type Receipt,
  type Reply,
  visible,
} from '../index.ts';
import { BorrowedInput, type MaybeTty } from './borrowed-input.ts';
import { clackPrompter } from './clack-prompter.ts';
import { callsDialog, consentDialog } from './consent-dialog.ts';
import { type Editor, editorOf } from './editor.ts';
import { formDialog } from './form-dialog.ts';
import { endingLine } from './frame.ts';
import { linePrompter } from './line-prompter.ts';
import type { Prompter, PromptResult } from './prompter.ts';

/** The streams, and how questions are shown on them. */
export interface TerminalOptions {
  readonly input: MaybeTty;
  readonly output: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  /** True for plain lines. Default: true if input or output is not a TTY, or NO_COLOR is set. */
  readonly plain?: boolean;
  /** For `NO_COLOR`, and for `VISUAL` or `EDITOR`, in which longer texts are edited if this is a terminal. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Opens a page after consent; false if that is not possible. Default: the system's browser. */
  readonly openUrl?: (href: string) => Promise<boolean>;
  /** IANA name; the machine's own if absent. */
  readonly timeZone?: string;
  /** Called with a question that nobody can answer because the input has ended; it is dismissed. */
  readonly onUnanswered?: (question: Question) => void;
}

const kinds: Kinds<TerminalOptions> = {
  input: required(having('a stream to read from, such as process.stdin', 'on')),
  output: required(having('a stream to write to, such as process.stderr', 'write')),
  plain: flag,
  environment: anything,
  openUrl: func,
  timeZone: name,
  onUnanswered: func,
};

/** The most lines that wait for a question to end; older ones are left out. */
const mostUnsaid = 100;

type Controls = Parameters<Presenter['show']>[1];

interface OpenQuestion {
  readonly question: Question;
  readonly controls: Controls;
}

/**
 * A view of open questions in a terminal.
 * @example
 * ```ts
 * const terminal = new Terminal({ input: process.stdin, output: process.stderr });
 * inbox.present(terminal);
 * ```
 */
export class Terminal implements Presenter {
  readonly via = 'terminal';
  readonly #input: BorrowedInput;
  readonly #prompter: Interruptible;
  readonly #editor: Editor | undefined;
  readonly #options: TerminalOptions;
  readonly #queue: OpenQuestion[] = [];
  #interrupt: AbortController | undefined;
  readonly #unsaid: string[] = [];
  #busy = false;
  #working: Promise<void> | undefined;

  constructor(options: TerminalOptions) {
    checkOptions('new Terminal', options, kinds);
    const environment = options.environment ?? process.env;
    const noColor = (environment['NO_COLOR'] ?? '') !== '';
    const isLineByLine = options.plain ?? (options.input.isTTY !== true || options.output.isTTY !== true || noColor);
    this.#input = new BorrowedInput(options.input, isLineByLine ? undefined : options.output);
    this.#prompter = interruptible(
      (isLineByLine ? linePrompter : clackPrompter)(this.#input, options.output),
      this.#input,
    );
    this.#editor = this.#lendingKeys(editorOf({ environment, input: options.input, output: options.output }));
    this.#options = options;
  }

  show(question: Question, controls: Controls): void {
    this.#queue.push({ question, controls });
    if (!this.#busy) this.#working = this.#work();
  }

  /**
   * Asks the person to choose one of several things; for a program's own questions, while none of a server is open.
   * @param request - texts of a server are made visible here; `initial` is the value the cursor stands on; where the list is
   *   drawn, `onLeft` is called with the one it stood on when the list ended and nothing was chosen
   * @returns the `value` of what was chosen; undefined if the person left the prompt, or the input ended
   */
  async choose(request: {
    readonly message: string;
    readonly choices: readonly { readonly value: string; readonly label: string; readonly hint?: string }[];
    readonly initial?: string | undefined;
    readonly onLeft?: (value: string) => void;
  }): Promise<string | undefined> {
    const { message, choices, initial, onLeft } = request;
    const picks = choices.map(({ value, label, hint }) => ({
      value,
      label: visible(label, { max: 200 }),
      ...(hint !== undefined && { hint: visible(hint, { max: 200 }) }),
    }));
    const prompt = {
      message: visible(message, { max: 600 }),
      picks,
      onLeft,
      ...(initial !== undefined && { initial }),
    };
    return this.#alone(signal => this.#prompter.choose({ ...prompt, signal }));
  }

  /**
   * Asks the person for a line of text; for a program's own questions, while none of a server is open.
   * @param request - `earlier`: earlier values, newest first, which the Up key brings; `secret`: true if it is not shown while
   *   it is typed; `validate` says what is wrong with a text
   * @returns undefined if the person left the prompt, or the input ended
   */
  async ask(request: {
    readonly message: string;
    readonly initial?: string;
    readonly earlier?: readonly string[];
    readonly secret?: boolean;
    readonly validate?: (text: string) => string | undefined;
  }): Promise<string | undefined> {
    const { initial, earlier = [], secret, validate = () => undefined } = request;
    const common = {
      message: visible(request.message, { max: 600 }),
      validate: (text: string) => {
        const wrong = validate(text);
        return wrong === undefined ? undefined : visible(wrong, { max: 400 });
      },
    };
    // A text with hidden characters cannot be typed again as it was.
    const displayable = earlier.filter(each => visible(each, { max: 1_000 }) === each);
    const prompt = { ...common, earlier: displayable, ...(initial !== undefined && { initial }) };
    return this.#alone(signal =>
      secret ? this.#prompter.secret({ ...common, signal }) : this.#prompter.text({ ...prompt, signal }),
    );
  }

  /**
   * Writes lines between the questions, wrapped to the terminal's width. While something is asked, they wait until it is over:
   * a drawn prompt is redrawn over what was written last.
   * @param lines - texts of a server are made visible here; whatever continues a line is indented
   * @example
   * ```ts
   * const terminal = new Terminal({ input: process.stdin, output: process.stderr });
   * terminal.say(['… the server is reading page 2 of 5']);
   * ```
   */
  say(lines: readonly string[]): void {
    this.#unsaid.push(...lines.map(line => visible(line, { lines: true, max: 100_000 }).replaceAll('\n', '\n  ')));
    // A server may report progress without end while a person thinks.
    this.#unsaid.splice(0, this.#unsaid.length - mostUnsaid);
    if (!this.#interrupt) this.#sayAll();
  }

  #sayAll(): void {
    if (this.#unsaid.length > 0) this.#prompter.say(this.#unsaid.splice(0).flatMap(text => text.split('\n')));
  }

  /** Nothing is asked any more. */
  #over(): void {
    this.#interrupt = undefined;
    this.#input.giveBack();
    this.#sayAll();
  }

  async #alone(ask: (signal: AbortSignal) => Promise<PromptResult<string>>): Promise<string | undefined> {
    const interrupt = new AbortController();
    this.#interrupt = interrupt;
    try {
      const result = await ask(interrupt.signal);
      return result.answered ? result.value : undefined;
    } finally {
      this.#over();
    }
  }

  /**
   * Does what Ctrl-C as a key does to the question that is being asked: one step back. If the input is not a terminal, nobody
   * is there to go back, and the question is dismissed.
   * @returns false if no question is being asked
   */
  interrupt(): boolean {
    if (this.#options.input.isTTY === true) this.#prompter.interrupt();
    else this.#interrupt?.abort();
    return this.#interrupt !== undefined;
  }

  /** Resolves when the terminal is free: no dialog and no editor is open. */
  async idle(): Promise<void> {
    await this.#working;
  }

  /** Stops reading: a question that is open gets no answer. */
  close(): void {
    this.#input.close();
  }

  async #work(): Promise<void> {
    this.#busy = true;
    // Questions that are shown at the same time are all in the queue by then.
    await undefined;
    for (;;) {
      const queued = this.#queue.splice(0).filter(each => !this.#sayIfEnded(each));
      const [fold] = foldAlike(queued.map(({ question }) => question));
      if (!fold) break;
      const isNext = ({ question }: OpenQuestion): boolean => fold.includes(question);
      this.#queue.push(...queued.filter(each => !isNext(each)));
      await this.#askFold(queued.filter(isNext));
    }
    this.#busy = false;
  }

  /** Asks about one question, or about several alike calls. */
  async #askFold(fold: readonly OpenQuestion[]): Promise<void> {
    const isDecided = fold.length > 1 ? await this.#askTogether(fold) : undefined;
    // What was left out is asked about next.
    if (isDecided) this.#queue.unshift(...fold.filter(each => !isDecided(each)));
    else for (const each of fold) if (!this.#sayIfEnded(each)) await this.#ask(each.question, each.controls);
  }

  /** Says of a question that ended before its turn how it did. @returns false if it is still open */
  #sayIfEnded({ question, controls: { ended } }: OpenQuestion): boolean {
    const line = ended.aborted ? endingLine(ended.reason as Ending) : undefined;
    if (line !== undefined)
      this.say([`${line} (a question of ${visible(question.asker.id, { max: 60 })}, before you got to it)`]);
    return ended.aborted;
  }

  /** @returns which of them the person has decided about; undefined if they want to decide about each alone */
  async #askTogether(fold: readonly OpenQuestion[]): Promise<((open: OpenQuestion) => boolean) | undefined> {
    const interrupt = new AbortController();
    this.#interrupt = interrupt;
    const allEnded = new AbortController();
    const onEnd = (): void => {
      if (fold.every(({ controls }) => controls.ended.aborted)) allEnded.abort();
    };
    for (const { controls } of fold) controls.ended.addEventListener('abort', onEnd, { once: true });
    const calls = fold.map(({ question }) => question as CallQuestion);
    const decision = await callsDialog(calls, this.#prompter, {
      signal: AbortSignal.any([interrupt.signal, allEnded.signal]),
      timeZone: this.#options.timeZone ?? machineZone(),
    }).finally(() => this.#over());
    if (!decision) return undefined;
    const isDecided = ({ question }: OpenQuestion): boolean => decision.questions.some(({ id }) => id === question.id);
    for (const [at, each] of fold.entries()) {
      if (!isDecided(each)) continue;
      const { question, controls } = each;
      if (this.#prompter.starved) this.#options.onUnanswered?.(question);
      if (controls.ended.aborted || !(await controls.reply(decision.reply)).ok)
        this.#prompter.say([`-- call ${at + 1} was no longer open, so your decision does not count for it`]);
    }
    return isDecided;
  }

  async #ask(question: Question, controls: Controls): Promise<void> {
    const interrupt = new AbortController();
    this.#interrupt = interrupt;
    const signal = AbortSignal.any([interrupt.signal, controls.ended]);
    let retry: Parameters<typeof formDialog>[3] = {};
    for (;;) {
      const reply = await this.#dialog(question, signal, retry).finally(() => this.#input.giveBack());
      if (controls.ended.aborted) break;
      if (this.#prompter.starved && reply.action === 'dismiss') this.#options.onUnanswered?.(question);
      const receipt = await controls.reply(reply);
      if (receipt.ok || receipt.problem !== 'invalid') break;
      retry = {
        ...('content' in reply && reply.content && { answers: reply.content as never }),
        problem: problemOf(receipt),
      };
      if (question.kind !== 'form') this.#prompter.say([`! ${retry.problem}`]);
    }
    // When its input ends, this terminal ends the question itself.
    const elsewhere = controls.ended.aborted && !this.#prompter.starved;
    const line = elsewhere ? endingLine(controls.ended.reason as Ending, this.via) : undefined;
    if (line !== undefined) this.#prompter.say([line]);
    this.#over();
  }

  #lendingKeys(editor: Editor | undefined): Editor | undefined {
    return (
      editor && {
        name: editor.name,
        edit: (text, signal) => {
          this.#input.lend();
          return editor.edit(text, signal);
        },
      }
    );
  }

  #dialog(question: Question, signal: AbortSignal, retry: Parameters<typeof formDialog>[3]): Promise<Reply> {
    const timeZone = this.#options.timeZone ?? machineZone();
    if (question.kind === 'form')
      return formDialog(question, this.#prompter, { signal, timeZone, editor: this.#editor }, retry);
    return consentDialog(question, this.#prompter, {
      signal,
      timeZone,
      editor: this.#editor,
      openUrl: this.#options.openUrl ?? (href => openUrl(href)),
    });
  }
}

const problemOf = (receipt: Extract<Receipt, { problem: 'invalid' }>): string =>
  visible(receipt.issues.map(issue => issue.message).join(' '), { max: 1_000 });

/** A prompter in which Ctrl-C goes one step back, whether it comes as a key or as a signal to the process. */
interface Interruptible extends Prompter {
  /** Ends the open prompt, if there is one; there is none while an editor has the terminal. */
  interrupt(): void;
}

/** @param input - borrowed by each prompt; whoever asks gives it back when the question is over */
function interruptible(prompter: Prompter, input: BorrowedInput): Interruptible {
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

/** Runs something with a signal of its own that follows another one, and leaves no listener on that. */
async function underOwnSignal<T>(
  signal: AbortSignal,
  run: (own: AbortSignal, abort: () => void) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const abort = (): void => own.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await run(own.signal, abort);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
