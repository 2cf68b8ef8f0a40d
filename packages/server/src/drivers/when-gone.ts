/**
 * Notices that a request was cancelled or its client is gone. A listener costs as much as the rest of a short round, so it
 * is set two turns of the event loop after the request came: the first is the one in which a run is found to be idle, and most
 * rounds have left by the second. What fires before is noticed at the next turn.
 */

/** @returns what ends the watch; nothing is called after it */
export function whenGone(signal: AbortSignal, onGone: () => void): () => void {
  if (signal.aborted) {
    onGone();
    return () => {};
  }
  let turn: NodeJS.Immediate | undefined = setImmediate(() => {
    turn = undefined;
    if (signal.aborted) onGone();
    else turn = setImmediate(listen);
  });
  const listen = (): void => {
    turn = undefined;
    if (signal.aborted) onGone();
    else signal.addEventListener('abort', onGone, { once: true });
  };
  return () => {
    // The SDK's signal also fires after every normal result.
    if (turn) clearImmediate(turn);
    else signal.removeEventListener('abort', onGone);
  };
}
