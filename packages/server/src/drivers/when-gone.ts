/**
 * Notices that a request was cancelled or its client is gone. A listener costs as much as the rest of a short round, so it is
 * added two turns of the event loop after the request arrived: in the first a run is found to be idle, and most rounds have
 * been sent by the second. A signal that fires earlier is noticed at the next turn.
 */

/** @returns a function that stops watching; nothing is called after that */
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
