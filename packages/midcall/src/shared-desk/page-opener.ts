/**
 * Makes sure that the person sees a question of a bridge. If they have the desk open, it appears there; otherwise a browser is
 * opened, once for all questions that come while it opens.
 */
import { type Clock, steadyNow } from '@midcall/core/time';
import type { Question } from '@midcall/host';
import type { RunningDesk } from '@midcall/host/web';

/** What is known of the desk and its views. */
export interface PageOpenerOptions {
  readonly desk: Pick<RunningDesk, 'viewers' | 'startUrl'>;
  /** True while a question waits for an answer. */
  readonly isOpen: (question: Question) => boolean;
  /** True while something else shows all questions, such as `midcall inbox`. */
  readonly hasView: () => boolean;
  readonly clock: Clock;
}

/** Opens a page in the person's browser, or gives them its address. @returns false if neither is possible */
export type OpenPage = (url: string) => Promise<boolean>;

/** How many milliseconds a browser may take to show a page; questions that come in this time share it. */
const OPENING_MS = 15_000;

/** Opens pages of one desk. */
export class PageOpener {
  readonly #parts: PageOpenerOptions;
  #opened: { readonly at: number; readonly shown: Promise<boolean> } | undefined;
  /** Questions that came while a page was being opened. */
  readonly #sharing: { readonly question: Question; readonly open: OpenPage }[] = [];
  #callOff: (() => void) | undefined;

  constructor(parts: PageOpenerOptions) {
    this.#parts = parts;
  }

  /**
   * @param open - absent if no page can be opened from where the question comes
   * @returns false if there is no way to show the person the question
   */
  show(question: Question, open: OpenPage | undefined): Promise<boolean> {
    const { desk, hasView, clock } = this.#parts;
    if (desk.viewers > 0 || hasView()) return Promise.resolve(true);
    // A link that nobody can open would only end the one before it, which the person may be about to use.
    if (!open) return Promise.resolve(false);
    const openFor = this.#opened ? this.#opened.at + OPENING_MS - steadyNow(clock) : 0;
    if (!this.#opened || openFor <= 0) {
      this.#opened = { at: steadyNow(clock), shown: open(desk.startUrl(question.id)).catch(() => false) };
    } else {
      this.#sharing.push({ question, open });
      this.#callOff ??= clock.after(openFor, () => this.#lookAgain());
    }
    return this.#opened.shown;
  }

  close(): void {
    this.#callOff?.();
  }

  /** Shows again what came while a page was opening: that page may have been closed before a later question came. */
  #lookAgain(): void {
    this.#callOff = undefined;
    // One page shows all of them.
    const [first] = this.#sharing.splice(0).filter(({ question }) => this.#parts.isOpen(question));
    if (first) void this.show(first.question, first.open);
  }
}
