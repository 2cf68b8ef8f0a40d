/** Asks a process of ours to end; nothing happens where it has ended by itself. */
export function terminate(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // It has ended by itself.
  }
}
