/** The call that a handler of `mid.handle` is given: its questions are another server's. */
import type { Answer, By, CancelReason, FormInput, FormValue } from '@midcall/core/form';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Call, ElicitAsk } from './call.ts';
import type { TaskMode, ToolCards } from './request.ts';

/** The client's answer, as far as it concerns the person. For a page, an accept is only consent. */
export type Consent =
  | { readonly action: 'accept'; readonly by: By }
  | { readonly action: 'decline'; readonly by: By }
  | { readonly action: 'cancel'; readonly reason: CancelReason; readonly by: By };

/** A question of another server, which the client judges. */
export interface GatewayQuestion {
  /**
   * The parameters of its `elicitation/create`, sent unchanged. A page has an `elicitationId`, that server's or one of yours:
   * clients of 2025-11-25 get it, and you notify them yourself when the page is finished.
   */
  readonly params: Readonly<Record<string, unknown>>;
  /** Milliseconds the person has; the server's `askTimeoutMs` if absent. */
  readonly timeoutMs?: number;
}

/** The client's answer to such a question; `result`: as it arrived, checked by nobody. */
export type Passed = Consent & { readonly result?: Readonly<Record<string, unknown>> };

/** One request of a method that you handle entirely. */
export interface Handled {
  /** The parameters, as they arrived. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The SDK's context of this request: progress, and the signal that fires when the client cancels it. */
  readonly ctx: ServerContext;
}

/** Options for a method that you handle entirely. */
export interface GatewayOptions {
  /**
   * When a call of any tool becomes a task, as in {@link ToolConfig}; `never` if absent. A task continues at the server that
   * took its call; after a restart, at the first one that handles tools. For clients of 2025-11-25, list the tools with
   * `execution.taskSupport` yourself.
   */
  readonly task?: TaskMode;
  /**
   * Whether questions of a tool can be shown on a card, for `midcall({ channels: ['native', 'card'] })`. `yes`: you list it with our
   * App, by {@link Midcall.listed}. `own-app`: it has an App of its own. `structured`: it has an output schema. For tools only.
   */
  readonly cards?: (tool: string) => ToolCards;
}

/** The call that a handler of `mid.handle` is given. */
export interface GatewayCall extends Call {
  /**
   * How many rounds of questions this call may still go through with the client; unlimited on 2025-11-25. A form takes up to
   * three, since an answer that does not fit is asked for again. At 0 the next question ends the call with `ask/rounds`.
   */
  readonly roundsLeft: number;
  /** True if nothing is lost when the request ends: this call is a task, or becomes one before then. */
  readonly outlivesRequest: boolean;
  /** True if `elicit` can put a form on a card. */
  readonly hasCard: boolean;
  /**
   * Reports when this call becomes a task, immediately if it already is one: from then on it may wait while no handler code
   * runs.
   * @param told - called with a signal that fires when the task is over: it has ended, was cancelled in this process, or has
   *   expired
   */
  onTask(told: (over: AbortSignal) => void): void;
  /**
   * Passes on a question of another server unchanged: a form if the client has form mode (`can.form`), a page if it has URL mode
   * (`can.url`). For a page, an accept is only consent: its outcome is that server's business. Must be awaited.
   * @param withdrawn - as in `elicit`
   */
  pass(question: GatewayQuestion, withdrawn?: AbortSignal): Promise<Passed>;
  /**
   * @param withdrawn - fires when that server withdraws its question: a client of 2025-11-25 is notified, and the answer is
   *   `cancel/error`
   */
  elicit<const I extends FormInput>(ask: ElicitAsk<I>, withdrawn?: AbortSignal): Promise<Answer<FormValue<I>>>;
}
