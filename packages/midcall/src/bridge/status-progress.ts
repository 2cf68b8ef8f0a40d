/** The status of a call's task, where it becomes one, told as progress: the host need not know of tasks. */
import type { CallProgress, RunOptions } from '@midcall/host';

/** What a call is run with, so that its listener hears of its task too. */
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
