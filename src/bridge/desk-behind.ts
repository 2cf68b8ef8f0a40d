/**
 * The desk of a bridge: there from the first question that needs it. A person who has it open sees the next question there;
 * a browser is opened for one who has not.
 */
import type { Clock, Question } from '../host/index.ts';
import type { RunningDesk } from '../host/web/index.ts';

/** How the desk is started and shown. */
export interface DeskBehindParts {
  readonly start: () => Promise<RunningDesk>;
  /** Opens a page in the person's browser, or tells them its address. @returns false where neither reaches anybody */
  readonly open: (url: string) => Promise<boolean>;
  readonly clock: Clock;
  /** Told why there is no desk. */
  readonly warn: (message: string) => void;
}

/** Milliseconds a browser may take to show a page; questions of that time share it. */
const OPENING_MS = 15_000;

/** One desk, or none yet. */
export class DeskBehind {
  readonly #parts: DeskBehindParts;
  #desk: Promise<RunningDesk> | undefined;
  #opened: { readonly at: number; readonly shown: Promise<boolean> } | undefined;

  constructor(parts: DeskBehindParts) {
    this.#parts = parts;
  }

  /** Makes sure that the person sees an open question. @returns false where there is no way to show them */
  async show(question: Question): Promise<boolean> {
    const { open, clock } = this.#parts;
    const desk = await this.#started();
    if (!desk) return false;
    if (desk.viewers > 0) return true;
    if (!this.#opened || clock.now() - this.#opened.at >= OPENING_MS) {
      this.#opened = { at: clock.now(), shown: open(desk.startUrl(question.id)) };
    }
    return this.#opened.shown;
  }

  /** Stops listening, where it had begun to. */
  async close(): Promise<void> {
    await (await this.#desk?.catch(() => undefined))?.close();
  }

  /** The desk; undefined where it could not be started, which the next question tries again. */
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
