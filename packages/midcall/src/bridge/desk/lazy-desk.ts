/**
 * The desk of a bridge, started for the first question that needs it. If the person has the desk open, the next question
 * appears there; otherwise a browser is opened.
 */
import type { Clock } from '@midcall/core/time';
import type { Question } from '@midcall/host';
import type { RunningDesk } from '@midcall/host/web';
import type { Shown } from './shown.ts';

/** How the desk is started and shown. */
export interface LazyDeskOptions {
  readonly start: () => Promise<RunningDesk>;
  /** Opens a page in the person's browser, or gives them its address. */
  readonly open: (url: string) => Promise<Shown>;
  /** True while a question waits for an answer. */
  readonly isOpen: (question: Question) => boolean;
  readonly clock: Clock;
  /** Called with the reason if the desk cannot be started. */
  readonly warn: (message: string) => void;
}

/** How many milliseconds a browser may take to show a page; questions that come in this time share it. */
const OPENING_MS = 15_000;

/** The desk, once it is needed. */
export class LazyDesk {
  readonly #parts: LazyDeskOptions;
  #desk: Promise<RunningDesk> | undefined;
  #opened: { readonly at: number; readonly shown: Promise<Shown> } | undefined;
  /** Questions that came while a page was being opened. */
  readonly #sharing: Question[] = [];
  #callOff: (() => void) | undefined;

  constructor(parts: LazyDeskOptions) {
    this.#parts = parts;
  }

  /** Makes sure that the person sees an open question. */
  async show(question: Question): Promise<Shown> {
    const { open, clock } = this.#parts;
    const desk = await this.#started();
    if (!desk) return false;
    if (desk.viewers > 0) return true;
    const openFor = this.#opened ? this.#opened.at + OPENING_MS - clock.now() : 0;
    if (!this.#opened || openFor <= 0) {
      this.#opened = { at: clock.now(), shown: open(desk.startUrl(question.id)) };
    } else {
      this.#sharing.push(question);
      this.#callOff ??= clock.after(openFor, () => this.#lookAgain());
    }
    return this.#opened.shown;
  }

  /** The page that was opened may have been closed before a later question came. */
  #lookAgain(): void {
    this.#callOff = undefined;
    // One page shows all of them.
    const [first] = this.#sharing.splice(0).filter(question => this.#parts.isOpen(question));
    if (first) this.show(first).catch(error => this.#parts.warn(String(error)));
  }

  /** Stops the desk, if it was started. */
  async close(): Promise<void> {
    this.#callOff?.();
    await (await this.#desk?.catch(() => undefined))?.close();
  }

  /** The desk; undefined if it could not be started, which the next question tries again. */
  async #started(): Promise<RunningDesk | undefined> {
    this.#desk ??= this.#parts.start();
    try {
      return await this.#desk;
    } catch (error) {
      this.#desk = undefined;
      this.#parts.warn(`The desk could not be started: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }
}
