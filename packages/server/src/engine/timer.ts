/** Milliseconds of the longest timer that Node has. */
export const MAX_TIMEOUT_MS = 0x7fff_ffff;

/** Runs a function later. @returns what takes it back */
export function startTimer(fn: () => void, ms: number): () => void {
  const timer = setTimeout(fn, ms);
  return () => clearTimeout(timer);
}
