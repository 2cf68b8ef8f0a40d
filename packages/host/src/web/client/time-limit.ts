/** How long script waits for an answer that nobody has asked for: one that never comes would hold up every later one. */

const limitMs = 20_000;

/** Breaks a request off if its answer is not there as a whole by then. */
export function inTime(): AbortSignal {
  const limit = new AbortController();
  window.setTimeout(() => limit.abort(), limitMs);
  return limit.signal;
}
