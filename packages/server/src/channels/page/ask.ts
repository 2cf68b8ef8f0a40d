/** A question that is answered on a page: what a handler asks. */
import type { Assurance, Channel } from '@midcall/core/form';
import type { Page } from './pages.ts';

/** One question on a page. */
export interface UrlAsk<T> {
  /** Shown to the person by the host and on the page; say what the page is for. Up to 2,000 characters. */
  readonly message: string;
  /**
   * What the page asks: `secret`, `confirm`, `formPage` or `oauth` of `@midcall/server/connect`, or a kind of your own. There is no
   * `url`: Midcall makes the address, and a kind of your own may link to any other.
   */
  readonly page: Page<T>;
  /** The key on the 2026 wire; unique within a round. Ours if absent. */
  readonly key?: string;
  /** Milliseconds the person has, for consent and page together; past it the link has no effect. */
  readonly timeoutMs?: number;
  /** The least assurance that counts; the page's own if absent. */
  readonly assurance?: Assurance;
  /** Channels that may be taken; the server's default if absent. `page` is switched on by being named here. */
  readonly channels?: readonly Channel[];
  /**
   * True if the handler cannot go on unasked: where no channel reaches the person, the call ends with -32021 (2026-07-28)
   * or an error result (2025-11-25) that says what is missing.
   */
  readonly required?: boolean;
  /**
   * True to end the call with URLElicitationRequiredError (-32042) on 2025-11-25 instead of asking within it: the client
   * calls again when the person has finished, and the same call then gets the answer. No effect on 2026-07-28, nor where the
   * assurance takes a one-time code (on stdio), which an error cannot show: then the client is asked in URL mode.
   */
  readonly asError?: boolean;
}
