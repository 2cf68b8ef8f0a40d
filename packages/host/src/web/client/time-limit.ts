/** How long script waits for an answer: on a connection that is dead, nothing else ends that. */

/** What nobody has asked for: an answer that never comes would hold up every later one. */
const unaskedMs = 20_000;

/** Breaks a request off if its answer is not there as a whole by then. */
export function inTime(ms = unaskedMs): AbortSignal {
  const limit = new AbortController();
  window.setTimeout(() => limit.abort(), ms);
  return limit.signal;
}
