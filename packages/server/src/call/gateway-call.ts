/** What the handler of `mid.handle` holds: a call whose questions are another server's. */
import type { Answer, FormInput, FormValue } from '@midcall/core/form';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Consent } from '../channels/native/consent.ts';
import type { Direct } from '../sdk-seam/direct-answers.ts';
import type { Call, ElicitAsk } from './call.ts';
import type { TaskMode } from './request.ts';

/** A page of another server. */
export interface GatewayPage {
  /** That server's own words. Up to 2,000 characters. */
  readonly message: string;
  readonly url: string;
  /** That server's, or one of yours, on 2025-11-25; tell the client yourself when the page is finished. */
  readonly elicitationId: string;
  /** Milliseconds the person has to consent; the server's `askTimeoutMs` where absent. */
  readonly timeoutMs?: number;
}

/** One request of a method that is handled as a whole. */
export interface Handled {
  /** As it arrived. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The SDK's context of this request: progress, and the signal that fires where the client takes it back. */
  readonly ctx: ServerContext;
}

/** How a method is handled as a whole. */
export interface GatewayOptions {
  /**
   * When a call of any tool becomes a task, as of {@link ToolConfig}; `never` where absent. A task goes on at the server that took
   * its call; after a restart, at the first one that handles tools. List the tools of clients of 2025-11-25 with
   * `execution.taskSupport` yourself.
   */
  readonly task?: TaskMode;
  /**
   * Answers requests that may need nothing but a result, before their handler is called and without what the SDK does around one;
   * the handler is given those that it leaves. What it returns is sent as it is.
   */
  readonly direct?: Direct;
}

/** What the handler of `mid.handle` holds. */
export interface GatewayCall extends Call {
  /**
   * How many rounds of questions this call may still go through with the client; without an end on 2025-11-25. A form takes
   * up to three, since an answer that does not fit is asked for again. At 0 the next question ends the call with `ask/rounds`.
   */
  readonly roundsLeft: number;
  /** True where nothing is lost when the request ends: this call is a task, or becomes one before. */
  readonly outlivesRequest: boolean;
  /**
   * Tells when this call is a task, at once where it is one already: from then on it may wait while nothing of the handler runs.
   * @param told - given a signal that fires when the task is over: it has ended, was cancelled in this process, or its time is up
   */
  onTask(told: (over: AbortSignal) => void): void;
  /**
   * Asks for consent to a page of another server, where `can.url` says that the client has URL mode. An accept is
   * consent alone: what becomes of the page is that server's business. Must be awaited.
   * @param withdrawn - as of `elicit`
   */
  consent(page: GatewayPage, withdrawn?: AbortSignal): Promise<Consent>;
  /** @param withdrawn - fires when that server takes its question back: a client of 2025-11-25 is told, and it is `cancel/error` */
  elicit<const I extends FormInput>(ask: ElicitAsk<I>, withdrawn?: AbortSignal): Promise<Answer<FormValue<I>>>;
}
