/**
 * Runs calls on a connection so that questions can be tied to them: each call has an id, a timeout that is paused while a
 * person thinks, and one way to abort it. Also retries a call that needs a page first (2025-11-25, error -32042).
 */

import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { isRecord, own } from '@midcall/core/json';
import { invalidResultIssue, issueText } from '@midcall/core/sdk-seam';
import { type Clock, MAX_TIMER_MS } from '@midcall/core/time';
import { type RequestOptions, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { CallContext } from '../question/question.ts';
import { isConnectionGone, isRoundNotice } from '../sdk-seam/error-prose.ts';
import { CallAbort } from './call-abort.ts';
import { callTimeout } from './call-timeout.ts';
import type { Calls, RunningCall } from './calls.ts';

/** How a call ended; exactly one per call. */
export type CallOutcome =
  | {
      readonly how: 'completed';
      readonly result: Readonly<Record<string, unknown>>;
      /** Why its structured content was not checked against the tool's output schema: follows "because". */
      readonly unchecked?: string;
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
  /** The person stopped it. */
  | { readonly how: 'cancelled' }
  | { readonly how: 'timed-out'; readonly message: string }
  /** The host gave up, since it could not ask or a request was hostile; it may be tried again by hand. */
  | { readonly how: 'abandoned'; readonly message: string }
  | { readonly how: 'server-gone'; readonly message: string };

/** Progress of a call, as the server reports it; `message` is untrusted. */
export interface CallProgress {
  /** In the server's own unit. */
  readonly progress: number;
  /** The total that `progress` reaches at the end, if the server knows it. */
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** The task that a call has become, as the server reports it. */
export interface CallTask {
  readonly status: 'working' | 'input_required';
  /** Untrusted. */
  readonly message?: string;
  /** True if it can be resumed after this process has ended. */
  readonly kept: boolean;
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
}

/** The reason for stopping a call that the person cancelled. */
export const cancelledByPerson = new MidcallError('host/cancelled', 'The call was cancelled.');

/** The server's own time, in milliseconds, if a caller sets none. */
const usualTimeoutMs = 60_000;
/** How many times one call may be retried for pages. */
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
  readonly onProgress?: (progress: CallProgress) => void;
  /** Called when it has become a task, and for each change of that. */
  readonly onTask?: (task: CallTask) => void;
}

/** Options of a call whose result is only handed on. */
export interface PassOptions extends RunOptions {
  /** Chosen by the caller, unique in the host. */
  readonly id: string;
  /** Called once, with how it ended. */
  readonly onEnd: (outcome: CallOutcome) => void;
}

/** Options for sending a call. */
export interface SendOptions extends RequestOptions {
  readonly signal: AbortSignal;
  readonly onprogress: (progress: CallProgress) => void;
}

/** Sends a call's request; see {@link CallRunner.run}. */
export type SendCall = (options: SendOptions, call: RunningCall) => Promise<SentResult>;

/** Sends a call past the SDK; see {@link CallRunner.forward}. */
export interface ForwardCall {
  /**
   * Sends its request.
   * @param ended - called with its result, or with what sends the call's next request if that is needed; the SDK takes over there
   */
  begin(
    call: RunningCall,
    onProgress: (progress: CallProgress) => void,
    ended: (answer: { readonly result: SentResult['result'] } | { readonly goOn: SendCall }) => void,
  ): void;
  /** Sends it from its beginning, within a run of the runner. */
  readonly send: SendCall;
}

/** The outcome of a request. */
export interface SentResult {
  readonly result: Readonly<Record<string, unknown>>;
  readonly unchecked?: string;
}

/** What a run is told of its call. */
export type RunAbout = Omit<CallContext, 'id'> & { readonly id?: string; readonly startedAt?: number };

/** A call that has begun. */
export interface BegunRun {
  readonly call: RunningCall;
  readonly stopListening: () => void;
}

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
    return this.#finish(this.#begin(about, options), send, options, this.#options.gate());
  }

  /**
   * Runs a call whose result is only handed on, so that nothing waits for it here: the events tell how it ended. While nothing
   * but its result is needed, it costs no promise.
   * @param earlier - the call, if {@link beginAtOnce} has begun it
   */
  forward(about: RunAbout, forwarding: ForwardCall, options: RunOptions, earlier?: BegunRun): void {
    const begun = earlier ?? this.#begin(about, options);
    const { call } = begun;
    const opening = earlier ? undefined : this.#options.gate();
    const finish = (send: SendCall): void => void this.#finish(begun, send, options, opening).catch(() => {});
    if (opening || call.abort.aborted) {
      finish(forwarding.send);
      return;
    }
    forwarding.begin(call, this.#progressOf(call, options), answer => {
      if ('result' in answer && !call.abort.aborted) this.#ended(begun, completed(answer));
      else finish(once('result' in answer ? async () => answer : answer.goOn, forwarding.send));
    });
  }

  /** Begins a call that is sent at once, by somebody else; undefined if it would have to wait. */
  beginAtOnce(about: RunAbout, options: RunOptions): BegunRun | undefined {
    return this.#options.gate() ? undefined : this.#begin(about, options);
  }

  /** Such a call has ended with a result. */
  endAtOnce(begun: BegunRun, result: SentResult['result']): void {
    this.#ended(begun, completed({ result }));
  }

  #begin(about: RunAbout, options: RunOptions): BegunRun {
    const { calls, clock, newId, tell } = this.#options;
    const { kind, name, arguments: args, id = newId(), principal, startedAt = clock.now() } = about;
    const described = { kind, name, arguments: args, id };
    const context: CallContext = principal === undefined ? described : { ...described, principal };
    const abort = new CallAbort();
    const { signal } = options;
    const onAbort = signal && ((): void => abort.abort(cancelledByPerson));
    if (signal?.aborted) onAbort?.();
    if (onAbort) signal.addEventListener('abort', onAbort, { once: true });
    const limitMs = options.timeoutMs ?? usualTimeoutMs;
    const expired = (): void =>
      abort.abort(
        new SdkError(SdkErrorCode.RequestTimeout, `The server did not answer within ${Math.round(limitMs / 1_000)} s.`),
      );
    const timeout = callTimeout(limitMs, clock, expired);
    const call: RunningCall = { context, startedAt, abort, timeout, limitsTask: options.limitsTask === true };
    calls.add(call);
    tell({ type: 'call-started', call: context, startedAt });
    return { call, stopListening: () => onAbort && signal.removeEventListener('abort', onAbort) };
  }

  async #finish(
    begun: BegunRun,
    send: SendCall,
    options: RunOptions,
    opening: Promise<void> | undefined,
  ): Promise<SentResult['result']> {
    const { call } = begun;
    const { abort } = call;
    try {
      if (opening) {
        const goOn = call.timeout.pause();
        await orAborted(opening, abort);
        goOn();
      } else if (abort.aborted) throw abort.reason;
      const sent = await this.#send(call, send, options);
      this.#ended(begun, completed(sent));
      return sent.result;
    } catch (error) {
      const reason = abort.aborted ? abort.reason : error;
      this.#ended(begun, outcomeOf(reason));
      throw reason;
    }
  }

  /** Tells how a call ended, and ends everything that depends on it. */
  #ended({ call, stopListening }: BegunRun, outcome: CallOutcome): void {
    const { calls, clock, tell } = this.#options;
    try {
      tell({ type: 'call-ended', call: call.context, outcome, endedAt: clock.now() });
    } finally {
      stopListening();
      call.timeout.stop();
      calls.remove(call);
      call.abort.abort(callOver);
    }
  }

  #progressOf(call: RunningCall, options: RunOptions): (progress: CallProgress) => void {
    return progress => {
      call.timeout.renew();
      if (isRoundNotice(progress.message ?? '')) return;
      this.#options.tell({ type: 'call-progress', call: call.context, progress });
      options.onProgress?.(progress);
    };
  }

  async #send(call: RunningCall, send: SendCall, options: RunOptions): Promise<SentResult> {
    // The timeout is ours, so the SDK's is disabled.
    const sent: SendOptions = {
      get signal() {
        return call.abort.signal;
      },
      timeout: MAX_TIMER_MS,
      onprogress: this.#progressOf(call, options),
    };
    for (let round = 1; ; round += 1) {
      try {
        return await send(sent, call);
      } catch (error) {
        if (call.abort.aborted || round > mostPageRounds) throw error;
        if (!(await this.#options.openPages(call, error))) throw error;
        call.timeout.renew();
      }
    }
  }
}

/** Sends the first request in one way, and those that follow, if the call is tried again, in another. */
function once(first: SendCall, others: SendCall): SendCall {
  let now = first;
  return (options, call) => {
    const send = now;
    now = others;
    return send(options, call);
  };
}

function completed({ result, unchecked }: SentResult): CallOutcome {
  if (result['isError'] === true) return { how: 'tool-error', result };
  return { how: 'completed', result, ...(unchecked !== undefined && { unchecked }) };
}

/** Ends everything that depends on a call that is over; distinct from a cancellation. */
const callOver = { how: 'withdrawn' } as const;

function orAborted<T>(promise: Promise<T>, abort: CallAbort): Promise<T> {
  if (abort.aborted) return Promise.reject(abort.reason);
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(abort.reason);
    abort.addEventListener('abort', onAbort);
    promise.then(resolve, reject).finally(() => abort.removeEventListener('abort', onAbort));
  });
}

/** What an error means for the call that it ended. */
function outcomeOf(
  error: unknown,
): Extract<CallOutcome, { how: Exclude<CallOutcome['how'], 'completed' | 'tool-error'> }> {
  if (isMidcallError(error, 'host/cancelled')) return { how: 'cancelled' };
  if (isMidcallError(error, 'host/server-gone')) return { how: 'server-gone', message: error.message };
  if (isMidcallError(error)) return { how: 'abandoned', message: error.message };
  const { cause } = error as { cause?: unknown };
  if (isMidcallError(cause, 'host/unauthorized')) return { how: 'abandoned', message: cause.message };
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
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
  if (code === SdkErrorCode.InvalidResult) return { how: 'abandoned', message: invalid(text) };
  if (code === SdkErrorCode.RequestTimeout) return { how: 'timed-out', message: text };
  if (isConnectionGone(code, text)) return { how: 'server-gone', message: 'The server has stopped.' };
  // Errors of the network have no code of the SDK.
  if (code === SdkErrorCode.SendFailed || code === undefined)
    return { how: 'server-gone', message: `The server cannot be reached: ${text}` };
  return { how: 'abandoned', message: text };
}

/** What is wrong with a result that the SDK refused; the SDK's own words quote a schema. */
function invalid(text: string): string {
  const problem = 'The server sent a result that the protocol does not allow';
  const issue = invalidResultIssue(text);
  return issue ? `${problem}: ${issueText(issue)}.` : `${problem}. ${text}`;
}
