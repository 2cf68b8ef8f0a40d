/** Requests that are answered before their handler is called, measured like others. */
import type { Clock } from '@midcall/core/time';
import { isMeasured, measureOperation } from '../observe/index.ts';
import type { AskingMethod, Direct } from '../sdk-seam/index.ts';

/** @param clock - measures how long they take */
export const timedDirect =
  (method: AskingMethod, direct: Direct, clock: Pick<Clock, 'now'>): Direct =>
  request => {
    const answer = direct(request);
    if (!answer || !isMeasured()) return answer;
    const began = clock.now();
    const { name, uri } = request.params;
    const call = { method, name: String(name ?? uri ?? '') };
    return {
      end: how => answer.end(how),
      result: answer.result.then(result => {
        if (result) measureOperation(call, clock.now() - began, result['isError'] === true ? 'tool_error' : undefined);
        return result;
      }),
    };
  };
