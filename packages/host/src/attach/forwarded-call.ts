/**
 * A call whose result is only forwarded: sent past the SDK, whose schemas would check every member of it. Anything that does
 * not end the call, such as a round of questions or an error that may name pages, is given to the SDK, which takes over from
 * there.
 */
import { MidcallError } from '@midcall/core/errors';
import { own } from '@midcall/core/json';
import type { CallAbort } from '../calls/call-abort.ts';
import type { RunningCall } from '../calls/calls.ts';
import type { CallProgress, ForwardCall, SendCall } from '../calls/runner.ts';
import type { ForwardedAnswer, ForwardedRequest, ForwardOptions } from '../sdk-seam/forwarded-requests.ts';

type Json = Readonly<Record<string, unknown>>;

/** Where a forwarded call is sent. */
export interface ForwardedCallParts {
  /** @param settle - called once, with the answer, or with why there is none */
  readonly send: (
    request: ForwardedRequest,
    options: Required<Pick<ForwardOptions, 'onProgress'>> & { readonly signal: CallAbort },
    call: RunningCall,
    settle: (answer: ForwardedAnswer | MidcallError) => void,
  ) => void;
  /** Makes the next request of the call that the SDK sends resolve with this answer, without being sent. */
  readonly handOver: (call: RunningCall, answer: ForwardedAnswer) => void;
  readonly bySdk: SendCall;
}

/** How to send it, for the runner. */
export function forwardedCall(request: ForwardedRequest, { send, handOver, bySdk }: ForwardedCallParts): ForwardCall {
  const begin: ForwardCall['begin'] = (call, onProgress, ended) => {
    const options = { signal: call.abort, onProgress: progressTo(onProgress) };
    send(request, options, call, answer => {
      if (answer instanceof MidcallError) return ended({ goOn: () => Promise.reject(answer) });
      const result = 'result' in answer ? finalResult(answer.result) : undefined;
      if (result) return ended({ result });
      ended({
        goOn: (own, running) => {
          handOver(running, answer);
          return bySdk(own, running);
        },
      });
    });
  };
  return {
    begin,
    send: (own, call) =>
      new Promise((resolve, reject) =>
        begin(call, own.onprogress, answer => {
          if ('result' in answer) resolve(answer);
          else answer.goOn(own, call).then(resolve, reject);
        }),
      ),
  };
}

/** What a result says to the caller; undefined if it does not end the call. */
export function finalResult(result: Json): Json | undefined {
  if (!('resultType' in result)) return result;
  const { resultType, ...others } = result;
  return resultType === undefined || resultType === 'complete' ? others : undefined;
}

const progressTo =
  (onProgress: (progress: CallProgress) => void) =>
  (params: unknown): void => {
    const progress = progressIn(params);
    if (progress) onProgress(progress);
  };

/** Progress as the server reports it; undefined if it is malformed. */
function progressIn(params: unknown): CallProgress | undefined {
  const [progress, total, message] = [own(params, 'progress'), own(params, 'total'), own(params, 'message')];
  if (typeof progress !== 'number') return undefined;
  return {
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  };
}
