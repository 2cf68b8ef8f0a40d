/** The end of a connection, beside whoever else listens for it: the SDK has room for one listener. */

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
