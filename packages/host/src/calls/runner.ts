/**
 * Runs calls on a connection so that questions can be tied to them: each call has an id, a timeout that is paused while a
 * person thinks, and one way to abort it. Also retries a call that needs a page first (2025-11-25, error -32042).
 */

import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { defined, isRecord, own } from '@midcall/core/json';
import { invalidResultIssue, issueText, withoutDump } from '@midcall/core/sdk-seam';
import { visible } from '@midcall/core/text';
import { type Clock, MAX_TIMER_MS, untilAborted } from '@midcall/core/time';
import { type RequestOptions, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { CallContext, Question } from '../question/index.ts';
import {
  describedRefusal,
  isConnectionGone,
  isInDoubt,
  isNeverSent,
  neverSent,
  unreadable,
} from '../sdk-seam/index.ts';
import { callTimeout } from './call-timeout.ts';
import type { CallProgress, Calls, RunningCall } from './calls.ts';

/** How a call ended; exactly one per call. */
export type CallOutcome =
  | {
      readonly how: 'completed';
      readonly result: Readonly<Record<string, unknown>>;
      /** Why its structured content was not checked against the tool's output schema: follows "because". */
      readonly unchecked?: string;
      /** How the result breaks the tool's output schema, as a sentence. */
      readonly misfit?: string;
    }
  /** The tool said that it failed (`isError`). */
  | { readonly how: 'tool-error'; readonly result: Readonly<Record<string, unknown>> }
  /** The server answered with a JSON-RPC error; `needs`: the capabilities it says the client lacks (2026-07-28). */
  | {
      readonly how: 'refused';
      readonly code: number;
      readonly message: string;
      readonly needs?: readonly string[];
      /** Its other members, unchanged. */
      readonly data?: unknown;
    }
  /** The person stopped it; `nothingSent`: true if it was before anything of it was sent. */
  | { readonly how: 'cancelled'; readonly nothingSent?: true }
  | { readonly how: 'timed-out'; readonly message: string }
  /**
   * The host gave up, since it could not ask or a request was hostile, or no answer came that can be read; it may be tried again by
   * hand. `inDoubt`: true if it may have been carried out, as the message says.
   */
  | { readonly how: 'abandoned'; readonly message: string; readonly inDoubt?: true }
  /** The connection is gone; `nothingSent`: true if it was before anything of the call was sent. */
  | { readonly how: 'server-gone'; readonly message: string; readonly nothingSent?: true };

/** The task that a call has become, as the server reports it. */
export interface CallTask {
  readonly status: 'working' | 'input_required';
  /** Untrusted. */
  readonly message?: string;
  /** True if it can be resumed after this process has ended. */
  readonly resumable: boolean;
}

/** Events of calls. */
export type CallEvent =
  | { readonly type: 'call-started'; readonly call: CallContext; readonly startedAt: number }
  | { readonly type: 'call-progress'; readonly call: CallContext; readonly progress: CallProgress }
  | { readonly type: 'call-task'; readonly call: CallContext; readonly task: CallTask }
  | {
      readonly type: 'call-ended';
      readonly call: CallContext;
      readonly outcome: CallOutcome;
      readonly endedAt: number;
    };

export interface RunnerOptions {
  readonly calls: Calls;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Resolves when calls may be sent; undefined if they may be sent at once. */
  readonly gate: () => Promise<void> | undefined;
  readonly tell: (event: CallEvent) => void;
  /** Opens the pages that a call needs. @returns true if the call should be tried again */
  readonly openPages: (call: RunningCall, error: unknown) => Promise<boolean>;
  /** Decides whether a tool may be called, and calls it; absent if every tool may be. */
  readonly consent?: (
    call: RunningCall,
    send: () => Promise<SentResult>,
    onConsentAsked: RunOptions['onConsentAsked'],
  ) => Promise<SentResult>;
}

/** The reason for stopping a call that the person cancelled. */
export const cancelledByPerson = new MidcallError('host/cancelled', 'The call was cancelled.');

/** The server's own time, in milliseconds, if a caller sets none. */
const usualTimeoutMs = 60_000;
/** The most retries of one call while a page is open. */
const mostPageRounds = 5;

/** Options of one call. */
export interface RunOptions {
  readonly signal?: AbortSignal;
  /** Who makes it, if that is not the principal of the connection. */
  readonly principal?: string;
  /** Milliseconds of the server's own time; 60,000 if absent, Infinity for no limit. */
  readonly timeoutMs?: number;
  /**
   * True if that limits a call that has become a task, too: the task is cancelled when its server has worked on it for so long.
   * False if absent, since tasks are meant to take long.
   */
  readonly limitsTask?: boolean;
  /** True to get the server's result unchanged: it is checked neither against the protocol nor against the tool's output schema. */
  readonly rawResult?: boolean;
  readonly onProgress?: (progress: CallProgress) => void;
  /** Called when it has become a task, and for each change of that. */
  readonly onTask?: (task: CallTask) => void;
  /** Called with the question that it waits for before it is made, if the rules ask the person about it. */
  readonly onConsentAsked?: (question: Question) => void;
}

/** Options for sending a call. */
export interface SendOptions extends RequestOptions {
  readonly signal: AbortSignal;
  readonly onprogress: () => void;
}

/** Sends a call's request; see {@link CallRunner.run}. */
export type SendCall = (options: SendOptions, call: RunningCall) => Promise<SentResult>;

/** The outcome of a request. */
export interface SentResult {
  readonly result: Readonly<Record<string, unknown>>;
  readonly unchecked?: string;
  readonly misfit?: string;
}

/** What a run is told of its call. */
export type RunAbout = Omit<CallContext, 'id'> & {
  readonly id?: string;
  readonly startedAt?: number;
  /** True if the server has the call already. */
  readonly resumed?: boolean;
};

/** Runs the calls of one connection. */
export class CallRunner {
  readonly #options: RunnerOptions;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /**
   * Runs one call.
   * @param about - what is called; `id` if the caller has chosen one, `startedAt` (milliseconds since the epoch) if an earlier
   *   process made the call
   * @param send - sends the request with the options it is given
   * @throws what the SDK throws; `cancelledByPerson` if it was cancelled
   */
  async run(about: RunAbout, send: SendCall, options: RunOptions = {}): Promise<SentResult['result']> {
    const { calls, clock, newId, gate, tell, consent } = this.#options;
    const { kind, name, arguments: args, id = newId(), principal, startedAt = clock.now(), resumed = false } = about;
    const described = { kind, name, arguments: args, id };
    const context: CallContext = principal === undefined ? described : { ...described, principal };
    const abort = new AbortController();
    const { signal } = options;
    const onAbort = (): void => abort.abort(cancelledByPerson);
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    const limitMs = options.timeoutMs ?? usualTimeoutMs;
    const expired = (): void =>
      abort.abort(
        new SdkError(SdkErrorCode.RequestTimeout, `The server did not answer within ${Math.round(limitMs / 1_000)} s.`),
      );
    const timeout = callTimeout(limitMs, clock, expired);
    const { limitsTask = false, rawResult = false } = options;
    const progressed = (progress: CallProgress): void => {
      timeout.renew();
      tell({ type: 'call-progress', call: context, progress });
      options.onProgress?.(progress);
    };
    const call: RunningCall = { context, startedAt, abort, timeout, limitsTask, rawResult, progressed };
    calls.add(call);
    if (resumed) calls.began(call);
    tell({ type: 'call-started', call: context, startedAt });
    const ended = (outcome: CallOutcome): void => {
      try {
        tell({ type: 'call-ended', call: context, outcome, endedAt: clock.now() });
      } finally {
        signal?.removeEventListener('abort', onAbort);
        timeout.stop();
        calls.remove(call);
        abort.abort(callOver);
      }
    };
    let isSent = resumed;
    try {
      const opening = gate();
      if (opening) {
        const goOn = timeout.pause();
        await untilAborted(opening, abort.signal);
        goOn();
      } else abort.signal.throwIfAborted();
      const go = () => {
        isSent = true;
        return this.#send(call, send);
      };
      const sent = await (consent && kind === 'tool' && !resumed ? consent(call, go, options.onConsentAsked) : go());
      ended(completed(sent));
      return sent.result;
    } catch (error) {
      const reason = abort.signal.aborted ? abort.signal.reason : error;
      ended(outcomeOf(reason, isSent));
      throw reason;
    }
  }

  async #send(call: RunningCall, send: SendCall): Promise<SentResult> {
    const { signal } = call.abort;
    // The timeout is ours, so the SDK's is disabled. The tap reads the progress, which the SDK only asks for.
    const sent: SendOptions = { signal, timeout: MAX_TIMER_MS, onprogress: () => {} };
    for (let round = 1; ; round += 1) {
      try {
        return await send(sent, call);
      } catch (error) {
        if (signal.aborted) throw error;
        // A refused connection at a later round says nothing of the first.
        const unsent = this.#options.calls.hasBegun(call) ? undefined : neverSent(error);
        if (unsent) throw unsent;
        if (call.context.kind === 'tool' && this.#isUnreadable(call, error)) throw unreadable(whyUnread(error), error);
        if (round > mostPageRounds) throw error;
        if (!(await this.#options.openPages(call, error))) throw error;
        call.timeout.renew();
      }
    }
  }

  /** True if the server has answered the call with a result that cannot be read, or with something that is no answer. */
  #isUnreadable(call: RunningCall, error: unknown): boolean {
    return unreadCodes.has((error as { code?: unknown }).code) || this.#options.calls.hasAnswer(call);
  }
}

function completed({ result, unchecked, misfit }: SentResult): CallOutcome {
  if (result['isError'] === true) return { how: 'tool-error', result };
  return { how: 'completed', result, ...defined({ unchecked, misfit }) };
}

/** Ends everything that depends on a call that is over; distinct from a cancellation. */
const callOver = { how: 'withdrawn' } as const;

/**
 * What an error means for the call that it ended.
 * @param isSent - true if something of the call may have been sent
 */
function outcomeOf(
  error: unknown,
  isSent: boolean,
): Extract<CallOutcome, { how: Exclude<CallOutcome['how'], 'completed' | 'tool-error'> }> {
  if (isMidcallError(error, 'host/cancelled')) return { how: 'cancelled', ...(!isSent && { nothingSent: true }) };
  if (isMidcallError(error, 'host/server-gone'))
    return { how: 'server-gone', message: error.message, ...(isNeverSent(error) && { nothingSent: true }) };
  if (isMidcallError(error))
    return { how: 'abandoned', message: error.message, ...(isInDoubt(error) && { inDoubt: true }) };
  const { cause } = error as { cause?: unknown };
  if (isMidcallError(cause, 'host/unauthorized')) return { how: 'abandoned', message: cause.message };
  const { code, message, data } =
    describedRefusal(error) ?? (error as { code?: unknown; message?: unknown; data?: unknown });
  const text = typeof message === 'string' ? message : String(error);
  if (typeof code === 'number') {
    const required = own(data, 'requiredCapabilities');
    const needs = isRecord(required) ? Object.keys(required) : [];
    return {
      how: 'refused',
      code,
      message: text,
      ...(needs.length > 0 && { needs }),
      ...(data !== undefined && { data }),
    };
  }
  if (unreadCodes.has(code)) return { how: 'abandoned', message: whyUnread(error) };
  if (code === SdkErrorCode.RequestTimeout) return { how: 'timed-out', message: text };
  if (isConnectionGone(code, text)) return { how: 'server-gone', message: 'The server has stopped.' };
  // Errors of the network have no code of the SDK.
  if (code === SdkErrorCode.SendFailed || code === undefined)
    return { how: 'server-gone', message: `The server cannot be reached: ${text}` };
  return { how: 'abandoned', message: withoutDump(text) };
}

/** The SDK's codes for a result that it refuses. */
const unreadCodes = new Set<unknown>([SdkErrorCode.InvalidResult, SdkErrorCode.UnsupportedResultType]);

/** What is wrong with a result that the SDK refused, as a sentence; the SDK's own words quote a schema. */
function whyUnread(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  const text = visible(withoutDump(String(message)), { max: 2_000 });
  const ended = /[.!?…]$/u.test(text) ? text : `${text}.`;
  if (!unreadCodes.has(code)) return ended;
  const problem = 'The server sent a result that the protocol does not allow';
  const issue = invalidResultIssue(String(message));
  return issue ? `${problem}: ${issueText(issue)}.` : `${problem}. ${ended}`;
}
