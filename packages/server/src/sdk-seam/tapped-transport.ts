/** Observes the messages that pass through a transport of the SDK. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

/** @param sending - called with each message before it is sent */
export function tapSent(transport: Transport, sending: (message: JSONRPCMessage) => void): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    sending(message);
    return send(message, options);
  };
}

/**
 * @param transport - connected to a server, which listens to it by then
 * @param received - called with each message after the server got it
 */
export function tapReceived(transport: Transport, received: (message: JSONRPCMessage) => void): void {
  const receive = transport.onmessage;
  transport.onmessage = (message, extra) => {
    receive?.(message, extra);
    received(message);
  };
}

/** Passes the server no more messages. */
export function stopListening(transport: Transport): void {
  delete transport.onmessage;
}
