/** Whether the process waits for files. */

const open = (): number => process.getActiveResourcesInfo().filter(name => name.startsWith('FSReq')).length;

/**
 * Watches operations on files, from now on.
 * @returns tells whether any is open now. Those that were open before do not count: one on a pipe that nobody writes to never ends
 */
export function watchFileWork(): () => boolean {
  let others = open();
  return () => {
    const now = open();
    others = Math.min(others, now);
    return now > others;
  };
}
