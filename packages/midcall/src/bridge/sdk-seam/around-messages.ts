/**
 * Changes every message between an SDK server and its host on its way. The SDK has no hook for that, so both ends are wrapped.
 */
import type { JSONRPCMessage, McpServer } from '@modelcontextprotocol/server';

/** What to do with messages on their way. */
export interface AroundMessages {
  /** Changes a message of the server before the host receives it. */
  readonly outgoing: (message: JSONRPCMessage) => JSONRPCMessage;
  /**
   * Changes a message of the host before the server receives it; undefined drops it.
   * @param send - sends a message to the host that `outgoing` does not see
   */
  readonly incoming: (
    message: JSONRPCMessage,
    send: (message: JSONRPCMessage) => Promise<void>,
  ) => JSONRPCMessage | undefined;
}

/** Wraps every transport that the server is connected to from now on. */
export function aroundMessages({ server }: McpServer, { outgoing, incoming }: AroundMessages): void {
  const connect = server.connect.bind(server);
  server.connect = async transport => {
    const send = transport.send.bind(transport);
    transport.send = (message, ...options) => send(outgoing(message), ...options);
    await connect(transport);
    const receive = transport.onmessage;
    transport.onmessage = (message, extra) => {
      const passed = incoming(message, send);
      if (passed) receive?.(passed, extra);
    };
  };
}
