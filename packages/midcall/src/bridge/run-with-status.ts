/** A call at the upstream server whose task, where it becomes one, is told of as progress: the host need not know of tasks. */
import { defined } from '@midcall/core/json';
import type { CallHandle, CallProgress, CallRequest, Connection } from '@midcall/host';

/** Makes the call, without a limit of time: that is the host's. */
export function runWithStatus(
  connection: Connection,
  request: CallRequest,
  onProgress: (progress: CallProgress) => void,
  principal?: string,
): CallHandle {
  let last = 0;
  const tell = (progress: CallProgress): void => {
    last = Math.max(last, progress.progress);
    onProgress(progress);
  };
  const timeoutMs = Number.POSITIVE_INFINITY;
  const handle = connection.run(request, { onProgress: tell, timeoutMs, ...defined({ principal }) });
  const stop = connection.subscribe(event => {
    if (event.type !== 'call-task' || event.call.id !== handle.id) return;
    const { message } = event.task;
    tell({ progress: last + 1, ...(message !== undefined && { message }) });
  });
  void handle.outcome.finally(stop);
  return handle;
}
