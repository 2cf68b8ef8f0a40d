/**
 * How a request of a call ends, and how the operator learns of it: the audit gets the outcome and a code, `onError` the error
 * itself. It is reported when it is known what the client gets, which the SDK or another attempt at the same retry may still
 * change.
 */
import { isMidcallError } from '@midcall/core/errors';
import { errorCode, measureOperation } from '../observe/index.ts';
import { type Config, type FinalOutcome, isUrlRequired, type SharedOutcome } from '../request/index.ts';
import { asThrown, type Departure } from '../sdk-seam/index.ts';
import type { CallRef, RequestOutcome, Unstamped } from '../state/index.ts';
import type { RoundTrace } from './trace.ts';

/** How a request ended for its call. */
export type CallOutcome<R> =
  | ({ readonly kind: 'returned'; readonly result: R; readonly departure?: Departure | undefined } & Settling)
  /** `asItself`: the client gets this error itself, and not as the result of a tool. */
  | ({ readonly kind: 'failed'; readonly error: unknown; readonly asItself?: boolean } & Settling)
  /** This request was answered before; that answer is returned again. */
  | { readonly kind: 'answered-before'; readonly earlier: SharedOutcome };

interface Settling {
  /**
   * Called with what the client would get. Returns false if that may not be sent, because another process has continued this
   * call.
   */
  readonly settled?: ((outcome: FinalOutcome) => Promise<boolean>) | undefined;
}

const noEvents: readonly Unstamped[] = [];

/** What is known about a request while it is dispatched. */
export class CallReport {
  readonly #config: Pick<Config, 'audit' | 'clock' | 'onError'>;
  #call: CallRef;
  #outcome: RequestOutcome | 'input-required' = 'done';
  #failed: { readonly error: unknown } | undefined;
  #isToldElsewhere = false;
  /** The author's own statement that the call failed, which is not a failure of the handler. */
  #saysError = false;
  #askEvents = noEvents;
  /** The errors that `onError` has been given. */
  #misuses: Set<unknown> | undefined;
  readonly #began: number;
  trace: RoundTrace | undefined;

  /** @param call - what is known before the request is read */
  constructor(call: CallRef, config: Pick<Config, 'audit' | 'clock' | 'onError'>) {
    this.#call = call;
    this.#config = config;
    this.#began = config.clock.now();
  }

  /** Sets the call, once it is known which it is and whose. */
  setCall(call: CallRef): void {
    this.#call = call;
  }

  /** Its end was reported before, or another process continues the call, and reports it. */
  toldElsewhere(): void {
    this.#isToldElsewhere = true;
  }

  /**
   * @param outcome - the drivers' outcome
   * @param askEvents - the questions that leave with it
   */
  is(outcome: RequestOutcome | 'input-required', askEvents: readonly (Unstamped | undefined)[] = []): void {
    this.#outcome = outcome;
    this.#askEvents = askEvents.filter(event => event !== undefined);
  }

  /** Takes the handler's own result. */
  returned(result: unknown): void {
    this.#saysError = saysError(result);
  }

  /** Records what was thrown, before the SDK turns it into text; only the first counts. */
  failed(error: unknown): void {
    this.#failed ??= { error };
  }

  /** A mistake in the use of this library, which the handler may catch. */
  misused(error: unknown): void {
    this.#misuses ??= new Set();
    if (this.#misuses.has(error)) return;
    this.#misuses.add(error);
    this.#config.onError(error, this.#call);
  }

  /** @param final - what the client gets */
  tell(final: FinalOutcome): void {
    if (this.#isToldElsewhere) return;
    const { outcome, error } = this.#judged(final);
    if (outcome !== 'failed' && outcome !== 'cancelled') for (const event of this.#askEvents) this.#audit(event);
    this.trace?.end(outcome, outcome === 'failed' ? error : undefined);
    const code = outcome === 'failed' || outcome === 'url-required' ? { code: errorCode(error) } : {};
    const isError = outcome === 'done' && this.#saysError;
    measureOperation(
      this.#call,
      this.#config.clock.now() - this.#began,
      code.code ?? errorTypes[`${isError ? 'isError' : outcome}`],
    );
    if (outcome === 'input-required') return;
    this.#audit({ kind: 'ended', outcome, ...code, ...(isError && { isError }) });
    if (outcome === 'failed' && !this.#wasMisused(error)) this.#config.onError(asThrown(error), this.#call);
  }

  /** True for a mistake that was reported, also as the cause of an error that says more of the call. */
  #wasMisused(error: unknown): boolean {
    if (!this.#misuses || error === undefined) return false;
    return this.#misuses.has(error) || (isMidcallError(error) && this.#wasMisused(error.cause));
  }

  #judged(final: FinalOutcome): { readonly outcome: RequestOutcome | 'input-required'; readonly error?: unknown } {
    if (this.#outcome === 'cancelled') return { outcome: 'cancelled' };
    const { error } = this.#failed ?? ('error' in final ? final : { error: undefined });
    if (error !== undefined || this.#failed) {
      return isUrlRequired(error) ? { outcome: 'url-required', error } : { outcome: 'failed', error };
    }
    // A result that the SDK refused, such as one that does not fit the tool's own schema.
    const refused = this.#outcome === 'done' && 'result' in final && saysError(final.result) && !this.#saysError;
    if (refused) return { outcome: 'failed', error: Object.assign(new Error(textIn(final.result)), { code: -32602 }) };
    return { outcome: this.#outcome };
  }

  #audit(event: Unstamped): void {
    this.trace?.saw(event);
    this.#config.audit?.({ at: this.#config.clock.now(), call: this.#call, ...event } as never);
  }
}

/** The metrics' name for an end that has no code. */
const errorTypes: Readonly<Record<string, string>> = { isError: 'tool_error', cancelled: 'cancelled' };

const saysError = (result: unknown): boolean => (result as { isError?: unknown } | null | undefined)?.isError === true;
const textIn = (result: unknown): string => {
  const { content } = result as { content?: readonly { readonly text?: string }[] };
  return content?.[0]?.text ?? 'The result was refused.';
};
