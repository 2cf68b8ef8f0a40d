/** Milliseconds of the longest timer that Node has. */
export const MAX_TIMEOUT_MS = 0x7fff_ffff;

/** Runs a function later. @returns a function that cancels it */
export function startTimer(fn: () => void, ms: number): () => void {
  const timer = setTimeout(fn, ms);
  return () => clearTimeout(timer);
}
