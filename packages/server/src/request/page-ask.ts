/** A question that a handler asks on a page. */
import type { Assurance, Channel } from '@midcall/core/form';
import type { Page } from './pages.ts';

/** One question on a page. */
export interface UrlAsk<T> {
  /** Shown to the person by the host and on the page; say what the page is for. Up to 2,000 characters. */
  readonly message: string;
  /**
   * What the page asks: `secret`, `confirm`, `formPage` or `oauth` of `@midcall/server/connect`, or a kind of your own. There
   * is no `url`: Midcall makes the address, and your own kinds may link anywhere.
   */
  readonly page: Page<T>;
  /** The key on the 2026 wire; unique within a round. Ours if absent. */
  readonly key?: string;
  /** Milliseconds the person has, for consent and page together; after that the link has no effect. */
  readonly timeoutMs?: number;
  /** The least assurance that counts; the page's own if absent. */
  readonly assurance?: Assurance;
  /** Channels that may be used; the server's default if absent. Naming `page` here enables it. */
  readonly channels?: readonly Channel[];
  /**
   * True if the handler cannot continue without an answer: if no channel reaches the person, the call ends with -32021
   * (2026-07-28) or an error result (2025-11-25) that says what is missing.
   */
  readonly required?: boolean;
  /**
   * True to end the call with URLElicitationRequiredError (-32042) on 2025-11-25 instead of asking within it: the client calls
   * again when the person has finished, and the same call then gets the answer. It has no effect on 2026-07-28, or if the
   * assurance needs a one-time code (on stdio), which an error cannot show: then the client is asked in URL mode.
   */
  readonly asError?: boolean;
}
