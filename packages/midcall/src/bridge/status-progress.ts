/** The status of a call's task, if it becomes one, reported as progress, so that the host need not support tasks. */
import type { CallProgress, RunOptions } from '@midcall/host';

/** Options of a call whose listener is told of its task as well. */
export function withStatus(
  onProgress: (progress: CallProgress) => void,
): Required<Pick<RunOptions, 'onProgress' | 'onTask'>> {
  let last = 0;
  return {
    onProgress: progress => {
      last = Math.max(last, progress.progress);
      onProgress(progress);
    },
    onTask: ({ message }) => {
      last += 1;
      onProgress({ progress: last, ...(message !== undefined && { message }) });
    },
  };
}
