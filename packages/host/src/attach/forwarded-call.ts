/**
 * A call whose result is only forwarded: sent past the SDK, whose schemas would check every member of it. Anything that does
 * not end the call, such as a round of questions or an error that may name pages, is given to the SDK, which takes over from
 * there.
 */
import { own } from '@midcall/core/json';
import type { CallAbort } from '../calls/call-abort.ts';
import type { RunningCall } from '../calls/calls.ts';
import type { CallProgress, SendCall } from '../calls/runner.ts';
import type { ForwardedAnswer, ForwardedRequest, ForwardOptions } from '../sdk-seam/forwarded-requests.ts';

/** Where a forwarded call is sent. */
export interface ForwardedCallParts {
  readonly send: (
    request: ForwardedRequest,
    options: Pick<ForwardOptions, 'onProgress'> & { readonly signal: CallAbort },
    call: RunningCall,
  ) => Promise<ForwardedAnswer>;
  /** Makes the next request of the call that the SDK sends resolve with this answer, without being sent. */
  readonly handOver: (call: RunningCall, answer: ForwardedAnswer) => void;
  readonly bySdk: SendCall;
}

/** How to send it, for the runner. */
export function forwardedCall(request: ForwardedRequest, { send, handOver, bySdk }: ForwardedCallParts): SendCall {
  return async (own, call) => {
    const onProgress = (params: unknown): void => {
      const progress = progressIn(params);
      if (progress) own.onprogress(progress);
    };
    const answer = await send(request, { signal: call.abort, onProgress }, call);
    if ('result' in answer) {
      const { resultType, ...result } = answer.result;
      if (resultType === undefined || resultType === 'complete') return { result };
    }
    handOver(call, answer);
    return bySdk(own, call);
  };
}

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
