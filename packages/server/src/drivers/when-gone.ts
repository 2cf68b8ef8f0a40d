/**
 * Notices that a request was cancelled or its client is gone. A listener costs as much as the rest of a short round, so it
 * is set one turn of the event loop after the request came, when most rounds have ended. What fires before is noticed then.
 */

/** @returns what ends the watch; nothing is called after it */
export function whenGone(signal: AbortSignal, gone: () => void): () => void {
  if (signal.aborted) {
    gone();
    return () => {};
  }
  let turn: NodeJS.Immediate | undefined = setImmediate(() => {
    turn = undefined;
    if (signal.aborted) gone();
    else signal.addEventListener('abort', gone, { once: true });
  });
  return () => {
    // The SDK's signal also fires after every normal result.
    if (turn) clearImmediate(turn);
    else signal.removeEventListener('abort', gone);
  };
}
