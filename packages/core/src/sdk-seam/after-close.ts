/** Listens for the end of a connection in addition to other listeners: the SDK has room for only one. */

/** A transport, a client or a server of the SDK. */
interface Closing {
  onclose?: (() => void) | undefined;
}

/** @param closed - called after the listener that was there before */
export function afterClose(closing: Closing, closed: () => void): void {
  const before = closing.onclose;
  closing.onclose = () => {
    before?.();
    closed();
  };
}
