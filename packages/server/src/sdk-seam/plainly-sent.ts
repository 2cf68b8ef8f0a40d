/**
 * Messages of ours that need no checks, on their way through a transport. Whoever has wrapped the transport sees them like any
 * other; the transport itself may recognize them, and send them without its schemas.
 */
import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/server';

/** The message that is being sent, until the wrappers have passed it on; one that waits, or copies it, passes on another. */
let sending: JSONRPCMessage | undefined;

/** Sends a message that needs no checks. */
export function sendPlainly(
  transport: Transport,
  message: JSONRPCMessage,
  options: TransportSendOptions | undefined,
): Promise<void> {
  const before = sending;
  sending = message;
  try {
    return transport.send(message, options);
  } finally {
    sending = before;
  }
}

/** True for a message that is being sent in this way. */
export const isPlainlySent = (message: JSONRPCMessage): boolean => message === sending;
