/** Asks one of our processes to end, or by the negative of its id a process group; does nothing if it has already ended. */
export function terminate(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // It has ended by itself.
  }
}
