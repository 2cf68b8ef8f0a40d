/** How one request of a call ends. */
import type { Departure } from '../sdk-seam/index.ts';

/** What the client gets, or would have got if it were still there. */
export type FinalOutcome = { readonly result: unknown } | { readonly error: unknown };

/** How a request ended for its call. */
export type CallOutcome<R> =
  | ({ readonly kind: 'returned'; readonly result: R; readonly departure?: Departure | undefined } & Settling)
  /** `asItself`: the client gets this error itself, and not as the result of a tool. */
  | ({ readonly kind: 'failed'; readonly error: unknown; readonly asItself?: boolean } & Settling)
  /** This request was answered before; that answer is returned again. */
  | { readonly kind: 'answered-before'; readonly earlier: Earlier };

interface Settling {
  /**
   * Called with what the client would get. Returns false if that may not be sent, because another process has continued this
   * call.
   */
  readonly settled?: ((outcome: FinalOutcome) => Promise<boolean>) | undefined;
}

/** The stored outcome of another attempt at a request. */
export type Earlier =
  | { readonly result: unknown }
  | { readonly error: { readonly code?: number; readonly message: string } };
