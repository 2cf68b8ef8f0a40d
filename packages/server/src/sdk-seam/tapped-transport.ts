/** What passes through a transport of the SDK, seen on its way. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

/** @param sending - told of each message before it is sent */
export function tapSent(transport: Transport, sending: (message: JSONRPCMessage) => void): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    sending(message);
    return send(message, options);
  };
}

/**
 * @param transport - connected to a server, which listens to it by then
 * @param received - told of each message after the server was given it
 */
export function tapReceived(transport: Transport, received: (message: JSONRPCMessage) => void): void {
  const receive = transport.onmessage;
  transport.onmessage = (message, extra) => {
    receive?.(message, extra);
    received(message);
  };
}
