/**
 * Puts one question to the client as a request of its own, and waits for what becomes of it. In a call that another process may
 * take over, its time runs from when any process first asked it, and an answer that an earlier holder of the call received counts.
 */
import { steadyNow } from '@midcall/core/time';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import type { OpenAsk } from '../engine/index.ts';
import { type ClientAsk, fromClient, type Recording, unanswered } from '../questions/index.ts';
import { type CallRequest, type Config, HandedOver, type SharedCall } from '../request/index.ts';
import { requestUntil } from '../sdk-seam/index.ts';
import { received } from './received.ts';

/** How the question reaches the client. */
export interface PutOptions {
  readonly request: CallRequest;
  readonly config: Config;
  /** Set if another process may take the call over. */
  readonly shared: SharedCall | undefined;
  /** Fires when the call was cancelled or its client is gone. */
  readonly gone: AbortSignal;
  /** Fires when this server stops; undefined for a question that no person answers, or that another process takes over. */
  readonly stopping: AbortSignal | undefined;
  /** Called when this process has certainly sent the question, perhaps more than once. */
  readonly onSent: () => void;
}

/** @returns what is recorded for the question, or why nothing is */
export async function putToClient(
  { id, detail }: OpenAsk<ClientAsk>,
  { request, config, shared, gone, stopping, onSent }: PutOptions,
): Promise<Recording | 'disconnected' | 'handed-over' | 'stopped'> {
  const { method, params, timeoutMs, withdrawn } = detail;
  if (withdrawn?.aborted) return unanswered('error', 0);
  const late = new AbortController();
  const signal = AbortSignal.any([late.signal, gone, ...[stopping, withdrawn].filter(each => each !== undefined)]);
  let askedAt = steadyNow(config.clock);
  let isOver = false;
  let stopClock = (): void => {};
  const endAfter = (ms: number): void => {
    stopClock = config.clock.after(ms, () => late.abort(new Error('The person did not answer in time.')));
  };
  try {
    if (shared) {
      const { fresh, elapsedMs, answer } = await shared.put({ id, method, params, timeoutMs }, signal);
      if (fresh) onSent();
      askedAt -= elapsedMs;
      endAfter(Math.max(0, timeoutMs - elapsedMs));
      const { response, ms } = await answer;
      // The answer came while no process ran this call.
      if (ms > timeoutMs) return unanswered('timeout', ms);
      return 'error' in response ? refused(response.error, ms) : recordingOf(response.result, ms);
    }
    endAfter(timeoutMs);
    // A question that cannot be sent fails within a turn of the event loop; one that has not failed by then has left.
    setImmediate(() => isOver || onSent());
    const result = await requestUntil(signal, request.server, request.ctx, { method, params });
    // Measured before the answer is read: the time to read it is not the person's.
    const ms = steadyNow(config.clock) - askedAt;
    onSent();
    return recordingOf(result, ms);
  } catch (error) {
    const ms = steadyNow(config.clock) - askedAt;
    if (!shared && (signal.aborted || wasSent(error))) onSent();
    if (late.signal.aborted) return unanswered('timeout', ms);
    if (stopping?.aborted) return 'stopped';
    if (error instanceof HandedOver) return 'handed-over';
    if (gone.aborted || isDisconnect(error)) return 'disconnected';
    return refused(error, ms);
  } finally {
    isOver = true;
    stopClock();
  }
}

function recordingOf(result: unknown, ms: number): Recording {
  const answer = received(result);
  return answer ? fromClient(answer.value, ms) : unanswered('error', ms);
}

const METHOD_NOT_FOUND = -32601;

/** What is recorded if there was an error in place of an answer. */
function refused(error: unknown, ms: number): Recording {
  const { code } = error as { readonly code?: unknown };
  // Some clients declare a capability that they do not have; such a client cannot be asked.
  const why = code === METHOD_NOT_FOUND ? 'unavailable' : 'error';
  return unanswered(why, ms, typeof code === 'number' ? code : undefined);
}

/** True if a failed request had been sent: the client answered with an error. */
const wasSent = (error: unknown): boolean =>
  error instanceof SdkError ? !unsent.has(error.code) : typeof (error as { code?: unknown }).code === 'number';

const unsent: ReadonlySet<SdkErrorCode> = new Set([
  SdkErrorCode.NotConnected,
  SdkErrorCode.NotInitialized,
  SdkErrorCode.CapabilityNotSupported,
  SdkErrorCode.MethodNotSupportedByProtocolVersion,
  SdkErrorCode.SendFailed,
]);

const isDisconnect = (error: unknown): boolean =>
  error instanceof SdkError &&
  (error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected);
